package dev.evener.kernels;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** What primitives refuse about the buffers they are given, before anything is enqueued. */
public final class BufferChecks {
    private BufferChecks() {}

    /**
     * Requires a buffer of one type with room enough.
     *
     * @throws IllegalArgumentException if it has another type or fewer elements
     */
    public static void require(String what, HostBuffer buffer, ElementType type, long elements) {
        require(what, buffer, List.of(type), elements);
    }

    /**
     * Requires a buffer of one of these types with room enough.
     *
     * @throws IllegalArgumentException if it has another type or fewer elements
     */
    public static void require(String what, HostBuffer buffer, List<ElementType> types, long elements) {
        if (!types.contains(buffer.type())) {
            String names = types.stream().map(ElementType::openClName).collect(Collectors.joining(" or "));
            throw new IllegalArgumentException("the " + what + " buffer must hold " + names + ", not "
                    + buffer.type().openClName());
        }
        if (buffer.elements() < elements) {
            throw new IllegalArgumentException(
                    "the " + what + " buffer has " + buffer.elements() + " elements, " + elements + " are needed");
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
     * Requires that no buffer of a call is given twice.
     *
     * @throws IllegalArgumentException if one is
     */
    public static void requireDistinct(HostBuffer... buffers) {
        for (int i = 0; i < buffers.length; i++) {
            if (Arrays.asList(buffers).indexOf(buffers[i]) != i) {
                throw new IllegalArgumentException(
                        "one buffer is given as two arguments, and one of them is written; give different buffers");
            }
        }
    }

    /**
     * Requires that memory for a result is not given for something else too; that it overlaps nothing is up to the caller.
     *
     * @throws IllegalArgumentException if it is
     */
    @SuppressWarnings("ReferenceEquality") // equals compares what they hold
    public static void requireDistinct(ByteBuffer result, ByteBuffer... others) {
        for (ByteBuffer other : others) {
            if (other == result) {
                throw new IllegalArgumentException(
                        "one buffer is given as two arguments, and one of them is written; give different buffers");
            }
        }
    }
}
