package dev.evener.workloads.experiment;

import dev.evener.policy.Policy;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What is compared, and how thoroughly.
 *
 * @param policies the policies under test by name, in order. The policy {@code single} among them is passed over, as every
 *     device alone is measured anyway
 * @param rounds how often each contender is measured; 0 to let the time a job takes decide
 * @param sweepSteps static splits that the sweep of two devices begins with, at least 2; 0 for no sweep
 * @param warmUp the least time all contenders run before anything counts
 * @param seed for the order of runs
 * @param verify whether to check what each contender computes
 */
public record Settings(
        Map<String, Policy> policies, int rounds, int sweepSteps, Duration warmUp, long seed, boolean verify) {
    /** Most rounds that can be asked for. */
    public static final int MOST_ROUNDS = 100_000;

    /** Static splits that a sweep begins with, unless something else is asked for. */
    public static final int USUAL_STEPS = 17;

    /** Most static splits that a sweep can begin with. */
    public static final int MOST_STEPS = 1001;

    /** The longest warm-up. */
    public static final int MOST_WARM_UP_SECONDS = 600;

    public Settings {
        policies = Collections.unmodifiableMap(new LinkedHashMap<>(policies));
        if (rounds < 0 || sweepSteps < 0 || sweepSteps == 1 || warmUp.isNegative()) {
            throw new IllegalArgumentException(
                    rounds + " rounds, " + sweepSteps + " steps or a warm-up of " + warmUp + " cannot be");
        }
    }

    /** The same with other policies. */
    public Settings withPolicies(Map<String, Policy> others) {
        return new Settings(others, rounds, sweepSteps, warmUp, seed, verify);
    }

    /** The same with so many rounds. */
    public Settings withRounds(int other) {
        return new Settings(policies, other, sweepSteps, warmUp, seed, verify);
    }
}
