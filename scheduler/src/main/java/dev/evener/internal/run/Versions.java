package dev.evener.internal.run;

import dev.evener.Access;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.internal.ContentVersion;
import java.util.List;

/**
 * Tells the buffers of a job when their content on the host has changed, by the rule of {@link ContentVersion}: after the
 * change, and before a lane relies on what its device holds. Stateless.
 */
final class Versions {
    private Versions() {}

    /** Before the first chunk of a job: between jobs the application may have written anything. */
    static void jobBegins(Job job) {
        for (Job.Phase phase : job.phases()) {
            for (Job.Argument argument : phase.arguments()) {
                if (argument instanceof Job.Argument.Buffer b && !b.buffer().isKeptOnDevices()) {
                    b.buffer().version().changed();
                }
            }
        }
    }

    /** After a phase, its merges and its host step, however they ended, and before the next one. */
    static void phaseEnded(Job job, Job.Phase ended) {
        for (Job.Argument argument : ended.arguments()) {
            if (argument instanceof Job.Argument.Buffer b && b.written()) {
                if (b.access() instanceof Access.Slice) {
                    b.buffer().version().phaseWrote();
                } else {
                    b.buffer().version().changed(); // the runtime wrote it on the host
                }
            }
        }
        List<HostBuffer> writes = ended.combineWrites();
        if (ended.combine() != null && writes == null) {
            jobBegins(job); // as far as anybody knows; whoever keeps a buffer on devices has promised to say so
        } else if (writes != null) {
            writes.forEach(buffer -> buffer.version().changed());
        }
    }

    /** After a job has failed, or a lane came back late from one: parts may have been written by anybody, or half. */
    static void jobFailed(Job job) {
        for (Job.Phase phase : job.phases()) {
            for (Job.Argument argument : phase.arguments()) {
                if (argument instanceof Job.Argument.Buffer b && b.written()) {
                    b.buffer().version().changed();
                }
            }
        }
    }
}
