package dev.evener.workloads.cli;

import dev.evener.workloads.experiment.Comparison;
import dev.evener.workloads.experiment.Estimate;
import dev.evener.workloads.experiment.Outcome;
import dev.evener.workloads.experiment.Setup;
import dev.evener.workloads.experiment.Statistics;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.Request;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The results of {@code compare} as CSV (RFC 4180, but with the system's line ends): one row for each contender of each
 * comparison. A figure that is not known is an empty field.
 */
final class CompareCsv {
    private static final List<String> HEADINGS = List.of(
            "workload",
            "items",
            "selector",
            "devices",
            "contender",
            "role",
            "policy",
            "shares",
            "rounds",
            "first_jobs_seconds",
            "median_seconds",
            "mad_seconds",
            "lower_quartile_seconds",
            "upper_quartile_seconds",
            "items_per_second",
            "over_best_single",
            "over_best_single_low",
            "over_best_single_high",
            "of_best_static",
            "of_best_static_low",
            "of_best_static_high",
            "efficiency",
            "chunks",
            "stolen_chunks",
            "verified",
            "distribution",
            "parameters",
            "scenario");

    private CompareCsv() {}

    static String text(List<CompareReport.Result> results) {
        StringBuilder csv = new StringBuilder();
        row(csv, HEADINGS);
        for (CompareReport.Result result : results) {
            for (Outcome outcome : result.comparison().outcomes()) {
                row(csv, cells(result.setup(), result.comparison(), outcome));
            }
        }
        return csv.toString();
    }

    private static List<String> cells(Setup setup, Comparison comparison, Outcome outcome) {
        double[] nanos = outcome.nanos();
        Estimate single = outcome.overBestSingle();
        Estimate best = outcome.ofBestStatic();
        Distribution distribution = comparison.request().distribution();
        return List.of(
                comparison.workload().name(),
                Long.toString(comparison.items()),
                setup.set().toString(),
                comparison.devices().stream().map(d -> d.id()).collect(Collectors.joining(" ")),
                outcome.name(),
                outcome.role().text(),
                outcome.policy(),
                outcome.shares().stream().map(CompareCsv::number).collect(Collectors.joining(" ")),
                Integer.toString(comparison.rounds()),
                outcome.firstNanos() == 0 ? "" : seconds(outcome.firstNanos()),
                seconds(outcome.medianNanos()),
                seconds(Statistics.medianAbsoluteDeviation(nanos)),
                seconds(Statistics.quantile(nanos, 0.25)),
                seconds(Statistics.quantile(nanos, 0.75)),
                number(comparison.items() / outcome.medianNanos() * 1e9),
                number(single.value()),
                number(single.low()),
                number(single.high()),
                best == null ? "" : number(best.value()),
                best == null ? "" : number(best.low()),
                best == null ? "" : number(best.high()),
                outcome.efficiency() == null ? "" : number(outcome.efficiency()),
                number(outcome.chunks()),
                number(outcome.steals()),
                flag(outcome.verified()),
                distribution == null ? "" : distribution.text(),
                parameters(comparison.request()),
                setup.scenario().name());
    }

    private static String parameters(Request request) {
        return request.values().toMap().entrySet().stream()
                .map(e -> e.getKey() + "=" + e.getValue())
                .collect(Collectors.joining(" "));
    }

    private static void row(StringBuilder csv, List<String> cells) {
        csv.append(cells.stream().map(CompareCsv::quoted).collect(Collectors.joining(",")))
                .append(System.lineSeparator());
    }

    private static String quoted(String cell) {
        return cell.contains(",") || cell.contains("\"") ? '"' + cell.replace("\"", "\"\"") + '"' : cell;
    }

    private static String seconds(double nanos) {
        return String.format(Locale.ROOT, "%.9f", nanos / 1e9);
    }

    private static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : String.format(Locale.ROOT, "%.6g", value);
    }

    private static String flag(@Nullable Boolean value) {
        return value == null ? "" : value.toString();
    }
}
