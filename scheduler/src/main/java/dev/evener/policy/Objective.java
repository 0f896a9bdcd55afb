package dev.evener.policy;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What the set of lanes is to keep least that a job runs on. */
public enum Objective {
    /** The time until it is done. */
    TIME,
    /** The energy that all devices take until then, in use or not. */
    ENERGY,
    /** The product of both, the energy-delay product (Gonzalez and Horowitz, 1996). */
    EDP;

    /** Its name in texts. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The one of a text.
     *
     * @throws IllegalArgumentException if there is none, saying which there are
     */
    public static Objective parse(String text) {
        List<String> all = Arrays.stream(values()).map(Objective::text).toList();
        int place = all.indexOf(text.strip().toLowerCase(Locale.ROOT));
        if (place < 0) {
            throw new IllegalArgumentException("objective '" + text + "' is not one of " + String.join(", ", all));
        }
        return values()[place];
    }
}
