package dev.evener.policy;

/**
 * The set of lanes with the least predicted wall time, shares that make them finish together, and stealing to correct what
 * the prediction got wrong.
 *
 * <p><b>Which lanes.</b> Every single lane is considered, all lanes, and the fastest two, three and so on ({@link
 * Prospects}): using one device is a legal answer, for devices that share cores or memory may be faster alone, and a small
 * job may be done before a second device has begun. What was measured at about this size decides. A set that was not is
 * predicted, from other sizes or from what each lane costs, and tried if it might be the fastest on an optimistic view: the
 * idea of optimism in the face of uncertainty (Lai and Robbins, Asymptotically Efficient Adaptive Allocation Rules, 1985),
 * under which a guess that was too good costs a trial, and one that was too bad would cost for ever. History-based
 * prediction of a task's time per device and size is StarPU's (Augonnet, Thibault and Namyst, Automatic Calibration of
 * Performance Models on Heterogeneous Multicore Architectures, 2009). Before anything was observed, what devices were
 * measured to do apart from any job decides, if that was done; it is forgotten with the first observation.
 *
 * <p><b>Standing by it.</b> The set in use stays unless another is better by more than the noise. What has not run for long
 * is tried again, the more rarely the further behind it was, so that such trials cost about a hundredth of the time and a
 * device that has become faster is found.
 *
 * <p><b>How much at once.</b> The first chunk of a range is the largest that would still be done in time should the lane
 * become {@value #SLOWDOWN} times slower the moment it begins: then the others have just done the rest. So chunks shrink as
 * the end comes near, and a lane that is alone takes everything at once. A range of a few least chunks is not cut at all. The
 * least chunk goes by what a chunk costs beside its units, on the host and on a device that takes as long for few units as for
 * many ({@link Progress#launchNanos}).
 */
record AdaptivePolicy() implements Policy {
    /** A lane that becomes so much slower must not hold the others up. */
    private static final double SLOWDOWN = 4;

    /** A range of fewer least chunks is one chunk: to cut it would cost more than it could save... */
    private static final double MOST_UNCUT = 4;
    /** ...unless the job is so long that the cost does not matter. */
    private static final double LEAST_UNCUT = 1.5;
    /** Least chunks in a lane's part of the job, times those that are not cut. */
    private static final double UNCUT = 100;

    /** Where shares rest on little, a chunk is this part of what a lane has left. */
    private static final long CAUTION = 4;

    /** Part of the power from which a lane is alone: there is nobody to help it. */
    private static final double ALONE = 1 - 1e-9;

    @Override
    public String name() {
        return "adaptive";
    }

    @Override
    public Plan plan(Snapshot snapshot) {
        int lanes = snapshot.lanes().size();
        if (snapshot.granules() == 0) {
            return Plan.of(Plan.Sharing.STEALING, new long[lanes]);
        }
        return Choice.plan(snapshot);
    }

    @Override
    public long chunk(Progress progress, int lane) {
        long left = progress.remaining(lane);
        double perWeight = Pace.powerOfWeight(progress);
        double all = 0;
        double work = 0; // of all lanes, what they are at included, in granules
        for (int other = 0; other < progress.lanes(); other++) {
            work += progress.remaining(other);
            if (other == lane || progress.active(other)) {
                double power = Pace.power(progress, other, perWeight);
                all += power;
                work += other == lane || perWeight == 0 ? 0 : progress.busyNanos(other) * power;
            }
        }
        double part = Pace.power(progress, lane, perWeight) / all;
        if (part > ALONE) {
            return left;
        }
        if (!Pace.known(progress, lane)) {
            return Pace.probe((double) left);
        }
        long floor = Pace.floor(progress, lane);
        double fair = Math.min((double) left, work * part);
        if (progress.cautious()) {
            return Pace.chunk((double) left / CAUTION, floor, left);
        }
        double floors = progress.granules() * part / floor;
        if (fair < Math.min(MOST_UNCUT, Math.max(LEAST_UNCUT, UNCUT / floors)) * floor) {
            return Pace.chunk(fair, floor, left);
        }
        return Pace.chunk(fair / (SLOWDOWN - (SLOWDOWN - 1) * part), floor, left);
    }
}
