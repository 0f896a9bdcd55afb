package dev.evener.policy;

/**
 * Decides how a job's granules are cut and who gets what. Pure functions of what they are shown: implementations hold no
 * mutable state, know nothing of devices, threads or clocks, and may be called by any thread, so that a simulation runs the
 * same code.
 */
public interface Policy {

    /** The name it goes by in reports and on the command line. */
    String name();

    /** The cut a job starts with. Called once for each job, and again if it begins without lanes of that cut, which still build. */
    Plan plan(Snapshot snapshot);

    /**
     * How many granules a lane should take next from the range it takes from: its own, or the common one under
     * {@link Plan.Sharing#POOLED}. Called for every chunk, so it must not allocate. An answer below 1 or above what is left
     * is taken as the nearest of these.
     *
     * @param lane the lane that takes
     */
    default long chunk(Progress progress, int lane) {
        return Long.MAX_VALUE;
    }
}
