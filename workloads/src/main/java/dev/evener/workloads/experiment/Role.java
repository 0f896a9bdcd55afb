package dev.evener.workloads.experiment;

import java.util.stream.Stream;

/** What a contender is there for. */
public enum Role {
    /** One device alone: the best of them is what a policy must not fall behind. */
    SINGLE,
    /** The best static split that a sweep found: the yardstick. */
    BEST_STATIC,
    /** A policy under test. */
    POLICY;

    /** The role of that name. */
    static Role named(String text) {
        return Stream.of(values())
                .filter(r -> r.text().equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no role '" + text + "'"));
    }

    /** Its name in JSON and CSV: lower case, words joined by a hyphen. */
    public String text() {
        return switch (this) {
            case SINGLE -> "single";
            case BEST_STATIC -> "best-static";
            case POLICY -> "policy";
        };
    }
}
