package dev.evener.internal.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.EvenerException;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.Temporary;
import dev.evener.internal.HostData;
import dev.evener.internal.ManagedData;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.Segments;
import dev.evener.internal.cl.ClFailure;
import dev.evener.internal.cl.DeviceBuffer;
import dev.evener.internal.data.Traffic;
import dev.evener.internal.device.LaneOptions;
import dev.evener.internal.memory.ContextMemory;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.run.ChunkTimes;
import java.util.List;
import org.jocl.CL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A lane on a device that has less memory than it says: what is not in use gives way before a chunk fails. */
class ShortMemoryTest extends DrivenLane {
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

    private int most;

    /** Has no room for more than {@link #most} buffers at a time. */
    private final class Stingy extends ContextMemory {
        Stingy() {
            super(contextOf(List.of(device)));
        }

        @Override
        protected DeviceBuffer allocate(long bytes) {
            if (live() >= most) {
                throw new ClFailure("creating a buffer of " + bytes + " bytes", CL.CL_OUT_OF_RESOURCES);
            }
            return super.allocate(bytes);
        }
    }

    private long live() {
        return live(NativeLedger.Kind.BUFFER);
    }

    @BeforeEach
    void open() {
        open(false);
    }

    private void open(boolean sharing) {
        open(new Stingy(), sharing ? LaneOptions.usual() : LaneOptions.copying());
    }

    private HostData ints(int value) {
        return ints(N, value);
    }

    private static JobBuilder job(String kernel) {
        return Job.named("short").source(SOURCE).units(N).kernel(kernel);
    }

    /** The bytes sent. */
    private long bump(HostData data) {
        return run(job("bump").updates(data, Access.slice()).build()).bytesIn;
    }

    /** The same in a job whose second phase, which is not run, will want the data. */
    private long bumpKept(HostData data) {
        JobBuilder job = job("bump").updates(data, Access.slice());
        return run(job.kernel("bump").updates(data, Access.slice()).build()).bytesIn;
    }

    private void three() {
        HostData c = ints(0);
        run(job("three")
                .reads(ints(1), Access.slice())
                .reads(ints(2), Access.slice())
                .writes(c, Access.slice())
                .build());
        check(c, 3);
    }

    @Test
    void deviceCopiesGiveWayToAChunk() {
        most = 3;
        HostData[] kept = new HostData[3];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = ints(i);
            assertEquals(4 * N, bumpKept(kept[i]));
        }
        assertEquals(0, bumpKept(kept[0]));
        assertEquals(3, live());
        HostData data = ints(10);
        bump(data);
        check(data, 11);
        assertEquals(1, live());
        assertEquals(4 * N, bumpKept(kept[0])); // sent again, and as it was
        check(kept[0], 3);
    }

    @Test
    void chunkBuffersOfOtherKernelsGiveWayAndTheChunkIsRunAgain() {
        most = 3;
        three();
        assertEquals(3, live());
        HostData data = ints(10);
        run(job("late")
                .scalar(1)
                .scalar(2)
                .scalar(3)
                .updates(data, Access.slice())
                .build());
        check(data, 16);
        assertEquals(1, live());
        three();
    }

    /** Before the first kernel ran: what it updates in place must not be updated twice. */
    @Test
    void aTemporaryMakesRoomBeforeAnythingRuns() {
        for (boolean sharing : new boolean[] {false, true}) {
            open(sharing);
            HostData data = ints(10);
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
                        .temporary(memory[i])
                        .build());
                check(data, 21 * (1 << i) + (1 << i) - 1);
                assertEquals(most, live());
            }
            bump(data);
        }
    }

    @Test
    void temporariesGiveWayToOtherKernels() {
        most = 3;
        HostData data = ints(10);
        Temporary memory = Temporary.perUnit(ElementType.INT, 1);
        run(job("through")
                .updates(data, Access.slice())
                .temporary(memory)
                .then("back")
                .updates(data, Access.slice())
                .temporary(memory)
                .build());
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
        HostData data = ints(10);
        bump(data);
        check(data, 11);
    }

    /** What only the device holds was given up for a kernel that was never launched. */
    @Test
    void aChunkThatFailsBeforeItsFirstKernelLeavesWhatItUpdatesAsItWas() {
        for (boolean jobView : new boolean[] {false, true}) {
            for (String fails : List.of("temporary", "second buffer", "group")) {
                ManagedData data = new ManagedData(ElementType.INT, N, Segments.Limits.ofHost(), null, null);
                assertTrue(data.hold());
                most = Integer.MAX_VALUE;
                run(view(job("bump").updates(data, Access.slice()), jobView));
                assertFalse(data.directory().isOnHost(0, 4 * N));
                most = (int) live();
                JobBuilder wrong = switch (fails) {
                    case "temporary" ->
                        job("through")
                                .updates(data, Access.slice())
                                .temporary(Temporary.perUnit(ElementType.INT, 1 << 10));
                    case "second buffer" ->
                        job("through").updates(data, Access.slice()).updates(ints(1), Access.slice());
                    default -> job("bump").updates(data, Access.slice()).groupSize(1 << 20);
                };
                ChunkTimes times = new ChunkTimes();
                Job job = view(wrong, jobView);
                EvenerException failure =
                        assertThrows(EvenerException.class, () -> enqueue(job, 0, N, false, times), fails);
                assertEquals(
                        fails.equals("group") ? LaneFailure.Kind.BUILD : LaneFailure.Kind.MEMORY,
                        LaneFailure.kindOf(failure),
                        failure::toString);
                assertTrue(times.untouched, fails);
                data.directory().bringToHost(0, 4 * N, new Traffic());
                for (int i = 0; i < N; i++) {
                    assertEquals(1, data.part(0, 4 * N).getInt(4 * i), fails);
                }
                data.letGo();
                data.close();
            }
        }
    }

    private static Job view(JobBuilder job, boolean jobView) {
        return (jobView ? job.jobView() : job.chunkView()).build();
    }

    @Test
    void whatKernelsSeeAllOfMustFitAsAWhole() {
        most = 1;
        HostData in = ints(5);
        HostData out = ints(0);
        Job job = job("three")
                .jobView()
                .reads(in, Access.slice())
                .reads(in, Access.slice())
                .writes(out, Access.slice())
                .build();
        EvenerException failure = assertThrows(EvenerException.class, () -> run(job));
        assertEquals(LaneFailure.Kind.MEMORY, LaneFailure.kindOf(failure));
        assertEquals(
                "kernel three, argument 2: device " + device.info().id()
                        + " has no room for all 4096 bytes of the buffer,"
                        + " which the job's view needs; chunkView() needs room for chunks alone",
                failure.getMessage());
        most = 2;
        run(job);
        check(out, 10);
    }
}
