package dev.evener.workloads.workload.suite;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.HostBuffer;
import dev.evener.frames.FrameException;
import dev.evener.frames.FrameFile;
import dev.evener.kernels.image.Canny;
import dev.evener.kernels.image.ImageSize;
import dev.evener.kernels.pipeline.Pipeline;
import dev.evener.kernels.reference.CannyReference;
import dev.evener.kernels.reference.ToneMapReference;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.PixelCoding;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.kernels.tonemap.ToneMapper;
import dev.evener.workloads.workload.JavaArrays;
import dev.evener.workloads.workload.Placement;
import dev.evener.workloads.workload.StreamWorkload;
import dev.evener.workloads.workload.SyntheticData;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Streams of frames. */
final class FrameStreams {
    private FrameStreams() {}

    /**
     * A frame under way.
     *
     * @param primitive whose own buffers are this frame's
     * @param in the frame
     * @param out its result
     */
    @SuppressWarnings("try") // neither primitive is interrupted
    record Slot<P extends AutoCloseable, S>(P primitive, S size, HostBuffer in, HostBuffer out)
            implements AutoCloseable {
        @Override
        public void close() throws Exception {
            try (primitive;
                    in;
                    out) {
                // each of them, whatever happens
            }
        }
    }

    /** Canny's edges of synthetic pictures: discs of different brightness on a slope, and a little noise. */
    static final class CannyStream extends StreamWorkload<Slot<Canny, ImageSize>> {
        private static final int LOW = 50;
        private static final int HIGH = 100;
        private static final int DISCS = 40;

        CannyStream() {
            super("canny-pipeline", "Canny's edges of a stream of synthetic pictures");
            frames();
        }

        @Override
        protected void slot(Evener evener, List<Slot<Canny, ImageSize>> slots, Frame frame) {
            ImageSize size = new ImageSize(frame.width(), frame.height());
            Slot<Canny, ImageSize> slot = new Slot<>(
                    new Canny(evener::allocate),
                    size,
                    evener.allocate(ElementType.UBYTE, size.pixels()),
                    evener.allocate(ElementType.UBYTE, size.pixels()));
            slots.add(slot);
            slot.in().bytes().put(picture(size, frame.seed()));
        }

        private static byte[] picture(ImageSize size, long seed) {
            byte[] pixels = new byte[size.pixels()];
            for (int y = 0; y < size.height(); y++) {
                for (int x = 0; x < size.width(); x++) {
                    pixels[y * size.width() + x] = (byte) (40L + 80L * x / size.width());
                }
            }
            for (int disc = 0; disc < DISCS; disc++) {
                double cx = draw(seed, disc, 0) * size.width();
                double cy = draw(seed, disc, 1) * size.height();
                double radius = (0.02 + 0.1 * draw(seed, disc, 2)) * size.height();
                byte brightness = (byte) (30 + 200 * draw(seed, disc, 3));
                int last = (int) Math.min(size.height() - 1, cy + radius);
                for (int y = (int) Math.max(0, cy - radius); y <= last; y++) {
                    double half = Math.sqrt(Math.max(0, radius * radius - (y - cy) * (y - cy)));
                    int from = (int) Math.max(0, cx - half);
                    int to = (int) Math.min(size.width(), cx + half);
                    Arrays.fill(pixels, y * size.width() + from, y * size.width() + Math.max(from, to), brightness);
                }
            }
            for (int i = 0; i < pixels.length; i++) {
                pixels[i] += (byte) (SyntheticData.bits(~seed, i) & 3);
            }
            return pixels;
        }

        private static double draw(long seed, int disc, int which) {
            return SyntheticData.unitDouble(SyntheticData.bits(seed, 4L * disc + which));
        }

        @Override
        public Pipeline<Slot<Canny, ImageSize>> open(
                Evener evener, List<Slot<Canny, ImageSize>> slots, Placement placement) {
            return placement
                    .add(
                            Pipeline.over(evener, slots),
                            "canny",
                            s -> s.primitive.job(s.size, s.in, s.out, LOW, HIGH),
                            List.of("classes", "hysteresis"),
                            List.of(
                                    s -> s.primitive.classesJob(s.size, s.in, LOW, HIGH),
                                    s -> s.primitive.hysteresisJob(s.size, s.out)))
                    .open();
        }

        @Override
        protected ByteBuffer result(Slot<Canny, ImageSize> slot) {
            return slot.out().bytes().limit(slot.size().pixels());
        }

        @Override
        public @Nullable String mismatch(Slot<Canny, ImageSize> slot) {
            byte[] expected = CannyReference.edges(slot.size(), JavaArrays.bytes(slot.in()), LOW, HIGH);
            int at = Arrays.mismatch(expected, JavaArrays.bytes(slot.out()));
            int width = slot.size().width();
            return at < 0 ? null : "pixel (" + at % width + ", " + at / width + ") is not as it should be";
        }
    }

    /** Tone mapping with automatic exposure of HDR frames, synthetic or from files. */
    static final class ToneMapStream extends StreamWorkload<Slot<ToneMapper, FrameLayout>> {
        private static final int CHANNELS = 3;
        private static final ToneMapSettings SETTINGS = ToneMapSettings.of(Operator.REINHARD_EXTENDED);

        ToneMapStream() {
            super("tonemap-pipeline", "tone mapping with automatic exposure of a stream of frames");
            frames(FILES);
        }

        @Override
        protected void slot(Evener evener, List<Slot<ToneMapper, FrameLayout>> slots, Frame frame) {
            if (frame.file() == null) {
                fill(add(evener, slots, new FrameLayout(frame.width(), frame.height())), frame.seed());
                return;
            }
            try {
                FrameFile file = FrameFile.open(frame.file());
                ByteBuffer coded = ByteBuffer.allocateDirect(
                                Math.toIntExact(file.coding().bytes(file.size())))
                        .order(ByteOrder.nativeOrder());
                file.decode(coded);
                file.coding()
                        .expand(
                                file.size(),
                                coded,
                                add(evener, slots, file.size()).in().floats());
            } catch (FrameException e) {
                throw new EvenerException(String.valueOf(e.getMessage()), e);
            }
        }

        private static Slot<ToneMapper, FrameLayout> add(
                Evener evener, List<Slot<ToneMapper, FrameLayout>> slots, FrameLayout size) {
            Slot<ToneMapper, FrameLayout> slot = new Slot<>(
                    new ToneMapper(evener::allocate),
                    size,
                    evener.allocate(ElementType.FLOAT, size.floats()),
                    evener.allocate(ElementType.UINT, size.words()));
            slots.add(slot);
            return slot;
        }

        private static void fill(Slot<ToneMapper, FrameLayout> slot, long seed) {
            FrameLayout layout = slot.size();
            float[] line = new float[layout.stride()];
            FloatBuffer floats = slot.in().floats();
            for (int y = 0; y < CHANNELS * layout.height(); y++) {
                for (int x = 0; x < layout.width(); x++) {
                    line[x] = ToneMapping.component(SyntheticData.bits(seed, (long) y * layout.width() + x));
                }
                floats.put(y * line.length, line);
            }
        }

        @Override
        public Pipeline<Slot<ToneMapper, FrameLayout>> open(
                Evener evener, List<Slot<ToneMapper, FrameLayout>> slots, Placement placement) {
            return placement
                    .add(
                            Pipeline.over(evener, slots),
                            "tonemap",
                            s -> s.primitive.job(s.size, s.in, s.out, SETTINGS),
                            List.of("statistics", "map"),
                            List.of(
                                    s -> s.primitive.statisticsJob(
                                            s.size, s.size, PixelCoding.FLOATS, null, s.in, SETTINGS),
                                    s -> s.primitive.mapJob(s.size, s.in, s.out, SETTINGS)))
                    .open();
        }

        @Override
        protected ByteBuffer result(Slot<ToneMapper, FrameLayout> slot) {
            return slot.out().bytes().limit(slot.size().words() * Integer.BYTES);
        }

        @Override
        public @Nullable String mismatch(Slot<ToneMapper, FrameLayout> slot) {
            byte[] expected = ToneMapReference.map(slot.in().floats(), slot.size(), SETTINGS);
            ToneMapReference.Difference difference =
                    ToneMapReference.compare(expected, slot.out().ints(), slot.size());
            return difference.largest() <= 1
                    ? null
                    : "differs from the reference by up to " + difference.largest() + " codes";
        }
    }
}
