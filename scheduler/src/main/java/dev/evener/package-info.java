/**
 * Evener's public face: open the devices of a machine as one {@link dev.evener.Evener}, describe work as a
 * {@link dev.evener.Job}, read back a {@link dev.evener.Report}.
 *
 * <p>Everything in {@code dev.evener.internal} may change without notice.
 */
@NullMarked
package dev.evener;

import org.jspecify.annotations.NullMarked;
