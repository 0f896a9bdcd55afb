/**
 * Pictures to PNG on all devices: filters, DEFLATE's symbols, their histogram, codes and the packing of bits are split by rows. Begin with {@link dev.evener.kernels.png.PngEncoder}.
 */
@NullMarked
package dev.evener.kernels.png;

import org.jspecify.annotations.NullMarked;
