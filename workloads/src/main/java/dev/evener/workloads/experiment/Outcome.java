package dev.evener.workloads.experiment;

import dev.evener.Report;
import dev.evener.Report.DeviceUse;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What one contender achieved.
 *
 * @param name unique within the comparison
 * @param role what it is there for
 * @param reports one for each round, in order; the n-th of all contenders were measured close together
 * @param overBestSingle best single device's time over its own: above 1 it is faster
 * @param ofBestStatic the best static split's time over its own; null without a sweep
 * @param efficiency summed solo throughput of all devices as a time, over its own time
 * @param verified whether its results were right; null where nobody asked
 */
public record Outcome(
        String name,
        Role role,
        List<Report> reports,
        Estimate overBestSingle,
        @Nullable Estimate ofBestStatic,
        double efficiency,
        @Nullable Boolean verified) {
    public Outcome {
        reports = List.copyOf(reports);
    }

    /** The policy's own name. */
    public String policy() {
        return reports.get(0).policy();
    }

    /** Wall nanoseconds of each round: from the devices being free to the complete result. */
    public double[] nanos() {
        return nanos(reports);
    }

    static double[] nanos(List<Report> reports) {
        return reports.stream().mapToDouble(Report::wallNanos).toArray();
    }

    /** Median wall time in nanoseconds. */
    public double medianNanos() {
        return Statistics.median(nanos());
    }

    /** Each device's mean share of the units, 0 to 1. */
    public List<Double> shares() {
        return shares(reports);
    }

    static List<Double> shares(List<Report> reports) {
        return IntStream.range(0, reports.get(0).devices().size())
                .mapToObj(lane -> reports.stream()
                        .mapToDouble(r -> r.devices().get(lane).share())
                        .average()
                        .orElse(0))
                .toList();
    }

    /** Median number of chunks of a job, over all devices and phases. */
    public double chunks() {
        return median(
                reports, r -> r.devices().stream().mapToInt(DeviceUse::chunks).sum());
    }

    /** Median number of chunks that a device took from another. */
    public double steals() {
        return median(
                reports,
                r -> r.devices().stream().mapToInt(DeviceUse::stolenChunks).sum());
    }

    /** What went wrong on a device in some round and was made good by others, each once. */
    public List<String> recovered() {
        return reports.stream().flatMap(r -> r.failures().stream()).distinct().toList();
    }

    /** Why the work was shared out as it was in the last round; empty if there was nothing to decide. */
    public String explanation() {
        return reports.get(reports.size() - 1).explain();
    }

    private static double median(List<Report> reports, ToDoubleFunction<Report> figure) {
        return Statistics.median(reports.stream().mapToDouble(figure).toArray());
    }
}
