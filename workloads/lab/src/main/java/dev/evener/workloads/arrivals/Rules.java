package dev.evener.workloads.arrivals;

import dev.evener.workloads.document.Suggestion;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Rules such as {@code scale=50}, by their names in lower case. Immutable. */
record Rules(Map<String, String> values) {
    /** Begins the name of a workload's parameter. */
    static final String SET = "set.";

    static final Rules NONE = new Rules(Map.of());
    private static final List<Double> UNITS = List.of(1.0, 1e-3, 1e-6);

    /**
     * @param names those that there are; where one is {@link #SET}, so are all that begin with it
     * @throws IllegalArgumentException if one is none, saying what would be
     */
    static Rules parse(List<String> texts, List<String> names) {
        Map<String, String> values = new HashMap<>();
        for (String text : texts) {
            int equals = text.indexOf('=');
            String name = text.substring(0, Math.max(0, equals)).strip().toLowerCase(Locale.ROOT);
            boolean set = name.startsWith(SET) && names.contains(SET);
            if (name.equals(SET) || (!set && !names.contains(name))) {
                String all = String.join(", ", names).replace(SET, SET + "PARAMETER");
                throw new IllegalArgumentException("'" + text + "' is no rule" + Suggestion.of(name, names)
                        + "; expected NAME=VALUE with one of " + all);
            }
            if (values.put(name, text.substring(equals + 1).strip()) != null) {
                throw new IllegalArgumentException("'" + name + "' is there twice");
            }
        }
        return new Rules(Map.copyOf(values));
    }

    /** The same, with others where nothing is said. */
    Rules or(Map<String, String> others) {
        Map<String, String> all = new HashMap<>(others);
        all.putAll(values);
        return new Rules(Map.copyOf(all));
    }

    /** Seconds of a unit of time. */
    double unit() {
        return UNITS.get(choice("unit", List.of("s", "ms", "us")));
    }

    boolean has(String name) {
        return values.containsKey(name);
    }

    String text(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    double number(String name, double otherwise, double least, double most) {
        String text = values.get(name);
        double value = text == null ? otherwise : Table.number(text);
        if (!(value >= least && value <= most)) {
            throw new IllegalArgumentException(name + ": '" + text + "' is no number from " + least + " to " + most);
        }
        return value;
    }

    /** The place of what is chosen, by default the first. */
    int choice(String name, List<String> choices) {
        String text = text(name, choices.get(0));
        int place = choices.indexOf(text.toLowerCase(Locale.ROOT));
        if (place < 0) {
            throw new IllegalArgumentException(name + ": '" + text + "' is not one of " + String.join(", ", choices));
        }
        return place;
    }
}
