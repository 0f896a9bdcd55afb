package dev.evener.internal.run;

import dev.evener.Access;
import dev.evener.internal.ContentVersion;
import dev.evener.internal.JobSpec;
import dev.evener.internal.ManagedBuffer;
import java.util.List;
import java.util.function.Consumer;

/**
 * Tells the buffers of a job when their content on the host has changed, by the rule of {@link ContentVersion}: after the
 * change, and before a lane relies on what its device holds. A job is given twice, as it was declared and as lanes run it:
 * the runtime writes to the buffers of the one, lanes to those of the other. Stateless.
 */
final class Versions {
    private Versions() {}

    /** Before the first chunk of a job: between jobs the application may have written anything. */
    static void jobBegins(JobSpec declared, JobSpec run) {
        hostMayHaveWritten(declared);
        if (run != declared) {
            hostMayHaveWritten(run);
        }
    }

    /** Whoever keeps a buffer on devices has promised to say when it wrote it. */
    private static void hostMayHaveWritten(JobSpec job) {
        for (JobSpec.Phase phase : job.phases()) {
            forEachBuffer(phase, b -> {
                if (!b.buffer().isKeptOnDevices()) {
                    b.buffer().version().changed();
                }
            });
        }
    }

    /** After a phase, its merges and its host step, however they ended, and before the next one. */
    static void phaseEnded(JobSpec declared, JobSpec run, int number) {
        JobSpec.Phase phase = declared.phases().get(number);
        wrote(phase);
        if (run != declared) {
            wrote(run.phases().get(number));
        }
        List<ManagedBuffer> writes = phase.combineWrites();
        if (writes != null) {
            writes.forEach(buffer -> buffer.version().changed());
        } else if (phase.combine() != null) {
            hostMayHaveWritten(declared);
        }
    }

    private static void wrote(JobSpec.Phase phase) {
        forEachBuffer(phase, b -> {
            if (b.written() && b.access() instanceof Access.Slice) {
                b.buffer().version().phaseWrote();
            } else if (b.written()) { // by the runtime, on the host
                b.buffer().version().changed();
            }
        });
    }

    /** After a job has failed, or a lane came back late from one: parts may have been written by anybody, or half. */
    static void jobFailed(JobSpec declared, JobSpec run) {
        for (JobSpec job : List.of(declared, run)) {
            for (JobSpec.Phase phase : job.phases()) {
                forEachBuffer(phase, b -> {
                    if (b.written()) {
                        b.buffer().version().changed();
                    }
                });
            }
        }
    }

    private static void forEachBuffer(JobSpec.Phase phase, Consumer<JobSpec.Argument.Buffer> action) {
        for (JobSpec.Argument argument : phase.arguments()) {
            if (argument instanceof JobSpec.Argument.Buffer b) {
                action.accept(b);
            }
        }
    }
}
