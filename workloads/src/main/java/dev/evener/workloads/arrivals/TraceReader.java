package dev.evener.workloads.arrivals;

import dev.evener.workloads.document.BoundedLines;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.Node;
import dev.evener.workloads.document.Suggestion;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
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
            batsim(file);
        } else if (name.endsWith(".swf")) {
            swf(file);
        } else {
            table(file);
        }
        at = file;
        return new Trace(
                jobs(),
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
    private boolean enough() {
        return rows.size() >= most;
    }

    void add(Row row) {
        if (places.putIfAbsent(row.id(), rows.size()) != null) {
            count("jobs have the name of an earlier one, after which others come");
        }
        rows.add(row);
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
        Map<String, Double> gpu = new HashMap<>();
        if (rules.containsKey("gpu-times")) {
            lines(sibling(file, "gpu-times"), (text, lines) -> {
                double[] fields = SwfReader.fields(text, lines);
                gpu.put(String.valueOf((long) fields[0]), SwfReader.seconds(fields, time) * unit);
            });
        }
        Map<String, List<String>> preceding = new HashMap<>();
        lines(file, (text, lines) -> {
            double[] fields = SwfReader.fields(text, lines);
            String id = String.valueOf((long) fields[0]);
            double seconds = SwfReader.seconds(fields, time) * unit;
            double had = SwfReader.processors(fields, processors);
            double arrival = tasks ? Math.max(0, fields[SwfReader.SUBMIT]) : fields[SwfReader.SUBMIT];
            double onGpu = rules.containsKey("gpu-times") ? gpu.getOrDefault(id, -1.0) : seconds;
            if (SwfReader.isPart(fields)) {
                count("lines left out: parts of jobs that are there as a whole");
            } else if (arrival < 0) {
                count("jobs left out: without a submit time");
            } else if ((seconds <= 0 && onGpu <= 0) || had == 0) {
                count("jobs left out: they did not run");
            } else {
                double parts = Math.max(1, had);
                add(new Row(id, lines.number(), arrival * unit, seconds * parts, onGpu * parts, parts, 0));
                counted(fields[6] > 0 || fields[9] > 0, "jobs with memory, which is not simulated");
                counted(fields[17] > 0, "jobs with a think time, which is not simulated");
                if (fields[16] > 0) {
                    preceding.put(id, List.of(String.valueOf((long) fields[16])));
                }
            }
        });
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

    private void batsim(Path file) throws IOException {
        String text;
        try (InputStream in = Arrivals.open(file)) {
            text = BoundedLines.utf8(in.readNBytes((int) Arrivals.LARGEST));
        }
        double flops = setting("flops", 1e9, 1, 1e18);
        try {
            Node document = Node.object(text);
            Node profiles = document.get("profiles");
            for (Node job : document.get("jobs").list(1, Arrivals.MOST_JOBS)) {
                if (enough()) {
                    break;
                }
                double processors = job.get("res").whole(1, 1_000_000);
                double arrival = job.get("subtime").number(0, Arrivals.MOST_SECONDS);
                String name = job.get("profile").scalar();
                Node profile = profiles.find(name);
                if (profile == null) {
                    throw job.get("profile").wrong("there is no profile '" + name + "'");
                }
                double seconds = seconds(profile, profiles, processors, flops, 0);
                if (seconds > 0) {
                    int priority = job.find("priority", 0, node -> (int) node.whole(-1000, 1000));
                    add(new Row(
                            job.get("id").scalar(), rows.size() + 1, arrival, seconds, seconds, processors, priority));
                } else {
                    count("jobs left out: of profiles that neither wait nor compute");
                }
            }
        } catch (DocumentException e) {
            throw e.where().isEmpty() ? e : e.in(Node.place(text, e.where()));
        }
    }

    /** What a profile takes on one processor. */
    private double seconds(Node profile, Node profiles, double processors, double flops, int depth) {
        if (depth > 20) {
            throw profile.wrong("is a sequence of itself");
        }
        String type = profile.get("type").text();
        counted(profile.find("com") != null, "phases with communication, which is not simulated");
        return switch (type) {
            case "delay" -> profile.get("delay").number(0, 1e9) * processors;
            case "parallel_homogeneous", "msg_par_hg" -> profile.get("cpu").number(0, 1e30) / flops * processors;
            case "parallel_homogeneous_total", "msg_par_hg_tot" ->
                profile.get("cpu").number(0, 1e30) / flops;
            case "parallel", "msg_par" ->
                profile.get("cpu").list(1, 1_000_000, node -> node.number(0, 1e30)).stream()
                                .mapToDouble(Double::doubleValue)
                                .sum()
                        / flops;
            case "composed", "sequence", "sequential_composition" -> {
                Node repeat = profile.find("repeat") == null ? profile.find("nb") : profile.find("repeat");
                double sum = 0;
                for (Node each : profile.get("seq").list(1, 1_000_000)) {
                    sum += seconds(profiles.get(each.scalar()), profiles, processors, flops, depth + 1);
                }
                yield sum * (repeat == null ? 1 : repeat.whole(1, 1_000_000));
            }
            default -> {
                count("phases of type " + type + ", which take no time");
                yield 0;
            }
        };
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
        acyclic(jobs);
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

    private static void acyclic(List<Trace.Job> jobs) {
        int[] awaited = jobs.stream().mapToInt(job -> job.after().size()).toArray();
        Map<Integer, List<Integer>> next = new HashMap<>();
        Deque<Integer> free = new ArrayDeque<>();
        for (int i = 0; i < awaited.length; i++) {
            int behind = i;
            jobs.get(i)
                    .after()
                    .forEach(p ->
                            next.computeIfAbsent(p, key -> new ArrayList<>()).add(behind));
            if (awaited[i] == 0) {
                free.add(i);
            }
        }
        int done = 0;
        for (; !free.isEmpty(); done++) {
            for (int behind : next.getOrDefault(free.remove(), List.of())) {
                if (--awaited[behind] == 0) {
                    free.add(behind);
                }
            }
        }
        for (int i = 0; done < awaited.length && i < awaited.length; i++) {
            if (awaited[i] > 0) {
                throw new DocumentException("job " + jobs.get(i).id(), "waits for itself: the precedence has a cycle");
            }
        }
    }
}
