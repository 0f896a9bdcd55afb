package dev.evener.policy;

import dev.evener.policy.Decision.Candidate;
import dev.evener.policy.Experience.Outcome;
import dev.evener.policy.Snapshot.Cost;
import dev.evener.policy.Snapshot.LaneView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sets of lanes that a job may be given to, what each is expected to take, and the choice among them. Made for one
 * snapshot and thrown away.
 */
final class Prospects {
    /** Observations from which a set counts as measured: the first may hold start-up costs. */
    private static final int MEASURED = 2;
    /** Sets that are nearly as fast as the fastest are observed so often before one is preferred. */
    private static final int SETTLED = 5;

    private static final double NEARLY = 1.05;

    /** A trial must promise that much. */
    private static final double WORTH_TRYING = 0.98;
    /** How good a prediction from the lanes' own costs may turn out to be too bad. */
    private static final double MODEL_OFF = 0.8;
    /** How far a first observation may have been off. */
    private static final double FIRST_OFF = 0.5;
    /** How far one observation may have been off, for a set that was observed a few times; with n, by its n²-th part. */
    private static final double FEW_OFF = 2.4;
    /** How much worse contention may be than what was seen of it. */
    private static final double CONTENTION_OFF = 1.15;

    /** Bounds of what counts as better than the set in use, as a part of its time. */
    private static final double LEAST_MARGIN = 0.01;

    private static final double MOST_MARGIN = 0.04;
    /** The set in use may be so many times further behind. */
    private static final double HYSTERESIS = 1.5;
    /** In terms of the standard error of the two estimates. */
    private static final double MARGIN = 1.5;
    /** Observations that an estimate rests on at most, as it fades. */
    private static final long MEMORY = 20;

    /** Trials of sets that are behind cost this part of the time. */
    private static final double REGRET = 0.01;

    private static final double LEAST_INTERVAL = 50;
    private static final double MOST_GROWTH = 4;

    /** Lanes whose speeds differ less count as equally fast, so that their order does not change from job to job. */
    private static final double LIKE = Math.log(1.25);

    /** Jobs for which a plan holds once a set has been observed often enough. */
    private static final int REUSE_ALONE = 15;

    private static final int REUSE_TOGETHER = 3;
    private static final int SETTLED_FOR_REUSE = 10;

    private final Snapshot snapshot;
    private final List<LaneView> lanes;
    private final Experience experience;
    private final double units;
    private final long all;
    private final List<Prospect> prospects = new ArrayList<>();

    /** One set of lanes. */
    private static final class Prospect {
        final long set; // as a bit mask
        final long[] shares; // granules for each lane
        final double nanos; // expected
        final double least; // what it might take on an optimistic view
        final Outcome outcome; // what is known of it

        Prospect(long set, long[] shares, double nanos, double least, Outcome outcome) {
            this.set = set;
            this.shares = shares;
            this.nanos = nanos;
            this.least = least;
            this.outcome = outcome;
        }

        boolean measured() {
            return outcome.samples() >= MEASURED;
        }
    }

    /** @param snapshot with at least one granule */
    Prospects(Snapshot snapshot) {
        this.snapshot = snapshot;
        this.lanes = snapshot.lanes();
        this.experience = snapshot.experience();
        this.units = (double) snapshot.granules() * snapshot.unitsPerGranule();
        long available = 0;
        for (int i = 0; i < lanes.size(); i++) {
            available |= lanes.get(i).available() ? 1L << i : 0;
        }
        this.all = available != 0 ? available : (1L << lanes.size()) - 1;
    }

    /** The plan for the job. */
    Plan choose() {
        int stranger = stranger();
        if (stranger >= 0) {
            return introduce(stranger);
        }
        consider();
        Prospect best = fastestMeasured();
        if (best == null) {
            Prospect first = leastExpected();
            return plan(
                    first,
                    first.outcome.known()
                            ? "expected to be fastest from a first run or from other sizes"
                            : "expected to be fastest from what each device takes");
        }
        Prospect trial = trial(best);
        if (trial != null) {
            return plan(trial, "on trial: it may be the fastest");
        }
        Prospect chosen = stayOrSwitch(best);
        Prospect again = again(chosen);
        if (again != null) {
            return plan(
                    again,
                    "tried again after " + again.outcome.age() + " jobs: what was slower may have become faster");
        }
        return plan(
                        chosen,
                        chosen == best
                                ? "measured fastest"
                                : "in use, and none is measured faster by more than the noise")
                .reusable(reuse(chosen));
    }

    // ---- devices of which nothing is known ----

    /** A lane that never ran such a job; of several the one that should be fastest; -1 if there is none. */
    private int stranger() {
        int stranger = -1;
        for (int i = 0; i < lanes.size(); i++) {
            if (in(i, all)
                    && !Costs.usable(known(i))
                    && (stranger < 0
                            || lanes.get(i).weight() > lanes.get(stranger).weight())) {
                stranger = i;
            }
        }
        return stranger;
    }

    /** With the others, where chunks that begin small and stealing make up for a wrong guess; else alone. */
    private Plan introduce(int stranger) {
        boolean nobodyKnown = true;
        Cost[] costs = new Cost[lanes.size()];
        for (int i = 0; i < costs.length; i++) {
            costs[i] = known(i);
            nobodyKnown &= !in(i, all) || !Costs.usable(costs[i]);
        }
        // A lane that others robbed of its part before it began, twice, gets one where it cannot be.
        boolean together = snapshot.granules() >= Long.bitCount(all)
                && experience.outcome(all).samples() < MEASURED;
        long set = together ? all : 1L << stranger;
        long[] shares = shares(set, Costs.filled(lanes, costs));
        Apportion.keepAll(shares, set);
        Prospect only = new Prospect(set, shares, 0, 0, Outcome.UNKNOWN);
        prospects.add(only);
        return plan(
                only,
                nobodyKnown
                        ? "first run: nothing is known yet"
                        : "device " + lanes.get(stranger).id() + " has not run this yet");
    }

    // ---- the sets and what is expected of them ----

    private void consider() {
        int[] order = bySpeed();
        double contention = contention();
        long prefix = 0;
        for (int i = 0; i < order.length; i++) {
            consider(1L << order[i], contention);
            prefix |= 1L << order[i];
            if (i > 0) {
                consider(prefix, contention);
            }
        }
        long usual = experience.usual();
        if ((usual & ~all) == 0) {
            consider(usual, contention);
        }
    }

    /** The available lanes, the fastest first; lanes about equally fast in their own order. */
    private int[] bySpeed() {
        int[] order = new int[Long.bitCount(all)];
        long[] speed = new long[order.length];
        int n = 0;
        for (int i = 0; i < lanes.size(); i++) {
            if (in(i, all)) {
                long slow = Math.round(Math.log(known(i).predict(units)) / LIKE);
                int at = n++;
                for (; at > 0 && speed[at - 1] > slow; at--) {
                    order[at] = order[at - 1];
                    speed[at] = speed[at - 1];
                }
                order[at] = i;
                speed[at] = slow;
            }
        }
        return order;
    }

    /** By how much lanes slow each other down at most, as far as that is known; at least 1. */
    private double contention() {
        double most = 0;
        for (int i = 0; i < lanes.size(); i++) {
            Cost alone = experience.cost(i, 1L << i);
            Cost together = experience.cost(i, all);
            if (in(i, all) && Costs.usable(alone) && Costs.usable(together)) {
                most = Math.max(most, CONTENTION_OFF * together.predict(units) / alone.predict(units));
            }
        }
        // Lanes that share a core or the memory take turns at worst.
        int lanesInAll = Long.bitCount(all);
        return most > 0 ? Math.min(lanesInAll, Math.max(1, most)) : lanesInAll;
    }

    private void consider(long set, double contention) {
        if (set == 0 || Long.bitCount(set) > snapshot.granules()) {
            return;
        }
        for (Prospect p : prospects) {
            if (p.set == set) {
                return;
            }
        }
        Cost[] costs = new Cost[lanes.size()];
        Cost[] bestCosts = new Cost[lanes.size()];
        for (int i = 0; i < costs.length; i++) {
            costs[i] = Costs.firstUsable(experience.cost(i, set), known(i));
            bestCosts[i] = atBest(i, contention);
        }
        long[] shares = shares(set, costs);
        if (!everyLaneHasSome(shares, set)) {
            if (!Apportion.plenty(snapshot.granules(), Long.bitCount(set))) {
                return; // it would be the same as a smaller set
            }
            Apportion.keepAll(shares, set);
        }
        double model = end(shares, costs) + experience.overheadNanos(set);
        Outcome outcome = experience.outcome(set);
        double nanos;
        double least;
        if (outcome.samples() >= MEASURED) {
            nanos = outcome.nanos();
            least = nanos * (1 - doubt(outcome.samples()));
        } else if (outcome.samples() == 1) {
            nanos = model;
            least = FIRST_OFF * model;
        } else if (outcome.known()) {
            nanos = outcome.nanos();
            least = nanos * (1 - outcome.spread());
        } else {
            nanos = model;
            least = MODEL_OFF * end(shares(set, bestCosts), bestCosts);
        }
        prospects.add(new Prospect(set, shares, nanos, least, outcome));
    }

    /** By how much a few observations may be too high: what started up with the process slowed them down. */
    private static double doubt(long samples) {
        return samples >= SETTLED ? 0 : FEW_OFF / (samples * samples);
    }

    /** What a lane takes when nobody is in its way. */
    private Cost atBest(int lane, double contention) {
        Cost alone = experience.cost(lane, 1L << lane);
        if (Costs.usable(alone)) {
            return alone;
        }
        Cost known = known(lane);
        return new Cost(0, known.nanosPerUnit() / contention, known.samples());
    }

    /** What a lane takes, by the best there is to tell from. */
    private Cost known(int lane) {
        return Costs.firstUsable(
                experience.cost(lane, all),
                experience.cost(lane, 1L << lane),
                lanes.get(lane).cost());
    }

    private long[] shares(long set, Cost[] costs) {
        Cost[] members = new Cost[Long.bitCount(set)];
        int n = 0;
        for (int i = 0; i < costs.length; i++) {
            if (in(i, set)) {
                members[n++] = costs[i];
            }
        }
        double[] wanted = Apportion.finishTogether(members, units);
        double[] weights = new double[costs.length];
        n = 0;
        for (int i = 0; i < costs.length; i++) {
            weights[i] = in(i, set) ? wanted[n++] : 0;
        }
        return Apportion.byWeight(weights, snapshot.granules());
    }

    private static boolean everyLaneHasSome(long[] shares, long set) {
        for (int i = 0; i < shares.length; i++) {
            if (in(i, set) && shares[i] == 0) {
                return false;
            }
        }
        return true;
    }

    /** When the last lane is done. */
    private double end(long[] shares, Cost[] costs) {
        double end = 0;
        for (int i = 0; i < shares.length; i++) {
            if (shares[i] > 0) {
                end = Math.max(end, costs[i].predict((double) shares[i] * snapshot.unitsPerGranule()));
            }
        }
        return end;
    }

    private static boolean in(int lane, long set) {
        return (set >>> lane & 1) == 1;
    }

    // ---- the choice ----

    private @Nullable Prospect fastestMeasured() {
        Prospect best = null;
        for (Prospect p : prospects) {
            if (p.measured() && (best == null || p.nanos < best.nanos)) {
                best = p;
            }
        }
        return best;
    }

    /** What was observed, at whatever size, comes before what was only computed. */
    private Prospect leastExpected() {
        Prospect best = prospects.get(0);
        for (Prospect p : prospects) {
            boolean better = p.nanos < best.nanos;
            if (p.outcome.known() != best.outcome.known() ? p.outcome.known() : better) {
                best = p;
            }
        }
        return best;
    }

    /** A set of which too little is known to say that it is slower; the most promising one. */
    private @Nullable Prospect trial(Prospect best) {
        Prospect trial = null;
        for (Prospect p : prospects) {
            boolean settled = p.outcome.samples() >= SETTLED;
            if (p != best
                    && !settled
                    && p.least < WORTH_TRYING * best.nanos
                    && (trial == null || p.least < trial.least)) {
                trial = p;
            }
        }
        return trial != null ? trial : duel(best);
    }

    /** Of sets that are nearly equally fast, the one that was observed least, until all have been observed enough. */
    private @Nullable Prospect duel(Prospect best) {
        Prospect fewest = best;
        int rivals = 0;
        for (Prospect p : prospects) {
            if (p.measured() && p.nanos < NEARLY * best.nanos) {
                rivals++;
                fewest = p.outcome.samples() < fewest.outcome.samples() ? p : fewest;
            }
        }
        return rivals > 1 && fewest.outcome.samples() < SETTLED ? fewest : null;
    }

    /** Of the sets that are as fast as the best but for the noise the smallest; of several such the one in use. */
    private Prospect stayOrSwitch(Prospect best) {
        Prospect chosen = best;
        for (Prospect p : prospects) {
            boolean used = p.set == experience.usual();
            double margin = margin(p, best) * (used ? HYSTERESIS : 1);
            if (p.measured() && p.nanos * (1 - margin) <= best.nanos) {
                int fewer = Long.bitCount(chosen.set) - Long.bitCount(p.set);
                chosen = fewer > 0 || (fewer == 0 && used) ? p : chosen;
            }
        }
        return chosen;
    }

    private static double margin(Prospect a, Prospect b) {
        double error = Math.sqrt(squaredError(a) + squaredError(b));
        return Math.min(MOST_MARGIN, Math.max(LEAST_MARGIN, MARGIN * error));
    }

    private static double squaredError(Prospect p) {
        return p.outcome.spread() * p.outcome.spread() / Math.min(MEMORY, p.outcome.samples());
    }

    /** A short job would be held up by the making of a plan for each; shares of several lanes are still to follow. */
    private static int reuse(Prospect chosen) {
        boolean settled = chosen.outcome.samples() >= SETTLED_FOR_REUSE;
        return !settled ? 0 : Long.bitCount(chosen.set) == 1 ? REUSE_ALONE : REUSE_TOGETHER;
    }

    /** The set whose next trial is longest overdue, or null. */
    private @Nullable Prospect again(Prospect chosen) {
        Prospect again = null;
        double most = 1;
        for (Prospect p : prospects) {
            if (p != chosen) {
                double behind = Math.max(0, p.nanos / chosen.nanos - 1);
                double growth = Math.min(MOST_GROWTH, 1 + p.outcome.samples() / 4.0);
                double interval = growth * Math.max(LEAST_INTERVAL, (prospects.size() - 1) * behind / REGRET);
                double overdue = p.outcome.age() / interval;
                if (overdue > most) {
                    most = overdue;
                    again = p;
                }
            }
        }
        return again;
    }

    private Plan plan(Prospect chosen, String reason) {
        List<Candidate> considered = new ArrayList<>(prospects.size());
        int number = 0;
        for (int i = 0; i < prospects.size(); i++) {
            Prospect p = prospects.get(i);
            List<String> ids = new ArrayList<>();
            for (int lane = 0; lane < lanes.size(); lane++) {
                if (in(lane, p.set)) {
                    ids.add(lanes.get(lane).id());
                }
            }
            considered.add(new Candidate(ids, Math.round(p.nanos), p.outcome.spread(), p.outcome.samples()));
            number = p == chosen ? i : number;
        }
        return Plan.of(Plan.Sharing.STEALING, chosen.shares).because(new Decision(considered, number, reason));
    }
}
