package dev.evener.workloads.workload;

import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.kernels.pipeline.Pipeline;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * What is done to each frame of a stream, in one job or in two stages; {@code evener bench} places them in different ways. Its items are
 * frames.
 *
 * @param <S> a slot: a frame in memory, with its result; used by one thread
 */
public abstract class StreamWorkload<S extends AutoCloseable> extends Workload {
    private static final Parameter<String> SIZE = Parameter.text(
            "size", "1920x1080", "a size such as 1920x1080", "of the frames that are synthetic", StreamWorkload::size);

    private static final Parameter<Integer> SLOTS =
            Parameter.integer("slots", 4, 1, 1000, "how many frames are under way at once");

    /** Of those that take files. */
    protected static final Parameter<String> FILES = Parameter.text(
            "files", "", "names of files, separated by commas", "HDR frames to use in turn, instead", text -> text);

    private static final long MOST_FRAMES = 1_000_000;
    private static final long USUAL_FRAMES = 48;

    /** As a workload; the constructor of a subclass goes on with {@link #frames}. */
    protected StreamWorkload(String name, String description) {
        super(name, description);
    }

    /**
     * Its items are frames.
     *
     * @param more what can be set besides size and slots
     */
    protected final void frames(Parameter<?>... more) {
        items("frame", "frame", USUAL_FRAMES);
        parameters(Stream.concat(Stream.of(SIZE, SLOTS), Stream.of(more)).toArray(Parameter<?>[]::new));
        writes("a frame each");
        atMost(MOST_FRAMES);
    }

    private static String size(String text) {
        if (!text.matches("0*[1-9]\\d{0,4}x0*[1-9]\\d{0,4}")) {
            throw new IllegalArgumentException();
        }
        return text;
    }

    @Override
    public final void prepare(PreparedWorkload setup) {
        throw new IllegalArgumentException(name() + " is a stream of frames and no single job");
    }

    /** The files that its frames are from; none if they are synthetic. */
    public final List<Path> files(Values values) {
        return parameters().contains(FILES)
                ? Stream.of(values.get(FILES).split(",", -1))
                        .filter(f -> !f.isBlank())
                        .map(Path::of)
                        .toList()
                : List.of();
    }

    /**
     * Frames in memory, each in a slot of its own, on which the work can be done again and again; to be {@link #close closed}.
     *
     * @throws IllegalArgumentException if the frames cannot be of such a size
     * @throws EvenerException if a file cannot be read, or there is no memory for them
     */
    public final List<S> slots(Evener evener, Request request) {
        Values values = request.values();
        String[] size = values.get(SIZE).split("x", -1);
        List<Path> files = files(values);
        List<S> slots = new ArrayList<>();
        try {
            for (int i = 0; i < Math.max(values.get(SLOTS), files.size()); i++) {
                Path file = files.isEmpty() ? null : files.get(i % files.size());
                int width = Integer.parseInt(size[0]);
                slot(evener, slots, new Frame(width, Integer.parseInt(size[1]), file, request.seed() + i));
            }
            return slots;
        } catch (RuntimeException | Error e) {
            close(slots);
            throw e;
        }
    }

    /**
     * Which frame.
     *
     * @param width pixels in a row if it is synthetic
     * @param height rows if it is synthetic
     * @param file where it comes from instead, or null
     * @param seed what it is made from
     */
    protected record Frame(int width, int height, @Nullable Path file, long seed) {}

    /** Adds a slot, which is closed with the others from then on, and fills it. */
    protected abstract void slot(Evener evener, List<S> slots, Frame frame);

    /** Opens a pipeline over slots. */
    public abstract Pipeline<S> open(Evener evener, List<S> slots, Placement placement);

    /** The result in a slot. */
    protected abstract ByteBuffer result(S slot);

    /** Compares a result with an independent reference: what is wrong about it, or null. */
    public abstract @Nullable String mismatch(S slot);

    /** Overwrites a result. */
    public final void clear(S slot) {
        ByteBuffer result = result(slot);
        result.put(new byte[result.remaining()]);
    }

    /** A digest of a result. */
    public final long digest(S slot) {
        CRC32 crc = new CRC32();
        crc.update(result(slot));
        return crc.getValue();
    }

    /** Releases the slots. Idempotent. */
    public final void close(List<S> slots) {
        for (S slot : slots) {
            try {
                slot.close();
            } catch (Exception e) {
                throw new EvenerException("a frame could not be closed: " + e, e);
            }
        }
    }
}
