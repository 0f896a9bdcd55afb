package dev.evener.workloads.view;

import dev.evener.DeviceInfo;
import dev.evener.RunEvent.Chunk;
import dev.evener.RunEvent.Fault;
import dev.evener.RunEvent.PhaseEnded;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Chunks over time, a row for each device. Up to {@link #MOST_SINGLE} chunks each have a bar of their own, as long as they
 * took; of more, those too short to be seen are drawn together, as dense as the device was busy, so that a chart of any
 * number of chunks stays a few thousand elements. The page's script draws the same again for the part one zooms into.
 */
final class GanttChart {
    /** More bars than that make browsers slow. */
    static final int MOST_SINGLE = 2_000;

    /** Bars shorter than that, in the units of the drawing, are drawn together. */
    private static final double VISIBLE = 0.75;

    /** Bars at least that long have an edge; shorter ones would be nothing else. */
    private static final double WIDE = 3;

    private static final double LEFT = 84;
    private static final double RIGHT = Svg.WIDTH - 16;
    private static final double TOP = 22;
    private static final double ROW = 34;
    private static final double BAR = 24;

    private final List<DeviceInfo> devices;
    private final long origin;

    /** @param origin what the run's times are counted from */
    GanttChart(List<DeviceInfo> devices, long origin) {
        this.devices = devices;
        this.origin = origin;
    }

    /**
     * The chart.
     *
     * @param name what it shows
     * @param run number of the run on the page, whose data the script draws from
     * @param jobs what is shown; if it is one, with the ends of its phases
     */
    String draw(String name, int run, List<JobStory> jobs) {
        List<Chunk> chunks = new ArrayList<>();
        long begin = Long.MAX_VALUE;
        long end = Long.MIN_VALUE;
        for (JobStory job : jobs) {
            chunks.addAll(job.chunks());
            begin = Math.min(begin, job.begin());
            end = Math.max(end, job.end());
        }
        for (Chunk chunk : chunks) {
            begin = Math.min(begin, chunk.start());
        }
        Axis time = new Axis(begin - origin, end - origin, LEFT, RIGHT);
        double bottom = TOP + ROW * devices.size();
        Svg svg = new Svg("gantt", name, bottom + 44);
        svg.with("data-run", run)
                .with("data-job", jobs.size() == 1 ? jobs.get(0).submitted().job() : "")
                .with("data-from", begin - origin)
                .with("data-to", end - origin)
                .begin();
        axis(svg, time, bottom, jobs.size() == 1 ? begin - origin : 0);
        for (int i = 0; i < devices.size(); i++) {
            svg.text(
                    "label end " + Palette.series(i),
                    LEFT - 8,
                    middle(i) + 4,
                    Text.shorten(devices.get(i).id(), 9));
            svg.line("row", LEFT, middle(i), RIGHT, middle(i));
        }
        svg.group("bars");
        boolean single = chunks.size() <= MOST_SINGLE;
        for (int device = 0; device < devices.size(); device++) {
            int own = device;
            List<Chunk> row = chunks.stream()
                    .filter(c -> c.device() == own)
                    .sorted(Comparator.comparingLong(Chunk::start))
                    .toList();
            bars(svg, time, row, single);
        }
        svg.end();
        svg.group("marks");
        jobs.forEach(job -> marks(svg, time, job, jobs.size() == 1, bottom));
        svg.end();
        return svg.close();
    }

    private static double middle(int device) {
        return TOP + ROW * device + ROW / 2;
    }

    private static void axis(Svg svg, Axis time, double bottom, long zero) {
        Axis.TimeUnitOf unit = Axis.unit(time.high() - time.low());
        Axis shown = new Axis((time.low() - zero) / unit.nanos(), (time.high() - zero) / unit.nanos(), LEFT, RIGHT);
        svg.group("axis");
        for (double tick : shown.ticks(8)) {
            svg.line("grid", shown.at(tick), TOP, shown.at(tick), bottom);
            svg.text("tick middle", shown.at(tick), bottom + 16, Axis.label(tick));
        }
        svg.text("title middle", (LEFT + RIGHT) / 2, bottom + 36, "time in " + unit.name());
        svg.end();
    }

    private void bars(Svg svg, Axis time, List<Chunk> row, boolean single) {
        int i = 0;
        while (i < row.size()) {
            Chunk first = row.get(i);
            int next = i + 1;
            if (!single && width(time, first) < VISIBLE) {
                double begin = time.at(first.start() - origin);
                while (next < row.size()
                        && width(time, row.get(next)) < VISIBLE
                        && time.at(row.get(next).end() - origin) - begin < 2 * VISIBLE) {
                    next++;
                }
            }
            if (next == i + 1) {
                one(svg, time, first);
            } else {
                many(svg, time, row.subList(i, next));
            }
            i = next;
        }
    }

    private static double width(Axis time, Chunk chunk) {
        return Math.max(0, chunk.end() - chunk.start()) * time.perUnit();
    }

    private void one(Svg svg, Axis time, Chunk chunk) {
        double x = time.at(chunk.start() - origin);
        double y = middle(chunk.device()) - BAR / 2;
        boolean stolen = chunk.owner() != chunk.device() && chunk.owner() >= 0 && chunk.owner() < devices.size();
        String classes = "chunk " + Palette.series(chunk.device()) + (chunk.phase() % 2 == 1 ? " odd" : "")
                + (width(time, chunk) >= WIDE ? " wide" : "");
        svg.rectangle(classes, x, y, width(time, chunk), BAR, " data-n=\"1\"", says(chunk, stolen));
        if (stolen) {
            String from = "from " + Palette.series(chunk.owner());
            svg.rectangle(from, x, y - 4, width(time, chunk), 3, "", "");
        }
    }

    private String says(Chunk chunk, boolean stolen) {
        long took = Math.max(0, chunk.end() - chunk.start());
        StringBuilder text = new StringBuilder();
        text.append(devices.get(chunk.device()).id()).append(": ").append(Text.count(chunk.units()));
        text.append(" units from ")
                .append(Text.count(chunk.firstUnit()))
                .append(" in ")
                .append(Text.time(took));
        text.append("; job ").append(chunk.job()).append(", phase ").append(chunk.phase());
        text.append("; kernels ").append(Text.time(chunk.kernelNanos()));
        if (chunk.transferNanos() > 0) {
            text.append(", transfers ").append(Text.time(chunk.transferNanos()));
            text.append(" (").append(Text.bytes(chunk.bytesIn())).append(" in, ");
            text.append(Text.bytes(chunk.bytesOut())).append(" out)");
        }
        text.append("; waited ").append(Text.time(Math.max(0, chunk.start() - chunk.queued())));
        if (stolen) {
            text.append("; planned for ").append(devices.get(chunk.owner()).id());
        }
        return text.toString();
    }

    private void many(Svg svg, Axis time, List<Chunk> chunks) {
        Chunk first = chunks.get(0);
        long end = first.end();
        long busy = 0;
        long units = 0;
        for (Chunk chunk : chunks) {
            end = Math.max(end, chunk.end());
            busy += Math.max(0, chunk.end() - chunk.start());
            units += chunk.units();
        }
        double x = time.at(first.start() - origin);
        double width = Math.max(VISIBLE, (end - first.start()) * time.perUnit());
        double dense = Math.min(1, busy / (double) Math.max(1, end - first.start()));
        String more =
                String.format(Locale.ROOT, " data-n=\"%d\" fill-opacity=\"%.2f\"", chunks.size(), 0.25 + 0.75 * dense);
        String title = devices.get(first.device()).id() + ": " + chunks.size() + " chunks, " + Text.count(units)
                + " units, busy " + Text.time(busy) + " of " + Text.time(end - first.start());
        double y = middle(first.device()) - BAR / 2;
        svg.rectangle("chunk many " + Palette.series(first.device()), x, y, width, BAR, more, title);
    }

    private void marks(Svg svg, Axis time, JobStory job, boolean phases, double bottom) {
        double last = Double.NEGATIVE_INFINITY;
        for (PhaseEnded phase : phases ? job.phases() : List.<PhaseEnded>of()) {
            double x = time.at(phase.at() - origin);
            svg.line("phase", x, TOP - 2, x, bottom);
            if (job.phases().size() > 1 && x - last > 70) { // labels must not lie on each other
                svg.text("tick end", Math.max(x - 3, LEFT + 64), TOP - 8, "phase " + phase.phase() + " ends");
                last = x;
            }
        }
        for (Fault fault : job.faults()) {
            double x = Math.max(LEFT, Math.min(RIGHT, time.at(fault.at() - origin)));
            double y = middle(fault.device());
            svg.group("fault");
            String cross = "M" + Svg.number(x - 6) + " " + Svg.number(y - 6) + "l12 12m0 -12l-12 12";
            svg.path("halo", cross).path("cross", cross);
            svg.dot("hit", x, y, 9, devices.get(fault.device()).id() + ": " + fault.what());
            svg.end();
        }
    }
}
