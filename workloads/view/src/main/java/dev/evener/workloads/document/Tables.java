package dev.evener.workloads.document;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The tables of one report and the sentences between them, in every form that a command writes: as text, Markdown, the cells of a page,
 * and CSV. Not thread-safe.
 */
public final class Tables {
    private static final String LINE = System.lineSeparator();

    private final List<Part<?>> parts = new ArrayList<>();
    private List<String> fields = List.of();
    private Supplier<List<Map<String, Object>>> rows = List::of;

    /** A table under its title, which may be empty; or a sentence, which is a title without columns. */
    private record Part<T>(String title, TextTable<T> table, Collection<? extends T> rows) {
        boolean isTable() {
            return table.isShown();
        }

        String text() {
            return (title.isEmpty() ? "" : title + LINE) + (isTable() ? table.of(rows) : "");
        }

        String markdown() {
            if (!isTable()) {
                return TextTable.escaped(title) + LINE;
            }
            return (title.isEmpty() ? "" : "**" + TextTable.escaped(title) + "**" + LINE + LINE) + table.markdown(rows);
        }
    }

    /** One more table. The rows of the first one that has any for programs are those of CSV. */
    public <T> Tables add(String title, TextTable<T> table, Collection<? extends T> rows) {
        parts.add(new Part<>(title, table, rows));
        return fields.isEmpty() ? rows(table.fields(), () -> table.maps(rows)) : this;
    }

    /** A line of its own. */
    public Tables note(String line) {
        parts.add(new Part<>(line, new TextTable<>(), List.of()));
        return this;
    }

    /** The rows of CSV where they are others than those shown: objects as JSON has them, see {@link TextTable#csv}. */
    public Tables rows(List<String> fields, Supplier<List<Map<String, Object>>> rows) {
        this.fields = fields;
        this.rows = rows;
        return this;
    }

    /** All for people; two tables that follow each other are apart by an empty line. */
    public String text() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < parts.size(); i++) {
            boolean apart = i > 0 && parts.get(i).isTable() && parts.get(i - 1).isTable();
            text.append(apart ? LINE : "").append(parts.get(i).text());
        }
        return text.toString();
    }

    /** All as Markdown. */
    public String markdown() {
        return parts.stream().map(Part::markdown).collect(Collectors.joining(LINE));
    }

    /** The rows for programs, as JSON objects. */
    public List<Map<String, Object>> maps() {
        return rows.get();
    }

    /** The same as CSV. */
    public String csv() {
        return TextTable.csv(fields, rows.get());
    }

    /** The cells of all tables by their titles, for a page; the first row of each has the headings. */
    public Map<String, List<List<String>>> cells() {
        Map<String, List<List<String>>> cells = new LinkedHashMap<>();
        parts.stream().filter(Part::isTable).forEach(part -> cells.put(part.title, cellsOf(part)));
        return cells;
    }

    private static <T> List<List<String>> cellsOf(Part<T> part) {
        return part.table.cells(part.rows);
    }
}
