package dev.evener.workloads.bench;

import static dev.evener.workloads.document.TextTable.format;

import dev.evener.EvenerException;
import dev.evener.Report;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.simulation.Machine;
import dev.evener.simulation.MakespanBound;
import dev.evener.simulation.SimulatedJob;
import dev.evener.simulation.Simulator;
import dev.evener.workloads.arrivals.Trace.Terms;
import dev.evener.workloads.bench.Sweep.On;
import dev.evener.workloads.bench.Sweep.Trace;
import dev.evener.workloads.document.Node;
import dev.evener.workloads.replay.JobFigures;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One run of a {@link Sweep} and its figures.
 *
 * @param jobs that were submitted
 * @param problem why it has no figures: the machine cannot run the trace, or jobs failed; null if it has
 * @param figures those that are known
 */
public record SweepRun(
        String machine,
        String trace,
        String policy,
        long seed,
        int jobs,
        @Nullable String problem,
        Map<Figure, Double> figures) {
    private static final Terms NO_TERMS = new Terms(0, "", -1, 0);

    /** What is measured of a run. Those of jobs are means over them. */
    public enum Figure {
        /** Seconds from the first arrival to the last end; of a series, in which there was a job. */
        MAKESPAN("makespanSeconds", "makespan", 1e3, "%.4g ms"),
        /** Seconds of a job from arrival to result. */
        RESPONSE("responseSeconds", "response", 1e3, "%.4g ms"),
        RESPONSE_50("responseP50Seconds", "", 1, ""),
        RESPONSE_95("responseP95Seconds", "95 % within", 1e3, "%.4g ms"),
        RESPONSE_99("responseP99Seconds", "", 1, ""),
        /** The part of the jobs with a deadline that missed it. */
        MISSED("deadlinesMissed", "missed", 100, "%.1f %%"),
        /** Jain's index of the users' mean slow-downs. */
        FAIRNESS("fairness", "fairness", 1, "%.3f"),
        /** Energy by the machine's idle and busy watts. */
        JOULES("joules", "energy", 1, "%.4g J"),
        /** Bounds of the makespan in seconds, and the makespan over the largest of them. */
        AREA("areaSeconds", "", 1, ""),
        PATH("criticalPathSeconds", "", 1, ""),
        LONGEST("longestJobSeconds", "", 1, ""),
        BOUND("overBound", "over bound", 1, "%.3f"),
        /**
         * Response over the least that it can take by any policy, or the bound if that is longer; at least 1
         * (Feitelson and Rudolph, 1998).
         */
        SLOWDOWN("boundedSlowdown", "slow-down", 1, "%.2f"),
        /** Busy time of all devices as a part of the makespan. */
        UTILISATION("utilisation", "used", 100, "%.1f %%"),
        /** Standard deviation over mean of the busy times of a job's devices that had a part. */
        VARIATION("variation", "c.o.v.", 1, "%.3f"),
        /** The longest of them less the mean, over the longest, times n / (n - 1) (DeRose, Homer and Johnson, 2007): 1 if one did all. */
        IMBALANCE("imbalance", "imbalance", 100, "%.1f %%"),
        /** The longest over the mean, less 1 (Pearce et al., 2012). */
        LAMBDA("lambda", "lambda", 1, "%.3f"),
        /** Bytes sent to devices and fetched from them. */
        BYTES("bytes", "moved", 1e-6, "%.4g MB"),
        /** Wall time of a job over what the best static split takes on average. */
        ORACLE("overOracle", "over oracle", 1, "%.3f");

        final String field;
        final String heading;
        private final double factor;
        private final String format;

        Figure(String field, String heading, double factor, String format) {
            this.field = field;
            this.heading = heading;
            this.factor = factor;
            this.format = format;
        }

        /** Whether people see it too. */
        boolean isShown() {
            return !heading.isEmpty();
        }

        String shown(double value) {
            boolean inSeconds = format.endsWith(" ms") && value >= 10;
            return inSeconds ? format("%.4g s", value) : format(format, factor * value);
        }
    }

    /**
     * All runs of a sweep, on all cores.
     *
     * @param kept where runs are found that were made before, and kept; null to make all
     * @param version of the program, on which figures depend
     * @param done is told how many there are, by any thread
     * @return in the order of traces, machines, seeds, policies
     * @throws UncheckedIOException if a run could not be kept
     */
    public static List<SweepRun> all(Sweep sweep, @Nullable ResultsFile kept, String version, IntConsumer done) {
        Map<String, Policy> policies = new LinkedHashMap<>(); // found by this thread, which knows plug-ins
        sweep.policies().forEach(name -> policies.put(name, Policies.named(name)));
        Map<String, double[]> oracles = new ConcurrentHashMap<>();
        AtomicInteger count = new AtomicInteger();
        int each = sweep.policies().size();
        int seeds = sweep.seeds().size();
        return IntStream.range(0, sweep.runs())
                .parallel()
                .mapToObj(i -> {
                    String name = sweep.policies().get(i % each);
                    long seed = sweep.seeds().get(i / each % seeds);
                    On on = sweep.machines()
                            .get(i / each / seeds % sweep.machines().size());
                    Trace trace = sweep.traces()
                            .get(i / each / seeds / sweep.machines().size());
                    String digest = Sweep.digest(on, trace, name, seed, sweep.bound(), version);
                    SweepRun empty = new SweepRun(on.name(), trace.name(), name, seed, 0, null, Map.of());
                    SweepRun run = (kept == null ? Optional.<SweepRun>empty() : kept.find(digest, empty::read))
                            .orElseGet(() -> {
                                SweepRun made = empty.of(on, trace, policies.get(name), sweep.bound(), oracles);
                                keep(kept, digest, made);
                                return made;
                            });
                    done.accept(count.incrementAndGet());
                    return run;
                })
                .toList();
    }

    private static void keep(@Nullable ResultsFile kept, String digest, SweepRun made) {
        try {
            if (kept != null && made.problem() == null) {
                kept.keep(digest, made.toMap());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private SweepRun of(On on, Trace trace, Policy by, double bound, Map<String, double[]> oracles) {
        List<Simulator.Outcome> outcomes;
        try {
            outcomes = trace.run(on, by, seed);
        } catch (EvenerException | IllegalArgumentException e) {
            return with(0, String.valueOf(e.getMessage()), Map.of());
        }
        List<String> failures = new ArrayList<>();
        outcomes.stream().filter(o -> o.report() == null).forEach(o -> failures.add(String.valueOf(o.failure())));
        if (!failures.isEmpty()) {
            String why = failures.size() + " of " + outcomes.size() + " jobs failed: " + failures.get(0);
            return with(outcomes.size(), why, Map.of());
        }
        boolean series = trace instanceof Sweep.Series;
        Map<Figure, Double> figures = figures(outcomes, trace.on(on.machine()), trace.terms(), bound, series);
        if (trace instanceof Sweep.Series drawn) {
            double[] oracle = oracles.computeIfAbsent(
                    on.name() + "," + drawn.jobs(),
                    key -> on.series(drawn.jobs()).oracle());
            double over = 0;
            for (int job = 0; job < oracle.length; job++) {
                over += report(outcomes.get(job)).wallNanos() / oracle[job] / oracle.length;
            }
            figures.put(Figure.ORACLE, over);
        }
        return with(outcomes.size(), null, figures);
    }

    private SweepRun with(int count, @Nullable String why, Map<Figure, Double> known) {
        return new SweepRun(machine, trace, policy, seed, count, why, known);
    }

    private static Report report(Simulator.Outcome of) {
        if (of.report() == null) {
            throw new IllegalArgumentException("a job that failed: " + of.failure());
        }
        return of.report();
    }

    /**
     * The figures of jobs that all succeeded.
     *
     * @param machine on which they ran
     * @param terms on which; empty if they have none
     * @param gaps whether times without any job are no part of the makespan
     */
    static Map<Figure, Double> figures(
            List<Simulator.Outcome> outcomes, Machine machine, List<Terms> terms, double bound, boolean gaps) {
        Map<Figure, Double> sums = new EnumMap<>(Figure.class);
        double first = Double.MAX_VALUE;
        double last = 0;
        double busy = 0;
        double active = 0;
        List<JobFigures.Served> served = new ArrayList<>();
        Map<String, Double> byDevice = new HashMap<>();
        for (Simulator.Outcome each : outcomes) {
            Report report = report(each);
            double begin = each.arrived() / 1e9;
            double end = (each.submitted() + report.queuedNanos() + report.buildNanos() + report.wallNanos()) / 1e9;
            double response = end - begin;
            double least = Math.max(each.leastNanos() / 1e9, bound);
            served.add(new JobFigures.Served(response, least, terms.isEmpty() ? NO_TERMS : terms.get(served.size())));
            active += Math.max(0, end - Math.max(begin, last)); // they are in order of submission
            first = Math.min(first, begin);
            last = Math.max(last, end);
            sums.merge(Figure.RESPONSE, response, Double::sum);
            sums.merge(Figure.SLOWDOWN, Math.max(1, response / least), Double::sum);
            spread(report, sums);
            for (Report.DeviceUse device : report.devices()) {
                sums.merge(Figure.BYTES, (double) device.bytesIn() + device.bytesOut(), Double::sum);
                byDevice.merge(device.id(), device.busyNanos() / 1e9, Double::sum);
                busy += device.busyNanos() / 1e9;
            }
        }
        double bytes = sums.getOrDefault(Figure.BYTES, 0.0);
        sums.replaceAll((figure, sum) -> sum / outcomes.size());
        sums.put(Figure.BYTES, bytes);
        double makespan = gaps ? active : last - first;
        sums.put(Figure.MAKESPAN, makespan);
        sums.put(Figure.UTILISATION, busy / (makespan * machine.devices().size()));
        Map<String, Object> more = JobFigures.of(served);
        if (!gaps) {
            List<SimulatedJob> jobs =
                    outcomes.stream().map(Simulator.Outcome::job).toList();
            JobFigures.add(more, MakespanBound.of(machine, jobs), makespan);
        }
        more.put(
                Figure.JOULES.field,
                JobFigures.joules(
                        machine,
                        makespan,
                        i -> byDevice.getOrDefault(
                                machine.devices().get(i).device().id(), 0.0)));
        for (Figure each : Figure.values()) {
            if (more.get(each.field) instanceof Double value) {
                sums.put(each, value);
            }
        }
        return sums;
    }

    /** Adds how unequal the busy times of a job's devices that had a part are. */
    private static void spread(Report report, Map<Figure, Double> sums) {
        double[] times = report.devices().stream()
                .filter(d -> d.chunks() > 0)
                .mapToDouble(Report.DeviceUse::busyNanos)
                .toArray();
        double most = 0;
        double sum = 0;
        double squares = 0;
        for (double time : times) {
            most = Math.max(most, time);
            sum += time;
            squares += time * time;
        }
        double mean = sum / times.length;
        boolean several = times.length > 1 && mean > 0;
        double variance = Math.max(0, squares / times.length - mean * mean);
        sums.merge(Figure.VARIATION, several ? Math.sqrt(variance) / mean : 0, Double::sum);
        double share = (double) times.length / (times.length - 1);
        sums.merge(Figure.IMBALANCE, several ? (most - mean) / most * share : 0, Double::sum);
        sums.merge(Figure.LAMBDA, several ? most / mean - 1 : 0, Double::sum);
    }

    /** A figure, or null if it is not known. */
    @Nullable
    Double get(Figure figure) {
        return figures.get(figure);
    }

    /** What went wrong, a line for each trace, policy and reason. */
    public static List<String> problems(List<SweepRun> runs) {
        Map<String, Integer> problems = new LinkedHashMap<>();
        for (SweepRun each : runs) {
            if (each.problem() != null) {
                problems.merge(each.trace() + ", " + each.policy() + ": " + each.problem(), 1, Integer::sum);
            }
        }
        return problems.entrySet().stream()
                .map(e -> e.getKey() + (e.getValue() == 1 ? "" : " (" + e.getValue() + " runs)"))
                .toList();
    }

    /** For JSON: docs/bench.md has the fields. */
    Map<String, Object> toMap() {
        return SweepReport.RUNS.maps(Collections.singleton(this)).get(0);
    }

    private SweepRun read(Node kept) {
        Map<Figure, Double> known = new EnumMap<>(Figure.class);
        for (Figure each : Figure.values()) {
            kept.find(each.field, Optional.<Double>empty(), n -> Optional.of(n.number(-1e300, 1e300)))
                    .ifPresent(value -> known.put(each, value));
        }
        int all = (int) kept.get("jobs").whole(1, Integer.MAX_VALUE);
        return with(all, null, known);
    }
}
