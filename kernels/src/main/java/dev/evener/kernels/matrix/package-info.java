/**
 * Multiplying matrices, the rows of the result split over all devices.
 *
 * <p>{@link dev.evener.kernels.matrix.MatrixMultiply} builds the jobs, {@code matrix.cl} is the OpenCL form, with the
 * algorithm.
 */
@NullMarked
package dev.evener.kernels.matrix;

import org.jspecify.annotations.NullMarked;
