package dev.evener.workloads.view;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.workloads.document.TextTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A page under way: text in which every value is escaped, and the data of its charts, which the page's script draws. Not
 * thread-safe.
 */
final class Html {
    /** How many devices have a colour of their own; further ones begin again. */
    private static final int SERIES = 8;

    private final StringBuilder out = new StringBuilder(1 << 16);
    private final List<Object> shared = new ArrayList<>();
    private final List<Map<String, Object>> charts = new ArrayList<>();

    /** Adds this, with a value, escaped, in place of each {@code %s}. */
    Html add(String html, Object... values) {
        Object[] escaped = Stream.of(values).map(v -> Text.escape(v.toString())).toArray();
        out.append(String.format(Locale.ROOT, html, escaped));
        return this;
    }

    /** Adds what is safe as it is. */
    Html raw(String html) {
        out.append(html);
        return this;
    }

    /** Adds an element of this tag and these classes around each text. */
    Html each(String tag, String classes, String... texts) {
        for (String text : texts) {
            add("<" + tag + (classes.isEmpty() ? ">" : " class=\"" + classes + "\">") + "%s</" + tag + ">", text);
        }
        return this;
    }

    /** Adds a table, as {@link TextTable#cells} has it. */
    Html table(List<List<String>> cells) {
        List<List<String>> lines = new ArrayList<>(cells);
        boolean[] right = TextTable.aligned(lines);
        raw("<div class=\"scroll\"><table>\n<thead>");
        for (List<String> line : lines) {
            raw("<tr>");
            for (int i = 0; i < right.length; i++) {
                each(line == lines.get(0) ? "th" : "td", right[i] ? "n" : "", line.get(i));
            }
            raw(line == lines.get(0) ? "</tr></thead>\n<tbody>\n" : "</tr>\n");
        }
        return raw("</tbody></table></div>\n");
    }

    /** The class of what belongs to a device or a group. */
    static String series(int index) {
        return "s" + index % SERIES;
    }

    /** An entry of a legend. */
    Html legend(int series, String name) {
        return add("<li class=\"%s\"><i></i>%s</li>", series(series), name);
    }

    /** Adds what several charts draw from, and returns its number. */
    int share(Object data) {
        shared.add(data);
        return shared.size() - 1;
    }

    /**
     * Adds the place of a chart.
     *
     * @param name what it shows, for those who cannot see it
     * @param data what the script draws it from, {@code kind} among it
     */
    Html chart(String classes, String name, Map<String, Object> data) {
        charts.add(data);
        return add(
                "<div class=\"scroll\"><svg class=\"%s\" role=\"img\" aria-label=\"%s\" data-chart=\"%s\"></svg></div>\n",
                classes, name, charts.size() - 1);
    }

    /** The data of all charts, in a script element, which ends at the first {@code </}. */
    Html data() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("shared", shared);
        all.put("charts", charts);
        try {
            String json =
                    Text.clean(JSON.std.with(JSON.Feature.WRITE_NULL_PROPERTIES).asString(all));
            return raw("<script type=\"application/json\" class=\"data\">")
                    .raw(json.replace("<", "\\u003c").replace(">", "\\u003e"))
                    .raw("</script>\n");
        } catch (IOException e) {
            throw new IllegalStateException("plain values could not be written", e);
        }
    }

    @Override
    public String toString() {
        return out.toString();
    }
}
