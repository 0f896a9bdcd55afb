package dev.evener.workloads.document;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A plain text table by its columns, each of which says what it shows of a row. Not thread-safe. */
public final class TextTable<T> {
    private final Map<String, Function<? super T, ?>> columns = new LinkedHashMap<>();

    /** A number as tables have it: with two decimal places, and whole from 100 on. */
    public static String number(double value) {
        return format(value < 100 ? "%.2f" : "%.0f", value);
    }

    /** As {@link String#format} writes it everywhere. */
    public static String format(String format, @Nullable Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    /**
     * One more column.
     *
     * @param heading another than those of the others; the column is right-aligned if it begins with {@code >}
     * @param cell what is shown of a row; {@code -} where it is null
     */
    public TextTable<T> column(String heading, Function<? super T, ? extends @Nullable Object> cell) {
        columns.put(heading, cell);
        return this;
    }

    /** The table of these rows, with its headings. */
    public String of(Collection<? extends T> rows) {
        List<List<String>> lines = new ArrayList<>();
        lines.add(columns.keySet().stream()
                .map(h -> h.startsWith(">") ? h.substring(1) : h)
                .toList());
        rows.forEach(row ->
                lines.add(columns.values().stream().map(c -> text(c.apply(row))).toList()));
        List<String> headings = List.copyOf(columns.keySet());
        int[] width = IntStream.range(0, headings.size())
                .map(i -> lines.stream().mapToInt(l -> l.get(i).length()).max().orElse(0))
                .toArray();
        StringBuilder text = new StringBuilder();
        for (List<String> cells : lines) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < width.length; i++) {
                String pad = " ".repeat(width[i] - cells.get(i).length());
                boolean right = headings.get(i).startsWith(">");
                line.append(i == 0 ? "" : "  ").append(right ? pad + cells.get(i) : cells.get(i) + pad);
            }
            text.append(line.toString().stripTrailing()).append(System.lineSeparator());
        }
        return text.toString();
    }

    private static String text(@Nullable Object cell) {
        return cell == null ? "-" : Printable.inOneLine(cell.toString());
    }
}
