package dev.evener.frames;

import dev.evener.HostBuffer;
import dev.evener.kernels.tonemap.FrameLayout;

/**
 * Where the processed picture of a frame goes.
 *
 * @param size the frame's size
 * @param pixels {@link FrameLayout#words} 32-bit words from the buffer's start on, the bytes R, G, B, 255 each; the buffer
 *     may be larger. Holds an earlier picture when handed out
 */
public record PixelImage(FrameLayout size, HostBuffer pixels) {}
