package dev.evener.internal.recovery;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long things may take; more than a hundred years becomes that. {@code Duration.ofSeconds(Long.MAX_VALUE)} is a usual way
 * to say "no limit", and a {@code long} of nanoseconds ends after 292 years.
 *
 * @param deadline the job as a whole, from its submission; null for no limit
 * @param chunkDeadline one chunk, from when its lane began with it; null for no limit
 */
public record Limits(@Nullable Duration deadline, @Nullable Duration chunkDeadline) {
    private static final Duration LONGEST = Duration.ofDays(36_525);

    /** Both at most a hundred years. */
    public Limits {
        deadline = atMost(deadline);
        chunkDeadline = atMost(chunkDeadline);
    }

    private static @Nullable Duration atMost(@Nullable Duration limit) {
        return limit != null && limit.compareTo(LONGEST) > 0 ? LONGEST : limit;
    }
}
