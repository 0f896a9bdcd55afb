package dev.evener.workloads.arrivals;

import dev.evener.workloads.document.BoundedLines;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.Suggestion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Reads a {@link Trace}: a Standard Workload Format log, alone or one for each kind of processor with a file of precedence (Amaris et
 * al., "Generic algorithms for scheduling applications on hybrid multi-core machines", Euro-Par 2017); a table with headings, such as
 * those of Alibaba's GPU clusters (2020: {@code pai_task_table}; 2023: {@code openb_pod_list}); a Batsim workload. For one thread and
 * one file.
 */
final class TraceReader {
    private static final List<String> FILES = List.of("gpu-times", "precedence");
    private static final List<String> SETTINGS = List.of("unit", "time", "processors", "flops", "jobs");
    private static final Map<String, Double> UNITS = Map.of("s", 1.0, "ms", 1e-3, "us", 1e-6);

    private final Map<String, String> rules = new HashMap<>();
    private final List<Row> rows = new ArrayList<>();
    private final Map<String, Integer> places = new HashMap<>();
    private final Map<String, Integer> counts = new LinkedHashMap<>();
    private Map<String, List<String>> before = Map.of(); // of each job by its name
    private final int most;
    private Path at = Path.of("");

    /** A job whose arrival and predecessors are still as the file says. */
    record Row(
            String id,
            int line,
            double arrival,
            double cpuSeconds,
            double gpuSeconds,
            double processors,
            int priority) {}

    TraceReader(List<String> texts) {
        List<String> names = Stream.of(FILES, SETTINGS, TraceTable.COLUMNS.keySet())
                .flatMap(each -> each.stream())
                .toList();
        for (String text : texts) {
            int equals = text.indexOf('=');
            String name = text.substring(0, Math.max(0, equals)).strip().toLowerCase(Locale.ROOT);
            if (!names.contains(name)) {
                throw new IllegalArgumentException("'" + text + "' is no rule" + Suggestion.of(name, names)
                        + "; expected NAME=VALUE with one of " + String.join(", ", names));
            }
            if (rules.put(name, text.substring(equals + 1).strip()) != null) {
                throw new IllegalArgumentException("'" + name + "' is there twice");
            }
        }
        most = (int) setting("jobs", Arrivals.MOST_JOBS, 1, Arrivals.MOST_JOBS);
    }

    /** The file that is being read. */
    Path at() {
        return at;
    }

    Trace read(Path file) throws IOException {
        String name = Arrivals.plainName(file);
        check(name.endsWith(".swf"), "is for logs (.swf)", "unit", "time", "processors", "gpu-times", "precedence");
        check(name.endsWith(".json"), "is for Batsim workloads (.json)", "flops");
        if (!name.endsWith(".csv")) {
            check(
                    false,
                    "names a heading of a table (.csv)",
                    TraceTable.COLUMNS.keySet().toArray(String[]::new));
        }
        at = file;
        if (name.endsWith(".json")) {
            new BatsimReader(this, setting("flops", 1e9, 1, 1e18)).read(file);
        } else if (name.endsWith(".swf")) {
            swf(file);
        } else {
            table(file);
        }
        at = file;
        List<Trace.Job> jobs = jobs();
        return new Trace(
                jobs,
                ordered(jobs),
                counts.entrySet().stream()
                        .map(each -> each.getValue() + " " + each.getKey())
                        .toList());
    }

    private void check(boolean fits, String why, String... names) {
        for (String name : names) {
            if (!fits && rules.containsKey(name)) {
                throw new IllegalArgumentException("'" + name + "' " + why);
            }
        }
    }

    private double setting(String name, double otherwise, double least, double most) {
        String text = rules.get(name);
        double value = text == null ? otherwise : number(text);
        if (!(value >= least && value <= most)) {
            throw new IllegalArgumentException(name + ": '" + text + "' is no number from " + least + " to " + most);
        }
        return value;
    }

    /** NaN if it is none. */
    static double number(String text) {
        return text.matches("-?\\d{1,15}(\\.\\d{1,30})?([eE][-+]?\\d{1,3})?") ? Double.parseDouble(text) : Double.NaN;
    }

    void count(String what) {
        counts.merge(what, 1, Integer::sum);
    }

    /** Whether as many jobs were read as wanted. */
    boolean enough() {
        return rows.size() >= most;
    }

    void add(Row row) {
        if (places.putIfAbsent(row.id(), rows.size()) != null) {
            count("jobs have the name of an earlier one, after which others come");
        }
        rows.add(row);
    }

    /** A line of a log, and its number. */
    private static final class Line {
        final double[] fields;
        final int number;

        Line(double[] fields, int number) {
            this.fields = fields;
            this.number = number;
        }
    }

    private interface LogReader {
        void read(Line of, double seconds, double onGpu);
    }

    private interface LineReader {
        void read(String line, BoundedLines lines);
    }

    private void lines(Path file, LineReader reader) throws IOException {
        at = file;
        try (BoundedLines lines = new BoundedLines(Arrivals.open(file), Arrivals.LONGEST_LINE, Arrivals.LARGEST)) {
            for (String line = lines.next(); line != null && !enough(); line = lines.next()) {
                int comment = line.indexOf(';');
                String text =
                        (comment < 0 || Arrivals.plainName(file).endsWith(".csv") ? line : line.substring(0, comment));
                if (!text.isBlank() && !text.startsWith("#")) {
                    reader.read(text.strip(), lines);
                }
            }
        }
    }

    private void swf(Path file) throws IOException {
        Double unit = UNITS.get(rules.getOrDefault("unit", "s"));
        if (unit == null) {
            throw new IllegalArgumentException("unit: '" + rules.get("unit") + "' is not one of s, ms, us");
        }
        boolean time = "requested".equals(rules.get("time"));
        boolean processors = "requested".equals(rules.get("processors"));
        boolean tasks = FILES.stream().anyMatch(rules::containsKey); // which are all there at the beginning
        boolean both = rules.containsKey("gpu-times");
        Map<String, Line> gpu = new LinkedHashMap<>();
        if (both) {
            lines(sibling(file, "gpu-times"), (text, lines) -> {
                double[] fields = SwfReader.fields(text, lines);
                gpu.put(String.valueOf((long) fields[0]), new Line(fields, lines.number()));
            });
        }
        Map<String, List<String>> preceding = new HashMap<>();
        LogReader job = (of, seconds, onGpu) -> {
            double[] fields = of.fields;
            String id = String.valueOf((long) fields[0]);
            double had = SwfReader.processors(fields, processors);
            double arrival = tasks ? Math.max(0, fields[SwfReader.SUBMIT]) : fields[SwfReader.SUBMIT];
            if (SwfReader.isPart(fields)) {
                count("lines left out: parts of jobs that are there as a whole");
            } else if (arrival < 0) {
                count("jobs left out: without a submit time");
            } else if ((seconds <= 0 && onGpu <= 0) || had == 0) {
                count("jobs left out: they did not run");
            } else {
                double parts = Math.max(1, had);
                add(new Row(id, of.number, arrival * unit, seconds * parts * unit, onGpu * parts * unit, parts, 0));
                counted(fields[6] > 0 || fields[9] > 0, "jobs with memory, which is not simulated");
                counted(fields[17] > 0, "jobs with a think time, which is not simulated");
                if (fields[16] > 0) {
                    preceding.put(id, List.of(String.valueOf((long) fields[16])));
                }
            }
        };
        Set<String> seen = new HashSet<>();
        lines(file, (text, lines) -> {
            double[] fields = SwfReader.fields(text, lines);
            double seconds = SwfReader.seconds(fields, time);
            Line other = gpu.get(String.valueOf((long) fields[0]));
            seen.add(String.valueOf((long) fields[0]));
            double onGpu = both ? -1 : seconds;
            job.read(
                    new Line(fields, lines.number()),
                    seconds,
                    other == null ? onGpu : SwfReader.seconds(other.fields, time));
        });
        gpu.keySet().removeAll(seen);
        for (Line each : gpu.values()) { // which run on no CPU
            if (enough()) {
                break;
            }
            job.read(each, -1, SwfReader.seconds(each.fields, time));
        }
        before = preceding;
        if (rules.containsKey("precedence")) {
            precedence(sibling(file, "precedence"));
        }
    }

    private Path sibling(Path file, String rule) {
        return file.resolveSibling(rules.getOrDefault(rule, ""));
    }

    void counted(boolean is, String what) {
        if (is) {
            count(what);
        }
    }

    /** Lines such as {@code 7,3 5}: job 7 comes after 3 and 5. Those without a line in the log take no time. */
    private void precedence(Path file) throws IOException {
        Map<String, List<String>> found = new HashMap<>(before);
        at = file;
        try (BoundedLines lines = new BoundedLines(Arrivals.open(file), Arrivals.LONGEST_LINE, Arrivals.LARGEST)) {
            for (String line = lines.next(); line != null; line = lines.next()) {
                if (line.isBlank()) {
                    continue;
                }
                if (!line.matches("\\s*\\d{1,15}\\s*,(\\s*\\d{1,15})*\\s*")) {
                    throw lines.wrong("'" + line + "' is not a job, a comma and the jobs before it, such as 7,3 5");
                }
                int comma = line.indexOf(',');
                found.put(line.substring(0, comma).strip(), names(line.substring(comma + 1)));
            }
        }
        before = found;
    }

    static List<String> names(String text) {
        return Arrays.stream(text.strip().split("[\\s;|+]+", -1))
                .filter(name -> !name.isEmpty())
                .toList();
    }

    private void table(Path file) throws IOException {
        TraceTable table = new TraceTable(this, rules);
        lines(file, table::read);
        before = table.before();
    }

    /** In order of arrival, with the places of those before each. */
    private List<Trace.Job> jobs() {
        if (rows.isEmpty()) {
            throw new DocumentException("", "holds no job that could be simulated");
        }
        Integer[] order = new Integer[rows.size()];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, Comparator.comparingDouble(i -> rows.get(i).arrival()));
        int[] place = new int[rows.size()];
        for (int i = 0; i < order.length; i++) {
            place[order[i]] = i;
        }
        double first = rows.get(order[0]).arrival();
        List<Trace.Job> jobs = new ArrayList<>();
        for (int index : order) {
            Row row = rows.get(index);
            counted(row.processors() > 1, "jobs on several processors: their parts run when one is free, not at once");
            List<Integer> after = new ArrayList<>();
            for (String name : places.get(row.id()) == index ? computing(row.id()) : List.<String>of()) {
                after.add(place[places.get(name)]);
            }
            counted(
                    Math.max(row.cpuSeconds(), row.gpuSeconds()) > Arrivals.MOST_SECONDS,
                    "jobs take longer than 9e9 s on one processor, and are simulated as that");
            counted(row.arrival() - first > Arrivals.MOST_SECONDS, "jobs come after 9e9 s, and are simulated as then");
            long nanos = nanos(row.arrival() - first);
            int parts = (int) Math.min(1_000_000, row.processors());
            jobs.add(new Trace.Job(
                    row.id(),
                    row.line(),
                    nanos,
                    nanos(row.cpuSeconds()),
                    nanos(row.gpuSeconds()),
                    parts,
                    row.priority(),
                    after));
        }
        return jobs;
    }

    private static long nanos(double seconds) {
        return seconds < 0 ? -1 : Math.round(Math.min(Arrivals.MOST_SECONDS, seconds) * 1e9);
    }

    /** The jobs before one that are in the trace: where one is not, those before it. */
    private Set<String> computing(String id) {
        Set<String> found = new LinkedHashSet<>();
        Set<String> seen = new LinkedHashSet<>();
        Deque<String> open = new ArrayDeque<>(before.getOrDefault(id, List.of()));
        while (!open.isEmpty()) {
            String name = open.remove();
            if (places.containsKey(name)) {
                found.add(name);
            } else if (seen.add(name)) {
                open.addAll(before.getOrDefault(name, List.of()));
            }
        }
        return found;
    }

    /** Places so that each comes behind those that it waits for. */
    private static List<Integer> ordered(List<Trace.Job> jobs) {
        List<Integer> order = new ArrayList<>();
        boolean[] begun = new boolean[jobs.size()];
        boolean[] done = new boolean[jobs.size()];
        List<Integer> open = new ArrayList<>();
        for (int i = 0; i < begun.length; i++) {
            open.add(i);
            while (!open.isEmpty()) {
                int at = open.get(open.size() - 1);
                List<Integer> missing =
                        jobs.get(at).after().stream().filter(p -> !done[p]).toList();
                if (done[at] || missing.isEmpty()) {
                    open.remove(open.size() - 1);
                    if (!done[at]) {
                        done[at] = true;
                        order.add(at);
                    }
                } else if (begun[at]) {
                    throw new DocumentException(
                            "job " + jobs.get(i).id(), "waits for itself: the precedence has a cycle");
                } else {
                    begun[at] = true;
                    open.addAll(missing);
                }
            }
        }
        return order;
    }
}
