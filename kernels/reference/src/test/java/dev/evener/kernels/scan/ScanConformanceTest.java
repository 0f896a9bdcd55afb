package dev.evener.kernels.scan;

import dev.evener.ElementType;
import dev.evener.LongTests;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.PrimitiveConformance;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScanConformanceTest extends PrimitiveConformance {
    private static final int TILE = Scan.TILE;

    /** Several granules on every device of the test bed, a row of tiles that is not full, and a rest. */
    private static final int SEVERAL = 131 * TILE + 777;

    @Override
    protected List<? extends PrimitiveCase> cases() {
        List<PrimitiveCase> cases = new ArrayList<>();
        for (int count : new int[] {0, 1, 15, TILE - 1, TILE, TILE + 1, 5 * TILE + 17}) {
            cases.add(scan(ElementType.FLOAT, Operation.ADD, ScanKind.EXCLUSIVE, Data.UNIFORM, count));
            cases.add(scan(ElementType.INT, Operation.ADD, ScanKind.INCLUSIVE, Data.SKEWED, count));
        }
        cases.add(scan(ElementType.FLOAT, Operation.ADD, ScanKind.EXCLUSIVE, Data.UNIFORM, SEVERAL));
        cases.add(scan(ElementType.FLOAT, Operation.ADD, ScanKind.INCLUSIVE, Data.SPECIAL, 3 * TILE + 1));
        cases.add(scan(ElementType.FLOAT, Operation.MIN, ScanKind.INCLUSIVE, Data.SPECIAL, 64 * TILE + 3));
        cases.add(scan(ElementType.FLOAT, Operation.MAX, ScanKind.EXCLUSIVE, Data.SPECIAL, 3 * TILE));
        cases.add(scan(ElementType.INT, Operation.ADD, ScanKind.INCLUSIVE, Data.UNIFORM, SEVERAL));
        cases.add(scan(ElementType.UINT, Operation.MIN, ScanKind.EXCLUSIVE, Data.CONSTANT, 2 * TILE));
        cases.add(scan(ElementType.LONG, Operation.ADD, ScanKind.EXCLUSIVE, Data.UNIFORM, SEVERAL));
        cases.add(scan(ElementType.LONG, Operation.MAX, ScanKind.INCLUSIVE, Data.SORTED, 33 * TILE));
        return cases;
    }

    /** Every operation, both kinds, and types of each size: Rusticl takes longer for a program of these than for any other. */
    @Override
    protected List<? extends PrimitiveCase> someOf(List<? extends PrimitiveCase> all) {
        List<String> some =
                List.of("EXCLUSIVE ADD FLOAT", "INCLUSIVE ADD INT", "INCLUSIVE MIN FLOAT", "INCLUSIVE MAX LONG");
        return all.stream()
                .filter(c -> LongTests.ASKED_FOR || (c instanceof ScanCase scan && some.contains(scan.build())))
                .toList();
    }

    @Test
    void whatGpusRun() {
        GpuForms.check(List.of(
                inGroups(ElementType.FLOAT, Operation.ADD, ScanKind.EXCLUSIVE, Data.UNIFORM),
                inGroups(ElementType.LONG, Operation.MIN, ScanKind.INCLUSIVE, Data.UNIFORM)));
    }

    private static ScanCase scan(ElementType type, Operation operation, ScanKind kind, Data data, int count) {
        return new ScanCase(type, operation, kind, data, count, false);
    }

    private static ScanCase inGroups(ElementType type, Operation operation, ScanKind kind, Data data) {
        return new ScanCase(type, operation, kind, data, 67 * TILE + 5, true);
    }
}
