package dev.evener.internal.job;

import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.Report.Cause;
import dev.evener.image.Image;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.data.Traffic;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** One argument of a kernel. Immutable. */
public sealed interface Argument {
    /** How messages name one of its kernel's: by its number, and by its buffer if that has a name. */
    static String text(int number, Argument argument) {
        return argument instanceof Buffer b ? text(number, b.range()) : "argument " + number;
    }

    /** The same of a buffer. */
    static String text(int number, LogicalBuffer.Range range) {
        String name = range.buffer().name();
        return "argument " + number + (name == null ? "" : " (buffer '" + name + "')");
    }

    /** What a kernel is shown of a buffer when it sees its chunk. One that sees its job is shown all, but for {@link #PARTIAL}. */
    enum View {
        /** What its units have, from its first byte on. */
        OWN,
        /** That and its surroundings, in a view whose beginning {@link ViewStart} tells. */
        AROUND,
        /** All of it. */
        ALL,
        /** A partial result of the lane's, which the host puts together with others. */
        PARTIAL
    }

    /**
     * What stands in for a buffer whose results are put together when their phase ends: a slice in which every unit writes its own part.
     *
     * @param type of its elements
     * @param perUnit elements of each unit
     * @param appended whether units fill as much of their parts as they like
     */
    record Hidden(ElementType type, long perUnit, boolean appended) {
        /** What lanes see in the argument's place, in this memory. */
        public Buffer over(LogicalBuffer memory) {
            return new Buffer(memory, new Access.Slice(perUnit, appended), false, true);
        }
    }

    /**
     * A buffer, or a range of one. Places are counted in the buffer, whatever the range.
     *
     * @param access as it was declared, with all sizes once the job is built; outside of this package only its layout, its view and how its
     *     results are put together count
     * @param image what kernels see it as, if that is no buffer
     */
    record Buffer(
            LogicalBuffer.Range range,
            Access access,
            Layout layout,
            boolean read,
            boolean written,
            Image.@Nullable Shape image)
            implements Argument {
        /** A range of a buffer. */
        public Buffer(LogicalBuffer.Range range, Access access, boolean read, boolean written) {
            this(range, access, Layout.of(range, access), read, written, null);
        }

        /** All of a buffer. */
        public Buffer(LogicalBuffer all, Access access, boolean read, boolean written) {
            this(all.all(), access, read, written);
        }

        /** The same of another range. */
        public Buffer over(LogicalBuffer.Range other) {
            return new Buffer(other, access, Layout.of(other, access), read, written, image);
        }

        /** The same, touched in another way. */
        Buffer with(Access other, boolean reads, boolean writes) {
            return new Buffer(range, other, Layout.of(range, other), reads, writes, image);
        }

        /** The same, seen as an image. */
        Buffer as(Image.@Nullable Shape shape) {
            return new Buffer(range, access, layout, read, written, shape);
        }

        /** The buffer of which the range is. */
        public LogicalBuffer buffer() {
            return range.buffer();
        }

        // ---- how it was declared ----

        /** What a kernel is shown that sees its chunk. */
        public View view() {
            if (access instanceof Access.Slice) {
                return View.OWN;
            } else if (access instanceof Access.Halo) {
                return View.AROUND;
            }
            return access instanceof Access.Reduce ? View.PARTIAL : View.ALL;
        }

        /** Whether such a kernel is shown what its units have, and at most what is around that. */
        public boolean isSeenInPart() {
            return view() == View.OWN || view() == View.AROUND;
        }

        /** Whether units have nothing of their own, and read all of it. */
        public boolean isSeenWhole() {
            return access instanceof Access.Whole;
        }

        /** Whether a kernel that writes it may leave some of its part out. */
        public boolean isSparse() {
            return access instanceof Access.Slice s ? s.isSparse() : access instanceof Access.Parts p && p.isSparse();
        }

        /** How lanes' or units' results are combined; null if they are not. */
        public Access.@Nullable Reduce reduction() {
            return access instanceof Access.Reduce r ? r : null;
        }

        /** Whether units' results are put one behind the other here, or counted. */
        public boolean isAppended() {
            return access instanceof Access.Append || access instanceof Access.Count;
        }

        /** Whether results of lanes or units are put together here by the host. */
        public boolean isPutTogether() {
            return reduction() != null || isAppended();
        }

        /** Whether each unit writes parts of its own, rather than something that is put together on the host. */
        public boolean isWrittenInPlace() {
            return written && layout.unit() > 0;
        }

        /** Whether units read what they write of it. */
        public boolean isUpdated() {
            return read && isWrittenInPlace();
        }

        /** What stands in for it while its phase runs; null if lanes see it itself. */
        public @Nullable Hidden hidden() {
            ElementType type = buffer().type();
            if (access instanceof Access.Reduce && type.isFloating()) {
                return new Hidden(type, range.elements(), false);
            } else if (access instanceof Access.Append append) {
                return new Hidden(type, append.mostPerUnit(), true);
            }
            return access instanceof Access.Count ? new Hidden(ElementType.UINT, 1, false) : null;
        }

        /** Bytes that a unit touches of a slice, declared or hidden; 0 for what is no slice. */
        public long sliceBytesPerUnit() {
            if (access instanceof Access.Slice) {
                return layout.unit();
            }
            Hidden hidden = hidden();
            return hidden == null ? 0 : hidden.perUnit() * hidden.type().bytes();
        }

        /** What the history tells kinds of jobs apart by. */
        public String shape() {
            return image == null
                    ? shapeOfBytes()
                    : image.kind().openClName() + ':' + image.format() + ':' + shapeOfBytes();
        }

        private String shapeOfBytes() {
            long bytes = range.type().bytes();
            if (access instanceof Access.Slice) {
                return "slice:" + layout.unit();
            } else if (access instanceof Access.Halo h) {
                return "halo:" + layout.unit() + '+' + h.before() + '+' + h.after();
            } else if (access instanceof Access.Parts) {
                return "parts:" + layout.unit() + '*' + layout.arrays()
                        + (layout.block() > 0 ? "*" + layout.block() : "");
            } else if (access instanceof Access.Slices) {
                return "slices:" + layout.unit();
            } else if (access instanceof Access.Append a) {
                return "append:" + a.mostPerUnit() * bytes;
            }
            return (access instanceof Access.Whole ? "whole:" : "reduce:") + range.byteSize();
        }

        // ---- what units have of it: pieces of the buffer, as its layout says ----

        /** Bytes of each unit's own parts; 0 where units have none. */
        public long bytesPerUnit() {
            return layout.ownBytes();
        }

        /** Bytes that a chunk of any size sees beside its units' own parts, at most. */
        public long bytesAlways() {
            return layout.alwaysBytes();
        }

        /** How many pieces units write, or see but for the one that all of them see. */
        public int ownPieces() {
            return layout.ownPieces();
        }

        /** How many pieces units see. */
        public int pieces() {
            return layout.pieces();
        }

        /** The first byte of a piece that these units see or write. */
        public long seenFrom(int piece, long firstUnit, long units) {
            return range.from() + layout.from(piece, firstUnit, units);
        }

        /** The end of that piece; the last unit may end behind the range, which it then sees no more of. */
        public long seenTo(int piece, long firstUnit, long units) {
            return range.from() + layout.to(piece, firstUnit, units);
        }

        /** The first byte that units from this one on see or write. */
        public long seenFrom(long firstUnit) {
            return range.from() + layout.from(firstUnit);
        }

        /** How many bytes there are from there to the last one that these units see or write. */
        public long seenBytes(long firstUnit, long units) {
            return layout.to(firstUnit, units) - layout.from(firstUnit);
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
            long kept = ofAll ? seenFrom(ownPieces(), firstUnit, units) : Long.MAX_VALUE;
            long behind = ofAll ? seenTo(ownPieces(), firstUnit, units) : Long.MAX_VALUE;
            for (int p = 0; p < ownPieces(); p++) {
                long from = seenFrom(p, firstUnit, units);
                long to = seenTo(p, firstUnit, units);
                if (from < Math.min(to, kept)) {
                    written.are(from, Math.min(to, kept));
                }
                if (Math.max(from, behind) < to) {
                    written.are(Math.max(from, behind), to);
                }
            }
        }

        /** The books, for what is moved because these units need the buffer. Halos are told from the rest in the last array. */
        public Traffic countIn(Traffic books, long firstUnit, long units) {
            boolean stays = !buffer().hasHostViews();
            long unit = layout.unit();
            if (unit == 0) {
                return books.because(Cause.WHOLE, stays);
            }
            if (layout.slices() != null || layout.block() > 0) { // which have no halo
                return books.forChunk(stays, range.from(), range.to());
            }
            long first = range.from() + (layout.arrays() - 1) * layout.stride() + layout.first();
            long from = ownPieces() > 1 ? range.from() : first + firstUnit * unit;
            return books.forChunk(stays, from, first + (firstUnit + units) * unit);
        }
    }

    /**
     * A scalar of 1 to 8 bytes: {@link Byte}, {@link Short}, {@link Integer}, {@link Long}, {@link Float} or {@link Double}.
     *
     * @param name by which it may be replaced, or null
     */
    record Scalar(@Nullable String name, Number value) implements Argument {
        static final Set<Class<? extends Number>> TYPES =
                Set.of(Byte.class, Short.class, Integer.class, Long.class, Float.class, Double.class);
    }

    /** How images are read. */
    record Sampler(dev.evener.image.Sampler value) implements Argument {}

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
