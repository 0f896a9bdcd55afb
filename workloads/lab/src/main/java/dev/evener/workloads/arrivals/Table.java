package dev.evener.workloads.arrivals;

import dev.evener.workloads.document.BoundedLines;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A table: a line of headings, unless these are known, then a line for each job. For one file. */
final class Table implements TraceBuilder.LineReader {
    private static final Pattern DATE = Pattern.compile(
            "(\\d{4}-\\d\\d-\\d\\d)[ T](\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?) ?(?:UTC|Z|([-+]\\d\\d):?(\\d\\d))?");

    private final Rows rows;
    private final List<String> known;
    private @Nullable List<String> headings;

    /** What reads the rows. */
    interface Rows {
        /** Hears of the headings, in lower case. */
        void headings(List<String> names, BoundedLines lines);

        /** Reads a row: the cells that are not empty, by their headings. */
        void row(Map<String, String> cells, BoundedLines lines);
    }

    /** @param known headings of a table without any; empty where its first line has them */
    Table(Rows rows, List<String> known) {
        this.rows = rows;
        this.known = known;
    }

    @Override
    public void read(String text, BoundedLines lines) {
        List<String> cells = cells(text, lines);
        boolean first = headings == null;
        if (headings == null) {
            headings = (known.isEmpty() ? cells : known)
                    .stream().map(c -> c.toLowerCase(Locale.ROOT)).toList();
            rows.headings(headings, lines);
        }
        if (first && known.isEmpty()) {
            return;
        }
        if (cells.size() != headings.size()) {
            throw lines.wrong("has " + cells.size() + " cells, but there are " + headings.size() + " headings");
        }
        Map<String, String> row = new HashMap<>();
        for (int i = 0; i < cells.size(); i++) {
            if (!cells.get(i).isEmpty()) {
                row.putIfAbsent(headings.get(i), cells.get(i));
            }
        }
        rows.row(row, lines);
    }

    /** NaN if it is none. */
    static double number(String text) {
        return text.matches("-?\\d{1,15}(\\.\\d{1,30})?([eE][-+]?\\d{1,3})?") ? Double.parseDouble(text) : Double.NaN;
    }

    /**
     * Seconds since 1970 at a date such as {@code 2020-04-01 12:30:00}, in UTC where no zone is told; NaN if it is
     * none.
     */
    static double date(String text) {
        Matcher date = DATE.matcher(text);
        if (!date.matches()) {
            return Double.NaN;
        }
        try {
            ZoneOffset zone =
                    date.group(3) == null ? ZoneOffset.UTC : ZoneOffset.of(date.group(3) + ":" + date.group(4));
            return LocalDateTime.parse(date.group(1) + "T" + date.group(2))
                            .toInstant(zone)
                            .toEpochMilli()
                    / 1e3;
        } catch (DateTimeException e) {
            return Double.NaN;
        }
    }

    /** A whole number, or a class of service as clusters have them. */
    static int priority(String text, BoundedLines lines) {
        return switch (text.toUpperCase(Locale.ROOT)) {
            case "", "BE" -> 0;
            case "BURSTABLE", "GUARANTEED" -> 1;
            case "LS" -> 2;
            default -> {
                if (!text.matches("-?\\d{1,9}(\\.0+)?")) {
                    throw lines.wrong("priority '" + text
                            + "' is no whole number of at most 9 digits, nor LS, Burstable, Guaranteed or BE");
                }
                yield (int) Double.parseDouble(text);
            }
        };
    }

    /** Cells without blanks around them. One in double quotes may hold commas, and quotes that are doubled. */
    private static List<String> cells(String line, BoundedLines lines) {
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
