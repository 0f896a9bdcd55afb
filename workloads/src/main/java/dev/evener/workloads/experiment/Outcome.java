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
 * @param policy the policy's own name
 * @param firstNanos mean time of its first {@value #FIRST} jobs, while it learnt; 0 where there were none, as it learns nothing
 * @param wallNanos time of each round, in order, from the devices being free to the complete result; the n-th of all
 *     contenders were measured close together
 * @param shares each device's mean share of the units, 0 to 1
 * @param chunks median number of chunks of a job, over all devices and phases
 * @param steals median number of chunks that a device took from another
 * @param recovered what went wrong on a device in some round and was made good by others, each once
 * @param explanation why the work was shared out as it was in the last round; empty if there was nothing to decide
 * @param overBestSingle best single device's time over its own: above 1 it is faster
 * @param ofBestStatic the best static split's time over its own; null without a sweep
 * @param efficiency summed solo throughput of all devices as a time, over its own time; null where no device had anything to do
 * @param verified whether its results were right; null where nobody asked
 */
public record Outcome(
        String name,
        Role role,
        String policy,
        double firstNanos,
        List<Long> wallNanos,
        List<Double> shares,
        double chunks,
        double steals,
        List<String> recovered,
        String explanation,
        Estimate overBestSingle,
        @Nullable Estimate ofBestStatic,
        @Nullable Double efficiency,
        @Nullable Boolean verified) {
    /** Jobs whose cost is that of learning. */
    static final int FIRST = 30;

    public Outcome {
        wallNanos = List.copyOf(wallNanos);
        shares = List.copyOf(shares);
        recovered = List.copyOf(recovered);
    }

    /** What a contender's reports say, one for each round. */
    static Outcome of(
            Contender contender,
            double firstNanos,
            List<Report> reports,
            Estimate overBestSingle,
            @Nullable Estimate ofBestStatic,
            @Nullable Double efficiency,
            @Nullable Boolean verified) {
        return new Outcome(
                contender.name(),
                contender.role(),
                reports.get(0).policy(),
                firstNanos,
                reports.stream().map(Report::wallNanos).toList(),
                shares(reports),
                median(reports, DeviceUse::chunks),
                median(reports, DeviceUse::stolenChunks),
                reports.stream().flatMap(r -> r.failures().stream()).distinct().toList(),
                reports.get(reports.size() - 1).explain(),
                overBestSingle,
                ofBestStatic,
                efficiency,
                verified);
    }

    /** Wall nanoseconds of each round. */
    public double[] nanos() {
        return wallNanos.stream().mapToDouble(Long::doubleValue).toArray();
    }

    static double[] nanos(List<Report> reports) {
        return reports.stream().mapToDouble(Report::wallNanos).toArray();
    }

    /** Median wall time in nanoseconds. */
    public double medianNanos() {
        return Statistics.median(nanos());
    }

    static List<Double> shares(List<Report> reports) {
        return IntStream.range(0, reports.get(0).devices().size())
                .mapToObj(lane -> reports.stream()
                        .mapToDouble(r -> r.devices().get(lane).share())
                        .average()
                        .orElse(0))
                .toList();
    }

    /** Over the reports, of the sum over the devices. */
    private static double median(List<Report> reports, ToDoubleFunction<DeviceUse> figure) {
        return Statistics.median(reports.stream()
                .mapToDouble(r -> r.devices().stream().mapToDouble(figure).sum())
                .toArray());
    }
}
