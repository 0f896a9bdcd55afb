package dev.evener.kernels.reference;

import dev.evener.kernels.tonemap.Colours;
import dev.evener.kernels.tonemap.FilmCurve;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.DoubleUnaryOperator;

/** The published curves in double precision, for one frame. Part of {@link ToneMapReference}. */
final class ReferenceCurve {
    private static final double[] REC709 = {0.2126, 0.7152, 0.0722};
    private static final double[] BT2020 = {0.2627, 0.6780, 0.0593};

    /** From Rec. 709, row by row: BT.2087; Hill's fit of the ACES transforms; Minimal AgX. */
    private static final double[] TO_BT2020 = {0.6274, 0.3293, 0.0433, 0.0691, 0.9195, 0.0114, 0.0164, 0.0880, 0.8956};

    private static final double[] TO_HILL = {
        0.59719, 0.35458, 0.04823, 0.076, 0.90834, 0.01566, 0.0284, 0.13383, 0.83777
    };
    private static final double[] INSET = rows("0.842479062253094 0.0784335999999992 0.0792237451477643"
            + " 0.0423282422610123 0.878468636469772 0.0791661274605434"
            + " 0.0423756549057051 0.0784336 0.879142973793104");

    /** Back again, as published: rounded, so no exact inverses. */
    private static final double[] FROM_HILL =
            rows("1.60475 -0.53108 -0.07367 -0.10208 1.10813 -0.00605 -0.00327 -0.07276 1.07602");

    private static final double[] OUTSET = rows("1.19687900512017 -0.0980208811401368 -0.0990297440797205"
            + " -0.0528968517574562 1.15190312990417 -0.0989611768448433"
            + " -0.0529716355144438 -0.0980434501171241 1.15107367264116");

    private final ToneMapSettings settings;
    private final double exposure;
    private final double high;
    private final double kneeFactor;
    private final double[] local;

    private ReferenceCurve(ToneMapSettings settings, double exposure, double high, double[] local) {
        this.settings = settings;
        this.exposure = exposure;
        this.high = high;
        this.kneeFactor = settings.film().kneeFactor();
        this.local = local;
    }

    /** The curve for a frame of sanitised pixels. */
    static ReferenceCurve of(ToneMapSettings settings, double[] rgb, FrameLayout layout) {
        SortedMap<Double, Double> lit = lit(rgb);
        double mean = Math.exp(average(lit, 1e-5, 0.1, 0.9));
        double high = lit.isEmpty() ? 0 : Math.max(Math.exp(average(lit, 1e-5, 0.99, 0.999)), mean / 0.18) - 1e-5;
        double grey = settings.metering().key() == null
                ? 0.18 * key(lit)
                : settings.metering().key();
        Double stops = settings.exposureStops();
        double exposure;
        if (stops != null) {
            exposure = Math.pow(2, stops);
        } else if (settings.operator() == Operator.FILM) {
            exposure = Math.pow(2, settings.metering().bias());
        } else {
            double key = grey * Math.pow(2, settings.metering().bias());
            exposure = Math.min(Math.pow(2, 20), (settings.operator() == Operator.DRAGO ? key / 0.18 : key) / mean);
        }
        double[] local =
                settings.operator().isLocal() ? local(settings, rgb, layout, exposure, high, grey) : new double[0];
        return new ReferenceCurve(settings, exposure, high, local);
    }

    private static double[] local(
            ToneMapSettings settings, double[] rgb, FrameLayout layout, double exposure, double high, double key) {
        double[] exposed = new double[rgb.length / 3];
        for (int i = 0; i < exposed.length; i++) {
            exposed[i] = exposure * luminance(rgb, 3 * i, REC709);
        }
        LocalReference reference = new LocalReference(layout, settings, key);
        if (settings.operator() == Operator.REINHARD_LOCAL) {
            return reference.reinhard(exposed, exposure);
        }
        Double white = settings.white();
        return reference.guided(exposed, exposure, white != null ? white : exposure * high);
    }

    /** Luminances of 2^-22 and more, all of an eighth of an octave at their mean in middles of 64ths, and how many pixels each is. */
    private static SortedMap<Double, Double> lit(double[] rgb) {
        Map<Double, DoubleSummaryStatistics> bins = new TreeMap<>();
        for (int i = 0; i < rgb.length; i += 3) {
            float y = (float) (0.2126f * rgb[i]) + (float) (0.7152f * rgb[i + 1]);
            y = Math.max(0, y + (float) (0.0722f * rgb[i + 2]));
            double octave = Math.pow(2, Math.getExponent(y));
            double eighth = octave * (1 + Math.floor((y / octave - 1) * 8) / 8);
            if (octave >= Math.pow(2, -22)) {
                bins.computeIfAbsent(eighth, k -> new DoubleSummaryStatistics())
                        .accept(octave * (1 + (Math.floor((y / octave - 1) * 64) + 0.5) / 64));
            }
        }
        SortedMap<Double, Double> lit = new TreeMap<>();
        bins.values().forEach(bin -> lit.put(bin.getAverage(), (double) bin.getCount()));
        double bright = average(lit, 0, 0.96, 0.99);
        lit.replaceAll((y, count) -> {
            double below = (bright - Math.log(y)) / Math.log(2);
            double way = Math.max(0, Math.min(1, (10 - below) / 2));
            return count * way * way * (3 - 2 * way);
        });
        return lit;
    }

    /** Of the logarithms of what is there from one part of it to another. */
    private static double average(SortedMap<Double, Double> lit, double offset, double from, double to) {
        double all = lit.values().stream().mapToDouble(count -> count).sum();
        double sum = 0;
        double part = 0;
        for (Map.Entry<Double, Double> each : lit.entrySet()) {
            double next = part + each.getValue() / all;
            sum += Math.max(0, Math.min(to, next) - Math.max(from, part)) * Math.log(offset + each.getKey());
            part = next;
        }
        return lit.isEmpty() ? Math.log(1e-5) : sum / (to - from);
    }

    /** How much more middle grey is to be: up to four times where most is bright. */
    private static double key(SortedMap<Double, Double> lit) {
        double least = average(lit, 1e-5, 0.01, 0.02);
        double most = average(lit, 1e-5, 0.98, 0.99);
        double side = (2 * average(lit, 1e-5, 0.1, 0.9) - least - most) / Math.max(Math.log(2), most - least);
        return Math.pow(4, Math.max(-1, Math.min(1, side)));
    }

    /** Replaces a sanitised pixel, the frame's so many-th, by display values, 0 to 1 after clamping, with the transfer curve applied. */
    void apply(double[] rgb, int pixel) {
        double y = luminance(rgb, 0, REC709);
        double saturation = settings.colours().saturation();
        Arrays.setAll(rgb, i -> saturation * rgb[i] + (1 - saturation) * y);
        switch (settings.operator()) {
            case PQ, HLG -> hdr(rgb);
            case FILM -> each(rgb, this::film);
            case AGX -> between(rgb, INSET, ReferenceCurve::agx, OUTSET);
            case KHRONOS_NEUTRAL -> {
                each(rgb, c -> exposure * c);
                neutral(rgb);
            }
            case ACES_HILL -> between(rgb, TO_HILL, ReferenceCurve::hill, FROM_HILL);
            case REINHARD_LOCAL, GUIDED -> Arrays.setAll(rgb, i -> rgb[i] * local[pixel]);
            case REINHARD, REINHARD_EXTENDED, DRAGO, HABLE, ACES -> {
                if (onChannels()) {
                    each(rgb, c -> onLuminance(exposure * c));
                } else {
                    double some = Math.max(y, 1e-30);
                    double ratio = onLuminance(exposure * some) / some;
                    Arrays.setAll(rgb, i -> ratio * rgb[i]);
                }
            }
        }
        boolean codes =
                settings.operator() == Operator.FILM || settings.operator().words() == 2;
        if (!codes) {
            inRange(rgb, 1, REC709);
            if (settings.operator() != Operator.AGX) {
                Arrays.setAll(rgb, i -> encode(rgb[i]));
            }
        }
    }

    private boolean onChannels() {
        Colours.CurveOn on = settings.colours().curveOn();
        return on == null
                ? switch (settings.operator()) {
                    case HABLE, ACES, AGX, ACES_HILL -> true;
                    default -> false;
                }
                : on == Colours.CurveOn.CHANNELS;
    }

    private void each(double[] rgb, DoubleUnaryOperator curve) {
        inRange(rgb, Double.POSITIVE_INFINITY, REC709);
        Arrays.setAll(rgb, i -> curve.applyAsDouble(rgb[i]));
    }

    private void between(double[] rgb, double[] before, DoubleUnaryOperator curve, double[] behind) {
        inRange(rgb, Double.POSITIVE_INFINITY, REC709);
        double[] inner = times(before, rgb);
        Arrays.setAll(inner, i -> curve.applyAsDouble(exposure * inner[i]));
        System.arraycopy(times(behind, inner), 0, rgb, 0, 3);
    }

    private static double[] rows(String numbers) {
        return Arrays.stream(numbers.split(" ", -1))
                .mapToDouble(Double::parseDouble)
                .toArray();
    }

    private static double[] times(double[] m, double[] v) {
        double[] out = new double[3];
        Arrays.setAll(out, i -> m[3 * i] * v[0] + m[3 * i + 1] * v[1] + m[3 * i + 2] * v[2]);
        return out;
    }

    private static double luminance(double[] rgb, int at, double[] weights) {
        return Math.max(0, weights[0] * rgb[at] + weights[1] * rgb[at + 1] + weights[2] * rgb[at + 2]);
    }

    /** Towards the grey of the same luminance until all components are in range, of one hue; or each is cut off. */
    private void inRange(double[] rgb, double most, double[] weights) {
        if (settings.colours().outOfRange() == Colours.OutOfRange.CLIP) {
            Arrays.setAll(rgb, i -> Math.min(most, Math.max(0, rgb[i])));
            return;
        }
        double y = Math.min(most, luminance(rgb, 0, weights));
        double low = Math.min(0, Math.min(rgb[0], Math.min(rgb[1], rgb[2])));
        if (low < 0) {
            Arrays.setAll(rgb, i -> (rgb[i] - low) * y / (y - low)); // y + t (c - y) without its rounding errors
        }
        double high = Math.max(rgb[0], Math.max(rgb[1], rgb[2]));
        if (high > most) {
            double t = (most - y) / (high - y);
            int weak = rgb[0] > rgb[2] ? 2 : 0;
            double strong = rgb[2 - weak];
            double saturated = strong - 2 * rgb[weak] + 3 * Math.min(0, rgb[1] - rgb[weak]);
            double bend = 0.28 * t * (1 - t) * Math.min(saturated, 3 * (strong - rgb[1]));
            Arrays.setAll(rgb, i -> y + t * (rgb[i] - y));
            double loss = onChannels() ? 0 : Math.max(0, Math.min(rgb[weak], weights[1] * bend));
            rgb[weak] -= loss;
            rgb[1] += weights[weak] / weights[1] * loss;
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
                yield largest == 0
                        ? 0
                        : Math.log1p(l) / (log10 * Math.log(2 + 8 * Math.pow(Math.min(1, l / largest), power)));
            }
            case HABLE -> hable(2 * l) / hable(white != null ? white : 11.2);
            case ACES -> (l * (2.51 * l + 0.03)) / (l * (2.43 * l + 0.59) + 0.14);
            default -> throw new AssertionError("no curve of luminance");
        };
    }

    private static double hill(double x) {
        return (x * (x + 0.0245786) - 0.000090537) / (x * (0.983729 * x + 0.4329510) + 0.238081);
    }

    private static double agx(double x) {
        double v = (Math.log(Math.max(x, 1e-10)) / Math.log(2) + 12.47393) / (4.026069 + 12.47393);
        v = Math.min(1, Math.max(0, v));
        return (((((15.5 * v - 40.14) * v + 31.96) * v - 6.868) * v + 0.4298) * v + 0.1191) * v - 0.00232;
    }

    /** BT.2087, BT.2408, ST 2084 and BT.2100, in cd/m². */
    private void hdr(double[] rgb) {
        boolean hlg = settings.operator() == Operator.HLG;
        double most = hlg ? 1000 : 10_000;
        Double set = settings.peak();
        double peak = set == null ? most : set;
        double[] light = times(TO_BT2020, rgb);
        for (int i = 0; i < 3; i++) {
            double x = 203 * exposure * light[i];
            boolean compressed = (hlg || set != null) && x > peak / 2;
            light[i] = compressed ? peak - peak / 2 * (peak / 2) / x : x;
        }
        if (hlg) {
            inRange(light, Double.POSITIVE_INFINITY, BT2020);
        }
        double luminance = luminance(light, 0, BT2020) / most;
        double scene = !hlg ? 1 : luminance == 0 ? 0 : Math.pow(luminance, 1 / 1.2 - 1);
        Arrays.setAll(light, i -> light[i] / most * scene);
        inRange(light, 1, BT2020);
        Arrays.setAll(rgb, i -> hlg ? hlg(light[i]) : pq(light[i]));
    }

    private static double pq(double y) {
        double power = Math.pow(y, 2610.0 / 16384);
        return Math.pow((3424.0 / 4096 + 2413.0 / 128 * power) / (1 + 2392.0 / 128 * power), 2523.0 / 32);
    }

    private static double hlg(double e) {
        return e <= 1 / 12.0 ? Math.sqrt(3 * e) : 0.17883277 * Math.log(12 * e - 0.28466892) + 0.55991073;
    }

    private static double hable(double x) {
        return ((x * (0.15 * x + 0.10 * 0.50) + 0.20 * 0.02) / (x * (0.15 * x + 0.50) + 0.20 * 0.30)) - 0.02 / 0.30;
    }

    private static void neutral(double[] rgb) {
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

    private static double encode(double x) {
        double c = Math.min(Math.max(x, 0), 1);
        return c <= 0.0031308 ? 12.92 * c : 1.055 * Math.pow(c, 1 / 2.4) - 0.055;
    }
}
