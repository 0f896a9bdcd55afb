package dev.evener.workloads.arrivals;

import dev.evener.workloads.document.BoundedLines;
import dev.evener.workloads.document.Suggestion;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A trace as a table: a line for each job, behind one of headings unless a rule has these. What a published table is,
 * is data: the headings that a field may have ({@link #COLUMNS}), and rules for a table as a whole ({@link #FORMS}).
 * docs/records.md describes them. For one file.
 */
final class TraceTable implements Table.Rows {
    /** Fields, each with the headings that it has unless a rule names another. */
    static final Map<String, List<String>> COLUMNS = columns();

    /** Rules of tables, beside those that name a heading. */
    static final List<String> RULES = List.of("form", "headings");

    /** Rules for tables that do not say what they are: those of Alibaba's batch_task.csv of 2018 have no headings. */
    private static final Map<String, Map<String, String>> FORMS = Map.of(
            "alibaba-2018",
            Map.of(
                    "headings",
                    "task_name+instance_num+job_name+task_type+status+start_time+end_time+plan_cpu+plan_mem",
                    "graph",
                    "task_name"));

    /** A task of a job, by its number, and the numbers of those before it, as in {@code M5_3_4}. Others stand alone. */
    private static final Pattern TASK = Pattern.compile("[A-Za-z]+(\\d+)((?:_\\d+)*)(?:_Stg\\d+)?");

    private static final List<String> TIMES =
            List.of("arrival", "start", "end", "seconds", "cpu-seconds", "gpu-seconds", "deadline");

    /** Headings whose numbers are thousandths or hundredths of a processor. */
    private static final Map<String, Integer> STEPS =
            Map.of("cpu_milli", 1000, "gpu_milli", 1000, "plan_cpu", 100, "plan_gpu", 100);

    /** What tables write where nothing is known. */
    private static final List<String> NOTHING = List.of("nan", "none", "null");

    private final TraceBuilder<Trace.Times> to;
    private final Rules rules;
    private final Map<String, String> found = new HashMap<>(); // the heading of a field

    TraceTable(TraceBuilder<Trace.Times> to, Rules rules) {
        this.to = to;
        this.rules = rules;
    }

    private static Map<String, List<String>> columns() {
        Map<String, List<String>> columns = new LinkedHashMap<>();
        columns.put("id", List.of("id", "name", "job_name", "job_id"));
        columns.put("arrival", List.of("arrival_seconds", "creation_time", "submit_time", "start_time"));
        columns.put("start", List.of("scheduled_time", "start_time"));
        columns.put("end", List.of("deletion_time", "end_time"));
        columns.put("seconds", List.of("seconds", "run_time", "duration"));
        columns.put("cpu-seconds", List.of("cpu_seconds"));
        columns.put("gpu-seconds", List.of("gpu_seconds"));
        columns.put("cpus", List.of("processors", "cpu_milli", "plan_cpu", "cpu_num"));
        columns.put("gpus", List.of("gpus", "num_gpu", "plan_gpu", "gpu_num"));
        columns.put("share", List.of("gpu_milli"));
        columns.put("instances", List.of("inst_num", "instance_num"));
        columns.put("priority", List.of("priority", "qos"));
        columns.put("after", List.of("after"));
        columns.put("graph", List.of());
        columns.put("memory", List.of("memory_mib", "plan_mem"));
        columns.put("user", List.of("user", "user_id"));
        columns.put("deadline", List.of("deadline_seconds"));
        columns.put("model", List.of("gpu_spec", "gpu_type"));
        return Collections.unmodifiableMap(columns);
    }

    /** The rules of the form that is named, if one is. */
    static Map<String, String> form(Rules rules) {
        List<String> names = FORMS.keySet().stream().sorted().toList();
        return rules.has("form") ? FORMS.getOrDefault(names.get(rules.choice("form", names)), Map.of()) : Map.of();
    }

    @Override
    public void headings(List<String> names, BoundedLines lines) {
        COLUMNS.forEach((field, usual) -> {
            String named = rules.text(field, "");
            List<String> wanted = named.isEmpty() ? usual : List.of(named.toLowerCase(Locale.ROOT));
            wanted.stream().filter(names::contains).findFirst().ifPresent(heading -> found.put(field, heading));
            if (!named.isEmpty() && !found.containsKey(field)) {
                throw lines.wrong("there is no column '" + named + "'" + Suggestion.of(named, names));
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
    private record Cells(Map<String, String> cells, Map<String, String> found, double unit, BoundedLines lines) {
        String text(String field) {
            String text = cells.getOrDefault(found.getOrDefault(field, ""), "");
            return NOTHING.contains(text.toLowerCase(Locale.ROOT)) ? "" : text;
        }

        /** In wholes; NaN if it is empty. */
        double number(String field) {
            String text = text(field);
            boolean time = TIMES.contains(field);
            double date = time ? Table.date(text) : Double.NaN;
            if (!Double.isNaN(date)) {
                return date;
            }
            double number = Table.number(text);
            if (!text.isEmpty() && (Double.isNaN(number) || number < 0 || number > 1e15)) {
                throw lines.wrong(field + " '" + text + "' is no number from 0 to 1e15"
                        + (time ? ", nor a date such as 2020-04-01 12:30:00" : ""));
            }
            return (time ? unit : 1) * number / STEPS.getOrDefault(found.getOrDefault(field, ""), 1);
        }

        double number(String field, double otherwise) {
            double number = number(field);
            return Double.isNaN(number) ? otherwise : number;
        }
    }

    @Override
    public void row(Map<String, String> row, BoundedLines lines) {
        Cells cells = new Cells(row, found, rules.unit(), lines);
        double arrival = cells.number("arrival");
        double seconds = cells.number("seconds", cells.number("end") - cells.number("start"));
        double onCpu = cells.number("cpu-seconds", -1);
        double onGpu = cells.number("gpu-seconds", -1);
        double instances = cells.number("instances", 1);
        double cpus = cells.number("cpus", 0) * instances;
        double whole = cells.number("gpus", 0) * instances;
        double gpus = whole == 1 ? cells.number("share", 1) : whole;
        String id = cells.text("id").isEmpty() ? String.valueOf(lines.number()) : cells.text("id");
        List<String> before = TraceBuilder.names(cells.text("after"));
        if (found.containsKey("graph")) { // tasks of a job, which say in their names which come before
            String job = id + "/";
            Matcher task = TASK.matcher(cells.text("graph"));
            boolean known = task.matches();
            id = job + (known ? task.group(1) : cells.text("graph"));
            before = Arrays.stream((known ? task.group(2) : "").split("_", -1))
                    .filter(number -> !number.isEmpty())
                    .map(number -> job + number)
                    .toList();
        }
        to.after(id, before);
        if (Double.isNaN(arrival) || (onCpu <= 0 && onGpu <= 0 && !(seconds > 0))) {
            to.count("job left out: without an arrival, a beginning or an end, or it did not run");
            return;
        }
        double parts = Math.max(1, Math.ceil(gpus > 0 ? gpus : cpus));
        if (onCpu <= 0 && onGpu <= 0) {
            boolean either = !found.containsKey("gpus") && !found.containsKey("gpu-seconds");
            onCpu = gpus > 0 ? -1 : seconds * (cpus > 0 ? cpus : 1);
            onGpu = gpus > 0 ? seconds * gpus : either ? onCpu : -1;
        }
        Trace.Times times = Trace.Times.of(to, onCpu, onGpu, parts);
        double due = cells.number("deadline", -1);
        boolean mebibytes = "memory_mib".equals(found.get("memory"));
        Trace.Terms terms = new Trace.Terms(
                Table.priority(cells.text("priority"), lines),
                cells.text("user"),
                TraceBuilder.nanos(due),
                mebibytes ? (long) (cells.number("memory", 0) * (1 << 20)) : 0);
        to.add(id, lines.number(), arrival, times, terms);
        to.counted(gpus > 0 && gpus % 1 > 0, "job with a share of a GPU, which counts as that part of its time");
        to.counted(gpus > 0 && cpus > 0, "job with CPUs beside GPUs, of which the GPUs alone are simulated");
        to.counted(
                !mebibytes && cells.number("memory", 0) > 0, "job with memory in other units, which is not honoured");
        to.counted(!cells.text("model").isEmpty() && gpus > 0, "job for a certain model of GPU, which runs on any");
    }
}
