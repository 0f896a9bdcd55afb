package dev.evener.workloads.arrivals;

import dev.evener.workloads.document.Suggestion;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Sizes;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.suite.Workloads;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What becomes of the jobs of a Standard Workload Format log. A job's size is its run time times its processors times a
 * scale; docs/arrivals.md has every rule.
 *
 * @param workloads which run, at least one
 * @param by which field of a job chooses among them
 * @param scale items for each second on one processor
 * @param least the fewest items of a job: smaller ones become as large
 * @param most the most items of a job: larger ones become as small
 * @param requestedTime whether the time that was asked for counts, rather than the time that was taken
 * @param requestedProcessors whether the processors that were asked for count, rather than those that were had
 * @param jobs how many jobs of the log are taken at most
 * @param parameters what workloads are set to that have a parameter of that name
 */
public record SwfRules(
        List<Workload> workloads,
        By by,
        double scale,
        long least,
        long most,
        boolean requestedTime,
        boolean requestedProcessors,
        int jobs,
        Map<String, String> parameters) {
    private static final String SET = "set.";
    private static final List<String> NAMES =
            List.of("workload", "by", "scale", "least", "most", "time", "processors", "jobs");

    /** Which field chooses the workload, by its place in a line, from 0. */
    public enum By {
        USER(11),
        GROUP(12),
        EXECUTABLE(13),
        QUEUE(14),
        PARTITION(15);

        private final int field;

        By(int field) {
            this.field = field;
        }

        int field() {
            return field;
        }

        static By named(String text) {
            return Stream.of(values())
                    .filter(b -> b.name().equalsIgnoreCase(text))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("'" + text + "' is not one of "
                            + Stream.of(values())
                                    .map(b -> b.name().toLowerCase(Locale.ROOT))
                                    .collect(Collectors.joining(", "))));
        }
    }

    public SwfRules {
        workloads = List.copyOf(workloads);
        parameters = Map.copyOf(parameters);
    }

    /** What applies unless something else is asked for. */
    public static SwfRules usual() {
        return parse(List.of());
    }

    /**
     * Rules such as {@code scale=50} or {@code set.steps=10}; what is not named stays as it is.
     *
     * @throws IllegalArgumentException if one is none, saying what would be
     */
    public static SwfRules parse(List<String> texts) {
        Map<String, String> rules = new LinkedHashMap<>();
        Map<String, String> parameters = new LinkedHashMap<>();
        for (String text : texts) {
            int equals = text.indexOf('=');
            String name = text.substring(0, Math.max(0, equals)).strip().toLowerCase(Locale.ROOT);
            boolean set = name.startsWith(SET);
            if (!set && !NAMES.contains(name)) {
                throw new IllegalArgumentException("'" + text + "' is no rule" + Suggestion.of(name, NAMES)
                        + "; expected NAME=VALUE with one of " + String.join(", ", NAMES) + ", or set.PARAMETER=VALUE");
            }
            Map<String, String> map = set ? parameters : rules;
            String value = text.substring(equals + 1).strip();
            if (map.put(set ? name.substring(SET.length()) : name, value) != null) {
                throw new IllegalArgumentException("'" + name + "' is there twice");
            }
        }
        return of(rules, parameters);
    }

    private static SwfRules of(Map<String, String> rules, Map<String, String> parameters) {
        List<Workload> workloads = new ArrayList<>();
        for (String name : rules.getOrDefault("workload", "fma").split("\\+", -1)) {
            workloads.add(Workloads.named(name.strip()));
        }
        long least = size(rules, "least", "1Ki");
        long most = size(rules, "most", "4Mi");
        if (least > most) {
            throw new IllegalArgumentException("least " + least + " is above most " + most);
        }
        SwfRules made = new SwfRules(
                workloads,
                By.named(rules.getOrDefault("by", "executable")),
                number(rules, "scale", "100", 1e-9, 1e12),
                least,
                most,
                requested(rules, "time", "run"),
                requested(rules, "processors", "allocated"),
                (int) number(rules, "jobs", String.valueOf(Arrivals.MOST_JOBS), 1, Arrivals.MOST_JOBS),
                parameters);
        made.check();
        return made;
    }

    private static long size(Map<String, String> rules, String name, String otherwise) {
        try {
            return Sizes.parse(rules.getOrDefault(name, otherwise));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
        }
    }

    private static double number(Map<String, String> rules, String name, String otherwise, double least, double most) {
        String text = rules.getOrDefault(name, otherwise);
        if (text.matches("\\d{1,15}(\\.\\d{1,15})?")) {
            double number = Double.parseDouble(text);
            if (number >= least && number <= most) {
                return number;
            }
        }
        throw new IllegalArgumentException(name + ": '" + text + "' is no number from " + least + " to " + most);
    }

    private static boolean requested(Map<String, String> rules, String name, String usual) {
        String text = rules.getOrDefault(name, usual).toLowerCase(Locale.ROOT);
        if (!text.equals(usual) && !text.equals("requested")) {
            throw new IllegalArgumentException(name + ": '" + text + "' is not one of " + usual + ", requested");
        }
        return text.equals("requested");
    }

    /** Finds parameters that no workload has, values that are none, and sizes that are too much. */
    private void check() {
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

    /** The workload of a job whose choosing field has this value; the first if it is unknown. */
    Workload workload(double choice) {
        return choice < 0 ? workloads.get(0) : workloads.get((int) ((long) choice % workloads.size()));
    }

    /**
     * The request of a job. Sizes are rounded to four binary digits, so that jobs of nearly one size share their data.
     *
     * @param processorSeconds run time times processors, above 0
     */
    Request request(Workload workload, double processorSeconds) {
        long items = (long) Math.min(Math.max(processorSeconds * scale, (double) least), (double) most);
        long step = Math.max(1, Long.highestOneBit(items) / 8);
        long rounded = (items + step / 2) / step * step;
        return request(workload, Math.min(Math.max(rounded, least), most));
    }

    /** Whether a job of so many processor-seconds keeps its size. */
    boolean withinBounds(double processorSeconds) {
        return processorSeconds * scale >= least && processorSeconds * scale <= most;
    }
}
