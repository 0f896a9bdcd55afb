package dev.evener.policy;

/** How fast lanes are, as far as a {@link Progress} tells, and what follows for the size of a chunk. Stateless; allocates nothing. */
final class Pace {
    /** A chunk takes at least so many times what it costs beside its work, so that this costs a twentieth at most. */
    static final double WORTH_A_LAUNCH = 20;

    /** Standard deviations by which an estimate may be off: 95 % of a normal distribution. */
    static final double SURE = 2;

    private static final double SLOWER = 4;
    private static final double LONGER = 1.5;

    private Pace() {}

    /** The lane's part of the power of all lanes at work, itself counted in: above 0, at most 1. */
    static double part(Progress progress, int lane) {
        double own = 1 / progress.nanosPerGranule(lane);
        double all = own;
        for (int other = 0; other < progress.lanes(); other++) {
            all += other != lane && progress.active(other) ? 1 / progress.nanosPerGranule(other) : 0;
        }
        return own / all;
    }

    /** Work of the phase that is not done, in granules of mean cost: what is left, and what lanes have taken. */
    static double left(Progress progress) {
        double all = 0;
        for (int lane = 0; lane < progress.lanes(); lane++) {
            all += progress.work(lane) + inHand(progress, lane);
        }
        return all;
    }

    /** Work that a lane has taken and not done. */
    static double inHand(Progress progress, int lane) {
        return progress.active(lane) && progress.known()
                ? progress.busyNanos(lane) / progress.nanosPerGranule(lane)
                : 0;
    }

    /**
     * What a lane can take at once of its part of the work and still be done in time, should the speeds be as far off as they may. The
     * part of lane i is {@code w / (w + o)}, w being its speed and o that of all others. With independent variances of the
     * logarithms of speeds, that of {@code ln(o / w)} is {@code var_i + sum over the others of (w_j / o)^2 var_j}.
     *
     * @param own the lane's {@link #part} of the power
     * @param part of the work that would make all finish together
     */
    static double safe(Progress progress, int lane, double own, double part) {
        double others = 1 - own;
        if (others <= 0) {
            return part;
        }
        double variance = progress.variance(lane);
        for (int other = 0; other < progress.lanes(); other++) {
            if (other != lane && progress.active(other)) {
                double its = own * progress.nanosPerGranule(lane) / progress.nanosPerGranule(other) / others;
                variance += its * its * progress.variance(other);
            }
        }
        return part / (own + others * Math.exp(SURE * Math.sqrt(variance)));
    }

    /**
     * The most a lane should take at once so that the others are not held up should it become {@value #SLOWER} times
     * slower the moment it begins: the others have then just done the rest. An insurance that is taken where it costs less than
     * it saves: where a launch more takes less than the chunk's overrun on average.
     *
     * @param own the lane's {@link #part} of the power
     * @param part of the work that would make all finish together
     */
    static double insured(Progress progress, int lane, double own, double part) {
        double chunk = part / (SLOWER - (SLOWER - 1) * own);
        boolean cheap = progress.known()
                && chunk * progress.nanosPerGranule(lane) * progress.overrun(lane) > progress.fixedNanos(lane);
        return cheap ? chunk : Double.POSITIVE_INFINITY;
    }

    /**
     * The most that a lane should take at once whose chunks were of one size, or late: what it does, should nothing of what they took be
     * fixed, in {@value #LONGER} times the time in which it is expected to do its part. So a look holds up a job by half of that at most.
     *
     * @param part of the work that would make all finish together
     */
    static double seen(Progress progress, int lane, double part) {
        double most = progress.mostNanosPerGranule(lane);
        return progress.known() && most < Double.POSITIVE_INFINITY
                ? LONGER * (progress.fixedNanos(lane) + part * progress.nanosPerGranule(lane)) / most
                : Double.POSITIVE_INFINITY;
    }

    /**
     * The least chunk that is worth its launch on a lane as slow as it may be, in granules of mean cost; 0 where nanoseconds are not
     * known. There is no use in saving a smaller part on launches than what is in doubt.
     */
    static double floor(Progress progress, int lane) {
        if (!progress.known()) {
            return 0;
        }
        double doubt = Math.sqrt(progress.variance(lane));
        double worth = Math.min(WORTH_A_LAUNCH, 1 / doubt)
                * progress.fixedNanos(lane)
                / progress.nanosPerGranule(lane)
                * Math.exp(-SURE * doubt);
        return Math.max(progress.leastWork(lane), worth);
    }

    /**
     * A chunk that is worth its launch and leaves no rest that is not.
     *
     * @param wanted work
     * @param left work there is to take
     */
    static double chunk(Progress progress, int lane, double wanted, double left) {
        double floor = floor(progress, lane);
        double taken = Math.max(floor, wanted);
        return left - taken < floor / 2 ? left : taken;
    }

    /**
     * Granules of half a lane's part of the work, at most what is {@link #safe} and worth its launch.
     *
     * @param chunks granules of each of so many equal chunks of the job instead, as experiments want it; 0 for halves
     * @param left work there is to take
     * @param part the lane's part of it
     */
    static long half(Progress progress, int lane, int chunks, double left, double part) {
        if (chunks > 0) {
            return Math.max(1, -Math.floorDiv(-progress.granules(), chunks));
        }
        double wanted = Math.min(part / 2, safe(progress, lane, part(progress, lane), part));
        double taken = chunk(progress, lane, wanted, left);
        return progress.granulesOfWork(lane, Math.min(taken, seen(progress, lane, part)));
    }
}
