package dev.evener.workloads.cli;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Reads what commands write as JSON; {@link Schemas} says whether all of it is there. */
final class ReportSchema {
    private ReportSchema() {}

    /** The objects of an array. */
    static List<Map<?, ?>> objects(Map<?, ?> json, String name) {
        return ((List<?>) json.get(name)).stream().map(o -> (Map<?, ?>) o).collect(Collectors.toList());
    }

    static double number(Map<?, ?> json, String name) {
        return ((Number) json.get(name)).doubleValue();
    }

    /** The numbers of an array. */
    static double[] numbers(Map<?, ?> json, String name) {
        return ((List<?>) json.get(name))
                .stream().mapToDouble(n -> ((Number) n).doubleValue()).toArray();
    }
}
