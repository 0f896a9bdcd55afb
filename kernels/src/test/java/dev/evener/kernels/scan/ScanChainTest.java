package dev.evener.kernels.scan;

import static dev.evener.kernels.TestBed.endsLoopsEarly;
import static dev.evener.kernels.TestBed.open;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.tuning.Parameter;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policies;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The form for one device, on each kind of device, and where portions come late. */
class ScanChainTest {
    private static final int TILE = Scan.TILE;

    @ParameterizedTest
    @CsvSource({"0.0,true", "0.1,false"})
    void givesWhatTheReferenceGives(String device, boolean sharing) {
        try (Evener evener = open(device, sharing)) {
            for (int count : new int[] {TILE, TILE + 1, 16 * TILE, 17 * TILE - 1, 70 * TILE + 5}) {
                check(evener, ElementType.INT, Operation.ADD, ScanKind.EXCLUSIVE, count, false, "");
                check(evener, ElementType.FLOAT, Operation.ADD, ScanKind.INCLUSIVE, count, false, "");
            }
            check(evener, ElementType.LONG, Operation.MIN, ScanKind.EXCLUSIVE, 33 * TILE, false, "");
        }
    }

    /** llvmpipe of Mesa 22: one work-item may take all tiles, and loops end after 65,535 rounds. It used to work by luck. */
    @Test
    void whereLoopsEndEarlyItTakesFewTilesAndMoreAreRefused() {
        try (Evener evener = open("1.0", true)) {
            for (int count : new int[] {TILE, TILE + 1, 15 * TILE + 5}) {
                check(evener, ElementType.INT, Operation.ADD, ScanKind.EXCLUSIVE, count, false, "");
                check(evener, ElementType.FLOAT, Operation.ADD, ScanKind.INCLUSIVE, count, false, "");
            }
            check(evener, ElementType.LONG, Operation.MIN, ScanKind.EXCLUSIVE, 15 * TILE, false, "");
            if (!endsLoopsEarly(evener)) {
                check(evener, ElementType.INT, Operation.ADD, ScanKind.EXCLUSIVE, 70 * TILE, false, "");
                return;
            }
            String said = assertThrows(
                            CompletionException.class,
                            () -> check(
                                    evener, ElementType.INT, Operation.ADD, ScanKind.EXCLUSIVE, 16 * TILE, false, ""))
                    .getMessage();
            assertTrue(said.contains("rounds of loops, which device 1.0 ends after 65,535"), said);
        }
    }

    @ParameterizedTest
    @CsvSource({"0.0", "1.0"})
    void inGroupsToo(String device) {
        try (Evener evener = open(device, true)) {
            for (int count : new int[] {TILE, 17 * TILE - 1, 70 * TILE + 5}) {
                check(evener, ElementType.FLOAT, Operation.MAX, ScanKind.EXCLUSIVE, count, true, "");
                check(evener, ElementType.FLOAT, Operation.ADD, ScanKind.INCLUSIVE, count, true, "");
            }
            check(evener, ElementType.LONG, Operation.ADD, ScanKind.EXCLUSIVE, 40 * TILE, true, "");
        }
    }

    /** What NVIDIA's GPUs run, by way of local memory; few kinds, as CPU drivers take long to build it. */
    @Test
    void inWarpsToo() {
        String warps = "-D EMULATED_WARPS";
        String most = warps + " -D SILENT(p)=((p)%7!=3)";
        Tuning two = Tuning.defaults().with(Parameter.SCAN_TILES, 2);
        try (Evener evener = open("0.0", true)) {
            for (int count : new int[] {TILE, 17 * TILE - 1, 70 * TILE + 5}) {
                check(evener, ElementType.INT, Operation.ADD, ScanKind.EXCLUSIVE, count, true, warps, two);
            }
            check(
                    evener,
                    ElementType.LONG,
                    Operation.MIN,
                    ScanKind.INCLUSIVE,
                    80 * TILE,
                    true,
                    most,
                    Tuning.defaults());
        }
    }

    /** Rows and tiles that never tell their totals or ends: the others find them out. */
    @ParameterizedTest
    @CsvSource({"false", "true"})
    void nothingWaitsForWhoIsLate(boolean groups) {
        String most = "-D SILENT(p)=((p)%7!=3)";
        String all = "-D SILENT(p)=1";
        try (Evener evener = open("0.0", true)) {
            check(evener, ElementType.INT, Operation.ADD, ScanKind.INCLUSIVE, 150 * TILE, groups, most);
            check(evener, ElementType.INT, Operation.ADD, ScanKind.INCLUSIVE, 50 * TILE + 5, groups, all);
            check(evener, ElementType.FLOAT, Operation.ADD, ScanKind.EXCLUSIVE, 150 * TILE, groups, most);
        }
    }

    private static void check(
            Evener evener,
            ElementType type,
            Operation operation,
            ScanKind kind,
            int count,
            boolean groups,
            String options) {
        check(evener, type, operation, kind, count, groups, options, Tuning.defaults());
    }

    private static void check(
            Evener evener,
            ElementType type,
            Operation operation,
            ScanKind kind,
            int count,
            boolean groups,
            String options,
            Tuning tuning) {
        Data data = type == ElementType.FLOAT && operation != Operation.ADD ? Data.SPECIAL : Data.UNIFORM;
        ScanCase expected = new ScanCase(type, operation, kind, data, count, groups);
        try (HostBuffer input = evener.allocate(type, count);
                HostBuffer output = evener.allocate(type, count);
                Scan scan = new Scan(evener::allocate, tuning, groups)) {
            Data.fill(input, data.make(type, count, count));
            Object before = Data.content(input);
            for (int i = 0; i < 2; i++) {
                evener.submit(scan.chained(kind, operation, input, output, options), Policies.single())
                        .join();
                expected.check(Data.content(output));
            }
            assertArrayEquals(new Object[] {before}, new Object[] {Data.content(input)});
        }
    }
}
