/**
 * High-dynamic-range frames in, PNG files out: readers for Radiance and PFM files, a PNG writer, and the
 * {@link dev.evener.workloads.frame.FrameStream} that keeps both busy while devices work on the frame between them.
 */
@NullMarked
package dev.evener.workloads.frame;

import org.jspecify.annotations.NullMarked;
