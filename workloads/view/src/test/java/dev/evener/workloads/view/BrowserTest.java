package dev.evener.workloads.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.InTurn;
import dev.evener.event.RunEvent.Chunk;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page as a real browser shows it: its charts drawn from the data, readable, and without the network. */
@InTurn(2)
class BrowserTest {
    @TempDir
    Path folder;

    private static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(BrowserTest.class.getResourceAsStream(name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static RunEvents run() {
        MadeUpRun made = new MadeUpRun();
        for (int i = 0; i < 9; i++) {
            made.job(MadeUpRun.HOSTILE, i % 2 == 0 ? "adaptive" : "stealing", 10 + i % 3, 40_000L);
        }
        return made.done("run");
    }

    private static String page() {
        double[] fast = {3.1e6, 3.2e6, 3.0e6, 3.3e6};
        double[] slow = {6.1e6, 6.2e6, 96.0e6, 6.3e6};
        return new HtmlReport("evener compare: mandelbrot")
                .fact("command", "evener compare mandelbrot")
                .warning("a <b>warning</b>")
                .add(new Ranking(
                        "mandelbrot, 1Mi pixels on all",
                        List.of(
                                new Ranking.Entry("single 0.0", "one device alone", slow, "shares 100 : 0 : 0"),
                                new Ranking.Entry("adaptive", "policy", fast, "shares 40 : 30 : 30"))))
                .add(run())
                .stages(
                        List.of(Activity.of("read, 3 threads", 3, List.of(new Activity.Span(0, 3_000_000, 1)))),
                        List.of(Activity.ofBytes("buffers", List.of(new Activity.Span(0, 9_000_000, 5e9)))))
                .html();
    }

    private static List<?> list(Object value) {
        return (List<?>) value;
    }

    private static double number(Object value) {
        return ((Number) value).doubleValue();
    }

    /** When the overview begins and ends. */
    private static long[] span(RunEvents run) {
        long begin = Long.MAX_VALUE;
        long end = Long.MIN_VALUE;
        for (JobEvents job : JobEvents.of(run)) {
            begin = Math.min(begin, job.begin());
            end = Math.max(end, job.end());
        }
        return new long[] {begin, end};
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void thePageIsDrawnFromTheDataAndReadable(boolean dark) throws Exception {
        Browser.Shown shown = Browser.show(page(), dark, resource("probe.js"), folder);
        assertEquals(List.of(), shown.requests());
        assertEquals(List.of(), shown.console());
        assertEquals(dark, shown.found().get("dark"));
        bars(shown);
        assertEquals(List.of(), list(shown.found().get("overlaps")), "labels that lie on each other or stick out");
        assertEquals(0, shown.found().get("images"), "an element came of a name");
        ticks(shown);
        List<?> pairs = list(shown.found().get("colours"));
        assertTrue(pairs.size() >= 3, pairs::toString);
        for (Object pair : pairs) {
            String text = hex(list(pair).get(0));
            String behind = hex(list(pair).get(1));
            assertTrue(Contrast.of(text, behind) >= 4.5, () -> "contrast of " + pair);
            assertEquals(dark, Contrast.of(behind, "#ffffff") > 10, () -> "background of " + pair);
        }
    }

    private static void bars(Browser.Shown shown) {
        RunEvents run = run();
        List<Chunk> chunks = run.events().stream()
                .filter(Chunk.class::isInstance)
                .map(Chunk.class::cast)
                .sorted((a, b) ->
                        a.device() != b.device() ? a.device() - b.device() : Long.compare(a.start(), b.start()))
                .toList();
        Map<?, ?> all = (Map<?, ?>) list(shown.found().get("charts")).get(0);
        assertEquals("All 9 jobs, 297 chunks", all.get("label"));
        List<?> bars = list(all.get("bars"));
        assertEquals(chunks.size(), bars.size());
        long[] span = span(run);
        double scale = 860.0 / 960 * number(all.get("width")) / (span[1] - span[0]); // pixels a nanosecond
        for (int i = 0; i < bars.size(); i++) {
            Chunk chunk = chunks.get(i);
            List<?> bar = list(bars.get(i));
            assertEquals((chunk.end() - chunk.start()) * scale, number(bar.get(1)), 0.1, chunk::toString);
            double place = number(bar.get(0)) - number(list(bars.get(0)).get(0));
            assertEquals((chunk.start() - chunks.get(0).start()) * scale, place, 0.1, chunk::toString);
        }
    }

    /** They are round numbers, as far apart as they say. */
    private static void ticks(Browser.Shown shown) {
        Map<?, ?> all = (Map<?, ?>) list(shown.found().get("charts")).get(0);
        List<?> ticks = list(all.get("ticks"));
        assertTrue(ticks.size() >= 4 && ticks.size() <= 16, ticks::toString);
        double[] first = {
            number(list(ticks.get(0)).get(0)), number(list(ticks.get(0)).get(1))
        };
        double step = number(list(ticks.get(1)).get(0)) - first[0];
        double lead = step / Math.pow(10, Math.floor(Math.log10(step) + 1e-9));
        assertTrue(List.of(1L, 2L, 5L).contains(Math.round(lead)) && Math.abs(lead - Math.round(lead)) < 1e-6);
        long[] span = span(run());
        double perMilli = 860e6 / 960 * number(all.get("width")) / (span[1] - span[0]);
        for (int i = 0; i < ticks.size(); i++) {
            double label = number(list(ticks.get(i)).get(0));
            assertEquals(first[0] + i * step, label, 1e-9);
            assertEquals(
                    (label - first[0]) * perMilli, number(list(ticks.get(i)).get(1)) - first[1], 0.5);
        }
    }

    /** From {@code rgb(1, 2, 3)}. */
    private static String hex(Object colour) {
        String[] parts = colour.toString().replaceAll("[^0-9,.]", "").split(",", -1);
        assertEquals(3, parts.length, () -> colour + " is not opaque");
        return String.format(
                Locale.ROOT,
                "#%02x%02x%02x",
                Integer.parseInt(parts[0]),
                Integer.parseInt(parts[1]),
                Integer.parseInt(parts[2]));
    }

    @Test
    void zoomingShowsTheChunksOfThePart() throws Exception {
        MadeUpRun made = new MadeUpRun();
        for (int i = 0; i < 34; i++) {
            made.job("blur", "adaptive", 1_000, 3_000);
        }
        RunEvents run = made.done("run");
        Browser.Shown shown = Browser.show(new HtmlReport("t").add(run).html(), false, resource("zoom.js"), folder);
        assertEquals(List.of(), shown.console());
        assertEquals(102_000, sum(shown.found().get("before")));
        assertTrue(list(shown.found().get("before")).size() < 5_000);
        assertEquals(shown.found().get("before"), shown.found().get("after"));
        long[] span = span(run);
        double from = span[0] + (span[1] - span[0]) * (0.5 - 1.0 / 512);
        double to = span[0] + (span[1] - span[0]) * (0.5 + 1.0 / 512);
        long within = run.events().stream()
                .filter(e -> e instanceof Chunk c && c.start() <= to && c.end() >= from)
                .count();
        assertTrue(within > 100);
        assertEquals(within, list(shown.found().get("near")).size());
        assertEquals(within, sum(shown.found().get("near")));
        long halves = sum(shown.found().get("part")) + sum(shown.found().get("rest"));
        assertTrue(Math.abs(halves - 102_000) <= 10, () -> halves + " with the seam");
        assertTrue(shown.found().get("says").toString().startsWith(within + " chunks from "));
    }

    private static long sum(Object numbers) {
        return list(numbers).stream().mapToLong(n -> ((Number) n).longValue()).sum();
    }

    /** That the checks above can fail. */
    @Test
    void whatAPageAsksForAndComplainsAboutIsSeen() throws Exception {
        String html = "<!DOCTYPE html><html><body><img src=\"http://elsewhere.test/x.png\">"
                + "<script>undefinedFunction();</script></body></html>";
        Browser.Shown shown = Browser.show(html, false, "return {};", folder);
        assertTrue(shown.requests().contains("http://elsewhere.test/x.png"), shown::toString);
        assertTrue(shown.console().stream().anyMatch(c -> c.contains("undefinedFunction")), shown::toString);
    }

    @Test
    void thePolicyOfThePageKeepsWhatWasInjectedFromLoadingAndRunning() throws Exception {
        String report = new HtmlReport("t").html();
        String injected = report.replace(
                "<main>", "<main><img src=\"http://elsewhere.test/x.png\"><script>document.title = 'mine';</script>");
        assertNotEquals(report, injected);
        Browser.Shown shown = Browser.show(injected, false, "return {title: document.title};", folder);
        assertEquals(List.of(), shown.requests());
        assertEquals("t", shown.found().get("title"));
        assertTrue(shown.console().size() >= 2, "and the browser says so");
    }
}
