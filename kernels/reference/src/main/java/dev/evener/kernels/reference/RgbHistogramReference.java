package dev.evener.kernels.reference;

import dev.evener.kernels.histogram.RgbHistogram;
import java.nio.IntBuffer;

/** One pixel after another: what an {@link RgbHistogram} is checked against. Stateless; any thread. */
public final class RgbHistogramReference {
    private RgbHistogramReference() {}

    /** Counts of red, then green, then blue. */
    public static long[] count(IntBuffer pixels, int bins) {
        long[] counts = new long[3 * bins];
        for (int i = 0; i < pixels.limit(); i++) {
            for (int colour = 0; colour < 3; colour++) {
                int value = Math.floorMod(pixels.get(i) >>> (8 * colour), 256);
                counts[colour * bins + value * bins / 256]++;
            }
        }
        return counts;
    }
}
