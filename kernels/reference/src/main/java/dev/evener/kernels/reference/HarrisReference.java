package dev.evener.kernels.reference;

import dev.evener.kernels.image.HarrisCorners;
import dev.evener.kernels.image.ImageSize;
import java.util.ArrayList;
import java.util.List;

/** Harris corners a pixel at a time, as they are defined: the yardstick of tests and {@code --verify}. */
public final class HarrisReference {
    private HarrisReference() {}

    /**
     * A corner.
     *
     * @param x its column
     * @param y its row
     * @param response its response
     */
    public record Corner(int x, int y, float response) {}

    /** The corners in the order of the image. */
    public static List<Corner> corners(ImageSize size, byte[] grey, HarrisCorners.Settings settings) {
        float[] responses = responses(size, grey, settings);
        List<Corner> corners = new ArrayList<>();
        for (int i = 0; i < responses.length; i++) {
            if (responses[i] > settings.threshold() && isFirstOfTheLargest(size, responses, i)) {
                corners.add(new Corner(i % size.width(), i / size.width(), responses[i]));
            }
        }
        return corners;
    }

    /** The response of every pixel. */
    public static float[] responses(ImageSize size, byte[] grey, HarrisCorners.Settings settings) {
        float[] responses = new float[size.pixels()];
        int radius = settings.radius();
        for (int i = 0; i < responses.length; i++) {
            long xx = 0;
            long xy = 0;
            long yy = 0;
            for (int dy = -radius; dy <= radius; dy++) {
                for (int dx = -radius; dx <= radius; dx++) {
                    int x = Math.min(Math.max(i % size.width() + dx, 0), size.width() - 1);
                    int y = Math.min(Math.max(i / size.width() + dy, 0), size.height() - 1);
                    long gx = GradientReference.convolve(size, grey, x, y, GradientReference.SOBEL_X);
                    long gy = GradientReference.convolve(size, grey, x, y, GradientReference.SOBEL_Y);
                    xx += gx * gx;
                    xy += gx * gy;
                    yy += gy * gy;
                }
            }
            float determinant = (float) xx * (float) yy - (float) xy * (float) xy;
            float trace = (float) xx + (float) yy;
            responses[i] = determinant - settings.k() * (trace * trace);
        }
        return responses;
    }

    private static boolean isFirstOfTheLargest(ImageSize size, float[] responses, int pixel) {
        int x = pixel % size.width();
        int y = pixel / size.width();
        for (int ny = Math.max(0, y - 1); ny <= Math.min(size.height() - 1, y + 1); ny++) {
            for (int nx = Math.max(0, x - 1); nx <= Math.min(size.width() - 1, x + 1); nx++) {
                int n = ny * size.width() + nx;
                if (responses[n] > responses[pixel] || (responses[n] == responses[pixel] && n < pixel)) {
                    return false;
                }
            }
        }
        return true;
    }
}
