package dev.evener.history;

import dev.evener.policy.Snapshot.Cost;
import java.util.Arrays;

/**
 * What chunks take on one lane, learnt from one after another within a phase: so much for each unit, and so much for a chunk
 * of whatever size. The latter is what the host sees of a launch, and what a chunk costs on the device itself, its <i>start</i>:
 * a GPU runs many groups at once, in waves, and takes as long for a few of them as for all; a pipeline of transfers has to fill.
 *
 * <p>The start is where a line through the times of two chunks of different sizes meets size zero. Only chunks that follow one
 * another are compared, since their units lie side by side and should cost about the same. How far two times that scatter can
 * be trusted makes an interval of that point, narrow for small chunks and wide for large ones; the estimate moves into what the
 * last three intervals span, and no further than to its border. So a large chunk does not refute what small ones have shown; and
 * where a device slows down within a chunk, which makes that as slow as a larger one before and the next as slow as that one,
 * no start is seen, for the third pair is of two slow chunks.
 *
 * <p>Written by one thread, read by any.
 */
public final class ChunkCost {
    /** Say of the latest chunk in the running estimates. */
    private static final double NEWEST = 0.5;
    /**
     * A chunk so many times slower than estimated replaces the estimate: the device, or the work, has changed. One that was
     * faster does not, since a job may begin with cheap units, and chunks would be made too large for the dear ones.
     */
    private static final double CHANGED = 1.5;

    /** Sizes must differ by this factor to be compared. */
    private static final double APART = 1.25;
    /** Pairs of chunks, one after another, that must agree. */
    private static final int AGREE = 3;
    /** What may be scatter, as a part of a chunk's time: some three standard deviations on a restless device. */
    private static final double SCATTER = 0.1;
    /** A start shows where it is this part of a chunk: less may be units of different costs. */
    private static final double PLAIN = 0.5;
    /** A chunk that takes so many times as long as a larger one shows no start: something has become slower. */
    private static final double SLOWED = 1.25;
    /** Units take at least this part of a chunk's time, whatever the start. */
    private static final double LEAST_OWN = 0.25;

    private volatile double nanosPerUnit;
    private volatile double launchNanos;
    private volatile double startNanos;

    // The writing thread alone.
    private double lastUnits;
    private double lastNanos;
    private final double[] lows = new double[AGREE];
    private final double[] highs = new double[AGREE];
    private double seenStart;
    private boolean testing;
    private int pairs;
    private int telling;

    /**
     * A phase begins.
     *
     * @param cost of a unit, from the history
     * @param launch nanoseconds that a chunk takes beside the time the device is busy with it; 0 if unknown
     * @param start nanoseconds of a chunk's busy time that do not depend on its size, as learnt earlier; 0 if unknown
     * @param test whether chunks are to be made as if there were no start, until they show one
     */
    public void expect(Cost cost, double launch, double start, boolean test) {
        nanosPerUnit = cost.known() ? cost.nanosPerUnit() : 0;
        launchNanos = launch;
        seenStart = start;
        startNanos = test ? 0 : start;
        testing = test;
        lastUnits = 0;
        Arrays.fill(lows, 0);
        Arrays.fill(highs, Double.POSITIVE_INFINITY);
        pairs = 0;
        telling = 0;
    }

    /**
     * Learns from a chunk.
     *
     * @param units above 0
     * @param busy nanoseconds that the device was at work
     * @param launch nanoseconds beside that
     */
    public void observe(long units, double busy, double launch) {
        double size = (double) units;
        compare(size, busy);
        double seen = Math.max(LEAST_OWN * busy, busy - startNanos) / size;
        double known = nanosPerUnit;
        boolean changed = known <= 0 || seen > known * CHANGED;
        nanosPerUnit = Math.max(1e-6, changed ? seen : known + NEWEST * (seen - known));
        launchNanos = launchNanos <= 0 ? launch : launchNanos + NEWEST * (launch - launchNanos);
    }

    private void compare(double units, double nanos) {
        double ratio = units / lastUnits;
        if (lastUnits > 0 && Math.max(ratio, 1 / ratio) >= APART) {
            double low = 0;
            double high = Double.POSITIVE_INFINITY;
            double small = ratio < 1 ? nanos : lastNanos;
            double large = ratio < 1 ? lastNanos : nanos;
            if (small <= SLOWED * large) {
                double less = Math.min(ratio, 1 / ratio);
                double start = (small - large * less) / (1 - less);
                double scatter = SCATTER * Math.hypot(small, large * less) / (1 - less);
                low = start - scatter >= PLAIN * small ? Math.min(start - scatter, small) : 0;
                high = Math.max(0, start + scatter);
                telling++;
            }
            lows[pairs % AGREE] = low;
            highs[pairs % AGREE] = high;
            pairs++;
            for (int i = 0; i < AGREE; i++) {
                low = Math.min(low, lows[i]);
                high = Math.max(high, highs[i]);
            }
            seenStart = Math.max(low, Math.min(high, seenStart));
            testing &= low == 0;
            startNanos = testing ? 0 : seenStart;
        }
        lastUnits = units;
        lastNanos = nanos;
    }

    /** What a chunk's busy time holds whatever its size, in nanoseconds; 0 if unknown. For the writing thread. */
    public double startNanos() {
        return seenStart;
    }

    /** Whether there were chunks of sizes that may tell; for the writing thread. */
    public boolean tested() {
        return telling >= AGREE;
    }

    /** What a chunk costs beside its units, in nanoseconds, on the host and on the device; 0 if unknown. */
    public double chunkNanos() {
        return launchNanos + startNanos;
    }

    /** What a unit takes, in nanoseconds; 0 if unknown. */
    public double nanosPerUnit() {
        return nanosPerUnit;
    }

    /** The same, seen from a chunk under way for so long: one that is overdue shows that the lane is slower than it was. */
    public double nanosPerUnit(long units, double elapsed) {
        double known = nanosPerUnit;
        return known > 0 ? Math.max(known, (elapsed - chunkNanos()) / Math.max(1, units)) : 0;
    }

    /** Estimated nanoseconds until a chunk that has been under way for so long is done. */
    public double busyNanos(long units, double elapsed) {
        double left = units * nanosPerUnit + chunkNanos() - elapsed;
        // Overdue by how much, nobody knows: as long again as it is overdue, the usual guess.
        return Math.abs(left);
    }
}
