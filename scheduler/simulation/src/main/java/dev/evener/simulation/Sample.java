package dev.evener.simulation;

/**
 * A chunk that was run, as evidence of what its kernel takes.
 *
 * @param job number of its job
 * @param kernel its kernel
 * @param device who ran it
 * @param first first unit
 * @param units how many
 * @param all units of the job
 * @param nanos time in kernels
 * @param beside part of that time in which other devices worked too, 0 to 1
 * @param transferNanos time in transfers
 * @param bytesIn bytes sent
 * @param bytesOut bytes fetched
 * @param busyNanos from beginning to end
 * @param saveNanos from being taken to being handed to the device
 * @param submitNanos from there to being enqueued
 * @param startNanos from there to its beginning
 * @param noticeNanos from its end to when the lane had seen it; -1 if that is not known
 * @param settleNanos from there to when the lane was there for more; -1 if that is not known
 */
record Sample(
        long job,
        String kernel,
        int device,
        double first,
        double units,
        double all,
        double nanos,
        double beside,
        double transferNanos,
        long bytesIn,
        long bytesOut,
        double busyNanos,
        double saveNanos,
        double submitNanos,
        double startNanos,
        double noticeNanos,
        double settleNanos) {

    /** Bytes moved, both ways. */
    double bytes() {
        return (double) (bytesIn + bytesOut);
    }

    /** The time it would have taken alone, if others slow it so many times. */
    double nanosAlone(double slowdown) {
        return nanos * part(slowdown);
    }

    /** The time from beginning to end that it would have taken then. */
    double busyAlone(double slowdown) {
        return busyNanos * part(slowdown);
    }

    /** The time in transfers that it would have taken then. */
    double transferAlone(double slowdown) {
        return transferNanos * part(slowdown);
    }

    private double part(double slowdown) {
        return 1 - beside + beside / slowdown;
    }
}
