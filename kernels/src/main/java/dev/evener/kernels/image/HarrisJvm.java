package dev.evener.kernels.image;

import dev.evener.JvmKernel;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;

/** The Java form of {@code harris.cl}: arguments in the kernels' order. Stateless. */
final class HarrisJvm {
    /** Rows whose gradients are held at once. */
    private static final int STRIP = 64;

    private HarrisJvm() {}

    /** Argument 0 the grey rows and those around them, 2 the responses. */
    static JvmKernel responses(ImageSize size, HarrisCorners.Settings settings) {
        return chunk -> {
            for (int first = 0; first < chunk.units(); first += STRIP) {
                int rows = Math.min(STRIP, chunk.units() - first);
                strip(chunk, size, settings, first, rows);
            }
        };
    }

    private static void strip(
            JvmKernel.Chunk chunk, ImageSize size, HarrisCorners.Settings settings, int first, int rows) {
        int width = size.width();
        int radius = settings.radius();
        int start = (int) chunk.firstUnit() + first;
        ByteBuffer grey = chunk.buffer(0);
        FloatBuffer out = chunk.buffer(2).asFloatBuffer();
        // Products of the gradients from row start - radius on, summed up along the row.
        int[][] xx = new int[rows + 2 * radius][width];
        int[][] xy = new int[rows + 2 * radius][width];
        int[][] yy = new int[rows + 2 * radius][width];
        GradientJvm.Lines lines = new GradientJvm.Lines(width);
        for (int r = 0; r < xx.length; r++) {
            int y = Math.min(Math.max(start + r - radius, 0), size.height() - 1);
            lines.load(grey, chunk.viewStart(0) + (y - (int) chunk.firstUnit()) * width, y > 0, y + 1 < size.height());
            for (int x = 0; x < width; x++) {
                for (int n = x - radius; n <= x + radius; n++) {
                    int column = Math.min(Math.max(n, 0), width - 1);
                    int gx = lines.gradientX(column);
                    int gy = lines.gradientY(column);
                    xx[r][x] += gx * gx;
                    xy[r][x] += gx * gy;
                    yy[r][x] += gy * gy;
                }
            }
        }
        float[] line = new float[width];
        for (int y = 0; y < rows; y++) {
            for (int x = 0; x < width; x++) {
                int sxx = 0;
                int sxy = 0;
                int syy = 0;
                for (int r = y; r <= y + 2 * radius; r++) {
                    sxx += xx[r][x];
                    sxy += xy[r][x];
                    syy += yy[r][x];
                }
                float a = sxx;
                float b = sxy;
                float c = syy;
                float trace = a + c;
                line[x] = (a * c - b * b) - settings.k() * (trace * trace);
            }
            out.put((first + y) * width, line);
        }
    }

    /** Argument 0 the responses and the rows around them, 2 and 3 slots and counts of corners, 4 and 5 of strengths. */
    static JvmKernel corners(ImageSize size, HarrisCorners.Settings settings, int most) {
        int width = size.width();
        return chunk -> {
            FloatBuffer responses = chunk.buffer(0).asFloatBuffer();
            IntBuffer corners = chunk.buffer(2).asIntBuffer();
            IntBuffer counts = chunk.buffer(3).asIntBuffer();
            FloatBuffer strengths = chunk.buffer(4).asFloatBuffer();
            IntBuffer strengthCounts = chunk.buffer(5).asIntBuffer();
            for (int unit = 0; unit < chunk.units(); unit++) {
                int y = (int) chunk.firstUnit() + unit;
                int row = chunk.viewStart(0) + unit * width;
                int count = 0;
                for (int x = 0; x < width; x++) {
                    float r = responses.get(row + x);
                    if (r > settings.threshold() && isPeak(responses, row, x, y, size)) {
                        corners.put(unit * most + count, x | y << 16);
                        strengths.put(unit * most + count, r);
                        count++;
                    }
                }
                counts.put(unit, count);
                strengthCounts.put(unit, count);
            }
        };
    }

    private static boolean isPeak(FloatBuffer responses, int row, int x, int y, ImageSize size) {
        int width = size.width();
        float r = responses.get(row + x);
        for (int dy = y > 0 ? -1 : 0; dy <= (y + 1 < size.height() ? 1 : 0); dy++) {
            for (int dx = x > 0 ? -1 : 0; dx <= (x + 1 < width ? 1 : 0); dx++) {
                float other = responses.get(row + dy * width + x + dx);
                boolean earlier = dy < 0 || (dy == 0 && dx < 0);
                if (earlier ? !(r > other) : !(r >= other)) {
                    return false;
                }
            }
        }
        return true;
    }
}
