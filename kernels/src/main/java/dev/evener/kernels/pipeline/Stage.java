package dev.evener.kernels.pipeline;

import dev.evener.DeviceSelector;
import dev.evener.Job;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One stage of a pipeline, for reports and messages by its name. */
sealed interface Stage<S> {
    String name();

    /**
     * A stage whose work is a job.
     *
     * @param devices where its jobs run, or null for where they say themselves
     * @param workers items that its devices work on while one more waits for them
     * @param atOnce jobs that are submitted and not done, at most
     * @param job makes an item's job
     */
    record OnDevices<S>(
            String name, @Nullable DeviceSelector devices, int workers, int atOnce, Function<? super S, Job> job)
            implements Stage<S> {
        /** The job as it is run. */
        Job jobFor(S slot) {
            Job made = job.apply(slot);
            if (made == null) {
                throw new IllegalStateException("there is no job: the stage's function returned null");
            }
            return devices == null ? made : made.on(devices);
        }
    }

    /** A stage whose work is done by threads of its own. */
    record OnHost<S>(String name, int threads, Pipeline.Work<? super S> work, Executor executor) implements Stage<S> {}
}
