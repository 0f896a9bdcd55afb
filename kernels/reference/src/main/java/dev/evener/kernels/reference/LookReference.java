package dev.evener.kernels.reference;

import dev.evener.kernels.tonemap.Look;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * A look in double precision. Part of {@link ToneMapReference}; it takes the picture's codes at 16 bits, as it is
 * defined. Any thread.
 */
final class LookReference {
    private final float[] curves;
    private final float[] curveDomain;
    private final float[] cube;
    private final float[] cubeDomain;
    private final int edge;

    LookReference(Look look) {
        curves = look.curves();
        curveDomain = look.curveDomain();
        cube = look.cube();
        cubeDomain = look.cubeDomain();
        edge = (int) Math.round(Math.cbrt(cube.length / 3.0));
    }

    /** Of a pixel from 0 to 1. */
    void apply(double[] rgb) {
        for (int c = 0; c < 3; c++) {
            rgb[c] = Math.floor(Math.min(Math.max(rgb[c], 0), 1) * 65535 + 0.5) / 65535;
            if (curves.length > 0) {
                double place = place(rgb[c], curveDomain, c, curves.length / 3);
                int at = (int) Math.floor(place);
                int next = Math.min(at + 1, curves.length / 3 - 1);
                rgb[c] = curves[3 * at + c] * (1 - place + at) + curves[3 * next + c] * (place - at);
            }
        }
        if (edge > 0) {
            tetrahedron(rgb);
        }
    }

    /**
     * From the corner at the origin of its cell to the one across, along the axes in the order in which the colour is
     * far along them.
     */
    private void tetrahedron(double[] rgb) {
        int[] at = new int[3];
        double[] along = new double[3];
        for (int c = 0; c < 3; c++) {
            double place = place(rgb[c], cubeDomain, c, edge);
            at[c] = (int) Math.floor(place);
            along[c] = place - at[c];
        }
        int[] axes = IntStream.range(0, 3)
                .boxed()
                .sorted(Comparator.comparingDouble((Integer axis) -> -along[axis]))
                .mapToInt(Integer::intValue)
                .toArray();
        double[] before = entry(at);
        double[] sum = before.clone();
        for (int axis : axes) {
            at[axis] = Math.min(at[axis] + 1, edge - 1);
            double[] corner = entry(at);
            for (int c = 0; c < 3; c++) {
                sum[c] += along[axis] * (corner[c] - before[c]);
            }
            before = corner;
        }
        System.arraycopy(sum, 0, rgb, 0, 3);
    }

    private double[] entry(int[] at) {
        int first = 3 * (at[0] + edge * (at[1] + edge * at[2]));
        return new double[] {cube[first], cube[first + 1], cube[first + 2]};
    }

    private static double place(double value, float[] domain, int c, int entries) {
        double share = (value - domain[c]) / ((double) domain[3 + c] - domain[c]);
        return Math.min(Math.max(share, 0), 1) * (entries - 1);
    }
}
