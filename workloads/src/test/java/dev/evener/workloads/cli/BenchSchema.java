package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What docs/bench.md promises of the JSON, read from the page, and the CSV. */
final class BenchSchema {
    private static final Map<String, String> RATIO = Map.of("value", "number", "low", "number", "high", "number");
    private static final Pattern CELL = Pattern.compile("(?:\"([^\"]*)\"|([^,]*)),");

    private BenchSchema() {}

    private static String page() {
        try {
            return Files.readString(Path.of("..", "docs", "bench.md"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Fails unless the JSON is what the page says. */
    static void check(Map<String, Object> json) {
        String page = page();
        Map<String, String> result = ReportSchema.table(page, "A result:\n");
        Map<String, String> contender = ReportSchema.table(page, "A contender:\n");
        Map<String, String> firstJobs = ReportSchema.table(page, "settled ones; less than 0 where it was less:\n");
        Map<String, String> split = ReportSchema.table(page, "A split of `sweep`:\n");
        Map<String, String> device =
                Map.of("id", "string", "name", "string", "type", "string", "computeUnits", "integer");
        ReportSchema.object("report", json, ReportSchema.table(page, "## JSON\n"));
        for (Map<?, ?> each : ReportSchema.objects(json, "results")) {
            ReportSchema.object("result", each, result);
            for (Map<?, ?> one : ReportSchema.objects(each, "contenders")) {
                ReportSchema.object("contender", one, contender);
                if (one.get("firstJobs") instanceof Map<?, ?> first) {
                    ReportSchema.object("firstJobs", first, firstJobs);
                }
                ((Map<?, ?>) one.get("ratios"))
                        .values().stream()
                                .filter(Objects::nonNull)
                                .forEach(r -> ReportSchema.object("ratio", (Map<?, ?>) r, RATIO));
            }
            ReportSchema.objects(each, "sweep").forEach(s -> ReportSchema.object("split", s, split));
            ReportSchema.objects(each, "devices").forEach(d -> ReportSchema.object("device", d, device));
        }
    }

    /** Fails unless every row has as many cells as there are headings; returns the rows by heading. */
    static List<Map<String, String>> csv(String csv) {
        List<List<String>> lines = csv.lines().map(BenchSchema::cells).toList();
        List<Map<String, String>> rows = new ArrayList<>();
        for (List<String> cells : lines.subList(1, lines.size())) {
            assertEquals(lines.get(0).size(), cells.size(), cells::toString);
            Map<String, String> row = new LinkedHashMap<>();
            cells.forEach(cell -> row.put(lines.get(0).get(row.size()), cell));
            rows.add(row);
        }
        assertTrue(csv.endsWith(System.lineSeparator()));
        return rows;
    }

    /** Cells of a line without escaped quotes; the closing comma makes every cell end alike. */
    private static List<String> cells(String line) {
        List<String> cells = new ArrayList<>();
        Matcher matcher = CELL.matcher(line + ",");
        while (matcher.find()) {
            cells.add(matcher.group(1) != null ? matcher.group(1) : matcher.group(2));
        }
        return cells;
    }
}
