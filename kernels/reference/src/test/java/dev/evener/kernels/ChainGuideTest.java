package dev.evener.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.ManagedBuffer;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What docs/primitives.md shows of a chain is what runs here. */
class ChainGuideTest {
    private static final int N = 100_000;

    @Test
    void theGuideShowsTheExample() throws IOException {
        Guide.requireShows("primitives.md", ChainExample.class, "chain");
    }

    @ParameterizedTest
    @CsvSource({"'0.0', true", "'0.0,0.1', true", "'0.0', false", "'0.0,0.1', false"})
    void theExampleWorks(String devices, boolean shares) {
        int[] values = new Random(5).ints(N, 0, 100).toArray();
        int[] sums = values.clone();
        Arrays.parallelPrefix(sums, Integer::sum);
        try (Evener evener = TestBed.open(devices, shares);
                ManagedBuffer signal = evener.allocateManaged(ElementType.UINT, N)) {
            signal.overwrite(view -> view.ints().put(values));
            for (int limit : new int[] {0, 1_000_000, Integer.MAX_VALUE}) {
                int[] expected =
                        Arrays.stream(sums).filter(sum -> sum < limit).sorted().toArray();
                assertArrayEquals(expected, ChainExample.lowSums(evener, signal, limit));
            }
        }
    }
}
