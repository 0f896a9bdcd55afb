package dev.evener.internal.recovery;

import java.time.Duration;
import java.util.Arrays;

/**
 * The looks that a watchdog takes at what has a limit of time: {@value #COUNT} in each span as long as that, the last of which finds it
 * past. While the process or its host is suspended nobody looks, so that time away counts as one look, however long it was, and
 * nothing that was at work before is taken for hung when the process wakes. One thread at a time.
 */
public final class Looks {
    /** How many come before a limit is past. */
    public static final int COUNT = 8;

    /** {@code Duration.ofSeconds(Long.MAX_VALUE)} is a usual way to say "no limit", and a {@code long} of nanoseconds ends after 292 years. */
    private static final Duration LONGEST = Duration.ofDays(36_525);

    private final long[] times = new long[COUNT];
    private int next;

    /** @param now when what is watched may begin, in nanoseconds of any clock */
    public Looks(long now) {
        Arrays.fill(times, now);
    }

    /** A limit, or the longest that can be counted. */
    public static Duration bounded(Duration limit) {
        return limit.compareTo(LONGEST) > 0 ? LONGEST : limit;
    }

    /** From one look to the next. */
    public static Duration period(Duration limit) {
        return limit.dividedBy(COUNT);
    }

    /** Takes a look; when the one was that came {@value #COUNT} before it. */
    public long take(long now) {
        long before = times[next];
        times[next] = now;
        next = (next + 1) % COUNT;
        return before;
    }
}
