package dev.evener.policy;

/**
 * A phase under way, as a policy sees it: a view on changing numbers, read without locks, so that values read one after
 * another may belong to slightly different moments. Any thread; allocates nothing.
 */
public interface Progress {

    /** Number of lanes. */
    int lanes();

    /** Granules in the phase. */
    long granules();

    /** Granules in no lane's hands yet, over all lanes. */
    long remaining();

    /** Granules left in a lane's own range. */
    long remaining(int lane);

    /** Whether the plan's shares rest on little, so that chunks should leave something to steal. */
    default boolean cautious() {
        return false;
    }

    /** Whether a lane works for this job: given a share by the plan, and not failed. */
    boolean active(int lane);

    /** A rough relative speed known before anything ran, above 0. */
    double weight(int lane);

    /**
     * Estimated time a lane takes for a granule, from its chunks in this phase, else from the history; 0 if unknown.
     */
    double nanosPerGranule(int lane);

    /**
     * Estimated cost of one chunk on a lane beside its granules, on the host and on the device, which may take as long for a few
     * units as for many; 0 if unknown.
     */
    double launchNanos(int lane);

    /** Estimated time until a lane is done with the chunk in its hands; 0 if it has none. */
    double busyNanos(int lane);
}
