package dev.evener.kernels;

import dev.evener.Evener;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policy;

/** One input of a primitive that can be tuned. */
public interface TunedCase extends PrimitiveCase {
    /** As {@link PrimitiveCase#run}, tuned. */
    Object run(Evener evener, Policy policy, Tuning tuning);

    @Override
    default Object run(Evener evener, Policy policy) {
        return run(evener, policy, Tuning.defaults());
    }
}
