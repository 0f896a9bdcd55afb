package dev.evener.policy.baseline;

import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.PolicyProvider;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import java.util.List;

/**
 * Factoring, in the form FAC2 that needs no knowledge of the tasks' variance: batches of P equal chunks, each batch half of the rest R, so
 * that a chunk is {@code ceil(R / 2P)}. Hummel, Schonberg and Flynn, Factoring: A Method for Scheduling Parallel Loops, Communications of
 * the ACM 35(8), 1992.
 *
 * @param least granules of a chunk, at least 1
 */
public record Factoring(int least) implements Policy, PolicyProvider {
    /** With chunks of one granule at the end. */
    public Factoring() {
        this(1);
    }

    @Override
    public String name() {
        return "fac2";
    }

    @Override
    public String description() {
        return "factoring: batches of equal chunks, each batch half of the rest";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.whole("least", 1, "1", "granules of a chunk, at least"));
    }

    @Override
    public Policy create(Settings settings) {
        return new Factoring(settings.whole("least"));
    }

    @Override
    public Plan plan(Snapshot snapshot) {
        return Plan.equal(Plan.Sharing.POOLED, snapshot);
    }

    /** Which batch it is follows from what is left, so that nothing need be kept. */
    @Override
    public long chunk(Progress progress, int lane) {
        int lanes = lanes(progress);
        long left = progress.remaining();
        for (long rest = progress.granules(); ; ) {
            long chunk = Math.max(least, part(rest, 2 * lanes));
            if (left > rest - lanes * chunk) {
                return chunk;
            }
            rest -= lanes * chunk;
        }
    }

    /** A part of a rest, rounded up; at least 1. */
    static long part(long rest, int parts) {
        return Math.max(1, -Math.floorDiv(-rest, parts));
    }

    /** How many lanes work; at least 1. */
    static int lanes(Progress progress) {
        int lanes = 0;
        for (int i = 0; i < progress.lanes(); i++) {
            lanes += progress.active(i) ? 1 : 0;
        }
        return Math.max(1, lanes);
    }
}
