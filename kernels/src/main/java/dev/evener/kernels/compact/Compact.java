package dev.evener.kernels.compact;

import static dev.evener.Access.slice;

import dev.evener.Access.Reduction;
import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.EvenerException.JobRejectedException;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.KernelSource;
import dev.evener.Report;
import dev.evener.Temporary;
import dev.evener.Variant;
import dev.evener.kernels.BufferChecks;
import dev.evener.kernels.Forms;
import dev.evener.kernels.Submission;
import dev.evener.kernels.tuning.Parameter;
import dev.evener.kernels.tuning.Tuning;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Keeps, of many elements, those that satisfy a condition: in order, without gaps, and tells how many they are. What is
 * written can be the elements or their indices.
 *
 * <pre>{@code
 * Compact.values(evener, Selection.where(Comparison.GREATER, 0), in, out, count);     // all at once
 *
 * Job job = Compact.indicesJob(Selection.flagged(flags), flags, out, count);          // or as a job
 * evener.submit(job).join();
 * }</pre>
 *
 * <p>On several devices, each compacts tiles of {@link #TILE} elements, and the host moves what they kept together; it needs
 * memory for all elements until then. Elements behind the last whole tile are the host's. Where one device does all, it
 * counts, finds every slice's place, and writes there.
 *
 * <p>The output is undefined behind what was kept. If it is too small for that, the job fails with a {@link JobRejectedException},
 * and the count says how much room there should be. All methods are static, thread-safe and keep no buffers.
 */
public final class Compact {
    /** Elements of a tile: the unit that is shared out. */
    public static final int TILE = 4096;

    private static final KernelSource SOURCE = KernelSource.resource(
                    Compact.class, "/dev/evener/kernels/sums.cl", "compact.cl")
            .withTrialLaunch();
    private static final List<ElementType> NUMBERS =
            List.of(ElementType.INT, ElementType.UINT, ElementType.FLOAT, ElementType.LONG);
    private static final List<ElementType> COUNTS = List.of(ElementType.UINT, ElementType.ULONG);
    private static final List<ElementType> BYTES = List.of(ElementType.UBYTE, ElementType.BYTE);

    private static final int GROUP = 256;

    private Compact() {}

    /**
     * Keeps elements, and waits for the end.
     *
     * @throws IllegalArgumentException as {@link #valuesJob(Selection, DataBuffer, DataBuffer, DataBuffer)}
     * @throws EvenerException if the output is too small, a {@link JobRejectedException}, or no device could do it
     */
    public static Report values(Evener evener, Selection selection, DataBuffer in, DataBuffer out, DataBuffer count) {
        return Submission.run(evener, valuesJob(selection, in, out, count, Tuning.of(evener)));
    }

    /**
     * Keeps elements' indices, and waits for the end.
     *
     * @throws IllegalArgumentException as {@link #indicesJob(Selection, DataBuffer, DataBuffer, DataBuffer)}
     * @throws EvenerException as {@link #values} says
     */
    public static Report indices(Evener evener, Selection selection, DataBuffer in, DataBuffer out, DataBuffer count) {
        return Submission.run(evener, indicesJob(selection, in, out, count, Tuning.of(evener)));
    }

    /**
     * The job that keeps elements.
     *
     * @param selection which
     * @param in {@code INT}, {@code UINT}, {@code FLOAT} or {@code LONG}; stays as it is
     * @param out takes what is kept: of the same type, another buffer
     * @param count takes the number of elements kept: one {@code UINT} or {@code ULONG}
     * @throws IllegalArgumentException if a buffer has the wrong type or number of elements, or is given twice, or the
     *     constant compared with is no value of the elements' type
     */
    public static Job valuesJob(Selection selection, DataBuffer in, DataBuffer out, DataBuffer count) {
        return valuesJob(selection, in, out, count, Tuning.defaults());
    }

    /** {@link #valuesJob(Selection, DataBuffer, DataBuffer, DataBuffer)}, tuned. */
    public static Job valuesJob(Selection selection, DataBuffer in, DataBuffer out, DataBuffer count, Tuning tuning) {
        BufferChecks.require("input", in, NUMBERS, 0);
        BufferChecks.require("output", out, in.type(), 0);
        return new Compaction(selection, in, out, count, false, tuning).job();
    }

    /**
     * The job that keeps elements' indices, counted from 0.
     *
     * @param selection which; if by flags, {@code in} only tells how many elements there are, and may be the flags
     * @param in {@code INT}, {@code UINT}, {@code FLOAT} or {@code LONG}, or flags, at most 2<sup>32</sup> elements; stays as it
     *     is
     * @param out takes the indices of what is kept: {@code UINT}
     * @param count takes the number of elements kept: one {@code UINT} or {@code ULONG}
     * @throws IllegalArgumentException if a buffer has the wrong type or number of elements, or is given twice, or the
     *     constant compared with is no value of the elements' type
     */
    public static Job indicesJob(Selection selection, DataBuffer in, DataBuffer out, DataBuffer count) {
        return indicesJob(selection, in, out, count, Tuning.defaults());
    }

    /** {@link #indicesJob(Selection, DataBuffer, DataBuffer, DataBuffer)}, tuned. */
    public static Job indicesJob(Selection selection, DataBuffer in, DataBuffer out, DataBuffer count, Tuning tuning) {
        if (selection instanceof Selection.Compared) {
            BufferChecks.require("input", in, NUMBERS, 0);
        }
        BufferChecks.require("output", out, ElementType.UINT, 0);
        if (in.elements() > 1L << 32) {
            throw new IllegalArgumentException("compact: indices of 32 bits reach 2^32 elements, not " + in.elements());
        }
        return new Compaction(selection, in, out, count, true, tuning).job();
    }

    /** One description of a job. */
    private static final class Compaction {
        private final Selection selection;
        private final DataBuffer in;
        private final DataBuffer out;
        private final DataBuffer count;
        private final boolean indices;
        private final Tuning tuning;
        private final long n;
        private final CompactJvm java;
        /** The constant compared with; 0 if it is by flags. */
        private final Number than;

        Compaction(
                Selection selection, DataBuffer in, DataBuffer out, DataBuffer count, boolean indices, Tuning tuning) {
            this.tuning = tuning;
            this.selection = selection;
            this.in = in;
            this.out = out;
            this.count = count;
            this.indices = indices;
            this.n = in.elements();
            BufferChecks.require("count", count, COUNTS, 1);
            if (count.elements() != 1) {
                throw new IllegalArgumentException("the " + BufferChecks.named("count", count)
                        + " must have one element, not " + count.elements());
            }
            if (selection instanceof Selection.Flagged flagged) {
                BufferChecks.require("flags", flagged.flags(), BYTES, n);
                if (in == flagged.flags()) {
                    BufferChecks.requireDistinct(in, out, count);
                } else {
                    BufferChecks.requireDistinct(in, flagged.flags(), out, count);
                }
                this.than =
                        indices ? Integer.valueOf(0) : new Selection.Compared(Comparison.LESS, 0).constant(in.type());
            } else {
                BufferChecks.requireDistinct(in, out, count);
                this.than = ((Selection.Compared) selection).constant(in.type());
            }
            this.java = new CompactJvm(in.type(), selection, indices);
        }

        Job job() {
            long tiles = n / TILE;
            JobBuilder job = Job.named("compact").source(SOURCE).units(tiles).kernel("compact_tiles");
            variants(
                            job,
                            Variant.itemsPerUnit(1).withGroupSize(1),
                            Variant.itemsPerUnit(GROUP).withGroupSize(GROUP))
                    .jvm(java::tiles);
            inputs(job, TILE).appends(out, count, TILE).chunkStart();
            constant(job).chunkUnits().hostStep(this::appendTail, out, count);
            if (fitsOnePiece()) {
                job.alone(alone());
            }
            return job.build();
        }

        /** Whether one device may write anywhere in the output, without knowing how much there will be. */
        private boolean fitsOnePiece() {
            return n > 0
                    && n <= Integer.MAX_VALUE
                    && out.elements() >= n
                    && BufferChecks.inOneSegment(in)
                    && BufferChecks.inOneSegment(out)
                    && !(selection instanceof Selection.Flagged f && !BufferChecks.inOneSegment(f.flags()));
        }

        private Job alone() {
            Temporary places = Temporary.of(
                    ElementType.ULONG,
                    Math.max(tuning.value(Parameter.COMPACT_CPU_SLICES), tuning.value(Parameter.COMPACT_SLICES)) + 1);
            // On the JVM lane it would be one thread's, so it has no Java form.
            JobBuilder job = Job.named("compact").source(SOURCE).units(n).kernel("compact_count");
            slices(job);
            constant(inputs(job, 1).temporary(places)).scalar(n);
            variants(
                            job.then("compact_scan"),
                            Variant.groups(1),
                            Variant.groups(1).withGroupSize(GROUP))
                    .temporary(places)
                    .reduces(count, Reduction.SUM);
            slices(job.then("compact_scatter"));
            constant(inputs(job, 1).temporary(places).writes(out, slice(1))).scalar(n);
            return job.build();
        }

        private JobBuilder slices(JobBuilder job) {
            return variants(
                    job,
                    Variant.groups(tuning.value(Parameter.COMPACT_CPU_SLICES)).withRounds(sliceRounds()),
                    Variant.groups(tuning.value(Parameter.COMPACT_SLICES)).withGroupSize(GROUP));
        }

        /** Of a CPU's work-item, one for each element; where that is too many, the tiles of the split form do. */
        private long sliceRounds() {
            long each = n / tuning.value(Parameter.COMPACT_CPU_SLICES) + TILE;
            return each + each / TILE + 1;
        }

        private JobBuilder inputs(JobBuilder job, int each) {
            if (!(selection instanceof Selection.Flagged flagged)) {
                return job.reads(in, slice(each));
            }
            if (!indices) {
                job.reads(in, slice(each));
            }
            return job.reads(flagged.flags(), slice(each));
        }

        private JobBuilder constant(JobBuilder job) {
            if (than instanceof Long l) {
                return job.scalar(l);
            }
            return than instanceof Float f ? job.scalar(f) : job.scalar(than.intValue());
        }

        private JobBuilder variants(JobBuilder job, Variant cpu, Variant other) {
            return Forms.add(
                    job,
                    cpu.withOptions(options(tuning.value(Parameter.COMPACT_CPU_SLICES))),
                    other.withOptions(options(tuning.value(Parameter.COMPACT_SLICES))));
        }

        private String options(int slices) {
            boolean flags = selection instanceof Selection.Flagged;
            String type = flags && indices ? "int" : in.type().openClName();
            String test = selection instanceof Selection.Compared c
                    ? "-D OP=" + c.comparison().name()
                    : "-D FLAGS";
            return "-D TYPE=" + type + " " + test + " -D SLICES=" + slices + (indices ? " -D INDICES" : "")
                    + (count.type() == ElementType.ULONG ? " -D WIDE_COUNT" : "");
        }

        /** Host step: what lies behind the last whole tile. */
        private void appendTail(DataBuffer.HostAccess host) {
            int length = (int) (n % TILE);
            if (length == 0) {
                return;
            }
            long origin = n - length;
            boolean flags = selection instanceof Selection.Flagged;
            ByteBuffer second = host.read(selection instanceof Selection.Flagged f ? f.flags() : in, origin, length);
            ByteBuffer first = flags && indices ? second : host.read(in, origin, length);
            ByteBuffer kept = ByteBuffer.allocate(length * out.type().bytes()).order(first.order());
            int more = java.tail(first, second, 0, length, origin, kept, 0);
            ByteBuffer number = host.update(count, 0, 1);
            boolean wide = count.type() == ElementType.ULONG;
            long before = wide ? number.getLong(0) : Integer.toUnsignedLong(number.getInt(0));
            if (wide) {
                number.putLong(0, before + more);
            } else {
                number.putInt(0, (int) (before + more));
            }
            if (before + more > out.elements()) {
                throw new JobRejectedException("compact: " + (before + more)
                        + " elements were kept, but the output holds " + out.elements() + "; give it room for as many");
            }
            host.update(out, before, more).put(0, kept, 0, more * out.type().bytes());
        }
    }
}
