package dev.evener.workloads.replay;

import static dev.evener.workloads.document.TextTable.format;

import dev.evener.policy.Power;
import dev.evener.simulation.Machine;
import dev.evener.simulation.MakespanBound;
import dev.evener.workloads.arrivals.Trace;
import dev.evener.workloads.document.Statistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Figures of many jobs, by their names in JSON and CSV: docs/bench.md has them. Stateless. */
public final class JobFigures {
    private JobFigures() {}

    /**
     * What became of a job.
     *
     * @param seconds from its arrival to its result; infinite if it has none
     * @param leastSeconds less than which it cannot take; 0 if that is not known
     */
    public record Served(double seconds, double leastSeconds, Trace.Terms terms) {}

    /**
     * Quantiles of responses; of jobs with deadlines the part that missed them; of several users Jain's index of their
     * mean slow-downs, 1 if they are equal and 1/n if all slowness is one's (Jain, Chiu and Hawe, A Quantitative
     * Measure of Fairness and Discrimination, 1984).
     */
    public static Map<String, Object> of(List<Served> jobs) {
        Map<String, Object> figures = new LinkedHashMap<>();
        double[] responses = jobs.stream()
                .mapToDouble(Served::seconds)
                .filter(Double::isFinite)
                .toArray();
        if (responses.length > 0) {
            for (int part : new int[] {50, 95, 99}) {
                figures.put("responseP" + part + "Seconds", Statistics.quantile(responses, part / 100.0));
            }
        }
        jobs.stream()
                .filter(job -> job.terms().deadlineNanos() >= 0)
                .mapToDouble(job -> job.seconds() > job.terms().deadlineNanos() / 1e9 ? 1 : 0)
                .average()
                .ifPresent(part -> figures.put("deadlinesMissed", part));
        Map<String, Double> users = jobs.stream()
                .filter(job -> job.leastSeconds() > 0
                        && Double.isFinite(job.seconds())
                        && !job.terms().user().isEmpty())
                .collect(Collectors.groupingBy(
                        job -> job.terms().user(),
                        TreeMap::new,
                        Collectors.averagingDouble(job -> Math.max(1, job.seconds() / job.leastSeconds()))));
        if (users.size() > 1) {
            double sum = users.values().stream().mapToDouble(each -> each).sum();
            double squares =
                    users.values().stream().mapToDouble(each -> each * each).sum();
            figures.put("fairness", sum * sum / (users.size() * squares));
        }
        return figures;
    }

    /** Adds bounds of a makespan, if they are known, and that over the largest of them. */
    public static void add(Map<String, Object> figures, @Nullable MakespanBound bound, double makespanSeconds) {
        if (bound == null) {
            return;
        }
        figures.put("areaSeconds", bound.areaNanos() / 1e9);
        figures.put("criticalPathSeconds", bound.pathNanos() / 1e9);
        figures.put("longestJobSeconds", bound.longestNanos() / 1e9);
        if (bound.nanos() > 0) {
            figures.put("overBound", 1e9 * makespanSeconds / bound.nanos());
        }
    }

    /** What these say, in a line; null if they are not known. */
    public static @Nullable String boundText(Map<String, ?> figures) {
        return figures.get("overBound") == null
                ? null
                : format(
                        "%.3f x the least that any policy could take: all work %s, longest chain %s, longest job %s",
                        figures.get("overBound"),
                        time((Double) figures.get("areaSeconds")),
                        time((Double) figures.get("criticalPathSeconds")),
                        time((Double) figures.get("longestJobSeconds")));
    }

    /** Traces may take days. */
    static String time(double seconds) {
        return seconds < 10 ? format("%.3f ms", 1e3 * seconds) : format("%.3f s", seconds);
    }

    /**
     * Energy that a machine's devices take in so many seconds, of which each is busy for some; null if nothing is known
     * of their power.
     */
    public static @Nullable Double joules(Machine machine, double seconds, IntToDoubleFunction busySeconds) {
        double joules = 0;
        for (int i = 0; i < machine.devices().size(); i++) {
            Power power = machine.devices().get(i).power();
            joules += power.joules(seconds, busySeconds.applyAsDouble(i));
        }
        boolean known = machine.devices().stream().anyMatch(each -> each.power().known());
        return known ? joules : null;
    }
}
