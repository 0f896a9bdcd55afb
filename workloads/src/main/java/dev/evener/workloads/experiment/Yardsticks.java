package dev.evener.workloads.experiment;

import static dev.evener.Access.slice;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.kernels.DeviceVariants;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.kernels.tonemap.ToneMapper;
import dev.evener.policy.Policies;
import dev.evener.workloads.experiment.Yardstick.Work;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.Workloads;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.stream.IntStream;

/**
 * Holds primitives against what the machine's memory and the JDK's own algorithms reach, on one device, in one run: in
 * rounds, the primitive and its yardstick each once a round. What is timed is a job's wall time. One thread.
 */
public final class Yardsticks {
    private static final KernelSource MEMORY = KernelSource.resource(Yardsticks.class, "memory.cl");

    /** 16 KiB: a work-item's run, long enough to hide its launch. */
    private static final int UNIT = 4096;

    /** Rounds that are not counted, for compilers and caches. */
    private static final int WARM_UP = 3;

    private final Evener evener;
    private final int rounds;
    private final double part;
    private final Watch watch;
    private final Consumer<String> progress;
    private final List<Yardstick> found = new ArrayList<>();

    /**
     * @param evener with one device
     * @param rounds how often everything is measured
     * @param part of the full sizes, to be quicker; figures are for 1
     * @param watch who hears of the jobs
     * @param progress told what is being done
     */
    public Yardsticks(Evener evener, int rounds, double part, Watch watch, Consumer<String> progress) {
        this.evener = evener;
        this.rounds = rounds;
        this.part = part;
        this.watch = watch;
        this.progress = progress;
    }

    /** Everything there is to compare. */
    public List<Yardstick> measure() {
        scan();
        histogram();
        reduction();
        sort();
        toneMapping();
        if (!evener.devices().get(0).sharesHostMemory()) {
            found.addAll(new Transfers(evener, rounds, part, progress).measure());
        }
        return List.copyOf(found);
    }

    private int size(int full) {
        return (int) Math.max(UNIT, full * part / UNIT * UNIT);
    }

    private void scan() {
        int n = size(1 << 26);
        Work work = new Work("scan of int32", "GB/s", 8.0 * n);
        try (Noted scan = prepare("scan", Map.of("type", "int"), n, Distribution.UNIFORM);
                Memory memory = new Memory(n)) {
            compare(work, job(scan), "memcpy, the fastest of three", 0.7, memory.copy());
            int[] values = ints(scan);
            compare(
                    work,
                    job(scan),
                    "Arrays.parallelPrefix",
                    1.7,
                    timed(() -> Arrays.parallelPrefix(values, Integer::sum)));
        }
    }

    private void histogram() {
        int n = size(1 << 28);
        for (Distribution distribution : List.of(Distribution.UNIFORM, Distribution.CONSTANT, Distribution.SKEWED)) {
            Work work = new Work("histogram of bytes, " + distribution.text(), "GB/s", n);
            try (Noted histogram = prepare("histogram", Map.of("type", "uchar", "bins", "256"), n, distribution)) {
                byte[] bytes = new byte[n];
                input(histogram).bytes().get(bytes);
                double[] nanos =
                        compare(work, job(histogram), "two Java threads", 1.4, timed(() -> javaHistogram(bytes)));
                found.add(Yardstick.perCore(work, 1.5, nanos));
            }
        }
    }

    private void reduction() {
        int n = size(1 << 26);
        Work work = new Work("sum of int32", "GB/s", 4.0 * n);
        try (Noted sum = prepare("reduce", Map.of("type", "int"), n, Distribution.UNIFORM);
                Memory memory = new Memory(n)) {
            compare(work, job(sum), "a kernel that only reads", 0.85, memory.read());
            int[] values = ints(sum);
            long[] sink = new long[1];
            compare(
                    work,
                    job(sum),
                    "a parallel stream",
                    2,
                    timed(() -> sink[0] += IntStream.of(values).parallel().sum()));
        }
    }

    private void sort() {
        int n = size(1 << 24);
        try (Noted sort = prepare("sort", Map.of("type", "int"), n, Distribution.UNIFORM)) {
            int[] values = ints(sort);
            int[] copy = new int[n];
            compare(new Work("radix sort of int32", "Mkeys/s", n * 1e3), job(sort), "Arrays.parallelSort", 5, () -> {
                System.arraycopy(values, 0, copy, 0, n);
                return timed(() -> Arrays.parallelSort(copy)).getAsDouble();
            });
        }
    }

    private void toneMapping() {
        int n = size(1 << 24);
        String operator = Operator.REINHARD_EXTENDED.commandLineName();
        try (Noted automatic = prepare("tonemap", Map.of("operator", operator), n, Distribution.UNIFORM);
                ToneMapper mapper = new ToneMapper(evener::allocate)) {
            FrameLayout layout = new FrameLayout(UNIT, n / UNIT);
            HostBuffer frame = input(automatic);
            try (HostBuffer pixels = evener.allocate(ElementType.UINT, layout.words())) {
                ToneMapSettings given = ToneMapSettings.of(Operator.REINHARD_EXTENDED)
                        .withExposure(0)
                        .withWhite(10);
                perCore(
                        new Work("tone mapping, exposure given", "Mpixel/s", n * 1e3),
                        300,
                        job(mapper.job(layout, frame, pixels, given)));
            }
            perCore(new Work("tone mapping, automatic exposure", "Mpixel/s", n * 1e3), 300, job(automatic));
        }
    }

    /** The times of the primitive. */
    private double[] compare(Work work, DoubleSupplier own, String against, double aim, DoubleSupplier other) {
        progress.accept(work.primitive() + " and " + against);
        double[][] nanos = Alternately.nanos(WARM_UP, rounds, own, other);
        found.add(Yardstick.ratio(work, against, aim, nanos[0], nanos[1]));
        return nanos[0];
    }

    private void perCore(Work work, double aim, DoubleSupplier own) {
        progress.accept(work.primitive());
        found.add(Yardstick.perCore(work, aim, Alternately.nanos(WARM_UP, rounds, own)[0]));
    }

    /** What a primitive reads: the first buffer of its job. */
    private static HostBuffer input(Noted noted) {
        return noted.workload().job().phases().get(0).arguments().stream()
                .filter(Job.Argument.Buffer.class::isInstance)
                .map(argument -> ((Job.Argument.Buffer) argument).buffer())
                .findFirst()
                .orElseThrow();
    }

    private static int[] ints(Noted noted) {
        int[] values = new int[Math.toIntExact(input(noted).elements())];
        input(noted).ints().get(values);
        return values;
    }

    private Noted prepare(String name, Map<String, String> set, long items, Distribution distribution) {
        Workload workload = Workloads.named(name);
        Request request = Request.madeUp(workload, Values.of(workload, set), items, distribution, 1);
        return Noted.prepare(evener, request, watch);
    }

    private static DoubleSupplier job(Noted noted) {
        return () -> noted.run().wallNanos();
    }

    private DoubleSupplier job(Job job) {
        return () -> evener.submit(job, Policies.single(0)).join().wallNanos();
    }

    private static DoubleSupplier timed(Runnable work) {
        return () -> {
            long start = System.nanoTime();
            work.run();
            return System.nanoTime() - start;
        };
    }

    /** Each thread counts a half in a table of its own. */
    private static void javaHistogram(byte[] values) {
        int[][] tables = IntStream.range(0, 2)
                .parallel()
                .mapToObj(half -> {
                    int[] table = new int[256];
                    int middle = values.length / 2;
                    for (int i = half * middle, end = half == 0 ? middle : values.length; i < end; i++) {
                        table[values[i] & 255]++;
                    }
                    return table;
                })
                .toArray(int[][]::new);
        if (tables[0][0] + tables[1][0] < 0) {
            throw new IllegalStateException("a count below 0"); // so that the counting cannot be optimised away
        }
    }

    /** What memory can do: copies and reads of ints. */
    private final class Memory implements AutoCloseable {
        private final HostBuffer from;
        private final HostBuffer to;
        private final HostBuffer sums;
        private final int n;

        Memory(int n) {
            this.n = n;
            from = evener.allocate(ElementType.UINT, n);
            to = evener.allocate(ElementType.UINT, n);
            sums = evener.allocate(ElementType.UINT, n / UNIT);
            from.bytes().put(new byte[Math.min(1 << 20, 4 * n)]);
        }

        /** The fastest of memcpy by one thread, by two, and a kernel that stores past the cache. */
        DoubleSupplier copy() {
            DoubleSupplier kernel = job(kernel("copy")
                    .reads(from, slice(UNIT))
                    .writes(to, slice(UNIT))
                    .build());
            DoubleSupplier one = timed(() -> to.bytes().put(from.bytes()));
            DoubleSupplier two = timed(() -> IntStream.range(0, 2)
                    .parallel()
                    .forEach(half -> to.bytes(2L * n * half, 2 * n).put(from.bytes(2L * n * half, 2 * n))));
            return () -> Math.min(kernel.getAsDouble(), Math.min(one.getAsDouble(), two.getAsDouble()));
        }

        DoubleSupplier read() {
            return job(kernel("read_all")
                    .reads(from, slice(UNIT))
                    .writes(sums, slice(1))
                    .build());
        }

        private Job.Builder kernel(String name) {
            Job.Builder job = Job.named(name).source(MEMORY).units(n / UNIT).kernel(name);
            return DeviceVariants.add(job, Variant.itemsPerUnit(1, 1), Variant.itemsPerUnit(256, 256));
        }

        @Override
        public void close() {
            try (from;
                    to;
                    sums) {
                // All three, whatever one of them throws.
            }
        }
    }
}
