package dev.evener.model;

import java.util.Arrays;

/**
 * What a lane's chunks took in one job: where each was, how large, and how long it kept the lane. Memory is bounded: of more than
 * {@value #MOST} chunks the last ones are kept as one sum without a place. Written by one thread, then read by another that is
 * handed it.
 */
public final class ChunkLog {
    private static final int MOST = 64;
    private static final int FIELDS = 5;

    /** Of a lane that took no part. Not to be added to. */
    public static final ChunkLog NONE = new ChunkLog();

    private long[] chunks = {}; // phase, first unit, units, nanoseconds and busy ones of each
    private int size;

    private int more;
    private long moreUnits;
    private long moreNanos;
    private long moreBusy;
    private long brings; // nanoseconds of the next chunk
    private long launch;
    private long brought; // nanoseconds by which all chunks took longer for that
    private long broughtBytes;

    /**
     * One chunk more.
     *
     * @param phase number of the phase
     * @param first its first unit
     * @param units its units
     * @param took nanoseconds from its beginning, or from the end of the lane's chunk before if that was later, to its end
     * @param busy of these, while the device was at work; 0 if it cannot tell, so that all of them count
     */
    public void add(int phase, long first, long units, long took, long busy) {
        long before = busy > 0 ? Math.min(took, busy) : took;
        long own = Math.max(1, before - brings);
        long kept = brings == 0 ? took : Math.min(took - Math.min(before, brings), own + launch);
        brought += took - kept;
        brings = 0;
        addOwn(phase, first, units, kept, own);
    }

    /**
     * The next chunk brings data that stay, which is no part of what others will take, and may wait for devices that
     * have them.
     *
     * @param nanos that this takes of the time in which the device is at work
     * @param bytes of these data; 0 if it does no such thing
     * @param mostLaunch the most that counts of the time in which the device is not at work
     */
    public void brings(long nanos, long bytes, long mostLaunch) {
        brings = nanos;
        launch = mostLaunch;
        broughtBytes += bytes;
    }

    private void addOwn(int phase, long first, long units, long took, long own) {
        if (size == MOST) {
            more++;
            moreUnits += units;
            moreNanos += took;
            moreBusy += own;
            return;
        }
        int at = size++ * FIELDS;
        if (at == chunks.length) {
            chunks = Arrays.copyOf(chunks, Math.max(FIELDS, 2 * at));
        }
        chunks[at] = phase;
        chunks[at + 1] = first;
        chunks[at + 2] = units;
        chunks[at + 3] = Math.max(1, took);
        chunks[at + 4] = Math.max(1, own);
    }

    /** Without the first chunk of each phase, nor those without a place. */
    ChunkLog withoutFirst() {
        ChunkLog rest = new ChunkLog();
        long seen = 0;
        for (int i = 0; i < size; i++) {
            if ((seen >>> Math.min(63, phase(i)) & 1) == 1) {
                rest.addOwn(phase(i), first(i), units(i), nanos(i), busy(i));
            }
            seen |= 1L << Math.min(63, phase(i));
        }
        return rest;
    }

    /** Chunks that are kept one by one. */
    int size() {
        return size;
    }

    /** All chunks. */
    public long chunks() {
        return (long) size + more;
    }

    int phase(int chunk) {
        return (int) chunks[chunk * FIELDS];
    }

    long first(int chunk) {
        return chunks[chunk * FIELDS + 1];
    }

    long units(int chunk) {
        return chunks[chunk * FIELDS + 2];
    }

    long nanos(int chunk) {
        return chunks[chunk * FIELDS + 3];
    }

    /** Of these, while the device was at work. */
    long busy(int chunk) {
        return chunks[chunk * FIELDS + 4];
    }

    /** Units of all chunks. */
    double units() {
        return (double) (moreUnits + sum(2));
    }

    private long sum(int field) {
        long sum = 0;
        for (int i = 0; i < size; i++) {
            sum += chunks[i * FIELDS + field];
        }
        return sum;
    }

    /**
     * Nanoseconds by which bringing data that stay made the chunks longer at most, which is no part of the others, and
     * their bytes.
     */
    long brought() {
        return brought;
    }

    /** How many bytes those were. */
    long broughtBytes() {
        return broughtBytes;
    }

    /** Units of the chunks that are not kept one by one. */
    long moreUnits() {
        return moreUnits;
    }

    /** What these took. */
    long moreNanos() {
        return moreNanos;
    }

    /** While the device was at work on them. */
    long moreBusy() {
        return moreBusy;
    }

    /** While the device was at work on all chunks. */
    long busyNanos() {
        return moreBusy + sum(4);
    }

    /** What all chunks took. */
    long totalNanos() {
        return moreNanos + sum(3);
    }

    /** What all chunks took while their device was not at work. */
    public long launchNanos() {
        return totalNanos() - busyNanos();
    }

    /** The same of one chunk, on average; there has to be one. */
    double nanosPerLaunch() {
        return launchNanos() / (double) chunks();
    }
}
