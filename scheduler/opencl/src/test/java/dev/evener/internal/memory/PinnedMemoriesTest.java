package dev.evener.internal.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.evener.internal.HostMemory;
import dev.evener.internal.PageLocked;
import dev.evener.internal.PageLocked.Block;
import dev.evener.internal.cl.ClContext;
import dev.evener.internal.cl.ClDevice;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which context locks the host memory of runtimes with several. */
class PinnedMemoriesTest {
    private static final int LARGE = 10 << 20; // which shares no slab
    private static final int CONTEXTS = 3;

    private final List<ContextMemory> contexts = new ArrayList<>();
    private final List<PinnedMemory> each = new ArrayList<>();
    private final PageLocked all;

    PinnedMemoriesTest() {
        ClDevice device = ClDevice.all().get(0);
        for (int i = 0; i < CONTEXTS; i++) {
            ContextMemory context = new ContextMemory(new ClContext(List.of(device)));
            context.retain();
            contexts.add(context);
            each.add(context.pinned(device, PageLocked.LEAST));
        }
        this.all = new PinnedMemories(each);
    }

    @AfterEach
    void close() {
        contexts.forEach(ContextMemory::release);
    }

    private Block take(int bytes) {
        Block taken = all.take(bytes);
        assertNotNull(taken);
        return taken;
    }

    private List<Long> locked() {
        return each.stream().map(PinnedMemory::lockedBytes).toList();
    }

    /** All of it was locked in the context of the first GPU: its one queue had the threads of all GPUs' frames wait for each other. */
    @Test
    void eachLocksItsPart() {
        for (int i = 0; i < 2 * CONTEXTS; i++) {
            take(LARGE);
        }
        assertEquals(List.of(2L * LARGE, 2L * LARGE, 2L * LARGE), locked());
    }

    @Test
    void whatLiesIdleInAnyIsTakenFirst() {
        List<Block> blocks = new ArrayList<>();
        for (int i = 0; i < CONTEXTS; i++) {
            blocks.add(take(LARGE));
        }
        for (Block idle : blocks) {
            HostMemory.Use before = HostMemory.Use.soFar();
            idle.giveBack();
            take(LARGE);
            assertEquals(0, HostMemory.Use.soFar().since(before).locks());
        }
        assertEquals(List.of((long) LARGE, (long) LARGE, (long) LARGE), locked());
    }

    @Test
    void smallBlocksShareOneSlab() {
        HostMemory.Use before = HostMemory.Use.soFar();
        for (int i = 0; i < 5; i++) {
            take(1 << 20);
        }
        assertEquals(1, HostMemory.Use.soFar().since(before).locks());
    }
}
