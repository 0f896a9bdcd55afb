/**
 * What decides how fast primitives are, but not what they compute: {@link dev.evener.kernels.tuning.Parameter} lists it,
 * {@link dev.evener.kernels.tuning.TuningCache} keeps what was measured on each device, and a {@link
 * dev.evener.kernels.tuning.Tuning} is what a primitive is given of that.
 */
@NullMarked
package dev.evener.kernels.tuning;

import org.jspecify.annotations.NullMarked;
