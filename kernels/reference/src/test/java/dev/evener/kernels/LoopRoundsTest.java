package dev.evener.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.HostBuffer;
import dev.evener.InTurn;
import dev.evener.kernels.compact.Compact;
import dev.evener.kernels.compact.Comparison;
import dev.evener.kernels.compact.Selection;
import dev.evener.kernels.image.Canny;
import dev.evener.kernels.image.ImageSize;
import dev.evener.kernels.matrix.MatrixMultiply;
import dev.evener.kernels.scan.Operation;
import dev.evener.kernels.scan.Scan;
import dev.evener.kernels.sort.RadixSort;
import dev.evener.kernels.tuning.Parameter;
import dev.evener.kernels.tuning.Tuning;
import java.nio.IntBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Primitives of sizes at which their usual form for CPUs takes more rounds of loops than llvmpipe of Mesa 22 runs, after which
 * it goes on with wrong values: they are computed right there, or refused. Where the driver has no such limit, nothing is.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@InTurn(2)
class LoopRoundsTest {
    /** Of as few slices as may be, which have as many rounds each with the fewest elements. */
    private static final Tuning FEW =
            Tuning.defaults().with(Parameter.COMPACT_CPU_SLICES, 16).with(Parameter.SORT_CPU_SLICES, 16);

    private static final int N = 1_100_003; // more than 65,535 for each slice

    private final Evener evener =
            Evener.builder().devices(DeviceSelector.parse("1.0")).open();

    @AfterAll
    void close() {
        evener.close();
    }

    private HostBuffer numbers() {
        HostBuffer numbers = evener.allocate(ElementType.INT, N);
        IntBuffer view = numbers.ints();
        for (int i = 0, v = 1; i < N; i++) {
            v = v * 1664525 + 1013904223;
            view.put(i, v);
        }
        return numbers;
    }

    private static int[] copy(HostBuffer buffer, int count) {
        int[] values = new int[count];
        buffer.ints().get(0, values);
        return values;
    }

    @Test
    void aScanIsRight() {
        try (HostBuffer in = numbers();
                HostBuffer out = evener.allocate(ElementType.INT, N)) {
            Scan.inclusive(evener, Operation.ADD, in, out);
            int[] expected = copy(in, N);
            Arrays.parallelPrefix(expected, Integer::sum);
            assertEquals(-1, Arrays.mismatch(expected, copy(out, N)));
        }
    }

    @Test
    void aCompactionIsRight() {
        try (HostBuffer in = numbers();
                HostBuffer out = evener.allocate(ElementType.INT, N);
                HostBuffer count = evener.allocate(ElementType.UINT, 1)) {
            Submission.run(evener, Compact.valuesJob(Selection.where(Comparison.GREATER, 0), in, out, count, FEW));
            int[] expected = Arrays.stream(copy(in, N)).filter(v -> v > 0).toArray();
            assertEquals(expected.length, count.ints().get(0));
            assertEquals(-1, Arrays.mismatch(expected, copy(out, expected.length)));
        }
    }

    @Test
    void aSortIsRight() {
        try (HostBuffer in = numbers();
                HostBuffer out = evener.allocate(ElementType.INT, N);
                RadixSort sort = new RadixSort(evener::allocate, FEW)) {
            Submission.run(evener, sort.job(in, out));
            int[] expected = copy(in, N);
            Arrays.sort(expected);
            assertEquals(-1, Arrays.mismatch(expected, copy(out, N)));
        }
    }

    @Test
    void edgesOfALargeImageAreRefused() {
        try (HostBuffer grey = evener.allocate(ElementType.UBYTE, 1 << 20);
                HostBuffer edges = evener.allocate(ElementType.UBYTE, 1 << 20)) {
            refused("canny_classes", () -> Canny.edges(evener, new ImageSize(1024, 1024), grey, edges, 50, 100));
            Canny.edges(evener, new ImageSize(64, 64), grey, edges, 50, 100); // those of a small one are not
        }
    }

    @Test
    void aProductOfLargeMatricesIsRefused() {
        int n = 512;
        try (HostBuffer a = evener.allocate(ElementType.FLOAT, (long) n * n);
                HostBuffer b = evener.allocate(ElementType.FLOAT, (long) n * n);
                HostBuffer c = evener.allocate(ElementType.FLOAT, (long) n * n)) {
            refused("matrix_multiply", () -> Submission.run(evener, MatrixMultiply.job(n, n, n, a, b, c)));
            Submission.run(evener, MatrixMultiply.job(64, 64, 64, a, b, c));
        }
    }

    private void refused(String kernel, Runnable run) {
        if (!TestBed.endsLoopsEarly(evener)) {
            run.run();
            return;
        }
        String message = assertThrows(EvenerException.class, run::run).getMessage();
        assertTrue(message.contains("kernel " + kernel + " may take "), message);
        assertTrue(message.contains(" rounds of loops, which device 1.0 ends after 65,535"), message);
    }
}
