package dev.evener.workloads.experiment;

import dev.evener.history.History;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.workloads.replay.PolicyText;
import java.util.List;

/**
 * One way to share out a job. Each learns in a history of its own, so that no policy profits from what another tried.
 *
 * @param name unique within a comparison
 * @param role what it is there for
 * @param policy how the job is cut
 * @param history what it learns in
 * @param asked the policy as records name it
 */
record Contender(String name, Role role, Policy policy, History history, String asked) {

    /** Everything on one device. */
    static Contender single(int lane, String device) {
        return new Contender(
                "single " + device, Role.SINGLE, Policies.single(lane), History.inMemory(), PolicyText.single(lane));
    }

    /** A static split. */
    static Contender split(List<Double> fractions) {
        double[] shares = fractions.stream().mapToDouble(Double::doubleValue).toArray();
        return new Contender(
                "static best",
                Role.BEST_STATIC,
                Policies.fixed(shares),
                History.inMemory(),
                PolicyText.fixed(fractions));
    }

    /** A policy by its name; the plain static one is told from the best static split. */
    static Contender policy(String name, Policy policy) {
        return new Contender(
                name.equals("static") ? "static equal" : name, Role.POLICY, policy, History.inMemory(), name);
    }
}
