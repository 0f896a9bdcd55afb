package dev.evener.internal.run;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Nanoseconds of one operation of {@link ChunkPool}: by one thread alone, and by two threads at one word or at neighbouring
 * ones. The ranges outlast an iteration of a second, so that every take gets something.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class PoolBenchmark {
    private static final int HALF = Integer.MAX_VALUE / 2;

    /** Two lanes with half of the granules each. */
    @State(Scope.Thread)
    public static class Halves {
        ChunkPool pool = ChunkPool.common(2, 0);

        @Setup(Level.Iteration)
        public void fill() {
            pool = ChunkPool.of(0, HALF, Integer.MAX_VALUE);
        }
    }

    /** The same, shared by two threads. */
    @State(Scope.Group)
    public static class SharedHalves extends Halves {}

    /** Everything in the common range, shared by two threads. */
    @State(Scope.Benchmark)
    public static class Common {
        ChunkPool pool = ChunkPool.common(2, 0);

        @Setup(Level.Iteration)
        public void fill() {
            pool = ChunkPool.common(2, Integer.MAX_VALUE);
        }
    }

    /** Lane 0 is empty. */
    @State(Scope.Thread)
    public static class Hungry {
        ChunkPool pool = ChunkPool.common(2, 0);
        final long range = ChunkPool.range(0, 64);

        @Setup(Level.Iteration)
        public void fill() {
            pool = ChunkPool.of(0, 0, Integer.MAX_VALUE);
        }
    }

    // ---- one thread ----

    @Benchmark
    public long take(Halves s) {
        return s.pool.takeFront(0, 1);
    }

    @Benchmark
    public long steal(Halves s) {
        return s.pool.stealBack(1, 1);
    }

    /** A refill, and the take that empties the word for the next: take {@link #take} off. */
    @Benchmark
    public long refillAndTake(Hungry s) {
        s.pool.refill(0, s.range);
        return s.pool.takeFront(0, 64);
    }

    /** All of what an idle lane does for a chunk: steal two granules, keep one as its own, and take it later. */
    @Benchmark
    public long stealRefillTake(Hungry s) {
        long stolen = s.pool.stealBack(1, 2);
        s.pool.refill(0, ChunkPool.range(ChunkPool.first(stolen) + 1, ChunkPool.end(stolen)));
        return s.pool.takeFront(0, 1);
    }

    /** What every chunk pays for the returned ranges, when there are none. */
    @Benchmark
    public long takeReturnedOfNone(Halves s) {
        return s.pool.takeReturned();
    }

    // ---- two threads ----

    @Benchmark
    @Threads(2)
    public long takeCommon(Common s) {
        return s.pool.takeFront(s.pool.lanes(), 1);
    }

    @Benchmark
    @Group("ownerAndThief")
    public long owner(SharedHalves s) {
        return s.pool.takeFront(0, 1);
    }

    @Benchmark
    @Group("ownerAndThief")
    public long thief(SharedHalves s) {
        return s.pool.stealBack(0, 1);
    }

    /** Each at its own range: as fast as {@link #take}, unless the words shared a cache line. */
    @Benchmark
    @Group("neighbours")
    public long one(SharedHalves s) {
        return s.pool.takeFront(0, 1);
    }

    @Benchmark
    @Group("neighbours")
    public long other(SharedHalves s) {
        return s.pool.takeFront(1, 1);
    }
}
