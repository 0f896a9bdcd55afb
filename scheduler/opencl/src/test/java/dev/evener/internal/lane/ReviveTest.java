package dev.evener.internal.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.DataBuffer;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.ManagedBuffer;
import dev.evener.Report;
import dev.evener.event.RunEvent;
import dev.evener.event.RunListener;
import dev.evener.internal.HostData;
import dev.evener.internal.NativeLedger.Kind;
import dev.evener.internal.cl.ClDevice;
import dev.evener.internal.cl.ClFailure;
import dev.evener.internal.data.Traffic;
import dev.evener.internal.device.BackEnd;
import dev.evener.internal.device.LaneOptions;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.memory.ContextMemory;
import dev.evener.internal.run.ChunkTimes;
import dev.evener.internal.run.Lane;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jocl.CL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A lane whose context is dead for ever, as after a reset of its driver, is opened anew once its device works in another. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReviveTest extends DrivenLane {
    private static final int N = 4096;

    private static Job bump(DataBuffer data) {
        return Job.named("bump")
                .units(N)
                .source("__kernel void bump(__global int *data) { data[get_global_id(0)] += 1; }")
                .kernel("bump")
                .updates(data, Access.slice())
                .build();
    }

    /** Nothing works any more in its context from some chunk on. */
    private static final class Dying extends ClLane {
        private int left;

        Dying(ContextMemory context, ClDevice device, BackEnd.Options options, int chunks) {
            super(context, device, options);
            left = chunks;
        }

        private static ClFailure dead(String doing) {
            return new ClFailure(doing, CL.CL_INVALID_COMMAND_QUEUE);
        }

        @Override
        public boolean enqueue(
                JobSpec job, JobSpec.Phase phase, long firstUnit, long units, boolean fenced, ChunkTimes times) {
            if (left == 0) {
                throw dead("enqueueing a kernel");
            }
            left--;
            return super.enqueue(job, phase, firstUnit, units, fenced, times);
        }

        @Override
        public void probe() {
            if (left == 0) {
                throw dead("writing a buffer");
            }
            super.probe();
        }
    }

    private void open(int chunks, BackEnd.Options options) {
        lane = new Dying(new ContextMemory(contextOf(List.of(device))), device, options, chunks);
    }

    @Test
    void oneThatWorksStaysAsItIs() {
        open(1, LaneOptions.usual());
        assertSame(lane, lane.revive());
    }

    @Test
    void oneInADeadContextIsOpenedInAnotherAndSeesTheSameBuffers() {
        for (BackEnd.Options options : List.of(LaneOptions.usual(), LaneOptions.copying())) {
            open(1, options);
            HostData data = ints(N, 5);
            run(bump(data));
            data.directory().bringAllToHost(new Traffic()); // as when a job ends
            assertThrows(ClFailure.class, () -> run(bump(data)));
            ClLane dead = lane;
            lane = (ClLane) lane.revive();
            assertNotSame(dead, lane);
            assertEquals(1, live(Kind.CONTEXT), "the dead one is closed");
            run(bump(data));
            data.directory().bringAllToHost(new Traffic());
            check(data, 7);
            lane.close();
        }
        open(1, LaneOptions.usual()); // which the end of the test closes
    }

    /** Puts a lane that dies in the place of the only one. */
    private static final class Reset implements RunListener, Lane.Wrapper {
        @Override
        public List<Lane> around(List<Lane> lanes) {
            lanes.forEach(Lane::close);
            ClDevice device = ClDevice.all().get(0);
            ContextMemory memory = new ContextMemory(contextOf(List.of(device)));
            return List.of(new Dying(memory, device, LaneOptions.copying(), 2));
        }

        @Override
        public void heard(RunEvent event) {}
    }

    @Test
    void theReturnIsToldAndHealthSaysWhatIsMissing() throws Exception {
        open(1, LaneOptions.usual());
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0"))
                .history(History.inMemory())
                .listener(new Reset())
                .open()) {
            HostBuffer host = evener.allocate(ElementType.INT, N);
            ManagedBuffer managed = evener.allocateManaged(ElementType.INT, N);
            evener.submit(bump(host)).join();
            evener.submit(bump(managed)).join();
            CompletionException lost = assertThrows(
                    CompletionException.class, () -> evener.submit(bump(host)).join());
            assertTrue(String.valueOf(lost.getMessage()).contains("CL_INVALID_COMMAND_QUEUE"), lost::toString);
            while (evener.health().degraded()) { // the test's time limit ends what never comes
                Thread.sleep(10);
            }
            Report report = evener.submit(bump(host)).join();
            assertEquals(1, report.failures().size(), report.failures()::toString);
            String told = report.failures().get(0);
            assertTrue(told.contains("is back; it was quarantined, because enqueueing a kernel"), told);
            assertEquals(2, host.ints().get(N - 1));
            assertEquals(List.of(), evener.submit(bump(managed)).join().failures(), "told once");
        }
    }
}
