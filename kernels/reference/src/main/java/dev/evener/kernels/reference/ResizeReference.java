package dev.evener.kernels.reference;

import dev.evener.kernels.tonemap.FrameLayout;
import java.nio.FloatBuffer;

/**
 * The yardstick of resized frames: Lanczos' filter of three lobes, as wide as a pixel of the smaller size, down the
 * columns and then along the rows; each sum kept within the range of the pixels less than a lobe away. Written from
 * that definition, one sum after another.
 *
 * <p>Part of the definition, as pictures are compared bit by bit: weights add up to 1 before they become floats, less
 * than 2<sup>-24</sup> is 0; floats are multiplied and added from left to right and from top to bottom; results below
 * 2<sup>-100</sup> are 0.
 *
 * <p>Stateless; any thread.
 */
public final class ResizeReference {
    private ResizeReference() {}

    /**
     * Resizes a frame.
     *
     * @param frame at least {@link FrameLayout#floats} floats in planar rows, of any kind
     * @param wrap whether beyond the left and right edge are the pixels at the other one
     * @return the frame of the new size in planar rows, padding 0
     */
    public static FloatBuffer resize(FloatBuffer frame, FrameLayout from, FrameLayout to, boolean wrap) {
        return resize(frame, from, to, 3, wrap);
    }

    /** The same of rows with so many planes. */
    public static FloatBuffer resize(FloatBuffer frame, FrameLayout from, FrameLayout to, int planes, boolean wrap) {
        FloatBuffer resized = FloatBuffer.allocate(planes * to.words());
        float[][] columns = new float[from.width()][];
        for (int channel = 0; channel < planes; channel++) {
            for (int x = 0; x < from.width(); x++) {
                float[] column = new float[from.height()];
                for (int y = 0; y < from.height(); y++) {
                    column[y] = clean(frame.get((planes * y + channel) * from.stride() + x));
                }
                columns[x] = line(column, to.height(), false);
            }
            for (int y = 0; y < to.height(); y++) {
                float[] row = new float[from.width()];
                for (int x = 0; x < row.length; x++) {
                    row[x] = columns[x][y];
                }
                resized.put((planes * y + channel) * to.stride(), line(row, to.width(), wrap));
            }
        }
        return resized;
    }

    private static float[] line(float[] line, int size, boolean around) {
        float[] out = new float[size];
        double scale = (double) line.length / size;
        double lobe = Math.max(1, scale);
        for (int i = 0; i < size; i++) {
            double centre = (i + 0.5) * scale - 0.5;
            int first = (int) Math.floor(centre - 3 * lobe) - 1;
            int last = (int) Math.ceil(centre + 3 * lobe) + 1;
            double all = 0;
            for (int at = first; at <= last; at++) {
                all += weight((at - centre) / lobe);
            }
            float sum = 0;
            float least = Float.POSITIVE_INFINITY;
            float greatest = Float.NEGATIVE_INFINITY;
            for (int at = first; at <= last; at++) {
                int within = around ? Math.floorMod(at, line.length) : Math.max(0, Math.min(line.length - 1, at));
                double share = weight((at - centre) / lobe) / all;
                sum += line[within] * (Math.abs(share) < 0x1p-24 ? 0 : (float) share);
                if (Math.abs((at - centre) / lobe) < 1) {
                    least = Math.min(least, line[within]);
                    greatest = Math.max(greatest, line[within]);
                }
            }
            float kept = Math.min(Math.max(sum, least), greatest);
            out[i] = Math.abs(kept) < 0x1p-100f ? 0 : kept;
        }
        return out;
    }

    private static double weight(double away) {
        return Math.abs(away) < 3 ? sinc(away) * sinc(away / 3) : 0;
    }

    private static double sinc(double x) {
        return x == 0 ? 1 : StrictMath.sin(Math.PI * x) / (Math.PI * x);
    }

    private static float clean(float c) {
        return c > -0x1p40f ? Math.min(c, 0x1p40f) : 0;
    }
}
