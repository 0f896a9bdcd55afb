package dev.evener.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.evener.ElementType;
import dev.evener.MadeUpBuffers;
import dev.evener.internal.data.Traffic;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a host step is given of buffers in segments: managed ones are covered by ManagedBufferTest. */
class HostTurnTest {
    @Test
    void partsInSeveralSegmentsAreCopiedAndPutBack() {
        HostData data = MadeUpBuffers.inSegments(ElementType.INT, 3000, 4096); // 1,024 to a page
        for (int i = 0; i < 3000; i++) {
            data.bytes(4L * i, 4).putInt(0, i);
        }
        HostTurn turn = new HostTurn(b -> b, Set.of(), Set.of(data.all()), new Traffic());
        ByteBuffer read = turn.read(data, 1000, 1100);
        for (int i = 0; i < 1100; i++) {
            assertEquals(1000 + i, read.getInt(4 * i));
        }
        assertThrows(ReadOnlyBufferException.class, () -> read.putInt(0, 1));
        turn.update(data, 1023, 2).putInt(-1).putInt(-2);
        turn.update(data, 5, 1).putInt(-3);
        assertEquals(-3, data.bytes(4 * 5, 4).getInt(0), "in one segment it is the memory itself");
        turn.end();
        assertEquals(-1, data.bytes(4 * 1023, 4).getInt(0));
        assertEquals(-2, data.bytes(4 * 1024, 4).getInt(0));
        assertThrows(IllegalStateException.class, () -> turn.read(data, 0, 1));
        data.close();
    }
}
