package dev.evener;

/**
 * How far a job is.
 *
 * @param job its name
 * @param done units done, counted in every phase
 * @param total units of all phases together
 */
public record JobProgress(String job, long done, long total) {

    /** The part that is done, 0 to 1. */
    public double fraction() {
        return total == 0 ? 1 : (double) done / total;
    }
}
