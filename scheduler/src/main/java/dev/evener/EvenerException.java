package dev.evener;

import java.io.Serial;

/** A job, device or request that could not be served. The message says what, where and what to do. */
public class EvenerException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    public EvenerException(String message) {
        super(message);
    }

    public EvenerException(String message, Throwable cause) {
        super(message, cause);
    }
}
