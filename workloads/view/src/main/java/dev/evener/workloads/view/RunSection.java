package dev.evener.workloads.view;

import dev.evener.DeviceInfo;
import dev.evener.event.RunEvent.Chunk;
import dev.evener.workloads.document.Statistics;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * A run's part of the page: an overview of all jobs, then each kind of job, which is the jobs of one name, size and
 * policy; and what the page's script draws of them: chunks over time, shares and wall times. Used once.
 */
final class RunSection {
    /** Kinds beyond that are counted and not drawn; a folder of pictures may hold hundreds of sizes. */
    private static final int MOST_KINDS = 60;

    private static final int MOST_FAULTS = 50;

    /** With more, the page would be too large to load with ease: then neighbours are one in its data. */
    private static final int MOST_CHUNKS = 200_000;

    /** Beyond that many, the script draws short ones together. */
    private static final int MOST_SINGLE = 2_000;

    /** So many points of a line lie less than three units of the drawing apart: of more, neighbours are drawn as their mean. */
    private static final int MOST_POINTS = 400;

    private final RunEvents run;
    private final Html page;
    private final List<DeviceInfo> devices;
    private final List<JobEvents> jobs;
    private final long origin;
    private final int number;

    private record Kind(String name, long units, String policy) {}

    RunSection(RunEvents run, Html page) {
        this.run = run;
        this.page = page;
        this.devices = run.devices();
        this.jobs = JobEvents.of(run);
        this.origin = jobs.stream().mapToLong(RunSection::first).min().orElse(0);
        this.number = page.share(
                Map.of("devices", devices.stream().map(DeviceInfo::id).toList(), "chunks", chunks(jobs)));
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
            gantt(caption, "Warm-up included. " + densityHint(chunks), shown, null);
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
                "<details%s class=\"kind\"><summary><b>%s</b> %s units, policy <b>%s</b>: %s",
                shown ? " open" : "",
                kind.name(),
                Text.count(kind.units()),
                kind.policy(),
                Text.counted(all.size(), "job"));
        if (ended.isEmpty()) {
            page.raw("</summary>\n<p class=\"alarm\">None of them succeeded.</p>\n</details>\n");
            return;
        }
        page.add(", median %s</summary>\n", Text.time(Statistics.median(ended, JobEvents::wallNanos)));
        figures(ended);
        JobEvents typical = ended.stream()
                .sorted(Comparator.comparingLong(JobEvents::wallNanos))
                .toList()
                .get((ended.size() - 1) / 2);
        List<Chunk> chunks = typical.chunks;
        gantt(
                "Chunks of job " + typical.number() + (ended.size() == 1 ? "" : ", whose wall time is the median"),
                densityHint(chunks.size())
                        + (typical.steals.isEmpty() && chunks.stream().allMatch(c -> c.owner() == c.device())
                                ? ""
                                : " A stripe above a bar has the colour of the device for which it was planned.")
                        + (chunks.stream().anyMatch(c -> c.phase() > 0) ? " Every other phase is paler." : ""),
                List.of(typical),
                typical);
        efficiency(ended);
        if (ended.size() > 1) {
            overTime(ended);
        }
        page.raw("</details>\n");
    }

    private void figures(List<JobEvents> ended) {
        double[] walls = sorted(ended, JobEvents::wallNanos);
        double wall = Statistics.median(walls);
        double gap = Statistics.median(ended, JobEvents::finishGap);
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
                Text.percent(Statistics.median(ended, JobEvents::efficiency)),
                "of the time of all its devices was work");
        figure(
                "finish together",
                Text.time(gap),
                wall > 0 ? Text.percent(gap / wall) + " of the wall time, first to last" : "");
        figure(
                "prediction",
                errors.length == 0 ? "–" : "± " + Text.percent(Statistics.median(errors)),
                errors.length == 0 ? "none was made" : "median error of " + Text.counted(errors.length, "job"));
        figure(
                "chunks",
                Text.count(Statistics.median(ended, j -> j.chunks.size())),
                "of a job; steals: " + Text.count(Statistics.median(ended, j -> j.steals.size())));
        page.raw("</dl>\n");
    }

    private void figure(String name, String value, String note) {
        page.add("<div><dt>%s</dt><dd>%s<small>%s</small></dd></div>\n", name, value, note);
    }

    private void efficiency(List<JobEvents> ended) {
        double wall = Math.max(1, underWay(ended));
        double units = ended.stream()
                .flatMap(j -> j.chunks.stream())
                .mapToDouble(Chunk::units)
                .sum();
        page.add(
                "<div class=\"scroll\"><table class=\"efficiency\">\n<caption>Efficiency of %s: shares and busy time of all,"
                        + " else medians of those that a device had a part in</caption>\n",
                Text.counted(ended.size(), "job"));
        page.raw("<thead><tr><th>device</th>").each("th", "n", "share", "chunks", "taken from others");
        page.raw("<th>busy, of the wall time</th>").each("th", "n", "kernels", "transfers", "in", "out");
        page.raw("</tr></thead>\n<tbody>\n");
        for (int i = 0; i < devices.size(); i++) {
            int device = i;
            List<JobEvents> own =
                    ended.stream().filter(j -> j.sum(device, c -> 1) > 0).toList();
            double part = Math.min(1, sum(ended, i, JobEvents::busy) / wall);
            page.add("<tr><th>%s</th>", devices.get(i).id());
            page.each(
                    "td",
                    "n",
                    Text.percent(sum(ended, i, Chunk::units) / units),
                    Text.count(ofDevice(own, i, c -> 1)),
                    Text.count(ofDevice(own, i, c -> c.owner() == c.device() ? 0 : 1)));
            page.add(
                    "<td><span class=\"meter %s\"><span style=\"width:%s%%\"></span></span> %s</td>",
                    Html.series(i), Math.round(1000 * part) / 10.0, Text.percent(part));
            page.each(
                    "td",
                    "n",
                    Text.time(ofDevice(own, i, Chunk::kernelNanos)),
                    Text.time(ofDevice(own, i, Chunk::transferNanos)),
                    Text.bytes(ofDevice(own, i, Chunk::bytesIn)),
                    Text.bytes(ofDevice(own, i, Chunk::bytesOut)));
            page.raw("</tr>\n");
        }
        page.raw("</tbody></table></div>\n");
    }

    /** The median; 0 of no jobs. */
    private static double ofDevice(List<JobEvents> jobs, int device, ToDoubleFunction<Chunk> figure) {
        return Statistics.median(jobs, j -> j.sum(device, figure));
    }

    private static double sum(List<JobEvents> jobs, int device, ToDoubleFunction<Chunk> figure) {
        return jobs.stream().mapToDouble(j -> j.sum(device, figure)).sum();
    }

    /** Time in which any of the jobs was. */
    private static double underWay(List<JobEvents> jobs) {
        double nanos = 0;
        long until = Long.MIN_VALUE;
        for (JobEvents job :
                jobs.stream().sorted(Comparator.comparingLong(JobEvents::begin)).toList()) {
            nanos += Math.max(0, job.end() - Math.max(until, job.begin()));
            until = Math.max(until, job.end());
        }
        return nanos;
    }

    private static double[] sorted(List<JobEvents> jobs, ToDoubleFunction<JobEvents> figure) {
        return jobs.stream().mapToDouble(figure).sorted().toArray();
    }

    private void faults() {
        List<String> lines = new ArrayList<>();
        for (JobEvents job : jobs) {
            job.faults.forEach(f -> lines.add(devices.get(f.device()).id() + " in job " + f.job() + ", "
                    + Text.time(sinceOrigin(f.at())) + " after the beginning: " + f.what()));
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

    // ---- what the page's script draws ----

    private static long first(JobEvents job) {
        return job.chunks.stream().mapToLong(Chunk::start).reduce(job.begin(), Math::min);
    }

    /** From the run's first event, not before it. */
    long sinceOrigin(long at) {
        return Math.max(0, at - origin);
    }

    /**
     * What the script draws, fifteen numbers a bar, in order of time: device, start, length, first unit, units, job, phase,
     * owner, times of kernels and transfers, bytes in and out, wait, chunks, busy time.
     */
    private long[] chunks(List<JobEvents> jobs) {
        List<Chunk> all = jobs.stream()
                .flatMap(j -> j.chunks.stream())
                .sorted(Comparator.comparingLong(Chunk::start))
                .toList();
        long together = (all.size() + MOST_CHUNKS - 1L) / MOST_CHUNKS;
        List<long[]> bars = new ArrayList<>();
        long[][] last = new long[devices.size()][];
        for (Chunk c : all) {
            long start = c.start() - origin;
            long busy = JobEvents.busy(c);
            long[] bar = last[c.device()];
            if (bar != null && bar[13] < together && bar[5] == c.job() && bar[6] == c.phase()) {
                bar[2] = Math.max(bar[2], start + busy - bar[1]);
                bar[4] += c.units();
                bar[13]++;
                bar[14] += busy;
            } else {
                bar = new long[] {
                    c.device(),
                    start,
                    busy,
                    c.firstUnit(),
                    c.units(),
                    c.job(),
                    c.phase(),
                    c.owner(),
                    c.kernelNanos(),
                    c.transferNanos(),
                    c.bytesIn(),
                    c.bytesOut(),
                    Math.max(0, c.start() - c.queued()),
                    1,
                    busy
                };
                last[c.device()] = bar;
                bars.add(bar);
            }
        }
        return bars.stream().flatMapToLong(Arrays::stream).toArray();
    }

    static String densityHint(long chunks) {
        return chunks <= MOST_SINGLE
                ? "Each bar is a chunk."
                : "Chunks too short to be seen are drawn together, the paler the less busy the device was.";
    }

    private void chart(String caption, String hint, boolean legend, String classes, Map<String, Object> chart) {
        page.add("<figure>\n<figcaption><h3>%s</h3><p class=\"hint\">%s</p>", caption, hint);
        if (legend) {
            page.raw("<ul class=\"legend\">");
            for (int i = 0; i < devices.size(); i++) {
                page.legend(i, devices.get(i).id() + " " + devices.get(i).name());
            }
            page.raw("</ul>");
        }
        page.raw("</figcaption>\n").chart(classes, caption, chart).raw("</figure>\n");
    }

    /** @param only the one job that is shown; null for all */
    void gantt(String caption, String hint, List<JobEvents> shown, @Nullable JobEvents only) {
        Map<String, Object> chart = new LinkedHashMap<>();
        chart.put("kind", "gantt");
        chart.put("run", number);
        chart.put("job", only == null ? null : only.number());
        chart.put("from", shown.stream().mapToLong(RunSection::first).min().orElse(0) - origin);
        chart.put("to", shown.stream().mapToLong(JobEvents::end).max().orElse(0) - origin);
        chart.put(
                "phases",
                only == null
                        ? List.of()
                        : only.phases.stream()
                                .map(p -> new long[] {p.at() - origin, p.phase()})
                                .toList());
        chart.put(
                "faults",
                shown.stream()
                        .flatMap(j -> j.faults.stream())
                        .map(f -> List.of(f.at() - origin, f.device(), f.what()))
                        .toList());
        chart(caption, hint, true, "gantt", chart);
    }

    /** Shares, and wall times, of jobs over the time at which they began. */
    void overTime(List<JobEvents> jobs) {
        long first = jobs.get(0).begin();
        int together = (jobs.size() + MOST_POINTS - 1) / MOST_POINTS;
        int shared = page.share(jobs.stream()
                .map(j -> new Object[] {
                    j.number(), j.begin() - first, j.wallNanos(), j.predictedNanos(), j.shares(), j.plannedShares()
                })
                .toList());
        chart(
                "Shares over time",
                "Solid: what each device did. Dashed: what was planned."
                        + (together > 1 ? " A point is the mean of " + together + " jobs." : ""),
                true,
                "shares",
                Map.of("kind", "lines", "run", number, "jobs", shared, "together", together, "percent", true));
        chart(
                "Predicted and measured wall time",
                "Dots: measured; hollow, if above the scale."
                        + (jobs.stream().anyMatch(j -> j.predictedNanos() > 0)
                                ? " Dashed: predicted by the history before the job."
                                : " Nothing was predicted.")
                        + (together > 1 ? " Every " + together + "th job is shown." : ""),
                false,
                "times",
                Map.of("kind", "lines", "run", number, "jobs", shared, "together", together, "percent", false));
    }
}
