package dev.evener.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Chunks are kept one by one up to a limit, and as a sum beyond it. */
class ChunkLogTest {

    @Test
    void chunksAreKeptAsTheyCame() {
        ChunkLog log = new ChunkLog();
        assertEquals(0, log.chunks());
        assertEquals(0, log.totalNanos());
        log.add(0, 0, 100, 1000, 900);
        log.add(1, 100, 50, 400, 450); // busy longer than it kept the lane: clocks differ
        log.add(1, 150, 1, 0, 0);
        assertEquals(3, log.size());
        assertEquals(3, log.chunks());
        assertEquals(100, log.first(1));
        assertEquals(50, log.units(1));
        assertEquals(1, log.phase(1));
        assertEquals(400, log.nanos(1));
        assertEquals(400, log.busy(1));
        assertEquals(900, log.busy(0));
        assertEquals(1, log.nanos(2), "nothing takes no time at all");
        assertEquals(1, log.busy(2));
        ChunkLog untold = new ChunkLog();
        untold.add(0, 0, 10, 500, 0);
        assertEquals(500, untold.busy(0), "a device that does not tell its times was at work all the time");
        assertEquals(100, log.launchNanos());
        assertEquals(1401, log.totalNanos());
    }

    @Test
    void ofVeryManyTheRestIsASum() {
        ChunkLog log = new ChunkLog();
        for (int i = 0; i < 1000; i++) {
            log.add(0, 10L * i, 10, 100 + i, 99 + i);
        }
        assertEquals(1000, log.chunks());
        assertEquals(640, 10 * log.size());
        assertEquals(10_000 - 640, log.moreUnits());
        assertEquals(1000, log.launchNanos());
        long all = 1000 * 100 + 999 * 1000 / 2;
        assertEquals(all, log.totalNanos());
        long kept = 0;
        for (int i = 0; i < log.size(); i++) {
            assertEquals(10L * i, log.first(i));
            kept += log.nanos(i);
        }
        assertEquals(all - kept - (1000 - log.size()), log.moreBusy());
    }
}
