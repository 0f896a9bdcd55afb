package dev.evener.workloads.arrivals;

import dev.evener.workloads.arrivals.Arrivals.Arrival;
import dev.evener.workloads.document.BoundedLines;
import dev.evener.workloads.document.Suggestion;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Sizes;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.suite.Workloads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** Arrivals as CSV: a line of headings, then a line for each job. docs/records.md describes the columns. */
final class CsvReader {
    private static final String ARRIVAL = "arrival_seconds";
    private static final String WORKLOAD = "workload";
    private static final String SIZE = "size";
    private static final String DISTRIBUTION = "distribution";
    private static final String SEED = "seed";
    private static final List<String> NEEDED = List.of(ARRIVAL, WORKLOAD, SIZE);

    private final BoundedLines lines;
    private final List<String> headings;

    private CsvReader(BoundedLines lines, List<String> headings) {
        this.lines = lines;
        this.headings = headings;
    }

    static Arrivals read(BoundedLines lines) throws IOException {
        CsvReader reader = null;
        List<Arrival> jobs = new ArrayList<>();
        for (String line = lines.next(); line != null; line = lines.next()) {
            String text = lines.number() == 1 && line.startsWith("\ufeff") ? line.substring(1) : line;
            if (text.isBlank() || text.startsWith("#")) {
                continue;
            }
            List<String> cells = cells(text, lines);
            if (reader == null) {
                reader = new CsvReader(lines, headings(cells, lines));
            } else {
                Arrivals.add(jobs, reader.arrival(cells), lines);
            }
        }
        return Arrivals.sorted(jobs, List.of());
    }

    private static List<String> headings(List<String> cells, BoundedLines lines) {
        List<String> headings =
                cells.stream().map(c -> c.toLowerCase(Locale.ROOT)).toList();
        if (new HashSet<>(headings).size() < headings.size()) {
            throw lines.wrong("a heading is there twice");
        }
        for (String needed : NEEDED) {
            if (!headings.contains(needed)) {
                throw lines.wrong("the heading '" + needed + "' is missing; expected " + String.join(", ", NEEDED)
                        + ", and if you like " + DISTRIBUTION + ", " + SEED + " and parameters of the workloads");
            }
        }
        List<String> allowed = Stream.concat(
                        Stream.of(ARRIVAL, WORKLOAD, SIZE, DISTRIBUTION, SEED),
                        Workloads.all().stream()
                                .flatMap(w -> w.parameters().stream())
                                .map(Parameter::name))
                .distinct()
                .toList();
        for (String heading : headings) {
            if (!allowed.contains(heading)) {
                throw lines.wrong("there is no column '" + heading + "'" + Suggestion.of(heading, allowed)
                        + "; expected one of " + String.join(", ", allowed));
            }
        }
        return headings;
    }

    private Arrival arrival(List<String> cells) {
        if (cells.size() != headings.size()) {
            throw lines.wrong("has " + cells.size() + " cells, but there are " + headings.size() + " headings");
        }
        Map<String, String> row = new LinkedHashMap<>();
        for (int i = 0; i < cells.size(); i++) {
            if (!cells.get(i).isEmpty()) {
                row.put(headings.get(i), cells.get(i));
            }
        }
        for (String needed : NEEDED) {
            if (!row.containsKey(needed)) {
                throw lines.wrong(needed + " is empty");
            }
        }
        String arrival = row.remove(ARRIVAL);
        String name = row.remove(WORKLOAD);
        String seed = Objects.requireNonNullElse(row.remove(SEED), "1");
        String distribution = row.remove(DISTRIBUTION);
        try {
            Workload workload = workload(name);
            long size = Sizes.parse(row.remove(SIZE));
            Distribution spread = distribution == null ? Distribution.UNIFORM : Distribution.named(distribution);
            List<String> known =
                    workload.parameters().stream().map(Parameter::name).toList();
            for (String parameter : row.keySet()) {
                if (!known.contains(parameter)) {
                    throw lines.wrong(workload.name() + " has no parameter '" + parameter + "': leave that cell empty");
                }
            }
            Request request = Request.synthetic(workload, Values.of(workload, row), size, spread, seed(seed));
            return new Arrival(nanos(arrival), request, lines.number());
        } catch (IllegalArgumentException e) {
            throw lines.wrong(String.valueOf(e.getMessage()));
        }
    }

    private static Workload workload(String name) {
        try {
            return Workloads.named(name);
        } catch (IllegalArgumentException e) {
            List<String> names = Workloads.all().stream().map(Workload::name).toList();
            throw new IllegalArgumentException(e.getMessage() + Suggestion.of(name, names), e);
        }
    }

    private static long seed(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(SEED + " '" + text + "' is no whole number", e);
        }
    }

    private static long nanos(String text) {
        if (text.matches("\\d{1,10}(\\.\\d{1,30})?")) {
            double seconds = Double.parseDouble(text);
            if (seconds <= Arrivals.MOST_SECONDS) {
                return Math.round(seconds * 1e9);
            }
        }
        throw new IllegalArgumentException(ARRIVAL + " '" + text + "' is no number of seconds from 0 to "
                + (long) Arrivals.MOST_SECONDS + ", such as 12.5");
    }

    /** Cells without blanks around them. One in double quotes may hold commas, and quotes that are doubled. */
    static List<String> cells(String line, BoundedLines lines) {
        List<String> cells = new ArrayList<>();
        int end = -1;
        do {
            int from = end + 1;
            end = line.indexOf(',', from);
            String cell = line.substring(from, end < 0 ? line.length() : end).strip();
            if (cell.startsWith("\"")) {
                StringBuilder quoted = new StringBuilder();
                int at = line.indexOf('"', from);
                int text = at + 1;
                do {
                    int quote = line.indexOf('"', at + 1);
                    if (quote < 0) {
                        throw lines.wrong("a quote is not closed");
                    }
                    quoted.append(line, text, quote);
                    at = quote + 1;
                    text = at; // the second of two is part of the text
                } while (at < line.length() && line.charAt(at) == '"');
                end = line.indexOf(',', at);
                cell = quoted.toString();
                if (!line.substring(at, end < 0 ? line.length() : end).isBlank()) {
                    throw lines.wrong("something follows a closing quote");
                }
            }
            cells.add(cell);
        } while (end >= 0);
        return cells;
    }
}
