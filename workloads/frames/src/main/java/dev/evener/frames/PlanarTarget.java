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

    /** Puts {@code count} pixels of a colour, 0 to 2, side by side, the first at {@code column}. */
    void put(int colour, int row, int column, int count, float[] values) {
        floats.put(row * rowFloats + colour * stride + column, values, 0, count);
    }
}
