package dev.evener.workloads.view;

import dev.evener.workloads.bench.Statistics;
import dev.evener.workloads.view.Ranking.Entry;
import java.util.Arrays;
import java.util.List;

/**
 * Ways to do the same, as box plots: the box from quartile to quartile, the median across it, a line from the 5th to the
 * 95th percentile, and single times where there are few. What lies beyond the scale, which the 95th percentiles set, is left
 * out. Stateless.
 */
final class RankingChart {
    private static final double LEFT = 190;
    private static final double RIGHT = 660;
    private static final double TOP = 8;
    private static final double ROW = 30;
    private static final int FEW = 60;

    private RankingChart() {}

    static String draw(Ranking ranking, List<String> groups) {
        List<Entry> entries = ranking.entries();
        double most = entries.stream()
                .mapToDouble(e -> Math.max(
                        Statistics.quantile(e.nanos(), 0.9), Math.min(quantile95(e), 2 * Statistics.median(e.nanos()))))
                .max()
                .orElse(1);
        double bottom = TOP + ROW * entries.size();
        Axis.TimeUnitOf unit = Axis.unit(most);
        Axis time = new Axis(0, 1.05 * most / unit.nanos(), LEFT, RIGHT);
        Svg svg = new Svg("ranking", "wall times of " + ranking.title(), bottom + 44).begin();
        svg.group("axis");
        for (double tick : time.ticks(6)) {
            svg.line("grid", time.at(tick), TOP, time.at(tick), bottom);
            svg.text("tick middle", time.at(tick), bottom + 16, Axis.label(tick));
        }
        svg.text("title middle", (LEFT + RIGHT) / 2, bottom + 36, "wall time of a job in " + unit.name());
        svg.end();
        double best = entries.stream()
                .mapToDouble(e -> Statistics.median(e.nanos()))
                .min()
                .orElse(1);
        for (int i = 0; i < entries.size(); i++) {
            row(svg, time, unit, entries.get(i), TOP + ROW * i + ROW / 2, groups, best);
        }
        return svg.close();
    }

    private static double quantile95(Entry entry) {
        return Statistics.quantile(entry.nanos(), 0.95);
    }

    private static void row(
            Svg svg, Axis time, Axis.TimeUnitOf unit, Entry entry, double y, List<String> groups, double best) {
        double median = Statistics.median(entry.nanos());
        double lower = Statistics.quantile(entry.nanos(), 0.25);
        double upper = Statistics.quantile(entry.nanos(), 0.75);
        String series = Palette.group(groups.indexOf(entry.group()));
        String title = entry.name() + ": median " + Text.time(median) + ", quartiles " + Text.time(lower) + " and "
                + Text.time(upper) + ", " + entry.nanos().length + " jobs";
        svg.text("label end", LEFT - 10, y + 4, Text.shorten(entry.name(), 24));
        double from = time.at(Math.min(time.high(), Statistics.quantile(entry.nanos(), 0.05) / unit.nanos()));
        double to = time.at(Math.min(time.high(), quantile95(entry) / unit.nanos()));
        svg.line("whisker " + series, from, y, to, y);
        if (entry.nanos().length <= FEW) {
            Arrays.stream(entry.nanos())
                    .filter(n -> n / unit.nanos() <= time.high())
                    .forEach(n -> svg.dot("single " + series, time.at(n / unit.nanos()), y, 2, ""));
        }
        double x = time.at(Math.min(time.high(), lower / unit.nanos()));
        double width = time.at(Math.min(time.high(), upper / unit.nanos())) - x;
        svg.rectangle("box " + series, x, y - 8, Math.max(1, width), 16, "", title);
        double middle = time.at(Math.min(time.high(), median / unit.nanos()));
        svg.line("median", middle, y - 10, middle, y + 10);
        svg.text("value end", RIGHT + 84, y + 4, Text.time(median));
        svg.text("value end", RIGHT + 136, y + 4, "×" + Text.figures(median / best));
        svg.text("value", RIGHT + 152, y + 4, Text.shorten(entry.note(), 18));
    }
}
