/**
 * Sorting: numbers in ascending order, alone or with a value that goes with each, on one device or split over several.
 *
 * <p>{@link dev.evener.kernels.sort.RadixSort} builds the jobs; {@code keys.cl}, {@code split.cl} and {@code passes*.cl} hold
 * the OpenCL form.
 */
@NullMarked
package dev.evener.kernels.sort;

import org.jspecify.annotations.NullMarked;
