package dev.evener.internal.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.Access.Reduction;
import dev.evener.Contexts;
import dev.evener.DeviceKind;
import dev.evener.ElementType;
import dev.evener.EvenerException;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.MadeUpBuffers;
import dev.evener.Variant;
import dev.evener.internal.HostData;
import dev.evener.internal.NativeLedger.Kind;
import dev.evener.internal.cl.ClDevice;
import dev.evener.internal.device.BackEnd;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.run.ChunkTimes;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A lane that runs chunks in pieces, driven by hand: what it takes, what it tells, and what a failure leaves. */
class PiecesTest extends DrivenLane {
    private static final int PIECE = 4096;
    private static final String SOURCE = """
            __kernel void bump(__global int *data) { data[get_global_id(0)] += 1; }
            __kernel __attribute__((reqd_work_group_size(256, 1, 1))) void even(__global int *data) {
                data[get_global_id(0)] += 1;
            }
            __kernel void count(__global const int *data, __global int *sum, uint units) {
                if (get_global_id(0) == 0) atomic_add(sum, (int) units);
                atomic_add(sum + 1, data[get_global_id(0)]);
            }
            __kernel void copy(__global const int *data, __global int *to) {
                to[get_global_id(0)] = data[get_global_id(0)];
            }
            """;

    @BeforeEach
    void open() {
        open(new BackEnd.Options(false, Long.MAX_VALUE, 8 * PIECE, Long.MAX_VALUE, Contexts.MEASURED, false, false));
    }

    private static JobBuilder job(String kernel, int units) {
        return Job.named("pieces").source(SOURCE).units(units).granule(PIECE).kernel(kernel);
    }

    @Test
    void whatIsUnderWayIsBounded() {
        HostData data = ints(30 * PIECE, 0);
        long buffersBefore = live(Kind.BUFFER);
        long start = System.nanoTime();
        ChunkTimes times =
                run(job("bump", 30 * PIECE).updates(data, Access.slice()).build());
        long taken = System.nanoTime() - start;
        check(data, 1);
        assertEquals(3, live(Kind.BUFFER) - buffersBefore, "a ring of three");
        assertEquals(4L * 30 * PIECE, times.bytesIn);
        assertEquals(4L * 30 * PIECE, times.bytesOut);
        assertEquals(times.end - times.start, times.busyNanos());
        long most = taken + taken / 100; // the device's clock is not this one
        assertTrue(times.busyNanos() > 0 && times.busyNanos() <= most, times.busyNanos() + " of " + taken);
        assertEquals(0, live(Kind.EVENT));
    }

    private boolean enqueue(Job job, int firstUnit, int units, ChunkTimes times) {
        return enqueue(job, firstUnit, units, false, times);
    }

    @Test
    void aChunkBehindAnotherBeginsWithWhatNeedNotWait() {
        HostData data = ints(30 * PIECE, 0);
        Job job = job("bump", 30 * PIECE).updates(data, Access.slice()).build();
        ChunkTimes first = new ChunkTimes();
        ChunkTimes second = new ChunkTimes();
        assertTrue(enqueue(job, 0, 10 * PIECE, first));
        long events = live(Kind.EVENT);
        long buffersBefore = live(Kind.BUFFER);
        assertTrue(enqueue(job, 10 * PIECE, 20 * PIECE, second));
        assertEquals(3 * 3, live(Kind.EVENT) - events, "three pieces, each sent, computed and fetched");
        assertEquals(3, live(Kind.BUFFER) - buffersBefore, "a ring of its own");
        assertFalse(lane.takesAnother());
        end(true, first);
        lane.proceed();
        end(true, second);
        check(data, 1);
        assertEquals(4L * 10 * PIECE, first.bytesOut);
        assertEquals(4L * 20 * PIECE, second.bytesOut);
        assertTrue(first.end <= second.start, "what both were sent at once counts for the first");
        assertEquals(second.end - second.start, second.busyNanos());
        assertEquals(0, live(Kind.EVENT));
    }

    @Test
    void chunksInPiecesHavePartialsOfTheirOwn() {
        int units = 12 * PIECE;
        HostData data = ints(units, 1);
        Job job = job("count", units)
                .reads(data, Access.slice())
                .reduces(ints(2, 0), Reduction.SUM)
                .chunkUnits()
                .build();
        ChunkTimes times = new ChunkTimes();
        for (int round = 0; round < 3; round++) {
            assertTrue(enqueue(job, 0, 5 * PIECE, times));
            assertTrue(enqueue(job, 5 * PIECE, 7 * PIECE, times));
            for (int chunk : new int[] {5, 7}) {
                lane.proceed();
                lane.await();
                lane.commit();
                assertEquals(chunk * PIECE, lane.partial(1).getInt(0));
                assertEquals(chunk * PIECE, lane.partial(1).getInt(4));
                lane.settle(times);
            }
        }
    }

    @Test
    void aChunkInPiecesAndOneThatIsNotMayFollowEachOther() {
        HostData data = ints(12 * PIECE, 0);
        Job job = job("bump", 12 * PIECE).updates(data, Access.slice()).build();
        ChunkTimes times = new ChunkTimes();
        int at = 0;
        assertTrue(enqueue(job, at, PIECE, times));
        for (int next : new int[] {5 * PIECE, PIECE, 4 * PIECE, PIECE}) {
            int before = at;
            at += before == 0 ? PIECE : 0;
            assertTrue(enqueue(job, at, next, times));
            at += next;
            end(true, times);
            lane.proceed();
        }
        end(true, times);
        assertEquals(12 * PIECE, at);
        check(data, 1);
    }

    /**
     * A frame's code, which all of its rows may be in, was sent when the frame before was done: the bus and the device worked in turn. What the
     * chunk under way uses waits all the same, and is sent once.
     */
    @Test
    void whatAllUnitsSeeIsSentWhileAnotherJobsChunkIsUnderWay() {
        HostData data = ints(6 * PIECE, 0);
        Job first = job("bump", 6 * PIECE).updates(data, Access.slice()).build();
        HostData seen = ints(2 * PIECE, 7);
        HostData to = ints(2 * PIECE, 0);
        Job second = job("copy", 2 * PIECE)
                .reads(seen, Access.whole())
                .writes(to, Access.slice())
                .build();
        ChunkTimes[] times = {new ChunkTimes(), new ChunkTimes(), new ChunkTimes()};
        assertTrue(enqueue(first, 0, 6 * PIECE, times[0]));
        assertTrue(enqueue(second, 0, PIECE, times[1]), "sent beside it");
        end(true, times[0]);
        assertFalse(enqueue(second, PIECE, PIECE, times[2]), "it is on its way already");
        end(true, times[1]);
        assertTrue(enqueue(second, PIECE, PIECE, times[2]));
        end(true, times[2]);
        check(data, 1);
        check(to, 7);
        assertEquals(4L * 2 * PIECE, times[1].bytesIn);
        assertEquals(0, times[2].bytesIn);
        assertEquals(0, live(Kind.EVENT));
    }

    /** As when the device fails in the chunk before: what was not sent must not count as being there. */
    @Test
    void aChunkThatNeverProceedsLeavesNothing() {
        int units = 20 * PIECE;
        HostData data = ints(units, 7);
        HostData copy = ints(units, 0);
        Job job = job("copy", units)
                .reads(data, Access.slice())
                .writes(copy, Access.slice())
                .kernel("bump") // never run; for its sake the device keeps the data
                .updates(data, Access.slice())
                .build();
        ChunkTimes times = new ChunkTimes();
        assertTrue(enqueue(job, 0, 10 * PIECE, times));
        assertTrue(enqueue(job, 10 * PIECE, 10 * PIECE, times));
        end(true, times);
        lane.await();
        assertEquals(0, live(Kind.EVENT));
        assertEquals(0, copy.ints().get(units - 1));
        assertEquals(4L * 10 * PIECE, run(job).bytesIn, "the first half is there");
        check(copy, 7);
    }

    @Test
    void aFewUnitsGoInOnePiece() {
        HostData data = ints(PIECE, 0);
        long buffersBefore = live(Kind.BUFFER);
        run(job("bump", PIECE).updates(data, Access.slice()).build());
        check(data, 1);
        assertEquals(1, live(Kind.BUFFER) - buffersBefore);
    }

    @Test
    void piecesAddToOnePartial() {
        int units = 5 * PIECE + 16;
        HostData data = ints(units, 0);
        for (int i = 0; i < units; i++) {
            data.ints().put(i, i % 7);
        }
        HostData sum = ints(2, 0);
        Job job = job("count", units)
                .reads(data, Access.slice())
                .reduces(sum, Reduction.SUM)
                .chunkUnits()
                .build();
        for (int round = 0; round < 2; round++) {
            ChunkTimes times = run(job);
            int expected = 0;
            for (int i = 0; i < units; i++) {
                expected += i % 7;
            }
            assertEquals(units, lane.partial(1).getInt(0), "each piece with its own units");
            assertEquals(expected, lane.partial(1).getInt(4));
            assertEquals(4L * units + 8, times.bytesIn);
            assertEquals(8, times.bytesOut);
        }
    }

    /** A quarter of a large device's memory holds such a chunk; its pieces are no larger than any. */
    @Test
    void aChunkMayHaveMoreUnitsThanAnIntCounts() {
        long units = (1L << 31) + 4_099;
        open(new BackEnd.Options(false, Long.MAX_VALUE, 0, Long.MAX_VALUE, Contexts.MEASURED, false, false));
        HostData data = held(MadeUpBuffers.of(ElementType.UBYTE, units));
        int expected = 0;
        for (long at : new long[] {0, (1 << 30) - 1, 1 << 30, Integer.MAX_VALUE, 1L << 31, units - 1}) {
            expected += 17;
            data.bytes(at, 1).put(0, (byte) 17);
        }
        Job job = Job.named("tally")
                .units(units)
                .source("""
                        __kernel void tally(__global const uchar *data, uint units, __global uint *sums) {
                            uint from = (uint) get_global_id(0) << 16, i = from, own = 0;
                            if (from >= units) return;
                            uint to = from + min(units - from, 1u << 16);
                            uint16 many = 0;
                            for (; i + 16 <= to; i += 16) many += convert_uint16(vload16(0, data + i));
                            for (; i < to; i++) own += data[i];
                            uint8 eight = many.lo + many.hi;
                            uint4 four = eight.lo + eight.hi;
                            atomic_add(sums, own + four.x + four.y + four.z + four.w);
                            atomic_add(sums + 1, to - from);
                        }
                        """)
                .kernel("tally")
                .reads(data, Access.slice())
                .chunkUnits()
                .reduces(ints(2, 0), Reduction.SUM)
                .variant(DeviceKind.CPU, Variant.unitsPerItem(1 << 16))
                .variant(DeviceKind.GPU, Variant.unitsPerItem(1 << 16))
                .build();
        ChunkTimes times = run(job);
        assertEquals(expected, lane.partial(2).getInt(0));
        assertEquals((int) units, lane.partial(2).getInt(4));
        assertEquals(units + 8, times.bytesIn);
    }

    /** The third piece has no whole group, which the kernel insists on; the two before it are under way then. */
    @Test
    void aFailureInTheThirdPieceLeavesNothing() {
        int units = 2 * PIECE + 16;
        HostData data = ints(units, 0);
        HostData other = ints(units, 0);
        for (HostData each : List.of(data, other)) {
            JobBuilder described = job("even", units).updates(each, Access.slice());
            // A second phase, which is not run, has the device keep the data.
            Job job = (each == data ? described.kernel("bump").updates(each, Access.slice()) : described).build();
            assertThrows(EvenerException.class, () -> run(job));
            assertEquals(0, live(Kind.EVENT));
            assertTrue(each.ints().get(0) <= 1 && each.ints().get(units - 1) == 0);
            for (int i = 0; i < units; i++) {
                each.ints().put(i, 5); // as if it were put back
            }
            each.directory().hostWrote(0, each.byteSize());
            run(job("bump", units).updates(each, Access.slice()).build());
            check(each, 6);
        }
    }

    @Test
    void howAChunkIsCut() {
        HostData data = ints(100 * PIECE, 0);
        Job job = job("bump", 100 * PIECE).updates(data, Access.slice()).build();
        assertEquals(PIECE, cut(8 * PIECE, 8 * PIECE, job, device, 50 * PIECE));
        assertEquals(6 * PIECE, cut(8 * PIECE, 1 << 30, job, device, 50 * PIECE), "an eighth, in whole granules");
        assertEquals(50 * PIECE, cut(1 << 20, 1 << 30, job, device, 50 * PIECE), "too little for two");
        assertEquals(3 * PIECE, cut(0, 1, JobSpec.of(job).inOnePiece(), device, 3 * PIECE));
        Job halo = job("bump", 100 * PIECE)
                .reads(data, Access.slice().halo(PIECE, 1))
                .viewStart(data)
                .build();
        assertEquals(9 * PIECE, cut(8 * PIECE, 8 * PIECE, halo, device, 50 * PIECE), "eight times the halo and more");
    }

    private static long cut(long least, long most, Job job, ClDevice device, long units) {
        return new PieceCut(least, most)
                .units(JobSpec.of(job), JobSpec.of(job).phases().get(0), device.info(), units, 8L * units);
    }
}
