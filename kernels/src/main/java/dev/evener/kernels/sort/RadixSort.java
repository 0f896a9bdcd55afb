package dev.evener.kernels.sort;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.Access.Reduction;
import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.KernelSource;
import dev.evener.Report;
import dev.evener.Temporary;
import dev.evener.Variant;
import dev.evener.kernels.Allocator;
import dev.evener.kernels.BufferChecks;
import dev.evener.kernels.Forms;
import dev.evener.kernels.Submission;
import dev.evener.kernels.tuning.Parameter;
import dev.evener.kernels.tuning.Tuning;
import org.jspecify.annotations.Nullable;

/**
 * Sorts numbers in ascending order: 32- and 64-bit integers, signed or not, {@code float} and {@code double}; alone, or each
 * with a 32-bit value that goes with it. Stable: equal keys keep their order, which shows in their values. On several
 * devices, every device and every split gives the same bits.
 *
 * <pre>{@code
 * RadixSort.sort(evener, keys, sorted);                           // all at once
 *
 * try (RadixSort sort = new RadixSort(evener::allocate)) {        // or as a job, submitted as you like
 *     Job job = sort.job(RadixSort.keys(keys).into(sortedKeys).values(values).into(sortedValues));
 *     evener.submit(job).join();
 * }
 * }</pre>
 *
 * <p><strong>Order of floats.</strong> That of {@link Float#compare}: -0 before +0, NaNs last. Of NaNs, which are all alike
 * there, those without a sign bit come first, in ascending order of their bits, and then those with one, in descending order.
 * Every key comes out with the bits it went in with.
 *
 * <p><strong>How it is split.</strong> Units are positions of the sorted result. A first phase finds the range of the keys, a
 * second one counts the 65,536 parts that it is cut into, and from these counts a device knows which keys can come to lie at
 * the positions it is given. It picks them from all keys, sorts them by their digits of 8 bits, from the least significant
 * on, and writes those of its positions. Keys that share a part with a border between two devices are sorted by both. So
 * devices share the work as far as keys differ: where 90 % of them are equal, all devices sort these, and one
 * alone is as fast. A job that is given to one device has only the sorting proper. Digits in which all keys agree are passed
 * over, but for the lowest.
 *
 * <p><strong>Limits.</strong> At most 2<sup>31</sup> - 1 keys, and every buffer in one {@linkplain DataBuffer#segmentCount
 * segment}, since each device sees all keys. A device needs room for the keys, and for as many keys (and values) again
 * twice, besides its part of the result; only what the chosen keys need of that is touched.
 *
 * <p>A sort owns a megabyte of buffers that a running job uses: one sort serves one job after another. Not thread-safe, but may
 * be handed from thread to thread between jobs.
 *
 * <p>Radix sort on CPUs and GPUs: Satish, Harris and Garland, "Designing Efficient Sorting Algorithms for Manycore GPUs",
 * 2009; Satish et al., "Fast Sort on CPUs and GPUs", 2010.
 */
public final class RadixSort implements AutoCloseable {
    private static final KernelSource SPLIT =
            KernelSource.resource(RadixSort.class, "keys.cl", "split.cl").withTrialLaunch();

    /** With splitters of zeros no key lies in the window; alone, a chunk writes no more of the result than its units. */
    private static final KernelSource PASSES = KernelSource.resource(
                    RadixSort.class,
                    "/dev/evener/kernels/store.cl",
                    "/dev/evener/kernels/sums.cl",
                    "keys.cl",
                    "/dev/evener/kernels/warp.cl",
                    "passes.cl",
                    "passes.cpu.cl",
                    "passes.subgroup.cl",
                    "passes.local.cl",
                    "passes.group.cl")
            .withTrialLaunch();

    /** Positions at whose multiples the result may be cut. */
    private static final int TILE = 1024;
    /** Most chunks of a job: each reads all keys. */
    private static final int MOST_CHUNKS = 32;

    private static final int RADIX = 256;

    /** Keys of a slice, as in {@code passes.cl}, where a driver ends loops early: as many groups as that takes are launched. */
    private static final int SHORT_SLICE = 12_288;

    /** Rounds of a kernel's loops: a key is chosen, moved, and its line of the cache is written or, for a round, not. */
    private static final int ROUNDS_PER_KEY = 4;
    /** Rounds of a kernel's loops that do not go by its keys, at most. */
    private static final int OTHER_ROUNDS = 8192;
    /** Tables of prefixes, as in {@code split.cl}. */
    private static final int TABLES = 64;

    private final Splitters splitters;

    /** Slices that a pass works on at once; so many counts of each digit are to be scanned. */
    private final int cpuSlices;

    private final int otherSlices;
    private final int group;
    private final String groupOptions;

    /** A sort with buffers of its own from this allocator, released by {@link #close}. */
    public RadixSort(Allocator allocator) {
        this(allocator, Tuning.defaults());
    }

    /** The same, tuned. */
    public RadixSort(Allocator allocator, Tuning tuning) {
        this.group = tuning.value(Parameter.SORT_GROUP);
        this.groupOptions = " -D GROUP=" + group + " -D WARP_ITEMS=" + tuning.value(Parameter.SORT_KEYS);
        this.cpuSlices = tuning.value(Parameter.SORT_CPU_SLICES);
        this.otherSlices = tuning.value(Parameter.SORT_SLICES);
        this.splitters = new Splitters(allocator);
    }

    /** A number that orders, unsigned, as a key of this type with these bits does: for whoever cuts a sorted result. */
    public static long order(ElementType type, long bits) {
        return KeyOrder.of(type).ordered(bits);
    }

    /**
     * Sorts keys, and waits for the end.
     *
     * @throws IllegalArgumentException as {@link #job(DataBuffer, DataBuffer)}
     * @throws dev.evener.EvenerException if no device could do it
     */
    public static Report sort(Evener evener, DataBuffer keys, DataBuffer sorted) {
        try (RadixSort sort = new RadixSort(evener::allocate, Tuning.of(evener))) {
            return Submission.run(evener, sort.job(keys, sorted));
        }
    }

    /**
     * Sorts keys, maybe with their values, and waits for the end.
     *
     * @throws IllegalArgumentException as {@link #job(Sorting)}
     * @throws dev.evener.EvenerException if no device could do it
     */
    public static Report sort(Evener evener, Sorting sorting) {
        try (RadixSort sort = new RadixSort(evener::allocate, Tuning.of(evener))) {
            return Submission.run(evener, sort.job(sorting));
        }
    }

    /**
     * Begins to say what is sorted and where to: {@code keys(k).into(s).values(v).into(sv)}. Four buffers that may all hold the same
     * type are named one by one, so that none that is to be read is written.
     *
     * @param keys {@code UINT}, {@code INT}, {@code FLOAT}, {@code ULONG}, {@code LONG} or {@code DOUBLE}; stay as they are
     */
    public static Into keys(DataBuffer keys) {
        return new Into(null, keys);
    }

    /**
     * What is to be sorted, without the buffer that takes it.
     *
     * @param others what is sorted with it
     */
    public record Into(@Nullable Sorting others, DataBuffer from) {
        /**
         * Takes it in order.
         *
         * @param sorted of the same type, another buffer, with at least as many elements as there are keys; those beyond stay as they are
         */
        public Sorting into(DataBuffer sorted) {
            return others == null
                    ? new Sorting(from, sorted, null, null)
                    : new Sorting(others.keys, others.sortedKeys, from, sorted);
        }
    }

    /**
     * What is sorted, and where to; made by {@link RadixSort#keys}.
     *
     * @param values that go with the keys, if any do
     */
    public record Sorting(
            DataBuffer keys,
            DataBuffer sortedKeys,
            @Nullable DataBuffer values,
            @Nullable DataBuffer sortedValues) {
        /**
         * Values that go with the keys, in place of those there were.
         *
         * @param with {@code UINT}, {@code INT} or {@code FLOAT}, at least one for each key; stay as they are
         */
        public Into values(DataBuffer with) {
            return new Into(this, with);
        }
    }

    /**
     * The job that sorts keys alone.
     *
     * @param keys {@code UINT}, {@code INT}, {@code FLOAT}, {@code ULONG}, {@code LONG} or {@code DOUBLE}; stay as they are
     * @param sorted takes them in order: of the same type, another buffer, with at least as many elements; those beyond stay
     *     as they are
     * @throws IllegalArgumentException if a buffer has the wrong type, is too small or too large, or is given twice
     */
    public Job job(DataBuffer keys, DataBuffer sorted) {
        return job(keys(keys).into(sorted));
    }

    /**
     * The job that sorts keys, maybe with their values.
     *
     * @param data the buffers, {@linkplain #keys each by what it is}
     * @throws IllegalArgumentException if a buffer has the wrong type, is too small or too large, or is given twice
     */
    public Job job(Sorting data) {
        DataBuffer values = data.values;
        DataBuffer sortedValues = data.sortedValues;
        if (values == null || sortedValues == null) {
            BufferChecks.requireDistinct(data.keys, data.sortedKeys);
            return checked(data);
        }
        BufferChecks.requireDistinct(data.keys, values, data.sortedKeys, sortedValues);
        if (values.type().bytes() != Integer.BYTES) {
            throw new IllegalArgumentException("sort: values must be uint, int or float, not "
                    + values.type().openClName());
        }
        BufferChecks.require("values", values, values.type(), data.keys.elements());
        BufferChecks.require("sorted values", sortedValues, values.type(), data.keys.elements());
        return checked(data);
    }

    /** Releases the sort's own buffers. Idempotent. Must not be called while a job runs. */
    @Override
    public void close() {
        splitters.close();
    }

    private Job checked(Sorting data) {
        KeyOrder order = KeyOrder.of(data.keys.type());
        long n = data.keys.elements();
        BufferChecks.require("sorted keys", data.sortedKeys, data.keys.type(), n);
        requireOnePiece("keys", data.keys);
        requireOnePiece("values", data.values);
        requireOnePiece("sorted keys", data.sortedKeys);
        requireOnePiece("sorted values", data.sortedValues);
        if (n > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "sort: " + n + " keys, but at most " + Integer.MAX_VALUE + " can be sorted in one job");
        }

        SortJvm java = new SortJvm(order);
        String options = order.options();
        Temporary tables = Temporary.of(ElementType.UINT, (long) TABLES * Splitters.PREFIXES);
        long tiles = (n + TILE - 1) / TILE;
        long granule = Math.max(1, (tiles + MOST_CHUNKS - 1) / MOST_CHUNKS) * TILE;
        JobBuilder job = Job.named("sort").units(n).granule(Math.max(1, Math.min(n, granule)));
        job.source(SPLIT).kernel("sort_range");
        slices(job, n, options)
                .jvm(java::range)
                .reads(data.keys, slice())
                .reduces(splitters.least, Reduction.MIN)
                .reduces(splitters.largest, Reduction.MAX)
                .chunkUnits()
                .hostStep(() -> splitters.choosePrefixes(order), splitters.words);
        job.kernel("sort_prefixes");
        groups(job, TABLES, n / TABLES + 1 + OTHER_ROUNDS, otherSlices, options)
                .jvm(java::prefixes)
                .reads(data.keys, slice())
                .reads(splitters.words, whole())
                .reduces(splitters.histogram, Reduction.SUM)
                .temporary(tables)
                .chunkUnits()
                .hostStep(() -> splitters.chooseStarts(n), splitters.words);
        passes(job, data, order, true);
        JobBuilder alone =
                Job.named("sort").units(n); // on the JVM lane it would be one thread's, so it has no Java form
        passes(alone, data, order, false);
        return job.alone(alone.build()).build();
    }

    private void passes(JobBuilder job, Sorting data, KeyOrder order, boolean split) {
        int n = (int) data.keys.elements();
        Passes passes = new Passes(job, data, order, split, Math.max(1, n));
        job.source(PASSES);
        passes.survey();
        passes.first();
        for (int pass = 1; pass < order.bits() / 8; pass++) {
            passes.next(pass);
        }
    }

    /** The kernels that sort a chunk, and the memory that they share. */
    private final class Passes {
        private final JobBuilder job;
        private final Sorting data;
        private final KeyOrder order;
        private final int split;
        private final int count;
        private final String options;
        private final Temporary counts;
        private final Temporary plan = Temporary.of(ElementType.UINT, 16);
        private final Temporary seen;
        private final Temporary a;
        private final Temporary b;
        private final Temporary aValues;
        private final Temporary bValues;

        Passes(JobBuilder job, Sorting data, KeyOrder order, boolean split, int room) {
            this.job = job;
            this.data = data;
            this.order = order;
            this.split = split ? 1 : 0;
            this.count = (int) data.keys.elements();
            this.options = order.options() + (data.values == null ? "" : " -D PAIRS");
            ElementType number = order.wide() ? ElementType.ULONG : ElementType.UINT;
            long most = Math.max(cpuGroups(count), otherSlices);
            this.counts = Temporary.of(ElementType.UINT, RADIX * (most + 1));
            this.seen = Temporary.of(number, 3 * most);
            this.a = Temporary.of(number, room);
            this.b = Temporary.of(number, room);
            this.aValues = Temporary.of(ElementType.UINT, room);
            this.bValues = Temporary.of(ElementType.UINT, room);
        }

        void survey() {
            slices(job.kernel("sort_survey"));
            if (split != 0) {
                SortJvm java = new SortJvm(order);
                SortJvm.PassBuffers buffers = SortJvm.PassBuffers.of(count, data.values != null);
                job.jvm(chunk -> java.passes(chunk, buffers));
            }
            job.reads(data.keys, whole())
                    .reads(splitters.words, whole())
                    .temporary(counts)
                    .temporary(seen);
            place();
            oneGroup(job.then("sort_plan"))
                    .reads(splitters.words, whole())
                    .temporary(seen)
                    .temporary(plan);
            place();
            scan(0);
        }

        private void scan(int pass) {
            groups(job.then("sort_scan"), 1, scanRounds(), RADIX, options)
                    .temporary(counts)
                    .temporary(plan)
                    .scalar(pass);
        }

        void first() {
            slices(job.then("sort_first")).reads(data.keys, whole());
            if (data.values != null) {
                job.reads(data.values, whole());
            }
            job.reads(splitters.words, whole()).temporary(counts).temporary(plan);
            keysAndValues(a, aValues);
            result();
            place();
        }

        void next(int pass) {
            slices(job.then("sort_count"))
                    .temporary(a)
                    .temporary(b)
                    .temporary(counts)
                    .temporary(plan)
                    .scalar(pass);
            scan(pass);
            slices(job.then("sort_scatter"));
            keysAndValues(a, aValues);
            keysAndValues(b, bValues);
            result();
            job.temporary(counts).temporary(plan).scalar(pass).chunkUnits();
        }

        private void keysAndValues(Temporary keys, Temporary values) {
            job.temporary(keys);
            if (data.values != null) {
                job.temporary(values);
            }
        }

        private void result() {
            job.writes(data.sortedKeys, slice(1));
            if (data.sortedValues != null) {
                job.writes(data.sortedValues, slice(1));
            }
        }

        /** Which of the keys are to be chosen. */
        private void place() {
            job.scalar(count).scalar(split).chunkStart().chunkUnits();
        }

        private JobBuilder slices(JobBuilder builder) {
            return RadixSort.this.slices(builder, count, options);
        }

        private JobBuilder oneGroup(JobBuilder builder) {
            return groups(builder, 1, scanRounds(), 1, options);
        }

        /** Rounds of one work-item that goes twice through the counts of all slices, 16 at a time. */
        private long scanRounds() {
            return 2L * RADIX / 16 * cpuGroups(count) + 2 * RADIX;
        }
    }

    /** Groups of a CPU for each of which there may be a slice; most end at once where slices need not be short. */
    private int cpuGroups(long keys) {
        return (int) Math.max(cpuSlices, (keys + SHORT_SLICE - 1) / SHORT_SLICE);
    }

    /** Launches the current kernel with a group for each slice. */
    private JobBuilder slices(JobBuilder job, long keys, String options) {
        return groups(job, cpuGroups(keys), ROUNDS_PER_KEY * SHORT_SLICE + OTHER_ROUNDS, otherSlices, options);
    }

    /**
     * Launches the current kernel with so many groups.
     *
     * @param rounds of the loops of a CPU's work-item where drivers end loops early
     */
    private JobBuilder groups(JobBuilder job, int onCpu, long rounds, int onOthers, String options) {
        Variant cpu = Variant.groups(onCpu)
                .withOptions("-D SLICES=" + cpuSlices + options)
                .withRounds(rounds);
        Variant other = Variant.groups(onOthers)
                .withGroupSize(group)
                .withOptions("-D SLICES=" + otherSlices + options + groupOptions);
        return Forms.add(job, cpu, other);
    }

    private static void requireOnePiece(String what, @Nullable DataBuffer buffer) {
        if (buffer != null && buffer.segmentCount() > 1) {
            throw new IllegalArgumentException(
                    "sort: the " + BufferChecks.named(what, buffer) + " of " + buffer.byteSize() + " bytes lies in "
                            + buffer.segmentCount() + " segments; every device must see it in one piece of at most "
                            + buffer.segmentBytes() + " bytes");
        }
    }
}
