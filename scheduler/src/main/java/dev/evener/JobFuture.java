package dev.evener;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A job that was submitted. Completes with its report, or exceptionally with an {@link EvenerException} that names job, device
 * and reason; {@link #cancel}, or any other way to complete it, stops the job at the next chunk.
 *
 * <p>Callbacks run on a thread of the runtime's own, one after another. Threads that wait are woken before, so that this is
 * done when the first of them goes on; only {@code state()} and {@code resultNow()} of later JDKs go by callbacks. {@link
 * #join} and {@link #get()} throw {@link IllegalStateException} where they could never return: in such a callback, in a host
 * step and in a Java kernel of the same Evener, of a job that is not done. So do those of all futures derived from this one
 * by its methods; {@link CompletableFuture#allOf} cannot tell. What is given to {@link #completeAsync} of a derived future
 * without an executor runs on the thread for callbacks. Thread-safe.
 */
public abstract class JobFuture extends CompletableFuture<Report> {
    /** Made by submitting a job. */
    protected JobFuture() {}

    /**
     * Completes when the job has let go of its buffers: neither a device nor a host step touches them any more on its behalf, so
     * that they may be refilled, closed or given away. After a success that is when the report is there, but for a device
     * that hung and still reads; after {@link #cancel}, a failure or a deadline it is when the last chunk under way has ended.
     * Never completes exceptionally, and not at all while a device hangs. Callbacks run where those of the job do.
     *
     * @return a future of its own at each call; completing it does nothing to the job
     */
    public abstract CompletableFuture<@Nullable Void> released();

    /**
     * How far a job is.
     *
     * @param job its name
     * @param done units done, counted in every phase
     * @param total units of all phases together
     */
    public record Progress(String job, long done, long total) {

        /** The part that is done, 0 to 1. */
        public double fraction() {
            return total == 0 ? 1 : (double) done / total;
        }
    }
}
