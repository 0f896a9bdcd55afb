/**
 * Pictures to PNG on all devices: filters, DEFLATE's symbols, their histogram and the packing of bits are split by rows; only the
 * codes between them are the host's. Begin with {@link dev.evener.kernels.png.PngEncoder}.
 */
@NullMarked
package dev.evener.kernels.png;

import org.jspecify.annotations.NullMarked;
