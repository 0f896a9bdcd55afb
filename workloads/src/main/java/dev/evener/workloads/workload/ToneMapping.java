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
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The main job on a made-up frame: luminance statistics, exposure on the host, and the map, with the settings that {@code
 * evener tonemap} has by default. The frame's luminances spread over 16 octaves.
 */
final class ToneMapping implements Workload {
    private static final ToneMapSettings SETTINGS = ToneMapSettings.of(Operator.REINHARD_EXTENDED);

    @Override
    public String name() {
        return "tonemap";
    }

    @Override
    public String description() {
        return "tone mapping of a made-up HDR frame with automatic exposure, two phases";
    }

    @Override
    public String item() {
        return "pixel";
    }

    @Override
    public String unit() {
        return "image row";
    }

    @Override
    public List<Long> defaultSizes() {
        return List.of(16L << 10, 512L << 10, 8L << 20);
    }

    @Override
    public long mostItems() {
        return 128L << 20; // a frame, three floats a pixel, is one buffer of less than 2 GiB
    }

    @Override
    public double bytesPerItem() {
        return 12 + 12 + 4;
    }

    @Override
    public double flopsPerItem() {
        return 0;
    }

    @Override
    public PreparedWorkload prepare(Evener evener, long items, long seed) {
        ImageShape shape = ImageShape.of(items);
        FrameLayout layout = new FrameLayout(shape.width(), shape.height());
        return HostBuffers.ownedBy(evener, buffers -> new Prepared(buffers, layout, seed));
    }

    private static final class Prepared implements PreparedWorkload {
        private final HostBuffers buffers;
        private final FrameLayout layout;
        private final HostBuffer frame;
        private final HostBuffer pixels;
        private final ToneMapper mapper;
        private final Job job;

        Prepared(HostBuffers buffers, FrameLayout layout, long seed) {
            this.buffers = buffers;
            this.layout = layout;
            frame = buffers.allocate(ElementType.FLOAT, layout.floats());
            pixels = buffers.allocate(ElementType.UINT, layout.words());
            fill(frame.floats(), seed);
            mapper = new ToneMapper(buffers::allocate);
            job = mapper.job(layout, frame, pixels, SETTINGS);
        }

        /** Any float from 2^-8 to 2^8, its logarithm almost evenly spread: random bits below a random exponent. */
        private static void fill(FloatBuffer frame, long seed) {
            for (int i = 0; i < frame.capacity(); i++) {
                int bits = (int) SeededData.bits(seed, i);
                int exponent = 127 - 8 + (bits >>> 28);
                frame.put(i, Float.intBitsToFloat((exponent << 23) | (bits & 0x7fffff)));
            }
        }

        @Override
        public long items() {
            return layout.pixels();
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
            byte[] expected = ToneMapReference.map(frame.floats(), layout, SETTINGS);
            ToneMapReference.Difference difference = ToneMapReference.compare(expected, pixels.ints(), layout);
            return difference.largest() <= 1
                    ? null
                    : "the picture differs from the reference by up to " + difference.largest() + " codes, in "
                            + difference.differing() + " of " + expected.length + " values";
        }

        @Override
        public void close() {
            mapper.close();
            buffers.close();
        }
    }
}
