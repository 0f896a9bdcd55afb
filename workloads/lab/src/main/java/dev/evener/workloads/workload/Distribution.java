package dev.evener.workloads.workload;

import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How synthetic values are spread. */
public enum Distribution {
    /** Any value of the type, or of [0, 1) for floats, is as likely as any other. */
    UNIFORM,
    /** All values are one, which the seed chooses. */
    CONSTANT,
    /** Ascending, evenly spread. */
    SORTED,
    /** Nine values of ten are one and the same, the others uniform. */
    SKEWED;

    /** Its name on the command line and in reports. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** All names, separated by commas. */
    public static String names() {
        return Stream.of(values()).map(Distribution::text).collect(Collectors.joining(", "));
    }

    /**
     * The distribution of that name, in any case.
     *
     * @throws IllegalArgumentException if there is none, naming those there are
     */
    public static Distribution named(String name) {
        String wanted = name.toLowerCase(Locale.ROOT);
        return Stream.of(values())
                .filter(d -> d.text().equals(wanted))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "unknown distribution '" + name + "': expected one of " + names()));
    }
}
