package dev.evener.workloads.workload.suite;

import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.frames.FrameException;
import dev.evener.frames.FrameFile;
import dev.evener.kernels.image.CannyPipeline;
import dev.evener.kernels.image.ImageSize;
import dev.evener.kernels.pipeline.Pipeline;
import dev.evener.kernels.pipeline.Placement;
import dev.evener.kernels.reference.CannyReference;
import dev.evener.kernels.reference.ToneMapReference;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapPipeline;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.workloads.workload.JavaArrays;
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

    /** Canny's edges of synthetic pictures: discs of different brightness on a slope, and a little noise. */
    static final class CannyStream extends StreamWorkload<CannyPipeline.Image> {
        private static final int LOW = 50;
        private static final int HIGH = 100;
        private static final int DISCS = 40;

        CannyStream() {
            super("canny-pipeline", "Canny's edges of a stream of synthetic pictures");
            frames();
        }

        @Override
        protected void slot(Evener evener, List<CannyPipeline.Image> slots, Frame frame) {
            ImageSize size = new ImageSize(frame.width(), frame.height());
            CannyPipeline.Image slot = new CannyPipeline.Image(evener, size);
            slots.add(slot);
            slot.grey().bytes().put(picture(size, frame.seed()));
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
        public Pipeline<CannyPipeline.Image> open(Evener evener, List<CannyPipeline.Image> slots, Placement placement) {
            return CannyPipeline.over(evener, slots, LOW, HIGH, placement).open();
        }

        @Override
        protected ByteBuffer result(CannyPipeline.Image slot) {
            return slot.edges().bytes().limit(slot.size().pixels());
        }

        @Override
        public @Nullable String mismatch(CannyPipeline.Image slot) {
            byte[] expected = CannyReference.edges(slot.size(), JavaArrays.bytes(slot.grey()), LOW, HIGH);
            int at = Arrays.mismatch(expected, JavaArrays.bytes(slot.edges()));
            int width = slot.size().width();
            return at < 0 ? null : "pixel (" + at % width + ", " + at / width + ") is not as it should be";
        }
    }

    /** Tone mapping with automatic exposure of HDR frames, synthetic or from files. */
    static final class ToneMapStream extends StreamWorkload<ToneMapPipeline.Frame> {
        private static final int CHANNELS = 3;
        private static final ToneMapSettings SETTINGS = ToneMapSettings.of(Operator.REINHARD_EXTENDED);

        ToneMapStream() {
            super("tonemap-pipeline", "tone mapping with automatic exposure of a stream of frames");
            frames(FILES);
        }

        @Override
        protected void slot(Evener evener, List<ToneMapPipeline.Frame> slots, Frame frame) {
            ToneMapPipeline.Frame slot = new ToneMapPipeline.Frame(evener);
            slots.add(slot);
            if (frame.file() == null) {
                slot.resize(new FrameLayout(frame.width(), frame.height()));
                fill(slot, frame.seed());
                return;
            }
            try {
                FrameFile file = FrameFile.open(frame.file());
                slot.resize(file.size());
                ByteBuffer coded = ByteBuffer.allocateDirect(
                                Math.toIntExact(file.coding().bytes(file.size())))
                        .order(ByteOrder.nativeOrder());
                file.decode(coded, false);
                file.coding().expand(file.size(), coded, slot.floats().floats());
            } catch (FrameException e) {
                throw new EvenerException(String.valueOf(e.getMessage()), e);
            }
        }

        private static void fill(ToneMapPipeline.Frame slot, long seed) {
            FrameLayout layout = slot.layout();
            float[] line = new float[layout.stride()];
            FloatBuffer floats = slot.floats().floats();
            for (int y = 0; y < CHANNELS * layout.height(); y++) {
                for (int x = 0; x < layout.width(); x++) {
                    line[x] = ToneMapping.component(SyntheticData.bits(seed, (long) y * layout.width() + x));
                }
                floats.put(y * line.length, line);
            }
        }

        @Override
        public Pipeline<ToneMapPipeline.Frame> open(
                Evener evener, List<ToneMapPipeline.Frame> slots, Placement placement) {
            return ToneMapPipeline.over(evener, slots, SETTINGS, placement).open();
        }

        @Override
        protected ByteBuffer result(ToneMapPipeline.Frame slot) {
            return slot.pixels().bytes().limit(slot.layout().words() * Integer.BYTES);
        }

        @Override
        public @Nullable String mismatch(ToneMapPipeline.Frame slot) {
            byte[] expected = ToneMapReference.map(slot.floats().floats(), slot.layout(), SETTINGS);
            ToneMapReference.Difference difference =
                    ToneMapReference.compare(expected, slot.pixels().ints(), slot.layout());
            return difference.largest() <= 1
                    ? null
                    : "differs from the reference by up to " + difference.largest() + " codes";
        }
    }
}
