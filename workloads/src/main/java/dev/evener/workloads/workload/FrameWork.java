package dev.evener.workloads.workload;

import dev.evener.Evener;
import dev.evener.kernels.pipeline.Pipeline;
import dev.evener.kernels.pipeline.Placement;
import dev.evener.workloads.frame.FrameException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is done to each frame of a stream, in one job or in two stages. */
public interface FrameWork {
    /** Its name on the command line, such as {@code canny}. */
    String name();

    /** Whether it can read frames from files. */
    boolean takesFiles();

    /**
     * Frames in memory, each in a slot of its own, on which the work can be done again and again.
     *
     * @param request which frames
     * @throws IllegalArgumentException if the frames cannot be of such a size
     * @throws FrameException if a file cannot be read
     */
    Prepared<?> prepare(Evener evener, Request request) throws FrameException;

    /**
     * Which frames.
     *
     * @param width pixels in a row of those that are made up
     * @param height rows of those that are made up
     * @param files where they come from instead, in turn; empty to make them up
     * @param slots how many there are
     * @param seed of what is made up
     */
    record Request(int width, int height, List<Path> files, int slots, long seed) {
        public Request {
            files = List.copyOf(files);
        }
    }

    /**
     * Frames and their results. One thread.
     *
     * @param <S> a slot
     */
    interface Prepared<S> extends AutoCloseable {
        /** Opens a pipeline over the slots. */
        Pipeline<S> open(Placement placement);

        /** The slots, in the order of their frames. */
        List<S> slots();

        /** Overwrites a result. */
        void clear(S slot);

        /** A digest of a result. */
        long digest(S slot);

        /** Compares a result with an independent reference: what is wrong about it, or null. */
        @Nullable
        String mismatch(S slot);

        /** Pixels of all frames. */
        long pixels();

        /** Size of the frames, for people. */
        String size();

        @Override
        void close();
    }
}
