package dev.evener.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.LongTests;
import dev.evener.policy.Beds.Bed;
import dev.evener.policy.Beds.Weather;
import dev.evener.policy.Beds.Work;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What {@code adaptive} reaches on simulated machines: a virtual clock and fixed seeds, so the same figures every time. */
class AdaptiveSimulationTest {
    private static final long[] SIZES = {64, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 25};

    @ParameterizedTest
    @EnumSource(Bed.class)
    void reachesTheBestStaticSplitAndNeverHarms(Bed bed) {
        List<String> misses = new ArrayList<>();
        for (Work work : Work.values()) {
            for (long units : SIZES) {
                for (long seed = 1; seed <= 2; seed++) {
                    double own = Beds.median(bed, work, Weather.CALM, Policies.adaptive(), units, seed, 60, 101);
                    double ratio = Beds.bestStatic(bed, work, Weather.CALM, units, seed, 31) / own;
                    if (ratio < 0.97) {
                        misses.add(work + ", " + units + " units, seed " + seed + ": " + ratio);
                    }
                }
            }
        }
        assertEquals(List.of(), misses);
    }

    /** Guards against being left with one device for long after a disturbance, which happened. */
    @ParameterizedTest
    @CsvSource({"0.03, 0, 0.01", "0.05, 5, 0", "0.05, 5, 0.01"})
    void recoversFromStartUpsAndDisturbances(double noise, double startUp, double bursts) {
        Weather weather = new Weather(noise, startUp, bursts);
        List<String> misses = new ArrayList<>();
        for (Bed bed : Bed.values()) {
            for (Work work : Work.values()) {
                for (long units : LongTests.ASKED_FOR
                        ? new long[] {1 << 14, 1 << 18, 1 << 20, 1 << 22}
                        : new long[] {1 << 14, 1 << 20}) {
                    double sum = 0;
                    int seeds = LongTests.orAll(2, 4);
                    for (long seed = 1; seed <= seeds; seed++) {
                        double own = Beds.median(bed, work, weather, Policies.adaptive(), units, seed, 60, 301);
                        sum += Beds.bestStatic(bed, work, weather, units, seed, 361 - 2) / own;
                    }
                    if (sum / seeds < 0.95) {
                        misses.add(bed + ", " + work + ", " + units + " units: " + sum / seeds);
                    }
                }
            }
        }
        assertEquals(List.of(), misses);
    }

    @ParameterizedTest
    @CsvSource({"0, 3", "1, 3", "0, 1.6", "1, 1.6"})
    void followsADeviceThatSlowsDown(int lane, double factor) {
        for (long units : new long[] {1 << 18, 1 << 22}) {
            Simulation sim = Beds.simulation(Bed.EQUAL, Work.EVEN, Weather.CALM, Policies.adaptive(), units, 7);
            sim.median(units, 40, 41);
            sim.machine.factor[lane] = 1 / factor;
            double ideal = ideal(units, 1, 1 / factor);
            assertWithin(sim, units, 8, 1.1 * ideal, "slowed " + factor + " times");
            sim.median(units, 40, 41);
            sim.machine.factor[lane] = 1;
            assertWithin(sim, units, 30, 1.1 * ideal(units, 1, 1), "fast again");
        }
    }

    @Test
    void findsADeviceThatWasUselessAgain() {
        long units = 1 << 20;
        Simulation sim = Beds.simulation(Bed.EQUAL, Work.EVEN, Weather.CALM, Policies.adaptive(), units, 3);
        sim.machine.factor[1] = 1 / 100.0;
        double slow = sim.median(units, 60, 201);
        assertTrue(slow < 1.05 * (units + 40_000), "the other one alone: " + slow);
        sim.machine.factor[1] = 1;
        assertWithin(sim, units, 2_000, 1.1 * ideal(units, 1, 1), "useful at last");
    }

    @ParameterizedTest
    @EnumSource(Bed.class)
    void doesNotOscillate(Bed bed) {
        for (long units : SIZES) {
            Simulation sim = Beds.simulation(bed, Work.EVEN, Weather.CALM, Policies.adaptive(), units, 5);
            sim.median(units, 100, 1);
            int changes = 0;
            long share = -1;
            double swings = 0;
            int together = 0;
            long last = 0;
            for (int i = 0; i < 400; i++) {
                Simulation.Result result = sim.run(units);
                changes += i > 0 && result.set() != last ? 1 : 0;
                last = result.set();
                if (Long.bitCount(result.set()) == 2) {
                    long all = result.plan().shares()[0] + result.plan().shares()[1];
                    swings += share >= 0 ? Math.abs(result.plan().shares()[0] - share) / (double) all : 0;
                    share = result.plan().shares()[0];
                    together++;
                }
            }
            // A trial is two changes: there and back.
            assertTrue(changes <= 40, bed + ", " + units + " units: changed the set " + changes + " times in 400 jobs");
            assertTrue(
                    together < 50 || swings / together < 0.02,
                    bed + ", " + units + " units: shares move by " + swings / together + " a job");
        }
    }

    @ParameterizedTest
    @EnumSource(Bed.class)
    void theFirstJobsAreNotMuchWorseThanTheBestDevice(Bed bed) {
        for (long units : new long[] {1 << 18, 1 << 22, 1 << 25}) {
            double single = Beds.bestSingle(bed, Work.EVEN, Weather.CALM, units, 1, 11);
            Simulation sim = Beds.simulation(bed, Work.EVEN, Weather.CALM, Policies.adaptive(), units, 1);
            double sum = 0;
            for (int i = 0; i < 20; i++) {
                sum += sim.run(units).wall();
            }
            assertTrue(sum / 20 < 1.35 * single, bed + ", " + units + " units: " + sum / 20 / single);
        }
    }

    private static double ideal(long units, double first, double second) {
        return Math.min(units / (first + second) + 60_000, units / Math.max(first, second) + 40_000);
    }

    /** After at most so many jobs, most of the next are as fast as this. */
    private static void assertWithin(Simulation sim, long units, int jobs, double most, String what) {
        for (int i = 0; i < jobs; i++) {
            sim.run(units);
        }
        double median = sim.median(units, 0, 15);
        assertTrue(median <= most, what + ", " + units + " units: " + median + " instead of " + most);
    }
}
