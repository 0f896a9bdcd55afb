package dev.evener.kernels.tuning;

import dev.evener.Evener;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A value for every {@link Parameter}. Results do not depend on it, times may. Immutable.
 *
 * <pre>{@code
 * Tuning tuning = Tuning.of(evener); // what evener tune found on these devices
 * Scan scan = new Scan(evener::allocate, tuning);
 * }</pre>
 *
 * <p>Plain calls, which are given an Evener, do this by themselves.
 */
public final class Tuning {
    private static final Tuning DEFAULTS = new Tuning(new EnumMap<>(Parameter.class));

    private final Map<Parameter, Integer> tuned;

    private Tuning(Map<Parameter, Integer> tuned) {
        this.tuned = tuned;
    }

    /** Every parameter at its default. */
    public static Tuning defaults() {
        return DEFAULTS;
    }

    /**
     * What a device's maker makes good: where nothing was measured on the device itself, jobs for it are made with this. Most
     * devices have the defaults.
     *
     * @param platform the name of the device's platform
     */
    public static Tuning standard(String platform) {
        return platform.startsWith("NVIDIA") ? Nvidia.STANDARD : DEFAULTS;
    }

    /** Found on an H200: groups as large as can be, of which a multiprocessor takes two, with much memory under way for each. */
    private static final class Nvidia {
        static final Tuning STANDARD = DEFAULTS.with(Parameter.SCAN_GROUPS, 512)
                .with(Parameter.SCAN_TILES, 4)
                .with(Parameter.HISTOGRAM_GROUP, 1024)
                .with(Parameter.HISTOGRAM_GROUPS, 2)
                .with(Parameter.HISTOGRAM_LOADS, 4)
                .with(Parameter.HISTOGRAM_LOCAL_BINS, 8192)
                .with(Parameter.HISTOGRAM_RANGE, 12_288)
                .with(Parameter.SORT_SLICES, 4096)
                .with(Parameter.TONEMAP_ITEM, 8);
    }

    /**
     * What this user's cache has for the Evener's devices; see {@link TuningCache#on}. The cache is read once in the life of
     * the process; where there is none, devices have their {@linkplain #standard standard}.
     */
    public static Tuning of(Evener evener) {
        return Cached.CACHE.on(evener.devices());
    }

    /** Read when first asked for. */
    private static final class Cached {
        static final TuningCache CACHE = TuningCache.load(TuningCache.defaultFile());
    }

    /**
     * The same with another value for one parameter.
     *
     * @throws IllegalArgumentException if it is none of {@link Parameter#choices}
     */
    public Tuning with(Parameter parameter, int value) {
        if (!parameter.choices().contains(value)) {
            throw new IllegalArgumentException(
                    parameter.text() + " cannot be " + value + ", only one of " + parameter.choices());
        }
        EnumMap<Parameter, Integer> changed = new EnumMap<>(Parameter.class);
        changed.putAll(tuned);
        if (value == parameter.defaultValue()) {
            changed.remove(parameter);
        } else {
            changed.put(parameter, value);
        }
        return new Tuning(changed);
    }

    /** The value of a parameter. */
    public int value(Parameter parameter) {
        return tuned.getOrDefault(parameter, parameter.defaultValue());
    }

    /** What is not at its default. */
    public Map<Parameter, Integer> changed() {
        return Collections.unmodifiableMap(tuned);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Tuning t && tuned.equals(t.tuned);
    }

    @Override
    public int hashCode() {
        return tuned.hashCode();
    }

    /** What is not at its default, as {@code name=value}, separated by commas. */
    @Override
    public String toString() {
        return tuned.entrySet().stream()
                .map(e -> e.getKey().text() + "=" + e.getValue())
                .collect(Collectors.joining(", "));
    }
}
