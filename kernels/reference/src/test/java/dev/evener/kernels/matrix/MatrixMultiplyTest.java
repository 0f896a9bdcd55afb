package dev.evener.kernels.matrix;

import static dev.evener.kernels.Refusals.refused;
import static dev.evener.kernels.TestBed.open;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.TestBuffers;
import dev.evener.kernels.Buffers;
import dev.evener.kernels.reference.MatrixReference;
import org.junit.jupiter.api.Test;

class MatrixMultiplyTest {

    @Test
    void multipliesKnownMatrices() {
        try (Evener evener = open("jvm");
                HostBuffer a = Buffers.of(evener, new float[] {1, 2, 3, 4, 5, 6});
                HostBuffer b = Buffers.of(evener, new float[] {7, 8, 9, 10, 11, 12});
                HostBuffer c = evener.allocate(ElementType.FLOAT, 9)) {
            MatrixMultiply.multiply(evener, 2, 3, 2, a, b, c);
            assertArrayEquals(new float[] {58, 64, 139, 154}, Buffers.floats(c, 4));
            MatrixMultiply.multiply(evener, 3, 2, 3, a, b, c);
            assertArrayEquals(new float[] {27, 30, 33, 61, 68, 75, 95, 106, 117}, Buffers.floats(c, 9));
        }
    }

    @Test
    void theReferencesAgreeOnSmallIntegers() {
        float[] a = {1, 2, 3, 4, 5, 6};
        float[] b = {7, 8, 9, 10, 11, 12};
        assertArrayEquals(new float[] {58, 64, 139, 154}, MatrixReference.inFloats(2, 3, 2, a, b));
        assertArrayEquals(new double[] {58, 64, 139, 154}, MatrixMultiplyConformanceTest.inDoubles(2, 3, 2, a, b));
    }

    @Test
    void wrongSizesAndBuffersAreRefused() {
        HostBuffer six = TestBuffers.allocate(ElementType.FLOAT, 6);
        HostBuffer other = TestBuffers.allocate(ElementType.FLOAT, 6);
        HostBuffer nine = TestBuffers.allocate(ElementType.FLOAT, 9);
        HostBuffer ints = TestBuffers.allocate(ElementType.INT, 9);
        refused("m must be at least 0, not -1", () -> MatrixMultiply.job(-1, 2, 3, six, other, nine));
        refused("left matrix's buffer has 6 elements, 8", () -> MatrixMultiply.job(4, 2, 2, six, other, nine));
        refused("right matrix's buffer has 6 elements, 8", () -> MatrixMultiply.job(2, 2, 4, six, other, nine));
        refused("product's buffer has 6 elements, 9", () -> MatrixMultiply.job(3, 2, 3, six, nine, other));
        refused(
                "the left matrix's buffer has 6 elements, 4611686014132420609",
                () -> MatrixMultiply.job(Integer.MAX_VALUE, Integer.MAX_VALUE, 1, six, six, nine));
        refused("must hold float, not int", () -> MatrixMultiply.job(3, 2, 3, six, other, ints));
        refused("different buffers", () -> MatrixMultiply.job(1, 2, 3, six, nine, six));
        refused("different buffers", () -> MatrixMultiply.job(1, 2, 3, six, nine, nine));
    }
}
