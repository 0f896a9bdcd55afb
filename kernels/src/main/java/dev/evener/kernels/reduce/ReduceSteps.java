package dev.evener.kernels.reduce;

import static dev.evener.Access.slice;

import dev.evener.Access.Reduction;
import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.Temporary;
import dev.evener.Variant;
import dev.evener.kernels.Allocator;
import dev.evener.kernels.BufferChecks;
import dev.evener.kernels.Forms;
import dev.evener.kernels.OwnBuffer;
import java.nio.ByteBuffer;

/**
 * Sums of 32-bit integers in the four steps in which courses on OpenCL (the one of the Jülich Supercomputing Centre among
 * them) arrive at a good reduction, to be measured beside {@link Reduce}, which is what to use. All give the same sum,
 * modulo 2^32, for any number of elements. Each runs the same kernel on every class of devices, as the course does.
 *
 * <p>The job's units are the parts of a work-group. It owns small buffers that a running job uses; use it as a {@link
 * Reduce}.
 */
public final class ReduceSteps implements AutoCloseable {
    private static final KernelSource SOURCE =
            KernelSource.resource(ReduceSteps.class, "steps.cl").withTrialLaunch();
    private static final int GROUP = 256;
    private static final int PER_ITEM = 16;

    /** A way to add up a part of the data with one work-group, from the obvious one to a good one. */
    public enum Step {
        /** One work-item of each group reads the group's part from global memory. */
        ITEM_PER_GROUP(1),

        /** All work-items copy the part to local memory, and one reads it there. */
        LOCAL_COPY(2),

        /** All copy it, then half of them add the other half's elements, then a quarter, and so on. */
        TREE(3),

        /** The same, after each work-item has added up several elements: fewer groups, and fewer rounds for the same data. */
        FEWER_ITERATIONS(4);

        private final int number; // as steps.cl counts them

        Step(int number) {
            this.number = number;
        }
    }

    /** Where the groups' sums are added up. */
    public enum SecondPass {
        /** On the device, by one group of a second kernel, right after the first. */
        DEVICE,

        /** On the host, once all devices are done. */
        HOST
    }

    private final OwnBuffer<HostBuffer> sums;
    private final OwnBuffer<HostBuffer> total;

    /** With buffers of its own from this allocator, released by {@link #close}. */
    public ReduceSteps(Allocator allocator) {
        this.sums = new OwnBuffer<>(allocator::allocate);
        this.total = new OwnBuffer<>(allocator::allocate);
    }

    /**
     * The job that adds up the whole input in one of the ways.
     *
     * @param input {@code INT}
     * @param result {@code INT}, another buffer; its first element takes the sum
     * @throws IllegalArgumentException if a buffer has the wrong type, the result no room, or the two are one
     */
    public Job job(Step step, SecondPass second, HostBuffer input, HostBuffer result) {
        BufferChecks.require("input", input, ElementType.INT, 0);
        BufferChecks.require("result's", result, ElementType.INT, 1);
        BufferChecks.requireDistinct(input, result);
        if (input.elements() / GROUP > Integer.MAX_VALUE / Integer.BYTES) {
            throw new IllegalArgumentException("reduce steps: " + input.elements() + " elements are too many; at most "
                    + (long) GROUP * (Integer.MAX_VALUE / Integer.BYTES));
        }
        int part = step == Step.FEWER_ITERATIONS ? GROUP * PER_ITEM : GROUP;
        long parts = input.elements() / part;
        String options = "-D GROUP=" + GROUP + " -D PER_ITEM=" + PER_ITEM + " -D STEP=" + step.number;
        Variant first = Variant.itemsPerUnit(GROUP).withGroupSize(GROUP).withOptions(options);
        JobBuilder job = Job.named("reduce-" + step.number).source(SOURCE).units(parts);
        Forms.add(job.kernel("add_parts"), first, first).reads(input, slice(part));
        if (second == SecondPass.HOST) {
            HostBuffer each = sums.atLeast(ElementType.INT, Math.max(1, parts));
            return job.writes(each, slice(1))
                    .jvm(chunk -> addParts(chunk, part))
                    .hostStep(
                            () -> put(result, add(each, 0, parts) + add(input, parts * part, input.elements())), result)
                    .build();
        }
        HostBuffer all = total.atLeast(ElementType.INT, 1);
        Temporary each = Temporary.perUnit(ElementType.INT, 1);
        Variant one = Variant.groups(1).withGroupSize(GROUP).withOptions(options);
        job.temporary(each).jvm(chunk -> addAll(chunk, part));
        return Forms.add(job.then("add_sums"), one, one)
                .temporary(each)
                .reduces(all, Reduction.SUM)
                .chunkUnits()
                .hostStep(() -> put(result, all.ints().get(0) + add(input, parts * part, input.elements())), result)
                .build();
    }

    /** The Java form of the first kernel: argument 0 the elements, 1 the parts' sums. */
    private static void addParts(JvmKernel.Chunk chunk, int part) {
        ByteBuffer data = chunk.buffer(0);
        for (int unit = 0; unit < chunk.units(); unit++) {
            chunk.buffer(1).putInt(unit * Integer.BYTES, add(data, unit * part, part));
        }
    }

    /** The Java form of both: argument 0 the elements, 3 the total. */
    private static void addAll(JvmKernel.Chunk chunk, int part) {
        ByteBuffer total = chunk.buffer(3);
        total.putInt(0, total.getInt(0) + add(chunk.buffer(0), 0, chunk.units() * part));
    }

    private static int add(ByteBuffer data, int first, int count) {
        int sum = 0;
        for (int i = first; i < first + count; i++) {
            sum += data.getInt(i * Integer.BYTES);
        }
        return sum;
    }

    /** The sum of a buffer's elements from one index to another, segment by segment. */
    private static int add(HostBuffer buffer, long from, long to) {
        int sum = 0;
        for (long at = from; at < to; ) {
            long left = (buffer.segmentBytes() - at * Integer.BYTES % buffer.segmentBytes()) / Integer.BYTES;
            int count = (int) Math.min(to - at, left);
            sum += add(buffer.bytes(at * Integer.BYTES, count * Integer.BYTES), 0, count);
            at += count;
        }
        return sum;
    }

    private static void put(HostBuffer result, int sum) {
        result.bytes(0, Integer.BYTES).putInt(sum);
    }

    /** Releases its own buffers. Idempotent. Must not be called while a job runs. */
    @Override
    public void close() {
        try (sums;
                total) {
            // Both, even if closing one of them fails.
        }
    }
}
