package dev.evener.policy;

import dev.evener.policy.CostModel.Forecast;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Jobs that wait, taken to be alike, each whole on the lane that is done with it first (Graham, Bounds on Multiprocessing Timing
 * Anomalies, 1969). Stateless.
 */
final class ListSchedule {
    /** Of more jobs that wait, the first so many tell. */
    private static final int MOST_WAITING = 64;

    private ListSchedule() {}

    /**
     * The lane that does it whole, if this job and those that wait are done earlier so on average than one by one on the best set; else
     * null. Tried are the fastest lane, the fastest two and so on: jobs side by side slow each other down as the lanes of one job do, so
     * that fewer lanes may be done earlier.
     *
     * @param candidates of which those of one lane come first, the fastest in front
     */
    static @Nullable Forecast whole(List<Forecast> candidates, Forecast best, int waiting) {
        int jobs = Math.min(waiting + 1, MOST_WAITING);
        Forecast found = null;
        double least = jobs * best.nanos() + jobs * (jobs - 1) / 2.0 * own(best); // the sum of their ends, one by one
        Map<LaneSet, Forecast> sets = new HashMap<>();
        candidates.forEach(each -> sets.putIfAbsent(each.lanes(), each));
        double[] ends = new double[jobs]; // in their order, on the lanes so far
        Forecast first = best;
        double slower = 0; // by contention, as a factor
        LaneSet set = LaneSet.NONE;
        for (int n = 1; n <= candidates.size() && candidates.get(n - 1).lanes().size() == 1; n++) {
            set = set.with(candidates.get(n - 1).lanes().first());
            Forecast together = n == 1 ? null : sets.get(set);
            double contention = together == null ? 1 : together.contention(); // 1 also where nobody knows
            for (int i = contention == slower ? n - 1 : 0; i < n; i++) {
                if (i == 0) {
                    Arrays.fill(ends, Double.POSITIVE_INFINITY);
                }
                Forecast lane = candidates.get(i);
                double takes = contention * own(lane);
                first = lane.awayNanos() + takes < ends[0] ? lane : first;
                join(ends, lane.awayNanos(), takes);
            }
            slower = contention;
            double sum = 0;
            for (int job = 0; job < jobs && sum < least; job++) {
                sum += ends[job];
            }
            if (sum < least) {
                least = sum;
                found = first;
            }
        }
        return found;
    }

    /** A lane more, free after a time: it does each job of which it is done before the others would be. */
    private static void join(double[] ends, double free, double takes) {
        double[] others = ends.clone();
        double its = free + takes;
        for (int job = 0, other = 0; job < ends.length; job++) {
            if (its < others[other]) {
                ends[job] = its;
                its += takes;
            } else {
                ends[job] = others[other++];
            }
        }
    }

    /** What a job takes lanes that have nothing else to do. */
    private static double own(Forecast of) {
        return of.nanos() - of.awayNanos();
    }
}
