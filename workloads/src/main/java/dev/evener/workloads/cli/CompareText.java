package dev.evener.workloads.cli;

import dev.evener.DeviceInfo;
import dev.evener.workloads.experiment.Comparison;
import dev.evener.workloads.experiment.Estimate;
import dev.evener.workloads.experiment.Outcome;
import dev.evener.workloads.experiment.Role;
import dev.evener.workloads.experiment.Setup;
import dev.evener.workloads.experiment.Statistics;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Sizes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What {@code compare} prints for people: a table for each comparison, and one line for each in the end. */
final class CompareText {
    /** The policy that the summary is about, where it took part. */
    private static final String DEFAULT_POLICY = "adaptive";

    private CompareText() {}

    static String table(Setup setup, Comparison comparison) {
        String devices = comparison.devices().stream().map(DeviceInfo::id).collect(Collectors.joining(", "));
        boolean verified = comparison.outcomes().stream().anyMatch(outcome -> outcome.verified() != null);
        List<String> headings = new ArrayList<>(List.of(
                "contender",
                "shares, %",
                ">median",
                ">spread",
                ">first 30",
                ">x best single",
                ">efficiency",
                "of best static",
                ">chunks",
                ">steals"));
        if (verified) {
            headings.add("result");
        }
        TextTable table = new TextTable(headings.toArray(String[]::new));
        for (Outcome outcome : comparison.outcomes()) {
            List<String> row = new ArrayList<>(List.of(
                    outcome.name(),
                    shares(outcome),
                    format("%.3f ms", outcome.medianNanos() / 1e6),
                    format("%.1f%%", 100 * Statistics.medianAbsoluteDeviation(outcome.nanos()) / outcome.medianNanos()),
                    first(comparison, outcome),
                    format("%.2f", outcome.overBestSingle().value()),
                    percent(outcome.efficiency()),
                    ratio(outcome.ofBestStatic()),
                    count(outcome.chunks()),
                    count(outcome.steals())));
            if (verified) {
                row.add(Boolean.TRUE.equals(outcome.verified()) ? "right" : "WRONG");
            }
            table.row(row.toArray(String[]::new));
        }
        return format(
                        "%s, %d %ss%s, devices %s (%s), %d rounds",
                        comparison.workload().name(),
                        comparison.items(),
                        comparison.workload().item(),
                        details(setup),
                        setup.set(),
                        devices,
                        comparison.rounds())
                + System.lineSeparator()
                + table;
    }

    /** What the first jobs took, over the best static split or, without one, the best device. */
    private static String first(Comparison comparison, Outcome outcome) {
        Outcome best = comparison.bestStatic();
        double yardstick = (best == null ? comparison.bestSingle() : best).medianNanos();
        return outcome.firstNanos() == 0 ? "-" : format("%.2f x", outcome.firstNanos() / yardstick);
    }

    /** What is compared, in a few words. */
    static String title(Setup setup) {
        Request task = setup.request();
        return task.workload().amount(task.items()) + details(setup) + " on " + setup.set();
    }

    /** What was not left as it is by default, each after a comma; the scenario last. */
    static String details(Setup setup) {
        Request request = setup.request();
        StringBuilder text = new StringBuilder();
        Distribution distribution = request.distribution();
        if (distribution != null && distribution != Distribution.UNIFORM) {
            text.append(", ").append(distribution.text());
        }
        String parameters = request.values().changed();
        String scenario = setup.scenario().name();
        text.append(parameters.isEmpty() ? "" : ", ").append(parameters);
        return text.append(scenario.isEmpty() ? "" : ", ").append(scenario).toString();
    }

    /** The reasons of those policies that had something to decide. */
    static String explanations(Comparison comparison) {
        StringBuilder text = new StringBuilder();
        for (Outcome outcome : comparison.outcomes()) {
            String why = outcome.role() == Role.POLICY ? outcome.explanation() : "";
            if (!why.isEmpty()) {
                text.append(outcome.name()).append(':').append(System.lineSeparator());
                why.lines().forEach(line -> text.append("  ").append(line).append(System.lineSeparator()));
            }
        }
        return text.length() == 0 ? "" : text.append(System.lineSeparator()).toString();
    }

    /** One line for each comparison: the best static split, and how a policy stands to it and to the best device. */
    static String summary(List<CompareReport.Result> results) {
        TextTable table = new TextTable(
                "workload",
                ">items",
                "devices",
                "best single",
                "best static, %",
                ">x best single",
                "policy",
                ">x best single",
                "of best static");
        for (CompareReport.Result result : results) {
            Comparison comparison = result.comparison();
            Outcome best = comparison.bestStatic();
            Outcome policy =
                    comparison.policy(DEFAULT_POLICY).or(comparison::bestPolicy).orElse(null);
            table.row(
                    comparison.workload().name(),
                    Sizes.text(comparison.items()),
                    result.setup().set().toString(),
                    bestSingle(comparison),
                    best == null ? "-" : shares(best),
                    best == null ? "-" : format("%.2f", best.overBestSingle().value()),
                    policy == null ? "-" : policy.name(),
                    policy == null
                            ? "-"
                            : format("%.2f", policy.overBestSingle().value()),
                    policy == null ? "-" : ratio(policy.ofBestStatic()));
        }
        return table.toString();
    }

    /** One line for each comparison: how many times as fast as the best device alone every contender is. */
    static String matrix(List<CompareReport.Result> results) {
        List<String> contenders = results.stream()
                .flatMap(r -> r.comparison().outcomes().stream())
                .filter(o -> o.role() != Role.SINGLE)
                .map(Outcome::name)
                .distinct()
                .toList();
        List<String> headings = new ArrayList<>(List.of("workload", ">items", "with", "devices", "best single"));
        contenders.forEach(name -> headings.add(">" + name));
        TextTable table = new TextTable(headings.toArray(String[]::new));
        for (CompareReport.Result result : results) {
            Comparison comparison = result.comparison();
            String details = details(result.setup());
            List<String> row = new ArrayList<>(List.of(
                    comparison.workload().name(),
                    Sizes.text(comparison.items()),
                    details.isEmpty() ? "-" : details.substring(2),
                    result.setup().set().toString(),
                    bestSingle(comparison)));
            for (String name : contenders) {
                row.add(comparison.outcomes().stream()
                        .filter(o -> o.name().equals(name))
                        .findFirst()
                        .map(o -> format("%.2f", o.overBestSingle().value()))
                        .orElse("-"));
            }
            table.row(row.toArray(String[]::new));
        }
        return table.toString();
    }

    private static String bestSingle(Comparison comparison) {
        return format(
                "%s, %.3f ms",
                comparison.bestSingle().name().substring("single ".length()),
                comparison.bestSingle().medianNanos() / 1e6);
    }

    private static String shares(Outcome outcome) {
        return outcome.shares().stream().map(s -> format("%.1f", 100 * s)).collect(Collectors.joining(" : "));
    }

    private static String percent(@Nullable Double part) {
        return part == null ? "-" : format("%.1f%%", 100 * part);
    }

    private static String ratio(@Nullable Estimate estimate) {
        return estimate == null ? "-" : format("%.3f (%.3f-%.3f)", estimate.value(), estimate.low(), estimate.high());
    }

    /** Medians of whole numbers: whole, or halfway between two. */
    private static String count(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : format("%.1f", value);
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
