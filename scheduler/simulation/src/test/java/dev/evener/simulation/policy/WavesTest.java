package dev.evener.simulation.policy;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.InTurn;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.simulation.KernelModel;
import dev.evener.simulation.Machine;
import dev.evener.simulation.MachineEvent;
import dev.evener.simulation.policy.Beds.Bed;
import dev.evener.simulation.policy.Beds.Weather;
import dev.evener.simulation.policy.Beds.Work;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * GPUs that run so many units at once and take as long for a few of them: cut finely, two were slower than one. Sizes and
 * speeds are those of an H200 that computes an N-body step.
 */
@InTurn(2)
class WavesTest {
    private static final long UNITS = 524_288;
    private static final double SPEED = 0.0016;
    private static final double LAUNCH = 100_000;
    /** Jobs that the sets of devices are tried in. */
    private static final int FIRST = 12;

    private static Series gpus(long wave, double noise, long seed, Policy policy) {
        KernelModel kernel = Beds.kernel(SPEED, LAUNCH, noise).withWave(wave);
        Machine machine = Beds.machine(Work.EVEN, Beds.device(0, kernel), Beds.device(1, kernel));
        return new Series(machine, policy, UNITS, 256, seed);
    }

    // Shares know nothing of waves: one more is needed if a share is a little too large, which may be a fifth of the
    // job here.
    @ParameterizedTest
    @CsvSource({
        "33792, 0", "67584, 0", "135168, 0",
        "33792, 0.005", "67584, 0.005", "135168, 0.005",
        "33792, 0.03", "67584, 0.03"
    })
    void twoGpusAreTwiceAsFastAsOne(long wave, double noise) {
        for (long seed = 1; seed <= 3; seed++) {
            double single = gpus(wave, noise, seed, Policies.single(0)).medianAfter(2, 11);
            Series series = gpus(wave, noise, seed, Policies.adaptive());
            double first = series.mean(FIRST);
            double then = series.median(15);
            assertTrue(single >= 1.55 * then, "seed " + seed + ": " + single / then);
            assertTrue(first < 1.05 * single, "seed " + seed + ", its first jobs: " + single / first);
        }
    }

    /** What is tried and tested now and then costs little in the long run. */
    @ParameterizedTest
    @CsvSource({"33792", "67584", "135168"})
    void theyStayAsFast(long wave) {
        Series series = gpus(wave, 0.005, 1, Policies.adaptive());
        series.run(FIRST);
        double mean = series.mean(300);
        double single = gpus(wave, 0.005, 1, Policies.single(0)).medianAfter(2, 11);
        assertTrue(single > 1.7 * mean, "on average " + single / mean);
    }

    @ParameterizedTest
    @CsvSource({"33792, 0", "67584, 0", "135168, 0", "33792, 0.005", "67584, 0.005", "135168, 0.005"})
    void aCpuBesideAGpuReachesTheBestStaticSplit(long wave, double noise) {
        double best = Double.POSITIVE_INFINITY;
        int splits = 64;
        for (int k = 0; k <= splits; k++) {
            double part = (double) k / splits;
            best = Math.min(
                    best, cpuAndGpu(wave, noise, Policies.fixed(part, 1 - part)).medianAfter(2, 5));
        }
        double own = cpuAndGpu(wave, noise, Policies.adaptive()).medianAfter(FIRST, 41);
        assertTrue(best >= 0.87 * own, "of the best split: " + best / own);
    }

    private static Series cpuAndGpu(long wave, double noise, Policy policy) {
        KernelModel onCpu = Beds.kernel(SPEED / 6, 5_000, noise);
        KernelModel onGpu = Beds.kernel(SPEED, LAUNCH, noise).withWave(wave);
        Machine machine = Beds.machine(Work.EVEN, Beds.device(0, onCpu), Beds.device(1, onGpu));
        return new Series(machine, policy, UNITS, 256, 1);
    }

    /** Devices without waves go on being cut as finely as it takes to help one that slows down, though others did so before. */
    @Test
    void aDeviceThatSlowsDownIsStillHelped() {
        long units = 1 << 25;
        double sum = 0;
        int slowed = 0;
        for (long seed = 1; seed <= 3; seed++) {
            Series series = Beds.series(Bed.EQUAL, Work.EVEN, Weather.CALM, Policies.adaptive(), units, seed);
            double usual = series.medianAfter(40, 21);
            Random random = new Random(seed);
            for (int i = 0; i < 12; i++) {
                series.run(3);
                long at = (long) (usual * (0.1 + 0.8 * random.nextDouble()));
                MachineEvent slow = Series.slowed(random.nextInt(2), 4, at, Long.MAX_VALUE);
                Series.Done job = series.run(1, slow).get(0);
                if (Long.bitCount(job.set()) == 2) {
                    sum += job.wall() / (at + (usual - at) * 2 / 1.25);
                    slowed++;
                }
            }
        }
        assertTrue(slowed > 24 && sum / slowed < 1.25, slowed + " jobs, " + sum / slowed + " of the ideal time");
    }
}
