package dev.evener.model;

import dev.evener.DeviceInfo;
import dev.evener.Report.DeviceUse;
import dev.evener.policy.CostModel;
import dev.evener.policy.LaneSet;
import dev.evener.policy.Snapshot;
import dev.evener.policy.WorkProfile;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What was known of one kind of job, on certain lanes and at one size, at one moment. Immutable. */
public final class HistorySnapshot implements CostModel {
    private static final double SURE = 2;

    private final Beliefs beliefs;
    private final double[] toLook; // jobs, by lane
    /** Lanes of which counts what was seen: not of one that was late and is due to be looked at. */
    private final LaneSet believed;

    private final double[] mostPerUnit; // logarithm, by lane; infinite if nothing is known
    private final LaneSet doubtful; // how much of what their chunks took is fixed, or they were late
    private final KernelHistory kernel; // a copy of what is needed
    private final LaneModel[] lanes;
    private final @Nullable SetModel unseen; // what one that was never seen is expected to be like
    private final boolean form; // whether such jobs have one of their own for one device
    private final Company[] alone; // each lane as a set of its own
    private final JobHistory of;
    private final double units;
    private final boolean known;
    private final long jobs;
    private final WorkProfile profile;
    private final Exploration exploration;
    private final double[] busy;
    private final @Nullable DeviceUse[] idle; // by lane, as they are asked for
    private final double[] nanosPerByte; // by lane

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
        LaneModel[] present = new LaneModel[of.lanes()];
        Arrays.setAll(present, of::lane);
        this.toLook = new double[present.length];
        Arrays.setAll(toLook, i -> present[i].late.jobsToLook(units));
        this.believed =
                LaneSet.where(present.length, i -> present[i].isKnown() && (!present[i].late.any() || toLook[i] > 0));
        this.mostPerUnit = new double[present.length];
        Arrays.setAll(
                mostPerUnit, i -> present[i].late.any() ? present[i].late.logPerUnit() : present[i].fit.mostPerUnit());
        this.doubtful = LaneSet.where(present.length, i -> present[i].late.any() || present[i].fit.isOfOneSize());
        this.beliefs = new Beliefs(of, kernel, present, Math.log(units), null, believed::has);
        this.profile = kernel.profile.profile();
        this.exploration = new Exploration(kernel.spentNanos, kernel.totalNanos, kernel.jobs - kernel.lastLook);
        this.kernel = kernel.ofSets();
        this.unseen = this.kernel.unseen();
        this.form = kernel.hasForm();
        this.lanes = new LaneModel[present.length];
        Arrays.setAll(lanes, i -> present[i].copy());
        this.alone = new Company[lanes.length];
        Arrays.setAll(alone, i -> new Company(LaneSet.of(i)));
        this.busy = busy;
        this.idle = new DeviceUse[lanes.length];
        this.nanosPerByte = of.nanosPerByte();
    }

    /**
     * A lane's part in the report of a job in which it did nothing, and what the job would take it alone. Any thread.
     */
    public DeviceUse idle(int lane) {
        DeviceUse its = idle[lane];
        if (its == null) {
            DeviceInfo by = of.list.get(lane);
            Forecast alone = known && lanes[lane].chunks > 0 ? forecast(LaneSet.of(lane)) : null;
            long nanos = alone == null ? 0 : Math.round(alone.nanos() - alone.awayNanos());
            its = new DeviceUse(
                    by.id(), by.name(), by.kind(), 0, 0, 0, 0, 0, 0, 0, 0, 0, Map.of(), Map.of(), Map.of(), nanos);
            idle[lane] = its;
        }
        return its;
    }

    @Override
    public long jobsToLook(int lane) {
        return (long) toLook[lane];
    }

    @Override
    public double mostNanosPerUnit(int lane) {
        return mostPerUnit[lane] < Double.POSITIVE_INFINITY ? Math.exp(mostPerUnit[lane]) : 0;
    }

    @Override
    public Forecast moving(Forecast f, Supplier<long[]> shares, Snapshot.Placement data) {
        double all = 0;
        double perJob = 0;
        long[] granules = {};
        for (int i = 0; known && i < nanosPerByte.length; i++) {
            if (nanosPerByte[i] > 0 && f.work()[i] > 0) {
                granules = granules.length == 0 ? shares.get() : granules;
                long first = Arrays.stream(granules, 0, i).sum();
                Snapshot.Move move = data.move(i, first, granules[i]);
                all = Math.max(all, nanosPerByte[i] * move.onceBytes());
                perJob = Math.max(perJob, nanosPerByte[i] * move.perJobBytes());
            }
        }
        if (all == 0) {
            return f;
        }
        double n = f.nanos() + perJob;
        return new Forecast(
                f.lanes(), n, f.awayNanos(), f.doubt(), f.contention(), f.work(), f.jobs(), f.gradient(), f.own(), all);
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
                beliefs.launch[lane] + beliefs.fixedNanos[lane],
                Math.exp(beliefs.perUnit[lane] + alone[lane].gap[0]),
                Math.sqrt(beliefs.varianceOfPerUnit[lane] + alone[lane].doubt[0]),
                believed.has(lane) ? lanes[lane].chunks : 0);
    }

    /**
     * What a lane of a set takes in a phase, and how far a chunk may be from it.
     *
     * @param set of lanes, this one among them
     */
    public LaneEstimate.Prior prior(int lane, int phase, LaneSet set) {
        Company its = of(set);
        int m = Arrays.binarySearch(its.members, lane);
        double perUnit = beliefs.perUnit[lane] + its.gap[m];
        double variance = Math.min(LaneModel.UNKNOWN, beliefs.varianceOfPerUnit[lane] + its.doubt[m]);
        LaneModel of = lanes[lane];
        return new LaneEstimate.Prior(
                beliefs.launch[lane],
                beliefs.fixed[lane] + its.gap[m],
                beliefs.varianceOfFixed[lane],
                perUnit + Math.log(of.phaseParts[phase]),
                variance,
                (doubtful.has(lane) ? mostPerUnit[lane] : Double.POSITIVE_INFINITY)
                        + its.gap[m]
                        + Math.log(of.phaseParts[phase]),
                of.noise,
                of.overrun,
                known);
    }

    private Company of(LaneSet set) {
        return set.size() == 1 ? alone[set.first()] : new Company(set);
    }

    /** Lanes in a set: by how much longer a unit takes each than where it was last, as a logarithm, and the variance of that. */
    private final class Company {
        final int[] members; // in lane order, as are the others
        final double[] gap;
        final double[] doubt;
        final int place;

        Company(LaneSet set) {
            int size = set.size();
            members = new int[size];
            gap = new double[size];
            doubt = new double[size];
            long key = 0;
            for (int i = 0, m = 0; m < size; i++) {
                if (set.has(i)) {
                    members[m++] = i;
                    key += of.key(i);
                }
            }
            place = kernel.find(key);
            double eFolds = 0;
            for (int m = 0, home = 0; known && m < size; m++) {
                LaneModel lane = lanes[members[m]];
                if (!lane.isKnown()) { // of which is believed what others take where they are
                    double its = Math.log(size) - beliefs.home[members[m]];
                    gap[m] = kernel.sharing * its;
                    doubt[m] = its * its * kernel.sharingVariance;
                    continue;
                }
                if (home != kernel.homeSize(lane, size)) { // mostly that of the lane before
                    home = kernel.homeSize(lane, size);
                    eFolds = kernel.eFolds(lane, size);
                }
                gap[m] = kernel.gap(lane, place, eFolds);
                doubt[m] = kernel.doubtOfGap(lane, place, size, eFolds, form);
            }
        }
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
        Company its = of(set);
        int[] members = its.members;
        int count = members.length; // what follows is by the place of a lane among them
        double[] perUnit = new double[count];
        double[] fixed = new double[count];
        double[] longer = new double[count]; // is fixed in the mean of what may be than most probably
        double speed = 0;
        for (int m = 0; m < count; m++) {
            int i = members[m];
            double c = beliefs.perUnit[i] + its.gap[m];
            double f = beliefs.fixed[i] + its.gap[m];
            double begins = beliefs.launch[i] + beliefs.delay[i];
            if (i == hopeful) {
                Beliefs.Like like = beliefs.like[i];
                c -= (lanes[i].isKnown() ? 1 : SURE) * Math.sqrt(beliefs.varianceOfPerUnit[i]);
                c = Math.min(c, like.perUnit() + its.gap[m]);
                f -= SURE * Math.sqrt(beliefs.varianceOfFixed[i]);
                f = Math.min(f, like.fixed() + its.gap[m]);
                double launch = beliefs.launch[i] * Math.exp(-SURE / Math.sqrt((double) (1 + lanes[i].chunks)));
                begins = Math.min(launch, like.launch()) + Math.min(beliefs.delay[i], like.delay());
            }
            perUnit[m] = Math.exp(c);
            if (known) {
                double mostly = Math.exp(f);
                longer[m] = i == hopeful ? 0 : mostly * beliefs.fixedLonger[i];
                fixed[m] = begins + mostly + longer[m] + busy[i];
            }
            speed += 1 / perUnit[m];
        }
        // What was seen to take so long takes so long: if more is fixed, units take less.
        for (int m = 0; m < count; m++) {
            if (longer[m] > 0) {
                double chunk = Math.max(beliefs.largest[members[m]], units / perUnit[m] / speed);
                perUnit[m] -= Math.min(perUnit[m] / 2, longer[m] / chunk);
            }
        }
        boolean[] late = late(units, perUnit, fixed);
        double rates = 0;
        double undone = 0;
        int helping = 0;
        for (int m = 0; m < count; m++) {
            rates += late[m] ? 0 : 1 / perUnit[m];
            undone += late[m] ? 0 : fixed[m] / perUnit[m];
            helping += late[m] ? 0 : 1;
        }
        double time = (units + undone) / rates;
        double[] work = new double[lanes.length];
        double[] weights =
                new double[3 * count]; // of what a unit takes, of what is fixed; and the variance of the gaps
        double variance = 0;
        double contention = 0;
        double away = 0;
        for (int m = 0; m < count; m++) {
            int i = members[m];
            if (!late[m]) {
                // All of it where what is fixed is so much that adding what the units take changes nothing.
                work[i] = helping == 1 ? units : Math.max(0, (time - fixed[m]) / perUnit[m]);
                double inWork = work[i] / rates / time;
                weights[m] = inWork;
                double inFixed = known ? beliefs.fixedNanos[i] / perUnit[m] / rates / time : 0;
                weights[count + m] = inFixed;
                weights[2 * count + m] = inWork == 0 ? 0 : inWork * inWork * its.doubt[m];
                variance += inWork * inWork * (beliefs.varianceOfPerUnit[i] + its.doubt[m])
                        + inFixed * inFixed * beliefs.varianceOfFixed[i];
                contention += work[i] / units * Math.exp(its.gap[m] - alone[i].gap[0]);
                away += known ? busy[i] / perUnit[m] / rates : 0;
            }
        }
        SetModel seen = its.place < 0 ? null : kernel.sets.get(its.place);
        double own = seen == null ? LaneModel.ALIKE : seen.variance(time - away);
        double more = hopeful < 0 ? SetModel.more(seen, unseen, time - away) : 1;
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
                own,
                0);
    }

    /** Which lanes could not help, as the others are done before they have begun. */
    private static boolean[] late(double units, double[] perUnit, double[] fixed) {
        boolean[] late = new boolean[fixed.length];
        for (int left = fixed.length; ; left--) {
            double rates = 0;
            double undone = 0;
            int latest = -1;
            for (int m = 0; m < fixed.length; m++) {
                if (!late[m]) {
                    rates += 1 / perUnit[m];
                    undone += fixed[m] / perUnit[m];
                    latest = latest < 0 || fixed[m] > fixed[latest] ? m : latest;
                }
            }
            if (fixed[latest] < (units + undone) / rates || left == 1) {
                return late;
            }
            late[latest] = true; // without it the others are done earlier, and more may be too late
        }
    }

    @Override
    public double doubt(Forecast a, Forecast b) {
        if (a.lanes().equals(b.lanes())) {
            return 0;
        }
        double[] ofA = a.gradient();
        double[] ofB = b.gradient();
        int countA = ofA.length / 3;
        int countB = ofB.length / 3;
        double variance = a.own() + b.own();
        for (int i = 0, inA = 0, inB = 0; inA < countA || inB < countB; i++) {
            boolean isInA = a.lanes().has(i);
            boolean isInB = b.lanes().has(i);
            if (isInA || isInB) {
                double unit = (isInA ? ofA[inA] : 0) - (isInB ? ofB[inB] : 0);
                double fixed = (isInA ? ofA[countA + inA] : 0) - (isInB ? ofB[countB + inB] : 0);
                variance += unit * unit * beliefs.varianceOfPerUnit[i];
                variance += fixed * fixed * beliefs.varianceOfFixed[i];
                variance += isInA ? ofA[2 * countA + inA++] : 0;
                variance += isInB ? ofB[2 * countB + inB++] : 0;
            }
        }
        return Math.sqrt(variance);
    }
}
