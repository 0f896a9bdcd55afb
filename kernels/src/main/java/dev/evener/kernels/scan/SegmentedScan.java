package dev.evener.kernels.scan;

import static dev.evener.Access.slice;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.KernelSource;
import dev.evener.Report;
import dev.evener.Variant;
import dev.evener.kernels.Forms;
import dev.evener.kernels.Submission;

/**
 * Prefix sums within equal parts of a buffer: the input is segments of the same length, one behind the other, and element
 * {@code i} of a segment of the output is the sum of the elements of that segment of the input up to the {@code i}-th.
 * Elements are {@code INT}, {@code UINT} or {@code FLOAT}; a segment has at least one, and there may be no segment at all.
 *
 * <pre>{@code
 * SegmentedScan.inclusive(evener, rows, sums, width); // at once
 *
 * Job job = SegmentedScan.job(ScanKind.INCLUSIVE, rows, sums, width); // or with a policy, a deadline
 * evener.submit(job).join();
 * }</pre>
 *
 * <p>A job's units are segments. Results have the same bits on every device and for every split; sums of integers are
 * modulo 2 to the 32, those of floats are rounded in an order that depends on the {@link Style} (and, but for {@link
 * Style#RUNS}, on the group size) alone. A result that is NaN is {@link Float#NaN}, and none is -0. Denormal numbers may
 * count as 0 on some devices.
 */
public final class SegmentedScan {
    private static final KernelSource SOURCE = KernelSource.resource(
                    SegmentedScan.class, "/dev/evener/kernels/store.cl", "values.cl", "segmented.cl")
            .withTrialLaunch();

    /** Elements that a CPU's work-item should scan: enough to hide its launch, few enough to balance. */
    private static final int ELEMENTS_PER_CPU_ITEM = 16 * 1024;

    /** Work-items of a group in the style RUNS, each with 16 elements. */
    private static final int RUNS = 256;

    private SegmentedScan() {}

    /**
     * Scans every segment, element {@code i} included in result {@code i}, and waits for the end.
     *
     * @throws IllegalArgumentException as {@link #job(ScanKind, DataBuffer, DataBuffer, long)}
     * @throws dev.evener.EvenerException if no device could do it
     */
    public static Report inclusive(Evener evener, DataBuffer input, DataBuffer output, long segment) {
        return Submission.run(evener, job(ScanKind.INCLUSIVE, input, output, segment));
    }

    /**
     * Scans every segment, element {@code i} left out of result {@code i}, and waits for the end.
     *
     * @throws IllegalArgumentException as {@link #job(ScanKind, DataBuffer, DataBuffer, long)}
     * @throws dev.evener.EvenerException if no device could do it
     */
    public static Report exclusive(Evener evener, DataBuffer input, DataBuffer output, long segment) {
        return Submission.run(evener, job(ScanKind.EXCLUSIVE, input, output, segment));
    }

    /**
     * The job that scans every segment of the input in the best way known.
     *
     * @param input {@code INT}, {@code UINT} or {@code FLOAT}
     * @param output of the same type, another buffer, with at least as many elements; those beyond the input's stay as they
     *     are
     * @param segment elements of a segment, at least 1; must divide those of the input
     * @throws IllegalArgumentException if a buffer has the wrong type or is too small, the two are one, or the segments do not
     *     fit the input
     */
    public static Job job(ScanKind kind, DataBuffer input, DataBuffer output, long segment) {
        return job(kind, input, output, segment, SegmentedScanSettings.best());
    }

    /**
     * The job that scans every segment of the input in a way of your choice. A device without work-group collectives fails to
     * build a job of the style {@link Style#COLLECTIVE}, and the others do its part; if none has them, the job ends with an
     * {@link dev.evener.EvenerException} that says so, before anything was run.
     *
     * @throws IllegalArgumentException as {@link #job(ScanKind, DataBuffer, DataBuffer, long)}, and if floats are to be
     *     scanned by collectives
     */
    public static Job job(
            ScanKind kind, DataBuffer input, DataBuffer output, long segment, SegmentedScanSettings settings) {
        ScanValues values = ScanValues.of("segmented scan", input.type(), Operation.ADD);
        if (values.type() == ElementType.LONG) {
            throw new IllegalArgumentException("segmented scan: the elements must be int, uint or float, not "
                    + input.type().openClName());
        }
        ScanValues.require(input, output, input.elements(), input.elements());
        if (segment < 1 || segment > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "segmented scan: segments of " + segment + " elements; give 1 to " + Integer.MAX_VALUE);
        }
        if (input.elements() % segment != 0) {
            throw new IllegalArgumentException("segmented scan: segments of " + segment + " elements do not divide the "
                    + input.elements() + " of the input; give a divisor, or a shorter input");
        }
        if (settings.style() == Style.COLLECTIVE && values.floatingSum()) {
            throw new IllegalArgumentException("segmented scan: OpenCL does not say in which order its collectives add"
                    + " floats, so their sums would differ between devices; use another style");
        }
        int length = (int) segment;
        int perGroup = segmentsPerGroup(length);
        JobBuilder job = Job.named("segmented-scan")
                .source(SOURCE)
                .units(input.elements() / segment)
                .kernel("segmented_scan");
        variants(job, values, kind, settings, length, perGroup);
        return job.jvm(new SegmentedJvm(kind, length, settings, values)::scan)
                .reads(input, slice(segment))
                .writes(output, slice(segment))
                .scalar(length)
                .scalar(perGroup)
                .chunkUnits()
                .build();
    }

    private static void variants(
            JobBuilder job,
            ScanValues values,
            ScanKind kind,
            SegmentedScanSettings settings,
            int length,
            int perGroup) {
        String styled = values.options(kind) + " -D STYLE=" + settings.style().number();
        if (settings.style() == Style.RUNS) {
            Variant groups = Variant.itemsPerUnit(RUNS)
                    .withUnitsPerItem(perGroup)
                    .withGroupSize(RUNS)
                    .withOptions(styled);
            int each = Math.max(1, ELEMENTS_PER_CPU_ITEM / length);
            long rounds = length < Tiles.RUN && !values.floatingSum() ? length + 8L : length / 5 + 44L;
            Variant cpu = Variant.unitsPerItem(each)
                    .withGroupSize(1)
                    .withOptions(styled)
                    .withRounds(each * rounds);
            Forms.add(job, cpu, groups);
            return;
        }
        // In place of the dialect that other kernels are built for.
        String dialect = settings.style() == Style.COLLECTIVE ? " -cl-std=CL3.0" : "";
        Variant group = Variant.itemsPerUnit(settings.groupSize())
                .withGroupSize(settings.groupSize())
                .withOptions(styled + " -D GROUP=" + settings.groupSize() + dialect);
        Forms.add(job, group, group);
    }

    /** How many segments have the runs that a group has work-items, in the style RUNS. */
    private static int segmentsPerGroup(int length) {
        int runs = (int) (((long) length + Tiles.RUN - 1) / Tiles.RUN);
        return Math.max(1, RUNS / runs);
    }
}
