package dev.evener.workloads.replay;

import static dev.evener.workloads.document.TextTable.format;

import dev.evener.workloads.document.Tables;
import dev.evener.workloads.document.TextTable;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What jobs are predicted to take, and how sure that is.
 *
 * @param first what became of them with the seed that was asked for
 * @param others their figures with other seeds
 * @param error how far off the machine is, see {@link dev.evener.simulation.Fit#error}; not a number if that is not
 *     known
 */
public record Predicted(ArrivalReport first, List<Map<String, @Nullable Object>> others, double error) {
    /** A figure from the least to the most of all seeds, and by the error. */
    private record Interval(String figure, double low, double high) {}

    private static final TextTable<Interval> INTERVALS = new TextTable<Interval>()
            .column("figure", "figure", Interval::figure, name -> name)
            .column(">from", "low", Interval::low, Predicted::number)
            .column(">to", "high", Interval::high, Predicted::number);

    private List<Interval> intervals() {
        double wider = Double.isNaN(error) ? 1 : 1 + error;
        List<Map<String, @Nullable Object>> all =
                Stream.concat(Stream.of(first.figures()), others.stream()).toList();
        return first.figures().entrySet().stream()
                .filter(e -> e.getValue() != null)
                .map(e -> {
                    double[] values = all.stream()
                            .map(map -> map.get(e.getKey()))
                            .filter(Double.class::isInstance)
                            .mapToDouble(value -> (Double) value)
                            .sorted()
                            .toArray();
                    return new Interval(e.getKey(), values[0] / wider, values[values.length - 1] * wider);
                })
                .toList();
    }

    /** Without a unit, which names of figures have: others are ratios. */
    private static String number(double value) {
        return format("%.3g", value);
    }

    /** Those of the first seed, and intervals. */
    public Tables tables() {
        if (others.isEmpty() && Double.isNaN(error)) { // nothing scatters
            return first.tables();
        }
        String fit = Double.isNaN(error) ? "" : format(", and the machine fits within %.0f %%", 100 * error);
        return first.tables()
                .add("From the least to the most of " + (others.size() + 1) + " seeds" + fit, INTERVALS, intervals());
    }

    /** For JSON; docs/records.md has the fields. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = first.toMap();
        map.put("heldOutError", Double.isNaN(error) ? null : error);
        map.put("intervals", INTERVALS.maps(intervals()));
        return map;
    }
}
