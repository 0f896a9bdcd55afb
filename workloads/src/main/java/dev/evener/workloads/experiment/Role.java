package dev.evener.workloads.experiment;

/** What a contender is there for. */
public enum Role {
    /** One device alone: the best of them is what a policy must not fall behind. */
    SINGLE,
    /** The best static split that a sweep found: the yardstick. */
    BEST_STATIC,
    /** A policy under test. */
    POLICY;

    /** Its name in JSON and CSV: lower case, words joined by a hyphen. */
    public String text() {
        return switch (this) {
            case SINGLE -> "single";
            case BEST_STATIC -> "best-static";
            case POLICY -> "policy";
        };
    }
}
