package dev.evener.frames;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;

/** The inputs that failed, each with its first failure. Any thread. */
final class StreamFailures {
    private final List<Path> inputs;
    private final ConcurrentSkipListMap<Integer, StreamReport.Failure> failures = new ConcurrentSkipListMap<>();

    StreamFailures(List<Path> inputs) {
        this.inputs = inputs;
    }

    /** A failure; what is no {@link FrameException} does not name its file. */
    void add(int input, Exception e) {
        Path file = inputs.get(input);
        FrameException named =
                e instanceof FrameException known ? known : new FrameException(file, String.valueOf(e.getMessage()), e);
        failures.putIfAbsent(input, new StreamReport.Failure(file, String.valueOf(named.getMessage()), named));
    }

    boolean contains(int input) {
        return failures.containsKey(input);
    }

    List<StreamReport.Failure> list() {
        return List.copyOf(failures.values());
    }
}
