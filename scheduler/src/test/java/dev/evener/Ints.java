package dev.evener;

import java.nio.ByteBuffer;
import java.nio.IntBuffer;

/** 32-bit elements of a buffer, in however many segments it lies. */
final class Ints {
    private Ints() {}

    static void put(HostBuffer buffer, long index, int value) {
        buffer.bytes(index * Integer.BYTES, Integer.BYTES).putInt(0, value);
    }

    static int at(HostBuffer buffer, long index) {
        return buffer.bytes(index * Integer.BYTES, Integer.BYTES).getInt(0);
    }

    /** Writes all elements. */
    static void putAll(HostBuffer buffer, int[] values) {
        int at = 0;
        for (ByteBuffer segment : buffer.segments()) {
            IntBuffer ints = segment.asIntBuffer();
            int length = Math.min(ints.remaining(), values.length - at);
            ints.put(values, at, length);
            at += length;
        }
    }

    /** Reads the first elements. */
    static int[] first(HostBuffer buffer, int elements) {
        int[] values = new int[elements];
        int at = 0;
        for (ByteBuffer segment : buffer.segments()) {
            IntBuffer ints = segment.asIntBuffer();
            int length = Math.min(ints.remaining(), elements - at);
            ints.get(values, at, length);
            at += length;
        }
        return values;
    }
}
