package dev.evener.kernels.image;

import dev.evener.JvmKernel;
import java.nio.ByteBuffer;
import java.nio.ShortBuffer;

/** The Java form of {@code gradient.cl}, and the operator for the other Java forms. Stateless. */
final class GradientJvm {
    private GradientJvm() {}

    /** Argument 0 the grey rows with those around them, 2 the magnitudes, 3 the sectors if wanted. */
    static JvmKernel gradient(ImageSize size, boolean withSectors) {
        int width = size.width();
        return chunk -> {
            ByteBuffer grey = chunk.buffer(0);
            ShortBuffer magnitudes = chunk.buffer(2).asShortBuffer();
            Lines lines = new Lines(width);
            short[] magnitude = new short[width];
            byte[] sector = new byte[width];
            for (int y = 0; y < chunk.units(); y++) {
                long row = chunk.firstUnit() + y;
                int at = chunk.viewStart(0) + y * width;
                lines.load(grey, at, row > 0, row + 1 < size.height());
                for (int x = 0; x < width; x++) {
                    int gx = lines.gradientX(x);
                    int gy = lines.gradientY(x);
                    magnitude[x] = (short) (Math.abs(gx) + Math.abs(gy));
                    sector[x] = (byte) sector(gx, gy);
                }
                magnitudes.put(y * width, magnitude);
                if (withSectors) {
                    chunk.buffer(3).put(y * width, sector);
                }
            }
        };
    }

    static int sector(int gx, int gy) {
        int x = Math.abs(gx);
        int y = Math.abs(gy);
        if (29 * y <= 12 * x) {
            return 0;
        }
        if (12 * y > 29 * x) {
            return 2;
        }
        return (gx ^ gy) < 0 ? 3 : 1;
    }

    /** Three rows of pixels, each with the pixel beyond either edge: pixel {@code x} stands at {@code x + 1}. */
    static final class Lines {
        final int[] above;
        final int[] middle;
        final int[] below;
        private final byte[] bytes;

        Lines(int width) {
            this.above = new int[width + 2];
            this.middle = new int[width + 2];
            this.below = new int[width + 2];
            this.bytes = new byte[width];
        }

        /** From a view in which the middle row begins at an index; a row that there is not is the middle one again. */
        void load(ByteBuffer view, int at, boolean hasAbove, boolean hasBelow) {
            widen(view, hasAbove ? at - bytes.length : at, above);
            widen(view, at, middle);
            widen(view, hasBelow ? at + bytes.length : at, below);
        }

        private void widen(ByteBuffer view, int at, int[] line) {
            view.get(at, bytes);
            for (int x = 0; x < bytes.length; x++) {
                line[x + 1] = bytes[x] & 255;
            }
            line[0] = line[1];
            line[bytes.length + 1] = line[bytes.length];
        }

        int gradientX(int x) {
            return (above[x + 2] - above[x]) + 2 * (middle[x + 2] - middle[x]) + (below[x + 2] - below[x]);
        }

        int gradientY(int x) {
            return (below[x] - above[x]) + 2 * (below[x + 1] - above[x + 1]) + (below[x + 2] - above[x + 2]);
        }
    }
}
