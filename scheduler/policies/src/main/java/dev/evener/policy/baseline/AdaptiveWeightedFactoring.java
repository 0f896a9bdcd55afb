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
 * Adaptive weighted factoring in the form AWF-B, whose weights are set anew at each batch: of R granules left when a batch begins, lane i of
 * P takes {@code ceil(w_i R / 2P)}. The weights add up to P and are inverse to the weighted average of what a granule took the lane, {@code
 * sum(k t_k) / sum(k)} over the batches k, the later the heavier; before the first they are 1. Banicescu, Velusamy and Devaprasad, On the
 * Scalability of Dynamic Scheduling Scientific Applications with Adaptive Weighted Factoring, Cluster Computing 6, 2003; Cariño and
 * Banicescu, Dynamic Load Balancing with Adaptive Factoring Methods in Scientific Applications, Journal of Supercomputing 44, 2008.
 *
 * <p>The averages go on from job to job of a kind, as AWF's go on from time step to time step. A lane that was not done with a chunk when a
 * batch began, as a slow one may never be, is as fast as the model says; where that knows nothing, as the others are on average.
 */
public final class AdaptiveWeightedFactoring implements PolicyProvider {
    /** As {@link java.util.ServiceLoader} wants it. */
    public AdaptiveWeightedFactoring() {}

    @Override
    public String name() {
        return "awf-b";
    }

    @Override
    public String description() {
        return "adaptive weighted factoring: as fac2, by what granules took each device so far";
    }

    @Override
    public Policy create(Settings settings) {
        return new Weights();
    }

    /** What is kept of a kind of job. Guards itself. */
    private static final class Weights implements Policy {
        private static final int MOST_JOBS = 64; // at once; what is forgotten begins a batch

        private final Map<Long, Batch> open = new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Long, Batch> eldest) {
                return size() > MOST_JOBS;
            }
        };
        private double[] sums = {}; // of k t_k
        private double[] counts = {}; // of k
        private double[] guesses = {}; // granules a nanosecond by the model
        private long batches;

        /** A batch of a job: each lane's chunk, how much is left when it begins and ends, and what lanes had done when it began. */
        private static final class Batch {
            final int phase;
            final long begin;
            final long[] chunks;
            final double[] granules;
            final double[] nanos;
            long end;

            Batch(int phase, long begin, int lanes) {
                this.phase = phase;
                this.begin = begin;
                chunks = new long[lanes];
                granules = new double[lanes];
                nanos = new double[lanes];
            }
        }

        @Override
        public String name() {
            return "awf-b";
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
            long left = progress.remaining();
            Batch batch = open.get(progress.job());
            if (batch == null || batch.phase != progress.phase() || left > batch.begin || left <= batch.end) {
                batch = next(progress, batch, left);
                open.put(progress.job(), batch);
            }
            return batch.chunks[lane];
        }

        private Batch next(Progress progress, Batch before, long left) {
            int lanes = progress.lanes();
            if (sums.length != lanes) {
                sums = new double[lanes];
                counts = new double[lanes];
            }
            Batch batch = new Batch(progress.phase(), left, lanes);
            batches++;
            for (int i = 0; i < lanes; i++) {
                batch.granules[i] = progress.doneGranules(i);
                batch.nanos[i] = progress.doneNanos(i);
                double done = batch.granules[i] - (before == null ? 0 : before.granules[i]);
                if (done > 0) {
                    sums[i] += batches * (batch.nanos[i] - (before == null ? 0 : before.nanos[i])) / done;
                    counts[i] += batches;
                }
            }
            double[] speeds = speeds();
            double all = 0;
            int active = 0;
            for (int i = 0; i < lanes; i++) {
                all += progress.active(i) ? speeds[i] : 0;
                active += progress.active(i) ? 1 : 0;
            }
            long end = left;
            for (int i = 0; i < lanes; i++) {
                double weight = all > 0 ? active * speeds[i] / all : 1;
                batch.chunks[i] = (long) Math.max(1, Math.ceil(weight * left / (2 * Math.max(1, active))));
                end -= progress.active(i) ? batch.chunks[i] : 0;
            }
            batch.end = Math.min(end, left - 1);
            return batch;
        }

        /** Granules a nanosecond. */
        private double[] speeds() {
            double[] speeds = new double[sums.length];
            Arrays.setAll(speeds, i -> sums[i] > 0 ? counts[i] / sums[i] : i < guesses.length ? guesses[i] : 0);
            double mean =
                    Arrays.stream(speeds).filter(each -> each > 0).average().orElse(1);
            Arrays.setAll(speeds, i -> speeds[i] > 0 ? speeds[i] : mean);
            return speeds;
        }
    }
}
