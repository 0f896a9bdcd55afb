package dev.evener.kernels.tonemap;

import java.util.Arrays;

/**
 * Local operators in double precision: what each pixel's components are multiplied by. Part of {@link ToneMapReference}. Pixels
 * beyond an edge of the frame are those at the edge.
 */
final class LocalReference {
    private final int width;
    private final int height;

    LocalReference(int width, int height) {
        this.width = width;
        this.height = height;
    }

    /** Dodging and burning of the exposed luminance. */
    double[] reinhard(double[] exposed, double exposure) {
        double[] centre = gaussian(exposed, 0.25);
        double[] adapted = centre.clone();
        double[] before = centre;
        double[] share = new double[exposed.length];
        Arrays.fill(share, 1);
        double s = 1;
        for (int scale = 0; scale < 8; scale++) {
            double[] surround = gaussian(exposed, 0.25 * Math.pow(1.6, scale + 1));
            for (int i = 0; i < exposed.length; i++) {
                double activity = Math.abs(centre[i] - surround[i]) / (Math.pow(2, 8) * 0.18 / (s * s) + centre[i]);
                share[i] *= Math.min(1, Math.max(0, (0.075 - activity) / 0.05));
                adapted[i] += share[i] * (centre[i] - before[i]);
            }
            before = centre;
            centre = surround;
            s *= 1.6;
        }
        for (int i = 0; i < adapted.length; i++) {
            adapted[i] = exposure / (1 + adapted[i]);
        }
        return adapted;
    }

    /** Base and detail of the exposed luminance, whose {@code white} is to map to 1. */
    double[] guided(double[] exposed, double exposure, double white) {
        double[] log = new double[exposed.length];
        double[] squares = new double[exposed.length];
        for (int i = 0; i < log.length; i++) {
            log[i] = Math.log(Math.max(exposed[i], Math.pow(2, -20))) / Math.log(2);
            squares[i] = log[i] * log[i];
        }
        int radius = Math.max(2, Math.min(32, Math.max(width, height) / 64));
        double[] a = means(log, radius);
        double[] b = means(squares, radius);
        for (int i = 0; i < a.length; i++) {
            double mean = a[i];
            double variance = Math.max(0, b[i] - mean * mean);
            a[i] = variance / (variance + 1);
            b[i] = (1 - a[i]) * mean;
        }
        a = means(a, radius);
        b = means(b, radius);
        double grey = Math.log(0.18) / Math.log(2);
        double contrast = white <= 1 ? 1 : -grey / (Math.log(white) / Math.log(2) - grey);
        double[] factors = new double[log.length];
        for (int i = 0; i < factors.length; i++) {
            double base = a[i] * log[i] + b[i];
            factors[i] = exposure * Math.pow(2, (contrast - 1) * (base - grey));
        }
        return factors;
    }

    private double[] gaussian(double[] image, double deviation) {
        int radius = (int) Math.ceil(3 * deviation);
        double[] weights = new double[2 * radius + 1];
        double sum = 0;
        for (int i = 0; i < weights.length; i++) {
            weights[i] = Math.exp(-Math.pow((i - radius) / deviation, 2) / 2);
            sum += weights[i];
        }
        double[] along = new double[image.length];
        double[] out = new double[image.length];
        for (int i = 0; i < image.length; i++) {
            for (int k = 0; k < weights.length; k++) {
                along[i] += weights[k] / sum * image[i - i % width + inside(i % width + k - radius, width)];
            }
        }
        for (int i = 0; i < image.length; i++) {
            for (int k = 0; k < weights.length; k++) {
                out[i] += weights[k] / sum * along[inside(i / width + k - radius, height) * width + i % width];
            }
        }
        return out;
    }

    /** Means of square windows, from running sums. */
    private double[] means(double[] image, int radius) {
        double[] out = image.clone();
        for (int y = 0; y < height; y++) {
            windows(out, y * width, 1, width, radius);
        }
        for (int x = 0; x < width; x++) {
            windows(out, x, width, height, radius);
        }
        return out;
    }

    private static void windows(double[] image, int first, int step, int length, int radius) {
        double[] sums = new double[length + 2 * radius + 1];
        for (int i = 0; i + 1 < sums.length; i++) {
            sums[i + 1] = sums[i] + image[first + inside(i - radius, length) * step];
        }
        for (int i = 0; i < length; i++) {
            image[first + i * step] = (sums[i + 2 * radius + 1] - sums[i]) / (2 * radius + 1);
        }
    }

    private static int inside(int at, int length) {
        return Math.min(Math.max(at, 0), length - 1);
    }
}
