package dev.evener.internal.recovery;

import dev.evener.DataLostException;
import dev.evener.EvenerException;
import dev.evener.EvenerException.ApplicationFailedException;
import dev.evener.EvenerException.BuildFailedException;
import dev.evener.EvenerException.DevicesFailedException;
import dev.evener.EvenerException.JobRejectedException;
import java.util.function.BiFunction;

/** What a lane throws when it knows what kind of failure it met. Anything else it throws counts as {@link Kind#DEVICE}. */
@SuppressWarnings("serial") // read by no other version than wrote it
public class LaneFailure extends EvenerException {
    private final Kind kind;

    /** What a failure says of the device. */
    public enum Kind {
        /** The job is wrong, not the device: arguments that do not fit the kernel, a Java kernel that throws. Ends the job. */
        DECLARATION,
        /** The kernel cannot be built here. The device stays good for other kernels. */
        BUILD,
        /** There was no memory for the chunk; a smaller one may fit. */
        MEMORY,
        /**
         * The driver refused to launch a kernel for want of resources: of memory, so that a smaller chunk may fit, or of what one group
         * needs, which no chunk changes. The device stays good, for this kernel in other groups as well, unless it does not answer.
         */
        LAUNCH,
        /** The device failed; it is quarantined until a probe succeeds. */
        DEVICE;

        /** Whether less may do. */
        public boolean isForWant() {
            return this == MEMORY || this == LAUNCH;
        }
    }

    /** A failure with its cause. */
    public LaneFailure(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** A failure that is its own cause. */
    public LaneFailure(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    /** The job is wrong. */
    public static LaneFailure declaration(String reason) {
        return new LaneFailure(Kind.DECLARATION, reason);
    }

    /** A failure as its job's, of the type that tells an application what it can do; {@code otherwise} if nothing in its causes tells. */
    public static EvenerException ofJob(
            String message, Throwable cause, BiFunction<String, Throwable, EvenerException> otherwise) {
        for (Throwable e = cause; e != null; e = e.getCause()) {
            if (e instanceof BuildFailedException b) {
                return new BuildFailedException(
                        message, cause, b.log(), b.file(), b.line(), b.column(), b.sourceLine());
            } else if (e instanceof DataLostException lost) {
                return new DataLostException(message, lost);
            } else if (e instanceof JobRejectedException) {
                return new JobRejectedException(message, cause);
            } else if (e instanceof DevicesFailedException) {
                return new DevicesFailedException(message, cause);
            } else if (e instanceof LaneFailure failure && e.getCause() == null) {
                return switch (failure.kind) {
                    case DECLARATION -> new JobRejectedException(message, cause);
                    case BUILD, LAUNCH -> new BuildFailedException(message, cause, reason(e), "", 0, 0, "");
                    case MEMORY, DEVICE -> new DevicesFailedException(message, cause);
                };
            } else if (e instanceof LaneFailure failure
                    && failure.kind == Kind.DECLARATION
                    && !(e.getCause() instanceof LaneFailure)) {
                return new ApplicationFailedException(message, cause);
            }
        }
        return otherwise.apply(message, cause);
    }

    /** A failure in words. */
    public static String reason(Throwable cause) {
        return cause instanceof EvenerException ? String.valueOf(cause.getMessage()) : cause.toString();
    }

    /** What it says of the device. */
    public Kind kind() {
        return kind;
    }

    /** The kind of whatever a lane threw: that of the first in the chain of causes that says. */
    public static Kind kindOf(Throwable thrown) {
        for (Throwable e = thrown; e != null; e = e.getCause()) {
            if (e instanceof BuildFailedException) {
                return Kind.BUILD;
            }
            if (e instanceof LaneFailure failure) {
                return failure.kind();
            }
            if (e instanceof DataLostException) { // which no other device has either
                return Kind.DECLARATION;
            }
            if (e instanceof OutOfMemoryError) { // of the host, for a copy that a chunk needs
                return Kind.MEMORY;
            }
        }
        return Kind.DEVICE;
    }

    /** What a message says first: where a source is wrong, before what each device's compiler says of it. */
    public static String firstLine(String message) {
        return message.lines().findFirst().orElse("");
    }

    /** Whether two failures say the same first. */
    public static boolean beginAlike(Throwable one, Throwable other) {
        return firstLine(String.valueOf(one.getMessage())).equals(firstLine(String.valueOf(other.getMessage())));
    }
}
