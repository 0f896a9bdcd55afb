package dev.evener.frames;

import dev.evener.kernels.tonemap.FrameStatistics;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the frames of a sequence are exposed for, so that exposure does not jump: an average of their statistics up to each, as
 * {@link FrameStatistics#towards} says, which begins with those of the first frame that is not black. Consecutive inputs of one
 * folder are a sequence; each pass begins it again.
 *
 * <p>The average depends on the frames' order and on nothing else, as it is asked for in a stage with one thread: a {@link
 * dev.evener.kernels.pipeline.Pipeline} lets items enter a stage in order, and one that has failed before is out of the line. So no
 * frame waits for one after it, the oldest never waits, and all get their turn. Frames are measured and mapped in any order on
 * either side of that stage. One thread.
 */
final class SequenceExposure {
    private final double frames;
    private long pass = -1;
    private @Nullable Path folder;
    private @Nullable FrameStatistics average; // null before there was any light

    /** @param frames the time constant in frames, above 0 */
    SequenceExposure(double frames) {
        this.frames = frames;
    }

    /** Takes the next frame's own statistics, and says what to expose it for. */
    FrameStatistics next(long ofPass, Path source, FrameStatistics own) {
        if (pass != ofPass || !Objects.equals(folder, source.getParent())) {
            pass = ofPass;
            folder = source.getParent();
            average = null;
        }
        FrameStatistics before = average;
        if (before == null && own.maximumLuminance() == 0) {
            return own;
        }
        FrameStatistics after = before == null ? own : before.towards(own, frames);
        average = after;
        return after;
    }
}
