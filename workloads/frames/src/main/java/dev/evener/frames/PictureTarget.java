package dev.evener.frames;

import dev.evener.frames.StreamReport.Step;
import dev.evener.kernels.pipeline.StepClock;
import dev.evener.kernels.tonemap.FrameLayout;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where the pictures of a {@link FrameStream} go: a file each, or one behind the other. */
sealed interface PictureTarget permits PictureFolder, PictureSequence {
    /** Whether pictures come in the order of the inputs. */
    boolean isInOrder();

    /** Inputs whose pictures have no place there, and why. */
    default Map<Integer, FrameException> refused() {
        return Map.of();
    }

    /** Before the first picture. */
    default void open() throws FrameException {}

    /**
     * Writes a picture. As many threads as the stream has writers, which are given pictures in the order of the inputs if it {@linkplain
     * #isInOrder wants} them so.
     *
     * @param input number of the frame whose job has run
     * @param clock in {@link Step#WRITING}
     * @return the picture's file, or null if it has none of its own
     * @throws FrameException if that picture cannot be written
     * @throws java.io.UncheckedIOException if none can
     */
    @Nullable
    Path write(int input, FrameLayout size, FrameJob work, StepClock<Step> clock)
            throws FrameException, InterruptedException;

    /** After the last picture, also of a run that ended early. */
    default void close() throws IOException {}

    /** The run ends early: no thread waits in {@link #write} any longer. Any thread. */
    default void stop() {}
}
