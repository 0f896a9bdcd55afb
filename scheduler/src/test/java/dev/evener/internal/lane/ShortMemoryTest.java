package dev.evener.internal.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.EvenerException;
import dev.evener.Job;
import dev.evener.MadeUpBuffers;
import dev.evener.Temporary;
import dev.evener.internal.JobSpec;
import dev.evener.internal.ManagedBuffer;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.cl.ClContext;
import dev.evener.internal.cl.ClDevice;
import dev.evener.internal.cl.ClFailure;
import dev.evener.internal.cl.DeviceBuffer;
import dev.evener.internal.cl.Inventory;
import dev.evener.internal.cl.ProgramCache;
import dev.evener.internal.memory.ContextMemory;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.run.ChunkTimes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jocl.CL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A lane on a device that has less memory than it says: what is not in use gives way before a chunk fails. */
class ShortMemoryTest {
    private static final int N = 1024;
    private static final String SOURCE = """
            __kernel void bump(__global int *data) { data[get_global_id(0)] += 1; }
            __kernel void through(__global int *data, __global int *memory) {
                memory[get_global_id(0)] = data[get_global_id(0)]++;
            }
            __kernel void back(__global int *data, __global int *memory) {
                data[get_global_id(0)] += memory[get_global_id(0)];
            }
            __kernel void late(int x, int y, int z, __global int *data) { data[get_global_id(0)] += x + y + z; }
            __kernel void three(__global const int *a, __global const int *b, __global int *c) {
                c[get_global_id(0)] = a[get_global_id(0)] + b[get_global_id(0)];
            }
            """;

    private final Map<NativeLedger.Kind, Long> before = NativeLedger.live();
    private final List<ManagedBuffer> buffers = new ArrayList<>();
    private ClLane lane;
    private int most;

    /** Has no room for more than {@link #most} buffers at a time. */
    private final class Stingy extends ContextMemory {
        Stingy(ClDevice device) {
            super(new ClContext(List.of(device), ProgramCache.none()));
        }

        @Override
        protected DeviceBuffer allocate(long bytes) {
            if (live() >= most) {
                throw new ClFailure("creating a buffer of " + bytes + " bytes", CL.CL_OUT_OF_RESOURCES);
            }
            return super.allocate(bytes);
        }

        @Override
        protected DeviceBuffer allocateForDevice(long bytes) {
            if (live() >= most) {
                throw new ClFailure("creating a buffer of " + bytes + " bytes", CL.CL_OUT_OF_RESOURCES);
            }
            return super.allocateForDevice(bytes);
        }
    }

    private long live() {
        return NativeLedger.live().getOrDefault(NativeLedger.Kind.BUFFER, 0L)
                - before.getOrDefault(NativeLedger.Kind.BUFFER, 0L);
    }

    @BeforeEach
    void open() {
        open(false);
    }

    private void open(boolean sharing) {
        ClDevice device = Inventory.devices().get(0);
        lane = new ClLane(
                new Stingy(device),
                device,
                sharing ? OpenCl.Options.usual() : OpenCl.Options.usual().copying());
        lane.attach();
    }

    @AfterEach
    void nothingLeaks() {
        for (ManagedBuffer each : buffers) {
            each.letGo();
            each.close();
        }
        lane.close();
        assertEquals(before, NativeLedger.live());
    }

    private ManagedBuffer ints(int value) {
        ManagedBuffer made = MadeUpBuffers.of(ElementType.INT, N);
        made.hold();
        buffers.add(made);
        for (int i = 0; i < N; i++) {
            made.ints().put(i, value);
        }
        return made;
    }

    private static void check(ManagedBuffer buffer, int value) {
        for (int i = 0; i < N; i++) {
            assertEquals(value, buffer.ints().get(i), "element " + i);
        }
    }

    private static Job.Builder job(String kernel) {
        return Job.named("short").source(SOURCE).units(N).kernel(kernel);
    }

    /** The bytes sent. */
    private long run(Job.Builder builder) {
        Job job = builder.build();
        ChunkTimes times = new ChunkTimes();
        assertTrue(lane.enqueue(JobSpec.of(job), JobSpec.of(job).phases().get(0), 0, N, false, times));
        lane.await();
        lane.commit();
        lane.settle(times);
        return times.bytesIn;
    }

    private long bump(ManagedBuffer data) {
        return run(job("bump").updates(data, Access.slice()));
    }

    private void three() {
        ManagedBuffer c = ints(0);
        run(job("three")
                .reads(ints(1), Access.slice())
                .reads(ints(2), Access.slice())
                .writes(c, Access.slice()));
        check(c, 3);
    }

    @Test
    void deviceCopiesGiveWayToAChunk() {
        most = 3;
        ManagedBuffer[] kept = new ManagedBuffer[3];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = ints(i).keepOnDevices();
            assertEquals(4 * N, bump(kept[i]));
        }
        assertEquals(0, bump(kept[0]));
        assertEquals(3, live());
        ManagedBuffer data = ints(10);
        bump(data);
        check(data, 11);
        assertEquals(1, live());
        assertEquals(4 * N, bump(kept[0])); // sent again, and as it was
        check(kept[0], 3);
    }

    @Test
    void chunkBuffersOfOtherKernelsGiveWayAndTheChunkIsRunAgain() {
        most = 3;
        three();
        assertEquals(3, live());
        ManagedBuffer data = ints(10);
        run(job("late").scalar(1).scalar(2).scalar(3).updates(data, Access.slice()));
        check(data, 16);
        assertEquals(1, live());
        three();
    }

    /** Before the first kernel ran: what it updates in place must not be updated twice. */
    @Test
    void aTemporaryMakesRoomBeforeAnythingRuns() {
        for (boolean sharing : new boolean[] {false, true}) {
            lane.close();
            open(sharing);
            ManagedBuffer data = ints(10);
            most = (int) live() + 2; // the data and the temporary
            Temporary[] memory = {
                Temporary.perUnit(ElementType.INT, 1),
                Temporary.perUnit(ElementType.INT, 1),
                Temporary.perUnit(ElementType.INT, 2)
            };
            for (int i = 0; i < memory.length; i++) {
                run(job("through")
                        .updates(data, Access.slice())
                        .temporary(memory[i])
                        .then("back")
                        .updates(data, Access.slice())
                        .temporary(memory[i]));
                check(data, 21 * (1 << i) + (1 << i) - 1);
                assertEquals(most, live());
            }
            bump(data);
        }
    }

    @Test
    void temporariesGiveWayToOtherKernels() {
        most = 3;
        ManagedBuffer data = ints(10);
        Temporary memory = Temporary.perUnit(ElementType.INT, 1);
        run(job("through")
                .updates(data, Access.slice())
                .temporary(memory)
                .then("back")
                .updates(data, Access.slice())
                .temporary(memory));
        check(data, 21);
        assertEquals(2, live());
        three();
        assertEquals(3, live());
    }

    @Test
    void whatDoesNotFitAtAllIsAFailureForWantOfMemory() {
        most = 2;
        EvenerException failure = assertThrows(EvenerException.class, this::three);
        assertEquals(LaneFailure.Kind.MEMORY, LaneFailure.kindOf(failure));
        assertEquals(
                "kernel three, argument 2: creating a buffer of 4096 bytes: CL_OUT_OF_RESOURCES (-5)",
                failure.getMessage());
        ManagedBuffer data = ints(10);
        bump(data);
        check(data, 11);
    }
}
