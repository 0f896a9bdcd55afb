package dev.evener.internal.run;

import dev.evener.internal.data.Traffic;
import dev.evener.model.ChunkLog;

/**
 * What was measured of one chunk; reused, so that a chunk allocates nothing. Belongs to one lane's thread. Times are
 * {@link System#nanoTime} nanoseconds.
 */
public final class ChunkTimes {
    /** When its first commands had been handed to the device, or it was handed to the lane's threads; 0 if the lane does not say. */
    public long submitted;
    /** When the device began with it (first transfer or kernel). */
    public long start;
    /** When the device was done with it (last kernel or transfer). */
    public long end;
    /** Time inside kernels. */
    public long kernelNanos;
    /** Time inside transfers. */
    public long transferNanos;
    /**
     * By how much these two exceed the time the device was at work, because both went on at once; negative where the chunk's
     * pieces waited for the host in between.
     */
    public long overlapNanos;
    /** Bytes sent to the device. */
    public long bytesIn;
    /** Bytes fetched from the device. */
    public long bytesOut;
    /**
     * Whether its lane says of a chunk that failed that nothing of it began: no kernel was handed to the device, so that what it was to
     * write is as it was.
     */
    public boolean untouched;

    /**
     * Whether its device's clock is to be asked for its times, if that has one; else the lane may take the host's, where asking takes long. Set by who has it
     * enqueued.
     */
    public boolean exact = true;

    /** Both by cause, and what was fetched from other devices for it, or from this one to make room. */
    public final Traffic traffic = new Traffic();

    /** Forgets the last chunk. */
    public void reset() {
        submitted = 0;
        start = 0;
        end = 0;
        kernelNanos = 0;
        transferNanos = 0;
        overlapNanos = 0;
        bytesIn = 0;
        bytesOut = 0;
        untouched = false;
        exact = true;
        traffic.reset();
    }

    /** Adds another chunk's times to a sum of some. */
    void add(ChunkTimes other) {
        start = Math.min(start, other.start);
        end = Math.max(end, other.end);
        kernelNanos += other.kernelNanos;
        transferNanos += other.transferNanos;
        overlapNanos += other.overlapNanos;
        bytesIn += other.bytesIn;
        bytesOut += other.bytesOut;
        traffic.add(other.traffic);
    }

    /** Time the device was at work: what went on at once counts once. */
    public long busyNanos() {
        return kernelNanos + transferNanos - overlapNanos;
    }

    /**
     * Tells of the time that bringing data took which stay: these bytes' part of what was beside kernels.
     *
     * @param launch what a launch takes, in nanoseconds
     */
    void tellMove(ChunkLog log, double launch) {
        double part = Math.min(1, traffic.once() / (double) Math.max(1, bytesIn + bytesOut));
        log.brings(Math.round(part * Math.max(0, busyNanos() - kernelNanos)), traffic.once(), Math.round(launch));
    }

    /** A time in whole steps of 16 ns: sums below 4 years are not rounded then, so they are the same in every order of a set. */
    static double summand(double nanos) {
        return 16 * Math.rint(nanos / 16);
    }
}
