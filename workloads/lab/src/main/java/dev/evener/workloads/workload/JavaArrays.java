package dev.evener.workloads.workload;

import dev.evener.HostBuffer;

/** Copies of buffers as arrays, which is what references take. Stateless. */
public final class JavaArrays {
    private JavaArrays() {}

    public static byte[] bytes(HostBuffer buffer) {
        byte[] array = new byte[length(buffer)];
        buffer.bytes().get(array);
        return array;
    }

    public static int[] ints(HostBuffer buffer) {
        int[] array = new int[length(buffer)];
        buffer.ints().get(array);
        return array;
    }

    public static long[] longs(HostBuffer buffer) {
        long[] array = new long[length(buffer)];
        buffer.bytes().asLongBuffer().get(array);
        return array;
    }

    public static float[] floats(HostBuffer buffer) {
        float[] array = new float[length(buffer)];
        buffer.floats().get(array);
        return array;
    }

    private static int length(HostBuffer buffer) {
        return Math.toIntExact(buffer.elements());
    }
}
