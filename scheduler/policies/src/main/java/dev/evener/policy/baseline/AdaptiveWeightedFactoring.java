package dev.evener.policy.baseline;

import dev.evener.policy.CostModel;
import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.PolicyProvider;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Adaptive weighted factoring: of R granules left, lane i of P takes {@code ceil(w_i R / 2P)}. The weights add up to P
 * and are inverse to the weighted average of what a granule took the lane, {@code sum(k t_k) / sum(k)} over its batches
 * or chunks k, the later the heavier; before the first they are 1. AWF-B sets weights anew at each batch, half of the
 * rest, AWF-C before each chunk; AWF-D and AWF-E are the same, by all of the time that chunks took, overheads included.
 * Banicescu, Velusamy and Devaprasad, On the Scalability of Dynamic Scheduling Scientific Applications with Adaptive
 * Weighted Factoring, Cluster Computing 6, 2003; Cariño and Banicescu, Dynamic Load Balancing with Adaptive Factoring
 * Methods in Scientific Applications, Journal of Supercomputing 44, 2008.
 *
 * <p>The averages go on from job to job of a kind, as AWF's go on from time step to time step. A lane that was not done
 * with a chunk when a batch began, as a slow one may never be, is as fast as the model says; where that knows nothing,
 * as the others are on average.
 */
public abstract sealed class AdaptiveWeightedFactoring implements PolicyProvider {
    private final String name;
    private final boolean chunked;
    private final boolean wall;

    private AdaptiveWeightedFactoring(String name, boolean chunked, boolean wall) {
        this.name = name;
        this.chunked = chunked;
        this.wall = wall;
    }

    /** Weights by batch, from the time that devices computed. */
    public static final class B extends AdaptiveWeightedFactoring {
        /** As {@link java.util.ServiceLoader} wants it. */
        public B() {
            super("awf-b", false, false);
        }
    }

    /** Weights by chunk, from the time that devices computed. */
    public static final class C extends AdaptiveWeightedFactoring {
        /** As {@link java.util.ServiceLoader} wants it. */
        public C() {
            super("awf-c", true, false);
        }
    }

    /** Weights by batch, from all of the time that chunks took. */
    public static final class D extends AdaptiveWeightedFactoring {
        /** As {@link java.util.ServiceLoader} wants it. */
        public D() {
            super("awf-d", false, true);
        }
    }

    /** Weights by chunk, from all of the time that chunks took. */
    public static final class E extends AdaptiveWeightedFactoring {
        /** As {@link java.util.ServiceLoader} wants it. */
        public E() {
            super("awf-e", true, true);
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String description() {
        return "adaptive weighted factoring: as fac2, by what granules took each device so far, "
                + (wall ? "launches included, " : "")
                + (chunked ? "before each chunk" : "before each batch");
    }

    @Override
    public Policy create(Settings settings) {
        return new Weights(name, chunked, wall);
    }

    /** What is kept of a kind of job. Guards itself. */
    private static final class Weights implements Policy {
        private static final int MOST_JOBS = 64; // at once; what is forgotten begins a batch

        private final String name;
        private final boolean chunked;
        private final boolean wall;
        private final Map<Long, Batch> open = new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Long, Batch> eldest) {
                return size() > MOST_JOBS;
            }
        };
        private double[] sums = {}; // of k t_k
        private double[] counts = {}; // of k
        private double[] guesses = {}; // granules a nanosecond by the model
        private long[] chunksDone = {}; // of each lane
        private long batches;

        Weights(String name, boolean chunked, boolean wall) {
            this.name = name;
            this.chunked = chunked;
            this.wall = wall;
        }

        /**
         * A batch of a job: each lane's chunk, how much is left when it begins and ends, and what of lanes was counted
         * so far.
         */
        private static final class Batch {
            final int phase;
            final double[] granules;
            final double[] nanos;
            final long[] chunks;
            long begin;
            long end;

            Batch(int phase, int lanes) {
                this.phase = phase;
                granules = new double[lanes];
                nanos = new double[lanes];
                chunks = new long[lanes];
            }
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public synchronized Plan plan(Snapshot snapshot) {
            CostModel model = snapshot.model();
            guesses = new double[model.known() ? snapshot.lanes().size() : 0];
            Arrays.setAll(guesses, i -> 1 / (model.lane(i).nanosPerUnit() * snapshot.unitsPerGranule()));
            return Plan.equal(Plan.Sharing.POOLED, snapshot);
        }

        @Override
        public synchronized long chunk(Progress progress, int lane) {
            int lanes = progress.lanes();
            if (sums.length != lanes) {
                sums = new double[lanes];
                counts = new double[lanes];
                chunksDone = new long[lanes];
            }
            long left = progress.remaining();
            Batch batch = open.get(progress.job());
            boolean first = batch == null || batch.phase != progress.phase() || left > batch.begin;
            if (first) {
                Batch before = batch;
                batch = new Batch(progress.phase(), lanes);
                if (before != null) { // what was done in the phases before
                    System.arraycopy(before.granules, 0, batch.granules, 0, lanes);
                    System.arraycopy(before.nanos, 0, batch.nanos, 0, lanes);
                }
                open.put(progress.job(), batch);
            }
            if (first || chunked || left <= batch.end) {
                begin(batch, progress, left);
            }
            return batch.chunks[lane];
        }

        /**
         * Counts what lanes have done since, and sets the chunks of a batch; under AWF-C and AWF-E every chunk begins
         * one.
         */
        private void begin(Batch batch, Progress progress, long left) {
            batches++;
            for (int i = 0; i < sums.length; i++) {
                double granules = progress.doneGranules(i);
                double nanos = wall ? progress.doneWallNanos(i) : progress.doneNanos(i);
                double done = granules - batch.granules[i];
                if (done > 0) {
                    double k = chunked ? ++chunksDone[i] : batches;
                    sums[i] += k * (nanos - batch.nanos[i]) / done;
                    counts[i] += k;
                    batch.granules[i] = granules;
                    batch.nanos[i] = nanos;
                }
            }
            double mean = 0;
            int known = 0;
            for (int i = 0; i < sums.length; i++) {
                mean += speed(i, 0);
                known += speed(i, 0) > 0 ? 1 : 0;
            }
            mean = known == 0 ? 1 : mean / known;
            double all = 0;
            int active = 0;
            for (int i = 0; i < sums.length; i++) {
                all += progress.active(i) ? speed(i, mean) : 0;
                active += progress.active(i) ? 1 : 0;
            }
            long end = left;
            for (int i = 0; i < sums.length; i++) {
                double weight = all > 0 ? active * speed(i, mean) / all : 1;
                batch.chunks[i] = (long) Math.max(1, Math.ceil(weight * left / (2 * Math.max(1, active))));
                end -= progress.active(i) ? batch.chunks[i] : 0;
            }
            batch.begin = left;
            batch.end = Math.min(end, left - 1);
        }

        /** Granules a nanosecond. */
        private double speed(int lane, double unknown) {
            double speed = sums[lane] > 0 ? counts[lane] / sums[lane] : lane < guesses.length ? guesses[lane] : 0;
            return speed > 0 ? speed : unknown;
        }
    }
}
