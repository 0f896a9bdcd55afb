package dev.evener.workloads.view;

import dev.evener.DeviceInfo;
import dev.evener.RunEvent.Chunk;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
        this.number = page.share(
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

    /** Shares, and wall times, of jobs over the time at which they began. */
    void overTime(List<JobEvents> jobs) {
        long first = jobs.get(0).begin();
        int together = (jobs.size() + MOST_POINTS - 1) / MOST_POINTS;
        int shared = page.share(jobs.stream()
                .map(j -> new Object[] {
                    j.number(), j.begin() - first, j.wallNanos(), j.predictedNanos(), j.shares(), j.plannedShares()
                })
                .toList());
        figure(
                "Shares over time",
                "Solid: what each device did. Dashed: what was planned."
                        + (together > 1 ? " A point is the mean of " + together + " jobs." : ""),
                true,
                "shares",
                Map.of("kind", "lines", "run", number, "jobs", shared, "together", together, "percent", true));
        figure(
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
