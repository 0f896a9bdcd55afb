/**
 * Tone mapping: frames of linear floats to 8-bit codes, split over all devices, with the same bits from each.
 *
 * <p>{@link dev.evener.kernels.tonemap.ToneMapper} builds the jobs; {@code pixel.cl}, {@code luminance.cl} and
 * {@code tonemap.cl} hold the OpenCL form, {@code ToneMapJvm} and {@code LocalJvm} the Java form with the same
 * bits. {@code docs/tone-mapping-formulas.md} has the formulas.
 */
@NullMarked
package dev.evener.kernels.tonemap;

import org.jspecify.annotations.NullMarked;
