package dev.evener.policy;

/** Placeholder. */
public final class Stealing {
    private Stealing() {}

    /** Victim. */
    public static int victim(Progress p, int thief) {
        int best = -1;
        for (int i = 0; i < p.lanes(); i++) {
            if (i != thief && p.remaining(i) > 0 && (best < 0 || p.remaining(i) > p.remaining(best))) {
                best = i;
            }
        }
        return best;
    }

    /** Amount. */
    public static long amount(Progress p, int thief, int victim) {
        return p.active(victim) ? p.remaining(victim) / 2 : p.remaining(victim);
    }
}
