package dev.evener.workloads.document;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** One description of columns, and what people and programs see of it. */
class TextTableTest {
    private record Run(String name, @Nullable Double seconds, List<Integer> shares) {}

    private static final TextTable<Run> TABLE = new TextTable<Run>()
            .column("name", "name", Run::name, name -> name)
            .column(">time", "wallSeconds", Run::seconds, s -> TextTable.format("%.1f ms", 1e3 * s))
            .column("note", run -> run.shares().isEmpty() ? "none" : null)
            .field("shares", Run::shares);
    private static final List<Run> RUNS =
            List.of(new Run("a, \"b\"", 0.25, List.of(1, 2)), new Run("c|d\ne", null, List.of()));

    private static String lines(String... lines) {
        return String.join(System.lineSeparator(), lines) + System.lineSeparator();
    }

    @Test
    void peopleSeeRoundedFigures() {
        assertEquals(
                lines("name            time  note", "a, \"b\"      250.0 ms  -", "c|d\\u000ae         -  none"),
                TABLE.of(RUNS));
        assertEquals(
                lines(
                        "| name | time | note |",
                        "| --- | ---: | --- |",
                        "| a, \"b\" | 250.0 ms | - |",
                        "| c\\|d\\\\u000ae | - | none |"),
                TABLE.markdown(RUNS));
        assertEquals(List.of("c|d\\u000ae", "-", "none"), TABLE.cells(RUNS).get(2));
    }

    @Test
    void programsSeeWholeOnes() {
        assertEquals(
                lines("name,wall_seconds,shares", "\"a, \"\"b\"\"\",0.25,1 2", "\"c|d\ne\",,"),
                TextTable.csv(TABLE.fields(), TABLE.maps(RUNS)));
        Map<String, Object> second = new LinkedHashMap<>();
        second.put("name", "c|d\ne");
        second.put("wallSeconds", null);
        second.put("shares", List.of());
        List<Map<String, Object>> maps = TABLE.maps(RUNS);
        assertEquals(second, maps.get(1));
        assertEquals(
                Arrays.asList("a, \"b\"", 0.25, List.of(1, 2)),
                List.copyOf(maps.get(0).values()));
    }

    @Test
    void objectsOfJsonAreColumnsOfCsv() {
        Map<String, Object> ratio = new LinkedHashMap<>();
        ratio.put("value", 2.0);
        ratio.put("low", 1.5);
        Map<String, Object> unknown = new LinkedHashMap<>();
        unknown.put("name", "b");
        unknown.put("ratio", null);
        unknown.put("more", List.of(Map.of("a", 1)));
        Map<String, Object> known = Map.of("name", "a", "ratio", ratio);
        Map<String, Object> none = new LinkedHashMap<>();
        none.put("probe", null);
        assertEquals(
                lines("name,ratio,ratio_low", "b,,", "a,2,1.5"),
                TextTable.csv(List.of("name"), List.of(unknown, known)));
        assertEquals(
                lines("probe_low", "", "1"),
                TextTable.csv(List.of(), List.of(none, Map.of("probe", Map.of("low", 1)))));
        assertEquals(lines("of", "a b; c"), TextTable.csv(List.of(), List.of(Map.of("of", List.of("a b", "c")))));
        assertEquals(lines("name"), TextTable.csv(List.of("name"), List.of()));
        for (String formula : List.of("=1+1", "+A1", "-A1", "@SUM(A1)", "\t=1", "=cmd|'/C'!A0", "-1+A1", "--1")) {
            assertEquals(lines("of", "'" + formula), TextTable.csv(List.of(), List.of(Map.of("of", formula))));
            assertEquals(
                    lines("of", "'" + formula + " b"),
                    TextTable.csv(List.of(), List.of(Map.of("of", List.of(formula, "b")))));
        }
        for (Object number : List.of(-1, -1.5, -2e-9, "-3.25", "+1e6", Double.NEGATIVE_INFINITY, 0.5, "a=b", "0-1")) {
            assertEquals(lines("of", number.toString()), TextTable.csv(List.of(), List.of(Map.of("of", number))));
        }
    }

    @Test
    void oneReportInAllForms() {
        Tables tables = new Tables().note("two | runs").add("", TABLE, RUNS).add("Again", TABLE, RUNS.subList(1, 2));
        assertEquals(
                "two | runs" + System.lineSeparator() + TABLE.of(RUNS) + System.lineSeparator() + "Again"
                        + System.lineSeparator() + TABLE.of(RUNS.subList(1, 2)),
                tables.text());
        assertTrue(
                tables.markdown().startsWith(lines("two \\| runs", "", "| name | time | note |")), tables.markdown());
        assertTrue(tables.markdown().contains(lines("", "**Again**", "", "| name | time | note |")), tables.markdown());
        assertEquals(TABLE.maps(RUNS), tables.maps());
        assertEquals(TextTable.csv(TABLE.fields(), TABLE.maps(RUNS)), tables.csv());
        assertEquals(List.of("", "Again"), List.copyOf(tables.cells().keySet()));
        assertEquals(1, tables.rows(List.of("line"), List::of).csv().lines().count());
    }
}
