package dev.evener.internal.fold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.MadeUpBuffers;
import dev.evener.internal.LogicalBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Memory is used again where it fits, and what lies idle does not grow. */
class ScratchPoolTest {
    private final ScratchPool pool = new ScratchPool(MadeUpBuffers::of, 8000);

    @Test
    void memoryIsUsedAgainByWhatItFits() {
        LogicalBuffer buffer = pool.take(ElementType.FLOAT, 1000, 1);
        assertNotSame(buffer, pool.take(ElementType.FLOAT, 1000, 1), "it is in use");
        pool.giveBack(buffer);
        assertNotSame(buffer, pool.take(ElementType.FLOAT, 1001, 1), "too small");
        assertNotSame(buffer, pool.take(ElementType.FLOAT, 499, 1), "a waste");
        assertNotSame(buffer, pool.take(ElementType.UINT, 1000, 1), "another type");
        assertSame(buffer, pool.take(ElementType.FLOAT, 900, 1));
        assertNotSame(buffer, pool.take(ElementType.FLOAT, 900, 1), "it is in use again");
        assertFalse(buffer.isClosed());
    }

    @Test
    void theOldestIsClosedWhenTooManyLieIdle() {
        List<LogicalBuffer> buffers = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            buffers.add(pool.take(ElementType.UINT, 100, 1));
        }
        buffers.forEach(pool::giveBack);
        assertTrue(buffers.get(0).isClosed());
        assertEquals(1, buffers.stream().filter(LogicalBuffer::isClosed).count());
        assertSame(buffers.get(8), pool.take(ElementType.UINT, 100, 1));
    }

    @Test
    void theOldestIsClosedWhenTooMuchLiesIdle() {
        LogicalBuffer[] buffers = new LogicalBuffer[3];
        for (int i = 0; i < 3; i++) {
            buffers[i] = pool.take(ElementType.BYTE, 4000, 1);
        }
        for (LogicalBuffer buffer : buffers) {
            pool.giveBack(buffer);
        }
        assertTrue(buffers[0].isClosed());
        assertFalse(buffers[1].isClosed());
        assertFalse(buffers[2].isClosed());
    }
}
