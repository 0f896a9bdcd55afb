/**
 * What a job needs to survive lanes that fail or hang: who takes over, limits of time, copies of what chunks update in place,
 * and which lanes are quarantined. Uses the public package alone; the life of a job above it extends {@link
 * dev.evener.internal.recovery.RecoverableJob} and {@link dev.evener.internal.recovery.RecoverableLane}. Begin with {@link
 * dev.evener.internal.recovery.Recovery}, which decides.
 */
@NullMarked
package dev.evener.internal.recovery;

import org.jspecify.annotations.NullMarked;
