package dev.evener.simulation.policy;

import dev.evener.DeviceInfo;
import dev.evener.MadeUpDevices;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.simulation.DeviceModel;
import dev.evener.simulation.KernelModel;
import dev.evener.simulation.KernelWork;
import dev.evener.simulation.Machine;
import dev.evener.simulation.MachineEvent;
import dev.evener.simulation.SimulatedJob;
import dev.evener.simulation.Times;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleUnaryOperator;

/** Simulated machines and disturbances on which {@code adaptive} is held against every static split. */
final class Beds {
    /** What all jobs here run. */
    static final String KERNEL = "k";

    /** A job whose chunks have a time limit, which is far off, so that none is done again by others as it is late. */
    static SimulatedJob waitedFor(long units, long granule, Policy policy) {
        Duration limit = Duration.ofDays(1);
        return new SimulatedJob(
                KERNEL, units, granule, List.of(KERNEL), List.of(), policy, null, 1, false, limit, List.of());
    }
    /** From calling a lane until it is at work, but for the first one, which is at work already as if it had ended the last job. */
    static final double WAKE = 30_000;
    /** What a job takes beside its devices' work. */
    static final double HOST = 10_000;

    private static final int SPLITS = 32;
    private static final int GRID = 4;
    /** Quantiles about 1, by noise. */
    private static final Map<Double, List<Double>> SCATTER = new ConcurrentHashMap<>();
    /** Found out once for all tests that ask. */
    private static final Map<Splits, Double> BEST = new ConcurrentHashMap<>();

    /** Two devices. */
    enum Bed {
        /** Alike, and they do not disturb each other. */
        EQUAL(1, 1, 1, 1, 20_000),
        /** The second is three times slower. */
        UNEQUAL(1, 1 / 3.0, 1, 1, 20_000),
        /** The first uses both cores, the second one of them: together they gain nothing. */
        CONTENDED(2, 1, 1 / 0.75, 2, 30_000),
        /** Alike, on memory that carries 1.4 times what one of them needs. */
        SHARED_MEMORY(1, 1, 2 / 1.4, 2 / 1.4, 20_000);

        private static final double LAUNCH_OF_SECOND = 5_000;

        private final double speedOfFirst; // in units a nanosecond
        private final double speedOfSecond;
        private final double slowdownOfFirst; // how many times slower it is while the other works
        private final double slowdownOfSecond;
        private final double launchOfFirst;

        Bed(
                double speedOfFirst,
                double speedOfSecond,
                double slowdownOfFirst,
                double slowdownOfSecond,
                double launchOfFirst) {
            this.speedOfFirst = speedOfFirst;
            this.speedOfSecond = speedOfSecond;
            this.slowdownOfFirst = slowdownOfFirst;
            this.slowdownOfSecond = slowdownOfSecond;
            this.launchOfFirst = launchOfFirst;
        }

        /** What a launch takes on a device. */
        double launch(int device) {
            return device == 0 ? launchOfFirst : LAUNCH_OF_SECOND;
        }

        /** Units a nanosecond of a device that nobody disturbs. */
        double speed(int device) {
            return device == 0 ? speedOfFirst : speedOfSecond;
        }

        Machine machine(Work work, double noise) {
            return Beds.machine(
                    work,
                    device(0, kernel(speed(0), launch(0), noise).withSlowdown(slowdownOfFirst)),
                    device(1, kernel(speed(1), launch(1), noise).withSlowdown(slowdownOfSecond)));
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

        private static final int PARTS = 1000;

        /** Which part of the work is in a part of the units, from the first one on. */
        private final DoubleUnaryOperator sum;

        Work(DoubleUnaryOperator sum) {
            this.sum = sum;
        }

        List<Double> profile() {
            List<Double> profile = new ArrayList<>();
            for (double i = 0; i < PARTS; i++) {
                profile.add(sum.applyAsDouble((i + 1) / PARTS) - sum.applyAsDouble(i / PARTS));
            }
            return profile;
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

        /** What it does to jobs that are submitted so far apart: the same with every policy. */
        private MachineEvent[] events(int jobs, long period, long seed) {
            List<MachineEvent> events = new ArrayList<>();
            Random random = new Random(seed);
            int burst = 0;
            int hit = 2;
            for (int i = 0; i < jobs; i++) {
                if (random.nextDouble() < bursts && burst == 0) {
                    burst = 3 + random.nextInt(25);
                    hit = random.nextInt(3);
                }
                burst = Math.max(0, burst - 1);
                double slow = 1 + 1.5 * random.nextDouble();
                for (int device = 0; device < 2; device++) {
                    double factor =
                            (1 + startUp * Math.exp(-i / 12.0)) * (burst > 0 && (hit == 2 || hit == device) ? slow : 1);
                    if (factor > 1) {
                        events.add(Series.slowed(device, factor, i * period, (i + 1) * period));
                    }
                }
            }
            return events.toArray(MachineEvent[]::new);
        }
    }

    private Beds() {}

    static String id(int device) {
        return "0." + device;
    }

    /**
     * A kernel.
     *
     * @param speed units a nanosecond
     * @param launch nanoseconds from taking a chunk until the device begins with it
     * @param noise relative scatter of both
     */
    static KernelModel kernel(double speed, double launch, double noise) {
        return new KernelModel(
                0,
                1 / speed,
                scattered(1, noise),
                0,
                1,
                new KernelModel.Launch(0, Times.NONE, 0, scattered(launch, noise), Times.NONE, Times.NONE, Times.NONE),
                KernelModel.Moves.NOTHING);
    }

    static DeviceModel device(int number, KernelModel kernel) {
        return device(number, MadeUpDevices.cpu(id(number), MadeUpDevices.POCL), kernel);
    }

    static DeviceModel device(int number, DeviceInfo device, KernelModel kernel) {
        return DeviceModel.of(device, Map.of(KERNEL, kernel)).withWake(number == 0 ? 0 : WAKE);
    }

    static Machine machine(Work work, DeviceModel... devices) {
        return new Machine(List.of(devices), Map.of(KERNEL, new KernelWork(work.profile(), HOST)));
    }

    /** About this, and now and then much more, since the disturbances of real machines are not normal. */
    private static Times scattered(double middle, double noise) {
        List<Double> quantiles = SCATTER.computeIfAbsent(noise, Beds::scatter);
        return new Times(quantiles.stream().map(q -> middle * q).toList());
    }

    private static List<Double> scatter(double noise) {
        if (noise == 0) {
            return List.of(1.0);
        }
        Random random = new Random(1);
        double[] draws = new double[63 * 200 + 1];
        for (int i = 0; i < draws.length; i++) {
            double rare = random.nextInt(50) == 0 ? 1 + 3 * noise * random.nextDouble() : 1;
            draws[i] = rare * Math.exp(noise * random.nextGaussian());
        }
        Arrays.sort(draws);
        List<Double> quantiles = new ArrayList<>();
        for (int i = 0; i < draws.length; i += 200) {
            quantiles.add(draws[i]);
        }
        return quantiles;
    }

    static Series series(Bed bed, Work work, Weather weather, Policy policy, long units, long seed) {
        return new Series(bed.machine(work, weather.noise()), policy, units, Math.max(16, units / 512), seed);
    }

    /** Median wall time of so many jobs after so many others, in this weather: the same for all policies. */
    static double median(
            Bed bed, Work work, Weather weather, Policy policy, long units, long seed, int before, int jobs) {
        Series series = series(bed, work, weather, policy, units, seed);
        return series.medianAfter(before, jobs, weather.events(before + jobs, series.period(), seed));
    }

    /** The least median that one device alone reaches. */
    static double bestSingle(Bed bed, Work work, Weather weather, long units, long seed, int jobs) {
        return Math.min(
                median(bed, work, weather, Policies.single(0), units, seed, 2, jobs),
                median(bed, work, weather, Policies.single(1), units, seed, 2, jobs));
    }

    /**
     * The least median that a static split reaches, single devices included. The time of a split rises on both sides of the
     * best one, so that a grid of every fourth, and then all around the best of those, find what trying all would.
     */
    static double bestStatic(Bed bed, Work work, Weather weather, long units, long seed, int jobs) {
        Splits splits = new Splits(bed, work, weather, units, seed, jobs);
        return BEST.computeIfAbsent(splits, Splits::best);
    }

    /** All splits of such jobs. */
    private record Splits(Bed bed, Work work, Weather weather, long units, long seed, int jobs) {
        double best() {
            double bestOfGrid = Double.POSITIVE_INFINITY;
            int at = 0;
            for (int k = GRID; k < SPLITS; k += GRID) {
                double median = median(k);
                if (median < bestOfGrid) {
                    bestOfGrid = median;
                    at = k;
                }
            }
            double best = Math.min(bestSingle(bed, work, weather, units, seed, jobs), bestOfGrid);
            for (int k = at - GRID + 1; k < at + GRID; k++) {
                if (k != at) {
                    best = Math.min(best, median(k));
                }
            }
            return best;
        }

        private double median(int k) {
            Policy split = Policies.fixed((double) k / SPLITS, 1 - (double) k / SPLITS);
            return Beds.median(bed, work, weather, split, units, seed, 2, jobs);
        }
    }
}
