/** Reductions: what all elements of a buffer have in common, and where the least or greatest is. */
@NullMarked
package dev.evener.kernels.reduce;

import org.jspecify.annotations.NullMarked;
