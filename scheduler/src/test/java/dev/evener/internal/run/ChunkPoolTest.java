package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every granule is handed out exactly once, whoever takes it and however often it moves before. */
class ChunkPoolTest {

    private static void assertRange(int first, int end, long range) {
        assertTrue(range != ChunkPool.NONE, () -> "nothing came, expected [" + first + ", " + end + ")");
        assertEquals(first, ChunkPool.first(range));
        assertEquals(end, ChunkPool.end(range));
        assertEquals(end - first, ChunkPool.size(range));
    }

    // ---- ranges ----

    @Test
    void aRangeIsPackedAndUnpacked() {
        assertRange(0, 1, ChunkPool.range(0, 1));
        assertRange(3, 9, ChunkPool.range(3, 9));
        assertRange(0, Integer.MAX_VALUE, ChunkPool.range(0, Integer.MAX_VALUE));
        assertRange(
                Integer.MAX_VALUE - 1, Integer.MAX_VALUE, ChunkPool.range(Integer.MAX_VALUE - 1, Integer.MAX_VALUE));
    }

    @Test
    void whatIsNoRangeIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> ChunkPool.range(-1, 3));
        assertThrows(IllegalArgumentException.class, () -> ChunkPool.range(3, 3));
        assertThrows(IllegalArgumentException.class, () -> ChunkPool.range(4, 3));
        assertThrows(IllegalArgumentException.class, () -> ChunkPool.range(0, Integer.MIN_VALUE));
    }

    // ---- setting up ----

    @Test
    void aPoolOfNothingIsEmpty() {
        ChunkPool pool = ChunkPool.common(3, 0);
        assertEquals(3, pool.lanes());
        for (int owner = 0; owner <= 3; owner++) {
            assertEquals(0, pool.remaining(owner));
            assertEquals(ChunkPool.NONE, pool.takeFront(owner, 1));
            assertEquals(ChunkPool.NONE, pool.stealBack(owner, 1));
        }
        assertEquals(ChunkPool.NONE, pool.takeReturned());
        assertEquals(0, pool.remainingTotal());
    }

    @Test
    void eachLaneHasItsRange() {
        ChunkPool pool = ChunkPool.of(2, 10, 10, 14);
        assertEquals(8, pool.remaining(0));
        assertEquals(0, pool.remaining(1));
        assertEquals(4, pool.remaining(2));
        assertEquals(0, pool.remaining(pool.lanes()));
        assertEquals(12, pool.remainingTotal());
        assertRange(2, 10, pool.takeFront(0, Integer.MAX_VALUE));
        assertEquals(ChunkPool.NONE, pool.takeFront(1, 1));
        assertRange(10, 14, pool.takeFront(2, Integer.MAX_VALUE));
    }

    @Test
    void theCommonRangeHasAll() {
        ChunkPool pool = ChunkPool.common(2, Integer.MAX_VALUE);
        assertEquals(0, pool.remaining(0));
        assertEquals(0, pool.remaining(1));
        assertEquals(Integer.MAX_VALUE, pool.remaining(pool.lanes()));
        assertEquals(Integer.MAX_VALUE, pool.remainingTotal());
        assertRange(0, 7, pool.takeFront(pool.lanes(), 7));
        assertRange(7, Integer.MAX_VALUE, pool.takeFront(pool.lanes(), Integer.MAX_VALUE));
    }

    // ---- taking ----

    @Test
    void frontAndBackMeetInTheMiddle() {
        ChunkPool pool = ChunkPool.of(0, 10);
        assertRange(0, 3, pool.takeFront(0, 3));
        assertRange(8, 10, pool.stealBack(0, 2));
        assertRange(3, 4, pool.takeFront(0, 1));
        assertEquals(4, pool.remaining(0));
        assertRange(4, 8, pool.stealBack(0, 99));
        assertEquals(ChunkPool.NONE, pool.takeFront(0, 1));
        assertEquals(ChunkPool.NONE, pool.stealBack(0, 1));
        assertEquals(0, pool.remaining(0));
    }

    @Test
    void theHighestGranulesAreHandedOutToo() {
        int top = Integer.MAX_VALUE;
        ChunkPool pool = ChunkPool.of(0, top);
        assertRange(top - 2, top, pool.stealBack(0, 2));
        assertRange(0, top - 3, pool.takeFront(0, top - 3));
        assertRange(top - 3, top - 2, pool.takeFront(0, top));
        assertEquals(0, pool.remainingTotal());
    }

    @Test
    void rangesOfNobodyAreRefused() {
        ChunkPool pool = ChunkPool.of(0, 4, 8);
        for (int owner : new int[] {-1, 3, Integer.MAX_VALUE}) {
            assertThrows(IndexOutOfBoundsException.class, () -> pool.takeFront(owner, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> pool.stealBack(owner, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> pool.remaining(owner));
        }
        assertEquals(8, pool.remainingTotal());
    }

    @Test
    void whatWasStolenCanBeStolenAgain() {
        ChunkPool pool = ChunkPool.of(0, 4, 20);
        assertRange(0, 4, pool.takeFront(0, 4));
        long stolen = pool.stealBack(1, 10);
        assertRange(10, 20, stolen);
        pool.refill(0, ChunkPool.range(12, 20)); // the thief works on the first two
        assertEquals(8, pool.remaining(0));
        assertRange(18, 20, pool.stealBack(0, 2));
        assertRange(12, 18, pool.takeFront(0, 6));
    }

    @Test
    void aLaneWithGranulesIsNotRefilled() {
        ChunkPool pool = ChunkPool.of(0, 4, 8);
        long stolen = pool.stealBack(1, 1);
        String message = assertThrows(IllegalStateException.class, () -> pool.refill(0, stolen))
                .getMessage();
        assertEquals("lane 0 still has the granules [0, 4) and cannot take [7, 8) as its own", message);
        assertEquals(4, pool.remaining(0));
        assertThrows(IndexOutOfBoundsException.class, () -> pool.refill(pool.lanes(), stolen));
    }

    // ---- giving back ----

    @Test
    void whatWasGivenBackIsTakenOldestFirst() {
        ChunkPool pool = ChunkPool.of(0, 10, 20);
        pool.giveBack(pool.takeFront(0, 4));
        pool.giveBack(pool.takeFront(1, 2));
        assertEquals(20, pool.remainingTotal());
        assertRange(0, 4, pool.takeReturned());
        assertEquals(16, pool.remainingTotal());
        assertRange(10, 12, pool.takeReturned());
        assertEquals(ChunkPool.NONE, pool.takeReturned());
        assertEquals(14, pool.remainingTotal());
    }

    // ---- cost ----

    @Test
    void takingStealingAndRefillingAllocateNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long[] allocated = new long[4];
        for (int round = 0; round < allocated.length; round++) { // the first calls load classes and link handles
            ChunkPool pool = ChunkPool.of(0, 1 << 20, 1 << 21);
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 1000; i++) {
                pool.takeFront(0, Integer.MAX_VALUE);
                pool.refill(0, pool.stealBack(1, 99));
                pool.takeReturned();
                if (pool.remainingTotal() == 0) {
                    throw new AssertionError("there is more in the pool");
                }
            }
            allocated[round] = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertTrue(allocated[3] < 1000, () -> "bytes by round of 1000 steps: " + Arrays.toString(allocated));
    }

    // ---- everybody at once ----

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8})
    void everyGranuleIsDoneExactlyOnceUnderTakesStealsRefillsAndReturns(int threads) throws Exception {
        for (int round = 0; round < 12; round++) {
            hammer(threads, 40_000, round, false);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 8})
    void everyGranuleOfTheCommonRangeIsDoneExactlyOnce(int threads) throws Exception {
        for (int round = 0; round < 12; round++) {
            hammer(threads, 40_000, round, true);
        }
    }

    /** The pool has one lane more than there are threads: it is dead, and what it has must be stolen. */
    private static void hammer(int threads, int granules, long seed, boolean common) throws Exception {
        int lanes = threads + 1;
        int[] bounds = new int[lanes + 1]; // very unequal, so that there is much to steal
        for (int i = 1; i <= lanes; i++) {
            bounds[i] = i == lanes ? granules : (int) (granules * Math.pow(i / (double) lanes, 3));
        }
        ChunkPool pool = common ? ChunkPool.common(lanes, granules) : ChunkPool.of(bounds);
        AtomicIntegerArray done = new AtomicIntegerArray(granules);
        AtomicInteger left = new AtomicInteger(granules);
        AtomicInteger steals = new AtomicInteger();
        CyclicBarrier start = new CyclicBarrier(threads);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> ends = new ArrayList<>();
            for (int lane = 0; lane < threads; lane++) {
                Worker worker = new Worker(pool, lane, done, left, steals, new SplittableRandom(seed * 31 + lane));
                ends.add(executor.submit(() -> {
                    start.await();
                    worker.work();
                    return null;
                }));
            }
            for (Future<?> end : ends) {
                end.get();
            }
        } finally {
            executor.shutdownNow();
        }
        for (int i = 0; i < granules; i++) {
            assertEquals(1, done.get(i), "times granule " + i + " was done");
        }
        assertEquals(0, left.get());
        assertEquals(0, pool.remainingTotal());
        assertTrue(common || steals.get() > 0, "nothing was stolen");
    }

    /** A lane as the runtime has them, but one that fails now and then. */
    private record Worker(
            ChunkPool pool,
            int lane,
            AtomicIntegerArray done,
            AtomicInteger left,
            AtomicInteger steals,
            SplittableRandom random) {

        void work() {
            while (left.get() > 0) {
                long chunk = next();
                if (chunk == ChunkPool.NONE) {
                    LockSupport.parkNanos(1000); // the rest is in others' hands, and may come back
                } else {
                    run(chunk);
                }
            }
        }

        private long next() {
            int most = 1 + random.nextInt(20);
            long chunk = pool.takeReturned();
            if (chunk == ChunkPool.NONE) {
                chunk = pool.takeFront(random.nextInt(16) == 0 ? pool.lanes() : lane, most);
            }
            if (chunk == ChunkPool.NONE) {
                chunk = pool.takeFront(pool.lanes(), most);
            }
            return chunk == ChunkPool.NONE ? steal(most) : chunk;
        }

        private long steal(int most) {
            int victim = random.nextInt(pool.lanes());
            long stolen = pool.stealBack(victim, 1 + random.nextInt(Math.max(1, pool.remaining(victim))));
            if (stolen == ChunkPool.NONE) {
                return ChunkPool.NONE;
            }
            steals.incrementAndGet();
            if (ChunkPool.size(stolen) <= most || pool.remaining(lane) > 0) {
                return stolen;
            }
            int cut = ChunkPool.first(stolen) + most;
            pool.refill(lane, ChunkPool.range(cut, ChunkPool.end(stolen)));
            return ChunkPool.range(ChunkPool.first(stolen), cut);
        }

        /** Does all of it, a part, or nothing; the rest goes back. */
        private void run(long chunk) {
            int end = ChunkPool.end(chunk);
            int failsAt = random.nextInt(8) == 0 ? ChunkPool.first(chunk) + random.nextInt(ChunkPool.size(chunk)) : end;
            for (int i = ChunkPool.first(chunk); i < failsAt; i++) {
                done.incrementAndGet(i);
            }
            if (failsAt < end) {
                pool.giveBack(ChunkPool.range(failsAt, end));
            }
            left.addAndGet(ChunkPool.first(chunk) - failsAt);
        }
    }
}
