/**
 * High-dynamic-range frames in, PNG files out: readers for Radiance and PFM files, a PNG writer, and the
 * {@link dev.evener.frames.FrameStream} that keeps both busy while devices work on the frame between them.
 */
@NullMarked
package dev.evener.frames;

import org.jspecify.annotations.NullMarked;
