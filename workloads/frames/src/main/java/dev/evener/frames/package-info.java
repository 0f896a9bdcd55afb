/**
 * High-dynamic-range frames in, pictures out: readers for frame files, the {@link dev.evener.frames.FrameJob} of a frame, and the
 * {@link dev.evener.frames.FrameStream}, which is a {@link dev.evener.kernels.pipeline.Pipeline} of three stages.
 *
 * <p>The way of a frame: {@code FrameStream.feed} gives a slot an input; the stage {@code read} opens the file
 * ({@link dev.evener.frames.FrameFile}), takes buffers from {@code BufferPool} and puts the coded pixels into one; {@code devices} is
 * the job, which measures, maps and codes ({@link dev.evener.kernels.tonemap.ToneMapper}, {@link
 * dev.evener.kernels.png.PngEncoder}); {@code write} writes the picture
 * ({@code PictureFolder}, {@code PictureSequence}). Start reading with {@code FrameStream.run}.
 */
@NullMarked
package dev.evener.frames;

import org.jspecify.annotations.NullMarked;
