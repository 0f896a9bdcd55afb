package dev.evener.kernels.scan;

import dev.evener.ElementType;
import dev.evener.kernels.PrimitiveCase;
import java.util.ArrayList;
import java.util.List;

/** Scans that an interpreter of kernels gets through in seconds. */
public final class SmallScans {
    private static final int TILE = Scan.TILE;

    private SmallScans() {}

    /** Both forms, split and chained, of scans, and every style of segmented scans. */
    public static List<PrimitiveCase> all() {
        List<PrimitiveCase> cases = new ArrayList<>();
        for (boolean groups : new boolean[] {false, true}) {
            for (int count : new int[] {999, TILE + 1, 17 * TILE + 3}) { // a row has 16 tiles
                cases.add(new ScanCase(
                        ElementType.FLOAT, Operation.ADD, ScanKind.EXCLUSIVE, Data.UNIFORM, count, groups));
            }
            cases.add(new ScanCase(ElementType.INT, Operation.ADD, ScanKind.INCLUSIVE, Data.UNIFORM, TILE - 1, groups));
            cases.add(
                    new ScanCase(ElementType.LONG, Operation.MIN, ScanKind.EXCLUSIVE, Data.UNIFORM, 2 * TILE, groups));
            cases.add(new ScanCase(ElementType.UINT, Operation.MAX, ScanKind.INCLUSIVE, Data.UNIFORM, TILE, groups));
        }
        int[][] shapes = {{1, 1}, {30, 1}, {33, 15}, {26, 16}, {7, 17}, {5, 257}, {2, 4097}};
        for (int[] shape : shapes) {
            for (boolean groups : new boolean[] {false, true}) {
                cases.add(segmented(ElementType.FLOAT, ScanKind.EXCLUSIVE, shape, Style.RUNS, 256, groups));
            }
        }
        cases.add(segmented(ElementType.INT, ScanKind.INCLUSIVE, new int[] {40, 100}, Style.RUNS, 256, false));
        cases.add(segmented(ElementType.INT, ScanKind.INCLUSIVE, new int[] {40, 100}, Style.RUNS, 256, true));
        for (int length : new int[] {5, 150}) {
            int[] shape = {9, length};
            cases.add(segmented(ElementType.FLOAT, ScanKind.EXCLUSIVE, shape, Style.NAIVE, 64, false));
            cases.add(segmented(ElementType.INT, ScanKind.INCLUSIVE, shape, Style.NAIVE, 8, false));
            cases.add(segmented(ElementType.FLOAT, ScanKind.INCLUSIVE, shape, Style.BLELLOCH, 32, false));
            cases.add(segmented(ElementType.INT, ScanKind.EXCLUSIVE, shape, Style.BLELLOCH, 256, false));
        }
        return cases;
    }

    private static PrimitiveCase segmented(
            ElementType type, ScanKind kind, int[] shape, Style style, int groupSize, boolean groups) {
        return new SegmentedScanConformanceTest.Case(type, kind, shape[0], shape[1], style, groupSize, groups);
    }
}
