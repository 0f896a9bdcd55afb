package dev.evener.workloads.random;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.policy.WorkProfile;
import dev.evener.simulation.DeviceModel;
import dev.evener.simulation.KernelModel;
import dev.evener.simulation.KernelWork;
import dev.evener.simulation.Machine;
import dev.evener.simulation.Times;
import dev.evener.workloads.random.Ranges.Some;
import dev.evener.workloads.random.Ranges.Span;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What was drawn of a {@link RandomCase}. The order of the draws is part of what a seed means: what was thought of later has random numbers
 * of its own.
 */
final class Draw {
    private static final int PARTS = 50; // of a profile
    static final List<String> KERNELS = List.of("a", "b", "c", "d", "e", "f");
    /** A lane's factors change after so many jobs. */
    private static final int STEP = 5;

    private final Ranges ranges;
    private final Random random;
    private final Random later;
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
    final long[][] late; // nanoseconds, by job and lane
    final long[] units; // by job
    long granule = 1;
    final int[] kernel; // by job
    double slowdown = 1;
    double host; // of a job's end
    private double nanos; // of the first job on the fastest lane, if all are as large
    private double nanosPerUnit; // there

    @Nullable
    WorkProfile profile;

    final Machine machine;

    /** As of {@link RandomCase}. */
    Draw(long seed, int jobs, boolean promised, Ranges ranges) {
        this.ranges = ranges;
        this.random = new Random(seed * 2 + (promised ? 1 : 0));
        this.later = new Random(~(seed * 2 + (promised ? 1 : 0)));
        this.jobs = jobs;
        this.promised = promised;
        random.nextInt(); // seeds beside one another begin alike
        later.nextInt();
        this.lanes = (int) Math.round(between(ranges.machine().lanes()));
        this.fixed = new double[lanes];
        this.wake = new double[lanes];
        this.mean = new double[lanes];
        this.perUnit = new double[Ranges.KERNELS][lanes];
        this.slow = new double[jobs][lanes];
        this.late = new long[jobs][lanes];
        this.units = new long[jobs];
        this.kernel = new int[jobs];
        this.machine = draw();
        drawSizes();
        drawDisturbances();
    }

    private double between(Span span) {
        return between(random, span);
    }

    private static double between(Random from, Span span) {
        return span.least() * Math.exp(from.nextDouble() * Math.log(span.most() / span.least()));
    }

    private boolean has(Some feature, String name) {
        return has(random, feature.part(), name);
    }

    private boolean has(Random from, double part, String name) {
        boolean drawn = from.nextDouble() < part;
        if (drawn) {
            features.merge(name, 1, Integer::sum);
        }
        return drawn;
    }

    /** A class of devices. */
    private record Kind(
            double cost, List<Double> ratios, double told, double fixedNanos, double wakeNanos, double unlike) {}

    private Machine draw() {
        Ranges.OfJobs of = ranges.jobs();
        int classes = Math.min(lanes, 1 + random.nextInt(ranges.machine().classes()));
        nanos = between(of.nanos());
        units[0] = Math.round(between(of.units()));
        nanosPerUnit = nanos / units[0];
        double apart = between(new Span(1, ranges.machine().apart()));
        int kernels = kernels(of.kernels());
        boolean contention = has(ranges.machine().contention(), "contention");
        double others = Math.max(1, lanes - 1);
        slowdown = contention
                ? 1 + Math.min(others, between(ranges.machine().contention().by())) / others
                : 1;
        List<Double> densities = densities(of);
        profile = densities.isEmpty()
                ? null
                : WorkProfile.of(densities.stream().mapToDouble(d -> d).toArray());
        boolean tails = has(later, ranges.machine().tails(), "tails everywhere");
        Kind[] kinds = new Kind[classes];
        for (int c = 0; c < classes; c++) {
            kinds[c] = kind(c == 0 ? 1 : between(new Span(1, apart)), kernels);
        }
        List<DeviceModel> devices = new ArrayList<>();
        for (int i = 0; i < lanes; i++) {
            devices.add(device(i, kinds[i < classes ? i : random.nextInt(classes)], kernels, tails));
        }
        for (int job = 0; job < jobs; job++) {
            kernel[job] = job % kernels;
        }
        Map<String, KernelWork> work = new HashMap<>();
        host = between(new Span(1_000, 50_000));
        for (String name : KERNELS.subList(0, Math.max(2, kernels))) {
            work.put(name, new KernelWork(densities, host));
        }
        return new Machine(devices, work);
    }

    private int kernels(Some several) {
        if (random.nextDouble() >= several.part()) {
            return 1;
        }
        int number = (int) Math.round(between(later, several.by()));
        features.put(number == 2 ? "two kernels" : number + " kernels", 1);
        return number;
    }

    /** How dear units are, in each of equal parts of the index space; empty if they are alike. */
    private List<Double> densities(Ranges.OfJobs of) {
        boolean uneven = has(of.uneven(), "uneven units");
        double steep = between(of.uneven().by());
        Ranges.Shape shape = of.shapes().get(later.nextInt(of.shapes().size()));
        double[] part = new double[PARTS]; // of what the dearest costs more than the cheapest
        int place = 1 + later.nextInt(PARTS - 1);
        boolean before = later.nextBoolean();
        for (int i = 0; i < PARTS; i++) {
            part[i] = switch (shape) {
                case WAVE -> Math.pow(Math.sin(Math.PI * (i + 0.5) / PARTS), 2);
                case STEP -> i < place == before ? 1 : 0;
                case SPIKES -> i == place ? 1 : 0;
            };
        }
        for (int more = later.nextInt(3); more > 0 && shape == Ranges.Shape.SPIKES; more--) {
            part[later.nextInt(PARTS)] = 1;
        }
        if (uneven && shape != Ranges.Shape.WAVE) {
            features.put(shape == Ranges.Shape.STEP ? "a step" : "spikes", 1);
        }
        List<Double> densities = new ArrayList<>();
        for (int i = 0; i < PARTS && uneven; i++) {
            densities.add(1 + (steep - 1) * part[i]);
        }
        return densities;
    }

    /** @param cost of a unit of the first kernel, over that of the first class */
    private Kind kind(double cost, int kernels) {
        Ranges.OfDevice of = ranges.device();
        List<Double> ratios = new ArrayList<>(List.of(1.0));
        for (int k = 1; k < Math.max(2, kernels); k++) {
            ratios.add(Math.exp(0.7 * (k == 1 ? random : later).nextGaussian()));
        }
        double told = promised
                ? cost * Math.exp(of.promise() * random.nextGaussian())
                : between(new Span(1, ranges.machine().apart()));
        double usual = between(of.fixedNanos());
        double wakes = between(of.wakeNanos());
        boolean unfixed = has(later, of.unfixed().part(), "classes without fixed cost");
        double least = between(later, of.unfixed().by());
        boolean unlike = has(later, of.unlike().part(), "classes of unlike devices");
        double spread = between(later, of.unlike().by());
        return new Kind(cost, ratios, told, unfixed ? least : usual, wakes, unlike ? spread : 0);
    }

    private DeviceModel device(int lane, Kind kind, int kernels, boolean tails) {
        Times factor = factor(lane, tails);
        double own = Math.exp(kind.unlike * later.nextGaussian());
        boolean slower = has(later, ranges.lane().slower().part(), "slower than promised");
        double times = between(later, ranges.lane().slower().by());
        fixed[lane] = kind.fixedNanos;
        wake[lane] = kind.wakeNanos;
        Map<String, KernelModel> models = new HashMap<>();
        List<Double> unit = new ArrayList<>();
        for (int k = 0; k < kernels; k++) {
            perUnit[k][lane] = kind.cost * nanos / units[0] * kind.ratios.get(k) * (own * (slower ? times : 1));
            models.put(KERNELS.get(k), kernel(fixed[lane], perUnit[k][lane], factor));
            unit.add(perUnit[k][lane] * mean[lane]);
        }
        DeviceInfo device = device(lane, kind);
        lanesDrawn.add(new RandomCase.Lane(device.id(), fixed[lane], wake[lane], unit, device.roughSpeed()));
        return DeviceModel.of(device, models).withWake(wake[lane]).withAhead(random.nextInt(2));
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

    private static DeviceInfo device(int lane, Kind kind) {
        int megahertz = (int) Math.max(1, Math.round(1e6 / kind.told));
        String name = String.format(Locale.ROOT, "made up %.3f", kind.fixedNanos);
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
    private Times factor(int lane, boolean tails) {
        Ranges.OfLane of = ranges.lane();
        double noise = between(of.noise());
        boolean tail = has(of.tail(), "a tail") || tails;
        boolean twoSpeeds = has(of.twoSpeeds(), "two speeds");
        double other = between(of.twoSpeeds().by());
        double[] draws = new double[64];
        for (int i = 0; i < draws.length; i++) {
            double part = (i + 0.5) / draws.length;
            boolean slower = twoSpeeds && part > 0.75;
            draws[i] = Math.exp(noise * gaussian(part)) * (slower ? other : 1);
            draws[i] *= tail && i == 63 ? between(of.tail().by()) : 1;
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
        Ranges.OfJobs of = ranges.jobs();
        boolean change = has(of.sizes(), "sizes change");
        boolean jump = !change && random.nextDouble() < of.jump().part();
        boolean grows = random.nextBoolean();
        double range = between(of.sizes().by());
        Span within = of.within();
        double most = within == null ? Double.MAX_VALUE : Math.max(1, within.most() / nanos);
        double least = within == null ? 1 : Math.min(1, Math.max(1 / range, within.least() / nanos));
        Span sizes = new Span(least, Math.min(range, most));
        double times = Math.min(most, between(later, of.jump().by()));
        if (jump) {
            features.put(times == 100 ? "a hundredfold at once" : "a jump in size", 1);
        }
        boolean coarse = has(later, of.granules().part(), "coarse granules");
        double granules = Math.rint(between(later, of.granules().by()));
        long base = units[0];
        granule = coarse ? Math.max(1, (long) (base / granules)) : 1;
        for (int job = 0; job < jobs; job++) {
            double factor = change ? between(sizes) : 1;
            boolean large = jump && (job >= jobs / 2) == grows;
            long any = Math.max(lanes, Math.round(base * factor * (large ? times : 1)));
            units[job] = Math.max(1, any / granule) * granule;
        }
    }

    private void drawDisturbances() {
        Ranges.OfLane of = ranges.lane();
        for (double[] each : slow) {
            Arrays.fill(each, 1);
        }
        for (int lane = 0; lane < lanes; lane++) {
            boolean disturbed = has(of.disturbed(), "disturbed");
            boolean drifts = has(of.drift(), "drift");
            double part = between(of.disturbedPart());
            double by = between(of.disturbed().by());
            double swing = between(of.drift().by());
            double period = between(of.driftJobs());
            for (int from = 0; from < jobs; from += STEP) {
                double now = drifts ? Math.pow(swing, (1 - Math.cos(2 * Math.PI * from / period)) / 2) : 1;
                now *= disturbed && random.nextDouble() < part ? by : 1;
                for (int job = from; job < Math.min(jobs, from + STEP); job++) {
                    slow[job][lane] = now;
                }
            }
            boolean comesLate = has(later, of.late().part(), "late at first");
            double lateBy = nanosPerUnit * between(later, of.late().by());
            long jobsLate = Math.round(between(later, of.lateJobs()));
            for (int job = 0; job < Math.min(jobs, jobsLate) && comesLate; job++) {
                late[job][lane] = Math.round(units[job] * lateBy);
            }
        }
    }

    /** What the lanes take for a job. */
    BestSplit costs(int job) {
        double[] cost = new double[lanes];
        double[] before = new double[lanes];
        for (int lane = 0; lane < lanes; lane++) {
            cost[lane] = perUnit[kernel[job]][lane] * mean[lane] * slow[job][lane];
            before[lane] = wake[lane] + fixed[lane] * (0.5 + 0.5 * slow[job][lane] * mean[lane]);
        }
        return new BestSplit(cost, before, units[job], granule, slowdown, host, profile);
    }
}
