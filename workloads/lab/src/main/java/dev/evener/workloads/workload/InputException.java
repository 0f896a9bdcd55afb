package dev.evener.workloads.workload;

import java.io.Serial;
import java.nio.file.Path;

/** A file of values that cannot be used. The message is one line: which file, and what is wrong with it. */
public final class InputException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    InputException(Path file, String problem) {
        super(file + ": " + problem);
    }
}
