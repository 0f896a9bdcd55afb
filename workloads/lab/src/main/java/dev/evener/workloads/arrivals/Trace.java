package dev.evener.workloads.arrivals;

import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.workload.Request;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Jobs of another system in the order of their arrival: what each computes, to be run, or what it took there, to be simulated.
 *
 * @param jobs the jobs, the first at 0
 * @param order places among the jobs, so that each comes behind those that it waits for
 * @param notes what of the file was left out or changed, or is not honoured, with its count, in one line each
 * @param <W> what is known of a job: a {@link Request}, or its {@link Times}
 */
public record Trace<W>(List<Job<W>> jobs, List<Integer> order, List<String> notes) {
    static final String PACKED = ".gz";
    private static final List<String> OF_LOGS = List.of("time", "processors", "gpu-times", "precedence", "due");

    /**
     * A job. It begins when it has arrived and those that it waits for have ended, however they ended.
     *
     * @param id its name in the trace
     * @param line where it stands in its file, or its number in JSON, from 1
     * @param nanos its arrival, at least 0
     * @param work what it runs, or took
     * @param terms on which it is run
     * @param after places among the jobs of those that must have ended before
     */
    public record Job<W>(String id, int line, long nanos, W work, Terms terms, List<Integer> after) {
        /** One of nobody in particular, without a deadline. */
        public Job(String id, int line, long nanos, W work, int priority, List<Integer> after) {
            this(id, line, nanos, work, Terms.of(priority), after);
        }
    }

    /**
     * What is asked of the system that runs a job.
     *
     * @param priority the higher, the sooner; 0 is usual
     * @param user whose it is; empty if that is not known
     * @param deadlineNanos by when its result is due, from its arrival on; -1 if it has no deadline
     * @param memoryBytes that a device needs to have for it
     */
    public record Terms(int priority, String user, long deadlineNanos, long memoryBytes) {
        static Terms of(int priority) {
            return new Terms(priority, "", -1, 0);
        }
    }

    /**
     * What a job took. At least one of its times is known; where both are equal, nothing is known of the processor's kind.
     *
     * @param cpuNanos the time that one CPU would take for all of it; -1 if it cannot run on one
     * @param gpuNanos likewise on one GPU
     * @param parts into which it may be cut, at least 1: the processors that it had
     * @param atOnce whether it needs as many devices at once
     */
    public record Times(long cpuNanos, long gpuNanos, int parts, boolean atOnce) {
        /** In seconds, on as many processors one after another; below 0 where it does not run. */
        static Times of(TraceBuilder<Times> to, double onCpu, double onGpu, double processors) {
            to.counted(
                    processors > 1 && !to.atOnce(),
                    "job on several processors, whose parts run when one is free, not at once");
            to.counted(
                    Math.max(onCpu, onGpu) > TraceBuilder.MOST_SECONDS,
                    "job of more than 9e9 s on one processor, which is simulated as that");
            int parts = (int) Math.min(1_000_000, processors);
            return new Times(TraceBuilder.nanos(onCpu), TraceBuilder.nanos(onGpu), parts, to.atOnce());
        }
    }

    /** By each job the places of those that wait for it. */
    public List<List<Integer>> followers() {
        return followers(jobs);
    }

    static <W> List<List<Integer>> followers(List<Job<W>> jobs) {
        List<List<Integer>> followers = new ArrayList<>();
        jobs.forEach(job -> followers.add(new ArrayList<>()));
        for (int i = 0; i < jobs.size(); i++) {
            int place = i;
            jobs.get(i).after().forEach(before -> followers.get(before).add(place));
        }
        return followers;
    }

    /** {@link #requests} or {@link #times}. */
    public interface Reader<W> {
        /** Reads a file by rules. */
        Trace<W> read(Path file, List<String> rules) throws IOException;
    }

    /** Whether a file's name says that it holds jobs that can be run: {@code .swf} or {@code .csv}, perhaps with {@code .gz}. */
    public static boolean isOfRequests(Path file) {
        return isLog(file) || plainName(file).endsWith(".csv");
    }

    /** Whether its name says that it can be simulated: one of these, or {@code .json}. */
    public static boolean isNameOf(Path file) {
        return isOfRequests(file) || plainName(file).endsWith(".json");
    }

    /** Whether such a file is a log, whose jobs become others' by rules. */
    public static boolean isLog(Path file) {
        return plainName(file).endsWith(".swf");
    }

    static String plainName(Path file) {
        String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
        return name.endsWith(PACKED) ? name.substring(0, name.length() - PACKED.length()) : name;
    }

    /**
     * Reads jobs to be run: a Standard Workload Format log if the name ends in {@code .swf}, else CSV; unpacked first if it ends in
     * {@code .gz}. docs/records.md describes both.
     *
     * @param rules what becomes of the jobs of a log, such as {@code scale=50}; CSV says so itself
     * @throws IOException if the file cannot be read
     * @throws DocumentException if it is not right: which file, which line, what is wrong, and what is allowed
     * @throws IllegalArgumentException if a rule is none
     */
    public static Trace<Request> requests(Path file, List<String> rules) throws IOException {
        if (isLog(file)) {
            return SwfRules.parse(rules).read(file);
        }
        TraceBuilder<Request> to = new TraceBuilder<>(Rules.NONE);
        CsvReader rows = new CsvReader(to, new LinkedHashMap<>());
        return to.read(file, "run", () -> {
            to.lines(file, new Table(rows, List.of()));
            rows.end();
        });
    }

    /**
     * Reads jobs to be simulated; docs/records.md describes the forms.
     *
     * @param rules such as {@code unit=ms} or, for a table, {@code arrival=HEADING}
     * @throws IOException if a file cannot be read
     * @throws DocumentException if it is not right: which file, which line, what is wrong, and what is allowed
     * @throws IllegalArgumentException if a rule is none
     */
    public static Trace<Times> times(Path file, List<String> rules) throws IOException {
        Rules parsed = Rules.parse(
                rules,
                Stream.of(
                                OF_LOGS,
                                List.of("unit", "flops", "jobs", "parts"),
                                TraceTable.RULES,
                                List.copyOf(TraceTable.COLUMNS.keySet()))
                        .flatMap(List::stream)
                        .toList());
        String name = plainName(file);
        check(parsed, name.endsWith(".swf"), "is for logs (.swf)", OF_LOGS);
        check(parsed, !name.endsWith(".json"), "is for logs (.swf) and tables (.csv)", List.of("unit"));
        check(parsed, name.endsWith(".csv"), "is for tables (.csv)", TraceTable.RULES);
        check(parsed, name.endsWith(".json"), "is for Batsim workloads (.json)", List.of("flops"));
        check(parsed, name.endsWith(".csv"), "names a heading of a table (.csv)", TraceTable.COLUMNS.keySet());
        TraceBuilder<Times> to = new TraceBuilder<>(parsed);
        return to.read(file, "simulated", () -> {
            if (name.endsWith(".json")) {
                double flops = parsed.number("flops", 1e9, 1, 1e18);
                if (!new PhillyReader(to).read(file) && !new WorkflowReader(to).read(file)) {
                    new BatsimReader(to, flops).read(file);
                }
            } else if (name.endsWith(".swf")) {
                new SwfReader<>(to, parsed, (fields, onCpu, onGpu, parts) -> Times.of(to, onCpu, onGpu, parts))
                        .read(file);
            } else {
                Rules all = parsed.or(TraceTable.form(parsed));
                to.lines(file, new Table(new TraceTable(to, all), TraceBuilder.names(all.text("headings", ""))));
            }
        });
    }

    private static void check(Rules rules, boolean fits, String why, Iterable<String> names) {
        for (String name : names) {
            if (!fits && rules.has(name)) {
                throw new IllegalArgumentException("'" + name + "' " + why);
            }
        }
    }
}
