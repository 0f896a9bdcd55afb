package dev.evener.workloads.bench;

import dev.evener.DeviceSelector;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policies;
import dev.evener.workloads.bench.Case.Effort;
import dev.evener.workloads.bench.Case.Lineup;
import dev.evener.workloads.bench.Case.Scenario;
import dev.evener.workloads.bench.Case.Style;
import dev.evener.workloads.bench.Case.Timing;
import dev.evener.workloads.document.Node;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Sizes;
import dev.evener.workloads.workload.StreamWorkload;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.suite.Workloads;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads the cases of one workload of a description: what is run, who competes on it, and how thoroughly. One thread. */
final class WorkloadReader {
    private static final List<String> WORKLOAD = orEither("workload parameters sizes");
    private static final List<String> STYLE = List.of("name", "workload", "parameters");

    /** Most elements of an array. */
    static final int MOST = 1000;

    static final int MOST_CASES = 10_000;

    private static final List<String> RANGE = List.of("from", "to", "times", "plus");

    /** Who competes where nobody is named. */
    private static final List<String> USUAL = List.of("single", "static", "history", "guided", "stealing", "adaptive");

    /** As much as anything here can be told apart by. */
    private static final MathContext DIGITS = MathContext.DECIMAL64;

    private static final int USUAL_STEPS = 17;
    private static final int MOST_STEPS = 1001;
    private static final int MOST_WARM_UP_SECONDS = 600;

    private final Node node;
    private final Node all;
    private final Workload workload;
    private final boolean resident;

    /**
     * @param node of the workload
     * @param all what is said of it by options, by itself, and of everything
     */
    WorkloadReader(Node node, Node all) {
        this.node = node.only(WORKLOAD);
        this.all = all;
        this.workload = workload(node.get("workload"));
        this.resident = all.find("resident", false, Node::flag);
    }

    /** These names, and those of what can be said of a workload as well as of all of them. */
    static List<String> orEither(String names) {
        String either = " policies styles tunings baselines distribution sweep timing resident";
        return List.of((names + either).split(" ", -1));
    }

    private static Workload workload(Node node) {
        String name = node.text();
        return Workloads.streams().stream()
                .filter(stream -> stream.name().equals(name))
                .findFirst()
                .orElseGet(() -> node.text(Workloads::named, List.of()));
    }

    /** Adds all cases, as yet on all devices. */
    void addTo(List<Case> tasks) {
        Timing timing = all.find("timing", resident ? Timing.KERNELS : Timing.WALL, n -> n.constant(Timing.class));
        List<Map<String, String>> combinations = combinations();
        List<Distribution> distributions = all.find(
                "distribution",
                List.of(Distribution.UNIFORM),
                n -> n.each(1, MOST, each -> each.text(Distribution::named, List.of())));
        List<Long> sizes = all.find("sizes", workload.about().defaultSizes(), WorkloadReader::sizes);
        if ((long) combinations.size() * sizes.size() * distributions.size() + tasks.size() > MOST_CASES) {
            throw node.wrong("comes to more than " + MOST_CASES + " cases");
        }
        Node blamed = all.find("sizes", node, n -> n);
        for (Map<String, String> set : combinations) {
            for (Distribution distribution : distributions) {
                for (long size : sizes) {
                    Request request = request(blamed, workload, set, size, distribution);
                    Lineup lineup = lineup(request, set);
                    DeviceSelector any = DeviceSelector.all();
                    tasks.add(new Case(any, false, Scenario.HEALTHY, request, timing, lineup, effort(lineup)));
                }
            }
        }
    }

    private Request request(Node blamed, Workload run, Map<String, String> set, long size, Distribution distribution) {
        long seed = all.find("seed", 1L, n -> n.whole(Long.MIN_VALUE, Long.MAX_VALUE));
        try {
            return Request.synthetic(run, Values.of(run, set), size, distribution, seed);
        } catch (IllegalArgumentException e) {
            throw blamed.wrong(String.valueOf(e.getMessage()));
        }
    }

    private Effort effort(Lineup lineup) {
        int usual = lineup.policies().isEmpty() ? 0 : USUAL_STEPS;
        long steps = all.find("sweep", (long) usual, n -> {
            long asked = n.whole(0, MOST_STEPS);
            if (asked == 1) {
                throw n.wrong("1 is neither 0 nor between 2 and " + MOST_STEPS);
            }
            return usual == 0 ? 0 : asked;
        });
        return new Effort(
                all.find("repeat", 0L, n -> n.whole(1, PlanReader.MOST_ROUNDS)).intValue(),
                (int) steps,
                all.find("warmUp", Duration.ofSeconds(1), n -> seconds(n.number(0, MOST_WARM_UP_SECONDS))),
                all.find("verify", false, Node::flag),
                all.<@Nullable Duration>find("chunkDeadline", null, n -> seconds(n.number(0.001, 1e6))));
    }

    private static Duration seconds(double seconds) {
        return Duration.ofNanos((long) (seconds * 1e9));
    }

    // ---- who competes ----

    /** Where nothing is said of it, every policy; but nobody else where other contenders are named. */
    private Lineup lineup(Request request, Map<String, String> set) {
        List<Style> styles = all.find("styles", List.of(), n -> styles(n, request, set));
        List<String> tunings =
                all.find("tunings", List.of(), n -> texts(n, text -> Tuner.tuned(Tuning.defaults(), text)));
        List<String> baselines =
                all.find("baselines", List.of(), n -> texts(n, text -> Baselines.check(text, request)));
        boolean others = workload instanceof StreamWorkload || resident;
        boolean plain = !others && styles.isEmpty() && tunings.isEmpty() && baselines.isEmpty();
        List<String> policies = all.find("policies", plain ? USUAL : List.of(), n -> texts(n, Policies::named));
        List<String> named = policies.stream().map(WorkloadReader::policy).toList();
        return new Lineup(named, styles, tunings, baselines);
    }

    private static String policy(String text) {
        String name = Policies.nameOf(text);
        return name + text.strip().substring(name.length());
    }

    /** @param check refuses what is none */
    private static List<String> texts(Node node, Consumer<String> check) {
        Set<String> texts = new HashSet<>();
        return node.each(0, MOST, each -> {
            String text = each.text();
            each.text(
                    t -> {
                        check.accept(t);
                        return t;
                    },
                    Policies.names());
            if (!texts.add(text)) {
                throw each.wrong("'" + text + "' is there twice");
            }
            return text;
        });
    }

    private List<Style> styles(Node list, Request base, Map<String, String> set) {
        List<Style> styles = new ArrayList<>();
        for (Node each : list.list(1, MOST)) {
            Workload run = each.only(STYLE).find("workload", workload, WorkloadReader::workload);
            Map<String, String> own = new LinkedHashMap<>();
            parameters(each.find("parameters"), run).forEach((name, value) -> own.put(name, value.scalar()));
            String name = each.find("name", String.join(" ", own.values()), PlanReader::label);
            if (styles.stream().anyMatch(s -> s.name().equals(name))) {
                throw each.wrong("'" + name + "' is there twice");
            }
            Map<String, String> both = new LinkedHashMap<>(set);
            both.putAll(own);
            Distribution distribution = base.distribution();
            Distribution same = distribution == null ? Distribution.UNIFORM : distribution;
            styles.add(new Style(name, request(each, run, both, base.items(), same)));
        }
        return styles;
    }

    // ---- parameters ----

    /** What is set, in order; a name or value that is none is refused. */
    private static Map<String, Node> parameters(@Nullable Node parameters, Workload of) {
        Map<String, Node> named = new LinkedHashMap<>();
        if (parameters != null) {
            List<String> names = names(of);
            if (names.isEmpty() && !parameters.names().isEmpty()) {
                throw parameters.wrong(of.name() + " has no parameters");
            }
            parameters.only(names).names().forEach(name -> named.put(name, parameters.get(name)));
        }
        named.forEach((name, value) -> check(of, name, value));
        return named;
    }

    private static List<String> names(Workload of) {
        return of.parameters().stream().map(Parameter::name).toList();
    }

    private static void check(Workload of, String name, Node value) {
        for (String text : valueTexts(value)) {
            try {
                Values.of(of, Map.of(name, text));
            } catch (IllegalArgumentException e) {
                throw value.wrong(String.valueOf(e.getMessage()));
            }
        }
    }

    /**
     * Every value of each parameter with every value of the others; the last parameter varies fastest. What is typed is for any of
     * the workloads, and stands before what this one says.
     */
    private List<Map<String, String>> combinations() {
        Map<String, Node> parameters = parameters(node.find("parameters"), workload);
        List<String> names = names(workload);
        Node typed = all.find("set");
        for (String name : typed == null ? List.<String>of() : typed.names()) {
            if (names.contains(name)) {
                check(workload, name, typed.get(name));
                parameters.put(name, typed.get(name));
            }
        }
        if (resident && !names.contains("resident")) {
            throw node.wrong(workload.name() + " has no data that could stay on devices");
        }
        List<Map<String, String>> combinations = List.of(resident ? Map.of("resident", "true") : Map.of());
        for (Map.Entry<String, Node> parameter : parameters.entrySet()) {
            List<Map<String, String>> more = new ArrayList<>();
            for (Map<String, String> combination : combinations) {
                for (String text : valueTexts(parameter.getValue())) {
                    Map<String, String> one = new LinkedHashMap<>(combination);
                    one.put(parameter.getKey(), text);
                    more.add(one);
                }
                if (more.size() > MOST_CASES) {
                    throw parameter.getValue().wrong("comes to more than " + MOST_CASES + " combinations");
                }
            }
            combinations = more;
        }
        return combinations;
    }

    // ---- single values, ranges, and arrays of both ----

    /** Numbers of items, each once; what is no whole number is rounded down. */
    private static List<Long> sizes(Node node) {
        return values(node, n -> size(n).longValue(), WorkloadReader::size, BigDecimal::longValue);
    }

    /** Values of a parameter as texts, each once. */
    private static List<String> valueTexts(Node node) {
        return values(
                node,
                Node::scalar,
                n -> BigDecimal.valueOf(n.number(-1e15, 1e15)),
                v -> v.stripTrailingZeros().toPlainString());
    }

    private static <T> List<T> values(
            Node node, Function<Node, T> single, Function<Node, BigDecimal> number, Function<BigDecimal, T> ranged) {
        List<T> values = new ArrayList<>();
        for (Node each : node.each(1, MOST, n -> n)) {
            if (each.isObject()) {
                range(each, number).forEach(value -> values.add(ranged.apply(value)));
            } else {
                values.add(single.apply(each));
            }
        }
        if (values.size() > MOST) {
            throw node.wrong("has more than " + MOST + " values");
        }
        return values.stream().distinct().toList();
    }

    private static BigDecimal size(Node node) {
        return BigDecimal.valueOf(node.isText() ? node.text(Sizes::parse, List.of()) : node.whole(1, Long.MAX_VALUE));
    }

    private static List<BigDecimal> range(Node range, Function<Node, BigDecimal> number) {
        BigDecimal from = number.apply(range.only(RANGE).get("from"));
        BigDecimal to = number.apply(range.get("to"));
        Node times = range.find("times");
        Node plus = range.find("plus");
        if (from.compareTo(to) > 0) {
            throw range.wrong("'from' is above 'to'");
        }
        if ((times == null) == (plus == null)) {
            throw range.wrong("expected either 'times' or 'plus' beside 'from' and 'to'");
        }
        if (times != null && from.signum() <= 0) {
            throw range.wrong("'from' must be above 0 for 'times'");
        }
        BigDecimal step = times != null
                ? BigDecimal.valueOf(times.number(1.001, 1e9))
                : number.apply(Objects.requireNonNull(plus));
        if (plus != null && step.signum() <= 0) {
            throw plus.wrong("must be above 0");
        }
        List<BigDecimal> values = new ArrayList<>();
        BigDecimal value = from;
        while (value.compareTo(to) <= 0) {
            if (values.size() == MOST) { // which also ends steps that vanish beside a large value
                throw range.wrong("has more than " + MOST + " values");
            }
            values.add(value);
            value = times != null ? value.multiply(step, DIGITS) : value.add(step, DIGITS);
        }
        return values;
    }
}
