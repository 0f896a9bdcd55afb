package dev.evener.internal.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.DeviceKind;
import dev.evener.Job;
import dev.evener.Variant;
import dev.evener.internal.HostData;
import dev.evener.internal.cl.ClDevice;
import dev.evener.internal.cl.ClFailure;
import dev.evener.internal.cl.DeviceBuffer;
import dev.evener.internal.device.LaneOptions;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.memory.ContextMemory;
import dev.evener.internal.run.ChunkTimes;
import java.nio.ByteBuffer;
import java.util.List;
import org.jocl.CL;
import org.junit.jupiter.api.Test;

/**
 * A lane whose device shares host memory, in a context that refuses buffers over it. PoCL with its CUDA driver does so, for the
 * GPU's sake, and the CPU, whose failure it is not, was quarantined.
 */
class RefusedHostMemoryTest extends DrivenLane {
    private static final int N = 1 << 14;
    private static final String SOURCE = """
            __kernel void add(__global const int *in, __global int *sums, __global int *out) {
                size_t i = get_global_id(0);
                sums[i] += in[i];
                out[i] = 2 * in[i];
            }
            """;

    private final HostData in = ints();
    private final HostData sums = ints();
    private final HostData out = ints();
    private Fussy group;

    /** Takes no more than so many sub-buffers of host memory, buffers over parts of it, and buffers over all of it. */
    private static final class Fussy extends ContextMemory {
        private int subBuffers;
        private int parts;
        private boolean takesWhole;
        private int refused;

        Fussy(List<ClDevice> devices, int subBuffers, int parts, boolean takesWhole) {
            super(contextOf(devices));
            this.subBuffers = subBuffers;
            this.parts = parts;
            this.takesWhole = takesWhole;
        }

        @Override
        protected DeviceBuffer subBuffer(DeviceBuffer all, long within, long bytes) {
            if (subBuffers-- <= 0) {
                throw refuse();
            }
            return super.subBuffer(all, within, bytes);
        }

        @Override
        protected DeviceBuffer over(ByteBuffer memory, long from, long bytes) {
            if (from == 0 ? !takesWhole : parts-- <= 0) {
                throw refuse();
            }
            return super.over(memory, from, bytes);
        }

        private ClFailure refuse() {
            refused++;
            return new ClFailure("registering host memory", CL.CL_MEM_OBJECT_ALLOCATION_FAILURE);
        }
    }

    private HostData ints() {
        HostData made = ints(N, 0);
        for (int i = 0; i < N; i++) {
            made.ints().put(i, i);
        }
        return made;
    }

    private void open(int subBuffers, int parts, boolean takesWhole) {
        open(List.of(device), subBuffers, parts, takesWhole);
    }

    private void open(List<ClDevice> devices, int subBuffers, int parts, boolean takesWhole) {
        group = new Fussy(devices, subBuffers, parts, takesWhole);
        open(group, LaneOptions.usual());
    }

    /** Runs the kernel over all in four chunks, two of which are under way at a time, and checks every element. */
    private void run() {
        Job job = Job.named("add")
                .source(SOURCE)
                .units(N)
                .kernel("add")
                .variant(DeviceKind.CPU, Variant.plain())
                .reads(in, Access.slice())
                .updates(sums, Access.slice())
                .writes(out, Access.slice())
                .build();
        JobSpec spec = JobSpec.of(job);
        JobSpec.Phase phase = spec.phases().get(0);
        int chunk = N / 4;
        ChunkTimes times = new ChunkTimes();
        assertTrue(lane.enqueue(spec, phase, 0, chunk, false, times));
        for (int next = chunk; next <= N; next += chunk) {
            boolean ahead = next < N && lane.takesAnother() && lane.enqueue(spec, phase, next, chunk, false, times);
            lane.await();
            lane.commit();
            lane.settle(times);
            if (next < N && !ahead) {
                assertTrue(lane.enqueue(spec, phase, next, chunk, false, times));
            }
        }
        for (int i = 0; i < N; i++) {
            assertEquals(2 * i, sums.ints().get(i), "sum " + i);
            assertEquals(2 * i, out.ints().get(i), "element " + i);
        }
    }

    @Test
    void subBuffersThatAreRefusedAtTheOpeningAreNotAskedForAgain() {
        open(0, Integer.MAX_VALUE, true);
        assertEquals(1, group.refused);
        assertTrue(lane.device().sharesHostMemory());
        run();
        assertEquals(1, group.refused);
    }

    @Test
    void subBuffersThatAreRefusedLaterGiveWayToBuffersOverTheParts() {
        open(5, Integer.MAX_VALUE, true); // two of them when it was opened
        run();
        assertTrue(lane.device().sharesHostMemory());
        assertEquals(1, group.refused);
    }

    /** A sub-buffer would have to find a place on the discrete device too, and one that is refused leaves a broken segment behind. */
    @Test
    void besideADeviceWithMemoryOfItsOwnPartsAreBuffersOfTheirOwn() {
        ClDevice other = ClDevice.all().get(1);
        assertEquals(device.platform(), other.platform(), "two devices in one context");
        ClDevice discrete = other.with(other.info().withSharesHostMemory(false));
        open(List.of(device, discrete), 0, Integer.MAX_VALUE, true);
        run();
        assertTrue(lane.device().sharesHostMemory());
        assertEquals(0, group.refused);
    }

    @Test
    void whatTheContextRefusesInAnyFormGoesThroughMemoryOfTheLanesOwn() {
        open(5, 2, true); // as many parts as are tried
        run();
        assertEquals(2, group.refused);
    }

    @Test
    void aContextThatRefusesPartsOfHostMemoryGivesALaneWithMemoryOfItsOwn() {
        open(0, 0, true);
        assertFalse(lane.device().sharesHostMemory());
        run();
    }

    @Test
    void aContextThatRefusesHostMemoryGivesALaneWithMemoryOfItsOwn() {
        open(0, 0, false);
        assertFalse(lane.device().sharesHostMemory());
        run();
    }
}
