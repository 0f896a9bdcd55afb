package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What docs/report.md promises of the JSON, read from its tables: each field is there, with its type, and no other is. */
final class ReportSchema {
    private static final Pattern NAME = Pattern.compile("`(\\w+)`");
    private static final Map<String, String> STAGE = Map.of(
            "stage", "string",
            "workers", "integer",
            "frames", "integer",
            "busySeconds", "number",
            "waitingSeconds", "number",
            "heldSeconds", "number");
    private static final Map<String, String> TYPICAL_FRAME = Map.of(
            "deviceSeconds", "number",
            "wallSeconds", "number",
            "overheadSeconds", "number",
            "busyImbalance", "number",
            "speedUpOverBestSingle", "number or null");

    private final Map<String, String> report;
    private final Map<String, String> device;
    private final Map<String, String> frame;
    private final Map<String, String> decision;
    private final Map<String, String> set;
    private final Map<String, String> lane;

    private ReportSchema(String page, String own) {
        report = table(page, "### Every workload\n");
        report.putAll(table(page, own));
        device = table(page, "A device:\n");
        frame = table(page, "A frame of `frameList`:\n");
        decision = table(page, "`decision` says why the work");
        set = table(page, "A set of `considered`:\n");
        lane = table(page, "A device of `lanes`:\n");
    }

    static ReportSchema ofTonemap() throws IOException {
        return new ReportSchema(Files.readString(Path.of("..", "docs", "report.md")), "### `tonemap`\n");
    }

    static ReportSchema ofRun() throws IOException {
        return new ReportSchema(Files.readString(Path.of("..", "docs", "report.md")), "### `run`\n");
    }

    /** Names and types of the table after a line of the page. */
    static Map<String, String> table(String page, String heading) {
        int at = page.indexOf(heading);
        assertTrue(at >= 0, () -> "docs/report.md has no " + heading);
        Map<String, String> types = new LinkedHashMap<>();
        page.substring(at)
                .lines()
                .dropWhile(line -> !line.startsWith("| ---"))
                .skip(1)
                .takeWhile(line -> line.startsWith("|"))
                .forEach(line -> {
                    String[] cells = line.split("\\|", -1);
                    Matcher names = NAME.matcher(cells[1]);
                    while (names.find()) {
                        types.put(names.group(1), cells[2].strip());
                    }
                });
        assertFalse(types.isEmpty(), () -> "docs/report.md has no table after " + heading);
        return types;
    }

    /** Fails unless the JSON is what the page says. */
    void check(Map<String, Object> json) {
        object("report", json, report);
        objects(json, "devices").forEach(d -> object("device", d, device));
        objects(json, "frameList").forEach(f -> object("frame", f, frame));
        objects(json, "stages").forEach(s -> object("stage", s, STAGE));
        if (json.get("typicalFrame") instanceof Map<?, ?> typical) {
            object("typicalFrame", typical, TYPICAL_FRAME);
        }
        List<?> stages =
                objects(json, "stages").stream().map(s -> s.get("stage")).toList();
        assertEquals(List.of("read", "devices", "write"), stages);
    }

    /** The same for a report of {@code run}. */
    void checkRun(Map<String, Object> json) {
        object("report", json, report);
        objects(json, "devices").forEach(d -> object("device", d, device));
        if (json.get("decision") instanceof Map<?, ?> made) {
            object("decision", made, decision);
            objects(made, "considered").forEach(s -> object("set", s, set));
            objects(made, "lanes").forEach(l -> object("lane", l, lane));
        }
    }

    /** Fails unless the object has these fields, with these types, and no other. */
    static void object(String what, Map<?, ?> json, Map<String, String> types) {
        assertEquals(types.keySet().stream().sorted().toList(), keys(json), () -> "fields of a " + what);
        types.forEach((name, type) -> {
            Object value = json.get(name);
            boolean right = Stream.of(type.split(" or ", -1)).anyMatch(t -> is(t, value));
            assertTrue(right, () -> what + "." + name + " is to be " + type + ", not " + value);
        });
    }

    private static List<String> keys(Map<?, ?> json) {
        return json.keySet().stream().map(Object::toString).sorted().toList();
    }

    private static boolean is(String type, Object value) {
        return switch (type) {
            case "string" -> value instanceof String s && !s.isEmpty();
            case "integer" -> value instanceof Integer || value instanceof Long || value instanceof BigInteger;
            case "number" -> value instanceof Number n && Double.isFinite(n.doubleValue());
            case "boolean" -> value instanceof Boolean;
            case "null" -> value == null;
            case "object" -> value instanceof Map;
            case "array of objects" -> isList(value, "object");
            case "array of strings" -> isList(value, "string");
            case "array of numbers" -> isList(value, "number");
            default -> throw new AssertionError("docs/report.md has a type that this test does not know: " + type);
        };
    }

    private static boolean isList(Object value, String type) {
        return value instanceof List<?> list && list.stream().allMatch(item -> is(type, item));
    }

    /** The objects of an array. */
    static List<Map<?, ?>> objects(Map<?, ?> json, String name) {
        return ((List<?>) json.get(name)).stream().map(o -> (Map<?, ?>) o).collect(Collectors.toList());
    }

    static double number(Map<?, ?> json, String name) {
        return ((Number) json.get(name)).doubleValue();
    }

    /** The numbers of an array. */
    static double[] numbers(Map<?, ?> json, String name) {
        return ((List<?>) json.get(name))
                .stream().mapToDouble(n -> ((Number) n).doubleValue()).toArray();
    }
}
