package dev.evener.simulation.random;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.policy.WorkProfile;
import dev.evener.simulation.DeviceModel;
import dev.evener.simulation.KernelModel;
import dev.evener.simulation.KernelWork;
import dev.evener.simulation.Machine;
import dev.evener.simulation.Times;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What was drawn of a {@link RandomCase}. The order of the draws is part of what a seed means: new ones come last. */
final class Draw {
    private static final double MOST_APART = 300;
    private static final double MOST_FIXED = 5e6;
    private static final int PARTS = 50; // of a profile
    static final List<String> KERNELS = List.of("a", "b");
    /** A lane's factors change after so many jobs. */
    private static final int STEP = 5;

    private final Random random;
    final int lanes;
    final int jobs;
    private final boolean promised;
    final Map<String, Integer> features = new TreeMap<>();
    final List<RandomCase.Lane> lanesDrawn = new ArrayList<>();

    final double[][] perUnit; // by kernel and lane
    final double[] fixed; // by lane
    final double[] wake;
    final double[] mean; // of a lane's factor
    final double[][] slow; // by job and lane
    final long[] units; // by job
    final int[] kernel; // by job
    double slowdown = 1;
    double host; // of a job's end

    @Nullable
    WorkProfile profile;

    final Machine machine;

    /** As of {@link RandomCase}. */
    Draw(long seed, int jobs, boolean promised) {
        this.random = new Random(seed * 2 + (promised ? 1 : 0));
        this.jobs = jobs;
        this.promised = promised;
        random.nextInt(); // seeds beside one another begin alike
        this.lanes = (int) Math.round(between(0.6, 16.4));
        this.fixed = new double[lanes];
        this.wake = new double[lanes];
        this.mean = new double[lanes];
        this.perUnit = new double[2][lanes];
        this.slow = new double[jobs][lanes];
        this.units = new long[jobs];
        this.kernel = new int[jobs];
        this.machine = draw();
        drawSizes();
        drawDisturbances();
    }

    private double between(double least, double most) {
        return least * Math.exp(random.nextDouble() * Math.log(most / least));
    }

    private boolean chance(double part, String feature) {
        boolean drawn = random.nextDouble() < part;
        if (drawn) {
            features.merge(feature, 1, Integer::sum);
        }
        return drawn;
    }

    private Machine draw() {
        int classes = Math.min(lanes, 1 + random.nextInt(4));
        double nanos = between(3e5, 1e8); // of a job on the fastest lane
        units[0] = Math.round(between(200, 1e6));
        double apart = between(1, MOST_APART);
        boolean two = chance(0.25, "two kernels");
        slowdown = chance(0.3, "contention") ? 1 + between(0.02, 1) / Math.max(1, lanes - 1) : 1;
        boolean uneven = chance(0.25, "uneven units");
        List<Double> densities = new ArrayList<>();
        double steep = between(2, 20);
        for (int i = 0; i < PARTS && uneven; i++) {
            densities.add(1 + (steep - 1) * Math.pow(Math.sin(Math.PI * (i + 0.5) / PARTS), 2));
        }
        profile = uneven ? WorkProfile.of(densities.stream().mapToDouble(d -> d).toArray()) : null;
        double[][] ofClass = new double[classes][];
        for (int c = 0; c < classes; c++) {
            double cost = c == 0 ? 1 : between(1, apart);
            double other = Math.exp(0.7 * random.nextGaussian());
            double told = promised ? cost * Math.exp(0.3 * random.nextGaussian()) : between(1, MOST_APART);
            ofClass[c] = new double[] {cost, other, told, between(2_000, MOST_FIXED), between(5_000, 60_000)};
        }
        List<DeviceModel> devices = new ArrayList<>();
        for (int i = 0; i < lanes; i++) {
            double[] its = ofClass[i < classes ? i : random.nextInt(classes)];
            Times factor = factor(i);
            perUnit[0][i] = its[0] * nanos / units[0];
            perUnit[1][i] = two ? perUnit[0][i] * its[1] : perUnit[0][i];
            fixed[i] = its[3];
            wake[i] = its[4];
            Map<String, KernelModel> kernels = new HashMap<>();
            for (int k = 0; k < (two ? 2 : 1); k++) {
                kernels.put(KERNELS.get(k), kernel(fixed[i], perUnit[k][i], factor));
            }
            DeviceInfo device = device(i, its);
            devices.add(DeviceModel.of(device, kernels).withWake(wake[i]).withAhead(random.nextInt(2)));
            List<Double> unit = new ArrayList<>();
            for (int k = 0; k < kernels.size(); k++) {
                unit.add(perUnit[k][i] * mean[i]);
            }
            lanesDrawn.add(new RandomCase.Lane(device.id(), fixed[i], wake[i], unit, device.roughSpeed()));
        }
        for (int job = 0; job < jobs; job++) {
            kernel[job] = two ? job % 2 : 0;
        }
        Map<String, KernelWork> work = new HashMap<>();
        host = between(1_000, 50_000);
        for (String name : KERNELS) {
            work.put(name, new KernelWork(densities, host));
        }
        return new Machine(devices, work);
    }

    /** Half of what a chunk takes whatever its size is in the kernel, the rest before the device begins. */
    private KernelModel kernel(double fixedNanos, double nanosPerUnit, Times factor) {
        return new KernelModel(
                        fixedNanos / 2,
                        nanosPerUnit,
                        factor,
                        0,
                        slowdown,
                        KernelModel.Launch.AT_ONCE,
                        KernelModel.Moves.NOTHING)
                .withLaunch(fixedNanos / 10, fixedNanos * 0.3, fixedNanos / 10);
    }

    private static DeviceInfo device(int lane, double[] its) {
        int megahertz = (int) Math.max(1, Math.round(1e6 / its[2]));
        String name = String.format(Locale.ROOT, "made up %.3f", its[3]);
        return new DeviceInfo(
                "0." + lane,
                "made up",
                name,
                DeviceKind.CPU,
                "1.0",
                16,
                1L << 34,
                1L << 32,
                64,
                64,
                1,
                megahertz,
                true,
                "device " + lane);
    }

    /** By which a chunk differs from what it should take. */
    private Times factor(int lane) {
        double noise = between(0.01, 0.2);
        boolean tail = chance(0.1, "a tail");
        boolean twoSpeeds = chance(0.07, "two speeds");
        double other = between(1.5, 3);
        double[] draws = new double[64];
        for (int i = 0; i < draws.length; i++) {
            double part = (i + 0.5) / draws.length;
            boolean slower = twoSpeeds && part > 0.75;
            draws[i] = Math.exp(noise * gaussian(part)) * (slower ? other : 1) * (tail && i == 63 ? between(3, 10) : 1);
        }
        Arrays.sort(draws);
        double sum = 0;
        for (int i = 0; i < draws.length; i++) {
            sum += draws[i] / (draws.length - 1) * (i == 0 || i == draws.length - 1 ? 0.5 : 1);
        }
        mean[lane] = sum;
        return new Times(Arrays.stream(draws).boxed().toList());
    }

    /** The normal distribution's quantile, by the logistic one (Tocher, 1963), which is near enough here. */
    private static double gaussian(double part) {
        return Math.log(part / (1 - part)) / 1.702;
    }

    private void drawSizes() {
        boolean change = chance(0.3, "sizes change");
        boolean jump = !change && chance(0.2, "a hundredfold at once");
        boolean grows = random.nextBoolean();
        double range = between(2, 30);
        long base = units[0];
        for (int job = 0; job < jobs; job++) {
            double factor = change ? between(1, range) : 1;
            boolean large = jump && (job >= jobs / 2) == grows;
            units[job] = Math.max(lanes, Math.round(base * factor * (large ? 100 : 1)));
        }
    }

    private void drawDisturbances() {
        for (double[] each : slow) {
            Arrays.fill(each, 1);
        }
        for (int lane = 0; lane < lanes; lane++) {
            boolean disturbed = chance(0.07, "disturbed");
            boolean drifts = chance(0.1, "drift");
            double part = between(0.05, 0.25);
            double by = between(1.5, 5);
            double swing = between(1.2, 3);
            double period = between(60, 600);
            for (int from = 0; from < jobs; from += STEP) {
                double now = drifts ? Math.pow(swing, (1 - Math.cos(2 * Math.PI * from / period)) / 2) : 1;
                now *= disturbed && random.nextDouble() < part ? by : 1;
                for (int job = from; job < Math.min(jobs, from + STEP); job++) {
                    slow[job][lane] = now;
                }
            }
        }
    }

    /** What the lanes take for a job. */
    BestSplit costs(int job) {
        double[] cost = new double[lanes];
        double[] late = new double[lanes];
        for (int lane = 0; lane < lanes; lane++) {
            cost[lane] = perUnit[kernel[job]][lane] * mean[lane] * slow[job][lane];
            late[lane] = wake[lane] + fixed[lane] * (0.5 + 0.5 * slow[job][lane] * mean[lane]);
        }
        return new BestSplit(cost, late, units[job], slowdown, host, profile);
    }
}
