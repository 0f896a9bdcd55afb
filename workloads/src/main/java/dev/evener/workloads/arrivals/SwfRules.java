package dev.evener.workloads.arrivals;

import dev.evener.workloads.document.Suggestion;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Sizes;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.suite.Workloads;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What becomes of the jobs of a Standard Workload Format log. A job's size is its run time times its processors times a scale;
 * docs/records.md has every rule.
 *
 * @param workloads which run, at least one
 * @param field of a job that chooses among them, by its place in a line, from 0
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
        int field,
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

    /** The fields that may choose the workload, as they follow one another in a line, and the place of the first. */
    private static final List<String> FIELDS = List.of("user", "group", "executable", "queue", "partition");

    private static final int FIRST_FIELD = 11;

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
            String value = text.substring(equals + 1).strip();
            if ((set ? parameters : rules).put(set ? name.substring(SET.length()) : name, value) != null) {
                throw new IllegalArgumentException("'" + name + "' is there twice");
            }
        }
        String by = rules.getOrDefault("by", "executable").toLowerCase(Locale.ROOT);
        if (!FIELDS.contains(by)) {
            throw new IllegalArgumentException("'" + rules.get("by") + "' is not one of " + String.join(", ", FIELDS));
        }
        SwfRules made = new SwfRules(
                Stream.of(rules.getOrDefault("workload", "fma").split("\\+", -1))
                        .map(name -> Workloads.named(name.strip()))
                        .toList(),
                FIRST_FIELD + FIELDS.indexOf(by),
                number(rules, "scale", "100", 1e-9, 1e12),
                size(rules, "least", "1Ki"),
                size(rules, "most", "4Mi"),
                requested(rules, "time", "run"),
                requested(rules, "processors", "allocated"),
                (int) number(rules, "jobs", String.valueOf(Arrivals.MOST_JOBS), 1, Arrivals.MOST_JOBS),
                Map.copyOf(parameters));
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
        double number = text.matches("\\d{1,15}(\\.\\d{1,15})?") ? Double.parseDouble(text) : Double.NaN;
        if (!(number >= least && number <= most)) {
            throw new IllegalArgumentException(name + ": '" + text + "' is no number from " + least + " to " + most);
        }
        return number;
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

    /**
     * The request of a job. Sizes are rounded to four binary digits, so that jobs of nearly one size share their data.
     *
     * @param choice its choosing field; below 0 if that is not known
     * @param processorSeconds run time times processors, above 0
     */
    Request request(double choice, double processorSeconds) {
        long items = (long) Math.min(Math.max(processorSeconds * scale, (double) least), (double) most);
        long step = Math.max(1, Long.highestOneBit(items) / 8);
        long rounded = (items + step / 2) / step * step;
        Workload workload = workloads.get(choice < 0 ? 0 : (int) ((long) choice % workloads.size()));
        return request(workload, Math.min(Math.max(rounded, least), most));
    }

    /** Whether a job of so many processor-seconds keeps its size. */
    boolean withinBounds(double processorSeconds) {
        return processorSeconds * scale >= least && processorSeconds * scale <= most;
    }
}
