package dev.evener.history;

import dev.evener.policy.CostModel;
import dev.evener.policy.WorkProfile;
import java.util.Arrays;
import java.util.Map;

/** What was known of one kind of job, on certain lanes and at one size, at one moment. Immutable. */
public final class HistorySnapshot implements CostModel {
    private final JobHistory of;
    private final Belief belief;
    private final JobHistory.Places places;
    private final double units;
    private final boolean known;
    private final long jobs;
    private final WorkProfile profile;
    private final Exploration exploration;
    private final Map<String, SizeModel.Tail> tails; // by set
    private final SizeModel.Tail unseen;
    private final double[][] delays;
    private final double[][] phaseParts;
    private final double[] noise;
    private final double[] launch;
    private final long[] chunks;

    /** Made while the kernel is locked. */
    HistorySnapshot(JobHistory of, KernelHistory kernel, SizeModel size, JobHistory.Places places, double units) {
        this.of = of;
        this.belief = size.belief;
        this.places = places;
        this.units = units;
        this.known = size.known;
        this.jobs = size.jobs;
        this.profile = kernel.profile.profile();
        this.exploration = new Exploration(size.spentNanos, size.totalNanos, size.jobs - size.lastLook);
        int lanes = of.lanes();
        this.delays = new double[lanes][];
        this.phaseParts = new double[lanes][];
        this.noise = new double[lanes];
        this.launch = new double[lanes];
        this.chunks = new long[lanes];
        for (int i = 0; i < lanes; i++) {
            KernelHistory.Lane lane = of.lane(i);
            delays[i] = lane.delays.clone();
            phaseParts[i] = lane.phaseParts.clone();
            noise[i] = lane.noise;
            launch[i] = lane.launch;
            chunks[i] = lane.chunks;
        }
        this.tails = Map.copyOf(size.tails);
        this.unseen = size.expectedTail(0);
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
                Math.exp(log(lane, 1L << lane)),
                Math.sqrt(variance(lane, 1L << lane)),
                chunks[lane]);
    }

    /** What a lane of a set takes in a phase, and how far a chunk may be from it. */
    public LaneEstimate.Prior prior(int lane, int phase, long set) {
        double part = phaseParts[lane][Math.min(phase, phaseParts[lane].length - 1)];
        int start = places.start()[lane];
        double startOfAll = Math.exp(belief.mean(start)) / fixed(lane);
        return new LaneEstimate.Prior(
                fixed(lane),
                startOfAll * startOfAll * belief.covariance(start, start) + noise[lane],
                part * Math.exp(log(lane, set)),
                Math.min(SizeModel.CLASS_VARIANCE, variance(lane, set) + noise[lane]),
                noise[lane],
                known);
    }

    /** What a chunk costs beside its units: the launch, and what it takes on the device. */
    private double fixed(int lane) {
        return launch[lane] + Math.exp(belief.mean(places.start()[lane]));
    }

    private double log(int lane, long set) {
        double sum = belief.mean(places.scale())
                + belief.mean(places.ofClass()[lane])
                + belief.mean(places.ofDevice()[lane]);
        int lanes = Long.bitCount(set);
        if (lanes > 1) {
            sum += Math.log(lanes) * belief.mean(places.sharing());
            int company = company(lane, set);
            sum += company >= 0 ? belief.mean(company) : 0;
        }
        return sum;
    }

    private int company(int lane, long set) {
        return belief.find(of.companyTerm(set, lane));
    }

    private double variance(int lane, long set) {
        double[] row = new double[belief.size()];
        return add(row, lane, set, 1) + belief.variance(row);
    }

    /** Adds a lane's terms to a row; returns the variance of those that the belief does not have. */
    private double add(double[] row, int lane, long set, double factor) {
        row[places.scale()] += factor;
        row[places.ofClass()[lane]] += factor;
        row[places.ofDevice()[lane]] += factor;
        int lanes = Long.bitCount(set);
        if (lanes > 1) {
            row[places.sharing()] += factor * Math.log(lanes);
            int company = company(lane, set);
            if (company < 0) {
                return factor * factor * SizeModel.SET_VARIANCE;
            }
            row[company] += factor;
        }
        return 0;
    }

    /**
     * The time T after which lanes are done that are given their parts so that all finish together: {@code sum of
     * max(0, (T - fixed_i) / perUnit_i) = units}, and what a job takes beyond that.
     */
    @Override
    public Forecast forecast(long set) {
        int lanes = delays.length;
        double[] perUnit = new double[lanes];
        double[] fixed = new double[lanes];
        for (int i = 0; i < lanes; i++) {
            if ((set >>> i & 1) == 1) {
                perUnit[i] = Math.exp(log(i, set));
                fixed[i] = known
                        ? fixed(i) + delays[i][Long.bitCount(set) == 1 ? 0 : 1]
                        : 0;
            }
        }
        long in = set;
        double time;
        double rates;
        while (true) {
            rates = 0;
            double late = 0;
            for (int i = 0; i < lanes; i++) {
                if ((in >>> i & 1) == 1) {
                    rates += 1 / perUnit[i];
                    late += fixed[i] / perUnit[i];
                }
            }
            time = (units + late) / rates;
            // Without the lane that would begin latest the others are done earlier, and more may be too late.
            int latest = -1;
            for (int i = 0; i < lanes; i++) {
                if ((in >>> i & 1) == 1 && fixed[i] >= time && (latest < 0 || fixed[i] > fixed[latest])) {
                    latest = i;
                }
            }
            if (latest < 0 || Long.bitCount(in) == 1) {
                break;
            }
            in &= ~(1L << latest);
        }
        double[] work = new double[lanes];
        double[] gradient = new double[belief.size()];
        double own = 0;
        double contention = 0;
        for (int i = 0; i < lanes; i++) {
            if ((in >>> i & 1) == 1) {
                work[i] = Math.max(0, (time - fixed[i]) / perUnit[i]);
                double part = work[i] / rates / time; // of the time's logarithm, by that of a unit's
                own += add(gradient, i, set, part);
                double start = Math.exp(belief.mean(places.start()[i]));
                gradient[places.start()[i]] += known ? start / perUnit[i] / rates / time : 0;
                contention += work[i] / units * Math.exp(log(i, set) - log(i, 1L << i));
            }
        }
        SizeModel.Tail tail = tails.get(of.name(set));
        double more = tail != null ? tail.log() : Math.log1p(Math.max(0, unseen.nanos()) / time);
        own += tail != null ? tail.variance() : SizeModel.Tail.VARIANCE;
        return new Forecast(
                set,
                time * Math.exp(known ? more : 0),
                Math.sqrt(belief.variance(gradient) + own),
                contention,
                work,
                tail == null ? 0 : tail.jobs(),
                gradient,
                own);
    }

    @Override
    public double doubt(Forecast a, Forecast b) {
        if (a.lanes() == b.lanes()) {
            return 0;
        }
        double[] difference = Arrays.copyOf(a.gradient(), belief.size());
        for (int i = 0; i < difference.length; i++) {
            difference[i] -= b.gradient()[i];
        }
        return Math.sqrt(belief.variance(difference) + a.own() + b.own());
    }
}
