package dev.evener.frames;

import dev.evener.HostBuffer;
import dev.evener.kernels.tonemap.FrameLayout;
import java.nio.file.Path;

/**
 * A decoded frame on its way to the devices.
 *
 * @param source the file it was read from
 * @param size its size, and so its layout
 * @param pixels planar rows of floats from the buffer's start on; the buffer may be larger than the frame. Read only: a
 *     later pass may use it again
 */
public record Frame(Path source, FrameLayout size, HostBuffer pixels) {}
