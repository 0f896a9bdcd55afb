package dev.evener.internal.jvm;

import dev.evener.DeviceInfo;
import dev.evener.DeviceProbe;
import dev.evener.DeviceProbe.Figure;
import dev.evener.EvenerException;
import dev.evener.internal.Sampling;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/** Measures what the threads of a JVM lane can do: a hand-over to all of them, copying and reading memory. Stateless. */
public final class JvmProbe {
    private static final long LEAST_BYTES = 16L << 20;
    private static final long MOST_BYTES = 128L << 20;
    /** Of the heap, for each of two arrays. */
    private static final int PART = 8;

    private JvmProbe() {}

    /** Work on a range of the array's elements. */
    private interface Piece {
        void run(int from, int to);
    }

    /**
     * Measures; returns when all of its threads have ended.
     *
     * @param device from {@link JvmLane#describe}
     * @param progress told what is being measured
     */
    public static DeviceProbe measure(DeviceInfo device, Consumer<String> progress) {
        ExecutorService threads = Executors.newFixedThreadPool(device.computeUnits(), task -> {
            Thread thread = new Thread(task, "evener-jvm-probe");
            thread.setDaemon(true);
            return thread;
        });
        try {
            progress.accept("launch");
            Figure launch = Sampling.nanos(
                    times -> onAll(threads, device.computeUnits(), device.computeUnits(), (from, to) -> {}));
            long most = Math.min(MOST_BYTES, Long.highestOneBit(Math.max(8, device.memoryBytes() / PART)));
            long[] in = new long[(int) (most / Long.BYTES)];
            long[] out = new long[in.length];
            Arrays.setAll(in, i -> i);
            long least = Math.min(LEAST_BYTES, most);
            progress.accept("copying");
            Figure copy = Sampling.bytesPerSecond(
                    least,
                    most,
                    bytes -> times -> repeat(
                            times,
                            threads,
                            device,
                            bytes,
                            (from, to) -> System.arraycopy(in, from, out, from, to - from)));
            progress.accept("reading");
            LongAdder sums = new LongAdder(); // so that no sum can be left out
            Figure read = Sampling.bytesPerSecond(
                    least,
                    most,
                    bytes -> times -> repeat(times, threads, device, bytes, (from, to) -> sums.add(sum(in, from, to))));
            Figure both = new Figure(2 * copy.median(), copy.spread(), copy.samples()); // read and written
            return new DeviceProbe(device.identity(), launch, both, read, null, null);
        } finally {
            threads.shutdown();
        }
    }

    private static long sum(long[] values, int from, int to) {
        long a = 0;
        long b = 0;
        long c = 0;
        long d = 0;
        int i = from;
        for (; i + 3 < to; i += 4) {
            a += values[i];
            b += values[i + 1];
            c += values[i + 2];
            d += values[i + 3];
        }
        for (; i < to; i++) {
            a += values[i];
        }
        return a + b + c + d;
    }

    private static void repeat(int times, ExecutorService threads, DeviceInfo device, long bytes, Piece piece) {
        for (int i = 0; i < times; i++) {
            onAll(threads, device.computeUnits(), (int) (bytes / Long.BYTES), piece);
        }
    }

    private static void onAll(ExecutorService threads, int pieces, int elements, Piece piece) {
        List<Callable<Object>> all = new ArrayList<>(pieces);
        for (int p = 0; p < pieces; p++) {
            int from = (int) ((long) elements * p / pieces);
            int to = (int) ((long) elements * (p + 1) / pieces);
            all.add(Executors.callable(() -> piece.run(from, to)));
        }
        try {
            for (Future<?> one : threads.invokeAll(all)) {
                one.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EvenerException("measuring the JVM's threads was interrupted", e);
        } catch (ExecutionException e) {
            throw new EvenerException("measuring the JVM's threads failed: " + e.getCause(), e);
        }
    }
}
