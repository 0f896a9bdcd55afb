package dev.evener.kernels;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import java.util.List;
import java.util.stream.Collectors;

/** What primitives refuse about the buffers they are given, before anything is enqueued. */
public final class BufferChecks {
    private BufferChecks() {}

    /** How messages call an argument: what it is for and, if it has one, its buffer's name. */
    public static String named(String what, DataBuffer buffer) {
        String name = buffer.name();
        return what + " buffer" + (name == null ? "" : " '" + name + "'");
    }

    /**
     * Requires a buffer of one type with room enough.
     *
     * @throws IllegalArgumentException if it has another type or fewer elements
     */
    public static void require(String what, DataBuffer buffer, ElementType type, long elements) {
        require(what, buffer, List.of(type), elements);
    }

    /**
     * Requires a buffer of one of these types with room enough.
     *
     * @throws IllegalArgumentException if it has another type or fewer elements
     */
    public static void require(String what, DataBuffer buffer, List<ElementType> types, long elements) {
        if (!types.contains(buffer.type())) {
            String names = types.stream().map(ElementType::openClName).collect(Collectors.joining(" or "));
            throw new IllegalArgumentException("the " + named(what, buffer) + " must hold " + names + ", not "
                    + buffer.type().openClName());
        }
        if (buffer.elements() < elements) {
            throw new IllegalArgumentException("the " + named(what, buffer) + " has " + buffer.elements()
                    + " elements, " + elements + " are needed");
        }
    }

    /**
     * Requires so many elements, from the first on, of a buffer.
     *
     * @throws IllegalArgumentException if it has fewer, or if they are less than none
     */
    public static void requireElements(String what, DataBuffer buffer, long elements) {
        if (elements < 0 || elements > buffer.elements()) {
            throw new IllegalArgumentException(elements + " elements are asked for, but the " + named(what, buffer)
                    + " has " + buffer.elements() + "; give 0 to " + buffer.elements());
        }
    }

    /**
     * Requires a count that is not negative.
     *
     * @throws IllegalArgumentException if it is
     */
    public static void requireCount(String what, long count) {
        if (count < 0) {
            throw new IllegalArgumentException(what + " must be at least 0, not " + count);
        }
    }

    /**
     * Requires that no buffer of a call is given twice, nor lies over another in memory.
     *
     * @throws IllegalArgumentException if one is or does
     */
    public static void requireDistinct(DataBuffer... buffers) {
        for (int i = 0; i < buffers.length; i++) {
            for (int other = 0; other < i; other++) {
                if (buffers[i].overlaps(buffers[other])) {
                    throw new IllegalArgumentException(
                            "one buffer is given as two arguments, or two lie over each other in memory, the "
                                    + buffers[other] + " and the " + buffers[i] + ", and one of them"
                                    + " is written; give different buffers");
                }
            }
        }
    }

    /** Whether a buffer can be seen as a whole: it lies in one segment, where a host buffer of more than 2 GiB has several. */
    public static boolean inOneSegment(DataBuffer buffer) {
        return buffer.segmentCount() == 1;
    }
}
