package dev.evener.frames;

/** What a {@link FrameStream} does with each frame between decoding and encoding. */
@FunctionalInterface
public interface FrameProcessor {

    /**
     * Turns a frame into a picture. Called by one thread, the one that runs the stream, in the order of the inputs. Both
     * buffers belong to the processor until it returns, and no longer.
     *
     * @throws FrameException if this frame cannot be processed; it is reported and the others go on
     * @throws dev.evener.EvenerException the same; any other unchecked exception ends the stream
     * @throws InterruptedException if interrupted; ends the stream
     */
    void process(Frame in, PixelImage out) throws FrameException, InterruptedException;
}
