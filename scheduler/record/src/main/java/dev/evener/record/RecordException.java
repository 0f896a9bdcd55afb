package dev.evener.record;

import dev.evener.EvenerException;
import java.io.Serial;
import java.nio.file.Path;

/** A record that cannot be read or written. The message names the file, the line where there is one, and what to do. */
public final class RecordException extends EvenerException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final long line;

    private RecordException(String message, long line) {
        super(message);
        this.line = line;
    }

    private RecordException(String message, long line, Throwable cause) {
        super(message, cause);
        this.line = line;
    }

    static RecordException at(Path file, long line, String problem) {
        return new RecordException(file + ", line " + line + ": " + problem, line);
    }

    static RecordException of(Path file, String problem) {
        return new RecordException(file + ": " + problem, 0);
    }

    static RecordException of(Path file, String problem, Throwable cause) {
        return new RecordException(file + ": " + problem, 0, cause);
    }

    /** Which line it is about, from 1; 0 for the file as a whole. */
    public long line() {
        return line;
    }
}
