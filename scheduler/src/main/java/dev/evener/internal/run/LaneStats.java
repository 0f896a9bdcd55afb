package dev.evener.internal.run;

/**
 * What one lane did in one phase of one job. Written by the lane's thread alone; read by whoever ends the phase, after the
 * phase's counter has ordered the writes before it.
 */
final class LaneStats {
    long units;
    long kernelNanos;
    long transferNanos;
    long firstStart = Long.MAX_VALUE;
    long lastEnd = Long.MIN_VALUE;
    int chunks;
    long bytesIn;
    long bytesOut;

    void add(ChunkTimes times) {
        kernelNanos += times.kernelNanos;
        transferNanos += times.transferNanos;
        firstStart = Math.min(firstStart, times.start);
        lastEnd = Math.max(lastEnd, times.end);
        chunks++;
        bytesIn += times.bytesIn;
        bytesOut += times.bytesOut;
    }

    long busyNanos() {
        return kernelNanos + transferNanos;
    }
}
