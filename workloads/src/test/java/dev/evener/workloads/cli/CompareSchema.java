package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What docs/compare.md promises of the JSON and the CSV, read from the page. */
final class CompareSchema {
    private static final Pattern NAME = Pattern.compile("`(\\w+)`");
    private static final Pattern CELL = Pattern.compile("(?:\"([^\"]*)\"|([^,]*)),");

    private CompareSchema() {}

    private static String page() {
        try {
            return Files.readString(Path.of("..", "docs", "compare.md"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Fails unless the JSON is what the page says. */
    static void check(Map<String, Object> json) {
        String page = page();
        Map<String, String> comparison = ReportSchema.table(page, "A comparison:\n");
        Map<String, String> contender = ReportSchema.table(page, "A contender:\n");
        Map<String, String> split = ReportSchema.table(page, "A split of `sweep`:\n");
        Map<String, String> device = Map.of("id", "string", "name", "string", "type", "string");
        ReportSchema.object("report", json, ReportSchema.table(page, "## JSON\n"));
        for (Map<?, ?> each : ReportSchema.objects(json, "comparisons")) {
            ReportSchema.object("comparison", each, comparison);
            ReportSchema.objects(each, "contenders").forEach(c -> ReportSchema.object("contender", c, contender));
            ReportSchema.objects(each, "sweep").forEach(s -> ReportSchema.object("split", s, split));
            ReportSchema.objects(each, "devices").forEach(d -> ReportSchema.object("device", d, device));
        }
    }

    /** Fails unless the headings are those of the page and every row has as many cells; returns the rows. */
    static List<List<String>> checkCsv(String csv) {
        List<String> promised = new ArrayList<>();
        String page = page();
        Matcher names = NAME.matcher(page.substring(page.indexOf("Columns are", page.indexOf("## CSV"))));
        while (names.find()) {
            promised.add(names.group(1));
        }
        List<List<String>> rows = new ArrayList<>();
        csv.lines().forEach(line -> rows.add(cells(line)));
        assertEquals(promised, rows.remove(0));
        rows.forEach(row -> assertEquals(promised.size(), row.size(), row::toString));
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
