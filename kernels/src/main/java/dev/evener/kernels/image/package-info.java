/**
 * Features of 8-bit grey images: gradients, Canny's edges, Harris' corners; and the way from colour to grey.
 *
 * <p>An image is {@code width * height} pixels, row after row from the top without gaps ({@link
 * dev.evener.kernels.image.ImageSize}); a unit is a row. Each primitive is a class that builds jobs, a {@code .cl} resource
 * of its OpenCL form with the algorithm, a Java form and an independent reference. Everything is integer arithmetic, or
 * floats in a fixed order: the same bits on every device and for every split.
 */
@NullMarked
package dev.evener.kernels.image;

import org.jspecify.annotations.NullMarked;
