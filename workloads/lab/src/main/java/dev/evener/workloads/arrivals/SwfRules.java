package dev.evener.workloads.arrivals;

import dev.evener.workloads.document.Suggestion;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Sizes;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.suite.Workloads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What becomes of the jobs of a Standard Workload Format log that are to be run. A job's size is its run time times its processors
 * times a scale; docs/records.md has every rule. Immutable.
 */
final class SwfRules {
    /** The fields that may choose the workload, as they follow one another in a line, and the place of the first. */
    private static final List<String> FIELDS = List.of("user", "group", "executable", "queue", "partition");

    private static final int FIRST_FIELD = 11;
    private static final List<String> NAMES = Stream.concat(
                    Stream.of("workload", "by", "scale", "least", "most"),
                    Stream.concat(SwfReader.RULES.stream(), Stream.of(Rules.SET)))
            .toList();

    private final Rules rules;
    private final List<Workload> workloads;
    private final int field; // that chooses among them
    private final double scale; // items for each second on one processor
    private final long least; // items of a job: smaller ones become as large, and larger ones as small
    private final long most;
    private final Map<String, String> parameters = new HashMap<>(); // for workloads that have one of that name

    private SwfRules(Rules rules) {
        this.rules = rules;
        workloads = Stream.of(rules.text("workload", "fma").split("\\+", -1))
                .map(name -> Workloads.named(name.strip()))
                .toList();
        field = FIRST_FIELD + (rules.has("by") ? rules.choice("by", FIELDS) : FIELDS.indexOf("executable"));
        scale = rules.number("scale", 100, 1e-9, 1e12);
        least = size("least", "1Ki");
        most = size("most", "4Mi");
        rules.values().forEach((name, value) -> {
            if (name.startsWith(Rules.SET)) {
                parameters.put(name.substring(Rules.SET.length()), value);
            }
        });
        check();
    }

    /**
     * Rules such as {@code scale=50} or {@code set.steps=10}; what is not named stays as it is.
     *
     * @throws IllegalArgumentException if one is none, saying what would be
     */
    static SwfRules parse(List<String> texts) {
        return new SwfRules(Rules.parse(texts, NAMES));
    }

    /** The requests of a log. */
    Trace<Request> read(Path file) throws IOException {
        TraceBuilder<Request> to = new TraceBuilder<>(rules);
        return to.read(
                file,
                "run",
                () -> new SwfReader<>(to, rules, (fields, seconds, onGpu, parts) -> request(fields, seconds, to))
                        .read(file));
    }

    private long size(String name, String otherwise) {
        try {
            return Sizes.parse(rules.text(name, otherwise));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
        }
    }

    /** Finds parameters that no workload has, values that are none, and sizes that are too much. */
    private void check() {
        if (least > most) {
            throw new IllegalArgumentException("least " + least + " is above most " + most);
        }
        List<String> known = workloads.stream()
                .flatMap(w -> w.parameters().stream())
                .map(Parameter::name)
                .distinct()
                .toList();
        for (String name : parameters.keySet()) {
            if (!known.contains(name)) {
                throw new IllegalArgumentException("there is no parameter '" + name + "'" + Suggestion.of(name, known)
                        + "; expected one of " + String.join(", ", known));
            }
        }
        for (Workload workload : workloads) {
            request(workload, least);
            request(workload, most);
        }
    }

    private Request request(Workload workload, long items) {
        return Request.synthetic(workload, Values.of(workload, parameters), items, Distribution.UNIFORM, 1);
    }

    /** The request of a job. Sizes are rounded to four binary digits, so that jobs of nearly one size share their data. */
    private Request request(double[] fields, double processorSeconds, TraceBuilder<Request> to) {
        double wanted = processorSeconds * scale;
        to.counted(wanted < least || wanted > most, "job brought within " + least + " and " + most + " items");
        long items = (long) Math.min(Math.max(wanted, (double) least), (double) most);
        long step = Math.max(1, Long.highestOneBit(items) / 8);
        long rounded = (items + step / 2) / step * step;
        double choice = fields[field]; // below 0 if it is not known
        Workload workload = workloads.get(choice < 0 ? 0 : (int) ((long) choice % workloads.size()));
        return request(workload, Math.min(Math.max(rounded, least), most));
    }
}
