package dev.evener.internal.run;

import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.Random;

/** Policies told into how many chunks to cut, and on which lane, and with which shares. */
class EqualChunksTest extends PolicyConformance {
    @Override
    Policy policy(Random random, int lanes) {
        return switch (random.nextInt(4)) {
            case 0 -> Policies.guided(1 + random.nextInt(40));
            case 1 -> Policies.stealing(1 + random.nextInt(40));
            case 2 -> Policies.single(random.nextInt(lanes));
            default -> Policies.fixed(random.doubles(lanes, 0, 100).toArray());
        };
    }
}
