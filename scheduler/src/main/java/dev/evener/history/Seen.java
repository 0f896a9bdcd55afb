package dev.evener.history;

import dev.evener.policy.Experience;
import dev.evener.policy.Snapshot.Cost;

/** What was known of one kind of job, at one size, at one moment. Immutable: its arrays are never written again. */
final class Seen implements Experience {
    private final long[][] companies;
    private final Cost[][] costs;
    private final long[] sets;
    private final Outcome[] outcomes;
    private final double[] overheads;
    private final double[] balances;
    private final Outcome unseen;
    private final long usual;

    /**
     * @param companies for each lane the companies it was seen in
     * @param costs for each lane and company what it takes
     * @param sets of lanes whose outcome is known
     * @param outcomes for each of them
     * @param overheads for each of them, nanoseconds a job takes beside what its lanes are busy
     * @param balances for each of them, the part of its time that would be left with the right shares
     * @param unseen what is said of other sets
     * @param usual the set used most of late, or 0
     */
    Seen(
            long[][] companies,
            Cost[][] costs,
            long[] sets,
            Outcome[] outcomes,
            double[] overheads,
            double[] balances,
            Outcome unseen,
            long usual) {
        this.companies = companies;
        this.costs = costs;
        this.sets = sets;
        this.outcomes = outcomes;
        this.overheads = overheads;
        this.balances = balances;
        this.unseen = unseen;
        this.usual = usual;
    }

    @Override
    public Cost cost(int lane, long company) {
        if (lane < companies.length) {
            long[] known = companies[lane];
            for (int i = 0; i < known.length; i++) {
                if (known[i] == company) {
                    return costs[lane][i];
                }
            }
        }
        return Cost.UNKNOWN;
    }

    @Override
    public Outcome outcome(long lanes) {
        for (int i = 0; i < sets.length; i++) {
            if (sets[i] == lanes) {
                return outcomes[i];
            }
        }
        return unseen;
    }

    @Override
    public double overheadNanos(long lanes) {
        double least = Double.POSITIVE_INFINITY;
        for (int i = 0; i < sets.length; i++) {
            if (outcomes[i].known()) {
                if (sets[i] == lanes) {
                    return overheads[i];
                }
                least = Math.min(least, overheads[i]);
            }
        }
        return least < Double.POSITIVE_INFINITY ? least : 0;
    }

    @Override
    public double balanced(long lanes) {
        for (int i = 0; i < sets.length; i++) {
            if (sets[i] == lanes) {
                return balances[i];
            }
        }
        return 1;
    }

    @Override
    public long jobs() {
        return unseen.age();
    }

    @Override
    public long usual() {
        return usual;
    }
}
