/**
 * Stream compaction: of many elements those that satisfy a condition, in order, on one device or split over several.
 *
 * <p>{@link dev.evener.kernels.compact.Compact} builds the jobs from a {@link dev.evener.kernels.compact.Selection}; {@code
 * compact.cl} holds the OpenCL form.
 */
@NullMarked
package dev.evener.kernels.compact;

import org.jspecify.annotations.NullMarked;
