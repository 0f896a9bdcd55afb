package dev.evener.examples;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.Report;
import dev.evener.policy.Policies;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** The tests that docs/tutorial.md writes, and what it says of them. */
class LifeTest {
    // region declared
    @Test
    void theKernelDoesWhatItsJobDeclares() {
        int width = 37;
        int height = 1009; // a prime number of units
        int[] cells = Life.random(width * height);
        try (Evener checking = Evener.builder().checked().open()) {
            HostBuffer now = checking.allocate(ElementType.INT, cells.length);
            HostBuffer next = checking.allocate(ElementType.INT, cells.length);
            now.ints().put(cells);
            checking.submit(Life.generation(now, next, width, height)).join();
        }
    }
    // endregion

    // region split
    @Test
    void everySplitHasTheCellsOfTheLoop() {
        int width = 100;
        int height = 83;
        int[] expected = Life.random(width * height);
        for (int i = 0; i < 10; i++) {
            int[] next = new int[expected.length];
            Life.next(expected, next, width, height);
            expected = next;
        }
        for (double share : new double[] {0, 0.3, 0.5, 1}) {
            try (Evener evener =
                    Evener.builder().policy(Policies.fixed(share, 1 - share)).open()) {
                assertArrayEquals(expected, Life.after(evener, Life.random(width * height), width, height, 10));
            }
        }
    }
    // endregion

    /** What the tutorial shows of the checking mode. */
    @Test
    void aHaloThatIsTooSmallIsFound() {
        int width = 37;
        int height = 1009;
        int[] cells = Life.random(width * height);
        try (Evener checking = Evener.builder().checked().open()) {
            HostBuffer now = checking.allocate(ElementType.INT, cells.length);
            HostBuffer next = checking.allocate(ElementType.INT, cells.length);
            now.ints().put(cells);
            Job narrow = Job.named("life")
                    .source(Life.KERNEL)
                    .range(width, height)
                    .kernel("life")
                    .reads(now, Access.slice(width).halo(1, 0))
                    .writes(next, Access.slice(width))
                    .scalar(width)
                    .scalar(height)
                    .build();
            CompletionException e = assertThrows(
                    CompletionException.class, () -> checking.submit(narrow).join());
            assertTrue(
                    e.getMessage()
                            .contains(
                                    ": kernel life, argument 0: the kernel reads outside of the chunk's part; declare a (larger) halo"),
                    e::getMessage);
        }
    }

    @Test
    void oneGenerationIsSharedOut() {
        int[] cells = Life.random(64 * 50);
        int[] expected = new int[cells.length];
        Life.next(cells, expected, 64, 50);
        try (Evener evener = Evener.builder().policy(Policies.fixed(0.5, 0.5)).open()) {
            assertArrayEquals(expected, Life.next(evener, cells, 64, 50));
            HostBuffer now = evener.allocate(ElementType.INT, cells.length);
            HostBuffer next = evener.allocate(ElementType.INT, cells.length);
            Report report = evener.submit(Life.generation(now, next, 64, 50)).join();
            assertTrue(report.devices().stream().allMatch(d -> d.units() > 0), report::summary);
        }
    }
}
