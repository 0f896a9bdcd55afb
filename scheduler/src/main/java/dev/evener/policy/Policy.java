package dev.evener.policy;

/**
 * Decides how a job's granules are shared among lanes. A pure function of what it is shown: implementations hold no
 * mutable state and may be called by any thread.
 */
public interface Policy {

    /** The name it goes by in reports and on the command line. */
    String name();

    /**
     * Granules for each lane, in the snapshot's lane order; lanes get contiguous ranges in that order. The sum must be
     * {@link Snapshot#granules()}.
     */
    long[] shares(Snapshot snapshot);
}
