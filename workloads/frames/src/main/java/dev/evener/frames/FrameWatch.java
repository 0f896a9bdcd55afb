package dev.evener.frames;

import dev.evener.ManagedBuffer;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.ToneMapSettings;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Sees what becomes of a {@link FrameStream}'s frames. What it throws ends the stream. */
@FunctionalInterface
public interface FrameWatch {
    /**
     * A frame's job is submitted next; one after another, in the order of the inputs if their pictures are one stream.
     *
     * @return told of the picture by one of the threads that write
     */
    Consumer<Picture> mapping(Path source);

    /**
     * A frame that was mapped. The buffer may be larger than it, and is the stream's again when its watcher returns.
     *
     * @param source the file it was read from
     * @param layout the picture's size, to which the frame was resized if it has another
     * @param settings it was mapped with: the stream's, or with its exposure in its sequence
     * @param words of a mapped pixel, as {@link PictureFormat#words} says
     * @param pixels fetched by who reads them: so many times {@link FrameLayout#words} 32-bit words
     * @param from the first of these in the buffer, which may have other pictures before it
     */
    record Picture(
            Path source, FrameLayout layout, ToneMapSettings settings, int words, ManagedBuffer pixels, long from) {}
}
