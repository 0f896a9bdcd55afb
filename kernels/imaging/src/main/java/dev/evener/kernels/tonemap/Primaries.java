package dev.evener.kernels.tonemap;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What the components of a linear pixel are amounts of: the CIE 1931 chromaticities of red, green, blue and of white, x
 * and y each. Linear Rec. 709 is made of them by {@code P709^-1 B^-1 diag(B W709 / B W) B P}: {@code P} is the matrix
 * from RGB to XYZ, {@code W} white, {@code B} Bradford's matrix (Lam, Metamerism and Colour Constancy, 1985). White
 * stays white.
 *
 * @param name of those that have one, else the eight numbers, with commas
 * @param xy the eight numbers
 */
public record Primaries(String name, List<Double> xy) {
    /** ITU-R BT.709 and sRGB: what pictures for displays have, and frames that say nothing else. */
    public static final Primaries REC709 = new Primaries("rec709", 0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329);

    /** ITU-R BT.2020, which pictures for HDR displays have. */
    public static final Primaries REC2020 =
            new Primaries("rec2020", 0.708, 0.292, 0.17, 0.797, 0.131, 0.046, 0.3127, 0.329);

    /** CIE XYZ with white of equal energy. */
    public static final Primaries XYZ = new Primaries("xyz", 1, 0, 0, 1, 0, 0, 1 / 3.0, 1 / 3.0);

    /** Those with a name: beside the others P3 with the white of D65 (SMPTE EG 432-1), AP1 and AP0 (SMPTE ST 2065-1, ACES S-2014-004). */
    private static final List<Primaries> NAMED = List.of(
            REC709,
            REC2020,
            new Primaries("p3", 0.68, 0.32, 0.265, 0.69, 0.15, 0.06, 0.3127, 0.329),
            new Primaries("acescg", 0.713, 0.293, 0.165, 0.83, 0.128, 0.044, 0.32168, 0.33767),
            new Primaries("aces", 0.7347, 0.2653, 0, 1, 0.0001, -0.077, 0.32168, 0.33767),
            XYZ);

    private static final String NUMBER = "[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?";
    private static final double NEAR = 0.001; // files round what they say
    private static final double MOST = 1000; // of factors: larger ones would make noise of a pixel

    /** From XYZ to what adapts to white: Lam, 1985, as in CIECAM97s. */
    private static final double[] BRADFORD = {0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296
    };

    private Primaries(String name, double... xy) {
        this(name, Arrays.stream(xy).boxed().toList());
    }

    /** Of these eight numbers, with a name if they are within a thousandth of those of one; of Rec. 709 if they span no colours. */
    public static Primaries orRec709(double... xy) {
        return spanning(xy).orElse(REC709);
    }

    private static Optional<Primaries> spanning(double... xy) {
        Primaries own =
                new Primaries(Arrays.stream(xy).mapToObj(Double::toString).collect(Collectors.joining(",")), xy);
        if (!(xy[7] > 0) || !Arrays.stream(own.toRec709()).allMatch(v -> Math.abs(v) <= MOST)) {
            return Optional.empty();
        }
        return NAMED.stream()
                .filter(n -> IntStream.range(0, 8).allMatch(i -> Math.abs(n.xy.get(i) - xy[i]) <= NEAR))
                .map(n -> new Primaries(n.name, xy))
                .findFirst()
                .or(() -> Optional.of(own));
    }

    /**
     * Those of a name, or of eight numbers with commas.
     *
     * @throws IllegalArgumentException if there are none; the message lists the names
     */
    public static Primaries parse(String text) {
        Optional<Primaries> found = text.matches(NUMBER + "(," + NUMBER + "){7}")
                ? spanning(Arrays.stream(text.split(","))
                        .mapToDouble(Double::parseDouble)
                        .toArray())
                : NAMED.stream().filter(n -> n.name.equals(text)).findFirst();
        return found.orElseThrow(() -> new IllegalArgumentException("there are no primaries '" + text
                + "'; choose one of " + NAMED.stream().map(Primaries::name).collect(Collectors.joining(", "))
                + ", or give x and y of red, green, blue and white, with commas"));
    }

    /** Whether they are those of displays, so that there is nothing to convert. */
    public boolean isRec709() {
        return name.equals(REC709.name);
    }

    /**
     * What converts a pixel to linear Rec. 709, three by three, row by row: white becomes white, other colours what they look like
     * under it by Bradford's transform.
     */
    public double[] toRec709() {
        double[] own = cones();
        double[] target = REC709.cones();
        for (int i = 0; i < 9; i += 3) { // white is what all three make
            double gain = (target[i] + target[i + 1] + target[i + 2]) / (own[i] + own[i + 1] + own[i + 2]);
            for (int k = i; k < i + 3; k++) {
                own[k] *= gain;
            }
        }
        return times(inverse(target), own);
    }

    /** What converts a pixel to what adapts. */
    private double[] cones() {
        double[] xyz = new double[9];
        for (int c = 0; c < 3; c++) {
            xyz[c] = xy.get(2 * c);
            xyz[3 + c] = xy.get(2 * c + 1);
            xyz[6 + c] = 1 - xyz[c] - xyz[3 + c];
        }
        double white = xy.get(7);
        double[] amounts = times(inverse(xyz), xy.get(6) / white, 1, (1 - xy.get(6) - white) / white);
        for (int i = 0; i < 9; i++) {
            xyz[i] *= amounts[i % 3];
        }
        return times(BRADFORD, xyz);
    }

    /** Of three rows, and a matrix or a column. */
    private static double[] times(double[] m, double... by) {
        int columns = by.length / 3;
        double[] product = new double[by.length];
        for (int i = 0; i < by.length; i++) {
            for (int k = 0; k < 3; k++) {
                product[i] += m[i / columns * 3 + k] * by[k * columns + i % columns];
            }
        }
        return product;
    }

    private static double[] inverse(double[] m) {
        double[] inverse = new double[9];
        for (int i = 0; i < 9; i++) { // cofactors, transposed
            int a = (i + 1) % 3 * 3;
            int b = (i + 2) % 3 * 3;
            int c = (i / 3 + 1) % 3;
            int d = (i / 3 + 2) % 3;
            inverse[i] = m[a + c] * m[b + d] - m[a + d] * m[b + c];
        }
        double determinant = m[0] * inverse[0] + m[1] * inverse[3] + m[2] * inverse[6];
        return Arrays.stream(inverse).map(v -> v / determinant).toArray();
    }
}
