package dev.evener.internal.run;

import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;

/** A policy of which nothing can be expected: whatever a plan allows, and answers that are out of range. */
class WildPolicyTest extends PolicyConformance {
    private static final List<Plan.Sharing> SHARINGS = List.of(Plan.Sharing.values());

    private record Wild(long seed) implements Policy {
        @Override
        public String name() {
            return "wild";
        }

        @Override
        public Plan plan(Snapshot snapshot) {
            Random random = new Random(seed);
            long[] shares = new long[snapshot.lanes().size()];
            long left = snapshot.granules();
            for (int i = 0; i < shares.length - 1; i++) {
                shares[i] = random.nextBoolean() ? 0 : (long) (random.nextDouble() * left);
                left -= shares[i];
            }
            shares[random.nextInt(shares.length)] += left;
            return Plan.of(SHARINGS.get(random.nextInt(SHARINGS.size())), shares);
        }

        @Override
        public long chunk(Progress progress, int lane) {
            return switch (ThreadLocalRandom.current().nextInt(5)) {
                case 0 -> Long.MIN_VALUE;
                case 1 -> 0;
                case 2 -> Long.MAX_VALUE;
                case 3 -> progress.remaining(lane) / 2;
                default -> ThreadLocalRandom.current().nextLong(100);
            };
        }
    }

    @Override
    Policy policy(Random random, int lanes) {
        return new Wild(random.nextLong());
    }
}
