package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapReference;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.kernels.tonemap.ToneMapper;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The main job on a made-up frame: luminance statistics, exposure on the host, and the map, with the settings that {@code
 * evener tonemap} has by default. The frame's luminances spread over 16 octaves.
 */
final class ToneMapping implements Workload {
    private static final int CHANNELS = 3;

    private static final Parameter<Operator> OPERATOR = Parameter.choice(
            "operator",
            "how luminances are mapped",
            Operator.REINHARD_EXTENDED,
            List.of(Operator.values()),
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

    private static final Parameter<Integer> WIDTH = ImageShape.widthParameter();

    @Override
    public About about() {
        return new About(
                "tonemap",
                "tone mapping of a made-up HDR frame with automatic exposure, two phases",
                "pixel",
                "image row",
                "ubyte: red, green, blue and 255 of each pixel, row by row",
                List.of(16L << 10, 512L << 10, 8L << 20));
    }

    @Override
    public List<Parameter<?>> parameters() {
        return List.of(OPERATOR, EXPOSURE, WIDTH, HostBuffers.RESIDENT);
    }

    @Override
    public List<Input> inputs(Values values) {
        return List.of(
                new Input("pixels", ElementType.FLOAT, CHANNELS, "red, green and blue of each pixel, row by row"));
    }

    @Override
    public long mostItems(Values values) {
        return 128L << 20;
    }

    @Override
    public void check(Request request) {
        ImageShape.of(request, WIDTH);
    }

    @Override
    public PreparedWorkload prepare(Evener evener, Request request) {
        return HostBuffers.ownedBy(evener, buffers -> new Prepared(buffers, request));
    }

    /** Any float from 2^-8 to 2^8, its logarithm almost evenly spread. */
    static float component(long draw) {
        int exponent = 127 - 8 + (int) (draw >>> 60);
        return Float.intBitsToFloat((exponent << 23) | ((int) (draw >>> 37) & 0x7fffff));
    }

    private static final class Prepared extends PreparedData {
        private final ToneMapSettings settings;
        private final FrameLayout layout;
        private final HostBuffer frame;
        private final HostBuffer pixels;
        private final ToneMapper mapper;
        private final Job job;

        Prepared(HostBuffers buffers, Request request) {
            super(buffers, request);
            ToneMapSettings automatic = ToneMapSettings.of(request.get(OPERATOR));
            String exposure = request.get(EXPOSURE);
            settings = exposure.equals(AUTOMATIC) ? automatic : automatic.withExposure(Double.parseDouble(exposure));
            ImageShape shape = ImageShape.of(request, WIDTH);
            layout = new FrameLayout(shape.width(), shape.height());
            frame = allocate(ElementType.FLOAT, layout.floats());
            pixels = allocate(ElementType.UINT, layout.words());
            fill(frame.floats());
            if (request.get(HostBuffers.RESIDENT)) {
                frame.keepOnDevices();
            }
            mapper = new ToneMapper(buffers::allocate, request.tuning());
            job = mapper.job(layout, frame, pixels, settings);
        }

        private void fill(FloatBuffer planar) {
            if (!request().fromFiles()) {
                Draws draws = request().draws(0, planar.capacity());
                for (int i = 0; i < planar.capacity(); i++) {
                    planar.put(i, component(draws.at(i)));
                }
                clearPadding(planar);
                return;
            }
            try (HostBuffer given = buffers().temporary(ElementType.FLOAT, CHANNELS * layout.pixels())) {
                request().fill(0, given);
                FloatBuffer pixelwise = given.floats();
                for (int i = 0; i < pixelwise.capacity(); i++) {
                    int pixel = i / CHANNELS;
                    int row = pixel / layout.width() * layout.rowFloats();
                    planar.put(row + i % CHANNELS * layout.stride() + pixel % layout.width(), pixelwise.get(i));
                }
            }
        }

        private void clearPadding(FloatBuffer planar) {
            for (int line = 0; line < CHANNELS * layout.height(); line++) {
                for (int x = layout.width(); x < layout.stride(); x++) {
                    planar.put(line * layout.stride() + x, 0);
                }
            }
        }

        @Override
        public long items() {
            return layout.pixels();
        }

        @Override
        public double bytesPerItem() {
            int map = CHANNELS * Float.BYTES + Integer.BYTES;
            return settings.needsStatistics() ? CHANNELS * Float.BYTES + map : map;
        }

        @Override
        public Job job() {
            return job;
        }

        @Override
        public void reset() {
            IntBuffer words = pixels.ints();
            for (int i = 0; i < words.capacity(); i++) {
                words.put(i, 0x00ff00ff); // a magenta that no pixel of these luminances becomes
            }
        }

        @Override
        public @Nullable String mismatch() {
            byte[] expected = ToneMapReference.map(frame.floats(), layout, settings);
            ToneMapReference.Difference difference = ToneMapReference.compare(expected, pixels.ints(), layout);
            return difference.largest() <= 1
                    ? null
                    : first(expected) + "; the picture differs from the reference by up to " + difference.largest()
                            + " codes, in " + difference.differing() + " of " + expected.length + " values";
        }

        /** The first value that is off by more than one code. */
        private String first(byte[] expected) {
            IntBuffer words = pixels.ints();
            for (int i = 0; i < expected.length; i++) {
                int pixel = i / CHANNELS;
                int x = pixel % layout.width();
                int y = pixel / layout.width();
                int code = words.get(y * layout.stride() + x) >> (8 * (i % CHANNELS)) & 0xff;
                int wanted = Byte.toUnsignedInt(expected[i]);
                if (Math.abs(code - wanted) > 1) {
                    return "component " + i % CHANNELS + " of pixel (" + x + ", " + y + ") is " + code + ", not "
                            + wanted;
                }
            }
            throw new IllegalStateException("there is no such value");
        }

        @Override
        public Output output() {
            return target -> {
                ByteBuffer all = pixels.bytes();
                for (int row = 0; row < layout.height(); row++) {
                    int start = row * layout.stride() * Integer.BYTES;
                    Output.write(all.slice(start, layout.width() * Integer.BYTES), target);
                }
            };
        }
    }
}
