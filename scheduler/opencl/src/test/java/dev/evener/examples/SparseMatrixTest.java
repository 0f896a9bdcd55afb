package dev.evener.examples;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DataBuffer;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.ManagedBuffer;
import dev.evener.Report;
import dev.evener.policy.Policies;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Units over a buffer with one element more: offsets of rows, of which the last one's end belongs to no unit. */
class SparseMatrixTest {
    static final int GRANULE = 32; // floats between two places where PoCL may cut

    @ParameterizedTest
    @CsvSource({"'0.0,0.1', true, false", "'0.0,0.1', false, false", "'0.0,0.1', false, true", "jvm, true, false"})
    void everySplitSeesTheEndOfItsLastRow(String devices, boolean shared, boolean kept) {
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse(devices))
                .sharedMemory(shared)
                .history(History.inMemory())
                .open()) {
            for (int rows : new int[] {1, GRANULE, 5 * GRANULE + 7}) {
                for (double split : splits(rows, evener.devices().size())) {
                    multiply(evener, rows, split, kept);
                }
            }
        }
    }

    private static List<Double> splits(int rows, int lanes) {
        List<Double> splits = new ArrayList<>();
        int granules = (rows + GRANULE - 1) / GRANULE;
        for (int first = 0; first <= granules; first++) {
            splits.add((double) first / granules);
        }
        return lanes == 1 ? List.of(1.0) : splits;
    }

    static void multiply(Evener evener, int rows, double split, boolean kept) {
        Random random = new Random(rows);
        int[] ends = new int[rows + 1];
        for (int row = 0; row < rows; row++) {
            ends[row + 1] =
                    ends[row] + random.nextInt(5) + (row == rows - 1 ? 3 : 0); // the last row must have something
        }
        try (DataBuffer offsets = kept
                        ? evener.allocateManaged(ElementType.UINT, rows + 1)
                        : evener.allocate(ElementType.UINT, rows + 1);
                HostBuffer columns = evener.allocate(ElementType.UINT, ends[rows]);
                HostBuffer values = evener.allocate(ElementType.FLOAT, ends[rows]);
                HostBuffer x = evener.allocate(ElementType.FLOAT, rows);
                HostBuffer y = evener.allocate(ElementType.FLOAT, rows)) {
            if (offsets instanceof ManagedBuffer managed) {
                try (ManagedBuffer.Scope scope = managed.overwrite()) {
                    scope.ints().put(ends);
                }
            } else {
                ((HostBuffer) offsets).ints().put(ends);
            }
            float[] expected = new float[rows];
            for (int row = 0; row < rows; row++) {
                x.floats().put(row, row + 1);
            }
            for (int row = 0; row < rows; row++) {
                for (int k = ends[row]; k < ends[row + 1]; k++) {
                    columns.ints().put(k, random.nextInt(rows));
                    values.floats().put(k, random.nextInt(100));
                    expected[row] += values.floats().get(k)
                            * x.floats().get(columns.ints().get(k));
                }
            }
            Job job = SparseMatrix.job(offsets, columns, values, x, y);
            for (int run = 0; run < (kept ? 2 : 1); run++) {
                y.floats().put(new float[rows]);
                Report report = evener.submit(
                                job, evener.devices().size() == 1 ? Policies.fixed() : Policies.fixed(split, 1 - split))
                        .join();
                float[] found = new float[rows];
                y.floats().get(found);
                assertArrayEquals(expected, found, rows + " rows, first share " + split);
                assertEquals(List.of(), report.failures());
            }
        }
    }

    @Test
    void offsetsThatAreTooFewAreRefused() {
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0"))
                .history(History.inMemory())
                .open()) {
            HostBuffer ten = evener.allocate(ElementType.UINT, 10);
            HostBuffer y = evener.allocate(ElementType.FLOAT, 11);
            EvenerException e = assertThrows(EvenerException.class, () -> SparseMatrix.job(ten, ten, ten, ten, y));
            assertTrue(e.getMessage().contains("10 elements, but 11 units of 1 need more"), e.getMessage());
        }
    }
}
