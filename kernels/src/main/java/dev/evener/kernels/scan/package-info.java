/** Prefix scans of whole buffers and of their equal parts. */
@NullMarked
package dev.evener.kernels.scan;

import org.jspecify.annotations.NullMarked;
