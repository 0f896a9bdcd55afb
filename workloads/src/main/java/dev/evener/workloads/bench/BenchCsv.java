package dev.evener.workloads.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Results as CSV (RFC 4180, but with the system's line ends): one row for each contender of each, with the single values of
 * their JSON, so that both say the same. A figure that is not known is an empty field. Stateless.
 */
public final class BenchCsv {
    private static final List<String> OF_CASE = List.of(
            "workload", "items", "selector", "devices", "parameters", "distribution", "scenario", "timing", "rounds");
    private static final Set<String> LEFT_OUT = Set.of("seconds", "explanation", "recovered");

    private BenchCsv() {}

    /** The headings, then the rows. */
    public static String text(List<Result> results) {
        Set<String> headings = new LinkedHashSet<>();
        List<Map<String, String>> rows = new ArrayList<>();
        for (Result result : results) {
            Map<String, Object> map = ResultJson.toMap(result);
            map.put("devices", result.devices().stream().map(d -> d.id()).toList());
            map.keySet().retainAll(OF_CASE);
            for (Object contender : (List<?>) ResultJson.toMap(result).get("contenders")) {
                Map<String, String> row = new LinkedHashMap<>();
                OF_CASE.forEach(name -> row.put(name, text(map.get(name))));
                ((Map<?, ?>) contender).forEach((name, value) -> flatten(row, String.valueOf(name), value));
                headings.addAll(row.keySet());
                rows.add(row);
            }
        }
        StringBuilder csv = new StringBuilder();
        line(csv, headings.stream().map(BenchCsv::heading).toList());
        rows.forEach(row ->
                line(csv, headings.stream().map(h -> row.getOrDefault(h, "")).toList()));
        return csv.toString();
    }

    private static void flatten(Map<String, String> row, String name, @Nullable Object value) {
        if (name.equals("ratios")) {
            ((Map<?, ?>) value).forEach((yardstick, ratio) -> {
                if (ratio instanceof Map<?, ?> figures) {
                    figures.forEach((end, figure) ->
                            row.put("x " + yardstick + (end.equals("value") ? "" : " " + end), text(figure)));
                }
            });
        } else if (!LEFT_OUT.contains(name)) {
            row.put(name, text(value));
        }
    }

    /** In lower case, words joined by underscores. */
    private static String heading(String name) {
        return name.replaceAll("([a-z])([A-Z])", "$1_$2").replaceAll("\\W", "_").toLowerCase(Locale.ROOT);
    }

    private static String text(@Nullable Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(BenchCsv::text).collect(Collectors.joining(" "));
        }
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(e -> e.getKey() + "=" + e.getValue())
                    .collect(Collectors.joining(" "));
        }
        if (value instanceof Double number && number == Math.rint(number) && Math.abs(number) < 1e15) {
            return Long.toString(number.longValue());
        }
        return value == null ? "" : value.toString();
    }

    private static void line(StringBuilder csv, List<String> cells) {
        csv.append(cells.stream()
                        .map(c -> c.matches("(?s).*[,\"\\n\\r].*") ? '"' + c.replace("\"", "\"\"") + '"' : c)
                        .collect(Collectors.joining(",")))
                .append(System.lineSeparator());
    }
}
