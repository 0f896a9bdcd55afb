package dev.evener.workloads.view;

import dev.evener.DeviceInfo;
import dev.evener.RunEvent.Chunk;
import dev.evener.workloads.bench.Statistics;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * A run's part of the page: an overview of all jobs, then each kind of job, which is the jobs of one name, size and
 * policy. Used once.
 */
final class RunSection {
    /** Beyond that many chunks the page would be too large to load with ease; its charts then do not zoom. */
    private static final int MOST_ZOOMED = 200_000;

    /** Kinds beyond that are counted and not drawn; a folder of pictures may hold hundreds of sizes. */
    private static final int MOST_KINDS = 60;

    private static final int MOST_FAULTS = 50;

    private final RunEvents run;
    private final List<DeviceInfo> devices;
    private final int number;
    private final boolean open;
    private final List<JobStory> jobs;
    private final long origin;
    private final GanttChart gantt;

    private record Kind(String name, long units, String policy) {}

    /**
     * @param number of the run on the page, from 0
     * @param open whether its first kind is shown from the beginning
     */
    RunSection(RunEvents run, int number, boolean open) {
        this.run = run;
        this.devices = run.devices();
        this.number = number;
        this.open = open;
        this.jobs = JobStory.all(run);
        long first = jobs.stream().mapToLong(JobStory::begin).min().orElse(0);
        for (JobStory job : jobs) {
            for (Chunk chunk : job.chunks()) {
                first = Math.min(first, chunk.start());
            }
        }
        this.origin = first;
        this.gantt = new GanttChart(devices, origin);
    }

    void append(StringBuilder page) {
        page.append("<section class=\"run\">\n<h2>")
                .append(Text.escape(run.title()))
                .append("</h2>\n");
        if (run.forgotten() > 0) {
            page.append("<p class=\"alarm\">").append(Text.count(run.forgotten()));
            page.append(" events at the beginning were not kept: this is the end of the run.</p>\n");
        }
        List<JobStory> shown = jobs.stream().filter(j -> !j.chunks().isEmpty()).toList();
        Map<Kind, List<JobStory>> kinds = new LinkedHashMap<>();
        for (JobStory job : shown) {
            Kind kind = new Kind(
                    job.submitted().name(),
                    job.submitted().units(),
                    job.submitted().policy());
            kinds.computeIfAbsent(kind, k -> new ArrayList<>()).add(job);
        }
        if (shown.isEmpty()) {
            page.append("<p>No job gave a device anything to do.</p>\n");
        }
        if (shown.size() > 1) {
            overview(page, shown);
        }
        int drawn = 0;
        for (Map.Entry<Kind, List<JobStory>> kind : kinds.entrySet()) {
            if (drawn++ < MOST_KINDS) {
                kind(page, kind.getKey(), kind.getValue(), open && drawn == 1);
            }
        }
        if (kinds.size() > MOST_KINDS) {
            page.append("<p>").append(kinds.size() - MOST_KINDS).append(" further kinds of jobs are not shown.</p>\n");
        }
        faults(page);
        data(page);
        page.append("</section>\n");
    }

    private void overview(StringBuilder page, List<JobStory> shown) {
        long chunks = shown.stream().mapToLong(j -> j.chunks().size()).sum();
        String caption = "All " + Text.count(shown.size()) + " jobs, " + Text.count(chunks) + " chunks";
        figure(page, caption, "Warm-up included. " + densityHint(chunks), gantt.draw(caption, number, shown), true);
    }

    private static String densityHint(long chunks) {
        return chunks <= GanttChart.MOST_SINGLE
                ? "Each bar is a chunk."
                : "Chunks too short to be seen are drawn together, the paler the less busy the device was.";
    }

    private void kind(StringBuilder page, Kind kind, List<JobStory> all, boolean shown) {
        List<JobStory> ended = all.stream().filter(JobStory::succeeded).toList();
        page.append("<details").append(shown ? " open" : "").append(" class=\"kind\"><summary><b>");
        page.append(Text.escape(kind.name()))
                .append("</b> ")
                .append(Text.count(kind.units()))
                .append(" units, policy <b>");
        page.append(Text.escape(kind.policy())).append("</b>: ").append(Text.count(all.size()));
        page.append(all.size() == 1 ? " job" : " jobs");
        if (!ended.isEmpty()) {
            page.append(", median ").append(Text.time(median(ended, JobStory::wallNanos)));
        }
        page.append("</summary>\n");
        if (ended.isEmpty()) {
            page.append("<p class=\"alarm\">None of them succeeded.</p>\n</details>\n");
            return;
        }
        figures(page, ended);
        JobStory typical = ended.stream()
                .sorted(Comparator.comparingLong(JobStory::wallNanos))
                .skip((ended.size() - 1) / 2)
                .findFirst()
                .orElseThrow();
        String caption = ended.size() == 1
                ? "Chunks of job " + typical.submitted().job()
                : "Chunks of job " + typical.submitted().job() + ", whose wall time is the median";
        String hint = densityHint(typical.chunks().size())
                + (typical.steals().isEmpty() && typical.chunks().stream().allMatch(c -> c.owner() == c.device())
                        ? ""
                        : " A stripe above a bar has the colour of the device for which it was planned.")
                + (typical.chunks().stream().anyMatch(c -> c.phase() > 0) ? " Every other phase is paler." : "");
        figure(page, caption, hint, gantt.draw(caption, number, List.of(typical)), true);
        efficiency(page, ended);
        if (ended.size() > 1) {
            LineChart lines = new LineChart(ended);
            String grouped = lines.group() > 1 ? " A point is the mean of " + lines.group() + " jobs." : "";
            String shares = "Shares over time";
            List<String> ids = devices.stream().map(DeviceInfo::id).toList();
            figure(
                    page,
                    shares,
                    "Solid: what each device did. Dashed: what was planned." + grouped,
                    lines.shares(shares, ids),
                    true);
            String times = "Predicted and measured wall time";
            String dots = lines.group() > 1 ? " Every " + lines.group() + "th job is shown." : "";
            boolean any = ended.stream().anyMatch(j -> j.predictedNanos() > 0);
            String dashed = any ? " Dashed: predicted by the history before the job." : " Nothing was predicted.";
            figure(
                    page,
                    times,
                    "Dots: measured; hollow, if above the scale." + dashed + dots,
                    lines.times(times),
                    false);
        }
        page.append("</details>\n");
    }

    private void figure(StringBuilder page, String caption, String hint, String chart, boolean legend) {
        page.append("<figure>\n<figcaption><h3>").append(Text.escape(caption)).append("</h3><p class=\"hint\">");
        page.append(Text.escape(hint)).append("</p>");
        if (legend) {
            page.append("<ul class=\"legend\">");
            for (int i = 0; i < devices.size(); i++) {
                HtmlReport.legend(
                        page,
                        Palette.series(i),
                        devices.get(i).id() + " " + devices.get(i).name());
            }
            page.append("</ul>");
        }
        page.append("</figcaption>\n<div class=\"scroll\">\n").append(chart).append("</div>\n</figure>\n");
    }

    private void figures(StringBuilder page, List<JobStory> ended) {
        int count = devices.size();
        double[] walls = ended.stream().mapToDouble(JobStory::wallNanos).toArray();
        double wall = Statistics.median(walls);
        double gap = median(ended, j -> j.finishGap(count));
        double[] errors = ended.stream()
                .mapToDouble(JobStory::predictionError)
                .filter(e -> !Double.isNaN(e))
                .map(Math::abs)
                .toArray();
        page.append("<dl class=\"figures\">\n");
        String spread = ended.size() < 2
                ? ""
                : "± " + Text.time(Statistics.medianAbsoluteDeviation(walls)) + " (median deviation)";
        figureOf(page, "wall time", Text.time(wall), spread);
        figureOf(
                page,
                "efficiency",
                Text.percent(median(ended, j -> j.efficiency(count))),
                "of the time of all its devices was work");
        figureOf(
                page,
                "finish together",
                Text.time(gap),
                wall > 0 ? Text.percent(gap / wall) + " of the wall time, first to last" : "");
        figureOf(
                page,
                "prediction",
                errors.length == 0 ? "–" : "± " + Text.percent(Statistics.median(errors)),
                errors.length == 0 ? "none was made" : "median error of " + Text.count(errors.length) + " jobs");
        figureOf(
                page,
                "chunks",
                Text.count(median(ended, j -> j.chunks().size())),
                "of a job; steals: " + Text.count(median(ended, j -> j.steals().size())));
        page.append("</dl>\n");
    }

    private static void figureOf(StringBuilder page, String name, String value, String note) {
        page.append("<div><dt>").append(Text.escape(name)).append("</dt><dd>").append(Text.escape(value));
        page.append("<small>").append(Text.escape(note)).append("</small></dd></div>\n");
    }

    private void efficiency(StringBuilder page, List<JobStory> ended) {
        int count = devices.size();
        double wall = Math.max(1, median(ended, JobStory::wallNanos));
        page.append("<div class=\"scroll\"><table class=\"efficiency\">\n<caption>Efficiency: medians of ");
        page.append(Text.count(ended.size())).append(ended.size() == 1 ? " job" : " jobs");
        page.append("</caption>\n<thead><tr><th>device</th><th class=\"n\">share</th><th class=\"n\">chunks</th>")
                .append(
                        "<th class=\"n\">taken from others</th><th>busy, of the wall time</th><th class=\"n\">kernels</th>")
                .append(
                        "<th class=\"n\">transfers</th><th class=\"n\">in</th><th class=\"n\">out</th></tr></thead>\n<tbody>\n");
        for (int i = 0; i < count; i++) {
            int device = i;
            double busy = median(ended, j -> j.busy(count)[device]);
            double part = Math.min(1, busy / wall);
            page.append("<tr><th>").append(Text.escape(devices.get(i).id())).append("</th>");
            HtmlReport.cell(page, "n", Text.percent(median(ended, j -> j.shares(count)[device])));
            HtmlReport.cell(page, "n", Text.count(median(ended, j -> chunks(j, device, c -> 1))));
            HtmlReport.cell(
                    page, "n", Text.count(median(ended, j -> chunks(j, device, c -> c.owner() == device ? 0 : 1))));
            page.append("<td><span class=\"meter ").append(Palette.series(i)).append("\"><span style=\"width:");
            page.append(String.format(Locale.ROOT, "%.1f", 100 * part)).append("%\"></span></span> ");
            page.append(Text.percent(part)).append("</td>");
            HtmlReport.cell(page, "n", Text.time(median(ended, j -> chunks(j, device, Chunk::kernelNanos))));
            HtmlReport.cell(page, "n", Text.time(median(ended, j -> chunks(j, device, Chunk::transferNanos))));
            HtmlReport.cell(page, "n", Text.bytes(median(ended, j -> chunks(j, device, Chunk::bytesIn))));
            HtmlReport.cell(page, "n", Text.bytes(median(ended, j -> chunks(j, device, Chunk::bytesOut))));
            page.append("</tr>\n");
        }
        page.append("</tbody></table></div>\n");
    }

    private static double chunks(JobStory job, int device, ToDoubleFunction<Chunk> figure) {
        return job.chunks().stream()
                .filter(c -> c.device() == device)
                .mapToDouble(figure)
                .sum();
    }

    private static double median(List<JobStory> jobs, ToDoubleFunction<JobStory> figure) {
        return Statistics.median(jobs.stream().mapToDouble(figure).toArray());
    }

    private void faults(StringBuilder page) {
        List<String> lines = new ArrayList<>();
        for (JobStory job : jobs) {
            job.faults()
                    .forEach(f -> lines.add(devices.get(f.device()).id() + " in job " + f.job() + ", "
                            + Text.time(Math.max(0, f.at() - origin)) + " after the beginning: " + f.what()));
            if (job.ended() != null && job.ended().failure() != null) {
                lines.add("job " + job.submitted().job() + " failed: "
                        + job.ended().failure());
            }
        }
        if (lines.isEmpty()) {
            return;
        }
        page.append("<h3>What went wrong</h3>\n<ul class=\"faults\">\n");
        lines.stream()
                .limit(MOST_FAULTS)
                .forEach(line -> page.append("<li>").append(Text.escape(line)).append("</li>\n"));
        if (lines.size() > MOST_FAULTS) {
            page.append("<li>and ").append(lines.size() - MOST_FAULTS).append(" more</li>\n");
        }
        page.append("</ul>\n");
    }

    /** What the script zooms into: eight numbers a chunk, in order of time. */
    private void data(StringBuilder page) {
        List<Chunk> chunks = new ArrayList<>();
        jobs.forEach(j -> chunks.addAll(j.chunks()));
        if (chunks.isEmpty() || chunks.size() > MOST_ZOOMED) {
            return;
        }
        chunks.sort(Comparator.comparingLong(Chunk::start));
        page.append("<script type=\"application/json\" class=\"data\" data-run=\"")
                .append(number);
        page.append("\">{\"devices\":[");
        for (int i = 0; i < devices.size(); i++) {
            page.append(i == 0 ? "" : ",").append(quoted(devices.get(i).id()));
        }
        page.append("],\"chunks\":[");
        for (int i = 0; i < chunks.size(); i++) {
            Chunk c = chunks.get(i);
            page.append(i == 0 ? "" : ",").append(c.device());
            page.append(',').append(c.start() - origin).append(',').append(Math.max(0, c.end() - c.start()));
            page.append(',').append(c.firstUnit()).append(',').append(c.units());
            page.append(',')
                    .append(c.job())
                    .append(',')
                    .append(c.phase())
                    .append(',')
                    .append(c.owner());
        }
        page.append("]}</script>\n");
    }

    /** As JSON that is safe within a script element, which ends at the first {@code </}. */
    private static String quoted(String text) {
        StringBuilder json = new StringBuilder("\"");
        Text.clean(text).codePoints().forEach(c -> {
            if (c == '"' || c == '\\' || c == '<' || c == '>' || c == '&') {
                json.append(String.format(Locale.ROOT, "\\u%04x", c));
            } else {
                json.appendCodePoint(c);
            }
        });
        return json.append('"').toString();
    }
}
