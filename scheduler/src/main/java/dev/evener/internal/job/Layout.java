package dev.evener.internal.job;

import dev.evener.Access;
import dev.evener.internal.LogicalBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What units have of a range of a buffer, in bytes from the range's start; found when the job is built, and all that is asked of an
 * access afterwards. The range is so many arrays, in each of which unit {@code i} has {@code unit} bytes of its own from {@code first +
 * i * unit} on, sees those of the units around it as far as the array goes, and of all arrays together one piece that every unit sees.
 *
 * <p>Those are its <em>pieces</em>, in the order of the range but for the last: one of each array, or where there are blocks of such arrays
 * those of the first and the last block, between which all is the units' own; and what every unit sees. Of a range
 * of which units have nothing of their own, each sees all of it, in one piece. Immutable; any thread. The numbers of a declaration that was
 * not checked yet mean nothing.
 *
 * @param bytes of the range, where every piece ends that would reach further
 * @param unit bytes that a unit has of its own in each array; 0 if it has none
 * @param first where unit 0 begins in each array
 * @param arrays how many there are
 * @param stride from the beginning of one to the next
 * @param before units in front of its own that a unit sees
 * @param after units behind its own that it sees
 * @param alsoFrom where that begins which every unit sees beside
 * @param alsoBytes how much that is
 * @param block units of a block, one of which lies behind the other, each with its own arrays; 0 if there are none
 * @param slices where units begin that have slices of any size, of which {@code unit} is the mean then; else null
 * @param element bytes of what they count
 */
public record Layout(
        long bytes,
        long unit,
        long first,
        long arrays,
        long stride,
        long before,
        long after,
        long alsoFrom,
        long alsoBytes,
        long block,
        Access.@Nullable Slices slices,
        long element) {

    static Layout of(LogicalBuffer.Range range, Access access) {
        long bytes = range.byteSize();
        long element = range.type().bytes();
        if (access instanceof Access.Slice s) {
            return new Layout(bytes, s.elementsPerUnit() * element, 0, 1, bytes, 0, 0, 0, 0, 0, null, 1);
        } else if (access instanceof Access.Halo h) {
            return new Layout(
                    bytes, h.elementsPerUnit() * element, 0, 1, bytes, h.before(), h.after(), 0, 0, 0, null, 1);
        } else if (access instanceof Access.Parts p) {
            return new Layout(
                    bytes,
                    p.elementsPerUnit() * element,
                    p.first() * element,
                    p.repeats(),
                    p.stride() * element,
                    p.before(),
                    p.after(),
                    p.alsoFrom() * element,
                    p.alsoCount() * element,
                    p.blockUnits(),
                    null,
                    1);
        } else if (access instanceof Access.Slices s) {
            long all = (s.begin(s.count()) - s.begin(0)) * element;
            long mean = Math.max(element, s.count() == 0 ? 0 : all / s.count());
            return new Layout(bytes, mean, s.begin(0) * element, 1, bytes, 0, 0, 0, 0, 0, s, element);
        }
        return new Layout(bytes, 0, 0, 1, bytes, 0, 0, 0, 0, 0, null, 1);
    }

    /** How many pieces units write, or see but for the one that all of them see. */
    int ownPieces() {
        return (int) (block > 0 ? 2 * arrays - 1 : arrays);
    }

    /** How many pieces units see. */
    int pieces() {
        return alsoBytes > 0 ? ownPieces() + 1 : ownPieces();
    }

    /** Bytes of each unit's own pieces together; 0 where units have none. */
    long ownBytes() {
        return unit * arrays;
    }

    /** Bytes that units of any number see beside their own, at most. */
    long alwaysBytes() {
        if (unit == 0) {
            return bytes;
        }
        return (around(before) + around(after)) * ownBytes() + alsoBytes;
    }

    /** How many units on either side of its own a unit may see, at most. */
    long around() {
        return Math.max(before, after);
    }

    /** Whether units have the same bytes of their own, and see nothing that lies apart from these. */
    boolean liesAs(Layout other) {
        return unit > 0
                && unit == other.unit
                && first == other.first
                && arrays == other.arrays
                && stride == other.stride
                && block == other.block
                && Objects.equals(slices, other.slices)
                && alsoBytes == 0
                && other.alsoBytes == 0;
    }

    /** So many units, or as many as an array has. */
    private long around(long units) {
        return Math.min(stride / unit + 1, units);
    }

    /** Where a piece begins that these units see or write. */
    long from(int piece, long firstUnit, long units) {
        if (unit == 0) {
            return 0;
        } else if (piece == ownPieces()) {
            return Math.min(bytes, alsoFrom);
        } else if (slices != null) {
            return Math.min(bytes, slices.begin(firstUnit) * element);
        } else if (block > 0) {
            return inBlocks(piece, firstUnit, units, true);
        }
        long seen = Math.max(firstUnit - before, -1 - first / unit); // -1: all of what is in front of unit 0
        return Math.min(bytes, piece * stride + Math.max(0, first + seen * unit));
    }

    /** Where that piece ends; the last unit may end behind the range, which it then sees no more of. */
    long to(int piece, long firstUnit, long units) {
        if (unit == 0) {
            return bytes;
        } else if (piece == ownPieces()) {
            return Math.min(bytes, alsoFrom + alsoBytes);
        } else if (slices != null) {
            return Math.min(bytes, slices.begin(firstUnit + units) * element);
        } else if (block > 0) {
            return inBlocks(piece, firstUnit, units, false);
        }
        long seen = firstUnit + units + around(after);
        return Math.min(bytes, piece * stride + Math.min(stride, first + seen * unit));
    }

    /**
     * Where a piece begins or ends in blocks. The first pieces are those of the block in which the units begin, the last of which goes on to
     * the first array of the block in which they end, whose other arrays have the rest. Within one block those are empty.
     */
    private long inBlocks(int piece, long firstUnit, long units, boolean begins) {
        long end = firstUnit + units;
        long firstBlock = firstUnit / block;
        long lastBlock = Math.max(firstUnit, end - 1) / block;
        boolean inOne = firstBlock == lastBlock;
        if (piece >= arrays && inOne) {
            return inBlocks((int) arrays - 1, firstUnit, units, false);
        } else if (begins) {
            return piece < arrays
                    ? inBlock(firstBlock, piece, firstUnit % block)
                    : inBlock(lastBlock, piece - arrays + 1, 0);
        }
        return piece < arrays - 1 && !inOne
                ? inBlock(firstBlock, piece, block)
                : inBlock(lastBlock, inOne ? piece : piece - arrays + 1, end - lastBlock * block);
    }

    private long inBlock(long number, long array, long units) {
        return Math.min(bytes, (number * arrays + array) * stride + units * unit);
    }

    /** The first byte that units from this one on see or write. */
    long from(long firstUnit) {
        long from = from(0, firstUnit, 1);
        return alsoBytes > 0 ? Math.min(from, from(ownPieces(), firstUnit, 1)) : from;
    }

    /** The end of the last one that these units see or write. */
    long to(long firstUnit, long units) {
        long to = to(ownPieces() - 1, firstUnit, units);
        return alsoBytes > 0 ? Math.max(to, to(ownPieces(), firstUnit, units)) : to;
    }
}
