package dev.evener.simulation.policy;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.MadeUpDevices;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.simulation.DeviceModel;
import dev.evener.simulation.KernelModel;
import dev.evener.simulation.KernelWork;
import dev.evener.simulation.Machine;
import dev.evener.simulation.MachineEvent;
import dev.evener.simulation.Times;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;

/**
 * What learning costs: times of jobs under a policy over those of an oracle that knows the machine and cuts every job by the best
 * static split, on simulated machines of one to eight lanes. {@link #main} prints docs/results/learning.csv; seeded, so
 * that it is the same every time.
 */
final class Regret {
    static final long UNITS = 2_000;
    private static final String KERNEL = "k";
    /** From calling a lane until it is at work, but for the first one. */
    static final double WAKE = 30_000;
    /** What a job takes beside its devices' work. */
    private static final double HOST = 10_000;

    /**
     * A machine.
     *
     * @param name what it is called
     * @param perUnit nanoseconds of a unit on each lane
     * @param launch nanoseconds of a chunk before its device begins
     * @param gpus which lanes are GPUs, as a bit mask; GPUs are alike, and so are CPUs
     * @param slowdown how many times slower a lane is while one other works; two slow it twice as much
     * @param wave units that GPUs work on at once; 0 for none
     * @param work what units cost along the index space: the part of the work in a part of the units
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Scenario(
            String name,
            double[] perUnit,
            double[] launch,
            int gpus,
            double slowdown,
            long wave,
            DoubleUnaryOperator work) {

        static Scenario of(String name, double[] perUnit, double launch, int gpus, double slowdown) {
            double[] launches = new double[perUnit.length];
            Arrays.fill(launches, launch);
            return new Scenario(name, perUnit, launches, gpus, slowdown, 0, u -> u);
        }

        Scenario withWork(String other, DoubleUnaryOperator sum) {
            return new Scenario(other, perUnit, launch, gpus, slowdown, wave, sum);
        }

        int lanes() {
            return perUnit.length;
        }

        /** What a job takes on one lane, but for noise. */
        double alone(int lane) {
            return perUnit[lane] * UNITS + launch[lane] + (lane == 0 ? 0 : WAKE);
        }

        Machine machine(double noise) {
            List<DeviceModel> devices = new ArrayList<>();
            for (int i = 0; i < perUnit.length; i++) {
                boolean gpu = (gpus >>> i & 1) == 1;
                DeviceInfo info = MadeUpDevices.device(
                        "0." + i,
                        MadeUpDevices.POCL,
                        gpu ? "gpu" : "cpu",
                        gpu ? DeviceKind.GPU : DeviceKind.CPU,
                        128,
                        64,
                        16,
                        "device " + i);
                KernelModel kernel = new KernelModel(
                                0,
                                perUnit[i],
                                scattered(1, noise),
                                gpu ? wave : 0,
                                slowdown,
                                KernelModel.Launch.AT_ONCE,
                                KernelModel.Moves.NOTHING)
                        .withLaunch(new KernelModel.Launch(
                                0, Times.NONE, 0, scattered(launch[i], noise), Times.NONE, Times.NONE, Times.NONE));
                devices.add(DeviceModel.of(info, Map.of(KERNEL, kernel)).withWake(i == 0 ? 0 : WAKE));
            }
            List<Double> profile = new ArrayList<>();
            for (double i = 0; i < 500; i++) {
                profile.add(work.applyAsDouble((i + 1) / 500) - work.applyAsDouble(i / 500));
            }
            return new Machine(devices, Map.of(KERNEL, new KernelWork(profile, HOST)));
        }

        /** Shares of the work by which these lanes finish together, as the machine is while {@code slow} lanes are slower. */
        double[] shares(long set, double[] slow) {
            double[] cost = new double[lanes()];
            long in = set;
            while (true) {
                int others = Long.bitCount(in) - 1;
                double rate = 0;
                double late = 0;
                for (int i = 0; i < cost.length; i++) {
                    if ((in >>> i & 1) == 1) {
                        cost[i] = perUnit[i] * slow[i] * (1 + (slowdown - 1) * others);
                        rate += 1 / cost[i];
                        late += (launch[i] * slow[i] + (i == 0 ? 0 : WAKE)) / cost[i];
                    }
                }
                double time = (UNITS + late) / rate;
                int last = -1;
                for (int i = 0; i < cost.length; i++) {
                    double fixed = launch[i] * slow[i] + (i == 0 ? 0 : WAKE);
                    if ((in >>> i & 1) == 1 && fixed >= time) {
                        last = i;
                    }
                }
                if (last < 0) {
                    double[] shares = new double[cost.length];
                    for (int i = 0; i < cost.length; i++) {
                        shares[i] = (in >>> i & 1) == 1
                                ? Math.max(0, time - launch[i] * slow[i] - (i == 0 ? 0 : WAKE)) / cost[i]
                                : 0;
                    }
                    return shares;
                }
                in &= ~(1L << last);
            }
        }
    }

    /** Sixteen machines, from one lane to eight. */
    static List<Scenario> scenarios() {
        DoubleUnaryOperator middle = u -> u * u * (3 - 2 * u);
        DoubleUnaryOperator steep = u -> u < 0.35 ? 0.9 * u / 0.35 : 0.9 + 0.1 * (u - 0.35) / 0.65;
        List<Scenario> list = new ArrayList<>(List.of(
                Scenario.of("one", new double[] {1_000}, 30_000, 0, 1),
                Scenario.of("two equal", new double[] {1_000, 1_000}, 30_000, 0, 1.05),
                Scenario.of("two equal, launches of 5 µs", new double[] {100, 100}, 5_000, 0, 1.05),
                Scenario.of("two that hinder each other", new double[] {1_000, 1_000}, 30_000, 0, 2.3),
                Scenario.of("second three times slower", new double[] {1_000, 3_000}, 30_000, 0b10, 1.05),
                new Scenario(
                        "CPU + GPU, short jobs",
                        new double[] {130, 100},
                        new double[] {50_000, 100_000},
                        0b10,
                        1.2,
                        0,
                        u -> u),
                new Scenario(
                        "CPU + GPU, long jobs",
                        new double[] {10_000, 7_000},
                        new double[] {60_000, 300_000},
                        0b10,
                        1.15,
                        0,
                        u -> u),
                new Scenario(
                        "CPU + GPU in waves",
                        new double[] {10_000, 2_500},
                        new double[] {60_000, 100_000},
                        0b10,
                        1.05,
                        128,
                        u -> u),
                new Scenario(
                        "GPU 30 times faster",
                        new double[] {30_000, 1_000},
                        new double[] {60_000, 100_000},
                        0b10,
                        1.02,
                        0,
                        u -> u),
                Scenario.of("four GPUs", new double[] {10_000, 10_000, 10_000, 10_000}, 100_000, 0b1111, 1.02),
                Scenario.of("four GPUs, short jobs", new double[] {100, 100, 100, 100}, 100_000, 0b1111, 1.02),
                new Scenario(
                        "CPU + four GPUs",
                        new double[] {40_000, 10_000, 10_000, 10_000, 10_000},
                        new double[] {60_000, 1e5, 1e5, 1e5, 1e5},
                        0b11110,
                        1.03,
                        0,
                        u -> u),
                Scenario.of(
                        "eight GPUs", new double[] {1e4, 1e4, 1e4, 1e4, 1e4, 1e4, 1e4, 1e4}, 100_000, 0b11111111, 1.01),
                Scenario.of("two equal, launches of 1 ms", new double[] {20_000, 20_000}, 1_000_000, 0, 1.05)));
        list.add(list.get(4).withWork("unequal, dear in the middle", middle));
        list.add(list.get(1).withWork("equal, dear at the beginning", steep));
        list.add(list.get(9).withWork("four GPUs, dear in the middle", middle));
        return list;
    }

    private static Times scattered(double middle, double noise) {
        Random random = new Random(1);
        double[] draws = new double[63 * 100 + 1];
        for (int i = 0; i < draws.length; i++) {
            draws[i] = middle * Math.exp(noise * random.nextGaussian());
        }
        Arrays.sort(draws);
        List<Double> quantiles = new ArrayList<>();
        for (int i = 0; i < draws.length; i += 100) {
            quantiles.add(draws[i]);
        }
        return new Times(quantiles);
    }

    /** Times of jobs over the oracle's. */
    static double[] run(Scenario scenario, double noise, Policy policy, int jobs, long seed) {
        Series series = new Series(scenario.machine(noise), policy, UNITS, 1, seed);
        double oracle = Oracle.bestStatic(scenario, noise, none(scenario));
        return series.run(jobs).stream().mapToDouble(d -> d.wall() / oracle).toArray();
    }

    static double[] none(Scenario scenario) {
        double[] slow = new double[scenario.lanes()];
        Arrays.fill(slow, 1);
        return slow;
    }

    /** The same, while a lane is {@code factor} times slower from one job to another. */
    static double[] slowed(
            Scenario scenario,
            double noise,
            Policy policy,
            int jobs,
            int lane,
            double factor,
            int from,
            int to,
            long seed) {
        Series series = new Series(scenario.machine(noise), policy, UNITS, 1, seed);
        double[] slow = none(scenario);
        double usual = Oracle.bestStatic(scenario, noise, slow.clone());
        slow[lane] = factor;
        double worse = Oracle.bestStatic(scenario, noise, slow);
        List<Series.Done> done =
                series.run(jobs, Series.slowed(lane, factor, from * series.period(), to * series.period()));
        double[] over = new double[jobs];
        for (int i = 0; i < jobs; i++) {
            over[i] = done.get(i).wall() / (i >= from && i < to ? worse : usual);
        }
        return over;
    }

    /** The same, while one job in a hundred begins a burst in which a lane is three times slower for two to five jobs. */
    static double[] bursts(Scenario scenario, double noise, Policy policy, int jobs, long seed) {
        Series series = new Series(scenario.machine(noise), policy, UNITS, 1, seed);
        Random random = new Random(seed);
        List<MachineEvent> events = new ArrayList<>();
        for (int lane = 0; lane < scenario.lanes(); lane++) {
            for (int i = 0; i < jobs; i++) {
                if (random.nextInt(100) == 0) {
                    int end = i + 2 + random.nextInt(4);
                    events.add(Series.slowed(lane, 3, i * series.period(), end * series.period()));
                    i = end;
                }
            }
        }
        double oracle = Oracle.bestStatic(scenario, noise, none(scenario));
        return series.run(jobs, events.toArray(MachineEvent[]::new)).stream()
                .mapToDouble(d -> d.wall() / oracle)
                .toArray();
    }

    static double mean(double[] values, int from, int to) {
        return Arrays.stream(values, from, to).average().orElseThrow();
    }

    /**
     * Prints the table.
     *
     * @param arguments names of policies; {@code adaptive} if there is none
     */
    public static void main(String[] arguments) {
        int jobs = Integer.getInteger("jobs", 2000);
        int seeds = Integer.getInteger("seeds", 3);
        for (String name : arguments.length == 0 ? new String[] {"adaptive"} : arguments) {
            Policy policy = Policies.named(name);
            System.out.printf(
                    "%-31s noise  first 30  first 100  settled   worst  single  slowed 4x: all  30 after  bursts%n",
                    name);
            List<Double> first = new ArrayList<>();
            List<Double> settledAll = new ArrayList<>();
            for (double noise : new double[] {0.02, 0.1, 0.3}) {
                for (Scenario each : scenarios()) {
                    double[] columns = new double[4];
                    double worst = 0;
                    for (int seed = 1; seed <= seeds; seed++) {
                        double[] over = run(each, noise, policy, jobs, seed);
                        double settled = mean(over, 100, jobs);
                        columns[0] += mean(over, 0, 30) / seeds;
                        columns[1] += mean(over, 0, 100) / seeds;
                        columns[2] += settled / seeds;
                        worst = Math.max(worst, settled);
                    }
                    first.add(columns[1]);
                    settledAll.add(columns[2]);
                    double[] slowed = noise == 0.3 || each.lanes() == 1
                            ? new double[1200]
                            : slowed(each, noise, policy, 1200, 1, 4, 300, 700, 1);
                    double[] bursts = noise == 0.3 ? new double[1000] : bursts(each, noise, policy, 1000, 1);
                    System.out.printf(
                            Locale.ROOT,
                            "%-31s %5.2f  %8.3f  %9.3f  %7.3f  %6.3f  %14.3f  %4.2f %4.2f  %6.3f%n",
                            each.name(),
                            noise,
                            columns[0],
                            columns[1],
                            columns[2],
                            worst,
                            mean(slowed, 0, 1200),
                            mean(slowed, 300, 330),
                            mean(slowed, 700, 730),
                            mean(bursts, 0, 1000));
                }
            }
            first.sort(null);
            settledAll.sort(null);
            System.out.printf(
                    Locale.ROOT,
                    "first 100: median %.3f, worst %.3f; settled: median %.3f, worst %.3f%n",
                    first.get(first.size() / 2),
                    first.get(first.size() - 1),
                    settledAll.get(settledAll.size() / 2),
                    settledAll.get(settledAll.size() - 1));
        }
    }
}
