package dev.evener.model;

import dev.evener.policy.LaneSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one kind of job, whatever its size: its devices, what jobs on sets of them take beyond that, where its work is, and what
 * looks have cost. Guarded by itself: whoever reads or writes it, or anything in it, synchronizes on it.
 */
final class KernelHistory {
    /** Sets of devices that are remembered. */
    static final int MOST_SETS = 32;

    /** Declarations that are remembered. */
    static final int MOST_PASSED = 8;
    /**
     * Lanes take between 1 and |S| times as long together as alone. Were anything between as likely, on the logarithm's scale, the mean
     * were a half and the variance a twelfth. As devices are made to work side by side, the mean is rather less.
     */
    private static final double SHARING = 0.35;

    private static final double SHARING_VARIANCE = 1.0 / 12;

    /** Key of the set of no devices: the place of one that was forgotten. */
    private static final long NOBODY = 0;

    /** A job's form for one device is another program: within a factor of 1.6. */
    private static final double FORM_VARIANCE = 0.5 * 0.5;

    final List<JobKey.Phase> phases;
    final TreeMap<String, LaneModel> lanes = new TreeMap<>(); // by device
    ProfileEstimate profile = new ProfileEstimate();
    /** Sets that ran, each at its place; of many the one that ran longest ago gives its place to a new one. */
    final List<SetModel> sets = new ArrayList<>();

    /** {@linkplain JobKey#declaration Declarations} that were seen to be kept. */
    final Set<String> passed = new TreeSet<>();

    /** How devices slow each other down, for each e-fold of lanes: 0 if nothing is shared, 1 if everything is. */
    double sharing = SHARING;

    double sharingVariance = SHARING_VARIANCE;

    boolean known; // whether anything was seen that tells nanoseconds
    boolean late; // whether any lane ever was
    long jobs;
    long lastLook; // number of the job; at first the first
    double totalNanos; // that jobs took
    double spentNanos; // of these, by which looks took longer than the best set would have

    /** What is known on lanes of runtimes, those asked for last in front; guarded by the history, which keeps it. */
    final List<JobHistory> views = new ArrayList<>(1);

    /** Where its file had it when it was read or written last; guarded by the file. */
    HistoryFile.@Nullable Line line;

    /** When it last learnt, in milliseconds since 1970: of two processes' evidence the newer is kept. */
    long updatedMillis;

    KernelHistory(List<JobKey.Phase> phases) {
        this.phases = List.copyOf(phases);
    }

    /** What is known of a device. */
    LaneModel lane(String device) {
        LaneModel known = lanes.get(device);
        return known != null ? known : lanes.computeIfAbsent(device, d -> new LaneModel(phases.size()));
    }

    /** Whether nothing was seen yet. */
    synchronized boolean isUnknown() {
        return jobs == 0 && !known;
    }

    /** Takes jobs of several steps that none has run for like their steps, on the devices that have run each of these as a job of its own. */
    void beginLike(List<KernelHistory> steps) {
        Map<String, List<LaneModel>> theirs = new TreeMap<>();
        double took = 0;
        for (KernelHistory step : steps) {
            synchronized (step) {
                step.lanes.forEach((device, lane) -> {
                    if (lane.isOnTime()) {
                        LaneModel copy = new LaneModel(1);
                        copy.restore(lane.state());
                        copy.chunks = lane.chunks;
                        theirs.computeIfAbsent(device, each -> new ArrayList<>())
                                .add(copy);
                    }
                });
                took += step.totalNanos / steps.size();
            }
        }
        theirs.values().removeIf(each -> each.size() < steps.size());
        synchronized (this) {
            if (isUnknown() && !theirs.isEmpty()) {
                theirs.forEach((device, each) -> lanes.put(device, LaneModel.ofSteps(each)));
                totalNanos = took;
                known = true;
            }
        }
    }

    /** A copy of what is known of sets alone. */
    KernelHistory ofSets() {
        KernelHistory copy = new KernelHistory(phases);
        sets.forEach(set -> copy.sets.add(set.copy()));
        copy.sharing = sharing;
        copy.sharingVariance = sharingVariance;
        copy.jobs = jobs;
        return copy;
    }

    /**
     * What a device is like in this kind of job, as logarithms: kinds differ less than devices do.
     *
     * @param fixed of what a chunk takes whatever its size
     * @param perUnit of what a unit takes; NaN if that is hardly known, as all that was seen may be fixed
     * @param launch of a chunk, in nanoseconds
     * @param delay of the lane's first chunk, in nanoseconds
     */
    record Trait(double fixed, double perUnit, double launch, double delay) {}

    /** What is known of devices, for kinds that are new. */
    Map<String, Trait> traits() {
        Map<String, Trait> traits = new HashMap<>();
        lanes.forEach((device, lane) -> {
            if (lane.isKnown()) {
                boolean sure = lane.fit.varianceOfPerUnit() < LaneModel.OTHER_KIND;
                double perUnit = sure ? lane.fit.logPerUnit() : Double.NaN;
                traits.put(device, new Trait(lane.fit.logFixed(), perUnit, lane.launch, lane.delay));
            }
        });
        return traits;
    }

    /** Whether such jobs have a form of their own for one device. */
    boolean hasForm() {
        return phases.get(0).shape().contains(JobKey.FORM);
    }

    /**
     * By how much longer chunks of one size take one device than another in sets of one size, as a logarithm; NaN if that is not known to a tenth.
     */
    double longer(String device, String other) {
        LaneModel one = lanes.get(device);
        LaneModel two = lanes.get(other);
        if (one == null || two == null || !one.isKnown() || !two.isKnown()) {
            return Double.NaN;
        }
        int size = homeSize(two, 1);
        double x = Math.min(one.fit.logLargest(), two.fit.logLargest());
        double doubt = one.fit.variance(x, 0)
                + two.fit.variance(x, 0); // as it was seen: neither fades while the other is used
        double eFolds = eFolds(one, size);
        if (doubt + eFolds * eFolds * sharingVariance + (hasForm() && eFolds != 0 ? FORM_VARIANCE : 0)
                > LaneModel.ALIKE) {
            return Double.NaN;
        }
        double its = Math.exp(one.fit.expected(x, 0) + sharing * eFolds) + one.launch;
        return Math.log(its / (Math.exp(two.fit.expected(x, 0)) + two.launch));
    }

    /** The place of a set, or -1. */
    int find(long key) {
        for (int i = 0; i < sets.size(); i++) {
            if (sets.get(i).key == key) {
                return i;
            }
        }
        return -1;
    }

    /** The place of a set of the lanes of a runtime, which it gets if it has none. */
    int place(JobHistory of, LaneSet lanes) {
        int known = find(of.key(lanes));
        if (known >= 0) {
            sets.get(known).seenAt = jobs;
            return known;
        }
        SetModel set = new SetModel(of.key(lanes), of.devices(lanes));
        set.seenAt = jobs; // whether or not the job tells what the set takes
        set.learnFrom(unseen());
        int free = find(NOBODY);
        if (free < 0 && sets.size() < MOST_SETS) {
            sets.add(set);
            return sets.size() - 1;
        }
        int oldest = Math.max(0, free);
        for (int i = 0; i < sets.size() && free < 0; i++) {
            oldest = sets.get(i).seenAt < sets.get(oldest).seenAt ? i : oldest;
        }
        int place = oldest;
        sets.set(place, set);
        this.lanes.values().forEach(lane -> lane.forget(place));
        return place;
    }

    /**
     * A device was never seen, and neither were sets that it was in. Their places are kept, as lanes count by them, until they are needed.
     *
     * @return whether anything was known of it
     */
    boolean forget(String device) {
        boolean known = lanes.remove(device) != null;
        for (int i = 0; i < sets.size(); i++) {
            if (sets.get(i).devices.contains(device)) {
                int place = i;
                sets.set(place, new SetModel(NOBODY, List.of()));
                lanes.values().forEach(lane -> lane.forget(place));
                known = true;
            }
        }
        return known;
    }

    /** The set that is used most, which tells what one that was never seen takes more; null if there is none. */
    @Nullable
    SetModel unseen() {
        SetModel most = null;
        for (SetModel each : sets) {
            most = most == null || each.jobs > most.jobs ? each : most;
        }
        return most;
    }

    /**
     * By how much longer a unit takes a lane in a set than at its home, as a logarithm.
     *
     * @param eFolds by which the set is {@linkplain #eFolds larger}
     */
    double gap(LaneModel lane, int set, double eFolds) {
        return lane.wasIn(set) ? lane.gap(set) : sharing * eFolds;
    }

    /**
     * Variance of that.
     *
     * @param eFolds by which the set is {@linkplain #eFolds larger}
     * @param form whether jobs on one device run in a form of their own
     */
    double doubtOfGap(LaneModel lane, int set, int size, double eFolds, boolean form) {
        if (lane.wasIn(set)) {
            return lane.doubtOfGap(set, (double) jobs);
        }
        boolean other = form && (size == 1) != (homeSize(lane, size) == 1);
        return eFolds * eFolds * sharingVariance + 2 * LaneModel.ALIKE + (other ? FORM_VARIANCE : 0);
    }

    /** Logarithm of how many times more lanes a set has than a lane's home. */
    double eFolds(LaneModel lane, int size) {
        return Math.log(size / (double) homeSize(lane, size));
    }

    /** How many lanes the set has that a lane was in last; another number if nobody knows. */
    int homeSize(LaneModel lane, int otherwise) {
        return lane.isKnown() && lane.home < sets.size()
                ? sets.get(lane.home).devices.size()
                : otherwise;
    }

    /** A lane was seen in two sets of different size. */
    void learnSharing(double gap, double eFolds, double variance) {
        double its = (variance + LaneModel.ALIKE) / (eFolds * eFolds);
        double gain = sharingVariance / (sharingVariance + its);
        sharing = Math.max(0, Math.min(1, sharing + gain * (gap / eFolds - sharing)));
        sharingVariance = Math.max(1e-4, sharingVariance * (1 - gain));
    }

    /** Whether it learnt later; within one millisecond more is later. */
    boolean isNewerThan(KernelHistory other) {
        return updatedMillis > other.updatedMillis || (updatedMillis == other.updatedMillis && jobs > other.jobs);
    }

    /** Takes over what another process learnt later. */
    void replaceBy(KernelHistory newer) {
        lanes.clear();
        lanes.putAll(newer.lanes);
        sets.clear();
        sets.addAll(newer.sets);
        profile = newer.profile;
        sharing = newer.sharing;
        sharingVariance = newer.sharingVariance;
        known = newer.known;
        jobs = newer.jobs;
        lastLook = newer.lastLook;
        totalNanos = newer.totalNanos;
        spentNanos = newer.spentNanos;
        updatedMillis = newer.updatedMillis;
    }

    /** What it consists of beside its parts, for the file. */
    double[] state() {
        return new double[] {sharing, sharingVariance, jobs, jobs - lastLook, totalNanos, spentNanos};
    }

    /** Goes on from a state; numbers that no observation leads to become the nearest that one does. */
    void restore(double[] state) {
        known = true;
        sharing = Math.max(0, Math.min(1, state[0]));
        sharingVariance = Math.max(1e-4, Math.min(SHARING_VARIANCE, state[1]));
        jobs = (long) Math.max(1, Math.min(1e15, state[2]));
        lastLook = jobs - (long) Math.max(0, Math.min(1e15, state[3]));
        totalNanos = Math.abs(state[4]);
        spentNanos = Math.abs(state[5]);
    }
}
