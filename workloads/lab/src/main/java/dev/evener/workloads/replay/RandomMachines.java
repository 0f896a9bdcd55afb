package dev.evener.workloads.replay;

import static dev.evener.workloads.document.TextTable.format;

import dev.evener.policy.Policy;
import dev.evener.workloads.document.Tables;
import dev.evener.workloads.document.TextTable;
import dev.evener.workloads.random.RandomCase;
import dev.evener.workloads.random.RandomCases;
import dev.evener.workloads.random.RandomCases.Phase;
import dev.evener.workloads.random.RandomCases.Row;
import dev.evener.workloads.random.RandomCases.Step;
import dev.evener.workloads.random.Ranges;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How far a policy is from the best static split on machines that nobody tuned it for: {@link RandomCases} for people and as JSON.
 *
 * @param policy whose shares are taken; null for those of the oracle, cut and stolen as by the default policy
 * @param machines how many, at least 1
 * @param seed of the first; the others have the numbers after it
 * @param jobs on each, above {@value RandomCases#LEARNING}
 * @param promised whether devices are about as fast as they say
 * @param unkind whether machines are drawn from {@link Ranges#UNKIND}
 */
public record RandomMachines(
        @Nullable Policy policy, int machines, long seed, int jobs, boolean promised, boolean unkind) {
    /** What policies are named where the oracle decides. */
    public static final String ORACLE = "oracle";

    /**
     * What came of it.
     *
     * @param of what was asked for
     * @param rows a machine each, in the order of the seeds
     * @param lanes of the first machine, where its jobs are explained; else empty
     * @param steps its first jobs, likewise
     */
    public record Result(RandomMachines of, List<Row> rows, List<RandomCase.Lane> lanes, List<Step> steps) {
        public Result {
            rows = List.copyOf(rows);
            lanes = List.copyOf(lanes);
            steps = List.copyOf(steps);
        }

        /** Quantiles by phase, the worst machines of each, then the lanes and first jobs; a row of CSV is a machine. */
        public Tables tables() {
            TextTable<Double> quantiles = new TextTable<Double>()
                    .column("", part -> part == 0.5 ? "median" : part == 1 ? "worst" : format("%.0f %%", 100 * part));
            TextTable<Row> worst = new TextTable<Row>();
            for (Phase phase : Phase.values()) {
                quantiles.column(">" + phase.title(), part -> format("%.3f", phase.quantile(rows, part)));
                worst.column(">" + phase.title(), row -> format("%.2f", phase.of(row)));
            }
            worst.column("machine", Row::text);
            Tables tables = new Tables().add("", quantiles, List.of(0.5, 0.9, 0.95, 1.0));
            for (Phase phase : Phase.values()) {
                tables.add("worst " + phase.title(), worst, phase.worst(rows));
            }
            if (!steps.isEmpty()) {
                tables.add("", lanesTable(), lanes).add("", stepsTable(), steps);
            }
            return tables.rows(ROWS.fields(), () -> ROWS.maps(rows));
        }

        private static TextTable<RandomCase.Lane> lanesTable() {
            return new TextTable<RandomCase.Lane>()
                    .column("lane", "device", RandomCase.Lane::device, id -> id)
                    .column(">says", "promise", RandomCase.Lane::promise, says -> format("%.0f", says))
                    .column(">fixed us", "fixedNanos", RandomCase.Lane::fixedNanos, Result::micros)
                    .column(">wake us", "wakeNanos", RandomCase.Lane::wakeNanos, Result::micros)
                    .column(
                            ">ns a unit",
                            "nanosPerUnit",
                            RandomCase.Lane::nanosPerUnit,
                            each -> each.stream()
                                    .map(nanos -> format("%.4g", nanos))
                                    .collect(Collectors.joining(", ")));
        }

        private static String micros(double nanos) {
            return format("%.1f", nanos / 1e3);
        }

        private static TextTable<Step> stepsTable() {
            return new TextTable<Step>()
                    .column(">job", "job", Step::number, number -> number)
                    .column("kernel", "kernel", Step::kernel, name -> name)
                    .column(">units", "units", Step::units, units -> units)
                    .column(
                            ">oracle ms",
                            "oracleSeconds",
                            step -> step.oracleNanos() / 1e9,
                            s -> format("%.3f", s * 1e3))
                    .column(">over it", "over", Step::over, over -> format("%.3f", over))
                    .column("devices", Result::devices)
                    .field("devices", Step::chosen)
                    .field("helped", Step::helped)
                    .column("reason", "reason", Step::reason, why -> why);
        }

        /** Those chosen, and in brackets those that helped. */
        private static String devices(Step step) {
            String chosen = String.join(",", step.chosen());
            return step.helped().isEmpty() ? chosen : chosen + " (" + String.join(",", step.helped()) + ")";
        }

        String policy() {
            return of.policy == null ? ORACLE : of.policy.name();
        }

        /** As JSON. */
        public Map<String, Object> toMap() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("policy", policy());
            map.put("machines", of.machines);
            map.put("seed", of.seed);
            map.put("jobs", of.jobs);
            map.put("promised", of.promised);
            map.put("unkind", of.unkind);
            for (Phase phase : Phase.values()) {
                Map<String, Object> figures = new LinkedHashMap<>();
                figures.put("median", phase.quantile(rows, 0.5));
                figures.put("part90", phase.quantile(rows, 0.9));
                figures.put("part95", phase.quantile(rows, 0.95));
                figures.put("worst", phase.quantile(rows, 1));
                map.put(key(phase), figures);
            }
            map.put("overOracle", ROWS.maps(rows));
            if (!steps.isEmpty()) {
                map.put("lanes", lanesTable().maps(lanes));
                map.put("firstJobs", stepsTable().maps(steps));
            }
            return map;
        }

        private static String key(Phase phase) {
            return switch (phase) {
                case FIRST -> "first30";
                case LEARNING -> "first100";
                case SETTLED -> "settled";
            };
        }

        private static final TextTable<Row> ROWS = new TextTable<Row>()
                .field("seed", Row::seed)
                .field("drawn", Row::text)
                .field("first30", Row::first)
                .field("first100", Row::learning)
                .field("settled", Row::settled);
    }

    /**
     * Policies on the same machines: their times over the oracle's, less 1, are regrets.
     *
     * @param results of each, at least one
     */
    public static Tables regrets(List<Result> results) {
        TextTable<Result> table = new TextTable<Result>().column("policy", "policy", Result::policy, name -> name);
        for (Phase phase : Phase.values()) {
            for (double part : new double[] {0.5, 0.95}) {
                table.column(
                        ">" + phase.title() + format(part == 0.5 ? ", median" : ", %.0f %%", 100 * part),
                        Result.key(phase) + (part == 0.5 ? "Median" : "Part95"),
                        result -> phase.quantile(result.rows, part) - 1,
                        regret -> format("%.1f %%", 100 * regret));
            }
            table.field(Result.key(phase) + "Worst", result -> phase.quantile(result.rows, 1) - 1);
        }
        List<Result> best = results.stream()
                .sorted(Comparator.comparingDouble(result -> Phase.SETTLED.quantile(result.rows, 0.5)))
                .toList();
        return new Tables().add("Regret over the best static split", table, best);
    }

    /**
     * Runs them.
     *
     * @param explain whether to tell of the first machine's first {@value RandomCases#FIRST} jobs one by one
     * @param done is told how many machines are done, by one thread at a time
     */
    public Result run(boolean explain, Consumer<Integer> done) {
        Ranges ranges = unkind ? Ranges.UNKIND : Ranges.KIND;
        List<Long> ended = new ArrayList<>();
        List<Row> rows = RandomCases.run(policy, machines, seed, jobs, promised, ranges, row -> {
            synchronized (ended) {
                ended.add(row.seed());
                done.accept(ended.size());
            }
        });
        if (!explain) {
            return new Result(this, rows, List.of(), List.of());
        }
        RandomCase first = new RandomCase(seed, jobs, promised, ranges);
        List<Step> steps = RandomCases.explain(first, policy);
        return new Result(this, rows, first.lanes(), steps.subList(0, RandomCases.FIRST));
    }
}
