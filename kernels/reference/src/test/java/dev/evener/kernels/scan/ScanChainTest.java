package dev.evener.kernels.scan;

import static dev.evener.kernels.TestBed.endsLoopsEarly;
import static dev.evener.kernels.TestBed.open;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.InTurn;
import dev.evener.internal.job.JobSpec;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.tuning.Parameter;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policies;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The form for one device, on each kind of device, and where portions come late. */
@InTurn(2)
class ScanChainTest {
    private static final int TILE = Scan.TILE;

    @ParameterizedTest
    @CsvSource({"0.0,true", "0.1,false"})
    void givesWhatTheReferenceGives(String device, boolean sharing) {
        try (Evener evener = open(device, sharing)) {
            for (int count : new int[] {TILE, TILE + 1, 16 * TILE, 17 * TILE - 1, 70 * TILE + 5}) {
                check(evener, ElementType.INT, Operation.ADD, ScanKind.EXCLUSIVE, count, 1, "");
                check(evener, ElementType.FLOAT, Operation.ADD, ScanKind.INCLUSIVE, count, 1, "");
            }
            check(evener, ElementType.LONG, Operation.MIN, ScanKind.EXCLUSIVE, 33 * TILE, 1, "");
        }
    }

    /** llvmpipe of Mesa 22: one work-item may take all tiles, and loops end after 65,535 rounds. It used to work by luck. */
    @Test
    void whereLoopsEndEarlyItTakesFewTilesAndMoreAreRefused() {
        try (Evener evener = open("1.0", true)) {
            for (int count : new int[] {TILE, TILE + 1, 15 * TILE + 5}) {
                check(evener, ElementType.INT, Operation.ADD, ScanKind.EXCLUSIVE, count, 1, "");
                check(evener, ElementType.FLOAT, Operation.ADD, ScanKind.INCLUSIVE, count, 1, "");
            }
            check(evener, ElementType.LONG, Operation.MIN, ScanKind.EXCLUSIVE, 15 * TILE, 1, "");
            if (!endsLoopsEarly(evener)) {
                check(evener, ElementType.INT, Operation.ADD, ScanKind.EXCLUSIVE, 70 * TILE, 1, "");
                return;
            }
            String said = assertThrows(
                            CompletionException.class,
                            () -> check(evener, ElementType.INT, Operation.ADD, ScanKind.EXCLUSIVE, 16 * TILE, 1, ""))
                    .getMessage();
            assertTrue(said.contains("rounds of loops, which device 1.0 ends after 65,535"), said);
        }
    }

    @ParameterizedTest
    @CsvSource({"0.0", "1.0"})
    void inGroupsToo(String device) {
        try (Evener evener = open(device, true)) {
            for (int count : new int[] {TILE, 17 * TILE - 1, 70 * TILE + 5}) {
                check(evener, ElementType.FLOAT, Operation.MAX, ScanKind.EXCLUSIVE, count, 2, "");
                check(evener, ElementType.FLOAT, Operation.ADD, ScanKind.INCLUSIVE, count, 2, "");
            }
            check(evener, ElementType.LONG, Operation.ADD, ScanKind.EXCLUSIVE, 40 * TILE, 2, "");
        }
    }

    /** What NVIDIA's GPUs run, by way of local memory; few kinds, as CPU drivers take long to build it. */
    @Test
    void inWarpsToo() {
        String most = "-D SILENT(p)=((p)%7!=3)";
        Tuning two = Tuning.defaults().with(Parameter.SCAN_TILES, 2);
        try (Evener evener = open("0.0", true)) {
            for (int count : new int[] {TILE, 17 * TILE - 1, 70 * TILE + 5}) {
                check(evener, ElementType.INT, Operation.ADD, ScanKind.EXCLUSIVE, count, 3, "", two);
            }
            check(evener, ElementType.LONG, Operation.MIN, ScanKind.INCLUSIVE, 80 * TILE, 3, most, Tuning.defaults());
        }
    }

    /** Rows and tiles that never tell their totals or ends: the others find them out. */
    @ParameterizedTest
    @CsvSource({"1", "2"})
    void nothingWaitsForWhoIsLate(int form) {
        String most = "-D SILENT(p)=((p)%7!=3)";
        String all = "-D SILENT(p)=1";
        try (Evener evener = open("0.0", true)) {
            check(evener, ElementType.INT, Operation.ADD, ScanKind.INCLUSIVE, 150 * TILE, form, most);
            check(evener, ElementType.INT, Operation.ADD, ScanKind.INCLUSIVE, 50 * TILE + 5, form, all);
            check(evener, ElementType.FLOAT, Operation.ADD, ScanKind.EXCLUSIVE, 150 * TILE, form, most);
        }
    }

    private static void check(
            Evener evener, ElementType type, Operation operation, ScanKind kind, int count, int form, String options) {
        check(evener, type, operation, kind, count, form, options, Tuning.defaults());
    }

    private static void check(
            Evener evener,
            ElementType type,
            Operation operation,
            ScanKind kind,
            int count,
            int form,
            String options,
            Tuning tuning) {
        Data data = type == ElementType.FLOAT && operation != Operation.ADD ? Data.SPECIAL : Data.UNIFORM;
        ScanCase expected = new ScanCase(type, operation, kind, data, count, false);
        try (HostBuffer input = evener.allocate(type, count);
                HostBuffer output = evener.allocate(type, count);
                Scan scan = new Scan(evener::allocate, tuning)) {
            Data.fill(input, data.make(type, count, count));
            Object before = Data.content(input);
            for (int i = 0; i < 2; i++) {
                JobSpec job = GpuForms.job(form, options, scan.job(kind, operation, input, output));
                evener.submit(Objects.requireNonNull(job.alone()), Policies.single())
                        .join();
                expected.check(Data.content(output));
            }
            assertArrayEquals(new Object[] {before}, new Object[] {Data.content(input)});
        }
    }
}
