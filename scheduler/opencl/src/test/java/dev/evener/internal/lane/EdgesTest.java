package dev.evener.internal.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.Job;
import dev.evener.MadeUpBuffers;
import dev.evener.internal.HostData;
import dev.evener.internal.ManagedData;
import dev.evener.internal.NativeLedger.Kind;
import dev.evener.internal.cl.ClDevice;
import dev.evener.internal.data.Traffic;
import dev.evener.internal.device.LaneOptions;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.run.ChunkTimes;
import java.nio.IntBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A chunk of a chain on a lane with memory of its own, driven by hand: what other lanes wait for goes first, and to the host. */
class EdgesTest extends DrivenLane {
    private static final int N = 4096;
    private static final int REACH = 64;
    private static final long INT = Integer.BYTES;

    private final ManagedData in = managed();
    private final ManagedData out = managed();
    private final JobSpec job = JobSpec.of(Job.named("sum of three")
                    .units(N)
                    .source("""
                            kernel void three(global const int *in, ulong start, global int *out, ulong first, uint units, int n) {
                                size_t i = get_global_id(0);
                                if (i >= units) return;
                                long at = (long) start + i;
                                int before = first + i > 0 ? in[at - 1] : 0, after = first + i + 1 < n ? in[at + 1] : 0;
                                out[i] = before + in[at] + after;
                            }
                            """)
                    .kernel("three")
                    .reads(in, Access.slice().halo(1, 1))
                    .viewStart(in)
                    .writes(out, Access.slice())
                    .chunkStart()
                    .chunkUnits()
                    .scalar(N)
                    .build())
            .withReach(REACH);
    private final ChunkTimes times = new ChunkTimes();

    @Override
    ClDevice device() { // one that does not compute in the calling thread
        return ClDevice.all().stream()
                .filter(each -> !each.runsGroupsInCaller())
                .findFirst()
                .orElseThrow();
    }

    private static ManagedData managed() {
        ManagedData made = MadeUpBuffers.managed(ElementType.INT, N, null);
        assertTrue(made.hold());
        return made;
    }

    @BeforeEach
    void open() {
        open(LaneOptions.copying());
        IntBuffer ints = in.segment(0).asIntBuffer();
        for (int i = 0; i < N; i++) {
            ints.put(i, i * i);
        }
        in.directory().hostWrote(0, N * INT);
        assertTrue(lane.bringsEdges());
    }

    @AfterEach
    void close() {
        in.letGo();
        out.letGo();
        in.close();
        out.close();
    }

    private void enqueue(int first, int units) {
        assertTrue(lane.enqueue(job, job.phases().get(0), first, units, false, times));
        assertTrue(lane.commitAhead());
    }

    private boolean isOnHost(int from, int to) {
        return out.directory().isOnHost(from * INT, to * INT);
    }

    private void check(int from, int to) {
        out.directory().bringToHost(from * INT, to * INT, new Traffic());
        IntBuffer ints = out.segment(0).asIntBuffer();
        for (int i = from; i < to; i++) {
            int expected = i * i + (i > 0 ? (i - 1) * (i - 1) : 0) + (i + 1 < N ? (i + 1) * (i + 1) : 0);
            assertEquals(expected, ints.get(i), "element " + i);
        }
    }

    @ParameterizedTest
    @CsvSource({"1024, 2048", "0, 2048", "2048, 2048", "64, 160"})
    void theHostHasWhatItsEndsWroteAndNoMore(int first, int units) {
        int end = first + units;
        enqueue(first, units);
        assertTrue(lane.awaitEdges());
        assertFalse(lane.awaitEdges(), "once");
        int from = first > 0 ? first + REACH : first;
        int to = end < N ? end - REACH : end;
        assertTrue(isOnHost(first, from));
        assertTrue(isOnHost(to, end));
        assertFalse(isOnHost(from, from + 1));
        assertFalse(isOnHost(to - 1, to));
        lane.await();
        lane.settle(times);
        assertEquals((from - first + end - to) * INT, times.bytesOut);
        check(first, end);
        assertEquals(0, live(Kind.EVENT));
    }

    @ParameterizedTest
    @CsvSource({"0, 4096", "1024, 128", "1024, 64"})
    void nothingGoesFirstWhereNobodyWaitsOrAllIsWaitedFor(int first, int units) {
        enqueue(first, units);
        assertFalse(lane.awaitEdges());
        lane.await();
        lane.settle(times);
        assertEquals(0, times.bytesOut);
        check(first, first + units);
    }

    @Test
    void ofAChunkThatFailsTheHostKeepsThem() {
        enqueue(1024, 2048);
        assertTrue(lane.awaitEdges());
        lane.await();
        lane.takeBack();
        check(1024, 1024 + REACH);
        check(3072 - REACH, 3072);
        assertEquals((2048 - 2 * REACH) * INT, out.directory().missing(null, 1024 * INT, 3072 * INT));
        lane.settle(times);
    }

    /** The chunk may fail, and be done again with what the host has. */
    @Test
    void whatTheHostHasOfAnUpdateIsNotWrittenOver() {
        JobSpec add = adding(1).withReach(REACH);
        assertTrue(lane.enqueue(add, add.phases().get(0), 1024, 2048, false, times));
        lane.await();
        IntBuffer ints = in.segment(0).asIntBuffer();
        for (int i = 0; i < N; i++) {
            assertEquals(i * i, ints.get(i), "element " + i);
        }
        lane.settle(times);
        assertEquals(0, times.bytesOut);
    }

    private JobSpec adding(int rounds) {
        return JobSpec.of(Job.named("add")
                .units(N)
                .source("kernel void add(global int *data, int n) {"
                        + " for (int k = 0; k < n; k++) data[get_global_id(0)] += k + 1; }")
                .kernel("add")
                .updates(in, Access.slice())
                .scalar(rounds)
                .build());
    }

    /** In queues of their own: the device comes to one after the other all the same. */
    @Test
    void chunksOfWhichTheDeviceIsNotAskedForTimesGoBehindOthers() {
        JobSpec add = adding(50).withReach(0);
        ChunkTimes[] both = {new ChunkTimes(), new ChunkTimes()};
        long before = System.nanoTime();
        for (int i = 0; i < 40; i++) {
            ChunkTimes its = both[i % 2];
            its.reset();
            its.exact = i % 3 == 0;
            assertTrue(lane.enqueue(add, add.phases().get(0), 0, N, false, its));
            if (i > 0) {
                lane.await();
                lane.settle(both[1 - i % 2]);
                check(both[1 - i % 2], before);
            }
            assertTrue(lane.commitAhead());
        }
        lane.await();
        lane.settle(both[1]);
        check(both[1], before);
        in.directory().bringToHost(0, N * INT, new Traffic());
        IntBuffer ints = in.segment(0).asIntBuffer();
        for (int i = 0; i < N; i++) {
            assertEquals(i * i + 40 * 50 * 51 / 2, ints.get(i), "element " + i);
        }
        assertEquals(0, live(Kind.EVENT));
    }

    /** What is fetched for one is not overwritten for the next, which goes through another queue and has the same memory. */
    @Test
    void chunksOfWhichTheDeviceIsNotAskedForTimesLeaveOthersAlone() {
        int chunk = 16384;
        int chunks = 100;
        HostData data = ints(chunks * chunk, 0);
        Job bump = Job.named("bump")
                .source("kernel void bump(global int *data) { data[get_global_id(0)] += 1; }")
                .units((long) chunks * chunk)
                .kernel("bump")
                .updates(data, Access.slice())
                .build();
        ChunkTimes[] both = {new ChunkTimes(), new ChunkTimes()};
        for (int i = 0; i < chunks; i++) {
            both[i % 2].reset();
            both[i % 2].exact = i % 2 == 0;
            assertTrue(enqueue(bump, (long) i * chunk, chunk, false, both[i % 2]));
            if (i > 0) {
                end(true, both[1 - i % 2]);
            }
        }
        end(true, both[1]);
        check(data, 1);
    }

    private static void check(ChunkTimes its, long before) {
        assertTrue(
                its.start >= before && its.end > its.start && its.end <= System.nanoTime(),
                () -> its.start - before + " to " + (its.end - before));
        assertTrue(its.kernelNanos > 0 && its.kernelNanos <= its.end - its.start);
    }
}
