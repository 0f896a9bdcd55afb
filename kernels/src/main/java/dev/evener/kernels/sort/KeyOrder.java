package dev.evener.kernels.sort;

import dev.evener.ElementType;
import java.nio.ByteBuffer;

/**
 * How keys of one type are put in order: each is mapped to a number that orders, unsigned, as the key does. The mapping is
 * one to one and the same as in {@code keys.cl}.
 *
 * @param signed whether keys are two's complement numbers
 * @param floating whether they are floats
 * @param wide whether they have 64 bits, and not 32
 */
record KeyOrder(boolean signed, boolean floating, boolean wide) {

    static KeyOrder of(ElementType type) {
        return switch (type) {
            case UINT, ULONG -> new KeyOrder(false, false, type == ElementType.ULONG);
            case INT, LONG -> new KeyOrder(true, false, type == ElementType.LONG);
            case FLOAT, DOUBLE -> new KeyOrder(false, true, type == ElementType.DOUBLE);
            case BYTE, UBYTE, SHORT, USHORT ->
                throw new IllegalArgumentException(
                        "sort: keys must be uint, int, float, ulong, long or double, not " + type.openClName());
        };
    }

    int bits() {
        return wide ? Long.SIZE : Integer.SIZE;
    }

    /** What the OpenCL form is built with. */
    String options() {
        return (signed ? " -D SIGNED" : "") + (floating ? " -D FLOATING" : "") + (wide ? " -D WIDE" : "");
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
        long number = floating
                ? ((bits & sign()) != 0 ? ~bits : bits ^ sign()) - negativeNaNs()
                : signed ? bits ^ sign() : bits;
        return wide ? number : number & 0xFFFFFFFFL;
    }

    private long original(long number) {
        if (!floating) {
            return signed ? number ^ sign() : number;
        }
        long word = number + negativeNaNs();
        return (word & sign()) != 0 ? word ^ sign() : ~word;
    }

    private long sign() {
        return 1L << (bits() - 1);
    }

    /** How many there are, which come last. */
    private long negativeNaNs() {
        return wide ? 0x000FFFFFFFFFFFFFL : 0x007FFFFF;
    }
}
