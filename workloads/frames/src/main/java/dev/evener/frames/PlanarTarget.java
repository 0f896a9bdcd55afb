package dev.evener.frames;

import dev.evener.kernels.tonemap.FrameLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/** Places decoded pixels into the planar rows of {@link FrameLayout}. One thread. */
final class PlanarTarget {
    private final FloatBuffer floats;
    private final int stride;
    private final int rowFloats;

    /**
     * Takes the frame's memory from the buffer's position on and zeroes its padding, which may hold an earlier frame.
     */
    PlanarTarget(ByteBuffer target, FrameLayout size) {
        this.floats = target.slice().order(ByteOrder.nativeOrder()).asFloatBuffer();
        this.stride = size.stride();
        this.rowFloats = size.rowFloats();
        float[] zeros = new float[stride - size.width()];
        if (zeros.length > 0) {
            for (int channel = 0; channel < 3 * size.height(); channel++) {
                floats.put(channel * stride + size.width(), zeros);
            }
        }
    }

    /** Puts {@code count} pixels side by side, the first at {@code column}. */
    void putRow(int row, int column, int count, float[] red, float[] green, float[] blue) {
        int at = row * rowFloats + column;
        floats.put(at, red, 0, count);
        floats.put(at + stride, green, 0, count);
        floats.put(at + 2 * stride, blue, 0, count);
    }
}
