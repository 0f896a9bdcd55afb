package dev.evener.workloads.random;

import dev.evener.History;
import dev.evener.event.RunListener;
import dev.evener.policy.Plan;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import dev.evener.simulation.Machine;
import dev.evener.simulation.MachineEvent;
import dev.evener.simulation.SimulatedJob;
import dev.evener.simulation.Simulator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A machine and a series of jobs on it, drawn at random, and the best static split of each job. What is drawn is in {@link Ranges}; of
 * the usual ones:
 *
 * <ul>
 *   <li>1 to 16 lanes of 1 to 4 classes of devices, whose speeds are up to 1:300 apart; a job takes the fastest lane
 *       0.3 to 100 ms, and has 200 to 1,000,000 units;
 *   <li>fixed costs of a chunk, 2 µs to 5 ms, and times to wake a lane, 5 to 60 µs; noise of 1 to 20 %;
 *   <li>of a lane: a tail (one chunk in 64 takes 3 to 10 times as long), two speeds (a quarter of the chunks take 1.5 to 3 times as long),
 *       disturbances (1.5 to 5 times as slow in 5 to 25 % of the jobs), drift (a wave of 1.2 to 3 times, 60 to 600 jobs long);
 *   <li>of all: two kernels in turn, lanes that slow one another, uneven units, sizes that change from job to job by up to 2 to 30 times,
 *       or once by a hundred times in mid-series.
 * </ul>
 *
 * <p>The same seed, number of jobs, promise and ranges draw the same. For one thread; two cases share nothing.
 */
public final class RandomCase {
    /** From one job to the next, in nanoseconds: more than any of them should take. */
    private static final long PERIOD = 1_000_000_000_000L;

    private final long seed;
    private final int jobs;
    private final boolean promised;
    private final Ranges ranges;
    private final Draw drawn;
    private final int lanes;
    private final Map<String, double[]> splits = new HashMap<>(); // by size, kernel and lanes' factors
    private double @Nullable [] oracle;

    /** Draws one from {@link Ranges#KIND}. */
    public RandomCase(long seed, int jobs, boolean promised) {
        this(seed, jobs, promised, Ranges.KIND);
    }

    /**
     * Draws one.
     *
     * @param seed what random numbers begin with
     * @param jobs how many, at least 1
     * @param promised whether devices are about as fast as clock and units say, of the usual ones within a factor of 1.35 (one standard
     *     deviation); else what they say has nothing to do with what they are
     * @param ranges from which it is drawn
     * @throws IllegalArgumentException if there is no job
     */
    public RandomCase(long seed, int jobs, boolean promised, Ranges ranges) {
        if (jobs < 1) {
            throw new IllegalArgumentException("jobs is " + jobs + ", not at least 1");
        }
        this.seed = seed;
        this.jobs = jobs;
        this.promised = promised;
        this.ranges = ranges;
        this.drawn = new Draw(seed, jobs, promised, ranges);
        this.lanes = drawn.lanes;
    }

    // ---- what it is ----

    /**
     * A lane as it was drawn.
     *
     * @param device its id
     * @param fixedNanos that a chunk takes whatever its size
     * @param wakeNanos from when the lane is called until it takes its first chunk
     * @param nanosPerUnit of each kernel, on average over chunks and while nothing disturbs it: one figure for each
     * @param promise how fast the device says that it is, as clock times units
     */
    public record Lane(String device, double fixedNanos, double wakeNanos, List<Double> nanosPerUnit, double promise) {
        public Lane {
            nanosPerUnit = List.copyOf(nanosPerUnit);
        }
    }

    /** What was drawn, for people, in one line. */
    public String text() {
        return "seed " + seed + (ranges.equals(Ranges.KIND) ? "" : ", unkind")
                + (promised ? "" : ", devices not as promised") + ": " + lanes + (lanes == 1 ? " lane, " : " lanes, ")
                + drawn.features;
    }

    /** What it has of what only some have, in the order of the names, and how often: of lanes, or classes of devices, how many have it. */
    public Map<String, Integer> features() {
        return Collections.unmodifiableMap(drawn.features);
    }

    /** Its lanes, in the order of the machine's devices. */
    public List<Lane> lanes() {
        return List.copyOf(drawn.lanesDrawn);
    }

    /** Its machine. */
    public Machine machine() {
        return drawn.machine;
    }

    // ---- what is run ----

    /**
     * Runs the jobs under a policy, each when the one before has long ended.
     *
     * @param history that decides and learns
     * @param listeners who is told of all that happens, on this thread
     * @return what became of each job, in order
     */
    public List<Simulator.Outcome> run(Policy policy, History history, RunListener... listeners) {
        return run(seed, Collections.nCopies(jobs, policy), history, true, listeners);
    }

    /**
     * The same with other random times of chunks, for a policy that begins with no history.
     *
     * @param noise what these times begin with
     */
    public List<Simulator.Outcome> run(Policy policy, long noise, RunListener... listeners) {
        return run(noise, Collections.nCopies(jobs, policy), History.inMemory(), true, listeners);
    }

    /** @param late whether chunks are late that were drawn to be */
    private List<Simulator.Outcome> run(
            long noise, List<Policy> policies, History history, boolean late, RunListener... listeners) {
        Simulator simulator = new Simulator(drawn.machine).seed(noise).history(history);
        for (RunListener each : listeners) {
            simulator.listener(each);
        }
        for (int job = 0; job < jobs; job++) {
            for (int lane = 0; lane < lanes; lane++) {
                boolean changed = drawn.slow[job][lane] != (job == 0 ? 1 : drawn.slow[job - 1][lane]);
                if (changed) {
                    simulator.event(new MachineEvent(
                            "0." + lane,
                            MachineEvent.Kind.SLOWED,
                            job * PERIOD,
                            Long.MAX_VALUE,
                            drawn.slow[job][lane]));
                }
                if (late && drawn.late[job][lane] > 0) {
                    long at = job * PERIOD;
                    simulator.event(
                            new MachineEvent("0." + lane, MachineEvent.Kind.LATE, at, at + drawn.late[job][lane], 1));
                }
            }
            String kernel = Draw.KERNELS.get(drawn.kernel[job]);
            simulator.submit(SimulatedJob.of(kernel, drawn.units[job], drawn.granule, policies.get(job))
                    .at(job * PERIOD + 1));
        }
        return simulator.run();
    }

    /**
     * Times of the jobs over what the best static split takes on average: 1 is as good, 2 takes twice as long.
     *
     * @param policy that begins with no history; null for the oracle's shares, cut into chunks and stolen as by the default policy,
     *     which is what deciding could reach at best
     * @param listeners who is told of all that happens in the policy's jobs, on this thread
     * @return one for each job, in order
     * @throws IllegalStateException if a job failed
     */
    public double[] over(@Nullable Policy policy, RunListener... listeners) {
        double[] oracle = oracle();
        List<Policy> policies = policy != null
                ? Collections.nCopies(jobs, policy)
                : IntStream.range(0, jobs).mapToObj(this::withOraclesShares).toList();
        List<Simulator.Outcome> outcomes = run(seed, policies, History.inMemory(), true, listeners);
        return IntStream.range(0, jobs)
                .mapToDouble(job -> wall(outcomes.get(job)) / oracle[job])
                .toArray();
    }

    private Policy withOraclesShares(int job) {
        return new OraclesShares(Policies.fixed(Arrays.copyOf(split(job), lanes)), Policies.adaptive());
    }

    private record OraclesShares(Policy split, Policy chunks) implements Policy {
        @Override
        public String name() {
            return "oracle";
        }

        @Override
        public Plan plan(Snapshot snapshot) {
            return Plan.of(Plan.Sharing.STEALING, split.plan(snapshot).shares()).balanced();
        }

        @Override
        public long chunk(Progress progress, int lane) {
            return chunks.chunk(progress, lane);
        }
    }

    private double wall(Simulator.Outcome of) {
        if (of.report() == null) {
            throw new IllegalStateException(text() + ": " + of.failure());
        }
        return of.report().wallNanos();
    }

    // ---- the oracle ----

    /**
     * What each job takes by the best static split, in nanoseconds: as computed, times what that is off by on average over all jobs,
     * which are run for it at the first call.
     *
     * @return one for each job, in order
     */
    public double[] oracle() {
        double[] known = oracle;
        if (known == null) {
            double[] expected = new double[jobs];
            List<Policy> policies = new ArrayList<>();
            for (int job = 0; job < jobs; job++) {
                double[] split = split(job);
                expected[job] = split[lanes];
                policies.add(Policies.fixed(Arrays.copyOf(split, lanes)));
            }
            double off = 0;
            for (int time = 0; time < ranges.yardsticks(); time++) {
                List<Simulator.Outcome> outcomes = run(seed + ((long) time << 32), policies, History.inMemory(), false);
                off += IntStream.range(0, jobs)
                        .mapToDouble(job -> wall(outcomes.get(job)) / expected[job])
                        .average()
                        .orElseThrow();
            }
            double mean = off / ranges.yardsticks();
            known = Arrays.stream(expected).map(each -> each * mean).toArray();
            oracle = known;
        }
        return known.clone();
    }

    /** Units for each lane by the best static split of a job, and then the nanoseconds it takes. */
    double[] split(int job) {
        return splits.computeIfAbsent(
                drawn.units[job] + "," + drawn.kernel[job] + Arrays.toString(drawn.slow[job]),
                key -> costs(job).best());
    }

    /** What the lanes take for a job. */
    BestSplit costs(int job) {
        return drawn.costs(job);
    }
}
