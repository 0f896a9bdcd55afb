package dev.evener.policy;

import dev.evener.policy.Experience.Outcome;

/** One set of lanes that a job may be given to, and what is expected of it. Immutable. */
final class Prospect {
    /** Observations from which a set counts as measured: the first may hold start-up costs. */
    private static final int MEASURED = 2;

    /** As a bit mask. */
    final long set;
    /** Expected wall time. */
    final double nanos;
    /** What is known of it. */
    final Outcome outcome;
    /** Whether the time rests on no more than what some device was measured to do. */
    final boolean rough;

    Prospect(long set, double nanos, Outcome outcome, boolean rough) {
        this.set = set;
        this.nanos = nanos;
        this.outcome = outcome;
        this.rough = rough;
    }

    /** Whether it was observed often enough at this size. */
    boolean measured() {
        return outcome.samples() >= MEASURED;
    }

    int lanes() {
        return Long.bitCount(set);
    }
}
