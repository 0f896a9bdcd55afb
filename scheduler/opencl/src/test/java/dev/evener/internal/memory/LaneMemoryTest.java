package dev.evener.internal.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.internal.cl.ClContext;
import dev.evener.internal.cl.ClDevice;
import dev.evener.internal.cl.ClQueue;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What chunks keep for the next ones takes room from copies of buffers, until it is given up. */
class LaneMemoryTest {
    private static final long TOTAL = 1 << 20;

    @Test
    void whatIsGivenUpMakesRoomForCopies() {
        ClDevice device = ClDevice.all().get(0);
        ClContext context = new ClContext(List.of(device));
        ContextMemory all = new ContextMemory(context);
        all.retain();
        ClQueue queue = context.queue(device);
        MemoryBudget budget = new MemoryBudget(device.info().id(), TOTAL, TOTAL, TOTAL, TOTAL);
        try (LaneMemory memory = new LaneMemory(all, queue, budget, 64, null, queue, () -> {})) {
            assertFalse(memory.dropUnused());
            memory.temporary(0, 4096);
            memory.temporary(1, 1024);
            memory.buffers().ensure(0, 1, 512);
            assertEquals(TOTAL - 4096 - 1024 - 512, memory.roomForCopies());
            memory.temporary(1, 2048); // instead of the smaller one
            memory.temporary(0, 100); // for which the larger one will do
            assertEquals(TOTAL - 4096 - 2048 - 512, memory.roomForCopies());
            assertTrue(memory.dropUnused());
            assertEquals(TOTAL, memory.roomForCopies());
        } finally {
            queue.close();
            all.release();
        }
    }
}
