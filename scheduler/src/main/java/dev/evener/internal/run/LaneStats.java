package dev.evener.internal.run;

/**
 * What one lane did in one phase of one job. Written by the lane's thread alone; read when the run is over, which orders the
 * writes before it.
 */
final class LaneStats {
    long units;
    long kernelNanos;
    long transferNanos;
    private long overlapNanos;
    long firstStart = Long.MAX_VALUE;
    long lastEnd = Long.MIN_VALUE;
    int chunks;
    int stolenChunks;
    long bytesIn;
    long bytesOut;

    /** Adds a chunk, whose times come later. */
    void add(long chunkUnits, boolean stolen) {
        units += chunkUnits;
        stolenChunks += stolen ? 1 : 0;
    }

    /** Adds the latest chunk's times. */
    void add(ChunkTimes times) {
        kernelNanos += times.kernelNanos;
        transferNanos += times.transferNanos;
        overlapNanos += times.overlapNanos;
        firstStart = Math.min(firstStart, times.start);
        lastEnd = Math.max(lastEnd, times.end);
        chunks++;
        bytesIn += times.bytesIn;
        bytesOut += times.bytesOut;
    }

    /** Adds another phase's figures. */
    void add(LaneStats other) {
        units += other.units;
        kernelNanos += other.kernelNanos;
        transferNanos += other.transferNanos;
        overlapNanos += other.overlapNanos;
        firstStart = Math.min(firstStart, other.firstStart);
        lastEnd = Math.max(lastEnd, other.lastEnd);
        chunks += other.chunks;
        stolenChunks += other.stolenChunks;
        bytesIn += other.bytesIn;
        bytesOut += other.bytesOut;
    }

    long busyNanos() {
        return kernelNanos + transferNanos - overlapNanos;
    }
}
