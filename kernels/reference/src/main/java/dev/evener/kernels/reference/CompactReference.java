package dev.evener.kernels.reference;

import dev.evener.kernels.compact.Compact;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;

/** The yardstick of {@link Compact}: a filter of the JDK's. */
public final class CompactReference {
    private CompactReference() {}

    /** The indices below {@code n} for which a condition holds, ascending. */
    public static long[] indices(long n, LongPredicate keeps) {
        return LongStream.range(0, n).filter(keeps).toArray();
    }
}
