package dev.evener.workloads.workload.suite;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.kernels.reference.ToneMapReference;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.kernels.tonemap.ToneMapper;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.ImageShape;
import dev.evener.workloads.workload.Output;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.SyntheticData;
import dev.evener.workloads.workload.Workload;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The main job on a synthetic frame: luminance statistics, exposure on the host, and the map, with the settings that {@code
 * evener tonemap} has by default. The frame's luminances spread over 16 octaves.
 */
final class ToneMapping extends Workload {
    private static final int CHANNELS = 3;

    private static final Parameter<Operator> OPERATOR = Parameter.choice(
            "operator",
            "how luminances are mapped",
            Operator.REINHARD_EXTENDED,
            Stream.of(Operator.values()).filter(o -> o.words() == 1).toList(),
            Operator::commandLineName);

    private static final String AUTOMATIC = "automatic";

    private static final Parameter<String> EXPOSURE = Parameter.text(
            "exposure",
            AUTOMATIC,
            "automatic, or a number of stops",
            "of the frame; with a number, operators but the extended Reinhard's and Drago's need no statistics",
            text -> {
                if (!text.equals(AUTOMATIC) && !(Math.abs(Double.parseDouble(text)) <= 30)) {
                    throw new IllegalArgumentException();
                }
                return text;
            });

    ToneMapping() {
        super("tonemap", "tone mapping of a synthetic HDR frame with automatic exposure, two phases");
        items("pixel", "image row", 16L << 10, 512L << 10, 8L << 20);
        parameters(OPERATOR, EXPOSURE, ImageShape.WIDTH, RESIDENT);
        reads("pixels", ElementType.FLOAT, CHANNELS, "red, green and blue of each pixel, row by row");
        writes("ubyte: red, green, blue and 255 of each pixel, row by row");
        atMost(128L << 20);
        tunes("tonemap", items -> items / 2, Distribution.UNIFORM);
    }

    @Override
    public void prepare(PreparedWorkload setup) {
        ToneMapSettings automatic = ToneMapSettings.of(setup.get(OPERATOR));
        String exposure = setup.get(EXPOSURE);
        ToneMapSettings settings =
                exposure.equals(AUTOMATIC) ? automatic : automatic.withExposure(Double.parseDouble(exposure));
        ImageShape shape = ImageShape.of(setup.request());
        FrameLayout layout = new FrameLayout(shape.width(), shape.height());
        HostBuffer frame = setup.allocate(ElementType.FLOAT, layout.floats());
        HostBuffer pixels = setup.allocate(ElementType.UINT, layout.words());
        fill(setup, layout, frame.floats());
        int map = CHANNELS * Float.BYTES + Integer.BYTES;
        setup.job(new ToneMapper(setup::allocate, setup.tuning())
                        .job(layout, setup.seenByJobs(frame), pixels, settings))
                .items(layout.pixels())
                .bytesPerItem(settings.needsStatistics() ? CHANNELS * Float.BYTES + map : map)
                .reset(() -> spoil(pixels.ints()))
                .writes(Output.pixels(pixels, layout, 1))
                .check(() -> mismatch(ToneMapReference.map(frame.floats(), layout, settings), pixels.ints(), layout));
    }

    private static void fill(PreparedWorkload setup, FrameLayout layout, FloatBuffer planar) {
        if (!setup.request().fromFiles()) {
            fill(planar, layout, setup.request().synthetic(0, planar.capacity()));
            return;
        }
        try (HostBuffer given = setup.temporary(ElementType.FLOAT, CHANNELS * layout.pixels())) {
            setup.request().fill(0, given);
            FloatBuffer pixelwise = given.floats();
            for (int i = 0; i < pixelwise.capacity(); i++) {
                int pixel = i / CHANNELS;
                int row = pixel / layout.width() * layout.rowFloats();
                planar.put(row + i % CHANNELS * layout.stride() + pixel % layout.width(), pixelwise.get(i));
            }
        }
    }

    /** Padding is 0. */
    private static void fill(FloatBuffer planar, FrameLayout layout, SyntheticData data) {
        for (int i = 0; i < planar.capacity(); i++) {
            planar.put(i, i % layout.stride() < layout.width() ? component(data.at(i)) : 0);
        }
    }

    /** Any float from 2^-8 to 2^8, its logarithm almost evenly spread. */
    static float component(long draw) {
        int exponent = 127 - 8 + (int) (draw >>> 60);
        return Float.intBitsToFloat((exponent << 23) | ((int) (draw >>> 37) & 0x7fffff));
    }

    private static void spoil(IntBuffer words) {
        for (int i = 0; i < words.capacity(); i++) {
            words.put(i, 0x00ff00ff); // a magenta that no pixel of these luminances becomes
        }
    }

    private static @Nullable String mismatch(byte[] expected, IntBuffer words, FrameLayout layout) {
        ToneMapReference.Difference difference = ToneMapReference.compare(expected, words, layout);
        return difference.largest() <= 1
                ? null
                : first(expected, words, layout) + "; the picture differs from the reference by up to "
                        + difference.largest() + " codes, in " + difference.differing() + " of " + expected.length
                        + " values";
    }

    /** The first value that is off by more than one code. */
    private static String first(byte[] expected, IntBuffer words, FrameLayout layout) {
        for (int i = 0; i < expected.length; i++) {
            int x = i / CHANNELS % layout.width();
            int y = i / CHANNELS / layout.width();
            int code = words.get(y * layout.stride() + x) >> (8 * (i % CHANNELS)) & 0xff;
            int wanted = Byte.toUnsignedInt(expected[i]);
            if (Math.abs(code - wanted) > 1) {
                return "component " + i % CHANNELS + " of pixel (" + x + ", " + y + ") is " + code + ", not " + wanted;
            }
        }
        throw new IllegalStateException("there is no such value");
    }
}
