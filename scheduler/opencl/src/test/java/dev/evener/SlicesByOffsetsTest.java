package dev.evener;

import static dev.evener.Access.slices;
import static dev.evener.Access.whole;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.policy.Policies;
import java.nio.IntBuffer;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Slices that begin where another buffer says, as the rows of a sparse matrix, changed in place wherever a job is cut. */
class SlicesByOffsetsTest {
    private static final int ROWS = 300;
    private static final int FIRST = 7; // elements in front of the first row, and behind the last one, are nobody's
    private static final int BEHIND = 11;

    private static final String SOURCE = """
            kernel void sums(global const int *begins, global int *values) {
                int row = get_global_id(0), sum = 0;
                for (int k = begins[row]; k < begins[row + 1]; k++) { sum += values[k]; values[k] = sum; }
            }
            kernel void too_far(global const int *begins, global int *values) {
                int row = get_global_id(0);
                for (int k = begins[row]; k <= begins[row + 1]; k++) values[k] = row;
            }
            """;

    private static int length(int row) {
        return row % 7 == 3 ? 0 : row == 100 ? 900 : row * 31 % 23;
    }

    private static Evener open(boolean shared) {
        return Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .history(History.inMemory())
                .sharedMemory(shared)
                .open();
    }

    private static IntBuffer begins(HostBuffer buffer) {
        int at = FIRST;
        for (int row = 0; row <= ROWS; row++) {
            buffer.ints().put(row, at);
            at += row < ROWS ? length(row) : 0;
        }
        return buffer.ints();
    }

    private static JobBuilder job(String kernel, HostBuffer begins, HostBuffer values) {
        return Job.named(kernel)
                .source(SOURCE)
                .units(ROWS)
                .kernel(kernel)
                .reads(begins, whole())
                .updates(values, slices(begins.ints().limit(ROWS + 1)));
    }

    @ParameterizedTest
    @CsvSource({"true, 0.5", "true, 0.33", "true, 0", "false, 0.5", "false, 0.33", "false, 1", "false, 0.9"})
    void rowsAreChangedInPlace(boolean shared, double share) {
        try (Evener evener = open(shared);
                HostBuffer begins = evener.allocate(ElementType.INT, ROWS + 1)) {
            int end = begins(begins).get(ROWS);
            try (HostBuffer values = evener.allocate(ElementType.INT, end + BEHIND)) {
                int[] expected = new int[end + BEHIND];
                for (int i = 0; i < expected.length; i++) {
                    expected[i] = i * 7919 % 127;
                    values.ints().put(i, expected[i]);
                }
                for (int step = 0; step < 2; step++) { // the second begins with what devices have
                    for (int row = 0; row < ROWS; row++) {
                        for (int k = begins.ints().get(row) + 1;
                                k < begins.ints().get(row + 1);
                                k++) {
                            expected[k] += expected[k - 1];
                        }
                    }
                    Report report = evener.submit(job("sums", begins, values)
                                    .policy(Policies.fixed(share, 1 - share))
                                    .build())
                            .join();
                    assertEquals(
                            share == 0 || share == 1 ? 1 : 2,
                            report.devices().stream()
                                    .filter(each -> each.units() > 0)
                                    .count());
                }
                int[] found = new int[expected.length];
                values.ints().get(0, found);
                assertArrayEquals(expected, found);
            }
        }
    }

    @Test
    void whatDoesNotFitIsRefused() {
        try (Evener evener = open(true);
                HostBuffer begins = evener.allocate(ElementType.INT, ROWS + 1)) {
            int end = begins(begins).get(ROWS);
            try (HostBuffer values = evener.allocate(ElementType.INT, end + BEHIND);
                    HostBuffer few = evener.allocate(ElementType.INT, end - 1)) {
                String said = assertThrows(
                                EvenerException.class,
                                () -> job("sums", begins, few).build())
                        .getMessage();
                assertTrue(said.contains("the last ends at element " + end), said);
                said = assertThrows(
                                EvenerException.class,
                                () -> job("sums", begins, values)
                                        .units(ROWS + 1)
                                        .build())
                        .getMessage();
                assertTrue(said.contains("slices(begins) are " + ROWS), said);
                said = assertThrows(
                                CompletionException.class,
                                evener.submit(job("too_far", begins, values).build())::join)
                        .getMessage();
                assertTrue(said.contains("argument 1") && said.contains("writes outside of what it was given"), said);
            }
        }
        assertThrows(IllegalArgumentException.class, () -> slices(IntBuffer.wrap(new int[] {0, 2, 1})));
        assertThrows(IllegalArgumentException.class, () -> slices(IntBuffer.wrap(new int[] {-1, 2})));
        assertThrows(IllegalArgumentException.class, () -> slices(IntBuffer.allocate(0)));
    }
}
