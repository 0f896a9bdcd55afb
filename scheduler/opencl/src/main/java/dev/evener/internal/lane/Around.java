package dev.evener.internal.lane;

import java.nio.ByteBuffer;

/** What memory holds that a kernel should not see, or need not. */
public enum Around {
    /** Around inputs their neighbours, as in the job's buffer. */
    NEIGHBOURS,
    /** The same, but in the outer half of the halo before the units stand values of the units themselves. */
    LESS_BEFORE,
    /** The same of the halo behind them. */
    LESS_AFTER,
    /**
     * Around inputs their own content once more: other values than the neighbours, but fit for an index if those are.
     */
    REPEATED,
    POISON,
    OTHER_POISON;

    /** Whether inputs have their neighbours around. */
    boolean isNear() {
        return this == NEIGHBOURS || this == LESS_BEFORE || this == LESS_AFTER;
    }

    /**
     * What everything is filled with that is no input. As a float or an integer one is negative, the other positive.
     */
    byte poison(boolean temporary) {
        boolean other = this == REPEATED || this == OTHER_POISON;
        return (byte) (temporary ? other ? 0x47 : 0xC9 : other ? 0x5A : 0xDB);
    }

    /** Fills {@code [begin, end)} with a source's bytes from one on, which begin anew where it ends. */
    public static void fill(ByteBuffer target, int begin, int end, ByteBuffer source, int first) {
        int period = Math.min(end - begin, source.limit());
        int start = Math.floorMod(first, source.limit());
        int head = Math.min(period, source.limit() - start);
        target.put(begin, source, start, head);
        target.put(begin + head, source, 0, period - head);
        for (int at = begin + period; at < end; ) {
            int some = Math.min(end - at, at - begin);
            target.put(at, target, begin, some);
            at += some;
        }
    }
}
