package dev.evener.kernels.reference;

import dev.evener.kernels.scan.Operation;
import dev.evener.kernels.scan.ScanKind;
import dev.evener.kernels.scan.Style;
import java.util.Arrays;

/** Prefix sums of equal segments by plain loops, for tests and verification. */
public final class SegmentedScanReference {
    private SegmentedScanReference() {}

    /** Of integers, signed or not. */
    public static int[] scan(ScanKind kind, int[] input, int segment) {
        int[] output = new int[input.length];
        int sum = 0;
        for (int i = 0; i < input.length; i++) {
            if (i % segment == 0) {
                sum = 0;
            }
            int before = sum;
            sum += input[i];
            output[i] = kind == ScanKind.INCLUSIVE ? sum : before;
        }
        return output;
    }

    /** Of floats, added in the order of {@link Style#RUNS}; those of other styles differ by rounding errors. */
    public static float[] scan(ScanKind kind, float[] input, int segment) {
        float[] output = new float[input.length];
        for (int i = 0; i < input.length; i += segment) {
            float[] one = ScanReference.scan(kind, Operation.ADD, Arrays.copyOfRange(input, i, i + segment));
            System.arraycopy(one, 0, output, i, segment);
        }
        return output;
    }
}
