package dev.evener.workloads.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.RunEvent.Chunk;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page as text; {@link BrowserTest} has it as a browser shows it. */
class HtmlReportTest {
    private static final Pattern BAR = Pattern.compile(
            "<rect class=\"chunk[^\"]*\" x=\"([0-9.]+)\" y=\"([0-9.]+)\" width=\"([0-9.]+)\" height=\"24\" data-n=\"(\\d+)\"");

    private static String gantt(String html, String label) {
        int from = html.indexOf("<svg class=\"gantt\" role=\"img\" aria-label=\"" + label);
        assertTrue(from >= 0, () -> "no chart " + label);
        return html.substring(from, html.indexOf("</svg>", from));
    }

    private static List<double[]> bars(String chart) {
        List<double[]> bars = new ArrayList<>();
        for (Matcher m = BAR.matcher(chart); m.find(); ) {
            bars.add(new double[] {
                Double.parseDouble(m.group(1)),
                Double.parseDouble(m.group(2)),
                Double.parseDouble(m.group(3)),
                Double.parseDouble(m.group(4))
            });
        }
        return bars;
    }

    @Test
    void everyChunkHasABarAsLongAsItTook() {
        RunEvents run = new MadeUpRun().job("blur", "adaptive", 20, 40_000).done("run");
        List<double[]> bars = bars(gantt(new HtmlReport("t").add(run).html(), "Chunks of job 1"));
        List<Chunk> chunks = run.events().stream()
                .filter(Chunk.class::isInstance)
                .map(Chunk.class::cast)
                .toList();
        assertEquals(chunks.size(), bars.size());
        double scale = bars.get(0)[2] / (chunks.get(0).end() - chunks.get(0).start());
        for (int i = 0; i < bars.size(); i++) {
            Chunk chunk = chunks.get(i);
            assertEquals((chunk.end() - chunk.start()) * scale, bars.get(i)[2], 0.01);
            assertEquals((chunk.start() - chunks.get(0).start()) * scale, bars.get(i)[0] - bars.get(0)[0], 0.05);
            assertEquals(bars.get(0)[1] + 34 * chunk.device(), bars.get(i)[1]);
        }
    }

    @Test
    void manyChunksAreDrawnTogetherAndNoneIsLost() {
        MadeUpRun made = new MadeUpRun();
        for (int i = 0; i < 34; i++) {
            made.job("blur", "adaptive", 1_000, 3_000);
        }
        String html = new HtmlReport("t").add(made.done("run")).html();
        String all = gantt(html, "All 34 jobs, 102,000 chunks");
        List<double[]> bars = bars(all);
        assertEquals(102_000, bars.stream().mapToDouble(b -> b[3]).sum());
        assertTrue(bars.size() < 5_000, () -> bars.size() + " bars");
        assertTrue(html.length() < 12_000_000, () -> html.length() + " characters");
        assertEquals(102_000 * 8, chunkData(html).split(",").length, "and all of them can be zoomed into");
    }

    private static String chunkData(String html) {
        String key = "\"chunks\":[";
        int from = html.indexOf(key) + key.length();
        return html.substring(from, html.indexOf(']', from));
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
        JobStory story = JobStory.all(run).get(0);
        String html = new HtmlReport("t").add(run).html();
        assertTrue(html.contains("<dt>wall time</dt><dd>" + Text.time(story.wallNanos()) + "<"));
        long busy = 0;
        long[] last = new long[3];
        for (var event : run.events()) {
            if (event instanceof Chunk chunk) {
                busy += chunk.end() - chunk.start();
                last[chunk.device()] = Math.max(last[chunk.device()], chunk.end());
            }
        }
        assertTrue(html.contains("<dt>efficiency</dt><dd>" + Text.percent(busy / 3.0 / story.wallNanos()) + "<"));
        long gap = Math.max(last[0], Math.max(last[1], last[2])) - Math.min(last[0], Math.min(last[1], last[2]));
        assertTrue(gap > 0);
        assertTrue(html.contains("<dt>finish together</dt><dd>" + Text.time(gap) + "<"));
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
        for (Palette palette : List.of(Palette.LIGHT, Palette.DARK)) {
            for (String background : palette.backgrounds()) {
                for (String text : palette.texts()) {
                    assertTrue(Contrast.of(text, background) >= 4.5, text + " on " + background);
                }
                for (String mark : palette.marks()) {
                    assertTrue(Contrast.of(mark, background) >= 3, mark + " on " + background);
                }
            }
        }
        assertEquals(21, Contrast.of("#ffffff", "#000000"), 1e-9);
    }
}
