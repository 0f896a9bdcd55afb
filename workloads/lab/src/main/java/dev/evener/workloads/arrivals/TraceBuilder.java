package dev.evener.workloads.arrivals;

import dev.evener.workloads.document.BoundedLines;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.TextTable;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
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
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/** A trace while it is read: jobs in any order, known by name, and the names of those before each. For one thread and one file. */
final class TraceBuilder<W> {
    static final int MOST_JOBS = 1_000_000;

    /** The latest arrival, in seconds: beyond that nanoseconds would not fit. */
    static final double MOST_SECONDS = 9e9;

    static final int LONGEST_LINE = 64 << 10;
    static final long LARGEST = 1L << 28;

    private final List<Row<W>> rows = new ArrayList<>();
    private final Map<String, Integer> places = new HashMap<>();
    private final Map<String, List<String>> before = new HashMap<>(); // of each job by its name
    private final List<String> again = new ArrayList<>(); // names that an earlier job has
    private final Map<String, Integer> counts = new LinkedHashMap<>();
    private final double most;
    private final boolean atOnce;
    private Path at = Path.of("");

    private record Row<W>(String id, int line, double arrival, W work, Trace.Terms terms) {}

    /** What reads a file. */
    interface Reading {
        void read() throws IOException;
    }

    /** What reads a line that is neither empty nor a comment. */
    interface LineReader {
        void read(String text, BoundedLines lines);
    }

    /**
     * @param rules of which {@code jobs} says how many are taken, and {@code parts} how jobs of several processors run
     */
    TraceBuilder(Rules rules) {
        most = rules.number("jobs", MOST_JOBS + 1, 1, MOST_JOBS + 1);
        atOnce = rules.choice("parts", List.of("any", "at-once")) > 0;
    }

    /** Whether parts of a job need as many devices at once. */
    boolean atOnce() {
        return atOnce;
    }

    /** All jobs of a file, with what is wrong there told with its name. */
    Trace<W> read(Path file, String what, Reading reading) throws IOException {
        at = file;
        try {
            reading.read();
            at = file;
            return trace(what);
        } catch (DocumentException e) {
            throw e.in(at);
        } catch (ZipException | EOFException e) {
            throw new DocumentException(at.toString(), "is damaged: " + e.getMessage());
        }
    }

    static InputStream open(Path file) throws IOException {
        InputStream raw = BoundedLines.open(file);
        if (!file.toString().toLowerCase(Locale.ROOT).endsWith(Trace.PACKED)) {
            return raw;
        }
        try {
            return new GZIPInputStream(new BufferedInputStream(raw));
        } catch (IOException e) {
            raw.close();
            throw e;
        }
    }

    /** Reads a file's lines without comments, until there are enough jobs. */
    void lines(Path file, LineReader reader) throws IOException {
        all(file, (text, lines) -> {
            if (!enough()) {
                reader.read(text, lines);
            }
        });
    }

    /** Reads all of them. */
    void all(Path file, LineReader reader) throws IOException {
        at = file;
        try (BoundedLines lines = Trace.isLog(file)
                ? new BoundedLines(open(file), LONGEST_LINE, LARGEST, ';')
                : new BoundedLines(open(file), LONGEST_LINE, LARGEST)) {
            for (String line = lines.next(); line != null; line = lines.next()) {
                if (!line.isBlank()) {
                    reader.read(line.strip(), lines);
                }
            }
        }
    }

    /**
     * One more job.
     *
     * @param arrival in seconds, from any beginning
     */
    void add(String id, int line, double arrival, W work, Trace.Terms terms) {
        if (rows.size() == MOST_JOBS) {
            throw new DocumentException("line " + line, "there are more than " + MOST_JOBS + " jobs");
        }
        if (places.putIfAbsent(id, rows.size()) != null) {
            again.add(id);
        }
        rows.add(new Row<>(id, line, arrival, work, terms));
    }

    /** Says which jobs come before one, whether it is one of the trace or stands for those before it. */
    void after(String id, List<String> names) {
        before.put(id, names);
    }

    static List<String> names(String text) {
        return Arrays.stream(text.strip().split("[\\s;|+]+", -1))
                .filter(name -> !name.isEmpty())
                .toList();
    }

    /** Counts what is left out or not honoured; the first word is a noun in the singular. */
    void count(String what) {
        counts.merge(what, 1, Integer::sum);
    }

    void counted(boolean is, String what) {
        if (is) {
            count(what);
        }
    }

    /** Whether as many jobs were read as wanted. */
    boolean enough() {
        return rows.size() >= most;
    }

    private Trace<W> trace(String what) {
        List<Trace.Job<W>> jobs = jobs();
        Set<String> awaited = before.values().stream().flatMap(List::stream).collect(Collectors.toSet());
        again.forEach(name ->
                counted(awaited.contains(name), "job with the name of an earlier one, after which others come"));
        List<String> notes = new ArrayList<>();
        counts.forEach((text, count) -> {
            String[] words = text.split(" ", 2);
            notes.add(TextTable.counted(count, words[0]) + " " + words[1]);
        });
        if (jobs.isEmpty()) {
            String why = notes.isEmpty() ? "" : ": " + String.join("; ", notes);
            throw new DocumentException("", "holds no job that could be " + what + why);
        }
        return new Trace<>(jobs, ordered(jobs), notes);
    }

    /** In order of arrival, those at the same time in that of the file, with the places of those before each. */
    private List<Trace.Job<W>> jobs() {
        Integer[] order = new Integer[rows.size()];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, Comparator.comparingDouble(i -> rows.get(i).arrival()));
        int[] place = new int[rows.size()];
        for (int i = 0; i < order.length; i++) {
            place[order[i]] = i;
        }
        List<Trace.Job<W>> jobs = new ArrayList<>();
        for (int index : order) {
            Row<W> row = rows.get(index);
            double arrival = row.arrival() - rows.get(order[0]).arrival();
            counted(arrival > MOST_SECONDS, "job later than 9e9 s, which counts as then");
            List<Integer> after = new ArrayList<>();
            if (places.get(row.id()) == index) {
                computing(row.id()).forEach(name -> after.add(place[places.get(name)]));
            }
            jobs.add(new Trace.Job<>(row.id(), row.line(), nanos(arrival), row.work(), row.terms(), after));
        }
        return jobs;
    }

    static long nanos(double seconds) {
        return seconds < 0 ? -1 : Math.round(Math.min(MOST_SECONDS, seconds) * 1e9);
    }

    /** The jobs before one that are in the trace: where one is not, those before it. */
    private Set<String> computing(String id) {
        Set<String> found = new LinkedHashSet<>();
        Set<String> seen = new HashSet<>();
        Deque<String> open = new ArrayDeque<>(before.getOrDefault(id, List.of()));
        while (!open.isEmpty()) {
            String name = open.remove();
            if (places.containsKey(name)) {
                found.add(name);
            } else if (seen.add(name)) {
                counted(!before.containsKey(name), "job after one that is not there, for which it does not wait");
                open.addAll(before.getOrDefault(name, List.of()));
            }
        }
        return found;
    }

    /** Places so that each comes behind those that it waits for. */
    private static <W> List<Integer> ordered(List<Trace.Job<W>> jobs) {
        List<List<Integer>> next = Trace.followers(jobs);
        int[] awaited = jobs.stream().mapToInt(job -> job.after().size()).toArray();
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < awaited.length; i++) {
            if (awaited[i] == 0) {
                order.add(i);
            }
        }
        for (int done = 0; done < order.size(); done++) {
            for (int place : next.get(order.get(done))) {
                awaited[place]--;
                if (awaited[place] == 0) {
                    order.add(place);
                }
            }
        }
        for (int i = 0; i < awaited.length; i++) {
            if (awaited[i] > 0) {
                throw new DocumentException("job " + jobs.get(i).id(), "waits for itself: the precedence has a cycle");
            }
        }
        return order;
    }
}
