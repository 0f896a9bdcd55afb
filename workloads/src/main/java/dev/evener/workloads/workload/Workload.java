package dev.evener.workloads.workload;

import dev.evener.Evener;
import java.util.List;

/**
 * A data-parallel computation that can be run at any size: it makes its data from a seed, describes the job, and checks
 * what came out. Stateless; any thread.
 *
 * <p>Sizes are counted in items, which is what a user thinks of (a pixel, a number). A job is cut at units, which may hold
 * many items (a row of pixels).
 */
public interface Workload {

    /** What it is called on the command line: lower-case letters and digits. */
    String name();

    /** One line for people, without a full stop. */
    String description();

    /** What is counted in sizes, such as {@code pixel}. */
    String item();

    /** What a job may be cut between, such as {@code image row}. */
    String unit();

    /** Sizes worth comparing, in items, ascending. */
    List<Long> defaultSizes();

    /** The most items that one job of it can have. */
    long mostItems();

    /** Bytes that a device reads and writes for an item, over all phases. */
    double bytesPerItem();

    /** Floating-point operations for an item; 0 where there are none, or where their number depends on the data. */
    double flopsPerItem();

    /**
     * Data and job for a number of items.
     *
     * @param evener whose devices will run it; it must stay open until the result is closed
     * @param items 1 to {@link #mostItems}; rounded up to whole units
     * @param seed equal seeds make equal data
     * @throws dev.evener.EvenerException if there is no memory for it
     */
    PreparedWorkload prepare(Evener evener, long items, long seed);
}
