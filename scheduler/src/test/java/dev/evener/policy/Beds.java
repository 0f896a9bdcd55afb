package dev.evener.policy;

import java.util.Arrays;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongFunction;

/** Simulated machines and disturbances on which {@code adaptive} is held against every static split. */
final class Beds {
    private static final int SPLITS = 32;
    private static final int GRID = 4;

    /** Two devices, made anew for a seed. */
    @SuppressWarnings("ImmutableEnumChecker") // functions without state
    enum Bed {
        EQUAL(Machine::equal),
        UNEQUAL(Machine::unequal),
        CONTENDED(Machine::contended),
        SHARED_MEMORY(seed -> Machine.equal(seed).withMemory(1.4));

        final LongFunction<Machine> maker;

        Bed(LongFunction<Machine> maker) {
            this.maker = maker;
        }
    }

    /** What units cost along the index space. */
    @SuppressWarnings("ImmutableEnumChecker") // functions without state
    enum Work {
        EVEN(u -> u),
        DEAR_IN_THE_MIDDLE(u -> u * u * (3 - 2 * u)),
        DEARER_AND_DEARER(u -> u * u),
        /** Nearly all of it in the first third, as in a picture whose rest is background. */
        STEEP(u -> u < 0.35 ? 0.9 * u / 0.35 : 0.9 + 0.1 * (u - 0.35) / 0.65);

        final DoubleUnaryOperator sum;

        Work(DoubleUnaryOperator sum) {
            this.sum = sum;
        }
    }

    /**
     * What befalls a machine: devices are slower by {@code 1 + startUp} at first, and in bursts of 3 to 27 jobs one or both
     * are up to 2.5 times slower.
     *
     * @param noise relative scatter of every chunk
     * @param bursts probability that one begins with a job
     */
    record Weather(double noise, double startUp, double bursts) {
        static final Weather CALM = new Weather(0.03, 0, 0);
    }

    private Beds() {}

    static Simulation simulation(Bed bed, Work work, Weather weather, Policy policy, long units, long seed) {
        Machine machine = bed.maker.apply(seed).withNoise(weather.noise());
        machine.work = work.sum;
        return new Simulation(machine, policy, Math.max(16, units / 512));
    }

    /** Median wall time of so many jobs after so many others, in this weather: the same for all policies. */
    static double median(
            Bed bed, Work work, Weather weather, Policy policy, long units, long seed, int before, int jobs) {
        Simulation sim = simulation(bed, work, weather, policy, units, seed);
        Random random = new Random(seed);
        double[] walls = new double[jobs];
        int burst = 0;
        int hit = 2;
        for (int i = 0; i < before + jobs; i++) {
            if (random.nextDouble() < weather.bursts() && burst == 0) {
                burst = 3 + random.nextInt(25);
                hit = random.nextInt(3);
            }
            burst = Math.max(0, burst - 1);
            double startUp = 1 + weather.startUp() * Math.exp(-i / 12.0);
            double slow = 1 + 1.5 * random.nextDouble();
            for (int lane = 0; lane < 2; lane++) {
                sim.machine.factor[lane] = 1 / startUp / (burst > 0 && (hit == 2 || hit == lane) ? slow : 1);
            }
            double wall = sim.run(units).wall();
            if (i >= before) {
                walls[i - before] = wall;
            }
        }
        Arrays.sort(walls);
        return walls[jobs / 2];
    }

    /** The least median that one device alone reaches. */
    static double bestSingle(Bed bed, Work work, Weather weather, long units, long seed, int jobs) {
        double best = Double.POSITIVE_INFINITY;
        for (int lane = 0; lane < 2; lane++) {
            best = Math.min(best, median(bed, work, weather, Policies.single(lane), units, seed, 2, jobs));
        }
        return best;
    }

    /**
     * The least median that a static split reaches, single devices included. The time of a split rises on both sides of the
     * best one, so that a grid of every fourth, and then all around the best of those, find what trying all would.
     */
    static double bestStatic(Bed bed, Work work, Weather weather, long units, long seed, int jobs) {
        double best = bestSingle(bed, work, weather, units, seed, jobs);
        double bestOfGrid = Double.POSITIVE_INFINITY;
        int at = 0;
        for (int k = GRID; k < SPLITS; k += GRID) {
            double median = split(k, bed, work, weather, units, seed, jobs);
            if (median < bestOfGrid) {
                bestOfGrid = median;
                at = k;
            }
        }
        best = Math.min(best, bestOfGrid);
        for (int k = at - GRID + 1; k < at + GRID; k++) {
            if (k != at) {
                best = Math.min(best, split(k, bed, work, weather, units, seed, jobs));
            }
        }
        return best;
    }

    private static double split(int k, Bed bed, Work work, Weather weather, long units, long seed, int jobs) {
        Policy split = Policies.fixed((double) k / SPLITS, 1 - (double) k / SPLITS);
        return median(bed, work, weather, split, units, seed, 2, jobs);
    }
}
