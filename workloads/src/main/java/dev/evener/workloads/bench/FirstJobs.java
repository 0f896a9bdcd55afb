package dev.evener.workloads.bench;

import dev.evener.Report;
import dev.evener.policy.Decision;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What a policy's first jobs took, while it learnt, and, of wall times, how much more than as many settled ones: all together, in
 * nanoseconds, below 0 where they took less.
 *
 * @param meanNanos mean of the times that count
 * @param medianNanos median of these
 * @param planNanos of the excess, deciding which device gets what
 * @param buildNanos building programs, which no wall time contains
 * @param enqueueNanos what is neither a device's nor deciding: launches, wake-ups, host steps
 * @param deviceNanos from the first start on a device to the last end on any
 * @param lookNanos what jobs took longer in which the policy looked at other devices, but for deciding and building
 */
public record FirstJobs(
        double meanNanos,
        double medianNanos,
        double planNanos,
        double buildNanos,
        double enqueueNanos,
        double deviceNanos,
        double lookNanos) {

    /** Times are whole nanoseconds, as those of {@link Entry} are. */
    public FirstJobs {
        meanNanos = Math.rint(meanNanos);
        medianNanos = Math.rint(medianNanos);
        planNanos = Math.rint(planNanos);
        buildNanos = Math.rint(buildNanos);
        enqueueNanos = Math.rint(enqueueNanos);
        deviceNanos = Math.rint(deviceNanos);
        lookNanos = Math.rint(lookNanos);
    }

    /** What several processes took on average; at least one. */
    static FirstJobs mean(List<FirstJobs> of) {
        return new FirstJobs(
                mean(of, FirstJobs::meanNanos),
                mean(of, FirstJobs::medianNanos),
                mean(of, FirstJobs::planNanos),
                mean(of, FirstJobs::buildNanos),
                mean(of, FirstJobs::enqueueNanos),
                mean(of, FirstJobs::deviceNanos),
                mean(of, FirstJobs::lookNanos));
    }

    private static double mean(List<FirstJobs> of, ToDoubleFunction<FirstJobs> figure) {
        return of.stream().mapToDouble(figure).average().orElse(0);
    }

    /** All of the excess. */
    public double excessNanos() {
        return planNanos + buildNanos + enqueueNanos + deviceNanos + lookNanos;
    }

    /**
     * What came out of the first turns.
     *
     * @param times those that count, of the first ones
     * @param first jobs in their order, and perhaps some after them, which tell what the last of them was
     * @param settled jobs of later turns
     */
    static FirstJobs of(double[] times, List<Report> first, List<Report> settled) {
        double usual = median(settled, Report::wallNanos);
        double plan = median(settled, Report::planNanos);
        double device = median(settled, Report::deviceNanos);
        double planning = 0;
        double building = 0;
        double enqueuing = 0;
        double computing = 0;
        double looking = 0;
        int count = settled.isEmpty() ? 0 : Math.min(times.length, first.size());
        for (int i = 0; i < count; i++) {
            Report job = first.get(i);
            double rest = job.wallNanos() - usual - (job.planNanos() - plan);
            planning += job.planNanos() - plan;
            building += job.buildNanos();
            if (i + 1 < first.size() && explored(first.get(i + 1)) > explored(job)) {
                looking += rest;
            } else {
                enqueuing += rest - (job.deviceNanos() - device);
                computing += job.deviceNanos() - device;
            }
        }
        double mean = Arrays.stream(times).average().orElse(0);
        return new FirstJobs(mean, Statistics.median(times), planning, building, enqueuing, computing, looking);
    }

    /** What looks had cost when a job was decided. */
    private static double explored(Report job) {
        Decision decision = job.decision();
        return decision == null ? 0 : decision.exploredNanos();
    }

    private static double median(List<Report> of, ToDoubleFunction<Report> figure) {
        return of.isEmpty()
                ? 0
                : Statistics.median(of.stream().mapToDouble(figure).toArray());
    }
}
