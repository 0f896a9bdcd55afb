package dev.evener.internal;

import dev.evener.DeviceProbe.Figure;
import java.util.Arrays;
import java.util.function.LongFunction;

/** How often something is measured, over how much data, and what is made of it. Stateless; any thread. */
public final class Sampling {
    /** A single launch is over soon, and disturbances are many times as long: many samples. */
    private static final int LAUNCHES = 200;

    private static final int LAUNCHES_BEFORE = 20;
    private static final long LAUNCHES_LIMIT_NANOS = 200_000_000L;

    /** Work is repeated until it takes so long, so that launching it does not count. */
    private static final long BATCH_NANOS = 10_000_000L;
    /** Commands under way at once. */
    private static final int MOST_BATCHED = 8;

    private static final int BATCHES = 7;
    private static final int LEAST_BATCHES = 3;
    /** After which no further batch is begun for one size. */
    private static final long SIZE_NANOS = 120_000_000L;
    /** After which no larger size is tried. */
    private static final long FIGURE_NANOS = 300_000_000L;
    /** Sizes whose rates differ less, as a part of them, are large enough. */
    private static final double STABLE = 0.03;

    private Sampling() {}

    /** Work that can be repeated. */
    @FunctionalInterface
    public interface Work {
        /** Does it so many times and returns when all are done. */
        void run(int times);
    }

    /** Nanoseconds of the work, done once, without what the first few times cost. */
    public static Figure nanos(Work work) {
        for (int i = 0; i < LAUNCHES_BEFORE; i++) {
            work.run(1);
        }
        double[] nanos = new double[LAUNCHES];
        int samples = 0;
        long begin = System.nanoTime();
        for (long now = begin; samples < LAUNCHES && (samples == 0 || now - begin < LAUNCHES_LIMIT_NANOS); ) {
            work.run(1);
            long after = System.nanoTime();
            nanos[samples++] = Math.max(1, after - now);
            now = after;
        }
        return figure(Arrays.copyOf(nanos, samples));
    }

    /**
     * Bytes a second, over more and more bytes until that changes nothing any more, or takes too long.
     *
     * @param least bytes to begin with
     * @param most bytes at which to end, at least {@code least}
     * @param work for a number of bytes: what moves so many
     */
    public static Figure bytesPerSecond(long least, long most, LongFunction<Work> work) {
        long begin = System.nanoTime();
        Figure last = rate(least, work.apply(least));
        for (long bytes = 2 * least; bytes <= most && System.nanoTime() - begin < FIGURE_NANOS; bytes *= 2) {
            Figure next = rate(bytes, work.apply(bytes));
            boolean stable = Math.abs(next.median() / last.median() - 1) < STABLE;
            last = next;
            if (stable) {
                break;
            }
        }
        return last;
    }

    private static Figure rate(long bytes, Work work) {
        work.run(1); // memory that is touched for the first time
        long first = System.nanoTime();
        work.run(1);
        long once = Math.max(1, System.nanoTime() - first);
        int times = (int) Math.min(MOST_BATCHED, Math.max(1, BATCH_NANOS / once));
        double[] rates = new double[BATCHES];
        int samples = 0;
        long begin = System.nanoTime();
        for (long now = begin; samples < BATCHES && (samples < LEAST_BATCHES || now - begin < SIZE_NANOS); ) {
            work.run(times);
            long after = System.nanoTime();
            rates[samples++] = 1e9 * times * bytes / Math.max(1, after - now);
            now = after;
        }
        return figure(Arrays.copyOf(rates, samples));
    }

    /** Median and spread; at least one value, all above 0. */
    static Figure figure(double[] values) {
        double median = median(values);
        double[] off = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            off[i] = Math.abs(values[i] - median);
        }
        return new Figure(median, median(off) / median, values.length);
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
