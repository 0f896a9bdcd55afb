package dev.evener.kernels.sort;

import dev.evener.ElementType;
import java.nio.ByteBuffer;

/**
 * How keys of one type are put in order: each is mapped to a number that orders, unsigned, as the key does. The mapping is
 * one to one and the same as in {@code keys.cl}.
 */
enum KeyOrder {
    UNSIGNED_32(false),
    SIGNED_32(false),
    FLOATING_32(false),
    UNSIGNED_64(true),
    SIGNED_64(true),
    FLOATING_64(true);

    private static final long WORD = 0xFFFFFFFFL;

    private final boolean wide;

    KeyOrder(boolean wide) {
        this.wide = wide;
    }

    static KeyOrder of(ElementType type) {
        return switch (type) {
            case UINT -> UNSIGNED_32;
            case INT -> SIGNED_32;
            case FLOAT -> FLOATING_32;
            case ULONG -> UNSIGNED_64;
            case LONG -> SIGNED_64;
            case DOUBLE -> FLOATING_64;
            case BYTE, UBYTE, SHORT, USHORT ->
                throw new IllegalArgumentException(
                        "sort: keys must be uint, int, float, ulong, long or double, not " + type.openClName());
        };
    }

    /** Whether a key has 64 bits. */
    boolean wide() {
        return wide;
    }

    /** Whether it is a two's complement number. */
    boolean signed() {
        return this == SIGNED_32 || this == SIGNED_64;
    }

    int bits() {
        return wide ? Long.SIZE : Integer.SIZE;
    }

    /** What the OpenCL form is built with. */
    String options() {
        String kind = switch (this) {
            case UNSIGNED_32, UNSIGNED_64 -> "";
            case SIGNED_32, SIGNED_64 -> " -D SIGNED";
            case FLOATING_32, FLOATING_64 -> " -D FLOATING";
        };
        return kind + (wide ? " -D WIDE" : "");
    }

    /** The number that stands for the key at an index of a buffer; of 32 bits, the upper ones are 0. */
    long read(ByteBuffer keys, int index) {
        return ordered(wide ? keys.getLong(index * Long.BYTES) : keys.getInt(index * Integer.BYTES));
    }

    /** Puts the key that a number stands for. */
    void write(ByteBuffer keys, int index, long number) {
        if (wide) {
            keys.putLong(index * Long.BYTES, original(number));
        } else {
            keys.putInt(index * Integer.BYTES, (int) original(number));
        }
    }

    /** The number that stands for a key. */
    long ordered(long bits) {
        return switch (this) {
            case UNSIGNED_32 -> bits & WORD;
            case SIGNED_32 -> (bits ^ 0x80000000L) & WORD;
            case FLOATING_32 -> {
                int word = (int) bits;
                yield ((word < 0 ? ~word : word ^ 0x80000000) - 0x007FFFFF) & WORD;
            }
            case UNSIGNED_64 -> bits;
            case SIGNED_64 -> bits ^ Long.MIN_VALUE;
            case FLOATING_64 -> (bits < 0 ? ~bits : bits ^ Long.MIN_VALUE) - 0x000FFFFFFFFFFFFFL;
        };
    }

    private long original(long number) {
        return switch (this) {
            case UNSIGNED_32 -> number;
            case SIGNED_32 -> number ^ 0x80000000L;
            case FLOATING_32 -> {
                int word = (int) number + 0x007FFFFF;
                yield word < 0 ? word ^ 0x80000000 : ~word;
            }
            case UNSIGNED_64 -> number;
            case SIGNED_64 -> number ^ Long.MIN_VALUE;
            case FLOATING_64 -> {
                long word = number + 0x000FFFFFFFFFFFFFL;
                yield word < 0 ? word ^ Long.MIN_VALUE : ~word;
            }
        };
    }
}
