package dev.evener.workloads.workload;

import dev.evener.Job;
import dev.evener.Report;
import org.jspecify.annotations.Nullable;

/**
 * A workload with its data: a job that can be run again and again. Owns its buffers. Not thread-safe, and idle whenever a
 * method is called: the job must not be running.
 */
public interface PreparedWorkload extends AutoCloseable {

    /** Items there are: those asked for, rounded up to whole units. */
    long items();

    /** Bytes that a device reads and writes for an item, over all phases, at most. */
    double bytesPerItem();

    /** The same of one run, the last or one before it: fewer where its form for one device reads something only once. */
    default double bytesPerItem(Report run) {
        return bytesPerItem();
    }

    /** Floating-point operations for an item; 0 where there are none, or where their number depends on the data. */
    default double flopsPerItem() {
        return 0;
    }

    /** The job, always the same one; it has no policy of its own. */
    Job job();

    /** Puts everything as it was at first, with outputs that {@link #mismatch} takes for wrong. */
    void reset();

    /**
     * Compares the outputs of one run since {@link #reset} with an independent scalar reference. May take far longer than
     * the job.
     *
     * @return null if they are right, else one sentence on the first difference
     */
    @Nullable
    String mismatch();

    /** The result in a few words, where it is no more than that; else null. Of one run since {@link #reset}. */
    default @Nullable String result() {
        return null;
    }

    /** What one run since {@link #reset} computed; to be used before the next method is called. */
    Output output();

    /** Releases the data. Idempotent. */
    @Override
    void close();
}
