/**
 * What runs use where lanes fail or hang: what a lane can be trusted with from job to job ({@link
 * dev.evener.internal.recovery.LaneHealth}), kinds of failures, copies of what chunks update in place, and who acts when time has
 * passed. Uses the public package alone. What becomes of a job is decided by {@code Recovery}, in the room of the run.
 */
@NullMarked
package dev.evener.internal.recovery;

import org.jspecify.annotations.NullMarked;
