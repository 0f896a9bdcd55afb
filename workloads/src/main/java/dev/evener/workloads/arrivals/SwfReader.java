package dev.evener.workloads.arrivals;

import dev.evener.workloads.arrivals.Arrivals.Arrival;
import dev.evener.workloads.document.BoundedLines;
import dev.evener.workloads.workload.Request;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Logs in the Standard Workload Format, version 2 (Chapin et al., "Benchmarks and Standards for the Evaluation of Parallel Job
 * Schedulers", 1999; the Parallel Workloads Archive): 18 numbers a line, one line a job, -1 for what is not known, comments
 * behind a semicolon. Logs of heterogeneous machines have a field more, which is passed over; {@link TraceReader} reads what they say beside.
 */
final class SwfReader {
    static final int FIELDS = 18;
    static final int SUBMIT = 1;
    private static final int RUN_TIME = 3;
    private static final int PROCESSORS = 4;
    private static final int REQUESTED_PROCESSORS = 7;
    private static final int REQUESTED_TIME = 8;
    private static final int STATUS = 10;

    /** Parts of a job that was checkpointed, which has a line of its own as a whole. */
    private static final int FIRST_PART = 2;

    private static final int LAST_PART = 4;
    private static final int CANCELLED = 5;

    private static final Pattern BLANKS = Pattern.compile("\\s+");
    private static final Pattern NUMBER = Pattern.compile("-?\\d{1,15}(\\.\\d{1,15})?");

    private final BoundedLines lines;
    private final SwfRules rules;
    private final List<Arrival> jobs = new ArrayList<>();
    private final Map<String, Integer> leftOut = new LinkedHashMap<>();
    private int bounded;
    private int longer;

    private SwfReader(BoundedLines lines, SwfRules rules) {
        this.lines = lines;
        this.rules = rules;
    }

    static Arrivals read(BoundedLines lines, SwfRules rules) throws IOException {
        SwfReader reader = new SwfReader(lines, rules);
        for (String line = lines.next(); line != null; line = lines.next()) {
            int comment = line.indexOf(';');
            String text = (comment < 0 ? line : line.substring(0, comment)).strip();
            if (!text.isEmpty()) {
                reader.job(text);
            }
            if (reader.jobs.size() == rules.jobs()) {
                break;
            }
        }
        return Arrivals.sorted(reader.jobs, reader.notes());
    }

    private void job(String text) {
        double[] fields = fields(text, lines);
        longer += fields.length > FIELDS ? 1 : 0;
        double seconds = seconds(fields, rules.requestedTime());
        double processors = processors(fields, rules.requestedProcessors());
        int status = (int) fields[STATUS];
        if (isPart(fields)) {
            leaveOut("parts of jobs that are there as a whole");
        } else if (fields[SUBMIT] < 0) {
            leaveOut("without a submit time");
        } else if (seconds <= 0 || (status == CANCELLED && fields[RUN_TIME] <= 0)) {
            leaveOut("that did not run");
        } else if (processors == 0) {
            leaveOut("without processors");
        } else {
            double work = seconds * (processors < 0 ? 1 : processors);
            if (!rules.withinBounds(work)) {
                bounded++;
            }
            Request request = rules.request(fields[rules.field()], work);
            Arrivals.add(jobs, new Arrival(Math.round(fields[SUBMIT] * 1e9), request, lines.number()), lines);
        }
    }

    /** What a job took, or asked for if that is wanted or all that is known; below 0 if nothing is. */
    static double seconds(double[] fields, boolean requested) {
        return known(fields, requested ? REQUESTED_TIME : RUN_TIME, REQUESTED_TIME, RUN_TIME);
    }

    /** Likewise its processors. */
    static double processors(double[] fields, boolean requested) {
        return known(fields, requested ? REQUESTED_PROCESSORS : PROCESSORS, REQUESTED_PROCESSORS, PROCESSORS);
    }

    /** Whether the line is a part of a job that has a line of its own as a whole. */
    static boolean isPart(double[] fields) {
        return fields[STATUS] >= FIRST_PART && fields[STATUS] <= LAST_PART;
    }

    /** The first of these that is known, else -1. */
    private static double known(double[] fields, int... candidates) {
        for (int candidate : candidates) {
            if (fields[candidate] >= 0) {
                return fields[candidate];
            }
        }
        return -1;
    }

    private void leaveOut(String why) {
        leftOut.merge(why, 1, Integer::sum);
    }

    /** The fields of a line; one more, 0, if it has more than the format's. */
    static double[] fields(String text, BoundedLines lines) {
        String[] texts = BLANKS.split(text, FIELDS + 1);
        if (texts.length < FIELDS) {
            throw lines.wrong("has " + texts.length + " fields; a job of the Standard Workload Format has " + FIELDS);
        }
        double[] fields = new double[texts.length];
        for (int i = 0; i < FIELDS; i++) {
            if (!NUMBER.matcher(texts[i]).matches()) {
                throw lines.wrong("field " + (i + 1) + ", '" + texts[i] + "', is no number");
            }
            fields[i] = Double.parseDouble(texts[i]);
        }
        if (fields[SUBMIT] > Arrivals.MOST_SECONDS) {
            throw lines.wrong("field 2, the submit time, is above " + (long) Arrivals.MOST_SECONDS + " seconds");
        }
        return fields;
    }

    private List<String> notes() {
        List<String> notes = new ArrayList<>();
        leftOut.forEach((why, count) -> notes.add(count + " lines left out: " + why));
        if (longer > 0) {
            notes.add(longer + " lines have more than " + FIELDS + " fields; what is behind these was not read");
        }
        if (bounded > 0) {
            notes.add(bounded + " of " + jobs.size() + " jobs were brought within " + rules.least() + " and "
                    + rules.most() + " items");
        }
        return notes;
    }
}
