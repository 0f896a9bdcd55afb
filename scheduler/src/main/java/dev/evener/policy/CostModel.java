package dev.evener.policy;

import java.util.function.Supplier;

/**
 * What is known of one kind of job on the lanes of a {@link Snapshot}, at the job's size: how long it takes on which lanes, and
 * how sure that is. Doubts are standard deviations of
 * the natural logarithm of a time: 0.1 is about 10 %. Immutable; any thread.
 */
public interface CostModel {

    /** Jobs of this kind, whatever their size, that it rests on. */
    long jobs();

    /** Whether it can tell nanoseconds: a job of this kind was seen at this or at another size. */
    boolean known();

    /** What a lane takes when it works alone. */
    LaneCost lane(int lane);

    /**
     * What a job takes on exactly these lanes, with the shares that make them finish together.
     *
     * @param lanes a set, not empty
     */
    Forecast forecast(LaneSet lanes);

    /**
     * The same, should one of the lanes be as fast as it may be: by two standard deviations of what is fixed and, if it was never
     * seen, of what a unit takes, else by one of that; no slower than equal devices are, and
     * should the set take no longer than its lanes' work does.
     *
     * @param hopeful a lane of the set
     */
    Forecast forecast(LaneSet lanes, int hopeful);

    /** How sure it is by which factor two sets differ: what both have in common cancels out. */
    double doubt(Forecast a, Forecast b);

    /**
     * In how many more jobs a lane may take part again that was late: by more than it may be by all that was known before, for a bad moment or because it is slower.
     *
     * @return 0 for any other lane
     */
    default long jobsToLook(int lane) {
        return 0;
    }

    /** The most that a unit takes a lane, should nothing of what its chunks took be fixed; 0 if none was seen. */
    default double mostNanosPerUnit(int lane) {
        return 0;
    }

    /** Whether nothing is known of a lane, and it need not wait until it is looked at again. */
    default boolean isUnseen(int lane) {
        return lane(lane).chunks() == 0 && jobsToLook(lane) == 0;
    }

    /**
     * The same forecast with what it takes to bring lanes the data of their shares that they lack, side by side, as
     * far as links were measured.
     *
     * @param shares gives each lane's granules, in lane order
     */
    Forecast moving(Forecast of, Supplier<long[]> shares, Snapshot.Placement data);

    /** Where the work is. */
    WorkProfile profile();

    /** What looks at other sets have cost so far. */
    Exploration exploration();

    /**
     * What a lane takes.
     *
     * @param fixedNanos for a chunk, whatever its size
     * @param nanosPerUnit for a unit of mean cost; relative to other lanes while nothing is {@linkplain #known}
     * @param doubt of {@code nanosPerUnit}
     * @param chunks how many were seen on this lane
     */
    record LaneCost(double fixedNanos, double nanosPerUnit, double doubt, long chunks) {}

    /**
     * What is expected of a set of lanes.
     *
     * @param lanes the set
     * @param nanos time until the job is done
     * @param awayNanos what of it is due to lanes that are at work for other jobs first
     * @param doubt of {@code nanos}
     * @param contention how many times longer a lane of the set takes for a unit than alone, on average
     * @param work each lane's share in units of mean cost, in lane order; 0 for a lane that could not help
     * @param jobs how many ran on exactly these lanes
     * @param gradient for {@link #doubt}, as the model wants it: by how much the logarithm of {@code nanos} moves with what it
     *     estimates of each lane of the set, and what it doubts of those lanes together
     * @param own variance of what no other set has in common with this one
     * @param moveNanos what bringing the data of the shares takes once, of which no more than its part in this job is
     *     in {@code nanos}
     */
    @SuppressWarnings("ArrayRecordComponent") // made for one plan, and not changed
    record Forecast(
            LaneSet lanes,
            double nanos,
            double awayNanos,
            double doubt,
            double contention,
            double[] work,
            long jobs,
            double[] gradient,
            double own,
            double moveNanos) {}

    /**
     * What was spent on looks at sets that were not expected to be the fastest.
     *
     * @param spentNanos by how much these jobs took longer than was expected of the best set
     * @param totalNanos that all jobs took
     * @param sinceLook jobs since the latest look, or since the first job
     */
    record Exploration(double spentNanos, double totalNanos, long sinceLook) {}
}
