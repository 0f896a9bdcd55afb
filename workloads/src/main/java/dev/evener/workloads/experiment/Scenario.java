package dev.evener.workloads.experiment;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What happens to the devices while they are measured.
 *
 * @param name what it is called in reports; empty where there is but one
 * @param faults what is injected, each as docs/faults.md describes it; none for healthy devices
 * @param from when that may begin
 */
public record Scenario(String name, List<String> faults, From from) {
    /** Healthy devices. */
    public static final Scenario HEALTHY = new Scenario("", List.of(), From.START);

    public Scenario {
        faults = List.copyOf(faults);
    }

    /** When faults may begin. */
    public enum From {
        /** As soon as the devices are open. */
        START,
        /** When policies have learnt, and the best static split is chosen: in mid-run. */
        MEASUREMENT;

        /** Its name in files. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /**
         * The one of that name.
         *
         * @throws IllegalArgumentException if there is none, naming those there are
         */
        public static From named(String text) {
            return Stream.of(values())
                    .filter(f -> f.text().equals(text))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("'" + text + "' is not one of "
                            + Stream.of(values()).map(From::text).collect(Collectors.joining(", "))));
        }
    }
}
