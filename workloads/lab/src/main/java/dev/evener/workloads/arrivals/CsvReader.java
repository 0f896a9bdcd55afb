package dev.evener.workloads.arrivals;

import dev.evener.workloads.document.BoundedLines;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.Suggestion;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Sizes;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.suite.Workloads;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Jobs to be run as CSV. docs/records.md describes the columns. For one file. */
record CsvReader(TraceBuilder<Request> to, Map<String, DocumentException> unknown) implements Table.Rows {
    private static final List<String> NEEDED = List.of("arrival_seconds", "workload", "size");
    private static final List<String> OTHERS =
            List.of("distribution", "seed", "id", "after", "priority", "user", "deadline_seconds");

    @Override
    public void headings(List<String> names, BoundedLines lines) {
        if (new HashSet<>(names).size() < names.size()) {
            throw lines.wrong("a heading is there twice");
        }
        for (String needed : NEEDED) {
            if (!names.contains(needed)) {
                throw lines.wrong("the heading '" + needed + "' is missing; expected " + String.join(", ", NEEDED)
                        + ", and if you like " + String.join(", ", OTHERS) + " and parameters of the workloads");
            }
        }
        List<String> allowed = Stream.of(
                        NEEDED.stream(),
                        OTHERS.stream(),
                        Workloads.all().stream()
                                .flatMap(w -> w.parameters().stream())
                                .map(Parameter::name))
                .flatMap(each -> each)
                .distinct()
                .toList();
        for (String heading : names) {
            if (!allowed.contains(heading)) { // unless a file of kernels has such a parameter
                unknown.putIfAbsent(
                        heading,
                        lines.wrong("there is no column '" + heading + "'" + Suggestion.of(heading, allowed)
                                + "; expected one of " + String.join(", ", allowed)
                                + ", or a parameter of a file of kernels that is named below"));
            }
        }
    }

    /** Refuses headings that no workload had. */
    void end() {
        unknown.values().forEach(wrong -> {
            throw wrong;
        });
    }

    @Override
    public void row(Map<String, String> cells, BoundedLines lines) {
        for (String needed : NEEDED) {
            if (!cells.containsKey(needed)) {
                throw lines.wrong(needed + " is empty");
            }
        }
        try {
            Workload workload = Workloads.named(cells.get("workload"));
            String seed = cells.getOrDefault("seed", "1");
            if (!seed.matches("-?\\d{1,18}")) {
                throw lines.wrong("seed '" + seed + "' is no whole number");
            }
            String spread = cells.getOrDefault("distribution", Distribution.UNIFORM.text());
            long size = Sizes.parse(cells.get("size"));
            double arrival = seconds("arrival_seconds", cells, lines);
            double due = cells.containsKey("deadline_seconds") ? seconds("deadline_seconds", cells, lines) : -1;
            String user = cells.getOrDefault("user", "");
            String id = cells.getOrDefault("id", String.valueOf(lines.number()));
            int priority = Table.priority(cells.getOrDefault("priority", ""), lines);
            to.after(id, TraceBuilder.names(cells.getOrDefault("after", "")));
            cells.keySet().removeAll(NEEDED);
            cells.keySet().removeAll(OTHERS);
            List<String> known =
                    workload.parameters().stream().map(Parameter::name).toList();
            unknown.keySet().removeAll(known);
            for (String parameter : cells.keySet()) {
                if (!known.contains(parameter)) {
                    end();
                    throw lines.wrong(workload.name() + " has no parameter '" + parameter + "': leave that cell empty");
                }
            }
            Values values = Values.of(workload, cells);
            Request request =
                    Request.synthetic(workload, values, size, Distribution.named(spread), Long.parseLong(seed));
            Trace.Terms terms = new Trace.Terms(priority, user, TraceBuilder.nanos(due), 0);
            to.add(id, lines.number(), arrival, request, terms);
        } catch (IllegalArgumentException e) {
            throw lines.wrong(String.valueOf(e.getMessage()));
        }
    }

    private static double seconds(String heading, Map<String, String> cells, BoundedLines lines) {
        String text = cells.get(heading);
        double seconds = Table.number(text);
        if (seconds >= 0 && seconds <= TraceBuilder.MOST_SECONDS) {
            return seconds;
        }
        throw lines.wrong(heading + " '" + text + "' is no number of seconds from 0 to "
                + (long) TraceBuilder.MOST_SECONDS + ", such as 12.5");
    }
}
