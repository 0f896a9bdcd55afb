package dev.evener.policy;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which of the {@link Prospects} a job is given to, and why. Made for one snapshot and thrown away. */
final class Choice {
    /** Bounds of what counts as better than the set in use, as a part of its time. */
    private static final double LEAST_MARGIN = 0.01;

    private static final double MOST_MARGIN = 0.04;
    /** In terms of the standard error of the two estimates. */
    private static final double MARGIN = 1.5;
    /** The set in use may be so many times further behind. */
    private static final double HYSTERESIS = 1.5;
    /** Observations that an estimate rests on at most, as it fades. */
    private static final long MEMORY = 20;

    /** Trials of sets that are behind cost this part of the time. */
    private static final double REGRET = 0.01;

    private static final double LEAST_INTERVAL = 50;
    private static final double MOST_GROWTH = 4;
    /** The first trial of a set that was left comes after so many jobs, or more if the set is far behind, and then at... */
    private static final double FIRST_INTERVAL = 8;
    /** ...intervals that double: what it was left for may have been a disturbance that has passed. */
    private static final double FIRST_REGRET = 0.05;

    /** Sets that seem so many times slower than the best are not tried, but for a few of the first {@link #EARLY} jobs. */
    private static final double HOPELESS = 4;

    private static final long EARLY = 16;
    /** Sets that seem so many times slower after two observations are not observed a third time. */
    private static final double FAR = 1.5;
    /** Sets nearer than that are observed {@link Prospects#SETTLED} times. */
    private static final double NEAR = 1.25;
    /** Jobs that a set which is far behind takes whenever it is looked at again. */
    private static final int LOOKS = 2;
    /** Lanes that finish further apart have not found their shares yet... */
    private static final double BALANCED = 0.93;
    /** ...and get so many jobs to find them, unless they were left again after that already so often. */
    private static final int ENOUGH_TO_BALANCE = 12;

    private static final int MOST_BALANCED = 2;
    /** Jobs that several lanes get in any case to find their shares, if that may make them fastest. */
    private static final int ENOUGH_FOR_SHARES = 8;
    /** Jobs after which an observation is an old one. */
    private static final long SOON = 16;

    /** Jobs for which a plan holds once a set has been observed often enough. */
    private static final int REUSE_ALONE = 15;

    private static final int REUSE_TOGETHER = 3;
    private static final int SETTLED_FOR_REUSE = 10;

    /**
     * What devices were measured to do says how long a kernel takes at least, and leaves a device out only of jobs that should
     * be over so soon: should they take many times as long, little is lost before that is known.
     */
    private static final double SMALL_NANOS = 1e6;

    private final Prospects prospects;
    private final Experience experience;
    private final long usual;
    private final long jobs;
    private List<Prospect> list = List.of();
    private String reason = "";
    private boolean standing; // nothing is being tried

    private Choice(Prospects prospects, Experience experience) {
        this.prospects = prospects;
        this.experience = experience;
        this.usual = experience.usual();
        this.jobs = experience.jobs();
    }

    /**
     * The plan for a job.
     *
     * @param snapshot with at least one granule
     */
    static Plan plan(Snapshot snapshot) {
        Prospects prospects = new Prospects(snapshot);
        return new Choice(prospects, snapshot.experience()).plan();
    }

    private Plan plan() {
        int stranger = prospects.stranger();
        if (stranger >= 0) {
            Prospect chosen = introduce(stranger);
            return plan(chosen, shares(chosen), 0);
        }
        list = prospects.consider();
        while (true) {
            Prospect chosen = choose();
            long[] shares = prospects.shares(chosen);
            if (shares != null) {
                return plan(chosen, shares, reuse(chosen));
            }
            list.remove(chosen); // some lane would have no granule: single lanes remain in any case
        }
    }

    private long[] shares(Prospect chosen) {
        long[] shares = prospects.shares(chosen);
        if (shares == null) {
            throw new IllegalStateException("a lane that is to be introduced got nothing");
        }
        return shares;
    }

    private Plan plan(Prospect chosen, long[] shares, int reuse) {
        String why = reason;
        Plan plan = Plan.of(Plan.Sharing.STEALING, shares)
                .because(() -> prospects.decision(chosen, why))
                .reusable(reuse);
        return chosen.outcome.samples() < Prospects.SETTLED ? plan.withCaution() : plan;
    }

    /** With the others, where chunks that begin small and stealing make up for a wrong guess; else alone. */
    private Prospect introduce(int stranger) {
        reason = prospects.nothingKnown()
                ? "first run: nothing is known yet"
                : "device " + prospects.id(stranger) + " has not run this yet";
        // A lane that others robbed of its part before it began, twice, gets one where it cannot be.
        boolean together = prospects.enoughForAll() && prospects.ofAll().samples() < 2;
        return prospects.introducing(stranger, together);
    }

    private Prospect choose() {
        Prospect best = fastestMeasured();
        if (best == null && prospects.rough()) {
            return chooseByProbe();
        }
        if (best == null) {
            Prospect first = leastExpected();
            reason = first.outcome.known()
                    ? "expected to be fastest from a first run or from other sizes"
                    : "expected to be fastest from what each device takes";
            return first;
        }
        Prospect trial = trial(best);
        if (trial != null) {
            reason = "on trial: it may be the fastest";
            return trial;
        }
        Prospect chosen = stayOrSwitch(best);
        Prospect again = again(chosen);
        if (again != null) {
            reason = "tried again after " + again.outcome.age() + " jobs: what was slower may have become faster";
            return again;
        }
        standing = true;
        reason = chosen == best ? "measured fastest" : "in use, and none is measured faster by more than the noise";
        return chosen;
    }

    private Prospect chooseByProbe() {
        Prospect best = list.get(0);
        for (Prospect p : list) {
            best = p.nanos < best.nanos ? p : best;
        }
        if (best.nanos > SMALL_NANOS) {
            for (Prospect p : list) {
                if (prospects.isAll(p)) {
                    reason = "hardly anything is known yet: shares by what the devices were probed to do";
                    return p;
                }
            }
        }
        reason = "expected to be fastest by what the devices were probed to do";
        return best;
    }

    private @Nullable Prospect fastestMeasured() {
        Prospect best = null;
        for (Prospect p : list) {
            if (p.measured() && (best == null || p.nanos < best.nanos)) {
                best = p;
            }
        }
        return best;
    }

    /** What was observed, at whatever size, comes before what was only computed. */
    private Prospect leastExpected() {
        Prospect best = list.get(0);
        for (Prospect p : list) {
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
        double least = Double.POSITIVE_INFINITY;
        for (Prospect p : list) {
            double potential = potential(p);
            if ((p != best || unbalanced(p)) && potential < least && due(p, best, potential)) {
                trial = p;
                least = potential;
            }
        }
        return trial;
    }

    /** What it may take once several lanes have found their shares. */
    private double potential(Prospect p) {
        return unbalanced(p) ? Math.min(p.nanos, prospects.optimistic(p.set)) : p.nanos;
    }

    private static boolean unbalanced(Prospect p) {
        return p.lanes() > 1 && p.outcome.samples() < ENOUGH_FOR_SHARES && p.outcome.trials() == 0;
    }

    /**
     * Whether a set should be observed once more. The nearer to the best it seems the surer that must be; and as a process
     * that starts up is slow in ways that pass, what was seen early is looked at again each time the jobs have doubled, and late
     * enough that this costs a small part of the time.
     */
    private boolean due(Prospect p, Prospect best, double potential) {
        double balanced = experience.balanced(p.set);
        double behind = Math.min(p.nanos * balanced, potential) / best.nanos; // with the right shares
        long samples = p.outcome.samples();
        long age = p.outcome.age();
        if (samples < 2) {
            // A single look at what had been left may have met a disturbance, which would banish the set for long.
            return behind < HOPELESS || jobs < EARLY || p.outcome.trials() > 0 || age >= 3 * (jobs - age);
        }
        double worthwhile = Math.max(SOON, LOOKS * (behind - 1) / FIRST_REGRET);
        if (behind < HOPELESS && age >= Math.max(worthwhile, (double) (jobs - age))) {
            return true;
        }
        boolean uneven = balanced < BALANCED && p.outcome.trials() < MOST_BALANCED;
        int enough = uneven ? ENOUGH_TO_BALANCE : unbalanced(p) ? ENOUGH_FOR_SHARES : Prospects.SETTLED;
        return age < SOON && behind < (samples == 2 ? FAR : NEAR) && samples < enough;
    }

    /** Of the sets that are as fast as the best but for the noise the smallest; of several such the one in use. */
    private Prospect stayOrSwitch(Prospect best) {
        Prospect chosen = best;
        for (Prospect p : list) {
            boolean used = p.set == usual;
            if (p != best && p.measured() && p.nanos * (1 - margin(p, best) * (used ? HYSTERESIS : 1)) <= best.nanos) {
                int fewer = chosen.lanes() - p.lanes();
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

    /** The set whose next trial is longest overdue, or null. */
    private @Nullable Prospect again(Prospect chosen) {
        Prospect again = null;
        double most = 1;
        for (Prospect p : list) {
            if (p != chosen && p.outcome.age() >= FIRST_INTERVAL) {
                double behind = Math.max(0, p.nanos / chosen.nanos - 1);
                double growth = Math.min(MOST_GROWTH, 1 + p.outcome.samples() / 4.0);
                double steady = growth * Math.max(LEAST_INTERVAL, (list.size() - 1) * behind / REGRET);
                double first = Math.max(FIRST_INTERVAL, (list.size() - 1) * behind / FIRST_REGRET);
                double interval = Math.min(steady, Math.scalb(first, p.outcome.trials()));
                double overdue = p.outcome.age() / interval;
                if (overdue > most) {
                    most = overdue;
                    again = p;
                }
            }
        }
        return again;
    }

    /** A short job would be held up by the making of a plan for each; shares of several lanes are still to follow. */
    private int reuse(Prospect chosen) {
        return !standing || chosen.outcome.samples() < SETTLED_FOR_REUSE
                ? 0
                : chosen.lanes() == 1 ? REUSE_ALONE : REUSE_TOGETHER;
    }
}
