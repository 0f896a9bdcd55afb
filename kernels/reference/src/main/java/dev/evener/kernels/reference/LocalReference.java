package dev.evener.kernels.reference;

import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.ToneMapSettings;
import java.util.Arrays;

/** Local operators in double precision: what each pixel's components are multiplied by. Part of {@link ToneMapReference}. */
final class LocalReference {
    private final int width;
    private final int height;
    private final boolean wrap;
    private final double key;

    LocalReference(FrameLayout layout, ToneMapSettings settings, double key) {
        this.width = layout.width();
        this.height = layout.height();
        this.wrap = settings.wrap();
        this.key = key;
    }

    /** Dodging and burning of the exposed luminance. */
    double[] reinhard(double[] exposed, double exposure) {
        double[] centre = gaussian(exposed, 0.25);
        double[] adapted = exposed.clone();
        double[] before = centre;
        double[] share = new double[exposed.length];
        for (int i = 0; i < exposed.length; i++) { // the pixel itself is the centre of the least scale
            share[i] = share(exposed[i], centre[i], 1 / 1.6);
            adapted[i] += share[i] * (centre[i] - exposed[i]);
        }
        double s = 1;
        for (int scale = 0; scale < 8; scale++) {
            double[] surround = gaussian(exposed, 0.25 * Math.pow(1.6, scale + 1));
            for (int i = 0; i < exposed.length; i++) {
                share[i] *= share(centre[i], surround[i], s);
                adapted[i] += share[i] * (centre[i] - before[i]);
            }
            before = centre;
            centre = surround;
            s *= 1.6;
        }
        Arrays.setAll(adapted, i -> exposure / (1 + adapted[i]));
        return adapted;
    }

    private double share(double centre, double surround, double s) {
        double activity = Math.abs(centre - surround) / (Math.pow(2, 8) * key / (s * s) + centre);
        return Math.min(1, Math.max(0, (0.075 - activity) / 0.05));
    }

    /** Base and detail of the exposed luminance, whose {@code white} is to map to 1. */
    double[] guided(double[] exposed, double exposure, double white) {
        double[] log = new double[exposed.length];
        Arrays.setAll(log, i -> Math.log(Math.max(exposed[i], Math.pow(2, -20))) / Math.log(2));
        double[] window = new double[2 * Math.max(2, Math.min(32, Math.max(width, height) / 64)) + 1];
        Arrays.fill(window, 1);
        double[] a = filtered(log, window);
        double[] b = filtered(Arrays.stream(log).map(l -> l * l).toArray(), window);
        for (int i = 0; i < a.length; i++) {
            double mean = a[i];
            double variance = Math.max(0, b[i] - mean * mean);
            a[i] = variance / (variance + 1);
            b[i] = (1 - a[i]) * mean;
        }
        double[] slope = filtered(a, window);
        double[] offset = filtered(b, window);
        double grey = Math.log(key) / Math.log(2);
        double contrast = white <= 1 ? 1 : -grey / (Math.log(white) / Math.log(2) - grey);
        double[] factors = new double[log.length];
        Arrays.setAll(factors, i -> {
            double base = slope[i] * log[i] + offset[i];
            return exposure * Math.pow(2, (contrast - 1) * (base - grey));
        });
        return factors;
    }

    private double[] gaussian(double[] image, double deviation) {
        int radius = (int) Math.ceil(3 * deviation);
        double[] weights = new double[2 * radius + 1];
        Arrays.setAll(weights, i -> Math.exp(-Math.pow((i - radius) / deviation, 2) / 2));
        return filtered(image, weights);
    }

    /** Averages with these weights along the rows, then along the columns. Beyond an edge are the pixels at it, or at the other. */
    private double[] filtered(double[] image, double[] weights) {
        double sum = Arrays.stream(weights).sum();
        int radius = weights.length / 2;
        double[] along = new double[image.length];
        double[] out = new double[image.length];
        for (int i = 0; i < image.length; i++) {
            int x = i % width - radius;
            for (int k = 0; k < weights.length; k++) {
                int column = wrap ? Math.floorMod(x + k, width) : inside(x + k, width);
                along[i] += weights[k] / sum * image[i - i % width + column];
            }
        }
        for (int i = 0; i < image.length; i++) {
            int y = i / width - radius;
            for (int k = 0; k < weights.length; k++) {
                out[i] += weights[k] / sum * along[inside(y + k, height) * width + i % width];
            }
        }
        return out;
    }

    private static int inside(int at, int length) {
        return Math.min(Math.max(at, 0), length - 1);
    }
}
