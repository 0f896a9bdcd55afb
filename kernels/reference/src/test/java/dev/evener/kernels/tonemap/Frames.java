package dev.evener.kernels.tonemap;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.TestBuffers;
import java.nio.FloatBuffer;
import java.util.Random;
import java.util.function.DoubleSupplier;

/** Synthetic frames in planar rows. */
final class Frames {
    private static final float[] SPECIAL = {
        0f,
        -0f,
        Float.NaN,
        Float.POSITIVE_INFINITY,
        Float.NEGATIVE_INFINITY,
        -1f,
        -Float.MIN_VALUE,
        Float.MIN_VALUE,
        Float.MIN_NORMAL,
        1e-40f,
        Float.MAX_VALUE,
        1e30f,
        0x1p-40f,
        0x1.fffffep-41f,
        0x1p40f,
        0x1.000002p40f,
        0x1.8p39f,
        0x1p-24f,
        0x1p-44f,
        1f,
        0.18f,
        0.0031308f,
        1e-5f,
        100f,
        1000f
    };

    private Frames() {}

    /** A frame whose components come from the supplier. */
    static HostBuffer of(FrameLayout layout, DoubleSupplier component) {
        HostBuffer buffer = TestBuffers.allocate(ElementType.FLOAT, layout.floats());
        FloatBuffer floats = buffer.floats();
        for (int row = 0; row < 3 * layout.height(); row++) {
            for (int x = 0; x < layout.width(); x++) {
                floats.put(row * layout.stride() + x, (float) component.getAsDouble());
            }
        }
        for (int i = 0; i < floats.capacity(); i++) {
            int red = i / layout.stride() % 3 == 0 ? i : 0;
            settle(floats, red, red + layout.stride(), red + 2 * layout.stride());
        }
        return buffer;
    }

    /** Makes a pixel black whose positive and negative components nearly cancel: rounding errors would decide its luminance. */
    private static void settle(FloatBuffer floats, int... pixel) {
        double sum = 0;
        double most = 0;
        double[] weights = {0.2126, 0.7152, 0.0722};
        for (int i = 0; i < 3; i++) {
            double c = Math.min(floats.get(pixel[i]), 0x1p40);
            double part = c > -0x1p40 ? weights[i] * c : 0;
            sum += part;
            most = Math.max(most, -part);
        }
        if (Math.abs(sum) < most / 10) {
            for (int i : pixel) {
                floats.put(i, 0);
            }
        }
    }

    /** A frame of red, green, blue of each pixel. */
    static HostBuffer interleaved(FrameLayout layout, float[] rgb) {
        HostBuffer buffer = TestBuffers.allocate(ElementType.FLOAT, layout.floats());
        for (int i = 0; i < rgb.length; i++) {
            int pixel = i / 3;
            int row = pixel / layout.width() * layout.rowFloats();
            buffer.floats().put(row + i % 3 * layout.stride() + pixel % layout.width(), rgb[i]);
        }
        return buffer;
    }

    /** Values that break careless code, among ordinary ones. */
    static HostBuffer special(FrameLayout layout, long seed) {
        Random random = new Random(seed);
        return of(
                layout,
                () -> random.nextInt(3) == 0
                        ? SPECIAL[random.nextInt(SPECIAL.length)]
                        : Math.exp(3 * random.nextGaussian()));
    }

    /** Random bits: every kind of float. */
    static HostBuffer bits(FrameLayout layout, long seed) {
        Random random = new Random(seed);
        return of(layout, () -> Float.intBitsToFloat(random.nextInt()));
    }

    /** Components spread evenly over 80 octaves. */
    static HostBuffer octaves(FrameLayout layout, long seed) {
        Random random = new Random(seed);
        return of(layout, () -> Math.pow(2, 80 * random.nextDouble() - 40));
    }

    /** Components spread evenly over [0, 2). */
    static HostBuffer uniform(FrameLayout layout, long seed) {
        Random random = new Random(seed);
        return of(layout, () -> 2 * random.nextDouble());
    }

    /** Coded pixels, half of them as files have them, half of any kind. */
    static HostBuffer coded(FrameLayout layout, int seed) {
        Random random = new Random(seed);
        HostBuffer buffer = TestBuffers.allocate(ElementType.UINT, layout.words());
        for (int i = 0; i < layout.words(); i++) {
            int exponent = i % 2 == 0 ? 120 + random.nextInt(20) : random.nextInt(256);
            boolean counts = i % layout.stride() < layout.width();
            buffer.ints().put(i, counts ? random.nextInt(1 << 24) | exponent << 24 : 0);
        }
        return buffer;
    }

    /** Words of a picture, padding included. */
    static int words(FrameLayout layout, Operator operator) {
        return operator.words() * layout.words();
    }

    /** An output for the frame, filled with rubbish. */
    static HostBuffer output(FrameLayout layout, Operator operator) {
        HostBuffer buffer = TestBuffers.allocate(ElementType.UINT, words(layout, operator));
        for (int i = 0; i < buffer.elements(); i++) {
            buffer.ints().put(i, 0x5a5a5a5a);
        }
        return buffer;
    }
}
