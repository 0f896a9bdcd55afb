package dev.evener.workloads.cli;

import dev.evener.DeviceInfo;
import dev.evener.workloads.experiment.Experiment;
import dev.evener.workloads.experiment.Finding;
import dev.evener.workloads.experiment.Laboratory;
import dev.evener.workloads.experiment.Laboratory.Conditions;
import dev.evener.workloads.experiment.Statistics;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What an experiment found, for people and for other programs. Stateless. */
final class ExperimentReport {
    private static final String CSV_HEADINGS = "experiment,device,value,way,items,median_seconds,mad_seconds,"
            + "median_wall_seconds,bytes_per_second,of_first_way,problem";

    private ExperimentReport() {}

    /** Whether the result was wrong, rather than none to be had. */
    static boolean wrong(Finding finding) {
        return finding.problem() != null && finding.problem().startsWith(Laboratory.WRONG);
    }

    /** A row for each value, a column for each way: GB/s by kernel times, and their spread. */
    static String table(Experiment experiment, DeviceInfo device, Conditions conditions, List<Finding> findings) {
        List<String> headings = new ArrayList<>(List.of(">" + experiment.variable()));
        experiment.ways().forEach(way -> headings.add(">" + way));
        TextTable table = new TextTable(headings.toArray(String[]::new));
        Set<String> notes = new LinkedHashSet<>();
        for (String value : experiment.values()) {
            List<String> row = new ArrayList<>(List.of(value));
            for (String way : experiment.ways()) {
                row.add(findings.stream()
                        .filter(f ->
                                f.cell().value().equals(value) && f.cell().way().equals(way))
                        .findFirst()
                        .map(f -> cell(experiment, f, notes))
                        .orElse("-"));
            }
            table.row(row.toArray(String[]::new));
        }
        String line = System.lineSeparator();
        StringBuilder text = new StringBuilder(format(
                "%s, %d %ss, %s, device %s (%s), GB/s by times of %s, medians of %d runs and spread",
                experiment.name(),
                conditions.items(),
                experiment.item(),
                conditions.distribution().text(),
                device.id(),
                device.name(),
                experiment.timing().name().toLowerCase(Locale.ROOT),
                conditions.rounds()));
        text.append(line).append(table);
        notes.forEach(note -> text.append(note).append(line));
        return text.toString();
    }

    private static String cell(Experiment experiment, Finding finding, Set<String> notes) {
        if (!finding.measured()) {
            notes.add(finding.cell().way() + ": " + finding.problem());
            return wrong(finding) ? "WRONG" : "-";
        }
        double median = Statistics.median(finding.nanos(experiment));
        return format(
                "%.2f %5s",
                rate(experiment, finding) / 1e9,
                format("%.1f%%", 100 * Statistics.medianAbsoluteDeviation(finding.nanos(experiment)) / median));
    }

    private static double rate(Experiment experiment, Finding finding) {
        return finding.items() * finding.bytesPerItem() / Statistics.median(finding.nanos(experiment)) * 1e9;
    }

    static Map<String, Object> toMap(Experiment experiment, Conditions conditions, List<Finding> findings) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("experiment", experiment.name());
        map.put("timing", experiment.timing().name().toLowerCase(Locale.ROOT));
        map.put("variable", experiment.variable());
        map.put("item", experiment.item());
        map.put("distribution", conditions.distribution().text());
        map.put("seed", conditions.seed());
        map.put("rounds", conditions.rounds());
        map.put(
                "findings",
                findings.stream().map(f -> finding(experiment, f, findings)).toList());
        return map;
    }

    private static Map<String, Object> finding(Experiment experiment, Finding finding, List<Finding> all) {
        double[] nanos = finding.nanos(experiment);
        boolean measured = finding.measured();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("device", finding.device().id());
        map.put("deviceName", finding.device().name());
        map.put("value", finding.cell().value());
        map.put("way", finding.cell().way());
        map.put("workload", finding.cell().workload().name());
        map.put("parameters", new TreeMap<>(finding.cell().set()));
        map.put("items", finding.items());
        map.put("medianSeconds", measured ? Statistics.median(nanos) / 1e9 : null);
        map.put("madSeconds", measured ? Statistics.medianAbsoluteDeviation(nanos) / 1e9 : null);
        map.put("medianWallSeconds", measured ? Statistics.median(finding.wallNanos()) / 1e9 : null);
        map.put("bytesPerSecond", measured ? rate(experiment, finding) : null);
        map.put("ofFirstWay", ofFirst(experiment, finding, all));
        map.put("problem", finding.problem());
        return map;
    }

    /** How many times as fast as the first way at the same value on the same device; null if one has no times. */
    private static @Nullable Double ofFirst(Experiment experiment, Finding finding, List<Finding> all) {
        Finding first = all.stream()
                .filter(f -> f.device().equals(finding.device())
                        && f.cell().value().equals(finding.cell().value()))
                .findFirst()
                .orElse(finding);
        return finding.measured() && first.measured()
                ? Statistics.medianRatio(first.nanos(experiment), finding.nanos(experiment))
                        .value()
                : null;
    }

    static String csv(Experiment experiment, List<Finding> findings) {
        StringBuilder csv = new StringBuilder(CSV_HEADINGS).append(System.lineSeparator());
        for (Finding finding : findings) {
            Map<String, Object> map = finding(experiment, finding, findings);
            csv.append(String.join(
                            ",",
                            experiment.name(),
                            finding.device().id(),
                            finding.cell().value(),
                            finding.cell().way(),
                            Long.toString(finding.items()),
                            text(map.get("medianSeconds")),
                            text(map.get("madSeconds")),
                            text(map.get("medianWallSeconds")),
                            text(map.get("bytesPerSecond")),
                            text(map.get("ofFirstWay")),
                            finding.problem() == null
                                    ? ""
                                    : '"' + finding.problem().replace("\"", "\"\"") + '"'))
                    .append(System.lineSeparator());
        }
        return csv.toString();
    }

    private static String text(@Nullable Object number) {
        return number == null ? "" : format("%.6g", number);
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
