package dev.evener.policy;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.policy.Beds.Bed;
import dev.evener.policy.Beds.Weather;
import dev.evener.policy.Beds.Work;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * GPUs that run so many units at once and take as long for a few of them: cut finely, two were slower than one. Sizes and
 * speeds are those of an H200 that computes an N-body step.
 */
class WavesTest {
    private static final long UNITS = 524_288;
    private static final double SPEED = 0.0016;
    private static final double LAUNCH = 100_000;
    /** Jobs that the sets of devices are tried in. */
    private static final int FIRST = 12;

    private static Simulation gpus(double wave, double noise, long seed, Policy policy) {
        double[] both = {SPEED, SPEED};
        double[] launches = {LAUNCH, LAUNCH};
        Machine machine = new Machine(seed, both, launches).withWaves(wave, wave);
        return new Simulation(machine.withNoise(noise), policy, 256);
    }

    @ParameterizedTest
    @CsvSource({
        "33792, 0", "67584, 0", "135168, 0",
        "33792, 0.005", "67584, 0.005", "135168, 0.005",
        "33792, 0.03", "67584, 0.03", "135168, 0.03"
    })
    void twoGpusAreTwiceAsFastAsOne(double wave, double noise) {
        for (long seed = 1; seed <= 3; seed++) {
            double single = gpus(wave, noise, seed, Policies.single(0)).median(UNITS, 2, 11);
            Simulation sim = gpus(wave, noise, seed, Policies.adaptive());
            double first = 0;
            for (int i = 0; i < FIRST; i++) {
                first += sim.run(UNITS).wall() / FIRST;
            }
            double then = sim.median(UNITS, 0, 15);
            assertTrue(single >= 1.9 * then, "seed " + seed + ": " + single / then);
            assertTrue(first < single, "seed " + seed + ", its first jobs: " + single / first);
        }
    }

    /** What is tried and tested now and then costs little in the long run. */
    @ParameterizedTest
    @CsvSource({"33792", "67584", "135168"})
    void theyStayAsFast(double wave) {
        Simulation sim = gpus(wave, 0.005, 1, Policies.adaptive());
        sim.median(UNITS, FIRST, 1);
        double sum = 0;
        int jobs = 300;
        for (int i = 0; i < jobs; i++) {
            sum += sim.run(UNITS).wall() / jobs;
        }
        double single = gpus(wave, 0.005, 1, Policies.single(0)).median(UNITS, 2, 11);
        assertTrue(single > 1.85 * sum, "on average " + single / sum);
    }

    @ParameterizedTest
    @CsvSource({"33792, 0", "67584, 0", "135168, 0", "33792, 0.005", "67584, 0.005", "135168, 0.005"})
    void aCpuBesideAGpuReachesTheBestStaticSplit(double wave, double noise) {
        double best = Double.POSITIVE_INFINITY;
        int splits = 64;
        for (int k = 0; k <= splits; k++) {
            double part = (double) k / splits;
            best = Math.min(
                    best, cpuAndGpu(wave, noise, Policies.fixed(part, 1 - part)).median(UNITS, 2, 5));
        }
        double own = cpuAndGpu(wave, noise, Policies.adaptive()).median(UNITS, FIRST, 41);
        assertTrue(best >= 0.97 * own, "of the best split: " + best / own);
    }

    private static Simulation cpuAndGpu(double wave, double noise, Policy policy) {
        Machine machine = new Machine(1, new double[] {SPEED / 6, SPEED}, new double[] {5_000, LAUNCH});
        return new Simulation(machine.withWaves(1, wave).withNoise(noise), policy, 256);
    }

    /** Devices without waves go on being cut as finely as it takes to help one that slows down, though others did so before. */
    @Test
    void aDeviceThatSlowsDownIsStillHelped() {
        long units = 1 << 25;
        double sum = 0;
        int slowed = 0;
        for (long seed = 1; seed <= 3; seed++) {
            Simulation sim = Beds.simulation(Bed.EQUAL, Work.EVEN, Weather.CALM, Policies.adaptive(), units, seed);
            double usual = sim.median(units, 40, 21);
            Random random = new Random(seed);
            for (int i = 0; i < 12; i++) {
                sim.median(units, 0, 3);
                double at = usual * (0.1 + 0.8 * random.nextDouble());
                int lane = random.nextInt(2);
                sim.changeAt = at;
                sim.change = () -> sim.machine.factor[lane] = 0.25;
                Simulation.Result result = sim.run(units);
                sim.machine.factor[lane] = 1;
                if (Long.bitCount(result.set()) == 2) {
                    sum += result.wall() / (at + (usual - at) * 2 / 1.25);
                    slowed++;
                }
            }
        }
        assertTrue(slowed > 24 && sum / slowed < 1.05, slowed + " jobs, " + sum / slowed + " of the ideal time");
    }
}
