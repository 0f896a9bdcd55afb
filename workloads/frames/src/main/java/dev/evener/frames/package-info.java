/**
 * High-dynamic-range frames in, PNG files out: readers for Radiance and PFM files, a PNG writer, and the
 * {@link dev.evener.frames.FrameStream} between them, which is a {@link dev.evener.kernels.pipeline.Pipeline} of three stages.
 *
 * <p>The way of a frame: {@code FrameStream.feed} gives a slot an input; the stage {@code decode} opens the file
 * ({@link dev.evener.frames.FrameFile}), takes buffers from {@code BufferPool} and decodes; {@code devices} is the job of
 * {@link dev.evener.kernels.tonemap.ToneMapper}, which measures and maps; {@code encode} is
 * {@link dev.evener.frames.PngWriter}, which writes the file. Start reading with {@code FrameStream.run}.
 */
@NullMarked
package dev.evener.frames;

import org.jspecify.annotations.NullMarked;
