package dev.evener.workloads.workload;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** What a workload's {@linkplain Parameter parameters} are set to. Immutable. */
public final class Values {
    private final Map<Parameter<?>, Object> values;

    private Values(Map<Parameter<?>, Object> values) {
        this.values = Collections.unmodifiableMap(values);
    }

    /** What a workload has by default. */
    public static Values defaults(Workload workload) {
        return of(workload, Map.of());
    }

    /**
     * What a workload has by default, but for what is set here.
     *
     * @param set texts by name; names that the workload does not know are passed over
     * @throws IllegalArgumentException if a text is no value of its parameter, saying what would be
     */
    public static Values of(Workload workload, Map<String, String> set) {
        Map<Parameter<?>, Object> values = new LinkedHashMap<>();
        for (Parameter<?> parameter : workload.parameters()) {
            String text = set.get(parameter.name());
            values.put(parameter, text == null ? parameter.otherwise() : parameter.parse(text));
        }
        return new Values(values);
    }

    /** The value of a parameter of this workload. */
    @SuppressWarnings("unchecked") // put there by the same parameter
    public <T> T get(Parameter<T> parameter) {
        Object value = values.get(parameter);
        if (value == null) {
            throw new IllegalArgumentException("the workload does not declare " + parameter.name());
        }
        return (T) value;
    }

    /** Names and values, in the order of their declaration; numbers are numbers, everything else strings. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        values.keySet().forEach(parameter -> map.put(parameter.name(), plain(parameter)));
        return map;
    }

    private <T> Object plain(Parameter<T> parameter) {
        return parameter.plain().apply(get(parameter));
    }

    /** Those that are not what they are by default, such as {@code bins=64, type=ubyte}; empty if all are. */
    public String changed() {
        return values.entrySet().stream()
                .filter(e -> !e.getValue().equals(e.getKey().otherwise()))
                .map(e -> e.getKey().name() + "=" + plain(e.getKey()))
                .collect(Collectors.joining(", "));
    }
}
