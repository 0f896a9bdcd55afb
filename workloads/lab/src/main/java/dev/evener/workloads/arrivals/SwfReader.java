package dev.evener.workloads.arrivals;

import dev.evener.workloads.document.BoundedLines;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Logs in the Standard Workload Format, version 2 (Chapin et al., "Benchmarks and Standards for the Evaluation of Parallel Job
 * Schedulers", 1999; the Parallel Workloads Archive): 18 numbers a line, one line a job, -1 for what is not known, comments
 * behind a semicolon. Of heterogeneous machines there is one log for each kind of processor, with a field more, which is passed over,
 * and a file of precedence (Amaris et al., "Generic algorithms for scheduling applications on hybrid multi-core machines", Euro-Par
 * 2017). For one thread and one log.
 */
final class SwfReader<W> {
    /** Rules of which the readers of logs know. */
    static final List<String> RULES = List.of("time", "processors", "precedence", "due", "jobs");

    private static final int FIELDS = 18;
    private static final int SUBMIT = 1;
    private static final int RUN_TIME = 3;
    private static final int PROCESSORS = 4;
    private static final int USED_MEMORY = 6;
    private static final int REQUESTED_PROCESSORS = 7;
    private static final int REQUESTED_TIME = 8;
    private static final int REQUESTED_MEMORY = 9;
    private static final int STATUS = 10;
    private static final int USER = 11;
    private static final int PRECEDING = 16;
    private static final int THINK_TIME = 17;
    private static final int LINE = FIELDS;

    /** Parts of a job that was checkpointed, which has a line of its own as a whole. */
    private static final int FIRST_PART = 2;

    private static final int LAST_PART = 4;
    private static final int CANCELLED = 5;

    private static final Pattern BLANKS = Pattern.compile("\\s+");
    private static final Pattern NUMBER = Pattern.compile("-?\\d{1,15}(\\.\\d{1,15})?([eE][-+]?\\d{1,2})?");

    private final TraceBuilder<W> to;
    private final Rules rules;
    private final Works<W> works;
    private final double unit;
    private final double deadline; // in times what a job asked for
    private final boolean requestedTime;
    private final boolean requestedProcessors;
    private final boolean tasks; // which are all there at the beginning
    private final boolean both;

    /** What becomes of a job. */
    interface Works<W> {
        /**
         * What is known of it.
         *
         * @param fields of its line
         * @param cpuSeconds on all of its processors one after another; not above 0 if it does not run on a CPU
         * @param gpuSeconds likewise
         */
        W of(double[] fields, double cpuSeconds, double gpuSeconds, double processors);
    }

    SwfReader(TraceBuilder<W> to, Rules rules, Works<W> works) {
        this.to = to;
        this.rules = rules;
        this.works = works;
        unit = rules.unit();
        deadline = rules.number("due", 0, 0, 1e9);
        requestedTime = rules.choice("time", List.of("run", "requested")) > 0;
        requestedProcessors = rules.choice("processors", List.of("allocated", "requested")) > 0;
        both = rules.has("gpu-times");
        tasks = both || rules.has("precedence");
    }

    void read(Path file) throws IOException {
        Map<Double, double[]> gpu = new LinkedHashMap<>();
        if (both) {
            to.lines(sibling(file, "gpu-times"), (text, lines) -> {
                double[] fields = fields(text, lines);
                gpu.put(fields[0], fields);
            });
        }
        to.lines(file, (text, lines) -> {
            double[] fields = fields(text, lines);
            double[] other = gpu.remove(fields[0]);
            double seconds = seconds(fields);
            job(fields, seconds, other != null ? seconds(other) : both ? -1 : seconds);
        });
        for (double[] each : gpu.values()) { // which run on no CPU
            if (!to.enough()) {
                job(each, -1, seconds(each));
            }
        }
        if (rules.has("precedence")) {
            precedence(sibling(file, "precedence"));
        }
    }

    private Path sibling(Path file, String rule) {
        return file.resolveSibling(rules.text(rule, ""));
    }

    private void job(double[] fields, double onCpu, double onGpu) {
        double had = requestedProcessors
                ? known(fields, REQUESTED_PROCESSORS, PROCESSORS)
                : known(fields, PROCESSORS, REQUESTED_PROCESSORS);
        double arrival = tasks ? Math.max(0, fields[SUBMIT]) : fields[SUBMIT];
        String id = id(fields[0]);
        if (fields[PRECEDING] > 0) {
            to.after(id, List.of(id(fields[PRECEDING])));
        }
        if (fields[STATUS] >= FIRST_PART && fields[STATUS] <= LAST_PART) {
            to.count("line left out: part of a job that is there as a whole");
        } else if (arrival < 0) {
            to.count("job left out: without a submit time");
        } else if ((onCpu <= 0 && onGpu <= 0) || (fields[STATUS] == CANCELLED && fields[RUN_TIME] <= 0)) {
            to.count("job left out: it did not run");
        } else if (had == 0) {
            to.count("job left out: without processors");
        } else {
            double parts = Math.max(1, had);
            W work = works.of(fields, onCpu * parts * unit, onGpu * parts * unit, parts);
            double asked = known(fields, REQUESTED_TIME, RUN_TIME); // seconds, and KB of each processor
            double kilobytes = known(fields, REQUESTED_MEMORY, USED_MEMORY);
            to.add(
                    id,
                    (int) fields[LINE],
                    arrival * unit,
                    work,
                    new Trace.Terms(
                            0,
                            fields[USER] < 0 ? "" : id(fields[USER]),
                            deadline > 0 ? TraceBuilder.nanos(asked * unit * deadline) : -1,
                            (long) (1024 * Math.max(0, kilobytes))));
            to.counted(fields[THINK_TIME] > 0, "job with a think time, which is not honoured");
        }
    }

    /** Lines such as {@code 7,3 5}: job 7 comes after 3 and 5. Those without a line in the log take no time. */
    private void precedence(Path file) throws IOException {
        to.all(file, (line, lines) -> {
            if (!line.matches("\\d{1,15}\\s*,(\\s*\\d{1,15})*")) {
                throw lines.wrong("'" + line + "' is not a job, a comma and the jobs before it, such as 7,3 5");
            }
            int comma = line.indexOf(',');
            to.after(line.substring(0, comma).strip(), TraceBuilder.names(line.substring(comma + 1)));
        });
    }

    private static String id(double number) {
        return String.valueOf((long) number);
    }

    /** What a job took, or asked for if that is wanted or all that is known; below 0 if nothing is. */
    private double seconds(double[] fields) {
        return requestedTime ? known(fields, REQUESTED_TIME, RUN_TIME) : known(fields, RUN_TIME, REQUESTED_TIME);
    }

    /** The first of these that is known, else -1. */
    private static double known(double[] fields, int first, int second) {
        return fields[first] >= 0 ? fields[first] : Math.max(-1, fields[second]);
    }

    /** The fields of a line, and its number behind them. */
    private double[] fields(String text, BoundedLines lines) {
        String[] texts = BLANKS.split(text, FIELDS + 1);
        if (texts.length < FIELDS) {
            throw lines.wrong("has " + texts.length + " fields; a job of the Standard Workload Format has " + FIELDS);
        }
        double[] fields = new double[FIELDS + 1];
        for (int i = 0; i < FIELDS; i++) {
            if (!NUMBER.matcher(texts[i]).matches()) {
                throw lines.wrong("field " + (i + 1) + ", '" + texts[i] + "', is no number");
            }
            fields[i] = Double.parseDouble(texts[i]);
        }
        if (fields[SUBMIT] > TraceBuilder.MOST_SECONDS) {
            throw lines.wrong("field 2, the submit time, is above " + (long) TraceBuilder.MOST_SECONDS + " seconds");
        }
        to.counted(texts.length > FIELDS && !both, "line with more than 18 fields, of which no more were read");
        fields[LINE] = lines.number();
        return fields;
    }
}
