package dev.evener.simulation.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.LongTests;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.simulation.policy.Regret.Scenario;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What learning may cost {@code adaptive}, on the machines of {@link Regret}: jobs take so many times as long as by the best static
 * split, which an oracle knows. A virtual clock and fixed seeds, so the same figures every time.
 */
class RegretTest {
    private static final double[] NOISES = {0.02, 0.1, 0.3};
    private static final int FIRST = 100;
    private static final int JOBS = LongTests.orAll(400, 2000);
    private static final int SLOW_FROM = 150;
    private static final int SLOW_TO = 350;
    private static final int RECOVERED = 30;

    private static final Policy ADAPTIVE = Policies.adaptive();
    /** Means over the first jobs and over those after them, by scenario and noise. */
    private static final Map<String, Double> EARLY = new TreeMap<>();

    private static final Map<String, Double> SETTLED = new TreeMap<>();

    @BeforeAll
    static void run() {
        for (double noise : NOISES) {
            long seed = 0;
            for (Scenario scenario : Regret.scenarios()) {
                // Two sets that differ by a few per cent, in chunks that scatter by as much, need more jobs for a mean.
                boolean scattered = scenario.name().equals("GPU 30 times faster");
                int jobs = scattered ? Math.max(2000, JOBS) : JOBS;
                int seeds = scattered ? 3 : LongTests.orAll(1, 3);
                if (!hasItsTurn(scenario, noise)) {
                    seed += seeds; // so that each has the same every day
                    continue;
                }
                double early = 0;
                double settled = 0;
                for (int i = 0; i < seeds; i++) {
                    double[] over = Regret.run(scenario, noise, ADAPTIVE, jobs, ++seed);
                    early += Regret.mean(over, 0, FIRST) / seeds;
                    settled += Regret.mean(over, FIRST, jobs) / seeds;
                }
                EARLY.put(name(scenario, noise), early);
                SETTLED.put(name(scenario, noise), settled);
            }
        }
    }

    /** In a short run each scenario meets one of the noises, another each day. */
    private static boolean hasItsTurn(Scenario scenario, double noise) {
        List<String> names = Regret.scenarios().stream().map(Scenario::name).toList();
        int number = names.indexOf(scenario.name()) + Arrays.binarySearch(NOISES, noise);
        return LongTests.ASKED_FOR || Math.floorMod(number + LongTests.TURN, NOISES.length) == 0;
    }

    private static String name(Scenario scenario, double noise) {
        return scenario.name() + ", noise " + noise;
    }

    @Test
    void theFirstHundredJobsCostLittle() {
        assertBounds(1.05, 1.2, EARLY);
    }

    @Test
    void settledJobsAreAsFastAsByTheBestStaticSplit() {
        assertBounds(1.015, 1.06, SETTLED);
    }

    private static void assertBounds(double median, double worst, Map<String, Double> over) {
        List<Double> sorted = new ArrayList<>(over.values());
        Collections.sort(sorted);
        double middle = sorted.get(sorted.size() / 2);
        assertTrue(middle <= median, "the median is " + middle);
        List<String> misses = new ArrayList<>();
        over.forEach((name, value) -> {
            if (value > worst) {
                misses.add(String.format(Locale.ROOT, "%s: %.3f", name, value));
            }
        });
        assertEquals(List.of(), misses);
    }

    @Test
    void noSingleDeviceIsFasterOnceSettled() {
        List<String> misses = new ArrayList<>();
        for (double noise : NOISES) {
            for (Scenario scenario : Regret.scenarios()) {
                if (!hasItsTurn(scenario, noise)) {
                    continue;
                }
                double gain = Oracle.bestSingle(scenario, noise)
                        / Oracle.bestStatic(scenario, noise, Regret.none(scenario))
                        / SETTLED.get(name(scenario, noise));
                // Times that scatter by a third hide small differences (docs/known-issues.md).
                if (gain < (noise > 0.2 ? 0.93 : 0.97)) {
                    misses.add(String.format(Locale.ROOT, "%s: %.3f", name(scenario, noise), gain));
                }
            }
        }
        assertEquals(List.of(), misses);
    }

    /** Guards against being left with one device for good by what first jobs told of uneven work, which happened. */
    @Test
    void noSeriesOfJobsIsStuckWithOneDevice() {
        List<String> misses = new ArrayList<>();
        for (Scenario scenario : Regret.scenarios()) {
            if (scenario.name().equals("equal, dear at the beginning")) {
                for (int seed = 1; seed <= LongTests.orAll(8, 100); seed++) {
                    double settled = Regret.mean(Regret.run(scenario, 0.1, ADAPTIVE, 300, seed), FIRST, 300);
                    if (settled > 1.2) {
                        misses.add(String.format(Locale.ROOT, "seed %d: %.3f", seed, settled));
                    }
                }
            }
        }
        assertEquals(List.of(), misses);
    }

    @Test
    void aLaneThatSlowsDownFourFoldAndComesBackIsFollowed() {
        List<String> misses = new ArrayList<>();
        for (double noise : List.of(0.02, 0.1)) {
            for (Scenario scenario : Regret.scenarios()) {
                if (!hasItsTurn(scenario, noise)) {
                    continue;
                }
                for (int lane = 0; lane < 2 && scenario.lanes() > 1; lane++) {
                    double[] over = Regret.slowed(
                            scenario, noise, ADAPTIVE, SLOW_TO + RECOVERED, lane, 4, SLOW_FROM, SLOW_TO, 1);
                    double after = Regret.mean(over, SLOW_FROM, SLOW_FROM + RECOVERED);
                    double back = Regret.mean(over, SLOW_TO, SLOW_TO + RECOVERED);
                    if (after > 1.5 || back > 1.5) {
                        misses.add(String.format(
                                Locale.ROOT, "%s, lane %d: %.2f, %.2f", name(scenario, noise), lane, after, back));
                    }
                }
            }
        }
        assertEquals(List.of(), misses);
    }
}
