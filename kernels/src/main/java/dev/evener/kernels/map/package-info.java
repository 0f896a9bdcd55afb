/**
 * Element-wise primitives, which do nothing but move memory: adding two vectors and inverting colours.
 *
 * <p>{@code map.cl} holds the OpenCL form of both. Units are elements, and jobs are static: nothing is owned.
 */
@NullMarked
package dev.evener.kernels.map;

import org.jspecify.annotations.NullMarked;
