package dev.evener.workloads.experiment;

import dev.evener.DeviceInfo;
import dev.evener.Evener;
import dev.evener.workloads.experiment.Rounds.Bench;
import dev.evener.workloads.replay.JobLog;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Compares policies on the devices of one Evener: warms up, searches the best static split, then measures it anew together
 * with every device alone and all policies, interleaved in rounds. The split is chosen from one set of measurements and
 * judged by another: chosen and judged by the same it would owe some of its success to luck. One thread.
 */
public final class Comparer {

    /** Jobs of what learns nothing: the first builds the kernel. */
    private static final int COLD_JOBS = 2;

    /** Rounds between sweep and measurement, for what went cold meanwhile. */
    private static final int REWARM_ROUNDS = 2;

    private static final long ENOUGH_NANOS = Duration.ofSeconds(2).toNanos();
    private static final int LEAST_ROUNDS = 15;
    private static final int MOST_ROUNDS = 1001;

    private final Evener evener;
    private final Settings settings;
    private final Consumer<String> progress;
    private final JobLog log;
    private final Runnable measuring;

    /** @param progress told now and then in a few words what is being done */
    public Comparer(Evener evener, Settings settings, Consumer<String> progress) {
        this(evener, settings, progress, JobLog.none(), () -> {});
    }

    /**
     * @param log where jobs are noted, for one comparison
     * @param measuring run once: when everything is warm and the best static split is chosen, before the first round counts
     */
    public Comparer(Evener evener, Settings settings, Consumer<String> progress, JobLog log, Runnable measuring) {
        this.evener = evener;
        this.settings = settings;
        this.progress = progress;
        this.log = log;
        this.measuring = measuring;
    }

    /**
     * Compares all contenders on a workload.
     *
     * @throws dev.evener.EvenerException if there is no memory for it, or a job failed
     * @throws IllegalArgumentException if size and parameters do not go together
     */
    public Comparison compare(Request request) {
        progress.accept("preparing");
        try (PreparedWorkload prepared = request.workload().prepare(evener, request)) {
            return new Run(request, prepared).compare();
        }
    }

    /** One comparison under way. */
    private final class Run {
        private final Request request;
        private final PreparedWorkload prepared;
        private final Bench bench;
        private final Map<Contender, Double> firstNanos = new HashMap<>();
        private final List<DeviceInfo> devices = evener.devices();
        private final List<Contender> singles = IntStream.range(0, devices.size())
                .mapToObj(lane -> Contender.single(lane, devices.get(lane).id()))
                .toList();
        private final List<Contender> policies = settings.policies().entrySet().stream()
                .filter(e -> !e.getKey().equals("single"))
                .map(e -> Contender.policy(e.getKey(), e.getValue()))
                .toList();

        Run(Request request, PreparedWorkload prepared) {
            this.request = request;
            this.prepared = prepared;
            this.bench = new Bench(evener, prepared, new Random(settings.seed()), log);
        }

        Comparison compare() {
            long warmUpJobs = warmUp();
            List<Timed> tried = new ArrayList<>();
            Contender best = sweep(tried);
            List<Contender> all = new ArrayList<>(singles);
            if (best != null) {
                all.add(best);
            }
            all.addAll(policies);
            Rounds rounds = measure(all);
            Standings standings = new Standings(rounds, singles, best, firstNanos);
            List<Outcome> outcomes = new ArrayList<>();
            List<String> mismatches = new ArrayList<>();
            for (Contender contender : all) {
                outcomes.add(standings.outcome(contender, verify(contender, mismatches)));
            }
            return new Comparison(
                    request,
                    prepared.items(),
                    prepared.bytesPerItem(),
                    prepared.flopsPerItem(),
                    devices,
                    rounds.done(),
                    warmUpJobs,
                    outcomes,
                    outcomes.get(all.indexOf(standings.bestSingle())),
                    best == null ? null : outcomes.get(all.indexOf(best)),
                    tried,
                    mismatches);
        }

        /** Every contender builds and learns; those that do not learn rest after a few jobs while there are others. */
        private long warmUp() {
            progress.accept("warming up");
            List<Contender> all = new ArrayList<>(singles);
            all.addAll(policies);
            Rounds rounds = new Rounds(bench, all);
            while (rounds.done() < Outcome.FIRST
                    || rounds.nanos() < settings.warmUp().toNanos()) {
                rounds.run();
                if (rounds.done() == COLD_JOBS && !policies.isEmpty()) {
                    rounds.drop(singles);
                }
            }
            for (Contender policy : policies) {
                firstNanos.put(
                        policy,
                        Arrays.stream(Outcome.nanos(rounds.reports(policy).subList(0, Outcome.FIRST)))
                                .average()
                                .orElseThrow());
            }
            return rounds.jobs();
        }

        private @Nullable Contender sweep(List<Timed> tried) {
            if (settings.sweepSteps() == 0) {
                return null;
            }
            SplitRace race = new SplitRace(bench, settings.rounds());
            StaticSweep sweep = new StaticSweep(devices.size(), settings.sweepSteps(), splits -> {
                progress.accept("trying " + splits.size() + " static splits");
                return race.run(splits);
            });
            Contender best = Contender.split(sweep.search());
            tried.addAll(sweep.tried());
            return best;
        }

        private Rounds measure(List<Contender> all) {
            progress.accept("measuring");
            Rounds again = new Rounds(bench, all);
            while (again.done() < REWARM_ROUNDS) {
                again.run();
            }
            measuring.run();
            Rounds rounds = new Rounds(bench, all);
            while (more(rounds)) {
                rounds.run();
                progress.accept("measuring, round " + rounds.done());
            }
            return rounds;
        }

        private boolean more(Rounds rounds) {
            if (settings.rounds() > 0) {
                return rounds.done() < settings.rounds();
            }
            return rounds.done() < LEAST_ROUNDS || (rounds.done() < MOST_ROUNDS && rounds.nanos() < ENOUGH_NANOS);
        }

        private @Nullable Boolean verify(Contender contender, List<String> mismatches) {
            if (!settings.verify()) {
                return null;
            }
            progress.accept("checking " + contender.name());
            prepared.reset();
            log.fresh();
            bench.run(contender);
            String mismatch = prepared.mismatch();
            if (mismatch != null) {
                mismatches.add(contender.name() + ": " + mismatch);
            }
            return mismatch == null;
        }
    }
}
