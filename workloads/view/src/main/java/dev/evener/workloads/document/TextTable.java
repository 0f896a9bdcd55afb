package dev.evener.workloads.document;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A table by its columns, each of which says what it shows of a row: to people as text, Markdown or the cells of a page, to programs as CSV
 * or the objects of JSON. A column may be for both, who then see the same figure, rounded or whole. Not thread-safe.
 */
public final class TextTable<T> {
    private static final Pattern FORMULA = Pattern.compile("[=+@\\-\\t\\r]");
    private static final Pattern NUMBER = Pattern.compile("[+-]?(\\d+\\.?\\d*([eE][+-]?\\d+)?|Infinity)");

    private final List<Column<T>> columns = new ArrayList<>();

    /**
     * One column.
     *
     * @param heading what people see above it; null if they do not see it
     * @param field what programs call it; null if they do not see it
     */
    private record Column<T>(
            @Nullable String heading,
            @Nullable String field,
            Function<? super T, ? extends @Nullable Object> shown,
            Function<? super T, ? extends @Nullable Object> value) {}

    /** A number as tables have it: with two decimal places, and whole from 100 on. */
    public static String number(double value) {
        return format(value < 100 ? "%.2f" : "%.0f", value);
    }

    /** So many of them: {@code 1 frame}, {@code 2 frames}. */
    public static String counted(long count, String noun) {
        return count + " " + noun(count, noun);
    }

    /** The noun after a number that is written otherwise. */
    public static String noun(long count, String noun) {
        return count == 1 ? noun : noun + "s";
    }

    /** As {@link String#format} writes it everywhere. */
    public static String format(String format, @Nullable Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    /**
     * One more column, for people.
     *
     * @param heading another than those of the others; the column is right-aligned if it begins with {@code >}
     * @param cell what is shown of a row; {@code -} where it is null
     */
    public TextTable<T> column(String heading, Function<? super T, ? extends @Nullable Object> cell) {
        columns.add(new Column<>(heading, null, cell, cell));
        return this;
    }

    /**
     * One more column, for people and programs.
     *
     * @param field its name in JSON, such as {@code medianSeconds}, and in CSV, there as {@code median_seconds}
     * @param value a text, number, truth value, list or map, or null where it is not known
     * @param shown what people see of it
     */
    public <V> TextTable<T> column(
            String heading,
            String field,
            Function<? super T, ? extends @Nullable V> value,
            Function<? super V, ? extends @Nullable Object> shown) {
        columns.add(new Column<>(
                heading,
                field,
                row -> {
                    V known = value.apply(row);
                    return known == null ? null : shown.apply(known);
                },
                value));
        return this;
    }

    /** One more column, for programs. */
    public TextTable<T> field(String field, Function<? super T, ? extends @Nullable Object> value) {
        columns.add(new Column<>(null, field, value, value));
        return this;
    }

    /** The rows as text, with the headings. */
    public String of(Collection<? extends T> rows) {
        List<List<String>> lines = cells(rows);
        boolean[] right = aligned(lines);
        int[] width = IntStream.range(0, right.length)
                .map(i -> lines.stream().mapToInt(l -> l.get(i).length()).max().orElse(0))
                .toArray();
        StringBuilder text = new StringBuilder();
        for (List<String> cells : lines) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < width.length; i++) {
                String pad = " ".repeat(width[i] - cells.get(i).length());
                line.append(i == 0 ? "" : "  ").append(right[i] ? pad + cells.get(i) : cells.get(i) + pad);
            }
            text.append(line.toString().stripTrailing()).append(System.lineSeparator());
        }
        return text.toString();
    }

    /** What people see, the headings first, as {@link #column} was told them: as many cells in each row. */
    public List<List<String>> cells(Collection<? extends T> rows) {
        List<Column<T>> seen = columns.stream().filter(c -> c.heading != null).toList();
        List<List<String>> lines = new ArrayList<>();
        lines.add(seen.stream().map(c -> String.valueOf(c.heading)).toList());
        rows.forEach(row ->
                lines.add(seen.stream().map(c -> shown(c.shown.apply(row))).toList()));
        return lines;
    }

    /**
     * Which columns are right-aligned.
     *
     * @param cells of a table, whose headings lose what says so
     */
    public static boolean[] aligned(List<List<String>> cells) {
        List<String> headings = cells.get(0);
        cells.set(
                0,
                headings.stream()
                        .map(h -> h.startsWith(">") ? h.substring(1) : h)
                        .toList());
        boolean[] right = new boolean[headings.size()];
        for (int i = 0; i < right.length; i++) {
            right[i] = headings.get(i).startsWith(">");
        }
        return right;
    }

    private static String shown(@Nullable Object cell) {
        return cell == null ? "-" : Printable.inOneLine(cell.toString());
    }

    /** The rows as a table of Markdown, with the headings. */
    public String markdown(Collection<? extends T> rows) {
        List<List<String>> lines = cells(rows);
        List<String> rule = new ArrayList<>();
        for (boolean each : aligned(lines)) {
            rule.add(each ? "---:" : "---");
        }
        lines.add(1, rule);
        return lines.stream()
                .map(cells -> cells.stream()
                        .map(TextTable::escaped)
                        .collect(Collectors.joining(" | ", "| ", " |" + System.lineSeparator())))
                .collect(Collectors.joining());
    }

    /** As Markdown has it in a table or elsewhere. */
    static String escaped(String cell) {
        return cell.replace("\\", "\\\\").replace("|", "\\|");
    }

    /** Whether people see a column. */
    boolean isShown() {
        return columns.stream().anyMatch(c -> c.heading != null);
    }

    /** What programs call the columns that they see. */
    public List<String> fields() {
        return columns.stream()
                .filter(c -> c.field != null)
                .map(c -> String.valueOf(c.field))
                .toList();
    }

    /** The rows as JSON objects. */
    public List<Map<String, Object>> maps(Collection<? extends T> rows) {
        return rows.stream().map(this::map).toList();
    }

    private Map<String, Object> map(T row) {
        Map<String, Object> map = new LinkedHashMap<>();
        columns.stream().filter(c -> c.field != null).forEach(c -> map.put(c.field, c.value.apply(row)));
        return map;
    }

    /**
     * Objects of JSON as CSV (RFC 4180, but with the system's line ends): a column for each of their members, in lower case, words joined
     * by underscores. An object within them is a column for each of its own, behind its name, which a {@code value} has for itself; lists
     * are separated by blanks, or semicolons where one has a blank, and those of objects left out. What is not known is an empty field. A
     * text that a spreadsheet would take for a formula has an apostrophe before it, as names of devices and files are anybody's.
     *
     * @param fields the columns where there are no rows
     */
    static String csv(List<String> fields, Collection<? extends Map<String, ?>> rows) {
        List<Map<String, @Nullable Object>> flat = new ArrayList<>();
        for (Map<String, ?> row : rows) {
            Map<String, @Nullable Object> one = new LinkedHashMap<>();
            row.forEach((name, value) -> flatten(one, name, value));
            flat.add(one);
        }
        Set<String> headings = new LinkedHashSet<>(rows.isEmpty() ? fields : List.of());
        flat.forEach(row -> headings.addAll(row.keySet()));
        Set<String> known = new HashSet<>(); // an object that is null in some rows is no column
        flat.forEach(row -> row.forEach((name, value) -> known.addAll(value == null ? Set.of() : Set.of(name))));
        headings.removeIf(
                name -> !known.contains(name) && headings.stream().anyMatch(other -> other.startsWith(name + " ")));
        Stream<List<String>> lines = Stream.concat(
                Stream.of(headings.stream().map(TextTable::heading).toList()),
                flat.stream()
                        .map(row -> headings.stream()
                                .map(name -> guarded(plain(row.get(name))))
                                .toList()));
        return lines.map(cells -> cells.stream()
                        .map(TextTable::quoted)
                        .collect(Collectors.joining(",", "", System.lineSeparator())))
                .collect(Collectors.joining());
    }

    private static String heading(String name) {
        return name.replaceAll("([a-z])([A-Z])", "$1_$2").replaceAll("\\W", "_").toLowerCase(Locale.ROOT);
    }

    private static void flatten(Map<String, @Nullable Object> row, String name, @Nullable Object value) {
        if (value instanceof Map<?, ?> object) {
            object.forEach((inner, its) -> flatten(row, inner.equals("value") ? name : name + " " + inner, its));
        } else if (!(value instanceof List<?> list && !list.isEmpty() && list.get(0) instanceof Map)) {
            row.put(name, value);
        }
    }

    private static String plain(@Nullable Object value) {
        if (value instanceof List<?> list) {
            List<String> all = list.stream().map(TextTable::plain).toList();
            return String.join(all.stream().anyMatch(each -> each.contains(" ")) ? "; " : " ", all);
        }
        if (value instanceof Double number && number == Math.rint(number) && Math.abs(number) < 1e15) {
            return Long.toString(number.longValue());
        }
        return value == null ? "" : value.toString();
    }

    private static String guarded(String cell) {
        return FORMULA.matcher(cell).lookingAt() && !NUMBER.matcher(cell).matches() ? "'" + cell : cell;
    }

    private static String quoted(String cell) {
        return cell.matches("(?s).*[,\"\\n\\r].*") ? '"' + cell.replace("\"", "\"\"") + '"' : cell;
    }
}
