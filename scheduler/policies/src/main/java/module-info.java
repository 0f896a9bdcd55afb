import dev.evener.policy.PolicyProvider;
import dev.evener.policy.baseline.AdaptiveWeightedFactoring;
import dev.evener.policy.baseline.Factoring;
import dev.evener.policy.baseline.FixedSizeChunking;
import dev.evener.policy.baseline.GuidedSelfScheduling;
import dev.evener.policy.baseline.HGuided;
import dev.evener.policy.baseline.ModifiedFixedSizeChunking;
import dev.evener.policy.baseline.Taper;
import dev.evener.policy.baseline.Trapezoid;

/** Policies of the literature, which {@link dev.evener.policy.Policies#named} finds here. */
module dev.evener.policies {
    requires dev.evener.scheduler;
    requires static org.jspecify;

    provides PolicyProvider with
            GuidedSelfScheduling,
            Factoring,
            Trapezoid,
            FixedSizeChunking,
            ModifiedFixedSizeChunking,
            Taper,
            AdaptiveWeightedFactoring.B,
            AdaptiveWeightedFactoring.C,
            AdaptiveWeightedFactoring.D,
            AdaptiveWeightedFactoring.E,
            HGuided;
}
