package dev.evener.kernels.tonemap;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.DataBuffer;
import dev.evener.JobBuilder;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.kernels.Forms;
import java.io.Serial;
import java.io.Serializable;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a picture's colours behind the curve, as tables have it: of curves for red, green and blue, then of
 * a cube of colours; either may be missing. It takes the codes of the picture from 0 to 1, at 16 bits whatever the
 * picture has; beyond a table's domain counts its edge. Curves are interpolated linearly, cubes in tetrahedra.
 * Results below 0 and above 1 count as that. Immutable; any thread.
 */
public final class Look implements Serializable {
    @Serial
    private static final long serialVersionUID = 1L;

    /** Entries of curves, at most. */
    public static final int MOST_CURVE = 1 << 16;

    /** Entries along an edge of a cube, at most. */
    public static final int MOST_CUBE = 129;

    private static final KernelSource SOURCE =
            KernelSource.resource(Look.class, "look.cl").withTrialLaunch();
    private static final int GROUP = 256;
    private static final int HEAD = 4;
    private static final float LARGEST = 1e9f;

    private final float[] curves;
    private final float[] curveDomain;
    private final float[] cube;
    private final float[] cubeDomain;

    /**
     * Of these tables, of which one may be empty.
     *
     * @param curves red, green and blue of each entry, from that of the least value on
     * @param curveDomain the values of the first entry, of red, green and blue, and those of the last
     * @param cube red, green and blue of each entry, those of growing red first, then of green, then of blue
     * @param cubeDomain as of the curves
     * @throws IllegalArgumentException if there are too few entries or too many, or numbers that are not finite
     *     or above 10<sup>9</sup>, or a domain that does not grow
     */
    public Look(float[] curves, float[] curveDomain, float[] cube, float[] cubeDomain) {
        this.curves = curves.clone();
        this.curveDomain = curveDomain.clone();
        this.cube = cube.clone();
        this.cubeDomain = cubeDomain.clone();
        int entries = curves.length / 3;
        int edge = edge();
        boolean whole = curves.length % 3 == 0 && 3 * edge * edge * edge == cube.length && entries + edge > 0;
        if (!whole || entries == 1 || edge == 1 || entries > MOST_CURVE || edge > MOST_CUBE) {
            throw new IllegalArgumentException(
                    "curves have 2 to " + MOST_CURVE + " entries of three numbers, and cubes 2 to " + MOST_CUBE
                            + " along each edge; not " + curves.length + " and " + cube.length + " numbers");
        }
        for (float[] numbers : new float[][] {curves, curveDomain, cube, cubeDomain}) {
            for (float each : numbers) {
                if (!(Math.abs(each) <= LARGEST)) {
                    throw new IllegalArgumentException("a value of " + each + "; it must be within 1e9");
                }
            }
        }
        for (float[] domain : new float[][] {curveDomain, cubeDomain}) {
            for (int c = 0; c < 3; c++) {
                if (domain.length != 6 || !(domain[3 + c] - domain[c] > 1 / LARGEST)) {
                    throw new IllegalArgumentException(
                            "a domain from " + domain[c] + " to " + domain[3 + c] + "; it must grow");
                }
            }
        }
    }

    private int edge() {
        return (int) Math.round(Math.cbrt(cube.length / 3.0));
    }

    /** The curves' entries, as they were given. */
    public float[] curves() {
        return curves.clone();
    }

    /** Their domain. */
    public float[] curveDomain() {
        return curveDomain.clone();
    }

    /** The cube's entries. */
    public float[] cube() {
        return cube.clone();
    }

    /** Its domain. */
    public float[] cubeDomain() {
        return cubeDomain.clone();
    }

    /** Floats of what kernels take. */
    int floats() {
        return 4 * HEAD + (curves.length + cube.length) / 3 * 4;
    }

    /** Puts them, from the first on. */
    void put(FloatBuffer target) {
        // The first table there is takes codes.
        putDomain(target, 0, curveDomain, curves.length / 3, 65535);
        putDomain(target, 8, cubeDomain, edge(), curves.length == 0 ? 65535 : 1);
        int at = 4 * HEAD;
        for (float[] table : new float[][] {curves, cube}) {
            for (int i = 0; i < table.length; i += 3, at += 4) {
                target.put(at, table, i, 3);
                target.put(at + 3, 0);
            }
        }
    }

    private static void putDomain(FloatBuffer target, int at, float[] domain, int entries, double unit) {
        for (int c = 0; c < 4; c++) {
            double low = c < 3 ? domain[c] : 0;
            double perValue = c < 3 ? (entries - 1) / (domain[3 + c] - low) : 0;
            target.put(at + c, (float) (perValue / unit));
            target.put(at + 4 + c, (float) (-low * perValue));
        }
    }

    /**
     * Adds the phase.
     *
     * @param wide the picture at two words a pixel
     * @param tables what {@link #put} has put
     * @param pixels takes it, so many words a pixel
     */
    void addTo(JobBuilder job, int stride, DataBuffer wide, DataBuffer tables, DataBuffer pixels, int words) {
        String option = "-D WORDS=" + words;
        Forms.perUnit(job.source(SOURCE).kernel("look"), option, stride + 1L, stride, GROUP, "")
                .jvm(java(stride, words))
                .reads(wide, slice(2L * stride))
                .reads(tables, whole())
                .writes(pixels, slice((long) words * stride))
                .scalar(curves.length / 3)
                .scalar(edge())
                .scalar(stride)
                .chunkUnits();
    }

    private JvmKernel java(int stride, int words) {
        return chunk -> {
            IntBuffer wide = chunk.buffer(0).asIntBuffer();
            FloatBuffer table = chunk.buffer(1).asFloatBuffer();
            IntBuffer pixels = chunk.buffer(2).asIntBuffer();
            int[] in = new int[2 * stride];
            int[] out = new int[words * stride];
            float[] v = new float[3];
            float most = words == 1 ? 255 : 65535;
            for (int unit = 0; unit < chunk.units(); unit++) {
                wide.get(unit * in.length, in);
                for (int x = 0; x < stride; x++) {
                    for (int c = 0; c < 3; c++) {
                        v[c] = PictureRows.sample(in[2 * x], in[2 * x + 1], c);
                    }
                    apply(table, v);
                    for (int c = 0; c < 3; c++) {
                        v[c] = (v[c] > 0 ? v[c] < 1 ? v[c] : 1 : 0) * most + 0.5f;
                    }
                    PixelMath.put(
                            out,
                            x,
                            words,
                            words == 1 ? PixelMath.pack(v[0], v[1], v[2]) : PixelMath.packWide(v[0], v[1], v[2]));
                }
                pixels.put(unit * out.length, out);
            }
        };
    }

    /** As {@code look.cl}, operation for operation. */
    private void apply(FloatBuffer table, float[] v) {
        int entries = curves.length / 3;
        for (int c = 0; c < 3 && entries > 0; c++) {
            float p = place(table, 0, v[c], c, entries);
            int at = Math.min((int) p, entries - 2);
            float low = table.get(4 * (HEAD + at) + c);
            v[c] = low + (table.get(4 * (HEAD + at + 1) + c) - low) * (p - at);
        }
        int edge = edge();
        if (edge == 0) {
            return;
        }
        float r = place(table, 8, v[0], 0, edge);
        float g = place(table, 8, v[1], 1, edge);
        float b = place(table, 8, v[2], 2, edge);
        int red = Math.min((int) r, edge - 2);
        int green = Math.min((int) g, edge - 2);
        int blue = Math.min((int) b, edge - 2);
        r -= red;
        g -= green;
        b -= blue;
        boolean rg = r >= g;
        boolean rb = r >= b;
        boolean gb = g >= b;
        int up = edge * edge;
        int corner = HEAD + entries + red + edge * green + up * blue;
        int first = corner + (rg && rb ? 1 : gb ? edge : up);
        int end = corner + 1 + edge + up;
        int last = end - (rb && gb ? up : rg ? edge : 1);
        float most = rg && rb ? r : gb ? g : b;
        float least = rb && gb ? b : rg ? g : r;
        float middle = rg != rb ? r : rg == gb ? g : b;
        for (int c = 0; c < 3; c++) {
            v[c] = ((table.get(4 * corner + c) * (1.0f - most) + table.get(4 * first + c) * (most - middle))
                            + table.get(4 * last + c) * (middle - least))
                    + table.get(4 * end + c) * least;
        }
    }

    /** Where a value is in a table, of which the domain stands here. */
    private static float place(FloatBuffer table, int domain, float value, int c, int entries) {
        float p = value * table.get(domain + c) + table.get(domain + 4 + c);
        float most = entries - 1;
        return p > 0 ? p < most ? p : most : 0;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other == this
                || (other instanceof Look o
                        && Arrays.equals(curves, o.curves)
                        && Arrays.equals(curveDomain, o.curveDomain)
                        && Arrays.equals(cube, o.cube)
                        && Arrays.equals(cubeDomain, o.cubeDomain));
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(curves) + Arrays.hashCode(cube);
    }

    @Override
    public String toString() {
        return "look of " + curves.length / 3 + " entries of curves and a cube of " + edge();
    }
}
