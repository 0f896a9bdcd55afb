/**
 * The inside of OpenEXR files, without a file: parts, layers, chunks, compressions, and where samples come to stand. Internal: what is
 * public may change at any time. Sizes were checked by whoever makes a {@link dev.evener.frames.exr.Part}; a {@link
 * dev.evener.frames.exr.Codec} checks each length in a chunk. What is wrong with a file is a {@link
 * java.util.zip.DataFormatException}. Formats: "OpenEXR File Layout" of openexr.com, and what OpenEXR's library writes.
 */
@NullMarked
package dev.evener.frames.exr;

import org.jspecify.annotations.NullMarked;
