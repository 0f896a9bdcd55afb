package dev.evener.kernels.reference;

import dev.evener.kernels.tonemap.FrameLayout;
import java.nio.FloatBuffer;

/**
 * The yardstick of frames with alpha: colours that were multiplied by it are divided by it, one after another; where 16
 * bits have none, below 2<sup>-17</sup>, they are black. Stateless; any thread.
 */
public final class AlphaReference {
    private AlphaReference() {}

    /**
     * The alpha of a frame whose rows have four planes: from 0, which NaN counts as, to 1.
     *
     * @return a plane, {@link FrameLayout#stride} a row
     */
    public static FloatBuffer of(FloatBuffer frame, FrameLayout layout) {
        FloatBuffer alpha = FloatBuffer.allocate(layout.words());
        for (int i = 0; i < layout.words(); i++) {
            int row = i / layout.stride();
            float a = frame.get((4 * row + 3) * layout.stride() + i % layout.stride());
            alpha.put(i, a > 1 ? 1 : a > 0 ? a : 0);
        }
        return alpha;
    }

    /** The colours of planar rows without alpha, as they are to be measured and mapped. */
    public static FloatBuffer unassociated(FloatBuffer colours, FloatBuffer alpha, FrameLayout layout) {
        FloatBuffer out = FloatBuffer.allocate(layout.floats());
        for (int i = 0; i < layout.floats(); i++) {
            float a = alpha.get(i / layout.rowFloats() * layout.stride() + i % layout.stride());
            float c = colours.get(i);
            boolean counts = c > -0x1p40f && a >= 0x1p-17f; // NaN is no colour
            out.put(i, counts ? Math.min(c, 0x1p40f) / a : 0);
        }
        return out;
    }
}
