package dev.evener.simulation.policy;

import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.policy.WorkProfile;
import dev.evener.simulation.MachineEvent;
import dev.evener.simulation.policy.Regret.Scenario;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/** Knows the machines of {@link Regret} and how to cut jobs for them. */
final class Oracle {
    private static final Map<String, Double> BEST = new ConcurrentHashMap<>();

    private Oracle() {}

    /** What the best static split takes on average; {@code slow} is by how much each lane is slower. */
    static double bestStatic(Scenario scenario, double noise, double[] slow) {
        return BEST.computeIfAbsent(
                scenario.name() + noise + Arrays.toString(slow), key -> search(scenario, noise, slow));
    }

    /** What the best single lane takes on average. */
    static double bestSingle(Scenario scenario, double noise) {
        int best = 0;
        for (int lane = 1; lane < scenario.lanes(); lane++) {
            best = scenario.alone(lane) < scenario.alone(best) ? lane : best;
        }
        return mean(scenario, noise, Regret.none(scenario), Policies.single(best), enough(noise), seed(scenario));
    }

    /** Two passes: the sets that do best in a few jobs are measured again, for the least of many samples is too low. */
    private static double search(Scenario scenario, double noise, double[] slow) {
        int lanes = scenario.lanes();
        Map<Double, Policy> splits = new TreeMap<>(); // by mean
        for (long set = 1; set < 1L << lanes; set++) {
            // Of many equal lanes some sets stand for all: single ones, all, and all but the first.
            if (lanes <= 4 || Long.bitCount(set) == 1 || set >= (1L << lanes) - 2) {
                Policy split = split(scenario, set, slow);
                splits.put(mean(scenario, noise, slow, split, 40, 98), split);
            }
        }
        return splits.values().stream()
                .limit(2)
                .mapToDouble(split -> mean(scenario, noise, slow, split, enough(noise), seed(scenario)))
                .min()
                .orElseThrow();
    }

    /** Jobs after which a mean is known to less than a per cent. */
    private static int enough(double noise) {
        return (int) Math.max(100, Math.pow(noise / 0.0075, 2));
    }

    /** One for each machine: all would be off in the same way with the same. */
    private static long seed(Scenario scenario) {
        return 1000L + Math.floorMod(scenario.name().hashCode(), 1000);
    }

    /** The static split by which the lanes of a set finish together. */
    private static Policy split(Scenario scenario, long set, double[] slow) {
        WorkProfile profile = profile(scenario);
        double[] work = scenario.shares(set, slow);
        double[] units = new double[work.length];
        double all = Arrays.stream(work).sum();
        double before = 0;
        double from = 0;
        for (int i = 0; i < work.length; i++) {
            before += work[i] / all;
            double to = profile.end(0, before * Regret.UNITS, Regret.UNITS);
            units[i] = Math.max(0, to - from);
            from = to;
        }
        return Policies.fixed(units);
    }

    private static double mean(Scenario scenario, double noise, double[] slow, Policy policy, int jobs, long seed) {
        MachineEvent[] events = IntStream.range(0, slow.length)
                .filter(i -> slow[i] > 1)
                .mapToObj(i -> Series.slowed(i, slow[i]))
                .toArray(MachineEvent[]::new);
        return new Series(scenario.machine(noise), policy, Regret.UNITS, 1, seed).mean(jobs, events);
    }

    private static WorkProfile profile(Scenario scenario) {
        double[] density = new double[500];
        for (int i = 0; i < density.length; i++) {
            density[i] = scenario.work().applyAsDouble((i + 1) / 500.0)
                    - scenario.work().applyAsDouble(i / 500.0);
        }
        return WorkProfile.of(density);
    }
}
