package dev.evener.workloads.view;

import dev.evener.DeviceInfo;
import dev.evener.RunEvent.Chunk;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What the page's script draws of a run: chunks over time, shares and wall times of a kind of job. Used once. */
final class RunCharts {
    /** With more, the page would be too large to load with ease: then neighbours are one in its data. */
    private static final int MOST_CHUNKS = 200_000;

    /** Beyond that many, the script draws short ones together. */
    private static final int MOST_SINGLE = 2_000;

    /** So many points of a line lie less than three units of the drawing apart: of more, neighbours are drawn as their mean. */
    private static final int MOST_POINTS = 400;

    private final List<DeviceInfo> devices;
    private final Html page;
    private final long origin;
    private final int number;

    RunCharts(List<DeviceInfo> devices, List<JobEvents> jobs, Html page) {
        this.devices = devices;
        this.page = page;
        this.origin = jobs.stream().mapToLong(RunCharts::first).min().orElse(0);
        this.number = page.addRun(
                Map.of("devices", devices.stream().map(DeviceInfo::id).toList(), "chunks", chunks(jobs)));
    }

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

    static double[] sorted(List<JobEvents> jobs, ToDoubleFunction<JobEvents> figure) {
        return jobs.stream().mapToDouble(figure).sorted().toArray();
    }

    private void figure(String caption, String hint, boolean legend, String classes, Map<String, Object> chart) {
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
        chart.put("from", shown.stream().mapToLong(RunCharts::first).min().orElse(0) - origin);
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
        figure(caption, hint, true, "gantt", chart);
    }

    private static int group(List<JobEvents> jobs) {
        return (jobs.size() + MOST_POINTS - 1) / MOST_POINTS;
    }

    private static Object[] chartPath(String classes, List<JobEvents> jobs, ToDoubleFunction<JobEvents> figure) {
        List<Object> points = new ArrayList<>();
        for (int from = 0; from < jobs.size(); from += group(jobs)) {
            List<JobEvents> part = jobs.subList(from, Math.min(jobs.size(), from + group(jobs)));
            double mean = part.stream()
                    .mapToDouble(figure)
                    .filter(v -> !Double.isNaN(v))
                    .average()
                    .orElse(Double.NaN);
            points.add(new Object[] {since(jobs, part.get(0)), Double.isNaN(mean) ? null : mean});
        }
        return new Object[] {classes, points};
    }

    private static long since(List<JobEvents> jobs, JobEvents job) {
        return job.begin() - jobs.get(0).begin();
    }

    private void lines(
            String caption,
            String hint,
            List<JobEvents> jobs,
            boolean percent,
            double high,
            Object paths,
            Object dots) {
        long length = Math.max(1, since(jobs, jobs.get(jobs.size() - 1)));
        Map<String, Object> chart = Map.of(
                "kind", "lines", "length", length, "high", high, "percent", percent, "paths", paths, "dots", dots);
        figure(caption, hint, percent, percent ? "shares" : "times", chart);
    }

    /** Share of each device, as planned (dashed) and as it came to be. */
    void shares(List<JobEvents> jobs) {
        List<Object> paths = new ArrayList<>();
        List<Object> dots = new ArrayList<>();
        for (int i = 0; i < devices.size(); i++) {
            int device = i;
            paths.add(chartPath("plan " + Html.series(i), jobs, job -> job.plannedShares()[device]));
            paths.add(chartPath("line " + Html.series(i), jobs, job -> job.shares()[device]));
            for (JobEvents job : jobs.size() <= 60 ? jobs : List.<JobEvents>of()) {
                double share = job.shares()[i];
                String title = devices.get(i).id() + ": " + Text.percent(share) + " of job " + job.number();
                dots.add(new Object[] {"dot " + Html.series(i), since(jobs, job), share, 3, title});
            }
        }
        String grouped = group(jobs) > 1 ? " A point is the mean of " + group(jobs) + " jobs." : "";
        String hint = "Solid: what each device did. Dashed: what was planned." + grouped;
        lines("Shares over time", hint, jobs, true, 1, paths, dots);
    }

    /** Wall time of each job, and what was predicted (dashed). What is far above the rest is drawn at the upper edge. */
    void times(List<JobEvents> jobs) {
        double[] walls = sorted(jobs, JobEvents::wallNanos);
        double[] predicted = sorted(jobs, JobEvents::predictedNanos);
        int middle = jobs.size() / 2;
        double usual = Math.min(walls[walls.length - 1], 2.5 * walls[middle]);
        double high = 1.15 * Math.max(1, Math.max(usual, predicted[middle]));
        List<JobEvents> dotted = IntStream.range(0, jobs.size())
                .filter(i -> i % group(jobs) == 0)
                .mapToObj(jobs::get)
                .toList();
        List<Object> dots = new ArrayList<>();
        for (JobEvents job : dotted) {
            String title = "job " + job.number() + ": " + Text.time(job.wallNanos())
                    + (job.predictedNanos() > 0 ? ", predicted " + Text.time(job.predictedNanos()) : "");
            dots.add(new Object[] {"dot s0", since(jobs, job), job.wallNanos(), dotted.size() > 100 ? 2.5 : 4, title});
        }
        Object path = chartPath("plan ink", jobs, job -> job.predictedNanos() > 0 ? job.predictedNanos() : Double.NaN);
        boolean any = predicted[predicted.length - 1] > 0;
        String hint = "Dots: measured; hollow, if above the scale."
                + (any ? " Dashed: predicted by the history before the job." : " Nothing was predicted.")
                + (group(jobs) > 1 ? " Every " + group(jobs) + "th job is shown." : "");
        lines("Predicted and measured wall time", hint, jobs, false, high, List.of(path), dots);
    }
}
