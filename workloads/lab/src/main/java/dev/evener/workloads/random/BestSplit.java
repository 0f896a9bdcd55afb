package dev.evener.workloads.random;

import dev.evener.policy.WorkProfile;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The static split by which a job of known costs is done first: of all sets that give their lanes something, the best prefix of the
 * lanes in the order of what they take alone, then changed by a lane at a time for as long as that is better. For one thread.
 *
 * @param cost nanoseconds of a unit on each lane, alone and on average
 * @param late nanoseconds that each lane takes whatever its share
 * @param units of the job
 * @param granule of which all shares are multiples, as is the job; 1 if any number of units may be cut off
 * @param slowdown by which each other lane at work makes a unit dearer, at least 1
 * @param host nanoseconds at the end of the job
 * @param profile where the work is; null if it is even
 */
@SuppressWarnings("ArrayRecordComponent") // made for one call
record BestSplit(
        double[] cost,
        double[] late,
        long units,
        long granule,
        double slowdown,
        double host,
        @Nullable WorkProfile profile) {

    /** Units for each lane, and then the nanoseconds that the job takes. */
    double[] best() {
        int lanes = cost.length;
        Integer[] order = IntStream.range(0, lanes).boxed().toArray(Integer[]::new);
        Arrays.sort(order, Comparator.comparingDouble(i -> cost[i] * units + late[i]));
        double[] best = together(new int[] {order[0]});
        for (int n = 2; n <= lanes; n++) {
            int[] set = Arrays.stream(order).limit(n).mapToInt(i -> i).toArray();
            double[] next = together(set);
            best = next[lanes] < best[lanes] ? next : best;
        }
        for (boolean better = true; better; ) {
            better = false;
            for (int lane = 0; lane < lanes; lane++) {
                int changed = lane;
                double[] known = best;
                int[] set = IntStream.range(0, lanes)
                        .filter(i -> i == changed ? known[i] == 0 : known[i] > 0)
                        .toArray();
                double[] next = set.length == 0 ? best : together(set);
                if (next[lanes] < best[lanes] * 0.999999) {
                    best = next;
                    better = true;
                }
            }
        }
        return best;
    }

    /** The split by which these lanes, or those of them that could help, finish together, and then what it takes. */
    double[] together(int[] set) {
        int[] in = set;
        while (true) {
            double rates = 0;
            double before = 0;
            int latest = in[0];
            double disturbance = 1 + (slowdown - 1) * (in.length - 1);
            for (int lane : in) {
                double rate = 1 / (cost[lane] * disturbance);
                rates += rate;
                before += rate * late[lane];
                latest = late[lane] > late[latest] ? lane : latest;
            }
            if (granule > 1) {
                return granules(in, disturbance);
            }
            double time = (units + before) / rates;
            int last = latest;
            if (in.length > 1 && late[last] >= time - cost[last]) { // not even a unit
                in = Arrays.stream(in).filter(lane -> lane != last).toArray();
                continue;
            }
            return shares(in, time, disturbance);
        }
    }

    private double[] shares(int[] in, double time, double disturbance) {
        double[] split = new double[cost.length + 1];
        split[cost.length] = time + host;
        double before = 0;
        double from = 0;
        Arrays.sort(in);
        for (int lane : in) {
            before += (time - late[lane]) / (cost[lane] * disturbance);
            double to = profile == null ? before : profile.end(0, before, (double) units);
            split[lane] = in.length == 1 ? units : Math.max(0, to - from);
            from = to;
        }
        return split;
    }

    /**
     * The least time in which lanes that take as many whole granules as they can, one lane after the other, take all of them: no other
     * split into parts that follow one another is shorter ("Fast Optimal Load Balancing Algorithms for 1D Partitioning", Pinar and
     * Aykanat, 2004).
     */
    private double[] granules(int[] in, double disturbance) {
        Arrays.sort(in);
        double most = late[in[0]] + units * cost[in[0]] * disturbance;
        double least = 0;
        for (int i = 0; i < 60 && most - least > 1e-9 * most; i++) {
            double time = (least + most) / 2;
            if (taken(in, time, disturbance) == null) {
                least = time;
            } else {
                most = time;
            }
        }
        double[] split = Objects.requireNonNull(taken(in, most, disturbance));
        int[] left = Arrays.stream(in).filter(lane -> split[lane] > 0).toArray();
        if (left.length < in.length) {
            return together(left); // fewer disturb one another less
        }
        split[cost.length] = most + host;
        return split;
    }

    /** Units of each lane that they do in so much time; null if some are left. */
    private double @Nullable [] taken(int[] in, double time, double disturbance) {
        double[] split = new double[cost.length + 1];
        double from = 0;
        for (int lane : in) {
            double work = (time - late[lane]) / (cost[lane] * disturbance) * (1 + 1e-12);
            double to = work <= 0 ? from : profile == null ? from + work : profile.end(from, work, (double) units);
            split[lane] = Math.min(units - from, Math.floor((to - from) / granule + 1e-9) * granule);
            from += split[lane];
        }
        return from < units ? null : split;
    }
}
