package dev.evener.kernels.reference;

import dev.evener.ElementType;
import dev.evener.kernels.sort.RadixSort;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Comparator;

/** The yardstick of {@link RadixSort}: the JDK's own sorts. */
public final class RadixSortReference {
    private RadixSortReference() {}

    /**
     * The order of the keys, as indices: the result's key {@code i} is the input's key {@code order[i]}. Equal keys keep
     * their order.
     *
     * @param keys in native byte order
     */
    public static int[] order(ElementType type, ByteBuffer keys) {
        ByteBuffer view = keys.duplicate().order(ByteOrder.nativeOrder());
        Comparator<Integer> comparator = switch (type) {
            case UINT -> (a, b) -> Integer.compareUnsigned(view.getInt(4 * a), view.getInt(4 * b));
            case INT -> Comparator.comparingInt(i -> view.getInt(4 * i));
            case FLOAT ->
                Comparator.<Integer>comparingDouble(i -> view.getFloat(4 * i))
                        .thenComparing(i -> nanRank(view.getInt(4 * i)), Long::compareUnsigned);
            case ULONG -> (a, b) -> Long.compareUnsigned(view.getLong(8 * a), view.getLong(8 * b));
            case LONG -> Comparator.comparingLong(i -> view.getLong(8 * i));
            case DOUBLE ->
                Comparator.<Integer>comparingDouble(i -> view.getDouble(8 * i))
                        .thenComparing(i -> nanRank(view.getLong(8 * i)), Long::compareUnsigned);
            default -> throw new IllegalArgumentException("keys of " + type.openClName());
        };
        Integer[] order = new Integer[view.limit() / type.bytes()];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, comparator);
        return Arrays.stream(order).mapToInt(i -> i).toArray();
    }

    /** Java takes all NaNs for equal; here those without a sign bit come first, by their bits, then those with one, backwards. */
    private static long nanRank(int bits) {
        return Float.isNaN(Float.intBitsToFloat(bits))
                ? bits >= 0 ? bits : (~(long) bits & 0xFFFFFFFFL) | (1L << 32)
                : 0;
    }

    private static long nanRank(long bits) {
        return Double.isNaN(Double.longBitsToDouble(bits)) ? bits >= 0 ? bits : ~bits | Long.MIN_VALUE : 0;
    }
}
