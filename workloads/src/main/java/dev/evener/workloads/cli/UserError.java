package dev.evener.workloads.cli;

import java.io.Serial;

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

    int exitCode() {
        return exitCode;
    }
}
