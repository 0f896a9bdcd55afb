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

    /** A failure whose message names its file. */
    void add(int input, FrameException e) {
        failures.putIfAbsent(input, new StreamReport.Failure(inputs.get(input), String.valueOf(e.getMessage()), e));
    }

    /** A failure whose message does not. */
    void add(int input, RuntimeException e) {
        add(input, new FrameException(inputs.get(input), String.valueOf(e.getMessage()), e));
    }

    boolean contains(int input) {
        return failures.containsKey(input);
    }

    List<StreamReport.Failure> list() {
        return List.copyOf(failures.values());
    }
}
