package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.EvenerException.BuildFailedException;
import dev.evener.EvenerException.DevicesFailedException;
import dev.evener.Report;
import dev.evener.internal.recovery.LaneFailure;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * What becomes of a launch that a driver refuses for want of resources. NVIDIA's does so where a group's local arguments are all of {@code
 * CL_DEVICE_LOCAL_MEM_SIZE}: the job ended as a device's failure, after which another attempt was said to help.
 */
class RefusedLaunchTest extends TwoFakeLanes {
    private static final String REFUSED = "launching 64 work-items in groups of 64: CL_OUT_OF_RESOURCES (-5)";

    private static void refuse(FakeLane lane, long from) {
        lane.work = (job, phase, first, units, times) -> {
            if (units >= from) {
                times.untouched = true;
                throw new LaneFailure(LaneFailure.Kind.LAUNCH, REFUSED);
            }
        };
    }

    private Set<String> quarantined() {
        return dispatcher.health(List.of(), false).quarantined().keySet();
    }

    @Test
    void whatNoDeviceLaunchesIsTheJobsMatterAndTheKernelIsLaunchedInOtherGroups() throws Exception {
        refuse(first, 1);
        refuse(second, 1);
        BuildFailedException failure =
                assertInstanceOf(BuildFailedException.class, failureOf(submit(job("all of it", 100))));
        assertTrue(failure.getMessage().contains(REFUSED), failure::getMessage);
        assertFalse(failure.retryCanHelp());
        assertEquals(Set.of(), quarantined());
        refuse(first, Long.MAX_VALUE);
        refuse(second, Long.MAX_VALUE);
        Report report = submit(job("less", 100)).get(60, TimeUnit.SECONDS);
        assertEquals(List.of(), report.failures());
    }

    @Test
    void whatOneDeviceDoesNotLaunchTheOtherDoes() throws Exception {
        refuse(first, 1);
        Report report = submit(job("j", 100)).get(60, TimeUnit.SECONDS);
        assertEquals(100, report.devices().get(1).units());
        String last = report.failures().get(report.failures().size() - 1);
        assertEquals("device 0.0 (fake device 0.0) refused to launch it: " + REFUSED, last);
        assertEquals(Set.of(), quarantined());
    }

    /** Some drivers say so for want of the device's memory, too. */
    @Test
    void aSmallerChunkIsTriedFirst() throws Exception {
        refuse(first, 20);
        Report report = submit(job("j", 100)).get(60, TimeUnit.SECONDS);
        assertTrue(report.devices().get(0).units() > 0, report.failures()::toString); // the other may take the rest
        assertTrue(report.failures().get(0).contains("goes on with at most"), report.failures()::toString);
    }

    @Test
    void aDeviceThatIsGoneRefusesToo() throws Exception {
        for (FakeLane lane : List.of(first, second)) {
            refuse(lane, 1);
            lane.probe = () -> {
                throw new IllegalStateException("gone");
            };
        }
        DevicesFailedException failure =
                assertInstanceOf(DevicesFailedException.class, failureOf(submit(job("j", 100))));
        assertTrue(failure.retryCanHelp());
        assertEquals(Set.of("0.0", "0.1"), quarantined());
    }
}
