package dev.evener.model;

import dev.evener.policy.LaneSet;

/** What jobs did that never ran. */
final class Observations {
    /** Chunks of each lane. */
    static final int CHUNKS = 4;

    private static final long LAUNCH = 1000;

    private Observations() {}

    /**
     * A job of one phase and equal units, cut so that its lanes are done together.
     *
     * @param nanosPerUnit of each lane; 0 for one that has no part
     */
    static JobObservation of(long units, double... nanosPerUnit) {
        double rates = 0;
        for (int i = 0; i < nanosPerUnit.length; i++) {
            rates += nanosPerUnit[i] > 0 ? 1 / nanosPerUnit[i] : 0;
        }
        ChunkLog[] logs = new ChunkLog[nanosPerUnit.length];
        double before = 0;
        long last = 0;
        for (int i = 0; i < logs.length; i++) {
            logs[i] = new ChunkLog();
            double share = nanosPerUnit[i] > 0 ? 1 / nanosPerUnit[i] / rates : 0;
            for (int c = 0; c < CHUNKS && share > 0; c++) {
                long from = Math.round(units * (before + share * c / CHUNKS));
                long to = Math.round(units * (before + share * (c + 1) / CHUNKS));
                long busy = Math.round((to - from) * nanosPerUnit[i]);
                if (to > from) {
                    logs[i].add(0, from, to - from, busy + LAUNCH, busy);
                }
            }
            before += share;
            last = Math.max(last, logs[i].totalNanos());
        }
        return done(LaneSet.where(logs.length, i -> nanosPerUnit[i] > 0), units, last, logs);
    }

    /** A job whose lanes begin at once, cut to be done together. */
    static JobObservation done(LaneSet lanes, long units, long wallNanos, ChunkLog... logs) {
        return new JobObservation(lanes, lanes, units, wallNanos, true, false, 0, 0, new long[logs.length], logs);
    }
}
