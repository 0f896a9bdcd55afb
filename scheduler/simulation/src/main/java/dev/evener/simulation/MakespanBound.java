package dev.evener.simulation;

import dev.evener.DeviceInfo;
import dev.evener.event.RunEvent;
import dev.evener.policy.Policies;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Less than which no policy takes for all jobs of a simulation, from the first arrival to the last end, by three
 * reasons; nanoseconds.
 *
 * @param areaNanos if all work that there is, were it all there at the beginning, is spread over all devices as well as
 *     can be: the linear program of Lenstra, Shmoys and Tardos, Approximation Algorithms for Scheduling Unrelated
 *     Parallel Machines, 1990
 * @param pathNanos of the longest chain of jobs that wait for one another, each at its least time and not before it
 *     arrives: the critical path
 * @param longestNanos of the longest job at its least time
 */
public record MakespanBound(double areaNanos, double pathNanos, double longestNanos) {
    private static final int ROUNDS = 400;

    /** The largest of them. */
    public double nanos() {
        return Math.max(areaNanos, Math.max(pathNanos, longestNanos));
    }

    /**
     * That of some jobs, of which each waits for those that it names.
     *
     * @throws IllegalArgumentException if jobs wait for one another in a circle
     */
    public static MakespanBound of(Machine machine, List<SimulatedJob> jobs) {
        double[] least =
                jobs.stream().mapToDouble(job -> Bounds.nanos(machine, job)).toArray();
        double[] release = new double[least.length];
        List<TaskGraph.Edge> edges = new ArrayList<>();
        double first = jobs.isEmpty() ? 0 : Double.MAX_VALUE;
        double longest = 0;
        Map<List<Double>, Double> work = new HashMap<>(); // units by what one takes each device
        for (int i = 0; i < least.length; i++) {
            SimulatedJob job = jobs.get(i);
            int place = i;
            job.behind().forEach(before -> edges.add(new TaskGraph.Edge(before, place, 0)));
            if (job.follows() && i > 0) {
                edges.add(new TaskGraph.Edge(i - 1, i, job.arrival()));
            }
            release[i] = job.follows() ? 0 : job.arrival();
            first = Math.min(first, release[i]);
            longest = Math.max(longest, least[i]);
            List<Double> rates = machine.devices().stream()
                    .map(device -> Bounds.perUnit(device, job))
                    .toList();
            work.merge(rates, (double) job.units(), Double::sum);
        }
        double path = new TaskGraph(new double[least.length][0], release, edges).pathNanos(task -> least[task]);
        return new MakespanBound(area(work, machine.devices().size()), path - first, longest);
    }

    /**
     * That of the jobs of a run by what devices took there, as if all had been there at the beginning: between recorded
     * jobs data may have been made.
     *
     * @param devices those that events count
     * @throws IllegalArgumentException if no job was run to its end
     */
    public static MakespanBound of(List<DeviceInfo> devices, List<RunEvent> events) {
        Machine machine = Models.fit(devices, events);
        return of(
                machine,
                Recorded.jobs(events, devices, machine, (job, places) -> Policies.adaptive()).stream()
                        .map(job -> job.at(0))
                        .toList());
    }

    /**
     * The program's dual: for any weights of the devices that add up to 1, no schedule is shorter than all work, each
     * kind at the device where its time counts for least. Weights grow with what is given to a device (Freund and
     * Schapire's multiplicative updates), and the best of all rounds counts.
     */
    private static double area(Map<List<Double>, Double> work, int devices) {
        double[] logs = new double[devices];
        for (int i = 0; i < devices; i++) { // which is best where some devices are as much faster for all kinds
            double all = 0;
            for (Map.Entry<List<Double>, Double> kind : work.entrySet()) {
                double nanos = kind.getValue() * kind.getKey().get(i);
                all += Double.isFinite(nanos) ? nanos : 0;
            }
            logs[i] = all > 0 ? -Math.log(all) : -Math.log(Double.MAX_VALUE);
        }
        double best = 0;
        for (int round = 0; round < ROUNDS; round++) {
            double most = Arrays.stream(logs).max().orElse(0);
            double[] weights =
                    Arrays.stream(logs).map(log -> Math.exp(log - most)).toArray();
            double sum = Arrays.stream(weights).sum();
            double[] loads = new double[devices];
            double bound = 0;
            for (Map.Entry<List<Double>, Double> kind : work.entrySet()) {
                List<Double> rates = kind.getKey();
                int cheapest = 0;
                for (int i = 1; i < devices; i++) {
                    cheapest = weights[i] * rates.get(i) < weights[cheapest] * rates.get(cheapest) ? i : cheapest;
                }
                double nanos = kind.getValue() * rates.get(cheapest);
                bound += weights[cheapest] / sum * nanos;
                loads[cheapest] += nanos;
            }
            best = Double.isFinite(bound) ? Math.max(best, bound) : best;
            double full = Arrays.stream(loads).max().orElse(0);
            double step = 1 / Math.sqrt(round + 1.0);
            for (int i = 0; i < devices && full > 0; i++) {
                logs[i] += step * loads[i] / full;
            }
        }
        return best;
    }
}
