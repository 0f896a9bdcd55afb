package dev.evener.workloads.view;

import dev.evener.DeviceInfo;
import dev.evener.Evener;
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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * A page that shows what was run: who was faster, chunks over time, shares, predictions, efficiency and the machine. It is
 * one file that loads nothing: charts are drawn into it, and its only script, without which it reads as well, zooms. A
 * content security policy in the page forbids everything else. Not thread-safe.
 */
public final class HtmlReport {
    private final String title;
    private final Map<String, String> facts = new LinkedHashMap<>();
    private final List<Ranking> rankings = new ArrayList<>();
    private final List<RunEvents> runs = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

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

    /** What happened on one Evener. */
    public HtmlReport add(RunEvents run) {
        runs.add(run);
        return this;
    }

    /** The page. */
    public String html() {
        String script = resource("report.js");
        StringBuilder page = new StringBuilder(1 << 16);
        page.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        page.append("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:;");
        page.append(" style-src 'unsafe-inline'; script-src '")
                .append(digest(script))
                .append("'\">\n");
        page.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        page.append("<meta name=\"color-scheme\" content=\"light dark\">\n");
        page.append("<link rel=\"icon\" href=\"data:,\">\n"); // or a browser would ask for one
        page.append("<title>").append(Text.escape(title)).append("</title>\n<style>\n");
        page.append(Palette.bothSchemes()).append(resource("report.css")).append("</style>\n</head>\n<body>\n");
        header(page);
        page.append("<main>\n");
        if (!rankings.isEmpty()) {
            rankings(page);
        }
        for (int i = 0; i < runs.size(); i++) {
            new RunSection(runs.get(i), i, runs.size() == 1 && rankings.isEmpty()).append(page);
        }
        machine(page);
        page.append("</main>\n<script>").append(script).append("</script>\n</body>\n</html>\n");
        return page.toString();
    }

    private void header(StringBuilder page) {
        page.append("<header>\n<h1>").append(Text.escape(title)).append("</h1>\n");
        warnings.forEach(
                w -> page.append("<p class=\"alarm\">").append(Text.escape(w)).append("</p>\n"));
        if (!facts.isEmpty()) {
            page.append("<dl class=\"facts\">\n");
            facts.forEach((name, value) -> page.append("<div><dt>")
                    .append(Text.escape(name))
                    .append("</dt><dd>")
                    .append(Text.escape(value))
                    .append("</dd></div>\n"));
            page.append("</dl>\n");
        }
        page.append("</header>\n");
    }

    private void rankings(StringBuilder page) {
        page.append(
                        "<section>\n<h2>Comparison</h2>\n<p class=\"hint\">Wall time of a job: the shorter the better. Each box")
                .append(
                        " reaches from the lower to the upper quartile, the bar across it is the median, the line spans the")
                .append(" 5th to the 95th percentile. × is the median over that of the fastest.</p>\n");
        for (Ranking ranking : rankings) {
            List<String> groups =
                    ranking.entries().stream().map(Entry::group).distinct().toList();
            page.append("<figure>\n<figcaption><h3>")
                    .append(Text.escape(ranking.title()))
                    .append("</h3>");
            page.append("<ul class=\"legend\">");
            for (int i = 0; i < groups.size(); i++) {
                legend(page, Palette.group(i), groups.get(i));
            }
            page.append("</ul></figcaption>\n<div class=\"scroll\">\n");
            page.append(RankingChart.draw(ranking, groups)).append("</div>\n</figure>\n");
        }
        page.append("</section>\n");
    }

    static void legend(StringBuilder page, String series, String name) {
        page.append("<li class=\"").append(series).append("\"><i></i>");
        page.append(Text.escape(name)).append("</li>");
    }

    private void machine(StringBuilder page) {
        Set<DeviceInfo> devices = new LinkedHashSet<>();
        runs.forEach(r -> devices.addAll(r.devices()));
        Runtime runtime = Runtime.getRuntime();
        page.append("<section>\n<h2>Machine</h2>\n<p>");
        page.append(Text.escape(String.format(
                Locale.ROOT,
                "%s %s on %s, %d processor%s; Java %s, %s, heap up to %s.",
                System.getProperty("os.name"),
                System.getProperty("os.version"),
                System.getProperty("os.arch"),
                Evener.processors(),
                Evener.processors() == 1 ? "" : "s",
                Runtime.version(),
                System.getProperty("java.vm.name"),
                Text.bytes(runtime.maxMemory()))));
        page.append("</p>\n");
        if (!devices.isEmpty()) {
            page.append(
                            "<div class=\"scroll\"><table>\n<thead><tr><th>device</th><th>name</th><th>platform, driver</th>")
                    .append(
                            "<th>kind</th><th class=\"n\">units</th><th class=\"n\">clock</th><th class=\"n\">memory</th>")
                    .append("<th class=\"n\">largest buffer</th><th>host memory</th></tr></thead>\n<tbody>\n");
            devices.forEach(d -> device(page, d));
            page.append("</tbody></table></div>\n");
        }
        page.append("</section>\n");
    }

    private static void device(StringBuilder page, DeviceInfo d) {
        page.append("<tr><th>").append(Text.escape(d.id())).append("</th>");
        cell(page, "", d.name());
        cell(page, "", d.platform() + (d.driver().isEmpty() ? "" : ", " + d.driver()));
        cell(page, "", d.kind().name().toLowerCase(Locale.ROOT));
        cell(page, "n", String.valueOf(d.computeUnits()));
        cell(page, "n", d.clockMhz() > 0 ? d.clockMhz() + " MHz" : "–");
        cell(page, "n", Text.bytes(d.memoryBytes()));
        cell(page, "n", Text.bytes(d.maxAllocationBytes()));
        cell(page, "", d.sharesHostMemory() ? "works in place" : "copies");
        page.append("</tr>\n");
    }

    static void cell(StringBuilder page, String classes, String text) {
        page.append("<td")
                .append(classes.isEmpty() ? "" : " class=\"" + classes + "\"")
                .append('>');
        page.append(Text.escape(text)).append("</td>");
    }

    private static String resource(String name) {
        try (InputStream in = HtmlReport.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is missing from the program");
            }
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
