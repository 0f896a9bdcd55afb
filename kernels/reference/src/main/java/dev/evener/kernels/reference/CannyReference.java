package dev.evener.kernels.reference;

import dev.evener.kernels.image.Canny;
import dev.evener.kernels.image.ImageSize;
import java.util.ArrayDeque;
import java.util.Deque;

/** Canny's edges a pixel at a time, with one flood through the whole image: the yardstick of tests and {@code --verify}. */
public final class CannyReference {
    private static final int[] BINOMIAL = {1, 4, 6, 4, 1};

    private CannyReference() {}

    /** 255 for edges, 0 elsewhere; parameters as in {@link Canny#job}. */
    public static byte[] edges(ImageSize size, byte[] grey, int low, int high) {
        byte[] smooth = smooth(size, grey);
        short[] magnitudes = GradientReference.magnitudes(size, smooth);
        byte[] sectors = GradientReference.sectors(size, smooth);
        boolean[] candidates = new boolean[size.pixels()];
        byte[] edges = new byte[size.pixels()];
        Deque<Integer> fresh = new ArrayDeque<>();
        for (int i = 0; i < candidates.length; i++) {
            candidates[i] = magnitudes[i] >= low && isRidge(size, magnitudes, sectors[i], i);
            if (candidates[i] && magnitudes[i] >= high) {
                edges[i] = (byte) 255;
                fresh.push(i);
            }
        }
        while (!fresh.isEmpty()) {
            int i = fresh.pop();
            int x = i % size.width();
            int y = i / size.width();
            for (int ny = Math.max(0, y - 1); ny <= Math.min(size.height() - 1, y + 1); ny++) {
                for (int nx = Math.max(0, x - 1); nx <= Math.min(size.width() - 1, x + 1); nx++) {
                    int n = ny * size.width() + nx;
                    if (candidates[n] && edges[n] == 0) {
                        edges[n] = (byte) 255;
                        fresh.push(n);
                    }
                }
            }
        }
        return edges;
    }

    private static byte[] smooth(ImageSize size, byte[] grey) {
        int[][] kernel = new int[5][5];
        for (int i = 0; i < 5; i++) {
            for (int j = 0; j < 5; j++) {
                kernel[i][j] = BINOMIAL[i] * BINOMIAL[j];
            }
        }
        byte[] smooth = new byte[grey.length];
        for (int y = 0; y < size.height(); y++) {
            for (int x = 0; x < size.width(); x++) {
                smooth[y * size.width() + x] =
                        (byte) ((GradientReference.convolve(size, grey, x, y, kernel) + 128) / 256);
            }
        }
        return smooth;
    }

    private static boolean isRidge(ImageSize size, short[] magnitudes, int sector, int pixel) {
        int[][] directions = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}}; // to the neighbour that comes later in the image
        int dx = directions[sector][0];
        int dy = directions[sector][1];
        int x = pixel % size.width();
        int y = pixel / size.width();
        return magnitudes[pixel] > at(size, magnitudes, x - dx, y - dy)
                && magnitudes[pixel] >= at(size, magnitudes, x + dx, y + dy);
    }

    private static int at(ImageSize size, short[] magnitudes, int x, int y) {
        boolean inside = x >= 0 && x < size.width() && y >= 0 && y < size.height();
        return inside ? magnitudes[y * size.width() + x] : 0;
    }
}
