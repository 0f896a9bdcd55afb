package dev.evener;

import java.time.Duration;

/**
 * What waits in an {@link Evener} at one moment.
 *
 * @param length jobs that were submitted and have not begun, since earlier ones have devices that they want; those that were
 *     cancelled do not count
 * @param oldest how long the one that was submitted first of them has waited; zero if there is none
 */
public record JobQueue(int length, Duration oldest) {}
