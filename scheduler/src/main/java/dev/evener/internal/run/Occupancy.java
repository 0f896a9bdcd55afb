package dev.evener.internal.run;

import dev.evener.model.HistorySnapshot;
import dev.evener.model.JobHistory;
import dev.evener.policy.CostModel;
import dev.evener.policy.LaneSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToDoubleFunction;

/**
 * What lanes have before them at one moment: the jobs that have called them, and those that wait for them. With it a job that cannot be
 * cut finds the lane that is done with it first (list scheduling: Graham, Bounds on Multiprocessing Timing Anomalies, 1969; with the
 * earliest finish on unequal lanes as in Topcuoglu, Hariri and Wu, Performance-Effective and Low-Complexity Task Scheduling for
 * Heterogeneous Computing, 2002). For one thread.
 */
final class Occupancy {
    /** Lanes that would be done so close to one another are equally good: the difference is smaller than what is known. */
    private static final double EVEN = 0.01;

    /** Of two devices alike, which may seem to differ by so much, the one that has the data. */
    private static final double ALIKE = 0.2;

    private final Map<LaneWorker, Load> called = new HashMap<>(); // what has called lanes
    private final Map<LaneWorker, Load> waiting = new HashMap<>(); // what waits for them
    private final Map<Sized, Times> kinds = new HashMap<>();
    private double next = Double.POSITIVE_INFINITY;

    private record Sized(JobHistory kind, long units) {}

    /**
     * What a lane has before it.
     *
     * @param jobs how many
     * @param unknown of them, of which nobody knows how long they take
     * @param nanos that the others take, and the unknown ones have taken
     */
    private record Load(int jobs, int unknown, double nanos) {
        private static final Load NONE = new Load(0, 0, 0);

        static Load of(LaneWorker worker) {
            int jobs = worker.openJobs(null);
            return jobs == 0 ? NONE : new Load(jobs, worker.openJobs(null, true), worker.busyNanos(null, null));
        }

        Load and(Load other) {
            return other.jobs == 0 ? this : new Load(jobs + other.jobs, unknown + other.unknown, nanos + other.nanos);
        }
    }

    private Load load(LaneWorker worker) {
        return called.computeIfAbsent(worker, Load::of).and(waiting.getOrDefault(worker, Load.NONE));
    }

    /** Whether a lane has nothing to do, and nobody waits for it. */
    boolean isIdle(LaneWorker worker) {
        return load(worker).jobs == 0 && !worker.isBuilding();
    }

    /** From now on it is another moment. */
    void restart() {
        called.clear();
        waiting.clear();
        kinds.clear();
        next = Double.POSITIVE_INFINITY;
    }

    /** A job was started, and has called lanes. */
    void started() {
        called.clear();
    }

    /**
     * A job waits for a lane.
     *
     * @param takes nanoseconds; nobody knows if it is 0
     * @param only whether it may go to no other
     */
    void waits(LaneWorker worker, double takes, boolean only) {
        if (takes > 0 && !only) {
            next = Math.min(next, load(worker).nanos + takes);
        }
        Load more = new Load(1, takes > 0 ? 0 : 1, takes);
        waiting.merge(worker, more, Load::and);
    }

    /** After how many nanoseconds one that waits should be done, so that it may be better off elsewhere if it has not begun; or infinity. */
    double nanosToNextLook() {
        return next;
    }

    /** What is known of a job's kind at its size, on lanes with nothing else to do; the same for all that are asked for at this moment. */
    Times times(JobRun run) {
        return kinds.computeIfAbsent(
                new Sized(run.history, run.declared.units()),
                sized -> new Times(sized.kind.model(sized.units), run.workers.size()));
    }

    /** What all of a job that cannot be cut takes each lane. */
    static final class Times {
        final HistorySnapshot model;

        /** Nanoseconds, or, if nothing is known, only in proportion. */
        private final double[] takes;

        /**
         * Of a lane that was never seen, as many times what it takes one that was as its units should: which part of that is fixed cannot be
         * told from such jobs.
         */
        Times(HistorySnapshot model, int lanes) {
            this.model = model;
            this.takes = new double[lanes];
            double[] perUnit = new double[lanes];
            boolean[] seen = new boolean[lanes];
            for (int i = 0; i < lanes; i++) {
                CostModel.LaneCost cost = model.lane(i);
                CostModel.Forecast forecast = model.forecast(LaneSet.of(i));
                takes[i] = forecast.nanos() - forecast.awayNanos();
                perUnit[i] = cost.nanosPerUnit();
                seen[i] = cost.chunks() > 0;
            }
            for (int i = 0; i < lanes && model.known(); i++) {
                double least = Double.POSITIVE_INFINITY;
                for (int other = 0; other < lanes && !seen[i]; other++) {
                    least = seen[other] ? Math.min(least, takes[other] * perUnit[i] / perUnit[other]) : least;
                }
                takes[i] = least < Double.POSITIVE_INFINITY ? least : takes[i];
            }
        }

        /** Of one lane, in nanoseconds; 0 if nothing is known. */
        double nanos(int lane) {
            return model.known() ? takes[lane] : 0;
        }

        /** Whether a lane is as good as any of some, if none has anything else to do. */
        boolean isGood(int lane, LaneSet among) {
            boolean good = among.has(lane);
            for (int i = 0; i < takes.length; i++) {
                good &= !among.has(i) || takes[lane] <= (1 + ALIKE) * takes[i];
            }
            return good;
        }
    }

    /**
     * The lane that is done first with all of a job. Of those that are equally good it is the one to which the fewest bytes would have to be
     * brought, then one that does not have to wait, then the one that was given such a job longest ago.
     *
     * @param among lanes of the job, at least one
     * @param missing bytes on each
     */
    int firstDone(List<LaneWorker> lanes, LaneSet among, Times times, IntToDoubleFunction missing) {
        double[] ends = new double[lanes.size()];
        double least = Double.POSITIVE_INFINITY;
        for (int i = 0; i < ends.length; i++) {
            if (among.has(i)) {
                double its = times.takes[i];
                Load load = load(lanes.get(i));
                ends[i] = its + (times.model.known() ? load.nanos + load.unknown * its : load.jobs * its);
                least = Math.min(least, ends[i]);
            }
        }
        double first = least;
        LaneSet good = LaneSet.where(ends.length, i -> among.has(i) && ends[i] - first <= ALIKE * times.takes[i]);
        int best = good.first();
        if (good.size() == 1) { // mostly
            return best;
        }
        double fewest = missing.applyAsDouble(best);
        for (int i = best + 1; i < ends.length; i++) {
            if (good.has(i)) {
                double bytes = missing.applyAsDouble(i);
                double step = EVEN * times.takes[i];
                int order = Double.compare(bytes, fewest);
                order = order != 0 || Math.abs(ends[i] - ends[best]) <= step
                        ? order
                        : Double.compare(ends[i], ends[best]);
                order = order != 0 ? order : Boolean.compare(!isIdle(lanes.get(i)), !isIdle(lanes.get(best)));
                order = order != 0 ? order : Long.compare(lanes.get(i).lastWhole, lanes.get(best).lastWhole);
                best = order < 0 ? i : best;
                fewest = order < 0 ? bytes : fewest;
            }
        }
        return best;
    }
}
