package dev.evener.simulation.placement;

import dev.evener.simulation.placement.Fleet.Task;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Schedules of the literature for tasks whose true times are known: what placements are held against. */
final class Lists {
    private Lists() {}

    /** List scheduling of independent tasks in their order: each to the lane that ends it first. */
    static double makespan(Fleet fleet, List<Task> tasks) {
        double[] free = new double[fleet.nanos().length];
        for (Task task : tasks) {
            int best = 0;
            for (int lane = 1; lane < free.length; lane++) {
                best = free[lane] + fleet.nanos()[lane][task.kind()] < free[best] + fleet.nanos()[best][task.kind()]
                        ? lane
                        : best;
            }
            free[best] += fleet.nanos()[best][task.kind()];
        }
        return Arrays.stream(free).max().orElseThrow();
    }

    /** No schedule is shorter on lanes whose speeds are the same for all kinds. */
    static double lowerBound(Fleet fleet, List<Task> tasks) {
        double power = 0;
        double fastest = 0;
        for (long[] lane : fleet.nanos()) {
            double speed = (double) fleet.nanos()[0][0] / lane[0];
            power += speed;
            fastest = Math.max(fastest, speed);
        }
        double sum = 0;
        double longest = 0;
        for (Task task : tasks) {
            double takes = fleet.nanos()[0][task.kind()];
            sum += takes;
            longest = Math.max(longest, takes);
        }
        return Math.max(sum / power, longest / fastest);
    }

    /**
     * HEFT: tasks by their upward rank, each into the first gap of the lane that ends it first. Topcuoglu, Hariri and Wu, 2002; moving
     * data costs nothing.
     */
    static double heft(Fleet fleet, List<Task> tasks) {
        int lanes = fleet.nanos().length;
        double[] rank = new double[tasks.size()];
        for (int i = tasks.size() - 1; i >= 0; i--) { // those that come after it have added theirs
            double mean = 0;
            for (long[] lane : fleet.nanos()) {
                mean += (double) lane[tasks.get(i).kind()] / lanes;
            }
            rank[i] += mean;
            for (int before : tasks.get(i).behind()) {
                rank[before] = Math.max(rank[before], rank[i]);
            }
        }
        List<List<double[]>> busy = new ArrayList<>();
        IntStream.range(0, lanes).forEach(lane -> busy.add(new ArrayList<>()));
        double[] end = new double[tasks.size()];
        IntStream.range(0, tasks.size())
                .boxed()
                .sorted(Comparator.comparingDouble((Integer i) -> -rank[i]).thenComparingInt(i -> i))
                .forEach(i -> {
                    double ready = tasks.get(i).behind().stream()
                            .mapToDouble(before -> end[before])
                            .max()
                            .orElse(0);
                    int best = -1;
                    double least = Double.POSITIVE_INFINITY;
                    for (int lane = 0; lane < lanes; lane++) {
                        double takes = fleet.nanos()[lane][tasks.get(i).kind()];
                        double its = gap(busy.get(lane), ready, takes) + takes;
                        if (its < least) {
                            least = its;
                            best = lane;
                        }
                    }
                    double takes = fleet.nanos()[best][tasks.get(i).kind()];
                    busy.get(best).add(new double[] {least - takes, least});
                    busy.get(best).sort(Comparator.comparingDouble(span -> span[0]));
                    end[i] = least;
                });
        return Arrays.stream(end).max().orElseThrow();
    }

    private static double gap(List<double[]> busy, double ready, double takes) {
        double from = ready;
        for (double[] span : busy) {
            if (from + takes <= span[0]) {
                return from;
            }
            from = Math.max(from, span[1]);
        }
        return from;
    }
}
