package dev.evener.internal.run;

import dev.evener.history.ChunkLog;
import dev.evener.history.JobHistory;
import dev.evener.history.JobObservation;
import dev.evener.internal.JobSpec;

/**
 * Tells the history what became of a job that ended without any failure. Stateless; for the thread that completes the job, when
 * all chunks' times have been read.
 */
final class HistoryRecorder {
    private HistoryRecorder() {}

    /**
     * Tells it.
     *
     * @param startedAt when the job was cut
     * @param wallNanos from then to its end
     */
    static void record(
            JobHistory history, JobSpec declared, JobCut cut, Participant[] lanes, long startedAt, long wallNanos) {
        ChunkLog[] chunks = new ChunkLog[lanes.length];
        long[] delays = new long[lanes.length];
        for (int i = 0; i < lanes.length; i++) {
            chunks[i] = lanes[i].log();
            delays[i] = Math.max(0, lanes[i].firstBegun() - startedAt);
        }
        history.learn(new JobObservation(
                cut.company(),
                declared.units(),
                Math.max(1, wallNanos),
                cut.plan().isBalanced(),
                cut.form().isAlone(),
                cut.plan().lookNanos(),
                delays,
                chunks));
    }
}
