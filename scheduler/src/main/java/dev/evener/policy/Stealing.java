package dev.evener.policy;

/**
 * From whom an idle lane steals, and how much. The victim is the lane that would finish last by predicted time, not by
 * count; the loot is as much as makes both finish together. Taking half of what a victim has left (Blumofe and Leiserson,
 * Scheduling Multithreaded Computations by Work Stealing, 1999) is the special case of two equally fast lanes.
 *
 * <p>Stateless, and without allocation, for lanes call it between chunks.
 */
public final class Stealing {
    /** What a theft saves, at least, as a multiple of the launch it costs the thief. */
    private static final double LEAST_GAIN = 3;

    private Stealing() {}

    /**
     * The lane to steal from: one that works no more and left granules behind, else the one that would finish last among
     * those that are worth a theft.
     *
     * @param thief a lane that has nothing left
     * @return a lane, or -1 if stealing pays nowhere
     */
    public static int victim(Progress progress, int thief) {
        double perWeight = Pace.powerOfWeight(progress);
        int last = -1;
        double latest = Double.NEGATIVE_INFINITY;
        int orphan = -1;
        for (int lane = 0; lane < progress.lanes(); lane++) {
            long left = progress.remaining(lane);
            if (lane == thief || left <= 0) {
                continue;
            }
            if (!progress.active(lane)) {
                orphan = orphan < 0 || left > progress.remaining(orphan) ? lane : orphan;
                continue;
            }
            double end = progress.busyNanos(lane) + left / Pace.power(progress, lane, perWeight);
            if (end > latest && amount(progress, thief, lane, perWeight) > 0) {
                latest = end;
                last = lane;
            }
        }
        return orphan >= 0 ? orphan : last;
    }

    /**
     * How many granules to take from the back of the victim's range: as many as make both lanes finish together, the cost of
     * a launch on the thief included. All of them if the victim works no more; none if that would not save more time than
     * it costs.
     */
    public static long amount(Progress progress, int thief, int victim) {
        return amount(progress, thief, victim, Pace.powerOfWeight(progress));
    }

    private static long amount(Progress progress, int thief, int victim, double perWeight) {
        long left = progress.remaining(victim);
        if (left <= 0 || !progress.active(victim)) {
            return Math.max(0, left);
        }
        double slow = 1 / Pace.power(progress, victim, perWeight);
        double fast = 1 / Pace.power(progress, thief, perWeight);
        // With no speed known, times are in units of which a launch is an unknown number.
        double launch = perWeight > 0 ? Pace.launchNanos(progress, thief) : 0;
        double start = perWeight > 0 ? progress.busyNanos(thief) + launch : 0;
        double busy = perWeight > 0 ? progress.busyNanos(victim) : 0;
        double before = busy + left * slow;
        double together = (before - start) / (slow + fast);
        long fewer = (long) Math.min((double) left, Math.max(0, Math.floor(together)));
        long more = Math.min(left, fewer + 1);
        double endFewer = Math.max(before - fewer * slow, start + fewer * fast);
        double endMore = Math.max(before - more * slow, start + more * fast);
        boolean takesMore = fewer == 0 || endMore < endFewer;
        double gain = before - (takesMore ? endMore : endFewer);
        return gain > 0 && gain >= LEAST_GAIN * launch ? (takesMore ? more : fewer) : 0;
    }
}
