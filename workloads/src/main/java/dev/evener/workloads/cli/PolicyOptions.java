package dev.evener.workloads.cli;

import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.workloads.replay.PolicyText;
import java.util.Locale;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of every command that runs jobs: how they are cut. */
final class PolicyOptions {
    @Option(names = "--policy", paramLabel = "NAME")
    private @Nullable String policy;

    @Option(names = "--split", paramLabel = "FRACTIONS")
    private @Nullable String split;

    /**
     * The policy asked for.
     *
     * @param devices how many devices are in use
     */
    Policy policy(int devices) {
        if (split == null) {
            return policy == null ? Policies.adaptive() : UserError.parsed("--policy: ", () -> Policies.named(policy));
        }
        double[] fractions = fractions(split);
        if (fractions.length != devices) {
            throw UserError.usage("--split '" + split + "' has " + fractions.length + " fractions, but " + devices
                    + (devices == 1 ? " device is" : " devices are") + " in use (see evener devices)");
        }
        return UserError.parsed("--split: ", () -> Policies.fixed(fractions));
    }

    private static double[] fractions(String split) {
        return UserError.parsed("--split: ", () -> Policies.parseSplit(split));
    }

    /** Whether anything was asked for. */
    boolean given() {
        return policy != null || split != null;
    }

    /** Whether shares were asked for. */
    boolean isSplit() {
        return split != null;
    }

    /** What was asked for, as records name it. */
    String text() {
        return split == null
                ? policy == null ? "adaptive" : policy.toLowerCase(Locale.ROOT)
                : PolicyText.fixed(
                        DoubleStream.of(Policies.parseSplit(split)).boxed().toList());
    }

    /** Checks what can be checked before any device is opened. */
    void check() {
        if (split != null && policy != null && !policy.equalsIgnoreCase("static")) {
            throw UserError.usage("--split goes with --policy static, not with --policy " + policy);
        }
        policy(split == null ? 1 : fractions(split).length);
    }
}
