package dev.evener.kernels;

import dev.evener.Evener;
import dev.evener.Job;
import dev.evener.Report;
import java.util.concurrent.CompletionException;

/** Plain calls: a job submitted and waited for. */
public final class Submission {
    private Submission() {}

    /**
     * Runs a job to its end on the calling thread's time.
     *
     * @throws dev.evener.EvenerException if it fails; not wrapped
     */
    public static Report run(Evener evener, Job job) {
        try {
            return evener.submit(job).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }
}
