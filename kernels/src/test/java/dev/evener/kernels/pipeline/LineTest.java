package dev.evener.kernels.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Report;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which item may go on, whatever order their jobs end in. */
class LineTest {
    private static final Report DONE = new Report("job", "single", 1, 0, 0, 1, 1, null, List.of(), null, List.of());

    private final List<Item<Integer>> items = new ArrayList<>();
    private Line<Integer> line = new Line<>(2, new SlotPool<>(List.of()));

    @BeforeEach
    void fourItems() throws InterruptedException {
        SlotPool<Integer> slots = new SlotPool<>(List.of(0, 1, 2, 3));
        line = new Line<>(2, slots);
        for (int i = 0; i < 4; i++) {
            items.add(line.add(slots.acquire(), report -> {}, Runnable::run, 0));
        }
    }

    private void assertDue(Integer... slots) {
        assertEquals(List.of(slots), line.due().stream().map(item -> item.slot).toList());
        assertEquals(List.of(), line.due());
    }

    private void assertThrough(Integer... slots) {
        assertEquals(
                List.of(slots), line.through().stream().map(item -> item.slot).toList());
    }

    private void done(int item) {
        assertEquals(Line.Next.WAIT, line.ended(items.get(item), DONE));
    }

    @Test
    void twoJobsOfAStageAtOnce() {
        assertDue(0, 1);
        done(0);
        assertDue(0, 2);
        done(0);
        assertDue();
        assertThrough(0);
        done(1);
        done(2);
        assertDue(1, 2, 3);
    }

    @Test
    void noneOvertakesAnother() {
        assertDue(0, 1);
        done(1);
        assertDue(2); // and not 1, before 0
        done(0);
        assertDue(0, 1, 3);
        done(1);
        assertThrough();
        done(0);
        assertThrough(0, 1);
    }

    @Test
    void thoseThatEndAreNoObstacle() {
        assertDue(0, 1);
        done(1);
        assertTrue(line.cancel(items.get(2)), "it waits");
        assertFalse(line.cancel(items.get(0)), "it is under way");
        assertDue(3);
        assertEquals(Line.Next.END, line.ended(items.get(0), null));
        assertDue(1);
        done(3);
        assertDue(3);
        done(3);
        assertThrough();
        assertEquals(Line.Next.END, line.ended(items.get(1), null));
        assertThrough(3);
    }
}
