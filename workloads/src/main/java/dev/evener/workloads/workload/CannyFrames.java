package dev.evener.workloads.workload;

import dev.evener.Evener;
import dev.evener.kernels.image.CannyPipeline;
import dev.evener.kernels.image.CannyReference;
import dev.evener.kernels.image.ImageSize;
import dev.evener.kernels.pipeline.Pipeline;
import dev.evener.kernels.pipeline.Placement;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/** Canny's edges of made-up pictures: discs of different brightness on a slope, and a little noise. */
final class CannyFrames extends FrameWork {
    private static final int LOW = 50;
    private static final int HIGH = 100;
    private static final int DISCS = 40;

    CannyFrames() {
        super("canny-pipeline", "Canny's edges of a stream of made-up pictures", false);
    }

    @Override
    Prepared<?> prepare(Evener evener, Frames request) {
        return new Images(evener, new ImageSize(request.width(), request.height()), request);
    }

    private static final class Images implements Prepared<CannyPipeline.Image> {
        private final Evener evener;
        private final ImageSize size;
        private final List<CannyPipeline.Image> slots = new ArrayList<>();

        Images(Evener evener, ImageSize size, Frames request) {
            this.evener = evener;
            this.size = size;
            try {
                for (int i = 0; i < request.slots(); i++) {
                    CannyPipeline.Image slot = new CannyPipeline.Image(evener, size);
                    slots.add(slot);
                    slot.grey().bytes().put(picture(size, request.seed() + i));
                }
            } catch (RuntimeException | Error e) {
                close();
                throw e;
            }
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
                pixels[i] += (byte) (Draws.bits(~seed, i) & 3);
            }
            return pixels;
        }

        private static double draw(long seed, int disc, int which) {
            return Draws.unitDouble(Draws.bits(seed, 4L * disc + which));
        }

        @Override
        public Pipeline<CannyPipeline.Image> open(Placement placement) {
            return CannyPipeline.over(evener, slots, LOW, HIGH, placement);
        }

        @Override
        public List<CannyPipeline.Image> slots() {
            return slots;
        }

        @Override
        public void clear(CannyPipeline.Image slot) {
            slot.edges().bytes().put(new byte[size.pixels()]);
        }

        @Override
        public long digest(CannyPipeline.Image slot) {
            CRC32 crc = new CRC32();
            ByteBuffer edges = slot.edges().bytes();
            crc.update(edges.limit(size.pixels()));
            return crc.getValue();
        }

        @Override
        public @Nullable String mismatch(CannyPipeline.Image slot) {
            byte[] expected = CannyReference.edges(size, JavaArrays.bytes(slot.grey()), LOW, HIGH);
            int at = Arrays.mismatch(expected, JavaArrays.bytes(slot.edges()));
            return at < 0
                    ? null
                    : "pixel (" + at % size.width() + ", " + at / size.width() + ") is not as it should be";
        }

        @Override
        public void close() {
            slots.forEach(CannyPipeline.Image::close);
            slots.clear();
        }
    }
}
