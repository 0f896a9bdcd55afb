package dev.evener.workloads.view;

import java.util.List;

/**
 * Several ways to do the same, and how long they took: what a report compares.
 *
 * @param title what was done
 * @param entries the ways, in the order in which they are shown
 * @param ratios whether figures are no times but ratios
 */
public record Ranking(String title, List<Entry> entries, boolean ratios) {
    public Ranking {
        entries = List.copyOf(entries);
    }

    /** Of wall times. */
    public Ranking(String title, List<Entry> entries) {
        this(title, entries, false);
    }

    /**
     * One way.
     *
     * @param name what it is called
     * @param group what it is one of; those of a group share a colour
     * @param nanos its wall times in nanoseconds, or its ratios, at least one; not to be changed afterwards
     * @param note what else is to be said, in a few words; may be empty
     */
    @SuppressWarnings("ArrayRecordComponent") // read only, and never compared
    public record Entry(String name, String group, double[] nanos, String note) {
        public Entry {
            if (nanos.length == 0) {
                throw new IllegalArgumentException(name + " has no times");
            }
        }
    }
}
