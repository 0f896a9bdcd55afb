package dev.evener.internal.fold;

import dev.evener.ElementType;
import dev.evener.EvenerException;
import dev.evener.internal.ManagedBuffer;

/**
 * Moves what the units appended, each in slots of its own, together in the order of the units. Slots that are all full are
 * moved as they are; others go through an array in blocks, because element-wise access to buffers is slow while the JVM
 * still interprets it; where little was appended only that is touched. One thread.
 */
final class Compaction {
    private static final int BLOCK = 1 << 16;

    /** Blocks of which less than this part was used are moved unit by unit, */
    private static final int SPARSE = 16;

    /** as are those whose units have so many bytes: a copy of its own costs each less than going through the array. */
    private static final int LARGE = 512;

    private final int argument;
    private final ManagedBuffer slots;
    private final ManagedBuffer counts;
    private final long units;
    private final long mostPerUnit;
    private final ManagedBuffer out;
    private final int unitsPerBlock;
    private final int[] block;

    /**
     * @param argument number of the argument, for messages
     * @param slots {@code mostPerUnit} elements of each unit
     * @param counts one {@code uint} of each unit: how many of its slots it filled, from the first on
     * @param out takes what was appended
     */
    Compaction(
            int argument, ManagedBuffer slots, ManagedBuffer counts, long units, long mostPerUnit, ManagedBuffer out) {
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
        this.block = new int[unitsPerBlock];
    }

    /**
     * @param count takes the number of elements appended
     * @throws EvenerException if a unit counted more than it may append, or there is more than {@code out} or {@code count}
     *     holds; {@code out} is then untouched
     */
    void run(ManagedBuffer count) {
        long total = total();
        if (count.type() == ElementType.ULONG) {
            count.segment(0).putLong(0, total);
        } else if (total <= 0xFFFFFFFFL) {
            count.segment(0).putInt(0, (int) total);
        } else {
            throw new EvenerException("argument " + argument + ": " + total
                    + " elements were appended, more than their count, a uint, can say; give a count of ulong");
        }
        if (total > out.elements()) {
            throw new EvenerException("argument " + argument + ": " + total
                    + " elements were appended, but the buffer holds " + out.elements() + "; give it room for as many");
        }
        if (total > 0) {
            move();
        }
    }

    private long total() {
        long total = 0;
        for (long first = 0; first < units; first += unitsPerBlock) {
            int n = readCounts(first);
            for (int i = 0; i < n; i++) {
                long filled = Integer.toUnsignedLong(block[i]);
                if (filled > mostPerUnit) {
                    throw new EvenerException("argument " + argument + ": unit " + (first + i) + " counts " + filled
                            + " elements, but a unit may append " + mostPerUnit);
                }
                total += filled;
            }
        }
        return total;
    }

    /** Reads the counts of the block that begins with a unit; returns the number of units in it. */
    private int readCounts(long first) {
        int n = (int) Math.min(unitsPerBlock, units - first);
        counts.forEachPart(
                first * Integer.BYTES,
                n * Integer.BYTES,
                (piece, done) ->
                        piece.asIntBuffer().get(block, done / Integer.BYTES, piece.capacity() / Integer.BYTES));
        return n;
    }

    private void move() {
        int size = slots.type().bytes();
        long unitBytes = mostPerUnit * size;
        byte[] bytes = new byte[unitsPerBlock == 1 ? 0 : (int) (unitsPerBlock * unitBytes)];
        long at = 0; // byte in out
        for (long first = 0; first < units; first += unitsPerBlock) {
            int n = readCounts(first);
            long used = 0;
            for (int i = 0; i < n; i++) {
                used += Integer.toUnsignedLong(block[i]);
            }
            long origin = first * unitBytes;
            if (used == n * mostPerUnit) {
                copy(origin, at, (int) (used * size));
            } else if (n == 1 || used * SPARSE < n * mostPerUnit || used * size >= (long) LARGE * n) {
                long target = at;
                for (int i = 0; i < n; i++) {
                    if (block[i] != 0) {
                        long length = Integer.toUnsignedLong(block[i]) * size;
                        copy(origin + i * unitBytes, target, (int) length);
                        target += length;
                    }
                }
            } else {
                slots.forEachPart(
                        origin, (int) (n * unitBytes), (piece, done) -> piece.get(0, bytes, done, piece.capacity()));
                int packed = pack(bytes, n, (int) unitBytes, size);
                out.forEachPart(at, packed, (piece, done) -> piece.put(0, bytes, done, piece.capacity()));
            }
            at += used * size;
        }
    }

    private void copy(long from, long to, int length) {
        slots.forEachPart(
                from,
                length,
                (source, read) -> out.forEachPart(
                        to + read, source.capacity(), (piece, done) -> piece.put(0, source, done, piece.capacity())));
    }

    /** Moves the units' elements to the front of the array; returns their size in bytes. */
    private int pack(byte[] bytes, int n, int unitBytes, int size) {
        int packed = 0;
        for (int i = 0; i < n; i++) {
            int length = block[i] * size;
            if (packed != i * unitBytes && length > 0) {
                System.arraycopy(bytes, i * unitBytes, bytes, packed, length);
            }
            packed += length;
        }
        return packed;
    }
}
