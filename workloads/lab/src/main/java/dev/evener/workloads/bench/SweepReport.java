package dev.evener.workloads.bench;

import static dev.evener.workloads.document.TextTable.format;

import dev.evener.workloads.bench.SweepRun.Figure;
import dev.evener.workloads.document.Statistics;
import dev.evener.workloads.document.Statistics.Estimate;
import dev.evener.workloads.document.Statistics.SignedRanks;
import dev.evener.workloads.document.Tables;
import dev.evener.workloads.document.TextTable;
import dev.evener.workloads.view.Ranking;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a {@link Sweep} came to: medians by policy, and policies pair by pair. Immutable; any thread. */
public final class SweepReport {
    /** From so many machines on, machines are what is compared, and their seeds' median counts: runs on one machine are too much alike. */
    private static final int MANY = 6;

    private static final double SURE = 0.05;

    /** A row for each run. */
    static final TextTable<SweepRun> RUNS = new TextTable<SweepRun>()
            .field("machine", SweepRun::machine)
            .field("trace", SweepRun::trace)
            .field("policy", SweepRun::policy)
            .field("seed", SweepRun::seed)
            .field("jobs", SweepRun::jobs)
            .field("problem", SweepRun::problem);

    static {
        for (Figure each : Figure.values()) {
            RUNS.field(each.field, run -> run.get(each));
        }
    }

    private final List<SweepRun> all;
    private final List<SweepRun> runs; // that have figures
    private final Map<List<Object>, Double> best = new LinkedHashMap<>(); // makespan of a trace, machine and seed
    private final List<Line> lines = new ArrayList<>();
    private final List<Pair> pairs = new ArrayList<>();
    private final Map<String, MeanRanks> ranks = new LinkedHashMap<>(); // by trace

    /** What a policy came to on one trace: medians with their intervals over machines and seeds. */
    private record Line(String trace, String policy, int runs, Estimate overBest, Map<Figure, Estimate> figures) {}

    /**
     * Two policies on one trace: makespans of the first over those of the second.
     *
     * @param count of machines, or of runs where there are few
     * @param corrected chance of as much by chance, for all pairs of the trace
     */
    private record Pair(
            String trace, String first, String second, Estimate ratio, int count, SignedRanks ranks, double corrected) {
        @Nullable
        String verdict() {
            return corrected >= SURE ? null : ranks.effect() < 0 ? first : second;
        }
    }

    /** @param all the runs of one sweep, those with a problem too */
    public SweepReport(List<SweepRun> all) {
        this.all = all;
        this.runs = all.stream().filter(run -> run.problem() == null).toList();
        this.runs.forEach(run -> best.merge(cell(run), makespan(run), Math::min));
        Map<String, Map<String, List<SweepRun>>> traces = this.runs.stream()
                .collect(Collectors.groupingBy(
                        SweepRun::trace,
                        LinkedHashMap::new,
                        Collectors.groupingBy(SweepRun::policy, LinkedHashMap::new, Collectors.toList())));
        traces.forEach((trace, policies) -> {
            policies.forEach((policy, own) -> lines.add(line(trace, policy, own)));
            pairs.addAll(pairs(trace, policies));
            rank(trace, policies);
        });
    }

    /** Cases are machines or, where there are few, runs, of which every policy has one. */
    private void rank(String trace, Map<String, List<SweepRun>> policies) {
        boolean many = policies.values().iterator().next().stream()
                        .map(SweepRun::machine)
                        .distinct()
                        .count()
                >= MANY;
        List<Map<Object, Double>> figures = policies.values().stream()
                .map(own -> own.stream()
                        .collect(Collectors.groupingBy(
                                run -> many ? (Object) run.machine() : cell(run),
                                LinkedHashMap::new,
                                Collectors.toList())))
                .map(cells -> {
                    Map<Object, Double> medians = new LinkedHashMap<>();
                    cells.forEach((cell, own) -> medians.put(cell, Statistics.median(own, this::overBest)));
                    return medians;
                })
                .toList();
        List<double[]> cases = figures.get(0).keySet().stream()
                .filter(cell -> figures.stream().allMatch(each -> each.containsKey(cell)))
                .map(cell ->
                        figures.stream().mapToDouble(each -> each.get(cell)).toArray())
                .toList();
        if (policies.size() > 1 && !cases.isEmpty()) {
            ranks.put(trace, MeanRanks.of(List.copyOf(policies.keySet()), cases));
        }
    }

    /**
     * Why no policy of a sweep can be told shorter than another, whatever its runs are, and what would do; null if
     * some can. Signed ranks of n pairs that are all on one side have a chance of 2^(1-n), which Holm takes as often
     * as there are pairs of policies.
     */
    static @Nullable String impossible(int machines, int seeds, int policies) {
        int pairs = policies * (policies - 1) / 2;
        boolean many = machines >= MANY;
        int count = many ? machines : machines * seeds;
        int enough = 1;
        while (least(pairs, enough) >= SURE) {
            enough++;
        }
        if (pairs == 0 || count >= enough) {
            return null;
        }
        int others = (enough + machines - 1) / machines;
        return format(
                "no verdict can come of this: of %s and %s of policies the least chance after correction is %.2g, not below %s; %s would do",
                many ? TextTable.counted(machines, "machine") : TextTable.counted(count, "run"),
                TextTable.counted(pairs, "pair"),
                Math.min(1, least(pairs, count)),
                SURE,
                many ? Math.max(MANY, enough) + " machines, each with any number of seeds," : others + " seeds");
    }

    private static double least(int pairs, int count) {
        return pairs * Math.pow(2, 1.0 - count);
    }

    private static List<Object> cell(SweepRun run) {
        return List.of(run.trace(), run.machine(), run.seed());
    }

    private static double makespan(SweepRun run) {
        return Objects.requireNonNull(run.get(Figure.MAKESPAN));
    }

    private double overBest(SweepRun run) {
        return makespan(run) / Objects.requireNonNull(best.get(cell(run)));
    }

    private static List<double[]> byMachine(List<SweepRun> own, ToDoubleFunction<SweepRun> value) {
        Map<String, List<SweepRun>> machines =
                own.stream().collect(Collectors.groupingBy(SweepRun::machine, LinkedHashMap::new, Collectors.toList()));
        return machines.values().stream()
                .map(each -> each.stream().mapToDouble(value).toArray())
                .toList();
    }

    private Line line(String trace, String policy, List<SweepRun> own) {
        Map<Figure, Estimate> figures = new EnumMap<>(Figure.class);
        for (Figure figure : Figure.values()) {
            if (own.stream().allMatch(run -> run.get(figure) != null)) {
                figures.put(
                        figure, Statistics.bootstrap(byMachine(own, run -> Objects.requireNonNull(run.get(figure)))));
            }
        }
        Estimate over = Statistics.bootstrap(byMachine(own, this::overBest));
        return new Line(trace, policy, own.size(), over, figures);
    }

    private List<Pair> pairs(String trace, Map<String, List<SweepRun>> policies) {
        List<Pair> found = new ArrayList<>();
        List<String> names = List.copyOf(policies.keySet());
        for (int i = 0; i < names.size(); i++) {
            Map<List<Object>, Double> other = new LinkedHashMap<>();
            policies.get(names.get(i)).forEach(run -> other.put(cell(run), makespan(run)));
            for (String name : names.subList(i + 1, names.size())) {
                List<SweepRun> both = policies.get(name).stream()
                        .filter(run -> other.containsKey(cell(run)))
                        .toList();
                if (both.isEmpty()) {
                    continue;
                }
                List<double[]> logs = byMachine(both, run -> Math.log(other.get(cell(run)) / makespan(run)));
                double[] units = logs.size() >= MANY
                        ? logs.stream().mapToDouble(Statistics::median).toArray()
                        : logs.stream().flatMapToDouble(Arrays::stream).toArray();
                Estimate log = Statistics.bootstrap(logs);
                Estimate ratio = new Estimate(Math.exp(log.value()), Math.exp(log.low()), Math.exp(log.high()));
                SignedRanks ranks = Statistics.signedRanks(units);
                found.add(new Pair(trace, names.get(i), name, ratio, units.length, ranks, 1));
            }
        }
        double[] corrected = Statistics.holm(
                found.stream().mapToDouble(p -> p.ranks().chance()).toArray());
        for (int i = 0; i < corrected.length; i++) {
            Pair p = found.get(i);
            found.set(i, new Pair(trace, p.first(), p.second(), p.ratio(), p.count(), p.ranks(), corrected[i]));
        }
        return found;
    }

    private static String interval(Estimate of, Function<Double, String> shown) {
        return shown.apply(of.value()) + " (" + shown.apply(of.low()) + " to " + shown.apply(of.high()) + ")";
    }

    private static String ratio(Estimate of) {
        return interval(of, v -> format("%.3f", v));
    }

    /** @param details whether people see all intervals */
    private TextTable<Line> linesTable(boolean details) {
        TextTable<Line> table = new TextTable<Line>()
                .column("trace", "trace", Line::trace, name -> name)
                .column("policy", "policy", Line::policy, name -> name)
                .column(">runs", "runs", Line::runs, count -> count)
                .column("over best", line -> ratio(line.overBest()))
                .field("overBest", line -> line.overBest().toMap());
        for (Figure each : Figure.values()) {
            boolean told = each.isShown()
                    && lines.stream()
                            .map(line -> line.figures().get(each))
                            .anyMatch(known -> known != null && known.high() > 0);
            Function<Estimate, String> shown =
                    details ? known -> interval(known, each::shown) : known -> each.shown(known.value());
            if (told) {
                table.column(">" + each.heading, line -> {
                    Estimate known = line.figures().get(each);
                    return known == null ? null : shown.apply(known);
                });
            }
            table.field(each.field, line -> {
                Estimate known = line.figures().get(each);
                return known == null ? null : known.toMap();
            });
        }
        return table;
    }

    private static TextTable<Map.Entry<String, MeanRanks>> ranksTable() {
        return new TextTable<Map.Entry<String, MeanRanks>>()
                .column("trace", "trace", Map.Entry::getKey, name -> name)
                .column(
                        "mean ranks",
                        "meanRanks",
                        e -> e.getValue().ranks(),
                        ranks -> ranks.entrySet().stream()
                                .sorted(Map.Entry.comparingByValue())
                                .map(each -> each.getKey() + " " + format("%.2f", each.getValue()))
                                .collect(Collectors.joining(", ")))
                .column(">Friedman", "statistic", e -> e.getValue().statistic(), v -> format("%.2f", v))
                .column(">chance", "chance", e -> e.getValue().chance(), v -> format("%.2g", v))
                .column(
                        ">Nemenyi's difference",
                        "criticalDifference",
                        e -> e.getValue().difference(),
                        v -> format("%.2f", v))
                .column(
                        "not told apart",
                        "alike",
                        e -> e.getValue().alike(),
                        sets -> sets.stream()
                                .filter(set -> set.size() > 1)
                                .map(set -> String.join(" ", set))
                                .collect(Collectors.joining("; ")));
    }

    private static TextTable<Pair> pairsTable() {
        return new TextTable<Pair>()
                .column("trace", "trace", Pair::trace, name -> name)
                .column("policy", "first", Pair::first, name -> name)
                .column("and", "second", Pair::second, name -> name)
                .column("makespans, first over second", pair -> ratio(pair.ratio()))
                .field("ratio", pair -> pair.ratio().toMap())
                .column(">pairs", "pairs", Pair::count, count -> count)
                .column(">effect", "effect", pair -> pair.ranks().effect(), v -> format("%.2f", v))
                .field("chance", pair -> pair.ranks().chance())
                .column(">corrected chance", "correctedChance", Pair::corrected, v -> format("%.2g", v))
                .column("shorter", "shorter", Pair::verdict, name -> name);
    }

    /** Both tables; a row of CSV is a run. */
    public Tables tables(boolean details) {
        Tables tables =
                new Tables().add("Medians with 95 % intervals over machines and seeds", linesTable(details), lines);
        if (!pairs.isEmpty()) {
            tables.add("Mean ranks of makespans", ranksTable(), List.copyOf(ranks.entrySet()))
                    .add("Policies pair by pair", pairsTable(), pairs);
        }
        return tables.rows(RUNS.fields(), () -> RUNS.maps(all));
    }

    /** For JSON: docs/bench.md has the fields. */
    public Map<String, Object> toMap(String experiment) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("experiment", experiment);
        map.put("policies", linesTable(false).maps(lines));
        map.put("pairs", pairsTable().maps(pairs));
        map.put("ranks", ranksTable().maps(List.copyOf(ranks.entrySet())));
        map.put("runs", RUNS.maps(all));
        return map;
    }

    /** Box plots for a page: of each trace makespans and slow-downs and, where it is known, times over the oracle's. */
    public List<Ranking> rankings() {
        List<Ranking> rankings = new ArrayList<>();
        for (String trace : lines.stream().map(Line::trace).distinct().toList()) {
            add(rankings, trace + ": makespan over the shortest of all policies", trace, this::overBest);
            add(rankings, trace + ": bounded slow-down", trace, run -> run.get(Figure.SLOWDOWN));
            add(rankings, trace + ": wall time over the oracle's", trace, run -> run.get(Figure.ORACLE));
        }
        return rankings;
    }

    private void add(List<Ranking> rankings, String title, String trace, Function<SweepRun, @Nullable Double> value) {
        Map<String, List<Double>> policies = new LinkedHashMap<>();
        for (SweepRun run : runs) {
            Double known = run.trace().equals(trace) ? value.apply(run) : null;
            if (known != null) {
                policies.computeIfAbsent(run.policy(), name -> new ArrayList<>())
                        .add(known);
            }
        }
        List<Ranking.Entry> entries = new ArrayList<>();
        policies.forEach((policy, values) -> entries.add(new Ranking.Entry(
                policy, "policy", values.stream().mapToDouble(v -> v).toArray(), values.size() + " runs")));
        if (!entries.isEmpty()) {
            rankings.add(new Ranking(title, entries, true));
        }
    }
}
