package dev.evener.workloads.view;

import dev.evener.workloads.document.TextTable;
import java.util.List;
import java.util.function.DoubleFunction;

/**
 * How much of something there was over time: threads at work, frames under way, bytes.
 *
 * @param name what it is
 * @param full the most there can be; 0 if that is the most there was
 * @param text says a figure of it
 * @param spans when there was some
 */
public record Activity(String name, double full, DoubleFunction<String> text, List<Span> spans) {
    public Activity {
        spans = List.copyOf(spans);
    }

    /**
     * So much of it for a time.
     *
     * @param from nanoseconds, on the clock of the run's events
     * @param to not before that
     */
    public record Span(long from, long to, double amount) {}

    /** The work of so many: spans of amount 1, one for what each did. */
    public static Activity of(String name, int workers, List<Span> spans) {
        return new Activity(name, workers, part -> Text.percent(part / workers), spans);
    }

    /** Of bytes. */
    public static Activity ofBytes(String name, List<Span> spans) {
        return new Activity(name, 0, Text::bytes, spans);
    }

    /** How many there are. */
    public static Activity ofCount(String name, List<Span> spans) {
        return new Activity(name, 0, count -> TextTable.format("%.1f", count), spans);
    }

    /** How much there was on average in each of so many equal parts of a time. */
    double[] parts(long from, long to, int parts) {
        double[] sums = new double[parts];
        double each = Math.max(1, to - from) / (double) parts;
        for (Span span : spans) {
            int first = (int) Math.max(0, (span.from - from) / each);
            int last = (int) Math.min(parts - 1, (span.to - from) / each);
            for (int i = first; i <= last; i++) {
                double begin = Math.max((double) (span.from - from), i * each);
                double end = Math.min((double) (span.to - from), (i + 1) * each);
                sums[i] += span.amount * Math.max(0, end - begin) / each;
            }
        }
        return sums;
    }
}
