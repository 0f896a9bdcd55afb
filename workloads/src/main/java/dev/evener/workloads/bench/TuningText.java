package dev.evener.workloads.bench;

import dev.evener.kernels.tuning.Parameter;
import dev.evener.kernels.tuning.Tuning;
import java.util.stream.Stream;

/** Tunings as users write them: {@code scan.groups=512,scan.tiles=4}. Stateless. */
public final class TuningText {
    private TuningText() {}

    /**
     * A tuning with these values in place of its own.
     *
     * @throws IllegalArgumentException if there is no such parameter, or it cannot have that value
     */
    public static Tuning with(Tuning tuning, String text) {
        Tuning changed = tuning;
        for (String setting : text.split(",", -1)) {
            String[] sides = setting.strip().split("=", -1);
            Parameter parameter = Stream.of(Parameter.values())
                    .filter(p -> p.text().equals(sides[0]))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("nothing is tuned by '" + sides[0] + "'"));
            if (sides.length != 2 || !sides[1].matches("\\d{1,9}")) {
                throw new IllegalArgumentException("'" + setting + "' is not NAME=NUMBER");
            }
            changed = changed.with(parameter, Integer.parseInt(sides[1]));
        }
        return changed;
    }
}
