package dev.evener.internal.data;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.Report.Cause;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TrafficTest {
    private final Traffic chunk = new Traffic();

    @Test
    void ofWhatAChunkSeesItsOwnIsItsShareAndTheRestIsHalo() {
        chunk.forChunk(true, 100, 200).sentFor("0.0", 80, 230);
        assertEquals(Map.of(Cause.SHARE, 100L, Cause.HALO, 50L), chunk.sent("0.0"));
        assertEquals(100, chunk.once(), "what goes over again and again is none of it");
    }

    @Test
    void aChunkBeginsWithoutWhatTheOneBeforeItBrought() {
        Traffic all = new Traffic();
        for (int chunks = 1; chunks <= 2; chunks++) {
            chunk.because(Cause.FIRST_USE, true).sent("0.0", Cause.FIRST_USE, 7);
            assertEquals(7, chunk.once());
            all.take(chunk);
            assertEquals(0, chunk.once());
            assertEquals(Map.of(), chunk.sent("0.0"));
            assertEquals(7L * chunks, all.once());
            assertEquals(Map.of(Cause.FIRST_USE, 7L * chunks), all.sent("0.0"));
        }
    }
}
