package dev.evener.internal;

import java.nio.ByteBuffer;

/**
 * Finds out whether two pieces of memory lie over each other. Java tells of an address no more than its last bits; where
 * those allow an overlap, a byte is changed in the one and looked for in the other.
 */
public final class Overlap {
    /** An address can be had modulo this, the largest power of two that is an {@code int}. */
    private static final int KNOWN = 1 << 30;

    private Overlap() {}

    /**
     * Whether the memory of both, up to their limits, has a byte in common.
     *
     * @param written of which a byte may change for a moment; direct, as is the other
     */
    public static boolean exists(ByteBuffer written, ByteBuffer other) {
        if (written.limit() == 0 || other.limit() == 0) {
            return false;
        }
        long apart = other.alignmentOffset(0, KNOWN) - (long) written.alignmentOffset(0, KNOWN);
        // Both are smaller than 2^31 bytes, and so their beginnings are no further apart if they overlap.
        for (long ahead = apart - 3L * KNOWN; ahead < written.limit(); ahead += KNOWN) {
            if (ahead > -other.limit() && isSame(written, (int) Math.max(0, ahead), other, (int) Math.max(0, -ahead))) {
                return true;
            }
        }
        return false;
    }

    /** Whether the memory of both may have a byte in common, as far as an address can be had. Changes nothing. */
    public static boolean possible(ByteBuffer one, ByteBuffer other) {
        int apart = other.alignmentOffset(0, KNOWN) - one.alignmentOffset(0, KNOWN);
        boolean none = one.limit() == 0 || other.limit() == 0;
        return !none && (Math.floorMod(apart, KNOWN) < one.limit() || Math.floorMod(-apart, KNOWN) < other.limit());
    }

    private static boolean isSame(ByteBuffer written, int at, ByteBuffer other, int there) {
        byte before = written.get(at);
        if (other.get(there) != before) {
            return false;
        }
        written.put(at, (byte) ~before);
        boolean same = other.get(there) != before;
        written.put(at, before);
        return same;
    }
}
