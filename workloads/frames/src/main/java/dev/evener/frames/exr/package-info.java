/**
 * The inside of OpenEXR files, without a file: what parts, layers and chunks are, how each compression is undone, where samples
 * come to stand. Internal: only {@code dev.evener.frames} uses it, and what is public may change at any time. Nothing here reads or
 * allocates on the word of a file alone: sizes were checked by whoever made a {@link dev.evener.frames.exr.Part}, and a {@link
 * dev.evener.frames.exr.Codec} checks each length in a chunk. What is wrong with a file is a {@link
 * java.util.zip.DataFormatException}.
 *
 * <p>Formats: "OpenEXR File Layout" and "Technical Introduction to OpenEXR" of openexr.com, and what OpenEXR's library writes.
 */
@NullMarked
package dev.evener.frames.exr;

import org.jspecify.annotations.NullMarked;
