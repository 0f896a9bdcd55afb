package dev.evener.workloads.bench;

import dev.evener.Report;
import dev.evener.policy.Decision;
import dev.evener.workloads.document.Statistics;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What a policy's first jobs took, while it learnt, and, of wall times, how much more than as many settled ones: all together, in
 * nanoseconds, below 0 where they took less.
 *
 * @param meanNanos mean of the times that count
 * @param medianNanos median of these
 * @param excess what they took longer, in nanoseconds by cause
 */
public record FirstJobs(double meanNanos, double medianNanos, Map<Part, Double> excess) {
    /** Where the excess went. */
    public enum Part {
        /** Deciding which device gets what. */
        PLAN("planSeconds"),
        /** Building programs, which no wall time contains. */
        BUILD("buildSeconds"),
        /** What is neither a device's nor deciding: launches, wake-ups, host steps. */
        ENQUEUE("enqueueSeconds"),
        /** From the first start on a device to the last end on any. */
        DEVICE("deviceSeconds"),
        /** What jobs took longer in which the policy looked at other devices, but for deciding and building. */
        LOOK("lookSeconds");

        final String field;

        Part(String field) {
            this.field = field;
        }
    }

    /** Times are whole nanoseconds, as those of {@link Entry} are. */
    public FirstJobs {
        meanNanos = Math.rint(meanNanos);
        medianNanos = Math.rint(medianNanos);
        Map<Part, Double> all = new EnumMap<>(Part.class);
        Stream.of(Part.values()).forEach(part -> all.put(part, 0.0));
        excess.forEach((part, nanos) -> all.put(part, Math.rint(nanos)));
        excess = Collections.unmodifiableMap(all);
    }

    /** What several processes took on average; at least one. */
    static FirstJobs mean(List<FirstJobs> of) {
        Map<Part, Double> sums = new EnumMap<>(Part.class);
        of.forEach(each -> each.excess.forEach((part, nanos) -> sums.merge(part, nanos / of.size(), Double::sum)));
        return new FirstJobs(
                of.stream().mapToDouble(FirstJobs::meanNanos).average().orElseThrow(),
                of.stream().mapToDouble(FirstJobs::medianNanos).average().orElseThrow(),
                sums);
    }

    /** All of the excess. */
    public double excessNanos() {
        return excess.values().stream().mapToDouble(nanos -> nanos).sum();
    }

    /**
     * What came out of the first turns.
     *
     * @param times those that count, of the first ones
     * @param first jobs in their order, and perhaps some after them, which tell what the last of them was
     * @param settled jobs of later turns
     */
    static FirstJobs of(double[] times, List<Report> first, List<Report> settled) {
        double usual = Statistics.median(settled, Report::wallNanos);
        double plan = Statistics.median(settled, Report::planNanos);
        double device = Statistics.median(settled, Report::deviceNanos);
        Map<Part, Double> sums = new EnumMap<>(Part.class);
        int count = settled.isEmpty() ? 0 : Math.min(times.length, first.size());
        for (int i = 0; i < count; i++) {
            Report job = first.get(i);
            double rest = job.wallNanos() - usual - (job.planNanos() - plan);
            sums.merge(Part.PLAN, job.planNanos() - plan, Double::sum);
            sums.merge(Part.BUILD, (double) job.buildNanos(), Double::sum);
            if (i + 1 < first.size() && explored(first.get(i + 1)) > explored(job)) {
                sums.merge(Part.LOOK, rest, Double::sum);
            } else {
                sums.merge(Part.ENQUEUE, rest - (job.deviceNanos() - device), Double::sum);
                sums.merge(Part.DEVICE, job.deviceNanos() - device, Double::sum);
            }
        }
        double mean = Arrays.stream(times).average().orElse(0);
        return new FirstJobs(mean, Statistics.median(times), sums);
    }

    /** What looks had cost when a job was decided. */
    private static double explored(Report job) {
        Decision decision = job.decision();
        return decision == null ? 0 : decision.exploredNanos();
    }
}
