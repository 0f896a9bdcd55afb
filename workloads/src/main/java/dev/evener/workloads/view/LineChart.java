package dev.evener.workloads.view;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Figures of a row of jobs over the time at which they began: shares, and times predicted and measured. Of many jobs,
 * neighbours are drawn together, as their mean.
 */
final class LineChart {
    /** So many points lie less than three units of the drawing apart. */
    private static final int MOST_POINTS = 400;

    private static final double LEFT = 64;
    private static final double RIGHT = Svg.WIDTH - 16;
    private static final double TOP = 12;
    private static final double BOTTOM = 200;

    private final List<JobStory> jobs;
    private final int group;
    private final Axis time;
    private final Axis.TimeUnitOf unit;

    /** @param jobs at least two, in order of time */
    LineChart(List<JobStory> jobs) {
        this.jobs = jobs;
        this.group = (jobs.size() + MOST_POINTS - 1) / MOST_POINTS;
        double length = (double) jobs.get(jobs.size() - 1).begin() - jobs.get(0).begin();
        this.unit = Axis.unit(length);
        this.time = new Axis(0, length, LEFT + 8, RIGHT - 8);
    }

    /** How many jobs are drawn as one point. */
    int group() {
        return group;
    }

    private Svg open(String kind, String name, Axis y, List<Double> ticks, double scale, String suffix) {
        Svg svg = new Svg(kind, name, BOTTOM + 44).begin();
        svg.group("axis");
        for (double tick : ticks) {
            svg.line("grid", LEFT, y.at(tick * scale), RIGHT, y.at(tick * scale));
            svg.text("tick end", LEFT - 6, y.at(tick * scale) + 4, Axis.label(tick) + suffix);
        }
        Axis shown = new Axis(0, time.high() / unit.nanos(), time.from(), time.to());
        for (double tick : shown.ticks(8)) {
            svg.text("tick middle", shown.at(tick), BOTTOM + 18, Axis.label(tick));
        }
        svg.text(
                "title middle",
                (LEFT + RIGHT) / 2,
                BOTTOM + 38,
                "time since the first of these jobs in " + unit.name());
        svg.end();
        return svg;
    }

    /** Share of each device, as planned (dashed) and as it came to be. */
    String shares(String name, List<String> ids) {
        int devices = ids.size();
        Axis y = new Axis(0, 1, BOTTOM, TOP);
        Svg svg = open("shares", name, y, List.of(0.0, 25.0, 50.0, 75.0, 100.0), 0.01, " %");
        for (int i = 0; i < devices; i++) {
            int device = i;
            line(svg, "plan " + Palette.series(i), y, job -> planned(job, devices, device));
            line(svg, "line " + Palette.series(i), y, job -> job.shares(devices)[device]);
        }
        if (jobs.size() <= 60) {
            for (JobStory job : jobs) {
                double[] shares = job.shares(devices);
                for (int i = 0; i < devices; i++) {
                    String title = ids.get(i) + ": " + Text.percent(shares[i]) + " of job "
                            + job.submitted().job();
                    svg.dot("dot " + Palette.series(i), x(job), y.at(shares[i]), 3, title);
                }
            }
        }
        return svg.close();
    }

    private static double planned(JobStory job, int devices, int device) {
        double @Nullable [] planned = job.plannedShares(devices);
        return planned == null ? Double.NaN : planned[device];
    }

    /** Wall time of each job, and what was predicted (dashed). What is far above the rest is drawn at the upper edge. */
    String times(String name) {
        double[] sorted =
                jobs.stream().mapToDouble(JobStory::wallNanos).sorted().toArray();
        double usual = Math.min(sorted[sorted.length - 1], 2.5 * sorted[sorted.length / 2]);
        double predicted = jobs.stream()
                .mapToDouble(JobStory::predictedNanos)
                .sorted()
                .skip(jobs.size() / 2)
                .findFirst()
                .orElse(0);
        Axis y = new Axis(0, 1.15 * Math.max(1, Math.max(usual, predicted)), BOTTOM, TOP);
        Axis.TimeUnitOf scale = Axis.unit(y.high());
        Axis shown = new Axis(0, y.high() / scale.nanos(), BOTTOM, TOP);
        Svg svg = open("times", name, y, shown.ticks(5), scale.nanos(), " " + scale.name());
        List<JobStory> dots = new ArrayList<>();
        for (int i = 0; i < jobs.size(); i += group) {
            dots.add(jobs.get(i));
        }
        for (JobStory job : dots) {
            boolean above = job.wallNanos() > y.high();
            String title = "job " + job.submitted().job() + ": " + Text.time(job.wallNanos())
                    + (job.predictedNanos() > 0 ? ", predicted " + Text.time(job.predictedNanos()) : "");
            svg.dot(
                    above ? "dot above s0" : "dot s0",
                    x(job),
                    Math.max(TOP, y.at(job.wallNanos())),
                    dots.size() > 100 ? 2.5 : 4,
                    title);
        }
        line(svg, "plan ink", y, job -> job.predictedNanos() > 0 ? job.predictedNanos() : Double.NaN);
        return svg.close();
    }

    private double x(JobStory job) {
        return time.at(job.begin() - jobs.get(0).begin());
    }

    private void line(Svg svg, String classes, Axis y, ToDoubleFunction<JobStory> figure) {
        StringBuilder path = new StringBuilder();
        boolean pen = false;
        for (int from = 0; from < jobs.size(); from += group) {
            List<JobStory> part = jobs.subList(from, Math.min(jobs.size(), from + group));
            double[] known = part.stream()
                    .mapToDouble(figure)
                    .filter(v -> !Double.isNaN(v))
                    .toArray();
            if (known.length == 0) {
                pen = false;
                continue;
            }
            double place = Math.max(TOP, y.at(Arrays.stream(known).average().orElseThrow()));
            path.append(pen ? "L" : "M")
                    .append(Svg.number(x(part.get(0))))
                    .append(' ')
                    .append(Svg.number(place));
            pen = true;
        }
        if (path.length() > 0) {
            svg.path(classes, path.toString());
        }
    }
}
