package dev.evener.workloads.document;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** A plain text table; a column is right-aligned if its heading says so with a leading {@code >}. Not thread-safe. */
public final class TextTable {
    private final List<String[]> rows = new ArrayList<>();
    private final boolean[] right;

    /** @param headings one for each column */
    public TextTable(String... headings) {
        right = new boolean[headings.length];
        String[] plain = new String[headings.length];
        for (int i = 0; i < headings.length; i++) {
            right[i] = headings[i].startsWith(">");
            plain[i] = right[i] ? headings[i].substring(1) : headings[i];
        }
        rows.add(plain);
    }

    /** A number as tables have it: with two decimal places, and whole from 100 on. */
    public static String number(double value) {
        return String.format(Locale.ROOT, value < 100 ? "%.2f" : "%.0f", value);
    }

    /** One more row, of a cell for each column. */
    public void row(String... cells) {
        if (cells.length != right.length) {
            throw new IllegalArgumentException(cells.length + " cells for " + right.length + " columns");
        }
        rows.add(Arrays.stream(cells).map(Printable::inOneLine).toArray(String[]::new));
    }

    @Override
    public String toString() {
        int[] width = new int[right.length];
        for (String[] row : rows) {
            for (int i = 0; i < row.length; i++) {
                width[i] = Math.max(width[i], row[i].length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (String[] row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < row.length; i++) {
                String pad = " ".repeat(width[i] - row[i].length());
                line.append(i == 0 ? "" : "  ").append(right[i] ? pad + row[i] : row[i] + pad);
            }
            text.append(line.toString().stripTrailing()).append(System.lineSeparator());
        }
        return text.toString();
    }
}
