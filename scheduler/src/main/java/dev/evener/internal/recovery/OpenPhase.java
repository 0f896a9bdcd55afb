package dev.evener.internal.recovery;

import dev.evener.internal.JobSpec;

/** The phase that the lanes of a job work at. Any thread. */
public interface OpenPhase {
    /** Which of the job it is, from 0. */
    int number();

    /** What is run. */
    JobSpec.Phase phase();

    /** Puts back what a lane took and could not do. */
    void giveBack(long range);

    /** A lane failed: from now on every lane may take over another's work, whatever the plan. */
    void degrade();
}
