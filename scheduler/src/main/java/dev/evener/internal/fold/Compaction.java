package dev.evener.internal.fold;

import dev.evener.ElementType;
import dev.evener.EvenerException.JobRejectedException;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.job.Argument;
import java.util.stream.IntStream;

/**
 * Moves what the units appended, each in slots of its own, together in the order of the units: on all cores, if it is much. Slots that
 * are all full are moved as they are; others go through an array in blocks, because element-wise access to buffers is slow while the JVM
 * still interprets it; where little was appended only that is touched. Called by one thread.
 */
final class Compaction {
    private static final int BLOCK = 1 << 16;

    /** Bytes that are moved sooner than other threads are woken for them. */
    private static final int FEW = 1 << 17;

    /** Blocks of which less than this part was used are moved unit by unit, */
    private static final int SPARSE = 16;

    /** as are those whose units have so many bytes: a copy of its own costs each less than going through the array. */
    private static final int LARGE = 512;

    private static final ThreadLocal<byte[]> BYTES = ThreadLocal.withInitial(() -> new byte[BLOCK]);
    private static final ThreadLocal<int[]> COUNTS = ThreadLocal.withInitial(() -> new int[BLOCK / Integer.BYTES]);

    private final int argument;
    private final LogicalBuffer slots;
    private final LogicalBuffer counts;
    private final long units;
    private final long mostPerUnit;
    private final LogicalBuffer.Range out;
    private final int unitsPerBlock;
    private final int blocks;

    /**
     * @param argument number of the argument, for messages
     * @param slots {@code mostPerUnit} elements of each unit
     * @param counts one {@code uint} of each unit: how many of its slots it filled, from the first on
     * @param out takes what was appended
     */
    Compaction(
            int argument,
            LogicalBuffer slots,
            LogicalBuffer counts,
            long units,
            long mostPerUnit,
            LogicalBuffer.Range out) {
        this.argument = argument;
        this.slots = slots;
        this.counts = counts;
        this.units = units;
        this.mostPerUnit = mostPerUnit;
        this.out = out;
        this.unitsPerBlock = (int) Math.max(
                1,
                Math.min(
                        BLOCK / Integer.BYTES,
                        BLOCK / (mostPerUnit * slots.type().bytes())));
        this.blocks = Math.toIntExact((units + unitsPerBlock - 1) / unitsPerBlock);
    }

    /**
     * @param count takes the number of elements appended
     * @throws JobRejectedException if a unit counted more than it may append, or there is more than {@code out} or {@code count}
     *     holds; {@code out} is then untouched
     */
    void run(LogicalBuffer.Range count) {
        long[] starts = starts();
        long total = starts[blocks];
        if (count.type() == ElementType.ULONG) {
            count.part().putLong(0, total);
        } else if (total <= 0xFFFFFFFFL) {
            count.part().putInt(0, (int) total);
        } else {
            throw new JobRejectedException(Argument.text(argument, out) + ": " + total
                    + " elements were appended, more than their count, a uint, can say; give a count of ulong");
        }
        if (total > out.elements()) {
            throw new JobRejectedException(Argument.text(argument, out) + ": " + total
                    + " elements were appended, but the buffer holds " + out.elements() + "; give it room for as many");
        }
        IntStream all = IntStream.range(0, blocks);
        (total * slots.type().bytes() > FEW ? all.parallel() : all).forEach(b -> move(b, starts[b], starts[b + 1]));
    }

    /** The first element of each block in what is moved together, and the number of all. */
    private long[] starts() {
        long[] starts = new long[blocks + 1];
        int[] filled = COUNTS.get();
        for (int b = 0; b < blocks; b++) {
            long first = (long) b * unitsPerBlock;
            int n = readCounts(first, filled);
            long sum = 0;
            for (int i = 0; i < n; i++) {
                long of = Integer.toUnsignedLong(filled[i]);
                if (of > mostPerUnit) {
                    throw new JobRejectedException("argument " + argument + ": unit " + (first + i) + " counts " + of
                            + " elements, but a unit may append " + mostPerUnit);
                }
                sum += of;
            }
            starts[b + 1] = starts[b] + sum;
        }
        return starts;
    }

    /** Reads the counts of the block that begins with a unit; returns the number of units in it. */
    private int readCounts(long first, int[] filled) {
        int n = (int) Math.min(unitsPerBlock, units - first);
        counts.forEachPart(
                first * Integer.BYTES,
                n * Integer.BYTES,
                (piece, done) ->
                        piece.asIntBuffer().get(filled, done / Integer.BYTES, piece.capacity() / Integer.BYTES));
        return n;
    }

    /** Moves a block to its elements {@code [start, end)}. */
    private void move(int block, long start, long end) {
        int size = slots.type().bytes();
        long unitBytes = mostPerUnit * size;
        long first = (long) block * unitsPerBlock;
        long origin = first * unitBytes;
        long used = end - start;
        int n = (int) Math.min(unitsPerBlock, units - first);
        if (used == 0 || used == n * mostPerUnit || n == 1) { // a single unit's are in one piece
            copy(origin, start * size, (int) (used * size));
            return;
        }
        int[] filled = COUNTS.get();
        readCounts(first, filled);
        if (used * SPARSE < n * mostPerUnit || used * size >= (long) LARGE * n) {
            long target = start * size;
            for (int i = 0; i < n; i++) {
                int length = (int) (Integer.toUnsignedLong(filled[i]) * size);
                copy(origin + i * unitBytes, target, length);
                target += length;
            }
        } else {
            byte[] bytes = BYTES.get();
            slots.forEachPart(
                    origin, (int) (n * unitBytes), (piece, done) -> piece.get(0, bytes, done, piece.capacity()));
            int packed = pack(bytes, filled, n, (int) unitBytes, size);
            out.buffer()
                    .forEachPart(
                            out.from() + start * size,
                            packed,
                            (piece, done) -> piece.put(0, bytes, done, piece.capacity()));
        }
    }

    private void copy(long from, long to, int length) {
        if (length == 0) {
            return;
        }
        slots.forEachPart(
                from,
                length,
                (source, read) -> out.buffer()
                        .forEachPart(
                                out.from() + to + read,
                                source.capacity(),
                                (piece, done) -> piece.put(0, source, done, piece.capacity())));
    }

    /** Moves the units' elements to the front of the array; returns their size in bytes. */
    private static int pack(byte[] bytes, int[] filled, int n, int unitBytes, int size) {
        int packed = 0;
        for (int i = 0; i < n; i++) {
            int length = filled[i] * size;
            if (packed != i * unitBytes && length > 0) {
                System.arraycopy(bytes, i * unitBytes, bytes, packed, length);
            }
            packed += length;
        }
        return packed;
    }
}
