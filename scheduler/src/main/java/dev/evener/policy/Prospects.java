package dev.evener.policy;

import dev.evener.policy.Decision.Candidate;
import dev.evener.policy.Experience.Outcome;
import dev.evener.policy.Snapshot.Cost;
import dev.evener.policy.Snapshot.LaneView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sets of lanes that a job may be given to, and what each is expected to take: every single lane, all lanes, the fastest
 * two, three and so on, and the set in use. Made for one snapshot and thrown away.
 */
final class Prospects {
    /** Observations from which an estimate is taken as it is. */
    static final int SETTLED = 5;
    /** How much worse contention may be than what was seen of it. */
    private static final double CONTENTION_OFF = 1.15;
    /** Lanes whose speeds differ less count as equally fast, so that their order does not change from job to job. */
    private static final double LIKE = Math.log(1.25);

    /** From the start of a job until a second lane is at work, where that was never observed. */
    private static final double WAKE_UP_NANOS = 50_000;

    private final Snapshot snapshot;
    private final List<LaneView> lanes;
    private final Experience experience;
    private final double units;
    private final long all;
    private final Cost[] known; // by lane, from the best there is to tell from
    private long estimated; // lanes of which no more is known than what their devices were measured to do
    private final List<Prospect> prospects;
    private double contention;

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
        Cost[] observed = new Cost[lanes.size()];
        for (int i = 0; i < observed.length; i++) {
            Cost together = experience.cost(i, all);
            Cost best = Costs.usable(together) ? together : experience.cost(i, 1L << i);
            observed[i] = Costs.usable(best) ? best : lanes.get(i).cost();
        }
        this.known = Costs.estimated(lanes, observed, all);
        for (int i = 0; i < observed.length; i++) {
            estimated |= Costs.usable(known[i]) && !Costs.usable(observed[i]) ? 1L << i : 0;
        }
        this.prospects = new ArrayList<>(2 * known.length);
    }

    /** A lane of which nothing is known; of several the one that should be fastest; -1 if there is none. */
    int stranger() {
        int stranger = -1;
        for (int i = 0; i < known.length; i++) {
            if (Apportion.in(i, all)
                    && !Costs.usable(known[i])
                    && (stranger < 0
                            || lanes.get(i).weight() > lanes.get(stranger).weight())) {
                stranger = i;
            }
        }
        return stranger;
    }

    /** Whether no lane ever ran such a job. */
    boolean nothingKnown() {
        for (int i = 0; i < known.length; i++) {
            if (Apportion.in(i, all) && Costs.usable(known[i])) {
                return false;
            }
        }
        return true;
    }

    /** All available lanes, with costs guessed from their weights where nothing is known; or this lane alone. */
    Prospect introducing(int stranger, boolean together) {
        Prospect only = new Prospect(together ? all : 1L << stranger, 0, Outcome.UNKNOWN, false);
        prospects.add(only);
        return only;
    }

    /** What is known of all lanes together. */
    Outcome ofAll() {
        return experience.outcome(all);
    }

    /** Whether of some lane no more is known than what its device was measured to do. */
    boolean rough() {
        return estimated != 0;
    }

    /** Whether these are all available lanes. */
    boolean isAll(Prospect prospect) {
        return prospect.set == all;
    }

    /** Whether each lane can have a granule. */
    boolean enoughForAll() {
        return snapshot.granules() >= Long.bitCount(all);
    }

    /** Makes the list. Every lane's cost must be known. */
    List<Prospect> consider() {
        int[] order = bySpeed();
        long prefix = 0;
        for (int i = 0; i < order.length; i++) {
            consider(1L << order[i]);
            prefix |= 1L << order[i];
            if (i > 0) {
                consider(prefix);
            }
        }
        long usual = experience.usual();
        if (usual != 0 && (usual & ~all) == 0 && !listed(usual)) {
            consider(usual);
        }
        return prospects;
    }

    private boolean listed(long set) {
        for (int i = 0; i < prospects.size(); i++) {
            if (prospects.get(i).set == set) {
                return true;
            }
        }
        return false;
    }

    /** The available lanes, the fastest first; lanes about equally fast in their own order. */
    private int[] bySpeed() {
        int[] order = new int[Long.bitCount(all)];
        long[] slowness = new long[order.length];
        int n = 0;
        for (int i = 0; i < known.length; i++) {
            if (Apportion.in(i, all)) {
                long slow = Math.round(Math.log(known[i].predict(units)) / LIKE);
                int at = n++;
                for (; at > 0 && slowness[at - 1] > slow; at--) {
                    order[at] = order[at - 1];
                    slowness[at] = slowness[at - 1];
                }
                order[at] = i;
                slowness[at] = slow;
            }
        }
        return order;
    }

    private void consider(long set) {
        if (Long.bitCount(set) > snapshot.granules()) {
            return;
        }
        Outcome outcome = experience.outcome(set);
        if (outcome.known()) {
            prospects.add(new Prospect(set, outcome.nanos(), outcome, false));
            return;
        }
        boolean rough = (set & estimated) != 0;
        double wakeUp = rough && Long.bitCount(set) > 1 ? WAKE_UP_NANOS : 0;
        prospects.add(new Prospect(set, optimistic(set) + wakeUp, outcome, rough));
    }

    /** What a set takes if nobody is in a lane's way. */
    double optimistic(long set) {
        return Math.min(model(set), Apportion.together(atBest(), set, units));
    }

    /** What a set should take by what its lanes cost. */
    private double model(long set) {
        return Apportion.together(costs(set), set, units) + experience.overheadNanos(set);
    }

    private Cost[] costs(long set) {
        Cost[] costs = new Cost[known.length];
        for (int i = 0; i < costs.length; i++) {
            Cost here = experience.cost(i, set);
            costs[i] = Costs.usable(here) ? here : known[i];
        }
        return costs;
    }

    /** What lanes take when nobody is in their way. */
    private Cost[] atBest() {
        Cost[] costs = new Cost[known.length];
        for (int i = 0; i < costs.length; i++) {
            Cost alone = experience.cost(i, 1L << i);
            costs[i] = Costs.usable(alone)
                    ? alone
                    : Apportion.in(i, estimated) // as if alone, for that is how devices are measured
                            ? known[i]
                            : new Cost(0, known[i].nanosPerUnit() / contention(), known[i].samples());
        }
        return costs;
    }

    /** By how much lanes slow each other down at most, as far as that is known; at least 1. */
    private double contention() {
        if (contention == 0) {
            double most = 0;
            for (int i = 0; i < known.length; i++) {
                Cost alone = experience.cost(i, 1L << i);
                Cost together = experience.cost(i, all);
                if (Apportion.in(i, all) && Costs.usable(alone) && Costs.usable(together)) {
                    most = Math.max(most, CONTENTION_OFF * together.predict(units) / alone.predict(units));
                }
            }
            // Lanes that share a core or the memory take turns at worst.
            int turns = Long.bitCount(all);
            contention = most > 0 ? Math.min(turns, Math.max(1, most)) : turns;
        }
        return contention;
    }

    /**
     * Granules for each lane, so that all of the set finish together.
     *
     * @return null if a lane would have none, so that a smaller set does the same
     */
    long @Nullable [] shares(Prospect prospect) {
        long granules = snapshot.granules();
        if (prospect.lanes() == 1) {
            long[] shares = new long[known.length];
            shares[Long.numberOfTrailingZeros(prospect.set)] = granules;
            return shares;
        }
        Cost[] costs = Costs.filled(lanes, costs(prospect.set));
        long[] shares = Apportion.byWeight(Apportion.finishTogether(costs, prospect.set, units), granules);
        if (Apportion.plenty(granules, prospect.lanes()) || prospect.nanos == 0) {
            Apportion.keepAll(shares, prospect.set);
        }
        for (int i = 0; i < shares.length; i++) {
            if (shares[i] == 0 && Apportion.in(i, prospect.set)) {
                return null;
            }
        }
        return shares;
    }

    /** The list as a decision tells it. */
    Decision decision(Prospect chosen, String reason) {
        List<Candidate> considered = new ArrayList<>(prospects.size());
        for (Prospect p : prospects) {
            List<String> ids = new ArrayList<>(p.lanes());
            for (int lane = 0; lane < lanes.size(); lane++) {
                if (Apportion.in(lane, p.set)) {
                    ids.add(lanes.get(lane).id());
                }
            }
            considered.add(new Candidate(ids, Math.round(p.nanos), p.outcome.spread(), p.outcome.samples(), p.rough));
        }
        return new Decision(considered, prospects.indexOf(chosen), reason);
    }

    String id(int lane) {
        return lanes.get(lane).id();
    }
}
