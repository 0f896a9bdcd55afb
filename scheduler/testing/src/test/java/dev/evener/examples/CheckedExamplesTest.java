package dev.evener.examples;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import org.junit.jupiter.api.Test;

/** Examples in the checking mode. */
class CheckedExamplesTest {
    @Test
    void theFirstTestOfAKernel() {
        Batch.check();
    }

    @Test
    void publishedKernelsAreDeclaredRight() {
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .checked()
                .open()) {
            PublishedTest.runAll(evener, 1001);
        }
        Published.check(2, new float[1000], new float[1000]);
    }

    /** The checking mode gives kernels what they may read and no more. */
    @Test
    void theEndOfTheLastRowMayBeRead() {
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .checked()
                .open()) {
            SparseMatrixTest.multiply(evener, 5 * SparseMatrixTest.GRANULE + 7, 0.5, false);
        }
    }
}
