package dev.evener.model;

import dev.evener.policy.CostModel;
import dev.evener.policy.WorkProfile;
import java.util.Arrays;
import java.util.Map;

/** What was known of one kind of job, on certain lanes and at one size, at one moment. Immutable. */
public final class HistorySnapshot implements CostModel {
    private final JobHistory of;
    private final Belief belief;
    private final LaneTerms terms;
    private final double units;
    private final boolean known;
    private final long jobs;
    private final WorkProfile profile;
    private final Exploration exploration;
    private final Map<String, SizeModel.OfSet> sets;
    private final SizeModel.OfSet unseen;
    private final KernelHistory.Lane[] lanes;
    private final double[] busy;

    /**
     * Made while the kernel is locked.
     *
     * @param busy how long each lane works for other jobs first, in nanoseconds
     */
    HistorySnapshot(JobHistory of, KernelHistory kernel, SizeModel size, LaneTerms terms, double units, double[] busy) {
        this.of = of;
        this.belief = size.belief;
        this.terms = terms;
        this.units = units;
        this.known = size.known;
        this.jobs = size.jobs;
        this.profile = kernel.profile.profile();
        this.exploration = new Exploration(size.spentNanos, size.totalNanos, size.jobs - size.lastLook);
        this.sets = Map.copyOf(size.sets);
        this.unseen = size.unseen();
        this.lanes = new KernelHistory.Lane[of.lanes()];
        Arrays.setAll(lanes, i -> of.lane(i).copy());
        this.busy = busy;
    }

    @Override
    public long jobs() {
        return jobs;
    }

    @Override
    public boolean known() {
        return known;
    }

    @Override
    public WorkProfile profile() {
        return profile;
    }

    @Override
    public Exploration exploration() {
        return exploration;
    }

    @Override
    public LaneCost lane(int lane) {
        return new LaneCost(
                fixed(lane),
                Math.exp(terms.log(lane, 1L << lane)),
                Math.sqrt(variance(lane, 1L << lane)),
                lanes[lane].chunks);
    }

    /**
     * What a lane of a set takes in a phase, and how far a chunk may be from it.
     *
     * @param set of lanes, this one among them
     */
    public LaneEstimate.Prior prior(int lane, int phase, long set) {
        double noise = lanes[lane].noise;
        return new LaneEstimate.Prior(
                lanes[lane].launch,
                terms.startNanos(lane),
                belief.covariance(terms.start(lane), terms.start(lane)),
                lanes[lane].phaseParts[phase] * Math.exp(terms.log(lane, set)),
                Math.min(LaneTerms.CLASS_VARIANCE, variance(lane, set) + noise),
                noise,
                known);
    }

    /** What a chunk costs beside its units: the launch, and what it takes on the device. */
    private double fixed(int lane) {
        return lanes[lane].launch + terms.startNanos(lane);
    }

    private double variance(int lane, long set) {
        double[] row = new double[belief.size()];
        return terms.add(row, lane, set, 1) + belief.variance(row);
    }

    /**
     * The time T after which lanes are done that are given their parts so that all finish together: {@code sum of
     * max(0, (T - fixed_i) / perUnit_i) = units}, and what a job takes beyond that. What a lane is busy with before is a part of what
     * is fixed. It makes the set lose the mean of these times, weighted by the lanes' speeds, and is not what the set learnt.
     */
    @Override
    public Forecast forecast(long set) {
        int count = lanes.length;
        double[] perUnit = new double[count];
        double[] fixed = new double[count];
        for (int i = 0; i < count; i++) {
            if ((set >>> i & 1) == 1) {
                perUnit[i] = Math.exp(terms.log(i, set));
                fixed[i] = known ? fixed(i) + lanes[i].delay + busy[i] : 0;
            }
        }
        long in = set;
        double time;
        double rates;
        while (true) {
            rates = 0;
            double late = 0;
            int latest = -1;
            for (int i = 0; i < count; i++) {
                if ((in >>> i & 1) == 1) {
                    rates += 1 / perUnit[i];
                    late += fixed[i] / perUnit[i];
                    latest = latest < 0 || fixed[i] > fixed[latest] ? i : latest;
                }
            }
            time = (units + late) / rates;
            if (fixed[latest] < time || Long.bitCount(in) == 1) {
                break;
            }
            in &= ~(1L << latest); // without it the others are done earlier, and more may be too late
        }
        double[] work = new double[count];
        double[] gradient = new double[belief.size()];
        double own = 0;
        double contention = 0;
        double away = 0;
        for (int i = 0; i < count; i++) {
            if ((in >>> i & 1) == 1) {
                work[i] = Math.max(0, (time - fixed[i]) / perUnit[i]);
                own += terms.add(gradient, i, set, work[i] / rates / time);
                gradient[terms.start(i)] += known ? terms.startNanos(i) / perUnit[i] / rates / time : 0;
                contention += work[i] / units * Math.exp(terms.log(i, set) - terms.log(i, 1L << i));
                away += known ? busy[i] / perUnit[i] / rates : 0;
            }
        }
        SizeModel.OfSet seen = sets.get(of.name(set));
        SizeModel.OfSet more = seen != null ? seen : unseen;
        own += more.variance();
        return new Forecast(
                set,
                known ? away + (time - away) * Math.exp(more.more(time - away)) : time,
                away,
                Math.sqrt(belief.variance(gradient) + own),
                contention,
                work,
                seen == null ? 0 : seen.jobs(),
                gradient,
                own);
    }

    @Override
    public double doubt(Forecast a, Forecast b) {
        if (a.lanes() == b.lanes()) {
            return 0;
        }
        double[] difference = a.gradient().clone();
        for (int i = 0; i < difference.length; i++) {
            difference[i] -= b.gradient()[i];
        }
        return Math.sqrt(belief.variance(difference) + a.own() + b.own());
    }
}
