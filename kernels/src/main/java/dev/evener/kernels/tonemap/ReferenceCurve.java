package dev.evener.kernels.tonemap;

import java.util.DoubleSummaryStatistics;
import java.util.Map;
import java.util.TreeMap;

/** The published curves in double precision, for one frame. Part of {@link ToneMapReference}. */
final class ReferenceCurve {
    private final ToneMapSettings settings;
    private final double exposure;
    private final double high;
    private final double kneeFactor;
    private final double[] local;

    private ReferenceCurve(ToneMapSettings settings, double exposure, double high, double[] local) {
        this.settings = settings;
        this.exposure = exposure;
        this.high = high;
        this.kneeFactor = kneeFactor(settings.film());
        this.local = local;
    }

    /** The curve for a frame of sanitised pixels. */
    static ReferenceCurve of(ToneMapSettings settings, double[] rgb, FrameLayout layout) {
        Map<Double, DoubleSummaryStatistics> bins = bins(rgb);
        double mean = Math.exp(average(bins, 0.1, 0.9));
        double high = bins.isEmpty() ? 0 : Math.max(Math.exp(average(bins, 0.99, 0.999)), mean / 0.18) - 1e-5;
        Double stops = settings.exposureStops();
        double exposure;
        if (stops != null) {
            exposure = Math.pow(2, stops);
        } else if (settings.operator() == Operator.FILM) {
            exposure = Math.pow(2, settings.metering().bias());
        } else {
            exposure =
                    settings.metering().key() * Math.pow(2, settings.metering().bias()) / mean;
        }
        double[] local = settings.operator().isLocal() ? local(settings, rgb, layout, exposure, high) : new double[0];
        return new ReferenceCurve(settings, exposure, high, local);
    }

    private static double[] local(
            ToneMapSettings settings, double[] rgb, FrameLayout layout, double exposure, double high) {
        double[] exposed = new double[rgb.length / 3];
        for (int i = 0; i < exposed.length; i++) {
            exposed[i] = exposure * (0.2126 * rgb[3 * i] + 0.7152 * rgb[3 * i + 1] + 0.0722 * rgb[3 * i + 2]);
        }
        LocalReference reference = new LocalReference(layout.width(), layout.height());
        if (settings.operator() == Operator.REINHARD_LOCAL) {
            return reference.reinhard(exposed, exposure);
        }
        Double white = settings.white();
        return reference.guided(exposed, exposure, white != null ? white : exposure * high);
    }

    /** Luminances of 2^-22 and more, in the middles of 64ths of an octave, by the eighths in which they lie. */
    private static Map<Double, DoubleSummaryStatistics> bins(double[] rgb) {
        Map<Double, DoubleSummaryStatistics> bins = new TreeMap<>();
        for (int i = 0; i < rgb.length; i += 3) {
            float y = (float) (0.2126f * rgb[i]) + (float) (0.7152f * rgb[i + 1]);
            y += (float) (0.0722f * rgb[i + 2]);
            double octave = Math.pow(2, Math.getExponent(y));
            double eighth = octave * (1 + Math.floor((y / octave - 1) * 8) / 8);
            if (octave >= Math.pow(2, -22)) {
                bins.computeIfAbsent(eighth, k -> new DoubleSummaryStatistics())
                        .accept(octave * (1 + (Math.floor((y / octave - 1) * 64) + 0.5) / 64));
            }
        }
        return bins;
    }

    /** Of the logarithms of pixels from one part of them to another, all of an eighth at their mean. */
    private static double average(Map<Double, DoubleSummaryStatistics> bins, double from, double to) {
        double all = bins.values().stream()
                .mapToDouble(DoubleSummaryStatistics::getCount)
                .sum();
        double sum = 0;
        double part = 0;
        for (DoubleSummaryStatistics bin : bins.values()) {
            double next = part + bin.getCount() / all;
            sum += Math.max(0, Math.min(to, next) - Math.max(from, part)) * Math.log(1e-5 + bin.getAverage());
            part = next;
        }
        return bins.isEmpty() ? Math.log(1e-5) : sum / (to - from);
    }

    /** Replaces a sanitised pixel, the frame's so many-th, by display values, 0 to 1 after clamping, with the transfer curve applied. */
    void apply(double[] rgb, int pixel) {
        switch (settings.operator()) {
            case PQ, HLG -> hdr(rgb);
            case FILM -> {
                for (int i = 0; i < 3; i++) {
                    rgb[i] = film(rgb[i]);
                }
            }
            case KHRONOS_NEUTRAL -> {
                neutral(rgb);
                encode(rgb);
            }
            case REINHARD_LOCAL, GUIDED -> {
                for (int i = 0; i < 3; i++) {
                    rgb[i] *= local[pixel];
                }
                encode(rgb);
            }
            case REINHARD, REINHARD_EXTENDED, DRAGO, HABLE, ACES -> {
                double y = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
                double ratio = y == 0 ? 0 : onLuminance(exposure * y) / y;
                for (int i = 0; i < 3; i++) {
                    rgb[i] *= ratio;
                }
                encode(rgb);
            }
        }
    }

    private double onLuminance(double l) {
        Double white = settings.white();
        return switch (settings.operator()) {
            case REINHARD -> l / (1 + l);
            case REINHARD_EXTENDED -> {
                double w = white != null ? white : exposure * high;
                yield l * (1 + l / (w * w)) / (1 + l);
            }
            case DRAGO -> {
                double largest = white != null ? white : exposure * high;
                double power = Math.log(settings.dragoBias()) / Math.log(0.5);
                double log10 = Math.log1p(largest) / Math.log(10);
                yield Math.log1p(l) / (log10 * Math.log(2 + 8 * Math.pow(Math.min(1, l / largest), power)));
            }
            case HABLE -> hable(2 * l) / hable(white != null ? white : 11.2);
            case ACES -> (l * (2.51 * l + 0.03)) / (l * (2.43 * l + 0.59) + 0.14);
            case KHRONOS_NEUTRAL, FILM, REINHARD_LOCAL, GUIDED, PQ, HLG ->
                throw new AssertionError("no curve of luminance");
        };
    }

    /** BT.2087, BT.2408, ST 2084 and BT.2100, in cd/m². */
    private void hdr(double[] rgb) {
        boolean hlg = settings.operator() == Operator.HLG;
        double most = hlg ? 1000 : 10_000;
        Double set = settings.peak();
        double peak = set == null ? most : set;
        double[] light = {
            0.6274 * rgb[0] + 0.3293 * rgb[1] + 0.0433 * rgb[2],
            0.0691 * rgb[0] + 0.9195 * rgb[1] + 0.0114 * rgb[2],
            0.0164 * rgb[0] + 0.0880 * rgb[1] + 0.8956 * rgb[2]
        };
        for (int i = 0; i < 3; i++) {
            double x = 203 * exposure * light[i];
            boolean compressed = (hlg || peak < most) && x > peak / 2;
            light[i] = Math.min(most, compressed ? peak - peak / 2 * (peak / 2) / x : x);
        }
        double luminance = (0.2627 * light[0] + 0.6780 * light[1] + 0.0593 * light[2]) / 1000;
        for (int i = 0; i < 3; i++) {
            rgb[i] = !hlg
                    ? pq(light[i] / 10_000)
                    : luminance == 0 ? 0 : hlg(Math.min(1, light[i] / 1000 * Math.pow(luminance, 1 / 1.2 - 1)));
        }
    }

    private static double pq(double y) {
        double power = Math.pow(y, 2610.0 / 16384);
        return Math.pow((3424.0 / 4096 + 2413.0 / 128 * power) / (1 + 2392.0 / 128 * power), 2523.0 / 32);
    }

    private static double hlg(double e) {
        return e <= 1 / 12.0 ? Math.sqrt(3 * e) : 0.17883277 * Math.log(12 * e - 0.28466892) + 0.55991073;
    }

    private static double hable(double x) {
        double a = 0.15;
        double b = 0.50;
        double c = 0.10;
        double d = 0.20;
        double e = 0.02;
        double f = 0.30;
        return ((x * (a * x + c * b) + d * e) / (x * (a * x + b) + d * f)) - e / f;
    }

    private void neutral(double[] rgb) {
        for (int i = 0; i < 3; i++) {
            rgb[i] *= exposure;
        }
        double startCompression = 0.8 - 0.04;
        double desaturation = 0.15;
        double x = Math.min(rgb[0], Math.min(rgb[1], rgb[2]));
        double offset = x < 0.08 ? x - 6.25 * x * x : 0.04;
        for (int i = 0; i < 3; i++) {
            rgb[i] -= offset;
        }
        double peak = Math.max(rgb[0], Math.max(rgb[1], rgb[2]));
        if (peak < startCompression) {
            return;
        }
        double d = 1 - startCompression;
        double newPeak = 1 - d * d / (peak + d - startCompression);
        double g = 1 - 1 / (desaturation * (peak - newPeak) + 1);
        for (int i = 0; i < 3; i++) {
            rgb[i] *= newPeak / peak;
            rgb[i] += g * (newPeak - rgb[i]);
        }
    }

    private double film(double component) {
        FilmCurve film = settings.film();
        double x = Math.max(0, component - (float) film.defog());
        x *= exposure * Math.pow(2, film.exposure() + 2.47393);
        double low = Math.pow(2, film.kneeLow());
        if (x > low) {
            x = low + Math.log1p((x - low) * kneeFactor) / kneeFactor;
        }
        return Math.pow(x, film.gamma()) * Math.pow(2, -3.5 * film.gamma());
    }

    /** Solves ln(f x + 1) / f = y for f by bisection of its logarithm. */
    private static double kneeFactor(FilmCurve film) {
        double x = Math.pow(2, film.kneeHigh()) - Math.pow(2, film.kneeLow());
        double y = Math.pow(2, 3.5) - Math.pow(2, film.kneeLow());
        double low = -60;
        double high = 60;
        for (int i = 0; i < 200; i++) {
            double middle = (low + high) / 2;
            double f = Math.exp(middle);
            if (Math.log1p(f * x) > f * y) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return Math.exp((low + high) / 2);
    }

    private static void encode(double[] rgb) {
        for (int i = 0; i < 3; i++) {
            double c = Math.min(Math.max(rgb[i], 0), 1);
            rgb[i] = c <= 0.0031308 ? 12.92 * c : 1.055 * Math.pow(c, 1 / 2.4) - 0.055;
        }
    }
}
