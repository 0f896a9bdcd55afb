/**
 * What a job needs to survive lanes that fail or hang: kinds of failures, copies of what chunks update in place, and a watchdog.
 * Uses the public package; neither the life of a job above it nor devices. Begin with {@link dev.evener.internal.recovery.LaneFailure}.
 */
@NullMarked
package dev.evener.internal.recovery;

import org.jspecify.annotations.NullMarked;
