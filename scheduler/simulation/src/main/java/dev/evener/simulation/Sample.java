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
 * @param beside which other devices worked meanwhile
 * @param transferNanos time in transfers
 * @param bytesIn bytes sent
 * @param bytesOut bytes fetched
 * @param busyNanos from beginning to end; -1 if that tells nothing, as it waited for a bus
 * @param saveNanos from being taken to being handed to the device
 * @param submitNanos from there to being enqueued
 * @param startNanos from there to its beginning; -1 likewise
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
        Beside beside,
        double transferNanos,
        long bytesIn,
        long bytesOut,
        double busyNanos,
        double saveNanos,
        double submitNanos,
        double startNanos,
        double noticeNanos,
        double settleNanos) {

    /** Time in kernels and transfers. */
    double work() {
        return nanos + transferNanos;
    }

    /** What that would have been alone, if others slow it so many times. */
    double workAlone(double slowdown) {
        return work() * beside.part(slowdown);
    }

    /** Bytes moved, both ways. */
    double bytes() {
        return (double) (bytesIn + bytesOut);
    }

    /** The time it would have taken alone, if others slow it so many times. */
    double nanosAlone(double slowdown) {
        return nanos * beside.part(slowdown);
    }

    /** The time from beginning to end that it would have taken then. */
    double busyAlone(double slowdown) {
        return busyNanos * beside.part(slowdown);
    }

    /** The time in transfers that it would have taken then. */
    double transferAlone(double slowdown) {
        return transferNanos * beside.part(slowdown);
    }
}
