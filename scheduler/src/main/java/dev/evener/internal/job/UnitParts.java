package dev.evener.internal.job;

import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.EvenerException;
import dev.evener.image.Image;
import dev.evener.internal.LogicalBuffer.Range;
import java.util.function.Function;

/**
 * What units have of a buffer: makes explicit what a declaration leaves to be found, and refuses what does not fit.
 *
 * <p>Every unit of the job has to begin inside of the buffer, however the job is cut, and to end there, but for the last one of a
 * kernel that knows where its data end: in the job's view, or of a range that is read. Sums and products cannot overflow, as no
 * number of elements is made that the buffer has not.
 *
 * @param units of the job
 * @param seesJob whether kernels see all of it
 * @param refused makes the exception of what is wrong with the argument
 */
record UnitParts(long units, boolean seesJob, Function<String, EvenerException> refused) {
    /** Rows or planes in which units may have parts, each of which is moved by itself. */
    private static final int MOST_PIECES = 1 << 16;

    /**
     * The argument with sizes made explicit.
     *
     * @param undivided whether the job's units may write one region
     */
    Argument.Buffer of(Argument.Buffer b, boolean undivided) {
        if (b.buffer().isClosed()) {
            throw refused.apply(" is a closed buffer");
        }
        if (b.range().segmentCount() > 1
                && (seesJob || !(b.access() instanceof Access.Slice || b.access() instanceof Access.Append))) {
            throw refused.apply(" is a buffer of " + b.buffer().byteSize() + " bytes in "
                    + b.buffer().segmentCount() + " segments, of which no kernel can see more than one at a time; only"
                    + " slice(...) may be used on it, without a halo"
                    + (seesJob ? ", by a kernel that sees its chunk: chunkView()" : ""));
        }
        if (b.image() != null) {
            Access inElements = ofImage(
                    b.image(),
                    b.access(),
                    b.image().partBytes() / b.range().type().bytes());
            return of(b.as(null).with(inElements, b.read(), b.written()), undivided)
                    .as(b.image());
        }
        if (b.access() instanceof Access.Whole && (b.written() || undivided)) {
            return all(b, undivided);
        }
        if (b.access() instanceof Access.Slice s) {
            Access.Slice sized = new Access.Slice(perUnit(b, s.elementsPerUnit()), s.isSparse());
            checkSegments(b.range(), sized.elementsPerUnit());
            return b.with(sized, b.read(), b.written());
        }
        if (b.access() instanceof Access.Halo h) {
            Access.Halo sized = new Access.Halo(perUnit(b, h.elementsPerUnit()), h.before(), h.after());
            return b.with(sized, b.read(), b.written());
        }
        if (!seesJob && (b.access() instanceof Access.Parts || b.access() instanceof Access.Slices)) {
            throw refused.apply(" is no slice() of the buffer, which only the job's view shows a kernel;"
                    + " leave out chunkView()");
        }
        if (b.access() instanceof Access.Parts p) {
            return b.with(parts(b, p), b.read() || p.alsoCount() > 0, b.written());
        }
        if (b.access() instanceof Access.Slices s
                && (s.count() != units || s.begin(units) > b.range().elements())) {
            throw refused.apply(" has " + b.range().elements() + " elements for " + units + " units, but slices(begins)"
                    + " are " + s.count() + ", of which the last ends at element " + s.begin(s.count()));
        }
        if (b.access() instanceof Access.Reduce && b.buffer().type().isFloating()) {
            checkRoom(b.range().elements(), b.buffer().type());
        }
        if (b.access() instanceof Access.Append a) {
            checkRoom(a.mostPerUnit(), b.buffer().type());
        }
        return b;
    }

    /**
     * An access of an image's rows, layers or planes as one of its elements.
     *
     * @param part elements of each
     */
    private Access ofImage(Image.Shape image, Access access, long part) {
        if (!seesJob) {
            throw refused.apply(" is an image, which only the job's view shows a kernel; leave out chunkView()");
        }
        if (access instanceof Access.Slice s) {
            return new Access.Slice(own(image, s.elementsPerUnit(), 0) * part, s.isSparse());
        } else if (access instanceof Access.Halo h) {
            return new Access.Halo(own(image, h.elementsPerUnit(), 0) * part, h.before(), h.after());
        } else if (access instanceof Access.Parts p) {
            if (p.repeats() != 1 || p.stride() > 0 || p.blockUnits() > 0) {
                throw refused.apply(
                        " is an image, which has no planes or columns of elements: jobs are cut between its "
                                + parts(image) + ", along the last dimension");
            }
            if (p.alsoFrom() > image.parts() || p.alsoCount() > image.parts() - p.alsoFrom()) {
                throw refused.apply(" has " + image.parts() + " " + parts(image) + ", but all units read "
                        + p.alsoCount() + " from number " + p.alsoFrom() + " on");
            }
            return new Access.Parts(
                    own(image, p.elementsPerUnit(), p.first()) * part,
                    p.first() * part,
                    1,
                    0,
                    p.before(),
                    p.after(),
                    p.alsoFrom() * part,
                    p.alsoCount() * part,
                    0,
                    p.isSparse());
        }
        if (access instanceof Access.Slices) {
            throw refused.apply(" is an image, whose " + parts(image) + " are equal: give slice(n)");
        }
        return access; // the whole of it
    }

    /** How many rows, layers or planes each unit has. */
    private long own(Image.Shape image, long asked, long first) {
        long all = Math.max(0, image.parts() - first);
        long each = asked > 0 ? asked : units == 0 ? 1 : all / units;
        if (units > 0 && (each == 0 || (asked == 0 && all % units != 0) || units - 1 > (all - 1) / each)) {
            throw refused.apply(" is an image with " + all + " " + parts(image) + (first > 0 ? " from there on" : "")
                    + ", which "
                    + (asked > 0 ? "are too few for " + units + " units of " + asked : units + " units do not divide")
                    + ": a job of images is cut between " + parts(image) + ", so give range(width, height), or "
                    + "slice(n) with a number of " + parts(image) + " for each unit");
        }
        return Math.min(each, all);
    }

    private static String parts(Image.Shape image) {
        return switch (image.kind()) {
            case PLANE -> "rows";
            case LAYERS -> "layers";
            case VOLUME -> "planes";
        };
    }

    private Access.Parts parts(Argument.Buffer b, Access.Parts p) {
        long elements = b.range().elements();
        if (p.alsoCount() > elements || p.alsoFrom() > elements - p.alsoCount()) {
            throw refused.apply(" has " + elements + " elements, but all units read " + p.alsoCount() + " from element "
                    + p.alsoFrom() + " on");
        }
        if (p.blockUnits() > 0) {
            return inBlocks(elements, p);
        }
        if (p.repeats() > 0 && p.stride() == 0 && elements % p.repeats() != 0) {
            throw refused.apply(" has " + elements + " elements, which are not " + p.repeats() + " equal planes");
        }
        long stride = p.stride() > 0 ? p.stride() : elements / p.repeats();
        long repeats = p.repeats() > 0 ? p.repeats() : elements == 0 ? 0 : (elements - 1) / stride + 1;
        long perUnit = p.elementsPerUnit();
        if (perUnit == 0 && (units == 0 || stride <= p.first() || (stride - p.first()) % units != 0)) {
            throw refused.apply(" has " + (stride - p.first()) + " elements from where unit 0 begins, which " + units
                    + " units do not divide; give slice(elementsPerUnit)");
        }
        if (repeats > MOST_PIECES || repeats < 1) {
            throw refused.apply(" has parts in " + repeats + " rows or planes, more than " + MOST_PIECES
                    + " or none; cut the job along another dimension");
        }
        if (repeats > 1 && (elements == 0 || (elements - 1) / stride < repeats - 1)) {
            throw refused.apply(" has " + elements + " elements, but its last row or plane begins " + (repeats - 1)
                    + " times " + stride + " elements behind the first");
        }
        long last = Math.min(stride, elements - (repeats - 1) * stride); // elements of the last one
        stride = repeats > 1 ? stride : Math.max(1, last); // of one alone there is none
        perUnit = perUnit == 0 ? (stride - p.first()) / units : perUnit;
        boolean mayLack =
                p.stride() > 0 && p.first() == 0 && repeats > 1; // columns, some of which the last row has not
        long room = mayLack ? stride : last;
        if (units > 0 && (p.first() >= room || units - 1 > (room - 1 - p.first()) / perUnit)) {
            throw refused.apply(" has " + room + " elements in " + (repeats > 1 ? "its last" : "a")
                    + " row or plane, but " + units + " units of " + perUnit + " need more"
                    + (p.first() > 0 ? " from element " + p.first() + " on" : ""));
        }
        return new Access.Parts(
                Math.max(1, Math.min(perUnit, stride)), // of one unit that ends behind it
                p.first(),
                repeats,
                stride,
                p.before(),
                p.after(),
                p.alsoFrom(),
                p.alsoCount(),
                0,
                p.isSparse());
    }

    /** The same in blocks, all of which are whole. */
    private Access.Parts inBlocks(long elements, Access.Parts p) {
        long block = Math.max(1, Math.min(p.blockUnits(), units));
        long plane = elements / p.repeats(); // elements of each in all blocks together
        long asked = p.elementsPerUnit();
        long perUnit = units == 0 ? 1 : asked > 0 ? asked : plane / units;
        boolean fit = units == 0 || (perUnit > 0 && units <= plane / perUnit);
        if (!fit
                || units % p.blockUnits() != 0
                || p.repeats() > MOST_PIECES
                || (units > 0 && asked == 0 && perUnit * units * p.repeats() != elements)) {
            throw refused.apply(" has " + elements + " elements for " + units + " units, which are no whole blocks of "
                    + p.blockUnits() + " units with " + p.repeats() + " planes, at most " + MOST_PIECES + ", of "
                    + (asked > 0 ? asked + " elements" : "equal parts") + " for each unit");
        }
        return new Access.Parts(
                perUnit, 0, p.repeats(), block * perUnit, 0, 0, p.alsoFrom(), p.alsoCount(), block, p.isSparse());
    }

    /** Results of each unit, which wait in host memory for the end of the phase. */
    private void checkRoom(long perUnit, ElementType type) {
        if (perUnit < 1) {
            throw refused.apply(" takes results, but has no elements");
        }
        if (units > Long.MAX_VALUE / type.bytes() / perUnit) {
            throw refused.apply(" needs host memory for " + units + " units of " + perUnit + " " + type.openClName()
                    + ", more than there can be; make units larger");
        }
    }

    private long perUnit(Argument.Buffer b, long asked) {
        long elements = b.range().elements();
        if (asked == 0) {
            if (units > 0 && (elements % units != 0 || elements == 0)) {
                throw refused.apply(" has " + elements + " elements, which " + units
                        + " units do not divide; give slice(elementsPerUnit)");
            }
            return units == 0 ? 1 : elements / units;
        }
        // The last unit may end behind what a kernel sees all of, and behind a range, unless what that lacks would have
        // to be written.
        boolean mayEnd = seesJob || (!b.range().isAll() && b.read());
        if (units > elements / asked + (mayEnd && elements % asked > 0 ? 1 : 0)) {
            throw refused.apply(" has " + elements + " elements, but " + units + " units of " + asked
                    + " need more"
                    + (b.range().isAll() || b.read()
                            ? ""
                            : "; a range that ends before its last unit does may be read or updated, not written"));
        }
        return Math.max(1, Math.min(asked, elements)); // of one unit that ends behind it
    }

    /** No unit may lie in two segments of a buffer. */
    private void checkSegments(Range buffer, long perUnit) {
        long unitBytes = perUnit * buffer.type().bytes();
        if (buffer.segmentCount() > 1
                && units * unitBytes > buffer.segmentBytes()
                && buffer.segmentBytes() % unitBytes != 0) {
            throw refused.apply(" lies in segments of " + buffer.segmentBytes() + " bytes, and some units of "
                    + unitBytes + " bytes would lie in two of them; allocate it with allocate(type, elements, "
                    + perUnit
                    + ")");
        }
    }

    /** All of a buffer, as parts that the units of an undivided job have together. */
    private Argument.Buffer all(Argument.Buffer b, boolean undivided) {
        if (!undivided) {
            throw refused.apply(" is written by all units, but two devices must not write one region: give"
                    + " slice(...) or another part for each unit, reduces(...) or accumulates(...) where units combine with"
                    + " atomics what they have in common, or make the job undivided()");
        }
        long elements = b.range().elements();
        long perUnit = Math.max(1, units == 0 || elements == 0 ? elements : (elements - 1) / units + 1);
        Access parts = new Access.Parts(perUnit, 0, 1, Math.max(1, elements), 0, 0, 0, 0, 0, false);
        return b.with(parts, b.read(), b.written());
    }
}
