/**
 * Folds what lanes computed in parts into one result when a phase ends: integer partials of lanes, floating-point values of units,
 * and elements that units appended. Uses the public package and nothing of the runtime; callers order its calls.
 * Begin with {@link dev.evener.internal.fold.PhaseResults}.
 */
@NullMarked
package dev.evener.internal.fold;

import org.jspecify.annotations.NullMarked;
