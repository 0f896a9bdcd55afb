package dev.evener.workloads.workload;

import dev.evener.Evener;
import java.util.List;

/**
 * A data-parallel computation that can be run at any size, on made-up data or given ones: it describes the job, and checks
 * what came out. Stateless; any thread.
 *
 * <p>Sizes are counted in items, which is what a user thinks of (a pixel, a number). A job is cut at units, which may hold
 * many items (a row of pixels).
 */
public interface Workload {

    /**
     * What a workload is, in words.
     *
     * @param name what it is called on the command line: lower-case letters, digits and hyphens
     * @param description one line for people, without a full stop
     * @param item what is counted in sizes, such as {@code pixel}
     * @param unit what a job may be cut between, such as {@code image row}
     * @param output the values that it computes, on one line, without a full stop
     * @param defaultSizes sizes worth comparing, in items, ascending
     */
    record About(String name, String description, String item, String unit, String output, List<Long> defaultSizes) {
        public About {
            defaultSizes = List.copyOf(defaultSizes);
        }
    }

    /** What it is. */
    About about();

    /** What can be set about it. */
    default List<Parameter<?>> parameters() {
        return List.of();
    }

    /** The arrays it reads, in the order in which files of them are given; none if it makes something out of nothing. */
    List<Input> inputs(Values values);

    /** The most items that one job of it can have. */
    long mostItems(Values values);

    /**
     * Finds what is wrong with files before any device is opened.
     *
     * @throws InputException if a file has the wrong size
     * @throws IllegalArgumentException if sizes and parameters do not go together
     */
    default void check(Request request) {
        request.items();
    }

    /**
     * Data and job.
     *
     * @param evener whose devices will run it; it must stay open until the result is closed
     * @param request made for this workload
     * @throws dev.evener.EvenerException if there is no memory for it
     * @throws InputException if a file cannot be used
     * @throws IllegalArgumentException if sizes and parameters do not go together
     */
    PreparedWorkload prepare(Evener evener, Request request);

    /** What it is called. */
    default String name() {
        return about().name();
    }

    /** What is counted in sizes. */
    default String item() {
        return about().item();
    }

    /** So much of it, for people, such as {@code saxpy, 4Mi floats}. */
    default String amount(long items) {
        return name() + ", " + Sizes.text(items) + " " + item() + "s";
    }
}
