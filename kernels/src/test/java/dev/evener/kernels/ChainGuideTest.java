package dev.evener.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.ManagedBuffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
        String program =
                Files.readString(Path.of("src", "test", "java", "dev", "evener", "kernels", "ChainExample.java"));
        int from = program.indexOf('\n', program.indexOf("// region chain")) + 1;
        int to = program.indexOf("\n    // endregion");
        String shown = program.substring(from, to).stripIndent();
        String guide = Files.readString(Path.of("..", "docs", "primitives.md"));
        assertTrue(guide.contains("```java\n" + shown + "\n```\n"), "docs/primitives.md does not show\n" + shown);
    }

    @ParameterizedTest
    @CsvSource({"'0.0', true", "'0.0,0.1', true", "'0.0', false", "'0.0,0.1', false"})
    void theExampleWorks(String devices, boolean shares) {
        int[] values = new Random(5).ints(N, 0, 100).toArray();
        int[] sums = values.clone();
        Arrays.parallelPrefix(sums, Integer::sum);
        for (int limit : new int[] {0, 1_000_000, Integer.MAX_VALUE}) {
            int[] expected =
                    Arrays.stream(sums).filter(sum -> sum < limit).sorted().toArray();
            try (Evener evener = TestBed.open(devices, shares);
                    ManagedBuffer signal = evener.allocateManaged(ElementType.UINT, N)) {
                try (ManagedBuffer.Scope scope = signal.write()) {
                    scope.ints().put(values);
                }
                assertArrayEquals(expected, ChainExample.lowSums(evener, signal, limit));
            }
        }
    }
}
