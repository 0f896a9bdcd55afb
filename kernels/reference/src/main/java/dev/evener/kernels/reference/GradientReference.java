package dev.evener.kernels.reference;

import dev.evener.kernels.image.ImageSize;

/** Gradients a pixel at a time, as they are defined: the yardstick of tests and {@code --verify}. */
public final class GradientReference {
    static final int[][] SOBEL_X = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
    static final int[][] SOBEL_Y = {{-1, -2, -1}, {0, 0, 0}, {1, 2, 1}};

    private GradientReference() {}

    /** The magnitude of each pixel's gradient. */
    public static short[] magnitudes(ImageSize size, byte[] grey) {
        short[] result = new short[size.pixels()];
        for (int y = 0; y < size.height(); y++) {
            for (int x = 0; x < size.width(); x++) {
                result[y * size.width() + x] = (short)
                        (Math.abs(convolve(size, grey, x, y, SOBEL_X)) + Math.abs(convolve(size, grey, x, y, SOBEL_Y)));
            }
        }
        return result;
    }

    /** The sector of each pixel's gradient. */
    public static byte[] sectors(ImageSize size, byte[] grey) {
        byte[] result = new byte[size.pixels()];
        for (int y = 0; y < size.height(); y++) {
            for (int x = 0; x < size.width(); x++) {
                int gx = convolve(size, grey, x, y, SOBEL_X);
                int gy = convolve(size, grey, x, y, SOBEL_Y);
                int sector;
                if (Math.abs(gy) * 29 <= Math.abs(gx) * 12) {
                    sector = 0;
                } else if (Math.abs(gx) * 29 < Math.abs(gy) * 12) {
                    sector = 2;
                } else if ((gx > 0) == (gy > 0)) {
                    sector = 1;
                } else {
                    sector = 3;
                }
                result[y * size.width() + x] = (byte) sector;
            }
        }
        return result;
    }

    static int convolve(ImageSize size, byte[] image, int x, int y, int[][] kernel) {
        int sum = 0;
        int radius = kernel.length / 2;
        for (int dy = -radius; dy <= radius; dy++) {
            for (int dx = -radius; dx <= radius; dx++) {
                int cx = Math.min(Math.max(x + dx, 0), size.width() - 1);
                int cy = Math.min(Math.max(y + dy, 0), size.height() - 1);
                sum += kernel[dy + radius][dx + radius] * (image[cy * size.width() + cx] & 0xff);
            }
        }
        return sum;
    }
}
