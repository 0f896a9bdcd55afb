package dev.evener.internal;

import dev.evener.DeviceProbe.Figure;
import java.util.Arrays;

/** How often something is measured, and what is made of it. Stateless; any thread. */
public final class Sampling {
    /** A single launch is over soon, and disturbances are many times as long: many samples. */
    private static final int LAUNCHES = 200;

    private static final int LAUNCHES_BEFORE = 20;
    private static final int RUNS = 7;
    private static final int LEAST_RUNS = 3;
    private static final int RUNS_BEFORE = 2; // memory that is touched for the first time, and a clock that speeds up

    /** After which no more is measured for one figure. */
    private static final long LIMIT_NANOS = 300_000_000L;

    private Sampling() {}

    /** Work that can be repeated. */
    @FunctionalInterface
    public interface Work {
        /** Does it once; the nanoseconds that it took. */
        long run();
    }

    /** Nanoseconds of short work, without what the first few times cost. */
    public static Figure nanos(Work work) {
        return figure(samples(work, LAUNCHES_BEFORE, 1, LAUNCHES));
    }

    /** Bytes a second, of work that moves so many. */
    public static Figure bytesPerSecond(long bytes, Work work) {
        double[] nanos = samples(work, RUNS_BEFORE, LEAST_RUNS, RUNS);
        return figure(Arrays.stream(nanos).map(each -> 1e9 * bytes / each).toArray());
    }

    private static double[] samples(Work work, int before, int least, int most) {
        for (int i = 0; i < before; i++) {
            work.run();
        }
        double[] nanos = new double[most];
        int samples = 0;
        long begin = System.nanoTime();
        while (samples < most && (samples < least || System.nanoTime() - begin < LIMIT_NANOS)) {
            nanos[samples++] = Math.max(1, work.run());
        }
        return Arrays.copyOf(nanos, samples);
    }

    /** Median and spread; at least one value, all above 0. */
    static Figure figure(double[] values) {
        double median = median(values);
        double[] off =
                Arrays.stream(values).map(value -> Math.abs(value - median)).toArray();
        return new Figure(median, median(off) / median, values.length);
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
