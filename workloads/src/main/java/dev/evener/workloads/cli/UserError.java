package dev.evener.workloads.cli;

import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.workload.InputException;
import java.io.IOException;
import java.io.Serial;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;
import java.util.function.Supplier;

/** Something the user can mend; the message is all that is shown. */
final class UserError extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    private UserError(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    /** A wrong option or argument: exit code 2. */
    static UserError usage(String message) {
        return new UserError(EvenerCommand.USAGE, message);
    }

    /** A request that was right but could not be served: exit code 1. */
    static UserError failed(String message) {
        return new UserError(EvenerCommand.FAILED, message);
    }

    /** Standard output could not be written: nothing is said if nobody reads it any more, as with {@code | head}. */
    static UserError unwritten(IOException e) {
        String reason = reason(e);
        return reason.toLowerCase(Locale.ROOT).contains("broken pipe")
                ? new UserError(EvenerCommand.NO_READER, "")
                : failed("standard output could not be written: " + reason);
    }

    /**
     * The value of an option that takes a whole number from 1.
     *
     * @throws UserError if it is not between 1 and {@code most}
     */
    static int checkCount(String option, int value, int most) {
        if (value < 1 || value > most) {
            throw usage(option + ": " + value + " is not between 1 and " + most);
        }
        return value;
    }

    /**
     * What a text of the user's stands for.
     *
     * @param start of the message, such as the name of the option
     * @throws UserError if it stands for nothing, or is a file that cannot be used
     */
    static <T> T parsed(String start, Supplier<T> value) {
        try {
            return value.get();
        } catch (InputException e) {
            throw failed(e.getMessage());
        } catch (IllegalArgumentException | DocumentException e) {
            throw usage(start + e.getMessage());
        }
    }

    /** What an I/O failure means, for a message that has named the file already. */
    static String reason(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "there is no such file or folder";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileAlreadyExistsException exists) {
            return exists.getFile() + " is not a folder";
        }
        if (e instanceof DirectoryNotEmptyException) {
            return "it is a folder that is not empty";
        }
        String reason = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
        return reason == null || (e.getClass() != IOException.class && !(e instanceof FileSystemException))
                ? e.toString()
                : reason;
    }

    int exitCode() {
        return exitCode;
    }
}
