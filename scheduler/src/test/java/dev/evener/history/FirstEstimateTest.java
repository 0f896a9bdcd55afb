package dev.evener.history;

import static dev.evener.Access.slice;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.evener.Access;
import dev.evener.DeviceInfo;
import dev.evener.DeviceProbe;
import dev.evener.DeviceProbe.Figure;
import dev.evener.DeviceProbe.Transfers;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.MadeUpDevices;
import dev.evener.policy.Snapshot.Estimate;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a job should take by its declarations. Bandwidths are such that each figure shows which of them it came from. */
class FirstEstimateTest {
    private static final DeviceInfo CPU = MadeUpDevices.cpu("0.0", MadeUpDevices.POCL);
    private static final DeviceInfo GPU = MadeUpDevices.gpu("1.0", MadeUpDevices.NVIDIA, "pci 1");

    private final Evener evener = Evener.builder()
            .devices(DeviceSelector.parse("jvm"))
            .history(History.inMemory())
            .open();
    private final HostBuffer in = evener.allocate(ElementType.INT, 1000);
    private final HostBuffer out = evener.allocate(ElementType.INT, 1000);

    @AfterEach
    void close() {
        evener.close();
    }

    private static Figure figure(double median) {
        return new Figure(median, 0, 3);
    }

    /** Copies 4 bytes a nanosecond, reads 2; sends 1 in 2 ns and fetches 1 in 4 ns. */
    private static DeviceProbe probe(DeviceInfo device) {
        Transfers transfers = new Transfers(figure(0.5e9), figure(0.25e9), figure(1e9));
        Transfers unused = new Transfers(figure(1), figure(1), figure(1));
        return new DeviceProbe(device.identity(), figure(7_000), figure(4e9), figure(2e9), transfers, unused);
    }

    private static Estimate estimate(Job job, DeviceInfo device) {
        History history = History.inMemory();
        history.keep(probe(CPU));
        history.keep(probe(GPU));
        return history.of(job, List.of(device)).estimate(0);
    }

    @Test
    void aMapCopiesOnTheDeviceAndGoesThereAndBack() {
        Job map = Job.named("map")
                .units(1000)
                .kernel("k")
                .jvm(c -> {})
                .reads(in, slice())
                .writes(out, slice())
                .build();
        assertEquals(new Estimate(7_000, 8 / 4.0, 0), estimate(map, CPU));
        assertEquals(new Estimate(7_000, 8 / 4.0, 4 * 2 + 4 * 4), estimate(map, GPU));
    }

    @Test
    void whatIsOnlyReadTakesTheTimeOfReading() {
        Job read = Job.named("read")
                .units(500)
                .kernel("k")
                .jvm(c -> {})
                .reads(in, slice(2))
                .build();
        assertEquals(new Estimate(7_000, 8 / 2.0, 8 * 2), estimate(read, GPU));
    }

    @Test
    void whatEveryUnitSeesIsSentAndReadOnceWhateverTheShare() {
        Job table = Job.named("table")
                .units(1000)
                .kernel("k")
                .jvm(c -> {})
                .reads(in, Access.whole())
                .updates(out, slice())
                .build();
        assertEquals(new Estimate(7_000 + 2_000, 8 / 4.0, 0), estimate(table, CPU));
        assertEquals(new Estimate(7_000 + 2_000 + 8_000, 8 / 4.0, 4 * 2 + 4 * 4), estimate(table, GPU));
    }

    @Test
    void aSecondPhaseFindsOnTheDeviceWhatTheFirstOneLeft() {
        Job two = Job.named("two")
                .units(1000)
                .kernel("a")
                .jvm(c -> {})
                .reads(in, slice())
                .writes(out, slice())
                .kernel("b")
                .jvm(c -> {})
                .reads(in, slice())
                .updates(out, slice())
                .build();
        double first = 8 / 4.0;
        double second = 8 / 4.0 + 4 / 2.0;
        assertEquals(new Estimate(14_000, first + second, 4 * 2 + 4 * 4 + 4 * 4), estimate(two, GPU));
    }

    @Test
    void withoutAFigureThatIsNeededThereIsNoEstimate() {
        Job map = Job.named("map")
                .units(1000)
                .kernel("k")
                .jvm(c -> {})
                .reads(in, slice())
                .build();
        assertSame(Estimate.UNKNOWN, History.inMemory().of(map, List.of(CPU)).estimate(0));
        History history = History.inMemory();
        history.keep(new DeviceProbe(GPU.identity(), figure(1), figure(1), figure(1), null, null));
        assertSame(Estimate.UNKNOWN, history.of(map, List.of(GPU)).estimate(0));
        assertEquals(
                1,
                history.of(map, List.of(GPU.withSharesHostMemory(true)))
                        .estimate(0)
                        .fixedNanos());
    }

    @Test
    void whatIsMeasuredLaterCountsFromThenOn() {
        Job map = Job.named("map")
                .units(1000)
                .kernel("k")
                .jvm(c -> {})
                .reads(in, slice())
                .build();
        History history = History.inMemory();
        assertSame(Estimate.UNKNOWN, history.of(map, List.of(CPU)).estimate(0));
        history.keep(probe(CPU));
        assertEquals(new Estimate(7_000, 2, 0), history.of(map, List.of(CPU)).estimate(0));
    }
}
