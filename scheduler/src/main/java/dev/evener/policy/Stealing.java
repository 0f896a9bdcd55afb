package dev.evener.policy;

/**
 * From whom an idle lane steals, and how much. The victim is the lane that would finish last by predicted time, not by
 * count; the loot is as much as makes both finish together. Taking half of what a victim has left (Blumofe and Leiserson,
 * Scheduling Multithreaded Computations by Work Stealing, 1999) is the special case of two equally fast lanes.
 *
 * <p>Stateless, and without allocation, for lanes call it between chunks.
 */
public final class Stealing {
    private Stealing() {}

    /**
     * The lane to steal from: one that works no more, or not yet, and has granules left, else the one that would finish last among
     * those that are worth a theft.
     *
     * @param thief a lane that has nothing left
     * @return a lane, or -1 if stealing pays nowhere
     */
    public static int victim(Progress progress, int thief) {
        int last = -1;
        double latest = Double.NEGATIVE_INFINITY;
        int orphan = -1;
        for (int lane = 0; lane < progress.lanes(); lane++) {
            long left = progress.remaining(lane);
            if (lane == thief || left <= 0) {
                continue;
            }
            if (!progress.active(lane) || !progress.ready(lane)) {
                orphan = orphan < 0 || left > progress.remaining(orphan) ? lane : orphan;
                continue;
            }
            double end = end(progress, lane);
            if (end > latest && amount(progress, thief, lane) > 0) {
                latest = end;
                last = lane;
            }
        }
        return orphan >= 0 ? orphan : last;
    }

    /** When a lane is expected to be done with all it has, in nanoseconds from now. */
    private static double end(Progress progress, int lane) {
        return progress.awayNanos(lane)
                + progress.busyNanos(lane)
                + progress.work(lane) * progress.nanosPerGranule(lane);
    }

    /** When the last lane that works is expected to be done, in nanoseconds from now; 0 if times are not known. */
    public static double lastEnd(Progress progress) {
        double last = 0;
        for (int lane = 0; lane < progress.lanes() && progress.known(); lane++) {
            last = progress.active(lane) ? Math.max(last, end(progress, lane)) : last;
        }
        return last;
    }

    /**
     * When a lane for which no theft pays should look again: when the others are expected to be done, as one that has work left then is
     * slower than was expected; and no sooner than a chunk takes that is worth its launch.
     *
     * @return nanoseconds from now; negative if the others have nothing left, or times are not known
     */
    public static double nanosToNextLook(Progress progress, int thief) {
        double last = -1;
        for (int lane = 0; lane < progress.lanes() && progress.known(); lane++) {
            if (lane != thief && progress.remaining(lane) > 0 && progress.active(lane)) {
                last = Math.max(last, end(progress, lane));
            }
        }
        return last < 0 ? last : Math.max(last, Pace.WORTH_A_LAUNCH * progress.fixedNanos(thief));
    }

    /**
     * How many granules to take from the back of the victim's range: as many as make both lanes finish together, what a chunk
     * costs the thief included. All of them if the victim works no more, or not yet, as it can steal them back; none if a chunk of that size would not be worth its
     * launch: what a theft saves is at most what the victim would have taken for it.
     */
    public static long amount(Progress progress, int thief, int victim) {
        long left = progress.remaining(victim);
        if (left <= 0 || !progress.active(victim) || !progress.ready(victim)) {
            return Math.max(0, left);
        }
        double slow = progress.nanosPerGranule(victim);
        double fast = progress.nanosPerGranule(thief);
        // While nothing is known in nanoseconds, times are in units of which a launch is an unknown number.
        double launch = progress.known() ? progress.mostFixedNanos(thief) : 0;
        double start = progress.known() ? progress.busyNanos(thief) + launch : 0;
        double away = progress.known() ? progress.awayNanos(victim) + progress.busyNanos(victim) : 0;
        double before = away + progress.work(victim) * slow;
        double work = (before - start) / (slow + fast);
        double most = progress.work(victim);
        if (work <= 0 || before - Math.max(before - work * slow, start + work * fast) < launch) {
            return 0;
        }
        long granules = progress.granulesAtBack(victim, Math.min(work, most));
        if (granules > 0) {
            return granules;
        }
        // Less than a granule would be just right: a whole one, if both are done earlier then.
        double one = most / left;
        return start + one * fast < before ? 1 : 0;
    }
}
