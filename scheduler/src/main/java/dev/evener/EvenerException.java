package dev.evener;

import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * A job, device or request that could not be served. The message says what, where and what to do. What becomes of a job is told by
 * the sealed family of {@link JobException}. What belongs to no job is of this class itself: opening devices, memory of the host, files.
 */
@SuppressWarnings("serial") // read by no other version of this class than wrote it
public class EvenerException extends RuntimeException {
    public EvenerException(String message) {
        super(message);
    }

    public EvenerException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /**
     * The kind of any failure, for metrics: that of the first {@link JobException} in its chain of causes, {@code cancelled}, or {@code
     * other}.
     */
    public static String failureKind(Throwable failure) {
        for (Throwable e = failure; e != null; e = e.getCause()) {
            if (e instanceof JobException job) {
                return job.kind();
            } else if (e instanceof CancellationException) {
                return "cancelled";
            }
        }
        return "other";
    }

    /** Why a job did not run, or did not end well, by what an application can do about it. */
    public abstract static sealed class JobException extends EvenerException
            permits ApplicationFailedException,
                    BuildFailedException,
                    DataLostException,
                    DeadlineExceededException,
                    DevicesFailedException,
                    EvenerClosedException,
                    JobRejectedException {
        private final String kind;
        private final boolean retryCanHelp;

        JobException(String kind, boolean retryCanHelp, String message, @Nullable Throwable cause) {
            super(message, cause);
            this.kind = kind;
            this.retryCanHelp = retryCanHelp;
        }

        /** One of {@code application}, {@code build}, {@code closed}, {@code data}, {@code deadline}, {@code devices}, {@code rejected}. */
        public final String kind() {
            return kind;
        }

        /** Whether the same job may succeed later on this Evener. What a failed job was to write has to be prepared anew if it is updated. */
        public final boolean retryCanHelp() {
            return retryCanHelp;
        }
    }

    /** What the application gave the job failed, and is the cause: a host step, a Java kernel, a policy, a future that it was to follow. */
    public static final class ApplicationFailedException extends JobException {
        public ApplicationFailedException(String message, @Nullable Throwable cause) {
            super("application", false, message, cause);
        }
    }

    /** No device that may take the job can build its kernel. A retry does not help. */
    public static final class BuildFailedException extends JobException {
        private final String log;
        private final String file;
        private final int line;
        private final int column;
        private final String sourceLine;

        /** For the runtime: with what the compiler said, and the place of the first error as the accessors give it. */
        public BuildFailedException(
                String message,
                @Nullable Throwable cause,
                String log,
                String file,
                int line,
                int column,
                String sourceLine) {
            super("build", false, message, cause);
            this.log = log;
            this.file = file;
            this.line = line;
            this.column = column;
            this.sourceLine = sourceLine;
        }

        /** The compiler's log, or why there is none. */
        public String log() {
            return log;
        }

        /** The name of the kernel's source, or of the text that it includes where the first error is. */
        public String file() {
            return file;
        }

        /** The line of the first error, from 1 on; 0 if the compiler does not tell. */
        public int line() {
            return line;
        }

        /** The column of the first error, from 1 on; 0 if the compiler does not tell. */
        public int column() {
            return column;
        }

        /** The text of that line; empty if the compiler does not tell. */
        public String sourceLine() {
            return sourceLine;
        }
    }

    /** A job was not done in time. A retry may help once devices have less to do, or with a longer deadline. */
    public static final class DeadlineExceededException extends JobException {
        public DeadlineExceededException(String message) {
            super("deadline", true, message, null);
        }
    }

    /** No device is left for the job: they failed, or memory is short, theirs or the host's. A retry may help once one is back. */
    public static final class DevicesFailedException extends JobException {
        public DevicesFailedException(String message, @Nullable Throwable cause) {
            super("devices", true, message, cause);
        }
    }

    /** The Evener was closed while the job waited or ran. */
    public static final class EvenerClosedException extends JobException {
        public EvenerClosedException(String message) {
            super("closed", false, message, null);
        }
    }

    /** The job is wrong: its description, or what its kernel does with it. It has to be changed. */
    public static final class JobRejectedException extends JobException {
        public JobRejectedException(String message) {
            this(message, null);
        }

        public JobRejectedException(String message, @Nullable Throwable cause) {
            super("rejected", false, message, cause);
        }
    }
}
