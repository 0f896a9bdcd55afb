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
     * @param isShared whether its items share the devices, so that each may go whole to one
     * @param job makes an item's job
     */
    record OnDevices<S>(
            String name,
            @Nullable DeviceSelector devices,
            int workers,
            int atOnce,
            boolean isShared,
            Function<? super S, Job> job)
            implements Stage<S> {
        /**
         * The job as it is run.
         *
         * @param others how many other items have yet to leave this stage
         */
        Job jobFor(S slot, int others) {
            Job made = job.apply(slot);
            if (made == null) {
                throw new IllegalStateException("there is no job: the stage's function returned null");
            }
            Job placed = devices == null ? made : made.on(devices);
            return isShared && others > 0 ? placed.before(others) : placed;
        }
    }

    /** A stage whose work is done by threads of its own. */
    record OnHost<S>(String name, int threads, Pipeline.Work<? super S> work, Executor executor) implements Stage<S> {}
}
