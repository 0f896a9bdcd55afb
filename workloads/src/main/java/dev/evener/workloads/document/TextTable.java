package dev.evener.workloads.document;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A plain text table; a column is right-aligned if its heading says so with a leading {@code >}. Not thread-safe. */
public final class TextTable {
    private final List<List<String>> rows = new ArrayList<>();
    private final List<Boolean> right;

    /** @param headings one for each column */
    public TextTable(String... headings) {
        right = Stream.of(headings).map(h -> h.startsWith(">")).toList();
        row(Stream.of(headings).map(h -> h.startsWith(">") ? h.substring(1) : h).toArray(String[]::new));
    }

    /** A number as tables have it: with two decimal places, and whole from 100 on. */
    public static String number(double value) {
        return String.format(Locale.ROOT, value < 100 ? "%.2f" : "%.0f", value);
    }

    /** One more row, of a cell for each column. */
    public void row(String... cells) {
        if (cells.length != right.size()) {
            throw new IllegalArgumentException(cells.length + " cells for " + right.size() + " columns");
        }
        rows.add(Stream.of(cells).map(Printable::inOneLine).toList());
    }

    @Override
    public String toString() {
        int[] width = IntStream.range(0, right.size())
                .map(i -> rows.stream().mapToInt(r -> r.get(i).length()).max().orElse(0))
                .toArray();
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < width.length; i++) {
                String pad = " ".repeat(width[i] - row.get(i).length());
                line.append(i == 0 ? "" : "  ").append(right.get(i) ? pad + row.get(i) : row.get(i) + pad);
            }
            text.append(line.toString().stripTrailing()).append(System.lineSeparator());
        }
        return text.toString();
    }
}
