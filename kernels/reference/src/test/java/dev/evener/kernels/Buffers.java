package dev.evener.kernels;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;

/** Buffers from arrays and back, for tests. */
public final class Buffers {
    private Buffers() {}

    public static HostBuffer of(Evener evener, float[] values) {
        HostBuffer buffer = evener.allocate(ElementType.FLOAT, values.length);
        buffer.floats().put(values);
        return buffer;
    }

    public static HostBuffer of(Evener evener, int[] values) {
        HostBuffer buffer = evener.allocate(ElementType.UINT, values.length);
        buffer.ints().put(values);
        return buffer;
    }

    public static HostBuffer of(Evener evener, byte[] values) {
        HostBuffer buffer = evener.allocate(ElementType.UBYTE, values.length);
        buffer.bytes().put(values);
        return buffer;
    }

    /** The first so many words. */
    public static int[] ints(HostBuffer buffer, int count) {
        int[] values = new int[count];
        buffer.ints().get(values);
        return values;
    }

    /** The first so many floats. */
    public static float[] floats(HostBuffer buffer, int count) {
        float[] values = new float[count];
        buffer.floats().get(values);
        return values;
    }

    /** The first so many 16-bit values. */
    public static short[] shorts(HostBuffer buffer, int count) {
        short[] values = new short[count];
        buffer.bytes().asShortBuffer().get(values);
        return values;
    }

    /** The first so many bytes. */
    public static byte[] bytes(HostBuffer buffer, int count) {
        byte[] values = new byte[count];
        buffer.bytes().get(values);
        return values;
    }
}
