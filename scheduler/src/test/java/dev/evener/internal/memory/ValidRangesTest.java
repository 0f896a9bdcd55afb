package dev.evener.internal.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.internal.ContentVersion;
import java.util.Arrays;
import java.util.Collections;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a device trusts, against a host buffer whose every byte is known. */
class ValidRangesTest {
    private static final int BYTES = 64;

    @Test
    void aReaderKeepsWhatNobodyWrote() {
        ContentVersion version = new ContentVersion();
        ValidRanges valid = new ValidRanges(version);
        valid.refresh();
        assertEquals(0, valid.missingFrom(0, BYTES));
        valid.received(8, 24);
        valid.refresh();
        assertEquals(24, valid.missingFrom(8, BYTES));
        version.changed();
        valid.refresh();
        assertEquals(8, valid.missingFrom(8, BYTES));
    }

    @Test
    void afterAPhaseAWriterKeepsItsOwnPartOnly() {
        ContentVersion version = new ContentVersion();
        ValidRanges valid = new ValidRanges(version);
        valid.refresh();
        valid.received(0, 64);
        valid.overwrites(0, 32);
        valid.wrote(0, 32);
        version.phaseWrote();
        valid.refresh();
        assertEquals(32, valid.missingFrom(0, BYTES));
        version.phaseWrote(); // in which others wrote all
        valid.refresh();
        assertEquals(0, valid.missingFrom(0, BYTES));
    }

    @Test
    void aPhaseThatALaneSatOutCountsToo() {
        ContentVersion version = new ContentVersion();
        ValidRanges valid = new ValidRanges(version);
        valid.refresh();
        valid.wrote(0, 32);
        version.phaseWrote();
        version.phaseWrote();
        valid.refresh();
        assertEquals(0, valid.missingFrom(0, BYTES));
    }

    /**
     * Random phases over one buffer: lanes read and write parts, some chunks fail, are taken away while they run or come back
     * late, hosts write. Whatever a lane then takes for valid must be what the host holds.
     */
    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14, 15, 16})
    void whatIsTrustedIsWhatTheHostHolds(long seed) {
        Random random = new Random(seed);
        ContentVersion version = new ContentVersion();
        int[] host = new int[BYTES];
        Lane[] lanes = {new Lane(version), new Lane(version), new Lane(version)};
        int trusted = 0;
        for (int step = 0; step < 20_000; step++) {
            boolean writes = random.nextBoolean();
            int[] cuts = {0, random.nextInt(BYTES + 1), random.nextInt(BYTES + 1), BYTES};
            Arrays.sort(cuts);
            Lane[] order = {lanes[0], lanes[1], lanes[2]};
            Collections.shuffle(Arrays.asList(order), random);
            for (int part = 0; part < 3; part++) {
                int from = cuts[part];
                int to = cuts[part + 1];
                Lane lane = order[part];
                if (from == to) {
                    continue;
                }
                if (random.nextInt(8) == 0) { // fails after it began, or is taken away: another lane does it
                    lane.chunk(host, from, to, true, writes);
                    lane = order[(part + 1) % 3];
                }
                boolean reads = !writes || random.nextBoolean();
                trusted += lane.chunk(host, from, to, reads, writes);
                if (writes) {
                    lane.count(host, from, to, step);
                } else {
                    lane.valid.received(from, to);
                }
            }
            if (writes) {
                version.phaseWrote();
            }
            if (random.nextInt(5) == 0) { // a host step, or the application between jobs
                host[random.nextInt(BYTES)] = -step;
                version.changed();
            }
        }
        assertTrue(trusted > 100_000, "nothing was ever trusted: " + trusted);
    }

    /** A lane's copy of the buffer. */
    private static final class Lane {
        final int[] device = new int[BYTES];
        final ValidRanges valid;

        Lane(ContentVersion version) {
            valid = new ValidRanges(version);
        }

        /** Reads a part, and perhaps computes on it; the bytes that need not be sent. */
        int chunk(int[] host, int from, int to, boolean reads, boolean writes) {
            valid.refresh();
            int saved = 0;
            if (reads) {
                for (int at = from; at < to; ) {
                    int gap = (int) valid.missingFrom(at, to);
                    for (; at < gap; at++) {
                        assertEquals(host[at], device[at], "byte " + at + " of " + valid);
                        saved++;
                    }
                    at = (int) valid.presentFrom(gap, to);
                    System.arraycopy(host, gap, device, gap, at - gap);
                }
            }
            if (writes) {
                valid.overwrites(from, to);
                Arrays.fill(device, from, to, Integer.MIN_VALUE);
            }
            return saved;
        }

        /** The chunk counts. */
        void count(int[] host, int from, int to, int value) {
            Arrays.fill(device, from, to, value);
            Arrays.fill(host, from, to, value);
            valid.wrote(from, to);
        }
    }
}
