/**
 * Tone mapping: frames of linear floats to 8-bit codes, split over all devices, with the same bits from each.
 *
 * <p>{@link dev.evener.kernels.tonemap.ToneMapper} builds the jobs; {@code pixel.cl}, {@code luminance.cl} and
 * {@code tonemap.cl} hold the OpenCL form, {@code ToneMapJvm} and {@code LocalJvm} the Java form with the same
 * bits.
 *
 * <h2>The formulas</h2>
 *
 * They are enough to reproduce every output within one code value; for the same bits follow the order of operations in
 * the kernels. The classes have them in the order in which a pixel meets them:
 *
 * <ol>
 *   <li>{@link dev.evener.kernels.tonemap.Primaries Primaries} other than Rec. 709's are converted. NaN and what is not
 *       above {@code -2^40} become 0, more than {@code 2^40} becomes that. Negative components stay until 5.
 *   <li>Luminance is {@code Y = (0.2126 R + 0.7152 G) + 0.0722 B}, each operation rounded to float, and 0 below {@code
 *       2^-100}. {@link dev.evener.kernels.tonemap.FrameStatistics Statistics} of it have the average, the white and
 *       the key.
 *   <li>{@link dev.evener.kernels.tonemap.Metering Exposure} makes the factor {@code e} of these.
 *   <li>The {@link dev.evener.kernels.tonemap.Operator operator}'s curve {@code Ld} is a function of {@code L = e Y},
 *       and the components are multiplied by {@code Ld / Y}. On channels each component becomes {@code Ld} of {@code e
 *       c}. With a saturation {@code s} a component first becomes {@code Y + s (c - Y)}.
 *   <li>{@link dev.evener.kernels.tonemap.Colours.OutOfRange Colours out of range} are brought into it. Before a curve
 *       on channels those below 0 are, and behind all but {@code FILM} and {@code KHRONOS_NEUTRAL} those above 1.
 *   <li>sRGB's curve: {@code 12.92 x} up to 0.0031308, else {@code 1.055 x^(1/2.4) - 0.055}. Times 255, plus 0.5,
 *       truncated. The kernel's polynomial is within 0.00115 of a code, so about one component in 3,500 differs from
 *       double precision, by one code. With 16 bits the code is {@code 257 out - 128}, within one of {@code 65535 x} as
 *       well.
 * </ol>
 *
 * <p><b>Why the bits agree everywhere.</b> {@code log2} and {@code exp2} are minimax polynomials, in {@code colour.cl},
 * of relative errors of {@code 1.5e-7} and {@code 6.6e-8}. Only {@code + - * /}, comparisons, integer operations and
 * conversions are used, each exact or exactly rounded, in one fixed order, never fused. Tests compare statistics and
 * pixels bit for bit over frames, cuts, operators and settings, NaN, infinities and denormals included, in the forms
 * for CPUs, for GPUs and in Java.
 */
@NullMarked
package dev.evener.kernels.tonemap;

import org.jspecify.annotations.NullMarked;
