package dev.evener.internal.run;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long things may take.
 *
 * @param deadline the job as a whole, from its submission; null for no limit
 * @param chunkDeadline one chunk, from when its lane began with it; null for no limit
 */
record Limits(@Nullable Duration deadline, @Nullable Duration chunkDeadline) {}
