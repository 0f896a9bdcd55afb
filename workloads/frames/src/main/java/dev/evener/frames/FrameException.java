package dev.evener.frames;

import java.io.IOException;
import java.io.Serial;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A frame that could not be read, processed or written. The message is one line: which file, what is wrong and where. */
public final class FrameException extends IOException {
    @Serial
    private static final long serialVersionUID = 1L;

    private static final int LONGEST = 500;

    /** The message becomes {@code file: problem}, with control characters shown as {@code ?}. */
    public FrameException(Path file, String problem) {
        this(file, problem, null);
    }

    /** The same, with what led to it. */
    public FrameException(Path file, String problem, @Nullable Throwable cause) {
        super(printable(file.toString()) + ": " + printable(problem), cause);
    }

    /** What an I/O failure means, without the file's name, which the message has already. */
    static String reason(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "there is no such file or folder";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileSystemException system && system.getReason() != null) {
            return system.getReason();
        }
        return e instanceof FileSystemException || e.getMessage() == null ? e.toString() : e.getMessage();
    }

    /** Makes text from a file safe for one line on a terminal: hostile headers and names carry escapes and newlines. */
    static String printable(String text) {
        String cut = text.length() > LONGEST ? text.substring(0, LONGEST) + "..." : text;
        return cut.replaceAll("\\p{Cntrl}", "?");
    }
}
