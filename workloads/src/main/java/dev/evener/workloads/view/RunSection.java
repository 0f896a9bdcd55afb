package dev.evener.workloads.view;

import dev.evener.DeviceInfo;
import dev.evener.RunEvent.Chunk;
import dev.evener.workloads.bench.Statistics;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/**
 * A run's part of the page: an overview of all jobs, then each kind of job, which is the jobs of one name, size and
 * policy. Used once.
 */
final class RunSection {
    /** Kinds beyond that are counted and not drawn; a folder of pictures may hold hundreds of sizes. */
    private static final int MOST_KINDS = 60;

    private static final int MOST_FAULTS = 50;

    private final RunEvents run;
    private final Html page;
    private final List<DeviceInfo> devices;
    private final List<JobEvents> jobs;
    private final RunCharts charts;

    private record Kind(String name, long units, String policy) {}

    RunSection(RunEvents run, Html page) {
        this.run = run;
        this.page = page;
        this.devices = run.devices();
        this.jobs = JobEvents.of(run);
        this.charts = new RunCharts(devices, jobs, page);
    }

    /** @param open whether the first kind is shown from the beginning */
    void add(boolean open) {
        page.add("<section class=\"run\">\n<h2>%s</h2>\n", run.title());
        if (run.forgotten() > 0) {
            page.add(
                    "<p class=\"alarm\">%s events at the beginning were not kept: this is the end of the run.</p>\n",
                    Text.count(run.forgotten()));
        }
        List<JobEvents> shown = jobs.stream().filter(j -> !j.chunks.isEmpty()).toList();
        Map<Kind, List<JobEvents>> kinds = new LinkedHashMap<>();
        for (JobEvents job : shown) {
            var about = job.submitted;
            kinds.computeIfAbsent(new Kind(about.name(), about.units(), about.policy()), k -> new ArrayList<>())
                    .add(job);
        }
        if (shown.isEmpty()) {
            page.raw("<p>No job gave a device anything to do.</p>\n");
        } else if (shown.size() > 1) {
            long chunks = shown.stream().mapToLong(j -> j.chunks.size()).sum();
            String caption = "All " + Text.count(shown.size()) + " jobs, " + Text.count(chunks) + " chunks";
            charts.gantt(caption, "Warm-up included. " + RunCharts.densityHint(chunks), shown, null);
        }
        List<Map.Entry<Kind, List<JobEvents>>> drawn =
                kinds.entrySet().stream().limit(MOST_KINDS).toList();
        for (int i = 0; i < drawn.size(); i++) {
            kind(drawn.get(i).getKey(), drawn.get(i).getValue(), open && i == 0);
        }
        if (kinds.size() > MOST_KINDS) {
            page.add("<p>%s further kinds of jobs are not shown.</p>\n", kinds.size() - MOST_KINDS);
        }
        faults();
        page.raw("</section>\n");
    }

    private void kind(Kind kind, List<JobEvents> all, boolean shown) {
        List<JobEvents> ended = all.stream().filter(j -> j.failure() == null).toList();
        page.add(
                "<details%s class=\"kind\"><summary><b>%s</b> %s units, policy <b>%s</b>: %s job%s",
                shown ? " open" : "",
                kind.name(),
                Text.count(kind.units()),
                kind.policy(),
                Text.count(all.size()),
                all.size() == 1 ? "" : "s");
        if (ended.isEmpty()) {
            page.raw("</summary>\n<p class=\"alarm\">None of them succeeded.</p>\n</details>\n");
            return;
        }
        page.add(", median %s</summary>\n", Text.time(median(ended, JobEvents::wallNanos)));
        figures(ended);
        JobEvents typical = ended.stream()
                .sorted(Comparator.comparingLong(JobEvents::wallNanos))
                .toList()
                .get((ended.size() - 1) / 2);
        List<Chunk> chunks = typical.chunks;
        charts.gantt(
                "Chunks of job " + typical.number() + (ended.size() == 1 ? "" : ", whose wall time is the median"),
                RunCharts.densityHint(chunks.size())
                        + (typical.steals.isEmpty() && chunks.stream().allMatch(c -> c.owner() == c.device())
                                ? ""
                                : " A stripe above a bar has the colour of the device for which it was planned.")
                        + (chunks.stream().anyMatch(c -> c.phase() > 0) ? " Every other phase is paler." : ""),
                List.of(typical),
                typical);
        efficiency(ended);
        if (ended.size() > 1) {
            charts.overTime(ended);
        }
        page.raw("</details>\n");
    }

    private void figures(List<JobEvents> ended) {
        double[] walls = sorted(ended, JobEvents::wallNanos);
        double wall = Statistics.median(walls);
        double gap = median(ended, JobEvents::finishGap);
        double[] errors = DoubleStream.of(sorted(ended, JobEvents::predictionError))
                .filter(e -> !Double.isNaN(e))
                .map(Math::abs)
                .toArray();
        page.raw("<dl class=\"figures\">\n");
        figure(
                "wall time",
                Text.time(wall),
                walls.length < 2
                        ? ""
                        : "± " + Text.time(Statistics.medianAbsoluteDeviation(walls)) + " (median deviation)");
        figure(
                "efficiency",
                Text.percent(median(ended, JobEvents::efficiency)),
                "of the time of all its devices was work");
        figure(
                "finish together",
                Text.time(gap),
                wall > 0 ? Text.percent(gap / wall) + " of the wall time, first to last" : "");
        figure(
                "prediction",
                errors.length == 0 ? "–" : "± " + Text.percent(Statistics.median(errors)),
                errors.length == 0 ? "none was made" : "median error of " + Text.count(errors.length) + " jobs");
        figure(
                "chunks",
                Text.count(median(ended, j -> j.chunks.size())),
                "of a job; steals: " + Text.count(median(ended, j -> j.steals.size())));
        page.raw("</dl>\n");
    }

    private void figure(String name, String value, String note) {
        page.add("<div><dt>%s</dt><dd>%s<small>%s</small></dd></div>\n", name, value, note);
    }

    private void efficiency(List<JobEvents> ended) {
        double wall = Math.max(1, median(ended, JobEvents::wallNanos));
        page.add(
                "<div class=\"scroll\"><table class=\"efficiency\">\n<caption>Efficiency: medians of %s job%s</caption>\n",
                Text.count(ended.size()), ended.size() == 1 ? "" : "s");
        page.raw("<thead><tr><th>device</th>").each("th", "n", "share", "chunks", "taken from others");
        page.raw("<th>busy, of the wall time</th>").each("th", "n", "kernels", "transfers", "in", "out");
        page.raw("</tr></thead>\n<tbody>\n");
        for (int i = 0; i < devices.size(); i++) {
            int device = i;
            double part = Math.min(1, ofDevice(ended, i, JobEvents::busy) / wall);
            page.add("<tr><th>%s</th>", devices.get(i).id());
            page.each(
                    "td",
                    "n",
                    Text.percent(median(ended, j -> j.shares()[device])),
                    Text.count(ofDevice(ended, i, c -> 1)),
                    Text.count(ofDevice(ended, i, c -> c.owner() == c.device() ? 0 : 1)));
            page.add(
                    "<td><span class=\"meter %s\"><span style=\"width:%s%%\"></span></span> %s</td>",
                    Html.series(i), Math.round(1000 * part) / 10.0, Text.percent(part));
            page.each(
                    "td",
                    "n",
                    Text.time(ofDevice(ended, i, Chunk::kernelNanos)),
                    Text.time(ofDevice(ended, i, Chunk::transferNanos)),
                    Text.bytes(ofDevice(ended, i, Chunk::bytesIn)),
                    Text.bytes(ofDevice(ended, i, Chunk::bytesOut)));
            page.raw("</tr>\n");
        }
        page.raw("</tbody></table></div>\n");
    }

    private static double ofDevice(List<JobEvents> jobs, int device, ToDoubleFunction<Chunk> figure) {
        return median(jobs, j -> j.sum(device, figure));
    }

    private static double median(List<JobEvents> jobs, ToDoubleFunction<JobEvents> figure) {
        return Statistics.median(sorted(jobs, figure));
    }

    private static double[] sorted(List<JobEvents> jobs, ToDoubleFunction<JobEvents> figure) {
        return jobs.stream().mapToDouble(figure).sorted().toArray();
    }

    private void faults() {
        List<String> lines = new ArrayList<>();
        for (JobEvents job : jobs) {
            job.faults.forEach(f -> lines.add(devices.get(f.device()).id() + " in job " + f.job() + ", "
                    + Text.time(charts.sinceOrigin(f.at())) + " after the beginning: " + f.what()));
            if (job.failed()) {
                lines.add("job " + job.number() + " failed: " + job.failure());
            }
        }
        if (!lines.isEmpty()) {
            page.raw("<h3>What went wrong</h3>\n<ul class=\"faults\">\n");
            lines.stream().limit(MOST_FAULTS).forEach(line -> page.add("<li>%s</li>\n", line));
            if (lines.size() > MOST_FAULTS) {
                page.add("<li>and %s more</li>\n", lines.size() - MOST_FAULTS);
            }
            page.raw("</ul>\n");
        }
    }
}
