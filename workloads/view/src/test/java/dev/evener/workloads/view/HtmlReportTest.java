package dev.evener.workloads.view;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.event.RunEvent.Chunk;
import dev.evener.workloads.view.Activity.Span;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The page as text; {@link BrowserTest} has it as a browser shows it. */
class HtmlReportTest {
    @Test
    void everyChunkIsABarAsLongAsItTook() {
        RunEvents run = new MadeUpRun().job("blur", "adaptive", 20, 40_000).done("run");
        List<long[]> bars = PageData.bars(new HtmlReport("t").add(run).html());
        List<Chunk> chunks = run.events().stream()
                .filter(Chunk.class::isInstance)
                .map(Chunk.class::cast)
                .sorted(Comparator.comparingLong(Chunk::start))
                .toList();
        assertEquals(chunks.size(), bars.size());
        for (int i = 0; i < bars.size(); i++) {
            Chunk c = chunks.get(i);
            long[] bar = bars.get(i);
            long took = c.end() - c.start();
            long start = bars.get(0)[1] + c.start() - chunks.get(0).start();
            assertArrayEquals(
                    new long[] {
                        c.device(),
                        start,
                        took,
                        c.firstUnit(),
                        64,
                        1,
                        0,
                        c.owner(),
                        c.kernelNanos(),
                        100,
                        4096,
                        1024,
                        c.start() - c.queued(),
                        1,
                        took
                    },
                    bar);
        }
    }

    /** Two of three threads at work for half of the time, a device for its chunks, and bytes that double. */
    @Test
    void stagesOverTimeAreMeansOfTheirSpans() {
        RunEvents run = new MadeUpRun().job("a", "adaptive", 4, 40_000).done("run");
        List<Chunk> chunks = run.events().stream()
                .filter(Chunk.class::isInstance)
                .map(Chunk.class::cast)
                .toList();
        long from = chunks.stream().mapToLong(Chunk::start).min().orElseThrow();
        long half = chunks.stream().mapToLong(Chunk::end).max().orElseThrow() - from;
        Span first = new Span(from, from + half, 1);
        String html = new HtmlReport("t")
                .add(run)
                .stages(
                        List.of(Activity.of("read", 3, List.of(first, first))),
                        List.of(
                                Activity.ofCount("frames", List.of(first, new Span(from, from + 2 * half, 1))),
                                Activity.ofBytes("bytes", List.of(new Span(from, from + 2 * half, 3 << 20)))))
                .html();
        Map<?, ?> chart = PageData.charts(html, "stages").get(0);
        assertEquals(2 * half, ((Number) Objects.requireNonNull(chart.get("nanos"))).longValue());
        List<?> rows = (List<?>) Objects.requireNonNull(chart.get("rows"));
        assertEquals(6, rows.size());
        row(rows, 0, "read", -1, "33.3 %", "66.7 %", 2 / 3.0, 0);
        row(rows, 4, "frames", -1, "1.5", "2.0", 1, 0.5);
        row(rows, 5, "bytes", -1, "3.00 MiB", "3.00 MiB", 1, 1);
        for (int d = 0; d < 3; d++) {
            int device = d;
            double busy = chunks.stream()
                    .filter(c -> c.device() == device)
                    .mapToLong(c -> c.end() - c.start())
                    .sum();
            Map<?, ?> row = (Map<?, ?>) rows.get(1 + d);
            assertEquals(d, row.get("series"));
            assertEquals(Text.percent(busy / (2 * half)), row.get("mean"));
        }
    }

    private static void row(
            List<?> rows, int at, String name, int series, String mean, String most, double first, double last) {
        Map<?, ?> row = (Map<?, ?>) rows.get(at);
        assertEquals(
                List.of(name, series, mean, most),
                List.of(row.get("name"), row.get("series"), row.get("mean"), row.get("most")));
        List<?> parts = (List<?>) Objects.requireNonNull(row.get("parts"));
        assertEquals(120, parts.size());
        for (int i = 0; i < 120; i++) {
            assertEquals(i < 60 ? first : last, ((Number) parts.get(i)).doubleValue(), 1e-3, name + " " + i);
        }
    }

    @Test
    void ofManyChunksNoneIsLost() {
        MadeUpRun made = new MadeUpRun();
        for (int i = 0; i < 34; i++) {
            made.job("blur", "adaptive", 1_000, 3_000);
        }
        String html = new HtmlReport("t").add(made.done("run")).html();
        assertTrue(html.contains("aria-label=\"All 34 jobs, 102,000 chunks\""));
        assertTrue(html.length() < 12_000_000, () -> html.length() + " characters");
        assertEquals(102_000, PageData.bars(html).size(), "all of them can be zoomed into");
        for (int i = 0; i < 34; i++) {
            made.job("blur", "adaptive", 1_001, 3_000);
        }
        List<long[]> joined =
                PageData.bars(new HtmlReport("t").add(made.done("run")).html());
        assertTrue(joined.size() <= 34 * 3 * (500 + 501), () -> joined.size() + " bars");
        assertEquals(204_102, joined.stream().mapToLong(b -> b[13]).sum());
        assertEquals(204_102 * 64, joined.stream().mapToLong(b -> b[4]).sum());
    }

    @Test
    void textFromDevicesAndJobsStaysText() {
        String evil = MadeUpRun.HOSTILE;
        RunEvents run = new MadeUpRun()
                .job(evil, evil, 2, 9_000)
                .job(evil, evil, 2, 9_000)
                .job(evil, evil, 2, 9_000)
                .done(evil);
        String html = new HtmlReport(evil)
                .fact(evil, evil)
                .warning(evil)
                .add(run)
                .add(new Ranking(evil, List.of(new Ranking.Entry(evil, evil, new double[] {1, 2}, evil))))
                .html();
        assertFalse(html.contains("<img"), "an element came of a name");
        assertFalse(html.contains("<b>out of luck"), "an element came of a fault");
        assertFalse(html.contains("alert(1)>"));
        assertFalse(html.codePoints().anyMatch(c -> c == 0 || (c >= 0xD800 && c <= 0xDFFF)), "not fit for a file");
        int scripts = html.split("</script>", -1).length - 1;
        assertEquals(2, scripts, "the data's and the page's own");
    }

    @Test
    void nothingIsLoaded() {
        String html = new HtmlReport("t")
                .add(new MadeUpRun().job("a", "adaptive", 2, 9_000).done("run"))
                .html();
        String rest = html.replace("http://www.w3.org/2000/svg", "").replace(" href=\"data:,\"", "");
        for (String loads :
                new String[] {"http:", "https:", " src=\"", " href=\"", "url(", "@import", "fetch(", "//cdn"}) {
            assertFalse(rest.contains(loads), loads);
        }
        assertTrue(html.contains("default-src 'none'"));
    }

    @Test
    void figuresAreThoseOfTheEvents() {
        MadeUpRun made = new MadeUpRun().job("a", "adaptive", 4, 40_000);
        RunEvents run = made.done("run");
        JobEvents job = JobEvents.of(run).get(0);
        String html = new HtmlReport("t").add(run).html();
        assertTrue(html.contains("<dt>wall time</dt><dd>" + Text.time(job.wallNanos()) + "<"));
        long busy = 0;
        long[] last = new long[3];
        for (var event : run.events()) {
            if (event instanceof Chunk chunk) {
                busy += chunk.end() - chunk.start();
                last[chunk.device()] = Math.max(last[chunk.device()], chunk.end());
            }
        }
        assertTrue(html.contains("<dt>efficiency</dt><dd>" + Text.percent(busy / 3.0 / job.wallNanos()) + "<"));
        long gap = Math.max(last[0], Math.max(last[1], last[2])) - Math.min(last[0], Math.min(last[1], last[2]));
        assertTrue(gap > 0);
        assertTrue(html.contains("<dt>finish together</dt><dd>" + Text.time(gap) + "<"));
    }

    /** Devices that have whole jobs: the one with fewer of them has its share and its medians, and not 0. */
    @Test
    void sharesAndBusyTimeAreThoseOfAllJobs() {
        String html = new HtmlReport("t")
                .add(new MadeUpRun()
                        .whole(0, 0, 1_000_000, 512)
                        .whole(1, 0, 2_000_000, 1024)
                        .whole(0, 1_000_000, 2_000_000, 512)
                        .whole(0, 3_000_000, 4_000_000, 512) // after a time without any
                        .done("run"))
                .html();
        String table = html.substring(html.indexOf("Efficiency of 4 jobs"), html.indexOf("</table>"));
        List<String> rows = List.of(table.split("<tr>", -1)).stream()
                .map(row ->
                        row.replaceAll("<[^>]*>", " ").replaceAll("\\s+", " ").trim())
                .toList();
        assertEquals("0.0 75.0 % 1 0 100.0 % 1.00 ms 0 ns 512 B 0 B", rows.get(2));
        assertEquals("0.1 25.0 % 1 0 66.7 % 2.00 ms 0 ns 1.00 KiB 0 B", rows.get(3));
        assertEquals("1.0 0.0 % 0 0 0.0 % 0 ns 0 ns 0 B 0 B", rows.get(4));
    }

    @Test
    void anEmptyRunIsAPageToo() {
        assertTrue(new HtmlReport("t")
                .add(new RunEvents("r", List.of(), List.of(), 5))
                .html()
                .contains("No job gave"));
        RunEvents failed = new MadeUpRun().failing("x").done("run");
        assertTrue(new HtmlReport("t").add(failed).html().contains("no &lt;device&gt; can take it"));
    }

    @Test
    void textAndMarksStandOutInBothSchemes() {
        String html = new HtmlReport("t").html();
        String[] schemes = html.split("prefers-color-scheme:dark", -1);
        assertEquals(2, schemes.length);
        for (String scheme : schemes) {
            for (String background : List.of("page", "card")) {
                for (String text : List.of("ink", "muted", "alarm")) {
                    contrast(scheme, text, background, 4.5);
                }
                for (int i = 0; i < 8; i++) {
                    contrast(scheme, "s" + i, background, 3);
                }
            }
        }
        assertEquals(21, Contrast.of("#ffffff", "#000000"), 1e-9);
    }

    private static void contrast(String scheme, String name, String background, double least) {
        String colour = colour(scheme, name);
        String behind = colour(scheme, background);
        assertTrue(Contrast.of(colour, behind) >= least, () -> name + " " + colour + " on " + behind);
    }

    private static String colour(String scheme, String name) {
        int at = scheme.indexOf("--" + name + ":#") + name.length() + 3;
        return scheme.substring(at, at + 7);
    }
}
