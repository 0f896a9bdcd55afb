package dev.evener.policy;

/**
 * A phase under way, as a policy sees it: a view on changing numbers, read without locks, so that values read one after
 * another may belong to slightly different moments. Work is counted in granules of mean cost ({@link WorkProfile}). Any thread;
 * allocates nothing.
 */
public interface Progress {

    /** The job's number, as in its {@link Snapshot#job}. */
    default long job() {
        return 0;
    }

    /** Which of the job's phases it is, from 0. */
    default int phase() {
        return 0;
    }

    /** Number of lanes. */
    int lanes();

    /** Granules in the phase. */
    long granules();

    /** Granules in no lane's hands yet, over all lanes. */
    long remaining();

    /** Granules left in a lane's own range. */
    long remaining(int lane);

    /** The work left in a lane's own range. */
    double work(int lane);

    /** The work in no lane's hands yet, over all lanes. */
    double work();

    /**
     * How many granules at the front of the range that a lane takes from hold so much work: its own, or the common one under
     * {@link Plan.Sharing#POOLED}. As many as are left, if these hold less.
     */
    long granulesOfWork(int lane, double work);

    /** How many granules at the back of a lane's range hold so much work. */
    long granulesAtBack(int lane, double work);

    /** Whether a lane works for this job: given a share by the plan, and not failed. */
    boolean active(int lane);

    /** Whether a lane that is active can begin; false while it still builds programs, and nobody knows when it comes. */
    default boolean ready(int lane) {
        return true;
    }

    /**
     * Estimated time a lane takes for a granule of mean cost; from its chunks in this phase and the model. While nothing is
     * {@link #known}, relative to the other lanes.
     */
    double nanosPerGranule(int lane);

    /** Whether times are known in nanoseconds: of one lane at least, from which those of others follow. */
    boolean known();

    /** Variance of the logarithm of {@link #nanosPerGranule}. */
    double variance(int lane);

    /**
     * The most that {@link #nanosPerGranule} may be of a lane whose chunks were of one size, or took it far longer than equal ones: if
     * nothing of that was fixed. Infinite for others.
     */
    default double mostNanosPerGranule(int lane) {
        return Double.POSITIVE_INFINITY;
    }

    /** Estimated cost of one chunk on a lane beside its work, on the host and on the device. */
    double fixedNanos(int lane);

    /** What that may be on a lane of which nothing was seen; else the same. */
    default double mostFixedNanos(int lane) {
        return fixedNanos(lane);
    }

    /** By which part of what is expected a lane's chunks take longer, on average over all, those included that do not. */
    double overrun(int lane);

    /** Work below which a chunk shows nothing of what a granule takes, as all of its time may be fixed; 0 once that is known. */
    default double leastWork(int lane) {
        return 0;
    }

    /** Estimated time until a lane is done with the chunks in its hands; 0 if it has none. */
    double busyNanos(int lane);

    /** Estimated time that a lane works for other jobs before it comes to this one again; 0 as far as nobody knows. */
    default double awayNanos(int lane) {
        return 0;
    }

    /** Granules that a lane has done in this job's phases so far, of which {@link #doneNanos} tells. */
    default double doneGranules(int lane) {
        return 0;
    }

    /** How long its device computed for these, without launches and transfers where it can tell these apart. */
    default double doneNanos(int lane) {
        return 0;
    }

    /** How many chunks these were. */
    default int doneChunks(int lane) {
        return 0;
    }

    /**
     * How long these took, each from when it could begin on the lane until the lane had noticed that it was done:
     * launches, transfers and copies for an undo included.
     */
    default double doneWallNanos(int lane) {
        return 0;
    }

    /** Nanoseconds since the job began. */
    default double elapsedNanos() {
        return 0;
    }
}
