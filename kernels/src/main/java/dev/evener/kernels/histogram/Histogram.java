package dev.evener.kernels.histogram;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.Access.Reduction;
import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.KernelSource;
import dev.evener.Report;
import dev.evener.Variant;
import dev.evener.kernels.Allocator;
import dev.evener.kernels.BufferChecks;
import dev.evener.kernels.Forms;
import dev.evener.kernels.OwnBuffer;
import dev.evener.kernels.Submission;
import dev.evener.kernels.histogram.Method.Way;
import dev.evener.kernels.tuning.Parameter;
import dev.evener.kernels.tuning.Tuning;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * Histograms of {@code UBYTE}, {@code USHORT}, {@code UINT}, {@code INT} and {@code FLOAT} data: how many elements fall into each of 1 to
 * 65,536 {@link Bins}. Any number of elements, 0 included.
 *
 * <pre>{@code
 * long[] shades = Histogram.of(evener, Bins.even(256, 0, 256), pixels); // at once
 *
 * try (Histogram histogram = new Histogram(evener::allocate)) { // or with a policy, a deadline, again and again
 *     Job job = histogram.job(Bins.even(100, -1f, 1f), samples, counts);
 *     evener.submit(job).join();
 * }
 * }</pre>
 *
 * <p>Counts are exact and the same on every device and for every split, for floats too: an element is in the bin that exact
 * arithmetic puts it in. How fast it goes hardly depends on how the elements are distributed: {@code histogram.cl} says how.
 *
 * <p>The job's units are elements. A {@code Histogram} owns small buffers that a running job uses: one serves one job after
 * another, and making a job invalidates the one made before. Not thread-safe, but may be handed from thread to thread
 * between jobs.
 */
public final class Histogram implements AutoCloseable {
    private static final KernelSource SOURCE =
            KernelSource.resource(Histogram.class, "histogram.cl").withTrialLaunch();

    /** Elements that such a work-item should count at least, if that is no less than what its tables hold. */
    private static final int LEAST_PER_CPU_ITEM = 16_384;

    /** Bins beyond which merging tables takes so long that a work-item should count more elements than usual. */
    private static final int MANY_BINS = 8192;

    /** What counts may be. */
    static final List<ElementType> COUNTS = List.of(ElementType.UINT, ElementType.ULONG);

    private final Tuning tuning;
    private final OwnBuffer<HostBuffer> edges;
    private final OwnBuffer<HostBuffer> values;

    /** A histogram with buffers of its own from this allocator, released by {@link #close}. */
    public Histogram(Allocator allocator) {
        this(allocator, Tuning.defaults());
    }

    /** The same, tuned. */
    public Histogram(Allocator allocator, Tuning tuning) {
        this.edges = new OwnBuffer<>(allocator::allocate);
        this.values = new OwnBuffer<>(allocator::allocate);
        this.tuning = tuning;
    }

    /**
     * Counts all elements, waits for the end, and returns the counts.
     *
     * @throws IllegalArgumentException as {@link #job(Bins, DataBuffer, DataBuffer)}
     * @throws dev.evener.EvenerException if no device could do it
     */
    public static long[] of(Evener evener, Bins bins, DataBuffer data) {
        try (HostBuffer counts = evener.allocate(ElementType.ULONG, bins.count())) {
            run(evener, bins, data, counts);
            long[] result = new long[bins.count()];
            counts.bytes().asLongBuffer().get(result);
            return result;
        }
    }

    /**
     * Counts all elements and waits for the end.
     *
     * @throws IllegalArgumentException as {@link #job(Bins, DataBuffer, DataBuffer)}
     * @throws dev.evener.EvenerException if no device could do it
     */
    public static Report run(Evener evener, Bins bins, DataBuffer data, DataBuffer counts) {
        try (Histogram histogram = new Histogram(evener::allocate, Tuning.of(evener))) {
            return Submission.run(evener, histogram.job(bins, data, counts));
        }
    }

    /**
     * The job that counts all elements.
     *
     * @param data {@code UBYTE}, {@code USHORT}, {@code UINT}, {@code INT} or {@code FLOAT}
     * @param counts {@code UINT} or, needed for 2^32 elements and more, {@code ULONG}; as many elements as there are bins,
     *     whose former content is replaced
     * @throws IllegalArgumentException if a buffer has the wrong type or size, or the two are one, or if the bins' bounds are
     *     none for this type of data
     */
    public Job job(Bins bins, DataBuffer data, DataBuffer counts) {
        return job(bins, data, data.elements(), counts);
    }

    /**
     * The job that counts the first {@code elements} of the data; see {@link #job(Bins, DataBuffer, DataBuffer)}.
     *
     * @throws IllegalArgumentException also if the data does not have so many
     */
    public Job job(Bins bins, DataBuffer data, long elements, DataBuffer counts) {
        Method method = Method.of(data.type(), bins);
        check(bins, data, elements, counts);
        HostBuffer lower = edges(method);
        HostBuffer own = method.way() == Way.RAW ? values.exactly(counts.type(), method.counted()) : null;
        JobBuilder job = Job.named("histogram")
                .source(SOURCE)
                .units(method.none() ? 0 : elements)
                .kernel("histogram");
        variants(job, method, data.type(), counts.type(), perCpuItem(method, elements))
                .jvm(new HistogramJvm(data.type(), counts.type(), bins, method)::run)
                .reads(data, slice(1))
                .reduces(own == null ? counts : own, Reduction.SUM)
                .reads(lower, whole())
                .scalar(method.edges().length)
                .chunkUnits()
                .scalar(method.counted())
                .scalar(method.low())
                .scalar(method.last())
                .scalar(method.range())
                .scalar(method.multiplier())
                .scalar(method.shift())
                .scalar(method.origin())
                .scalar(method.scale())
                .scalar(perCpuItem(method, elements));
        if (own != null) {
            job.hostStep(host -> sumUp(bins, own, counts.type(), host.update(counts, 0, bins.count())), counts);
        }
        return job.build();
    }

    private JobBuilder variants(JobBuilder job, Method method, ElementType data, ElementType counts, int perCpuItem) {
        int capacity = capacity(method.counted());
        int range = Math.min(capacity, tuning.value(Parameter.HISTOGRAM_RANGE));
        int copies = Math.max(1, Integer.highestOneBit(tuning.value(Parameter.HISTOGRAM_LOCAL_BINS) / range));
        String options = "-D T=" + data.openClName() + " -D BYTES=" + data.bytes() + " -D COUNT=" + counts.openClName()
                + " -D WAY=" + method.way() + " -D CAPACITY=" + capacity
                + (data == ElementType.FLOAT ? " -D FLOATS" : data == ElementType.INT ? " -D SIGNED" : "");
        int group = tuning.value(Parameter.HISTOGRAM_GROUP);
        Variant groups = Variant.unitsPerItem(16 / data.bytes())
                .withGroupSize(group)
                .withGroupsPerComputeUnit(tuning.value(Parameter.HISTOGRAM_GROUPS))
                .withOptions(options + " -D GROUP=" + group + " -D RANGE=" + range + " -D COPIES=" + copies
                        + " -D AHEAD=" + tuning.value(Parameter.HISTOGRAM_LOADS));
        int unroll = capacity > MANY_BINS && !method.searches() ? 32 : 8;
        Variant cpu = Variant.unitsPerItem(perCpuItem)
                .withGroupSize(1)
                .withOptions(options + " -D TABLES=" + tables(capacity) + " -D UNROLL=" + unroll);
        return Forms.add(job, cpu, groups);
    }

    /** Elements that a CPU's work-item counts: a power of two. */
    private int perCpuItem(Method method, long elements) {
        int capacity = capacity(method.counted());
        // So few that its loops go round less than 65,535 times.
        int most = capacity > MANY_BINS && !method.searches() ? 1 << 20 : 1 << 18;
        int least = Math.max(LEAST_PER_CPU_ITEM, capacity);
        long wanted = Long.highestOneBit(Math.max(1, elements / tuning.value(Parameter.HISTOGRAM_CPU_ITEMS)));
        return (int) Math.min(most, Math.max(least, wanted));
    }

    /** A size of tables that holds these bins; few sizes, because each takes a build. */
    private static int capacity(int bins) {
        return Math.max(256, Integer.highestOneBit(2 * bins - 1));
    }

    /** Private tables of a CPU's work-item: as many as a cache near the core holds. */
    private int tables(int capacity) {
        return capacity <= 1024
                ? tuning.value(Parameter.HISTOGRAM_CPU_TABLES)
                : capacity <= 8192 ? 4 : capacity <= 32_768 ? 2 : 1;
    }

    private static void check(Bins bins, DataBuffer data, long elements, DataBuffer counts) {
        BufferChecks.requireElements("data", data, elements);
        BufferChecks.requireDistinct(data, counts);
        BufferChecks.require("counts'", counts, COUNTS, 0);
        if (counts.elements() != bins.count()) {
            throw new IllegalArgumentException(
                    "histogram: the " + BufferChecks.named("counts'", counts) + " has " + counts.elements()
                            + " elements, but there are " + bins.count() + " bins; there must be one for each");
        }
        requireCountable(counts.type(), elements);
    }

    /** Refuses what 32 bits cannot count. */
    static void requireCountable(ElementType counts, long elements) {
        if (counts == ElementType.UINT && elements > 0xffffffffL) {
            throw new IllegalArgumentException("histogram: " + elements
                    + " elements may be more than a uint can count; give a buffer of ulong for the counts");
        }
    }

    /** From one count for each value to one for each bin. */
    private static void sumUp(Bins bins, HostBuffer counted, ElementType type, ByteBuffer to) {
        ByteBuffer from = counted.bytes();
        long[] sums = new long[bins.count()];
        boolean wide = type == ElementType.ULONG;
        int at = 0;
        for (int value = 0; value < counted.elements(); value++) {
            long count = wide ? from.getLong(value * Long.BYTES) : from.getInt(value * Integer.BYTES);
            if (bins instanceof Bins.EvenIntegers even) {
                if (value >= even.low() && value < even.high()) {
                    sums[(int) ((value - even.low()) * even.count() / (even.high() - even.low()))] += count;
                }
            } else {
                long[] edges = ((Bins.IntegerEdges) bins).values();
                while (at + 1 < edges.length && edges[at + 1] <= value) {
                    at++;
                }
                if (edges[at] <= value && at < bins.count()) {
                    sums[at] += count;
                }
            }
        }
        for (int bin = 0; bin < sums.length; bin++) {
            if (wide) {
                to.putLong(bin * Long.BYTES, sums[bin]);
            } else {
                to.putInt(bin * Integer.BYTES, (int) sums[bin]);
            }
        }
    }

    /** The keys of edges, and those that the binary search may meet after them. */
    private HostBuffer edges(Method method) {
        int size = method.searches() ? capacity(method.counted()) : 1;
        HostBuffer present = edges.atLeast(ElementType.INT, size);
        int[] keys = Arrays.copyOf(method.edges(), (int) present.elements());
        Arrays.fill(keys, method.edges().length, keys.length, Integer.MAX_VALUE);
        present.ints().put(keys);
        return present;
    }

    /** Releases its own buffers. Idempotent. Must not be called while a job runs. */
    @Override
    public void close() {
        try (edges;
                values) {
            // Both, even if closing one of them fails.
        }
    }
}
