package dev.evener.internal.run;

/**
 * What one lane did in one phase of one job. Written by the lane's thread alone; read when the run is over, which orders the
 * writes before it.
 */
final class LaneStats {
    long units;
    /** Of these, those of each lane's range, and the time the device was busy with them. */
    final long[] unitsOf;

    final long[] busyNanosOf;
    private int owner;
    double launchNanos;
    int launches;
    /** What a chunk takes on the device whatever its size, as the latest one left it. */
    double startNanos;
    /** Whether its chunks were of sizes that may tell. */
    boolean startTested;

    long kernelNanos;
    long transferNanos;
    private long overlapNanos;
    long firstStart = Long.MAX_VALUE;
    long lastEnd = Long.MIN_VALUE;
    int chunks;
    int stolenChunks;
    long bytesIn;
    long bytesOut;

    /** @param lanes how many there are in the job */
    LaneStats(int lanes) {
        unitsOf = new long[lanes];
        busyNanosOf = new long[lanes];
    }

    /** Adds a chunk, whose times come later. */
    void add(long chunkUnits, int chunkOwner, boolean stolen) {
        units += chunkUnits;
        unitsOf[chunkOwner] += chunkUnits;
        owner = chunkOwner;
        stolenChunks += stolen ? 1 : 0;
    }

    /** Adds the latest chunk's times. */
    void add(ChunkTimes times) {
        kernelNanos += times.kernelNanos;
        transferNanos += times.transferNanos;
        overlapNanos += times.overlapNanos;
        busyNanosOf[owner] += times.busyNanos();
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

    /** What a chunk took beside the time the device was busy, on average over those where that was noted; 0 if nowhere. */
    double meanLaunchNanos() {
        return launches == 0 ? 0 : launchNanos / launches;
    }

    long busyNanos() {
        return kernelNanos + transferNanos - overlapNanos;
    }
}
