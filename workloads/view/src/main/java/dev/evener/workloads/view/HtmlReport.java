package dev.evener.workloads.view;

import dev.evener.DeviceInfo;
import dev.evener.event.RunEvent.Chunk;
import dev.evener.workloads.document.Statistics;
import dev.evener.workloads.document.TextTable;
import dev.evener.workloads.view.Activity.Span;
import dev.evener.workloads.view.Ranking.Entry;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * A page that shows what was run: who was faster, chunks over time, shares, predictions, efficiency and the machine. It is
 * one file that loads nothing: its only script draws the charts from data in the page, and text and tables read as well
 * without it. A content security policy in the page forbids everything else. Not thread-safe.
 */
public final class HtmlReport {
    /** Of a ranking's contenders with at most so many times, each is a dot. */
    private static final int FEW = 60;

    /** Into so many the time of stages is cut. */
    private static final int PARTS = 120;

    /** The first colours are those of devices. */
    private static final int FIRST_GROUP = 3;

    private static final TextTable<DeviceInfo> DEVICES = new TextTable<DeviceInfo>()
            .column("device", DeviceInfo::id)
            .column("name", DeviceInfo::name)
            .column("platform, driver", d -> d.platform() + (d.driver().isEmpty() ? "" : ", " + d.driver()))
            .column("kind", d -> d.kind().name().toLowerCase(Locale.ROOT))
            .column(">units", DeviceInfo::computeUnits)
            .column(">clock", d -> d.clockMhz() > 0 ? d.clockMhz() + " MHz" : null)
            .column(">memory", d -> Text.bytes(d.memoryBytes()))
            .column(">largest buffer", d -> Text.bytes(d.maxAllocationBytes()))
            .column("host memory", d -> d.sharesHostMemory() ? "works in place" : "copies");

    private final String title;
    private final Map<String, String> facts = new LinkedHashMap<>();
    private final List<Ranking> rankings = new ArrayList<>();
    private final List<RunEvents> runs = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private final Map<String, List<List<String>>> tables = new LinkedHashMap<>();
    private final List<Activity> before = new ArrayList<>();
    private final List<Activity> after = new ArrayList<>();

    /** @param title what was run, in a few words */
    public HtmlReport(String title) {
        this.title = title;
    }

    /** Something to know about the whole, such as the command or the date; shown in the order of the calls. */
    public HtmlReport fact(String name, String value) {
        facts.put(name, value);
        return this;
    }

    /** Something that must not be overlooked, such as a wrong result. */
    public HtmlReport warning(String sentence) {
        warnings.add(sentence);
        return this;
    }

    /** A comparison of times. */
    public HtmlReport add(Ranking ranking) {
        rankings.add(ranking);
        return this;
    }

    /** Tables by their titles; the first row of each has the headings. */
    public HtmlReport tables(Map<String, List<List<String>>> byTitle) {
        tables.putAll(byTitle);
        return this;
    }

    /**
     * What went on beside the devices, which are shown between the two lists, from its first beginning to its last end.
     *
     * @param before at least one
     */
    public HtmlReport stages(List<Activity> before, List<Activity> after) {
        this.before.addAll(before);
        this.after.addAll(after);
        return this;
    }

    /** What happened on one Evener. */
    public HtmlReport add(RunEvents run) {
        runs.add(run);
        return this;
    }

    /** The page. */
    public String html() {
        String script = resource("report.js");
        Html page = new Html();
        page.add("""
                <!DOCTYPE html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; \
                style-src 'unsafe-inline'; script-src '%s'">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <link rel="icon" href="data:,"><!-- or a browser would ask for one -->
                <title>%s</title>
                <style>
                """, digest(script), title);
        page.raw(resource("report.css")).raw("</style>\n</head>\n<body>\n<header>\n");
        page.each("h1", "", title).each("p", "alarm", warnings.toArray(String[]::new));
        page.raw("<noscript><p class=\"hint\">The charts need JavaScript.</p></noscript>\n<dl class=\"facts\">\n");
        facts.forEach((name, value) -> page.add("<div><dt>%s</dt><dd>%s</dd></div>\n", name, value));
        page.raw("</dl>\n</header>\n<main>\n");
        tables.forEach((heading, rows) -> {
            page.add("<section>\n<h2>%s</h2>\n", heading).table(rows).raw("</section>\n");
        });
        if (!rankings.isEmpty()) {
            page.raw("""
                    <section>
                    <h2>Comparison</h2>
                    <p class="hint">The shorter the better. Each box reaches from the lower to the upper \
                    quartile, the bar across it is the median, the line spans the 5th to the 95th percentile. × is how many times \
                    as fast as the fastest, by medians.</p>
                    """);
            rankings.forEach(ranking -> ranking(page, ranking));
            page.raw("</section>\n");
        }
        if (before.stream().anyMatch(a -> !a.spans().isEmpty())) {
            stages(page);
        }
        runs.forEach(run -> new RunSection(run, page).add(runs.size() == 1 && rankings.isEmpty()));
        machine(page);
        page.raw("</main>\n").data().raw("<script>").raw(script).raw("</script>\n</body>\n</html>\n");
        return page.toString();
    }

    private static void ranking(Html page, Ranking ranking) {
        List<String> groups =
                ranking.entries().stream().map(Entry::group).distinct().toList();
        page.add("<figure>\n<figcaption><h3>%s</h3><ul class=\"legend\">", ranking.title());
        groups.forEach(group -> page.legend(FIRST_GROUP + groups.indexOf(group), group));
        page.raw("</ul></figcaption>\n");
        double most = 0;
        for (Entry entry : ranking.entries()) {
            double[] quantiles = quantiles(entry);
            double high = Statistics.quantile(entry.nanos(), 0.9);
            most = Math.max(most, Math.max(high, Math.min(quantiles[4], 2 * quantiles[2])));
        }
        List<Map<String, Object>> rows = new TextTable<Entry>()
                .field("name", Entry::name)
                .field("group", e -> FIRST_GROUP + groups.indexOf(e.group()))
                .field("note", Entry::note)
                .field("jobs", e -> e.nanos().length)
                .field("singles", e -> e.nanos().length <= FEW ? e.nanos() : new double[0])
                .field("quantiles", HtmlReport::quantiles)
                .maps(ranking.entries());
        Map<String, Object> chart =
                Map.of("kind", "ranking", "high", most > 0 ? 1.05 * most : 1, "ratios", ranking.ratios(), "rows", rows);
        page.chart("ranking", (ranking.ratios() ? "" : "wall times of ") + ranking.title(), chart)
                .raw("</figure>\n");
    }

    private static double[] quantiles(Entry of) {
        return DoubleStream.of(0.05, 0.25, 0.5, 0.75, 0.95)
                .map(q -> Statistics.quantile(of.nanos(), q))
                .toArray();
    }

    private void stages(Html page) {
        List<Activity> all = new ArrayList<>(before);
        for (RunEvents run : runs) {
            for (int d = 0; d < run.devices().size(); d++) {
                int device = d;
                List<Span> chunks = run.events().stream()
                        .filter(e -> e instanceof Chunk c && c.device() == device)
                        .map(e -> (Chunk) e)
                        .map(c -> new Span(c.start(), c.end(), 1))
                        .toList();
                all.add(Activity.of(run.devices().get(d).id(), 1, chunks));
            }
        }
        all.addAll(after);
        List<Span> spans = Stream.concat(before.stream(), after.stream())
                .flatMap(a -> a.spans().stream())
                .toList();
        long from = spans.stream().mapToLong(Span::from).min().orElse(0);
        long to = spans.stream().mapToLong(Span::to).max().orElse(0);
        List<Map<String, Object>> rows = new ArrayList<>();
        for (Activity each : all) {
            double[] parts = each.parts(from, to, PARTS);
            double most = DoubleStream.of(parts).max().orElse(0);
            double full = each.full() > 0 ? each.full() : Math.max(1, most);
            rows.add(Map.of(
                    "name",
                    each.name(),
                    "series",
                    before.contains(each) || after.contains(each) ? -1 : rows.size() - before.size(),
                    "mean",
                    each.text().apply(DoubleStream.of(parts).average().orElse(0)),
                    "most",
                    each.text().apply(most),
                    "parts",
                    DoubleStream.of(parts).map(p -> Math.min(1, p / full)).toArray()));
        }
        page.add("""
                <section>
                <h2>Stages over time</h2>
                <p class="hint">How busy threads and devices were, and what was under way: each bar is the mean of a %sth of the \
                run, and the numbers are the mean of all and the largest of these.</p>
                <figure>
                """, PARTS);
        page.chart("stages", "stages over time", Map.of("kind", "stages", "nanos", to - from, "rows", rows))
                .raw("</figure>\n</section>\n");
    }

    private void machine(Html page) {
        page.add(
                "<section>\n<h2>Machine</h2>\n<p>%s %s on %s, %s; Java %s, %s, heap up to %s.</p>\n",
                System.getProperty("os.name"),
                System.getProperty("os.version"),
                System.getProperty("os.arch"),
                TextTable.counted(Runtime.getRuntime().availableProcessors(), "processor"),
                Runtime.version(),
                System.getProperty("java.vm.name"),
                Text.bytes(Runtime.getRuntime().maxMemory()));
        List<DeviceInfo> devices =
                runs.stream().flatMap(r -> r.devices().stream()).distinct().toList();
        if (!devices.isEmpty()) {
            page.table(DEVICES.cells(devices));
        }
        page.raw("</section>\n");
    }

    private static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(HtmlReport.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As a content security policy names a script. */
    static String digest(String script) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(script.getBytes(StandardCharsets.UTF_8));
            return "sha256-" + Base64.getEncoder().encodeToString(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
