package dev.evener;

/**
 * A job or a host scope needed data that no place holds any more, or that were not written: the device that alone held them has failed,
 * or the job that was to write them failed or was cancelled. The message says which and why; whoever writes them anew makes them
 * whole: a job that writes all of them, {@link ManagedBuffer#overwrite}, or, of a {@link HostBuffer}, the application.
 */
@SuppressWarnings("serial") // read by no other version than wrote it
public final class DataLostException extends EvenerException.JobException {
    private final String reason;

    /**
     * @param what which bytes
     * @param reason why they are lost
     */
    public DataLostException(String what, String reason) {
        super(
                "data",
                false,
                what + " are lost: " + known(reason)
                        + "; write them anew by a job or overwrite(), or give them up by discard()",
                null);
        this.reason = known(reason);
    }

    private static String known(String reason) {
        return reason.isBlank() ? "no reason is known" : reason;
    }

    /** The same as a job's failure. */
    public DataLostException(String message, DataLostException cause) {
        super("data", false, message, cause);
        this.reason = cause.reason;
    }

    /** The first cause: what became of the device or the job that had the data, or was to write them. */
    public String reason() {
        return reason;
    }
}
