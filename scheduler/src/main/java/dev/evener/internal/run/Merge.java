package dev.evener.internal.run;

import dev.evener.ElementType;
import dev.evener.Reduction;
import java.nio.ByteBuffer;

/** Merging of integer partials on the host. Stateless. */
public final class Merge {
    private Merge() {}

    /** Fills a buffer with the operation's identity, from its start to its limit. */
    public static void fillIdentity(ByteBuffer target, ElementType type, Reduction operation) {
        int bytes = target.limit();
        if (type.bytes() == 4) {
            int identity = (int) identity(type, operation);
            for (int i = 0; i < bytes; i += 4) {
                target.putInt(i, identity);
            }
        } else {
            long identity = identity(type, operation);
            for (int i = 0; i < bytes; i += 8) {
                target.putLong(i, identity);
            }
        }
    }

    /** {@code target[i] = target[i] op partial[i]} over the target's limit; sums wrap as the device's do. */
    public static void into(ByteBuffer target, ByteBuffer partial, ElementType type, Reduction operation) {
        int bytes = target.limit();
        if (type.bytes() == 4) {
            for (int i = 0; i < bytes; i += 4) {
                target.putInt(i, combine(target.getInt(i), partial.getInt(i), type, operation));
            }
        } else {
            for (int i = 0; i < bytes; i += 8) {
                target.putLong(i, combine(target.getLong(i), partial.getLong(i), type, operation));
            }
        }
    }

    private static long identity(ElementType type, Reduction operation) {
        return switch (operation) {
            case SUM -> 0;
            case MIN ->
                switch (type) {
                    case INT -> Integer.MAX_VALUE;
                    case LONG -> Long.MAX_VALUE;
                    default -> -1; // all ones: the greatest unsigned value of either width
                };
            case MAX ->
                switch (type) {
                    case INT -> Integer.MIN_VALUE;
                    case LONG -> Long.MIN_VALUE;
                    default -> 0;
                };
        };
    }

    private static int combine(int a, int b, ElementType type, Reduction operation) {
        if (operation == Reduction.SUM) {
            return a + b;
        }
        int order = type == ElementType.UINT ? Integer.compareUnsigned(a, b) : Integer.compare(a, b);
        return (operation == Reduction.MIN) == (order <= 0) ? a : b;
    }

    private static long combine(long a, long b, ElementType type, Reduction operation) {
        if (operation == Reduction.SUM) {
            return a + b;
        }
        int order = type == ElementType.ULONG ? Long.compareUnsigned(a, b) : Long.compare(a, b);
        return (operation == Reduction.MIN) == (order <= 0) ? a : b;
    }
}
