package dev.evener.kernels.reduce;

import static dev.evener.Access.slice;

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
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Reductions: the sum, the least or the greatest of all elements, or where the least or greatest is. Elements are {@code
 * INT}, {@code UINT}, {@code LONG} or {@code FLOAT}; any number of them, 0 included; indices have 64 bits.
 *
 * <pre>{@code
 * long total = Reduce.of(evener, Operation.WIDE_SUM, counts).longValue(); // at once
 *
 * try (Reduce reduce = new Reduce(evener::allocate)) { // or with a policy, a deadline, again and again
 *     Job job = reduce.job(Operation.MAX, samples, result);
 *     evener.submit(job).join();
 * }
 * }</pre>
 *
 * <p>The job's units are tiles of {@value #TILE} elements, each reduced on one device. A host step combines the tiles'
 * results in the order of the tiles, takes in the elements after the last whole tile, and for {@link Operation#ARG_MIN}
 * and {@link Operation#ARG_MAX} looks through the first tile that has the extreme element; so devices do no more for an
 * index than for a value.
 *
 * <p>Results have the same bits on every device and for every split. Integers are exact. A sum of floats is rounded in a
 * fixed order: eight blocks of a tile, in each of which 64 lanes add up every 64th element; then lanes, blocks and tiles in
 * pairs, pairs of pairs and so on (pairwise summation: N. J. Higham, <i>The accuracy of floating point summation</i>, SIAM
 * J. Sci. Comput. 14, 1993). It is therefore not the sum of a loop from left to right, but closer to the true one; never
 * -0, and if NaN, then {@link Float#NaN}. Denormal numbers may count as 0 in a sum on some devices, never in a comparison.
 *
 * <p>A {@code Reduce} owns a small buffer (64 bytes a tile) that a running job uses: one serves one job after another, and
 * making a job invalidates the one made before. Not thread-safe, but may be handed from thread to thread between jobs.
 */
public final class Reduce implements AutoCloseable {
    /** Elements of a tile. */
    public static final int TILE = ReduceJvm.TILE;

    private static final KernelSource SOURCE =
            KernelSource.resource(Reduce.class, "reduce.cl").withTrialLaunch();
    private static final int GROUP = 128;
    private static final long MOST_TILES = Integer.MAX_VALUE / Long.BYTES / ReduceJvm.STRIDE;

    private final OwnBuffer<HostBuffer> results;

    /** A reduction with a buffer of its own from this allocator, released by {@link #close}. */
    public Reduce(Allocator allocator) {
        this.results = new OwnBuffer<>(allocator::allocate);
    }

    /**
     * Reduces the whole input, waits for the end, and returns the result: an {@link Integer} for {@code INT} and {@code
     * UINT} elements (of the latter the bits), a {@link Float} for {@code FLOAT}, and a {@link Long} for {@code LONG}, wide
     * sums and indices.
     *
     * @throws IllegalArgumentException as {@link #job(Operation, DataBuffer, DataBuffer)}
     * @throws dev.evener.EvenerException if no device could do it
     */
    public static Number of(Evener evener, Operation operation, DataBuffer input) {
        try (HostBuffer result = evener.allocate(operation.result(input.type()), 1)) {
            run(evener, operation, input, result);
            ByteBuffer bytes = result.bytes();
            return switch (result.type()) {
                case FLOAT -> bytes.getFloat(0);
                case LONG, ULONG -> bytes.getLong(0);
                default -> bytes.getInt(0);
            };
        }
    }

    /**
     * What {@link #of} would give for data of which each part was reduced by itself, wherever that was: the same bits, if every part
     * but the last holds the same power of two of elements, at least {@value #TILE}.
     *
     * @param operation not one that finds an index
     * @param input type of the elements
     * @param parts results of the parts, in order, as {@link #of} gives them; none at all is the result over no elements
     * @throws IllegalArgumentException if the operation finds an index, or does not fit the type
     */
    public static Number combine(Operation operation, ElementType input, List<? extends Number> parts) {
        ElementType result = operation.result(input);
        if (operation.finds()) {
            throw new IllegalArgumentException("reduce: an index within a part says nothing of the whole; combine "
                    + (operation.least() ? Operation.MIN : Operation.MAX) + " of the parts");
        }
        ReduceJvm java = new ReduceJvm(input, operation);
        if (input == ElementType.FLOAT) {
            float[] floats = new float[parts.size()];
            for (int i = 0; i < floats.length; i++) {
                floats[i] = parts.get(i).floatValue();
            }
            return java.sumsFloats() ? canonical(ReduceJvm.pairwise(floats)) : extreme(operation, floats);
        }
        long all = java.identity();
        for (Number part : parts) {
            all = java.combine(
                    all,
                    input == ElementType.UINT && part instanceof Integer bits
                            ? Integer.toUnsignedLong(bits)
                            : part.longValue());
        }
        if (result.bytes() == Long.BYTES) {
            return all;
        }
        return (int) all;
    }

    private static float extreme(Operation operation, float[] values) {
        float all = operation.least() ? Float.POSITIVE_INFINITY : Float.NEGATIVE_INFINITY;
        for (float value : values) {
            all = operation.least() ? Math.min(all, value) : Math.max(all, value);
        }
        return canonical(all);
    }

    private static float canonical(float value) {
        return Float.isNaN(value) ? Float.NaN : value;
    }

    /**
     * Reduces the whole input and waits for the end.
     *
     * @throws IllegalArgumentException as {@link #job(Operation, DataBuffer, DataBuffer)}
     * @throws dev.evener.EvenerException if no device could do it
     */
    public static Report run(Evener evener, Operation operation, DataBuffer input, DataBuffer result) {
        try (Reduce reduce = new Reduce(evener::allocate)) {
            return Submission.run(evener, reduce.job(operation, input, result));
        }
    }

    /**
     * The job that reduces the whole input.
     *
     * @param input {@code INT}, {@code UINT}, {@code LONG} or {@code FLOAT}
     * @param result another buffer, of the type that {@link Operation#result} says; its first element takes the result
     * @throws IllegalArgumentException if a buffer has the wrong type, the result no room, or the two are one
     */
    public Job job(Operation operation, DataBuffer input, DataBuffer result) {
        return job(operation, input, input.elements(), result);
    }

    /**
     * The job that reduces the first {@code elements} of the input; see {@link #job(Operation, DataBuffer, DataBuffer)}.
     *
     * @throws IllegalArgumentException also if the input does not have so many, or if they are 2^39 or more
     */
    public Job job(Operation operation, DataBuffer input, long elements, DataBuffer result) {
        BufferChecks.requireElements("input", input, elements);
        BufferChecks.requireDistinct(input, result);
        BufferChecks.require("result's", result, operation.result(input.type()), 1);
        long tiles = elements / TILE;
        if (tiles > MOST_TILES) {
            throw new IllegalArgumentException("reduce: " + elements + " elements; at most "
                    + (MOST_TILES * TILE + TILE - 1) + " can be reduced in one job");
        }
        HostBuffer parts = results.atLeast(ElementType.LONG, Math.max(1, tiles) * ReduceJvm.STRIDE);
        ReduceJvm java = new ReduceJvm(input.type(), operation);
        Variant groups = Variant.itemsPerUnit(GROUP).withGroupSize(GROUP).withOptions(java.options());
        Variant cpu = Variant.itemsPerUnit(1).withGroupSize(1).withOptions(java.options());
        JobBuilder job = Job.named("reduce").source(SOURCE).units(tiles).kernel("reduce_tiles");
        return Forms.add(job, cpu, groups)
                .jvm(java::run)
                .reads(input, slice(TILE))
                .writes(parts, slice(ReduceJvm.STRIDE).sparse()) // one element of each
                .hostStep(host -> new TileResults(java, input, elements, parts, host).finish(operation, result), result)
                .build();
    }

    /** Releases its own buffer. Idempotent. Must not be called while a job runs. */
    @Override
    public void close() {
        results.close();
    }

    /** The host's part of one job: from the tiles' results to the result. */
    private record TileResults(
            ReduceJvm java, DataBuffer input, long elements, HostBuffer parts, DataBuffer.HostAccess host) {

        void finish(Operation operation, DataBuffer result) {
            ByteBuffer target = host.update(result, 0, 1);
            if (java.sumsFloats()) {
                target.putFloat(0, canonical(floatSum()));
                return;
            }
            long all = java.reduce(rest(), 0, restElements());
            for (long tile = 0; tile < tiles(); tile++) {
                all = java.combine(all, part(tile));
            }
            if (operation.finds()) {
                target.putLong(0, find(all));
            } else if (input.type() == ElementType.FLOAT) {
                target.putInt(0, ReduceJvm.bits(all));
            } else if (target.limit() == Long.BYTES) {
                target.putLong(0, all);
            } else {
                target.putInt(0, (int) all);
            }
        }

        private float floatSum() {
            float[] sums = new float[Math.toIntExact(tiles() + (restElements() > 0 ? 1 : 0))];
            for (int tile = 0; tile < tiles(); tile++) {
                sums[tile] = Float.intBitsToFloat((int) part(tile));
            }
            if (restElements() > 0) {
                sums[sums.length - 1] = Float.intBitsToFloat((int) java.reduce(rest(), 0, restElements()));
            }
            return ReduceJvm.pairwise(sums);
        }

        /** The first index of what stands for the extreme element. */
        private long find(long extreme) {
            for (long tile = 0; tile < tiles(); tile++) {
                if (part(tile) == extreme) {
                    return tile * TILE + find(extreme, host.read(input, tile * TILE, TILE), TILE);
                }
            }
            return restElements() == 0 ? -1 : tiles() * TILE + find(extreme, rest(), restElements());
        }

        private int find(long extreme, ByteBuffer data, int count) {
            for (int i = 0; i < count; i++) {
                if (java.value(data, i) == extreme) {
                    return i;
                }
            }
            throw new IllegalStateException("the input was written to while it was being reduced");
        }

        private long tiles() {
            return elements / TILE;
        }

        private int restElements() {
            return (int) (elements % TILE);
        }

        private long part(long tile) {
            return parts.bytes(tile * ReduceJvm.STRIDE * Long.BYTES, Long.BYTES).getLong();
        }

        private ByteBuffer rest() {
            return host.read(input, tiles() * TILE, restElements());
        }
    }
}
