package dev.evener.policy;

/**
 * Decides how a job's granules are cut and who gets what. Functions of what they are shown, which know nothing of devices, threads or
 * clocks and may be called by any thread, several at once, so that a simulation runs the same code. Most hold no mutable state; one
 * that does has one for each kind of job ({@link #forKind}), and guards it, as jobs of a kind may run side by side.
 */
public interface Policy {

    /** The name it goes by in reports and on the command line. */
    String name();

    /** The cut a job starts with. Called once for each job, and again if it begins without lanes of that cut, which still build. */
    Plan plan(Snapshot snapshot);

    /**
     * The policy for one kind of job on one set of devices, asked for at the first such job and kept while its history is in memory: a new
     * one if it keeps state, else itself. {@link PolicyProvider#create} does so for those that are found by name.
     */
    default Policy forKind() {
        return this;
    }

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
