package dev.evener.history;

import java.util.Arrays;

/**
 * What a lane's chunks took in one job: where each was, how large, and how long it kept the lane. Memory is bounded: of more than
 * {@value #MOST} chunks the last ones are kept as one sum without a place. Written by one thread, then read by another that is
 * handed it.
 */
public final class ChunkLog {
    private static final int MOST = 64;

    private long[] first = {};
    private long[] units = {};
    private int[] phase = {};
    private long[] nanos = {};
    private int size;

    private long launchNanos;
    private long moreUnits;
    private long moreNanos;
    private int more;

    /**
     * One chunk more.
     *
     * @param inPhase number of the phase
     * @param firstUnit its first unit
     * @param count its units
     * @param took nanoseconds from its beginning, or from the end of the lane's chunk before if that was later, to its end
     * @param busy of these, while the device was at work
     */
    public void add(int inPhase, long firstUnit, long count, long took, long busy) {
        launchNanos += Math.max(0, took - busy);
        if (size == MOST) {
            moreUnits += count;
            moreNanos += took;
            more++;
            return;
        }
        if (size == nanos.length) {
            int capacity = Math.max(4, 2 * size);
            first = Arrays.copyOf(first, capacity);
            units = Arrays.copyOf(units, capacity);
            phase = Arrays.copyOf(phase, capacity);
            nanos = Arrays.copyOf(nanos, capacity);
        }
        first[size] = firstUnit;
        units[size] = count;
        phase[size] = inPhase;
        nanos[size++] = Math.max(1, took);
    }

    /** Chunks that are kept one by one. */
    int size() {
        return size;
    }

    /** All chunks. */
    long chunks() {
        return size + more;
    }

    long first(int chunk) {
        return first[chunk];
    }

    long units(int chunk) {
        return units[chunk];
    }

    int phase(int chunk) {
        return phase[chunk];
    }

    long nanos(int chunk) {
        return nanos[chunk];
    }

    /** What all chunks took while their device was not at work. */
    long launchNanos() {
        return launchNanos;
    }

    /** Chunks that are kept as a sum. */
    int more() {
        return more;
    }

    /** Their units. */
    long moreUnits() {
        return moreUnits;
    }

    /** And what they took. */
    long moreNanos() {
        return moreNanos;
    }

    /** What all chunks took. */
    public long totalNanos() {
        long sum = moreNanos;
        for (int i = 0; i < size; i++) {
            sum += nanos[i];
        }
        return sum;
    }
}
