package dev.evener.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds what was left unwritten of memory that is to be written completely: it is filled with random bytes, and what still holds them
 * was not written. Data that were written equal eight of those bytes with a chance of 2⁻⁶⁴ at each place, so that eight in a row are
 * proof; at the two ends, where loops stop too early, four are. One thread at a time.
 */
final class UnwrittenCheck {
    private static final int PROOF = 8;
    private static final int PROOF_AT_ENDS = 4;

    private final ByteBuffer memory;
    private final long seed = ThreadLocalRandom.current().nextLong();

    /** Fills all of this memory. */
    UnwrittenCheck(ByteBuffer memory) {
        this.memory = memory.duplicate().clear().order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; at < this.memory.capacity(); at += Long.BYTES) {
            long random = random(at);
            if (this.memory.capacity() - at >= Long.BYTES) {
                this.memory.putLong(at, random);
            } else {
                for (int rest = at; rest < this.memory.capacity(); rest++) {
                    this.memory.put(rest, (byte) (random >> (8 * (rest - at))));
                }
            }
        }
    }

    /** The first byte that was left, or -1. */
    int firstLeft() {
        int end = memory.capacity();
        for (int at = 0, first = 0; at < end; at++) {
            boolean left = memory.get(at) == (byte) (random(at & -Long.BYTES) >> (8 * (at % Long.BYTES)));
            if (left && at + 1 - first >= (first == 0 || at + 1 == end ? PROOF_AT_ENDS : PROOF)) {
                return first;
            }
            first = left ? first : at + 1;
        }
        return -1;
    }

    /** What the eight bytes from one on were filled with: SplitMix64 (Steele, Lea, Flood 2014). */
    private long random(int at) {
        long z = seed + (at / Long.BYTES + 1) * 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
