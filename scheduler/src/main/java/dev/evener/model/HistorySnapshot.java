package dev.evener.model;

import dev.evener.policy.CostModel;
import dev.evener.policy.LaneSet;
import dev.evener.policy.WorkProfile;
import java.util.Arrays;

/** What was known of one kind of job, on certain lanes and at one size, at one moment. Immutable. */
public final class HistorySnapshot implements CostModel {
    private static final double SURE = 2;

    private final Beliefs beliefs;
    private final KernelHistory kernel; // a copy of what is needed
    private final LaneModel[] lanes;
    private final int[] alone; // the place of each lane as a set of its own
    private final JobHistory of;
    private final double units;
    private final boolean known;
    private final long jobs;
    private final WorkProfile profile;
    private final Exploration exploration;
    private final double[] busy;

    /**
     * Made while the kernel is locked.
     *
     * @param busy how long each lane works for other jobs first, in nanoseconds
     */
    HistorySnapshot(JobHistory of, KernelHistory kernel, double units, double[] busy) {
        this.of = of;
        this.units = units;
        this.known = kernel.known;
        this.jobs = kernel.jobs;
        this.beliefs = new Beliefs(of, kernel, Math.log(units), null);
        this.profile = kernel.profile.profile();
        this.exploration = new Exploration(kernel.spentNanos, kernel.totalNanos, kernel.jobs - kernel.lastLook);
        this.kernel = kernel.ofSets();
        this.lanes = new LaneModel[of.lanes()];
        Arrays.setAll(lanes, i -> of.lane(i).copy());
        this.alone = new int[lanes.length];
        Arrays.setAll(alone, i -> kernel.find(of.key(i)));
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
                beliefs.launch[lane] + Math.exp(beliefs.fixed[lane]),
                Math.exp(beliefs.perUnit[lane] + gap(lane, alone[lane], 1)),
                Math.sqrt(beliefs.varianceOfPerUnit[lane] + doubtOfGap(lane, alone[lane], 1)),
                lanes[lane].chunks);
    }

    /**
     * What a lane of a set takes in a phase, and how far a chunk may be from it.
     *
     * @param set of lanes, this one among them
     */
    public LaneEstimate.Prior prior(int lane, int phase, LaneSet set) {
        int place = kernel.find(of.key(set));
        double gap = gap(lane, place, set.size());
        return new LaneEstimate.Prior(
                beliefs.launch[lane],
                beliefs.fixed[lane] + gap,
                beliefs.varianceOfFixed[lane],
                beliefs.perUnit[lane] + gap + Math.log(lanes[lane].phaseParts[phase]),
                Math.min(LaneModel.UNKNOWN, beliefs.varianceOfPerUnit[lane] + doubtOfGap(lane, place, set.size())),
                lanes[lane].noise,
                lanes[lane].overrun,
                known);
    }

    private double gap(int lane, int place, int size) {
        if (!known) {
            return 0;
        }
        return lanes[lane].isKnown() ? kernel.gap(lanes[lane], place, size) : kernel.sharing * eFolds(lane, size);
    }

    private double doubtOfGap(int lane, int place, int size) {
        if (!known) {
            return 0;
        }
        double eFolds = eFolds(lane, size);
        return lanes[lane].isKnown()
                ? kernel.doubtOfGap(lanes[lane], place, size, of.hasForm())
                : eFolds * eFolds * kernel.sharingVariance;
    }

    /** Of a lane that was never seen, of which is believed what others take where they are. */
    private double eFolds(int lane, int size) {
        return Math.log(size) - beliefs.home[lane];
    }

    /**
     * The time T after which lanes are done that are given their parts so that all finish together: {@code sum of
     * max(0, (T - fixed_i) / perUnit_i) = units}, and what a job takes beyond that. What a lane is busy with before is a part of what
     * is fixed. It makes the set lose the mean of these times, weighted by the lanes' speeds, and is not what the set learnt.
     */
    @Override
    public Forecast forecast(LaneSet set) {
        return forecast(set, -1);
    }

    @Override
    public Forecast forecast(LaneSet set, int hopeful) {
        int count = lanes.length;
        int place = kernel.find(of.key(set));
        int size = set.size();
        double[] perUnit = new double[count];
        double[] fixed = new double[count];
        double[] longer = new double[count]; // is fixed in the mean of what may be than most probably
        double speed = 0;
        for (int i = 0; i < count; i++) {
            if (set.has(i)) {
                double gap = gap(i, place, size);
                double c = beliefs.perUnit[i] + gap;
                double f = beliefs.fixed[i] + gap;
                if (i == hopeful) {
                    c -= (lanes[i].isKnown() ? 1 : SURE) * Math.sqrt(beliefs.varianceOfPerUnit[i]);
                    f -= SURE * Math.sqrt(beliefs.varianceOfFixed[i]);
                }
                perUnit[i] = Math.exp(c);
                double its = known ? Math.exp(f) : 0;
                longer[i] = i == hopeful || !known ? 0 : its * Math.expm1(beliefs.varianceOfFixed[i] / 2);
                double launch = beliefs.launch[i]
                        * (i == hopeful ? Math.exp(-SURE / Math.sqrt((double) (1 + lanes[i].chunks))) : 1);
                fixed[i] = known ? launch + its + longer[i] + beliefs.delay[i] + busy[i] : 0;
                speed += 1 / perUnit[i];
            }
        }
        // What was seen to take so long takes so long: if more is fixed, units take less.
        for (int i = 0; i < count; i++) {
            if (longer[i] > 0) {
                double chunk = Math.max(beliefs.largest[i], units / perUnit[i] / speed);
                perUnit[i] -= Math.min(perUnit[i] / 2, longer[i] / chunk);
            }
        }
        LaneSet in = set;
        double time;
        double rates;
        while (true) {
            rates = 0;
            double late = 0;
            int latest = -1;
            for (int i = 0; i < count; i++) {
                if (in.has(i)) {
                    rates += 1 / perUnit[i];
                    late += fixed[i] / perUnit[i];
                    latest = latest < 0 || fixed[i] > fixed[latest] ? i : latest;
                }
            }
            time = (units + late) / rates;
            if (fixed[latest] < time || in.size() == 1) {
                break;
            }
            in = in.without(latest); // without it the others are done earlier, and more may be too late
        }
        double[] work = new double[count];
        double[] weights = new double[2 * count]; // of what a unit takes, and of what is fixed
        double variance = 0;
        double contention = 0;
        double away = 0;
        for (int i = 0; i < count; i++) {
            if (in.has(i)) {
                work[i] = Math.max(0, (time - fixed[i]) / perUnit[i]);
                double inWork = work[i] / rates / time;
                weights[i] = inWork;
                double inFixed = known ? Math.exp(beliefs.fixed[i]) / perUnit[i] / rates / time : 0;
                weights[count + i] = inFixed;
                double gapVariance = doubtOfGap(i, place, size);
                variance += inWork * inWork * (beliefs.varianceOfPerUnit[i] + gapVariance)
                        + inFixed * inFixed * beliefs.varianceOfFixed[i];
                contention += work[i] / units * Math.exp(gap(i, place, size) - gap(i, alone[i], 1));
                away += known ? busy[i] / perUnit[i] / rates : 0;
            }
        }
        SetModel seen = place < 0 ? null : kernel.sets.get(place);
        SetModel like = seen != null ? seen : kernel.unseen();
        double own = seen == null ? LaneModel.ALIKE : seen.variance(time - away);
        double more = like == null ? 1 : seen == null ? Math.max(1, like.more(time - away)) : like.more(time - away);
        double nanos = (time - away) * more;
        if (seen != null && hopeful < 0) {
            nanos *= seen.correction(nanos, units, variance + own, kernel.jobs);
        }
        return new Forecast(
                set,
                known ? away + nanos : time,
                away,
                Math.sqrt(variance + own),
                contention,
                work,
                seen == null ? 0 : seen.jobs,
                weights,
                own);
    }

    @Override
    public double doubt(Forecast a, Forecast b) {
        if (a.lanes().equals(b.lanes())) {
            return 0;
        }
        int placeOfA = kernel.find(of.key(a.lanes()));
        int placeOfB = kernel.find(of.key(b.lanes()));
        int sizeOfA = a.lanes().size();
        int sizeOfB = b.lanes().size();
        double variance = a.own() + b.own();
        for (int i = 0; i < lanes.length; i++) {
            double inA = a.gradient()[i];
            double inB = b.gradient()[i];
            variance += (inA - inB) * (inA - inB) * beliefs.varianceOfPerUnit[i];
            double fixed = a.gradient()[lanes.length + i] - b.gradient()[lanes.length + i];
            variance += fixed * fixed * beliefs.varianceOfFixed[i];
            variance += inA == 0 ? 0 : inA * inA * doubtOfGap(i, placeOfA, sizeOfA);
            variance += inB == 0 ? 0 : inB * inB * doubtOfGap(i, placeOfB, sizeOfB);
        }
        return Math.sqrt(variance);
    }
}
