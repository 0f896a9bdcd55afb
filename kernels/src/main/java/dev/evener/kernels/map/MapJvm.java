package dev.evener.kernels.map;

import dev.evener.JvmKernel;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;

/** The Java form of {@code map.cl}: arguments in the kernels' order. Stateless. */
final class MapJvm {
    private MapJvm() {}

    static void addFloats(JvmKernel.Chunk chunk) {
        FloatBuffer a = chunk.buffer(0).asFloatBuffer();
        FloatBuffer b = chunk.buffer(1).asFloatBuffer();
        FloatBuffer c = chunk.buffer(2).asFloatBuffer();
        for (int i = 0; i < chunk.units(); i++) {
            float sum = a.get(i) + b.get(i);
            c.put(i, Float.isNaN(sum) ? Float.NaN : sum); // one NaN
        }
    }

    static void addInts(JvmKernel.Chunk chunk) {
        IntBuffer a = chunk.buffer(0).asIntBuffer();
        IntBuffer b = chunk.buffer(1).asIntBuffer();
        IntBuffer c = chunk.buffer(2).asIntBuffer();
        for (int i = 0; i < chunk.units(); i++) {
            c.put(i, a.get(i) + b.get(i));
        }
    }

    static void invertWords(JvmKernel.Chunk chunk) {
        IntBuffer in = chunk.buffer(0).asIntBuffer();
        IntBuffer out = chunk.buffer(1).asIntBuffer();
        for (int i = 0; i < chunk.units(); i++) {
            out.put(i, in.get(i) ^ 0x00ffffff);
        }
    }

    static void invertBytes(JvmKernel.Chunk chunk) {
        ByteBuffer in = chunk.buffer(0);
        ByteBuffer out = chunk.buffer(1);
        for (int i = 0; i < chunk.units(); i++) {
            out.put(i, (byte) ~in.get(i));
        }
    }
}
