package dev.evener.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
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

    @Test
    void theCallsThatThePageBeginsWithWork() {
        int[] values = new Random(6).ints(N, 0, 100).toArray();
        try (Evener evener = TestBed.open("0.0,0.1", true)) {
            HostBuffer counts = evener.allocate(ElementType.UINT, N);
            HostBuffer sorted = evener.allocate(ElementType.UINT, N);
            HostBuffer found = evener.allocate(ElementType.UINT, 1);
            HostBuffer pixels = evener.allocate(ElementType.UBYTE, N);
            counts.ints().put(values);
            long[] shades = PrimitiveCalls.all(
                    evener,
                    counts,
                    evener.allocate(ElementType.UINT, N),
                    sorted,
                    evener.allocate(ElementType.UINT, N),
                    found,
                    pixels);
            assertEquals(N, shades[0], "all are black");
            assertEquals(
                    Arrays.stream(values).filter(value -> value < 10).count(),
                    found.ints().get(0));
            assertEquals(Arrays.stream(values).limit(N - 1).sum(), sorted.ints().get(N - 1), "the last of rising sums");
        }
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
