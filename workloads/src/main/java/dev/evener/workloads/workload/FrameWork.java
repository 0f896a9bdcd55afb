package dev.evener.workloads.workload;

import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.kernels.pipeline.Pipeline;
import dev.evener.kernels.pipeline.Placement;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is done to each frame of a stream, in one job or in two stages; {@code evener bench} places them in different ways. Its items are
 * frames.
 */
public abstract class FrameWork implements Workload {
    private static final Parameter<String> SIZE = Parameter.text(
            "size", "1920x1080", "a size such as 1920x1080", "of the frames that are made up", FrameWork::size);

    private static final Parameter<Integer> SLOTS =
            Parameter.integer("slots", 4, 1, 1000, "how many frames are under way at once");

    private static final Parameter<String> FILES = Parameter.text(
            "files", "", "names of files, separated by commas", "HDR frames to use in turn, instead", text -> text);

    private static final long MOST_FRAMES = 1_000_000;
    private static final long USUAL_FRAMES = 48;

    private final String name;
    private final String description;
    private final boolean takesFiles;

    FrameWork(String name, String description, boolean takesFiles) {
        this.name = name;
        this.description = description;
        this.takesFiles = takesFiles;
    }

    private static String size(String text) {
        if (!text.matches("0*[1-9]\\d{0,4}x0*[1-9]\\d{0,4}")) {
            throw new IllegalArgumentException();
        }
        return text;
    }

    @Override
    public final About about() {
        return new About(name, description, "frame", "frame", "a frame each", List.of(USUAL_FRAMES));
    }

    @Override
    public final List<Parameter<?>> parameters() {
        return takesFiles ? List.of(SIZE, SLOTS, FILES) : List.of(SIZE, SLOTS);
    }

    @Override
    public final List<Input> inputs(Values values) {
        return List.of();
    }

    @Override
    public final long mostItems(Values values) {
        return MOST_FRAMES;
    }

    @Override
    public final PreparedWorkload prepare(Evener evener, Request request) {
        throw new IllegalArgumentException(name + " is a stream of frames and no single job");
    }

    /**
     * Frames in memory, each in a slot of its own, on which the work can be done again and again.
     *
     * @throws IllegalArgumentException if the frames cannot be of such a size
     * @throws EvenerException if a file cannot be read, or there is no memory for them
     */
    public final Prepared<?> frames(Evener evener, Request request) {
        String[] size = request.get(SIZE).split("x", -1);
        List<Path> files = takesFiles
                ? Stream.of(request.get(FILES).split(",", -1))
                        .filter(f -> !f.isBlank())
                        .map(Path::of)
                        .toList()
                : List.of();
        int slots = Math.max(request.get(SLOTS), files.size());
        return prepare(
                evener, new Frames(Integer.parseInt(size[0]), Integer.parseInt(size[1]), files, slots, request.seed()));
    }

    abstract Prepared<?> prepare(Evener evener, Frames frames);

    /**
     * Which frames.
     *
     * @param width pixels in a row of those that are made up
     * @param height rows of those that are made up
     * @param files where they come from instead, in turn; empty to make them up
     * @param slots how many there are
     * @param seed of what is made up
     */
    record Frames(int width, int height, List<Path> files, int slots, long seed) {
        Frames {
            files = List.copyOf(files);
        }
    }

    /**
     * Frames and their results. One thread.
     *
     * @param <S> a slot
     */
    public interface Prepared<S> extends AutoCloseable {
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

        @Override
        void close();
    }
}
