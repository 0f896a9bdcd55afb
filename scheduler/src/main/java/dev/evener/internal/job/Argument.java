package dev.evener.internal.job;

import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.data.Traffic;
import java.nio.ByteBuffer;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** One argument of a kernel. Immutable. */
public sealed interface Argument {
    /** A buffer, or a range of one. Places are counted in the buffer, whatever the range. */
    record Buffer(LogicalBuffer.Range range, Access access, boolean read, boolean written) implements Argument {
        /** All of a buffer. */
        public Buffer(LogicalBuffer all, Access access, boolean read, boolean written) {
            this(all.all(), access, read, written);
        }

        /** The buffer of which the range is. */
        public LogicalBuffer buffer() {
            return range.buffer();
        }

        /** Bytes of each unit's own parts; 0 where units have none. */
        public long bytesPerUnit() {
            return bytesOfPiece() * ownPieces();
        }

        /** The same of one of its parts. */
        private long bytesOfPiece() {
            long elements = access instanceof Access.Slice s
                    ? s.elementsPerUnit()
                    : access instanceof Access.Halo h
                            ? h.elementsPerUnit()
                            : access instanceof Access.Parts p ? p.elementsPerUnit() : 0;
            return elements * range.type().bytes();
        }

        /** Whether each unit writes parts of its own, rather than something that is put together on the host. */
        public boolean isWrittenInPlace() {
            return written && (access instanceof Access.Slice || access instanceof Access.Parts);
        }

        /** Bytes that a chunk of any size sees beside its units' own parts, at most. */
        public long bytesAlways() {
            if (access instanceof Access.Halo h) { // which ends where the buffer does
                long units = range.elements() / h.elementsPerUnit() + 1;
                return (Math.min(units, h.before()) + Math.min(units, h.after())) * bytesPerUnit();
            }
            if (access instanceof Access.Parts p) {
                long units = p.stride() / p.elementsPerUnit() + 1;
                long around = (Math.min(units, p.before()) + Math.min(units, p.after())) * bytesPerUnit();
                return around + p.alsoCount() * range.type().bytes();
            }
            return access instanceof Access.Slice ? 0 : range.byteSize();
        }

        // What units see or write: pieces of the buffer, in the order of the buffer but for the one that all units see,
        // which is last.

        /** How many pieces units write, or see but for that one. */
        public int ownPieces() {
            return access instanceof Access.Parts p ? (int) p.repeats() : 1;
        }

        /** How many pieces units see. */
        public int pieces() {
            return access instanceof Access.Parts p && p.alsoCount() > 0 ? ownPieces() + 1 : ownPieces();
        }

        /** The first byte of a piece that units from this one on see or write. */
        public long seenFrom(int piece, long firstUnit) {
            if (access instanceof Access.Parts p) {
                long first = p.alsoFrom();
                if (piece < p.repeats()) { // no unit sees another array
                    long unit = Math.max(
                            firstUnit - p.before(), -1 - p.first() / p.elementsPerUnit()); // -1: all of the border
                    first = piece * p.stride() + Math.max(0, p.first() + unit * p.elementsPerUnit());
                }
                return range.from()
                        + Math.min(range.elements(), first) * range.type().bytes();
            }
            long unit = access instanceof Access.Halo h ? h.firstSeen(firstUnit) : firstUnit;
            return Math.min(range.to(), range.from() + unit * bytesOfPiece());
        }

        /** The end of that piece; the last unit may end behind the range, which it then sees no more of. */
        public long seenTo(int piece, long firstUnit, long units) {
            long end = firstUnit + units;
            if (access instanceof Access.Parts p) {
                long last = p.alsoFrom() + p.alsoCount();
                if (piece < p.repeats()) {
                    long seen = end + Math.min(p.stride(), p.after());
                    last = piece * p.stride() + Math.min(p.stride(), p.first() + seen * p.elementsPerUnit());
                }
                return range.from()
                        + Math.min(range.elements(), last) * range.type().bytes();
            } else if (access instanceof Access.Halo h) { // the unit behind the last whole one too
                end = Math.max(end, h.endSeen(end, range.elements() + h.elementsPerUnit() - 1));
            } else if (!(access instanceof Access.Slice)) {
                return range.to();
            }
            return Math.min(range.to(), range.from() + end * bytesOfPiece());
        }

        /** Bytes of the buffer, counted from its start. */
        @FunctionalInterface
        public interface Bytes {
            void are(long from, long to);
        }

        /**
         * Where units write: their own pieces, but for what all units see, which keeps its value although one of them may write it. So it
         * is current wherever it was.
         */
        public void eachWritten(long firstUnit, long units, Bytes written) {
            boolean ofAll = pieces() > ownPieces();
            long kept = ofAll ? seenFrom(ownPieces(), firstUnit) : Long.MAX_VALUE;
            long behind = ofAll ? seenTo(ownPieces(), firstUnit, units) : Long.MAX_VALUE;
            for (int p = 0; p < ownPieces(); p++) {
                long from = seenFrom(p, firstUnit);
                long to = seenTo(p, firstUnit, units);
                if (from < Math.min(to, kept)) {
                    written.are(from, Math.min(to, kept));
                }
                if (Math.max(from, behind) < to) {
                    written.are(Math.max(from, behind), to);
                }
            }
        }

        /** The first byte that units from this one on see or write. */
        public long seenFrom(long firstUnit) {
            long from = seenFrom(0, firstUnit);
            return pieces() > ownPieces() ? Math.min(from, seenFrom(ownPieces(), firstUnit)) : from;
        }

        /** How many bytes there are from there to the last one that these units see or write. */
        public long seenBytes(long firstUnit, long units) {
            long to = seenTo(ownPieces() - 1, firstUnit, units);
            if (pieces() > ownPieces()) {
                to = Math.max(to, seenTo(ownPieces(), firstUnit, units));
            }
            return to - seenFrom(firstUnit);
        }

        /** The books, for what is moved because these units need the buffer. */
        public Traffic countIn(Traffic books, long firstUnit, long units) {
            long own = bytesOfPiece();
            if (access instanceof Access.Parts p) { // halos are told from the rest in the last array
                long from = range.from()
                        + (p.repeats() - 1) * p.stride() * range.type().bytes();
                return books.forChunk(
                        ownPieces() > 1
                                ? range.from()
                                : from + p.first() * range.type().bytes() + firstUnit * own,
                        from + p.first() * range.type().bytes() + (firstUnit + units) * own);
            }
            long from = range.from() + firstUnit * own;
            return own == 0 ? books.forAll() : books.forChunk(from, from + units * own);
        }
    }

    /**
     * A scalar of 4 or 8 bytes: {@link Integer}, {@link Long}, {@link Float} or {@link Double}.
     *
     * @param name by which it may be replaced, or null
     */
    record Scalar(@Nullable String name, Number value) implements Argument {}

    /** A struct or vector by value. */
    record Value(ByteBuffer bytes) implements Argument {}

    /**
     * Memory of a work-group.
     *
     * @param count elements, given the work-items of a group
     */
    record Local(ElementType type, LongUnaryOperator count) implements Argument {}

    /** The chunk's first unit, as {@code ulong}. */
    record ChunkStart() implements Argument {}

    /** The chunk's number of units, as {@code uint}. */
    record ChunkUnits() implements Argument {}

    /**
     * Where a chunk begins in its view of a halo argument, as {@code ulong}: the index of the first element of the
     * chunk's first unit.
     *
     * @param range the halo argument's
     * @param argument number of that argument; -1 until the job is built
     */
    record ViewStart(LogicalBuffer.Range range, int argument) implements Argument {}

    /** Memory that belongs to a chunk while it runs. */
    record Temporary(dev.evener.Temporary memory) implements Argument {}

    /**
     * The same memory as an earlier argument, a {@link Buffer} or a {@link Temporary}. Made when the job is built, so that
     * each memory of a phase is sent, saved, fetched and counted once.
     *
     * @param argument number of that argument among the phase's
     */
    record Again(int argument) implements Argument {}
}
