package dev.evener.workloads.frame;

import dev.evener.HostBuffer;

/**
 * Where the processed picture of a frame goes.
 *
 * @param size the frame's size
 * @param pixels {@link FrameSize#words} 32-bit words from the buffer's start on, the bytes R, G, B, 255 each; the buffer
 *     may be larger. Holds an earlier picture when handed out
 */
public record PixelImage(FrameSize size, HostBuffer pixels) {}
