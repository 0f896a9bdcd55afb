/** Histograms: how many elements fall into each bin. */
@NullMarked
package dev.evener.kernels.histogram;

import org.jspecify.annotations.NullMarked;
