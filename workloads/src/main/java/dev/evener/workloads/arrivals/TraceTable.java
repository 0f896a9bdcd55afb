package dev.evener.workloads.arrivals;

import dev.evener.workloads.document.BoundedLines;
import dev.evener.workloads.document.Suggestion;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A trace as a table: a line of headings, then a line for each job. docs/records.md describes the columns. For one file. */
final class TraceTable {
    /** Fields, each with the headings that it has unless a rule names another. */
    static final Map<String, List<String>> COLUMNS = columns();

    /** Headings whose numbers are thousandths or hundredths of a processor. */
    private static final Map<String, Integer> STEPS =
            Map.of("cpu_milli", 1000, "gpu_milli", 1000, "plan_cpu", 100, "plan_gpu", 100);

    private final TraceReader to;
    private final Map<String, String> rules;
    private final Map<String, Integer> found = new HashMap<>(); // the place of a field
    private final Map<String, Integer> steps = new HashMap<>(); // of a field, that make one
    private final Map<String, List<String>> before = new HashMap<>();

    TraceTable(TraceReader to, Map<String, String> rules) {
        this.to = to;
        this.rules = rules;
    }

    private static Map<String, List<String>> columns() {
        Map<String, List<String>> columns = new LinkedHashMap<>();
        columns.put("id", List.of("id", "name", "job_name"));
        columns.put("arrival", List.of("arrival_seconds", "creation_time", "submit_time", "start_time"));
        columns.put("start", List.of("scheduled_time", "start_time"));
        columns.put("end", List.of("deletion_time", "end_time"));
        columns.put("seconds", List.of("seconds", "run_time", "duration"));
        columns.put("cpu-seconds", List.of("cpu_seconds"));
        columns.put("gpu-seconds", List.of("gpu_seconds"));
        columns.put("cpus", List.of("processors", "cpu_milli", "plan_cpu"));
        columns.put("gpus", List.of("gpus", "num_gpu", "plan_gpu"));
        columns.put("share", List.of("gpu_milli"));
        columns.put("instances", List.of("inst_num"));
        columns.put("priority", List.of("priority", "qos"));
        columns.put("after", List.of("after"));
        columns.put("memory", List.of("memory_mib", "plan_mem"));
        columns.put("model", List.of("gpu_spec", "gpu_type"));
        return Collections.unmodifiableMap(columns);
    }

    /** The names of those before each job. */
    Map<String, List<String>> before() {
        return before;
    }

    void read(String text, BoundedLines lines) {
        List<String> cells = CsvReader.cells(text.startsWith("\ufeff") ? text.substring(1) : text, lines);
        if (found.isEmpty()) {
            headings(cells, lines);
        } else {
            row(new Cells(cells, found, lines));
        }
    }

    private void headings(List<String> cells, BoundedLines lines) {
        List<String> lower =
                cells.stream().map(cell -> cell.toLowerCase(Locale.ROOT)).toList();
        COLUMNS.forEach((field, usual) -> {
            String named = rules.get(field);
            for (String heading : named == null ? usual : List.of(named.toLowerCase(Locale.ROOT))) {
                if (lower.contains(heading) && !found.containsKey(field)) {
                    found.put(field, lower.indexOf(heading));
                    steps.put(field, STEPS.getOrDefault(heading, 1));
                }
            }
            if (named != null && !found.containsKey(field)) {
                throw lines.wrong("there is no column '" + named + "'" + Suggestion.of(named, lower));
            }
        });
        boolean times = found.containsKey("seconds")
                || found.containsKey("cpu-seconds")
                || found.containsKey("gpu-seconds")
                || (found.containsKey("start") && found.containsKey("end"));
        if (!found.containsKey("arrival") || !times) {
            throw lines.wrong("expected a heading for the arrival, " + String.join(", ", COLUMNS.get("arrival"))
                    + ", and seconds, cpu_seconds, gpu_seconds, or a beginning and an end; --map arrival=HEADING,"
                    + "seconds=HEADING names others");
        }
    }

    /** A line of a table. */
    private record Cells(List<String> cells, Map<String, Integer> found, BoundedLines lines) {
        Cells {
            int headings = Collections.max(found.values()) + 1;
            if (cells.size() < headings) {
                throw lines.wrong("has " + cells.size() + " cells; expected at least " + headings);
            }
        }

        String text(String field) {
            Integer place = found.get(field);
            String text = place == null ? "" : cells.get(place);
            return text.equalsIgnoreCase("nan") ? "" : text;
        }

        /** NaN if it is empty. */
        double number(String field) {
            String text = text(field);
            double number = TraceReader.number(text);
            if (!text.isEmpty() && (Double.isNaN(number) || number < 0 || number > 1e15)) {
                throw lines.wrong(field + " '" + text + "' is no number from 0 to 1e15");
            }
            return number;
        }

        double number(String field, double otherwise) {
            double number = number(field);
            return Double.isNaN(number) ? otherwise : number;
        }

        int priority() {
            return switch (text("priority").toUpperCase(Locale.ROOT)) {
                case "", "BE" -> 0;
                case "BURSTABLE", "GUARANTEED" -> 1;
                case "LS" -> 2;
                default -> {
                    if (!text("priority").matches("-?\\d{1,9}(\\.0+)?")) {
                        throw lines.wrong("priority '" + text("priority")
                                + "' is no whole number of at most 9 digits, nor LS, Burstable, Guaranteed or BE");
                    }
                    yield (int) Double.parseDouble(text("priority"));
                }
            };
        }
    }

    private void row(Cells cells) {
        BoundedLines lines = cells.lines();
        double arrival = cells.number("arrival");
        double seconds = cells.number("seconds", cells.number("end") - cells.number("start"));
        double onCpu = cells.number("cpu-seconds", -1);
        double onGpu = cells.number("gpu-seconds", -1);
        double instances = cells.number("instances", 1);
        double cpus = cells.number("cpus", 0) / steps.getOrDefault("cpus", 1) * instances;
        double whole = cells.number("gpus", 0) / steps.getOrDefault("gpus", 1) * instances;
        double gpus = whole == 1 ? cells.number("share", 1000) / 1000 : whole;
        String id = cells.text("id").isEmpty() ? String.valueOf(lines.number()) : cells.text("id");
        if (Double.isNaN(arrival) || (onCpu <= 0 && onGpu <= 0 && !(seconds > 0))) {
            to.count("jobs left out: without an arrival, a beginning or an end, or they did not run");
            return;
        }
        double parts = Math.max(1, Math.ceil(gpus > 0 ? gpus : cpus));
        if (onCpu <= 0 && onGpu <= 0) {
            boolean either =
                    !cells.found().containsKey("gpus") && !cells.found().containsKey("gpu-seconds");
            onCpu = gpus > 0 ? -1 : seconds * (cpus > 0 ? cpus : 1);
            onGpu = gpus > 0 ? seconds * gpus : either ? onCpu : -1;
        }
        to.add(new TraceReader.Row(id, lines.number(), arrival, onCpu, onGpu, parts, cells.priority()));
        to.counted(gpus > 0 && gpus % 1 > 0, "jobs with a share of a GPU, which count as that part of its time");
        to.counted(gpus > 0 && cpus > 0, "jobs with CPUs beside GPUs, of which the GPUs alone are simulated");
        to.counted(cells.number("memory", 0) > 0, "jobs with memory, which is not simulated");
        to.counted(!cells.text("model").isEmpty() && gpus > 0, "jobs for certain models of GPU, which run on any");
        if (!cells.text("after").isEmpty()) {
            before.put(id, TraceReader.names(cells.text("after")));
        }
    }
}
