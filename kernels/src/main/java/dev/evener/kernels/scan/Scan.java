package dev.evener.kernels.scan;

import static dev.evener.Access.slice;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.KernelSource;
import dev.evener.Report;
import dev.evener.Temporary;
import dev.evener.Variant;
import dev.evener.kernels.Allocator;
import dev.evener.kernels.BufferChecks;
import dev.evener.kernels.Forms;
import dev.evener.kernels.OwnBuffer;
import dev.evener.kernels.Submission;
import dev.evener.kernels.tuning.Parameter;
import dev.evener.kernels.tuning.Tuning;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Prefix scans: element {@code i} of the output combines the elements of the input up to the {@code i}-th, by sum, least or
 * greatest. Elements are {@code INT}, {@code UINT}, {@code LONG} or {@code FLOAT}; any number of them, 0 included.
 *
 * <pre>{@code
 * Scan.exclusive(evener, Operation.ADD, counts, offsets); // at once
 *
 * try (Scan scan = new Scan(evener::allocate)) { // or with a policy, a deadline, again and again
 *     Job job = scan.job(ScanKind.EXCLUSIVE, Operation.ADD, counts, offsets);
 *     evener.submit(job).join();
 * }
 * }</pre>
 *
 * <p>The job's units are tiles of {@value #TILE} elements. One phase finds the tiles' totals, a host step combines those
 * before each tile, and a second phase scans each tile on the device that already holds it (reduce, then scan: G. E.
 * Blelloch, <i>Prefix sums and their applications</i>, 1990). Where one device gets everything, it reads the input but once
 * (a chained scan with look-back that finds again what is late instead of waiting for it, after D. Merrill and M. Garland,
 * <i>Single-pass parallel prefix scan with decoupled look-back</i>, 2016); GPUs do so for all but sums of floats. The elements
 * after the last whole tile are scanned by a host step.
 *
 * <p>Results have the same bits on every device and for every split. Integers are exact, sums of integers modulo 2 to the
 * power of their width. Sums of floats are rounded in a fixed order: the prefixes within each run of 16 elements in four
 * steps (Sklansky's), to which is added what comes before the run: the sum of the runs before it in its block of 256, after
 * the sum of the blocks before in the tile of 4096, after the sum of the tiles before in the row of 65,536, after the sum of
 * the rows before, each of them added up one after another. A result is therefore not the one of a loop from left to right,
 * but closer to the true sum. A result that is NaN is {@link Float#NaN}, and none is -0. Denormal numbers may count as 0 on
 * some devices.
 *
 * <p>A {@code Scan} owns a small buffer that a running job uses: one serves one job after another, and making a job
 * invalidates the one made before. Not thread-safe, but may be handed from thread to thread between jobs.
 */
public final class Scan implements AutoCloseable {
    /** Elements of a tile. */
    public static final int TILE = Tiles.TILE;

    /** Elements of a row: at its multiples data may be cut and scanned part by part, see {@link #rowTotals}. */
    public static final int ROW = TILE * Tiles.RUN;

    private static final KernelSource SOURCE = KernelSource.resource(
                    Scan.class, "/dev/evener/kernels/store.cl", "values.cl", "scan.cl")
            .withTrialLaunch();

    private static final KernelSource CHAIN = KernelSource.resource(
            Scan.class,
            "/dev/evener/kernels/store.cl",
            "values.cl",
            "/dev/evener/kernels/warp.cl",
            "scan.cl",
            "lookback.cl",
            "lookback.cpu.cl",
            "lookback.float.cl",
            "lookback.subgroup.cl",
            "lookback.local.cl");

    /** Tiles for each work-item of a CPU: enough to hide its launch, few enough to balance. */
    private static final int TILES_PER_CPU_ITEM = 8;

    /** Rounds of the loops of a CPU's work-item that finds a tile's total, waits its turn and scans the tile, at most. */
    private static final long ROUNDS_PER_TILE = 4096;

    private static final int GROUP = 256;

    /** Words of the chain's state before its entries. */
    private static final int TICKET_WORDS = 16;

    private final Tuning tuning;
    private final OwnBuffer<HostBuffer> totals;

    /** A scan with a buffer of its own from this allocator, released by {@link #close}. */
    public Scan(Allocator allocator) {
        this(allocator, Tuning.defaults());
    }

    /** The same, tuned. */
    public Scan(Allocator allocator, Tuning tuning) {
        this.totals = new OwnBuffer<>(allocator::allocate);
        this.tuning = tuning;
    }

    /**
     * Scans the whole input, element {@code i} included in result {@code i}, and waits for the end.
     *
     * @throws IllegalArgumentException as {@link #job(ScanKind, Operation, DataBuffer, DataBuffer)}
     * @throws dev.evener.EvenerException if no device could do it
     */
    public static Report inclusive(Evener evener, Operation operation, DataBuffer input, DataBuffer output) {
        return run(evener, ScanKind.INCLUSIVE, operation, input, output);
    }

    /**
     * Scans the whole input, element {@code i} left out of result {@code i}, and waits for the end.
     *
     * @throws IllegalArgumentException as {@link #job(ScanKind, Operation, DataBuffer, DataBuffer)}
     * @throws dev.evener.EvenerException if no device could do it
     */
    public static Report exclusive(Evener evener, Operation operation, DataBuffer input, DataBuffer output) {
        return run(evener, ScanKind.EXCLUSIVE, operation, input, output);
    }

    private static Report run(Evener evener, ScanKind kind, Operation operation, DataBuffer input, DataBuffer output) {
        try (Scan scan = new Scan(evener::allocate, Tuning.of(evener))) {
            return Submission.run(evener, scan.job(kind, operation, input, output));
        }
    }

    /**
     * The job that scans the whole input.
     *
     * @param input {@code INT}, {@code UINT}, {@code LONG} or {@code FLOAT}
     * @param output of the same type, another buffer, with at least as many elements; those beyond the input's stay as they
     *     are
     * @throws IllegalArgumentException if a buffer has the wrong type or is too small, or the two are one
     */
    public Job job(ScanKind kind, Operation operation, DataBuffer input, DataBuffer output) {
        return job(kind, operation, input, output, input.elements());
    }

    /**
     * The job that scans the first {@code elements} of the input; see {@link #job(ScanKind, Operation, DataBuffer,
     * DataBuffer)}.
     */
    public Job job(ScanKind kind, Operation operation, DataBuffer input, DataBuffer output, long elements) {
        return job(kind, operation, input, output, elements, null);
    }

    /**
     * The job that scans the first {@code elements} of the input after what came before it: the result is a part of that over
     * all, with the same bits, if what came before is a multiple of {@value #ROW} elements.
     *
     * @param carry of the input's type; its first element is the combination of all before, as {@link #carries} gives it. Read while
     *     the job runs
     * @throws IllegalArgumentException as {@link #job(ScanKind, Operation, DataBuffer, DataBuffer)}
     */
    public Job job(
            ScanKind kind,
            Operation operation,
            DataBuffer input,
            DataBuffer output,
            long elements,
            @Nullable HostBuffer carry) {
        if (carry != null && (carry.type() != input.type() || carry.elements() < 1)) {
            throw new IllegalArgumentException(
                    "scan: the carry must be an element of " + input.type().openClName() + " as the input's are");
        }
        ScanValues values = ScanValues.of("scan", input.type(), operation);
        ScanValues.require(input, output, elements, elements);
        long tiles = tiles(elements);
        HostBuffer sums = totals.atLeast(values.carrier(), tiles + 1);
        Plan plan = new Plan(values, kind, input, output, elements, sums, carry);
        JobBuilder job = totals(values, values.options(kind), input, tiles, sums)
                .hostStep(plan::carries, sums)
                .kernel("scan_tiles");
        variants(job, values.options(kind))
                .jvm(chunk -> plan.java().scan(chunk, kind))
                .reads(input, slice(TILE))
                .writes(output, slice(TILE))
                .reads(plan.sums(), slice(1))
                .chunkUnits();
        if (plan.hasRest()) {
            job.hostStep(host -> plan.rest(host, tiles), output);
        }
        if (carry == null && tiles > 0 && BufferChecks.inOneSegment(input) && BufferChecks.inOneSegment(output)) {
            job.alone(chained(plan));
        }
        return job.build();
    }

    /**
     * The job that finds the total of each whole row of {@value #ROW} elements: the first of two passes over data that is scanned
     * part by part, on several machines for example. From the totals of all rows, in order, {@link #carries} makes what comes
     * before each; a second pass scans each part after that of its first row.
     *
     * @param elements of the input, of which the last, less than a row, are not looked at
     * @param totals of the input's type, an element for each row
     * @throws IllegalArgumentException if a buffer has the wrong type or is too small, or the two are one
     */
    public Job rowTotals(Operation operation, DataBuffer input, long elements, DataBuffer totals) {
        ScanValues values = ScanValues.of("scan", input.type(), operation);
        int rows = (int) (tiles(elements) / Tiles.RUN);
        ScanValues.require(input, totals, elements, rows);
        HostBuffer sums = this.totals.atLeast(values.carrier(), rows * (long) Tiles.RUN + 1);
        return totals(values, values.options(ScanKind.INCLUSIVE), input, rows * (long) Tiles.RUN, sums)
                .hostStep(host -> Tiles.of(values).rows(sums.bytes(), host.update(totals, 0, rows), rows), totals)
                .build();
    }

    /**
     * Replaces the totals of rows, as {@link #rowTotals} finds them, by the combination of those before each: 0, or the operation's
     * identity, and so on.
     *
     * @param totals elements of this type in native order, those of all rows from the first on
     * @throws IllegalArgumentException if nothing of this type can be scanned
     */
    public static void carries(Operation operation, ElementType type, ByteBuffer totals) {
        Tiles.of(ScanValues.of("scan", type, operation)).before(totals, totals.remaining() / type.bytes());
    }

    private static long tiles(long elements) {
        long tiles = elements / TILE;
        if (tiles >= Integer.MAX_VALUE / Long.BYTES) {
            throw new IllegalArgumentException("scan: " + elements + " elements; at most "
                    + (long) TILE * (Integer.MAX_VALUE / Long.BYTES) + " can be scanned in one job");
        }
        return tiles;
    }

    private JobBuilder totals(ScanValues values, String options, DataBuffer input, long tiles, HostBuffer sums) {
        JobBuilder job = Job.named("scan").source(SOURCE).units(tiles).kernel("scan_totals");
        return variants(job, options)
                .jvm(Tiles.of(values)::totals)
                .reads(input, slice(TILE))
                .writes(sums, slice(1))
                .chunkUnits();
    }

    /** The form for one device: its one unit is everything. */
    private Job chained(Plan plan) {
        DataBuffer input = plan.input();
        int tiles = (int) plan.tiles();
        long whole = (long) tiles * TILE;
        int words = TICKET_WORDS + tiles * input.type().bytes(); // an entry of two values, half a word used
        Temporary state = Temporary.of(ElementType.UINT, words);
        String built = plan.values().options(plan.kind()) + " -D CHAINED";
        // As many groups as run at once; each goes on until there is nothing left.
        Variant groups = Variant.groups(Math.min(tiles, tuning.value(Parameter.SCAN_GROUPS)))
                .withGroupSize(GROUP)
                .withOptions(built + " -D EACH=" + tuning.value(Parameter.SCAN_TILES));
        // One work-item may take all rows, if it is the first that runs; the split form has few tiles for each.
        Variant cpu = Variant.groups(tuning.value(Parameter.SCAN_CPU_GROUPS))
                .withOptions(built + " -D ITEM=" + TILES_PER_CPU_ITEM)
                .withRounds(ROUNDS_PER_TILE * tiles);
        JobBuilder job = Job.named("scan").source(CHAIN).units(1).chunkView().kernel("chain_begin");
        Forms.add(job, cpu, groups)
                .reads(input, slice(whole))
                .temporary(state)
                .scalar(words)
                .scalar(tiles);
        if (plan.values().floatingSum()) {
            Variant one = Variant.groups(1).withGroupSize(GROUP).withOptions(groups.options());
            job.then("chain_carries");
            Forms.add(job, Variant.groups(1).withOptions(cpu.options()), one)
                    .writes(plan.sums(), slice(1))
                    .temporary(state)
                    .scalar(tiles);
        }
        job.then("chain_scan");
        Forms.add(job, cpu, groups)
                .reads(input, slice(whole))
                .writes(plan.output(), slice(whole))
                .writes(plan.sums(), slice(1))
                .temporary(state)
                .scalar(tiles);
        if (plan.hasRest()) {
            job.hostStep(host -> plan.rest(host, 0), plan.output());
        }
        return job.build();
    }

    /** One scan and its host steps; {@code sums} takes the tiles' totals, or the total of them all. */
    private record Plan(
            ScanValues values,
            ScanKind kind,
            DataBuffer input,
            DataBuffer output,
            long elements,
            HostBuffer sums,
            @Nullable HostBuffer carry) {

        Tiles java() {
            return Tiles.of(values);
        }

        long tiles() {
            return elements / TILE;
        }

        boolean hasRest() {
            return elements % TILE != 0;
        }

        /** The tiles' totals become what comes before each, and at the end the total of all. */
        void carries() {
            java().carries(
                            sums.bytes(),
                            (int) tiles(),
                            carry == null ? null : carry.bytes(0, carry.type().bytes()));
        }

        /** Scans what does not fill a tile, after the sum at that place. */
        void rest(DataBuffer.HostAccess host, long place) {
            int width = input.type().bytes();
            int count = (int) (elements % TILE);
            long first = tiles() * TILE;
            ByteBuffer carry = sums.bytes(place * width, width);
            java().scan(host.read(input, first, count), host.update(output, first, count), 0, count, carry, 0, kind);
        }
    }

    private JobBuilder variants(JobBuilder job, String options) {
        Variant groups = Variant.itemsPerUnit(GROUP).withGroupSize(GROUP).withOptions(options);
        Variant cpu = Variant.unitsPerItem(TILES_PER_CPU_ITEM)
                .withGroupSize(1)
                .withOptions(options + " -D ITEM=" + TILES_PER_CPU_ITEM);
        return Forms.add(job, cpu, groups);
    }

    /** Releases its own buffer. Idempotent. Must not be called while a job runs. */
    @Override
    public void close() {
        totals.close();
    }
}
