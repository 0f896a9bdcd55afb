package dev.evener.workloads.view;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** What the script of a page draws from. */
public final class PageData {
    private static final String BEGIN = "class=\"data\">";
    private static final int FIELDS = 15;

    private PageData() {}

    private static List<?> list(String html, String name) {
        int from = html.indexOf(BEGIN) + BEGIN.length();
        try {
            return (List<?>) JSON.std
                    .mapFrom(html.substring(from, html.indexOf("</script>", from)))
                    .get(name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The charts of a kind. */
    public static List<Map<?, ?>> charts(String html, String kind) {
        return list(html, "charts").stream()
                .<Map<?, ?>>map(chart -> (Map<?, ?>) chart)
                .filter(chart -> chart.get("kind").equals(kind))
                .toList();
    }

    /** The bars of the first run, fifteen numbers each. */
    public static List<long[]> bars(String html) {
        Map<?, ?> run = (Map<?, ?>) list(html, "shared").get(0);
        long[] numbers = ((List<?>) run.get("chunks"))
                .stream().mapToLong(n -> ((Number) n).longValue()).toArray();
        assertEquals(0, numbers.length % FIELDS);
        return IntStream.range(0, numbers.length / FIELDS)
                .mapToObj(i -> Arrays.copyOfRange(numbers, FIELDS * i, FIELDS * (i + 1)))
                .toList();
    }
}
