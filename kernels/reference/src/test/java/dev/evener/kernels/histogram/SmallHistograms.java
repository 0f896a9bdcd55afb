package dev.evener.kernels.histogram;

import dev.evener.ElementType;
import dev.evener.kernels.PrimitiveCase;
import java.util.ArrayList;
import java.util.List;

/** Histograms that an interpreter of kernels gets through in seconds. */
public final class SmallHistograms {
    private SmallHistograms() {}

    /** Both forms of each way to find a bin, and the histograms of colours in both styles. */
    public static List<PrimitiveCase> all() {
        List<PrimitiveCase> cases = new ArrayList<>();
        for (boolean groups : new boolean[] {false, true}) {
            for (int n : new int[] {1, 9, 4097}) {
                cases.add(of(ElementType.UBYTE, n, "bytes", Bins.even(256, 0, 256), false, groups));
            }
            cases.add(of(ElementType.USHORT, 2001, "scaled", Bins.even(1000, 99, 65_000), false, groups));
            cases.add(of(ElementType.USHORT, 2001, "edges", Bins.edges(0L, 9L, 777L, 65_536L), false, groups));
            cases.add(of(ElementType.UINT, 2001, "100", Bins.even(100, 0, 1L << 32), true, groups));
            cases.add(of(ElementType.UINT, 2001, "divided", Bins.even(6553, 12_345, 4_294_967_291L), false, groups));
            cases.add(of(ElementType.UINT, 2001, "edges", Bins.edges(5L, 5L, 1L << 31, (1L << 32) - 3), false, groups));
            cases.add(of(ElementType.FLOAT, 2001, "even", Bins.even(1000, -900.1f, 1000.7f), false, groups));
            cases.add(of(ElementType.FLOAT, 2001, "edges", Bins.edges(-1f, -0f, 0f, 3f), false, groups));
            for (RgbStyle style : List.of(RgbStyle.ATOMICS, RgbStyle.PRIVATE)) {
                cases.add(new RgbCase(style, "uniform", 256, 3, false, groups));
                cases.add(new RgbCase(style, "uniform", 7, 2001, false, groups));
                cases.add(new RgbCase(style, "skewed", 256, 2001, true, groups));
            }
        }
        return cases;
    }

    private static PrimitiveCase of(
            ElementType type, int elements, String label, Bins bins, boolean wide, boolean groups) {
        return new HistogramCase(type, "uniform", elements, label, bins, wide, groups);
    }
}
