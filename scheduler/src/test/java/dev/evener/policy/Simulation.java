package dev.evener.policy;

import dev.evener.DeviceInfo;
import dev.evener.Job;
import dev.evener.MadeUpDevices;
import dev.evener.history.ChunkCost;
import dev.evener.history.History;
import dev.evener.history.JobHistory;
import dev.evener.policy.Snapshot.Estimate;
import dev.evener.policy.Snapshot.LaneView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Runs jobs on a {@link Machine} as the runtime runs them on devices: the policy's plan, chunks from the front of a lane's
 * own range, theft from the back of another's, live estimates, and a history that learns. All on a virtual clock.
 */
final class Simulation {
    private static final Job JOB =
            Job.named("job").units(1).kernel("k").jvm(c -> {}).build();

    final Machine machine;
    final Policy policy;
    final JobHistory history;
    final long unitsPerGranule;

    /** Something that happens to the machine in the middle of the next job, and when. */
    Runnable change = () -> {};

    double changeAt = Double.POSITIVE_INFINITY;

    private final double[] weights;
    private final Estimate[] estimates;
    private final List<DeviceInfo> devices = new ArrayList<>();

    /** What became of one job. */
    record Result(double wall, Plan plan, int chunks, int thefts) {
        long set() {
            long set = 0;
            for (int i = 0; i < plan.shares().length; i++) {
                set |= plan.shares()[i] > 0 ? 1L << i : 0;
            }
            return set;
        }

        String reason() {
            Decision decision = plan.decision();
            return decision == null ? "" : decision.reason();
        }
    }

    Simulation(Machine machine, Policy policy, long unitsPerGranule) {
        this(machine, policy, unitsPerGranule, History.inMemory());
    }

    Simulation(Machine machine, Policy policy, long unitsPerGranule, History history) {
        this.machine = machine;
        this.policy = policy;
        this.unitsPerGranule = unitsPerGranule;
        this.weights = new double[machine.lanes()];
        Arrays.fill(weights, 1);
        this.estimates = new Estimate[machine.lanes()];
        Arrays.fill(estimates, Estimate.UNKNOWN);
        for (int i = 0; i < machine.lanes(); i++) {
            devices.add(MadeUpDevices.cpu("0." + i, MadeUpDevices.POCL));
        }
        this.history = history.of(JOB, devices);
    }

    /** Rough speeds known before anything runs. */
    Simulation withWeights(double... rough) {
        System.arraycopy(rough, 0, weights, 0, rough.length);
        return this;
    }

    /** What the devices were measured to do. */
    Simulation withEstimates(Estimate... measured) {
        System.arraycopy(measured, 0, estimates, 0, measured.length);
        return this;
    }

    /** Runs a job and learns from it. */
    Result run(long units) {
        Run run = new Run(units);
        Result result = run.run();
        boolean tells = result.plan().decided() || Long.bitCount(result.set()) == 1;
        for (int i = 0; i < weights.length; i++) {
            if (run.launches[i] > 0) {
                history.learnLaunch(0, i, run.launchSum[i] / run.launches[i]);
            }
            if (run.launches[i] > 0 && Long.bitCount(result.set()) > 1) {
                history.learnStart(0, i, run.costs[i].startNanos(), run.costs[i].tested());
            }
        }
        history.learn(
                result.set(),
                units,
                tells ? Math.round(result.wall()) : 0,
                new long[][][] {run.doneUnits},
                new long[][][] {run.doneNanos},
                run.delays);
        return result;
    }

    /** Median wall time of so many jobs after so many others. */
    double median(long units, int before, int jobs) {
        double[] walls = new double[jobs];
        for (int i = -before; i < jobs; i++) {
            double wall = run(units).wall();
            if (i >= 0) {
                walls[i] = wall;
            }
        }
        Arrays.sort(walls);
        return walls[jobs / 2];
    }

    private final class Run implements Progress {
        private final int lanes = machine.lanes();
        private final long units;
        private final long granules;
        private final Plan plan;
        private final long[] from = new long[lanes];
        private final long[] to = new long[lanes];
        private long poolFrom;
        private final boolean[] active = new boolean[lanes];

        private double now;
        private final double[] wakesAt = new double[lanes];
        private final double[] launchedAt = new double[lanes]; // when the chunk in hand begins to compute
        private final double[] startedAt = new double[lanes];
        private final double[] workLeft = new double[lanes];
        private final long[] inHand = new long[lanes]; // units
        private final ChunkCost[] costs = new ChunkCost[lanes];

        private final double[] launchSum = new double[lanes];
        private final int[] launches = new int[lanes];
        private final long[] delays = new long[lanes];
        private final int[] owner = new int[lanes]; // of the chunk in hand
        private final long[][] doneUnits = new long[lanes][lanes]; // by who did them and whose they were
        private final long[][] doneNanos = new long[lanes][lanes];
        private int chunks;
        private int thefts;

        Run(long units) {
            this.units = units;
            this.granules = (units + unitsPerGranule - 1) / unitsPerGranule;
            long all = (1L << lanes) - 1;
            Plan made = history.planned(policy, units, granules, all);
            if (made == null) {
                List<LaneView> views = new ArrayList<>();
                for (int i = 0; i < lanes; i++) {
                    views.add(new LaneView("0." + i, weights[i], history.cost(0, i, all, units), true, estimates[i]));
                }
                made = policy.plan(new Snapshot(granules, unitsPerGranule, views, history.experience(units)));
                history.remember(policy, units, granules, all, made);
            }
            plan = made;
        }

        Result run() {
            long first = 0;
            long company = 0;
            boolean someoneAwake = false;
            for (int i = 0; i < lanes; i++) {
                long share = plan.shares()[i];
                from[i] = first;
                first += share;
                to[i] = first;
                active[i] = share > 0;
                company |= active[i] ? 1L << i : 0;
                wakesAt[i] =
                        !active[i] ? Double.POSITIVE_INFINITY : someoneAwake ? machine.wakeUp * machine.jitter() : 0;
                someoneAwake |= active[i];
            }
            if (plan.sharing() == Plan.Sharing.POOLED) {
                Arrays.fill(to, 0);
                Arrays.fill(from, 0);
            }
            for (int i = 0; i < lanes; i++) {
                costs[i] = new ChunkCost();
                costs[i].expect(
                        history.cost(0, i, company, units),
                        history.launchNanos(0, i),
                        history.startNanos(0, i),
                        history.testsStart(0, i));
            }
            boolean[] busy = new boolean[lanes];
            double[] speeds = new double[lanes];
            long done = 0;
            while (done < granules) {
                if (now >= changeAt) {
                    change.run();
                    changeAt = Double.POSITIVE_INFINITY;
                }
                for (int i = 0; i < lanes; i++) {
                    busy[i] = inHand[i] > 0 && launchedAt[i] <= now;
                }
                machine.speeds(busy, speeds);
                double next = Double.POSITIVE_INFINITY;
                for (int i = 0; i < lanes; i++) {
                    if (busy[i]) {
                        next = Math.min(next, now + workLeft[i] / speeds[i]);
                    } else if (inHand[i] > 0) {
                        next = Math.min(next, launchedAt[i]);
                    } else if (wakesAt[i] > now) {
                        next = Math.min(next, wakesAt[i]);
                    } else if (active[i] && wakesAt[i] == now) {
                        next = now;
                    }
                }
                next = Math.min(next, Math.max(now, changeAt));
                double step = next - now;
                for (int i = 0; i < lanes; i++) {
                    if (busy[i]) {
                        workLeft[i] -= step * speeds[i];
                    }
                }
                now = next;
                for (int i = 0; i < lanes; i++) {
                    if (busy[i] && workLeft[i] <= 1e-6 * speeds[i]) {
                        done += finish(i);
                        take(i);
                    } else if (active[i] && wakesAt[i] <= now) {
                        wakesAt[i] = Double.POSITIVE_INFINITY;
                        take(i);
                    }
                }
            }
            return new Result(now + machine.overhead * machine.jitter(), plan, chunks, thefts);
        }

        private long finish(int lane) {
            double busy = now - launchedAt[lane];
            long did = inHand[lane];
            inHand[lane] = 0;
            doneUnits[lane][owner[lane]] += did;
            doneNanos[lane][owner[lane]] += Math.round(busy);
            chunks++;
            double launch = launchedAt[lane] - startedAt[lane];
            delays[lane] = launches[lane] == 0 ? Math.max(1, Math.round(launchedAt[lane])) : delays[lane];
            launchSum[lane] += launch;
            launches[lane]++;
            costs[lane].observe(did, busy, launch);
            return (did + unitsPerGranule - 1) / unitsPerGranule;
        }

        private void take(int lane) {
            while (true) {
                if (to[lane] > from[lane]) {
                    long size = wanted(lane, to[lane] - from[lane]);
                    begin(lane, from[lane], size);
                    from[lane] += size;
                    return;
                }
                if (plan.sharing() == Plan.Sharing.POOLED && poolFrom < granules) {
                    long size = wanted(lane, granules - poolFrom);
                    begin(lane, poolFrom, size);
                    poolFrom += size;
                    return;
                }
                int victim = plan.sharing() == Plan.Sharing.STEALING ? Stealing.victim(this, lane) : -1;
                if (victim < 0) {
                    return;
                }
                long amount = Stealing.amount(this, lane, victim);
                if (amount <= 0) {
                    return;
                }
                to[victim] -= amount;
                from[lane] = to[victim];
                to[lane] = from[lane] + amount;
                thefts++;
            }
        }

        private long wanted(int lane, long left) {
            return Math.max(1, Math.min(policy.chunk(this, lane), left));
        }

        private void begin(int lane, long firstGranule, long size) {
            double u = (double) units;
            double a = firstGranule * unitsPerGranule / u;
            double b = Math.min(u, (double) ((firstGranule + size) * unitsPerGranule)) / u;
            inHand[lane] = Math.min(units, (firstGranule + size) * unitsPerGranule) - firstGranule * unitsPerGranule;
            double waves = Math.ceil(inHand[lane] / machine.wave[lane]) * machine.wave[lane] / inHand[lane];
            double work = u * (machine.work.applyAsDouble(b) - machine.work.applyAsDouble(a)) * waves;
            workLeft[lane] = Math.max(1e-3, work * machine.jitter());
            startedAt[lane] = now;
            owner[lane] = plan.sharing() == Plan.Sharing.POOLED ? lane : owner(firstGranule);
            launchedAt[lane] = now + machine.launch[lane] * machine.jitter();
        }

        private int owner(long granule) {
            int lane = 0;
            for (long end = plan.shares()[0]; granule >= end; end += plan.shares()[lane]) {
                lane++;
            }
            return lane;
        }

        // ---- as the runtime estimates ----

        @Override
        public int lanes() {
            return lanes;
        }

        @Override
        public long granules() {
            return granules;
        }

        @Override
        public long remaining() {
            if (plan.sharing() == Plan.Sharing.POOLED) {
                return granules - poolFrom;
            }
            long sum = 0;
            for (int i = 0; i < lanes; i++) {
                sum += to[i] - from[i];
            }
            return sum;
        }

        @Override
        public long remaining(int lane) {
            return to[lane] - from[lane];
        }

        @Override
        public boolean active(int lane) {
            return active[lane];
        }

        @Override
        public double weight(int lane) {
            return weights[lane];
        }

        @Override
        public double nanosPerGranule(int lane) {
            ChunkCost cost = costs[lane];
            double perUnit =
                    inHand[lane] == 0 ? cost.nanosPerUnit() : cost.nanosPerUnit(inHand[lane], now - startedAt[lane]);
            return perUnit * unitsPerGranule;
        }

        @Override
        public double launchNanos(int lane) {
            return costs[lane].chunkNanos();
        }

        @Override
        public double busyNanos(int lane) {
            return inHand[lane] == 0 ? 0 : costs[lane].busyNanos(inHand[lane], now - startedAt[lane]);
        }
    }
}
