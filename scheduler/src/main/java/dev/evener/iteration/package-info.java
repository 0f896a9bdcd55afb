/**
 * Runs a sequence of jobs again and again, without the host in between. It stands on the public API alone. Begin with {@link
 * dev.evener.iteration.Iteration}.
 */
@NullMarked
package dev.evener.iteration;

import org.jspecify.annotations.NullMarked;
