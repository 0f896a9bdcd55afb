package dev.evener.workloads.bench;

import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policies;
import dev.evener.workloads.bench.Case.Lineup;
import dev.evener.workloads.bench.Case.Style;
import dev.evener.workloads.document.Node;
import dev.evener.workloads.replay.PolicyText;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.StreamWorkload;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.suite.Workloads;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads what is run of one workload of a description, and who competes on it. */
final class LineupReader {
    private static final List<String> STYLE = List.of("name", "workload", "parameters");

    private final Members members;
    private final Node node;
    private final Workload workload;

    /** @param node of the workload */
    LineupReader(Members members, Node node) {
        this.members = members;
        this.node = node;
        this.workload = workload(node.get("workload"));
    }

    Workload workload() {
        return workload;
    }

    private static Workload workload(Node node) {
        return Workloads.streams().stream()
                .filter(stream -> stream.name().equals(node.text()))
                .findFirst()
                .orElseGet(() -> Members.known(
                        node,
                        Workloads::named,
                        Workloads.all().stream().map(Workload::name).toList()));
    }

    /** The workload with these parameters at that size. */
    Request request(Map<String, String> set, long size, Distribution distribution) {
        return request(members.get("sizes", node, n -> n), workload, set, size, distribution);
    }

    private Request request(Node blamed, Workload run, Map<String, String> set, long size, Distribution distribution) {
        try {
            long seed = members.get("seed", 1L, n -> n.whole(Long.MIN_VALUE, Long.MAX_VALUE));
            return Request.synthetic(run, Values.of(run, set), size, distribution, seed);
        } catch (IllegalArgumentException e) {
            throw blamed.wrong(String.valueOf(e.getMessage()));
        }
    }

    /** Where nothing is said of it, every policy; but nobody else where other contenders are named. */
    Lineup lineup(Request request, Map<String, String> set) {
        List<Style> styles = members.get("styles", List.of(), n -> styles(n, request, set));
        List<String> tunings =
                members.get("tunings", List.of(), n -> texts(n, text -> Tuner.tuned(Tuning.defaults(), text)));
        List<String> baselines =
                members.get("baselines", List.of(), n -> texts(n, text -> Baselines.check(text, request)));
        boolean others = workload instanceof StreamWorkload || members.get("resident", false, Node::flag);
        boolean plain = !others && styles.isEmpty() && tunings.isEmpty() && baselines.isEmpty();
        List<String> policies = members.get(
                "policies",
                plain ? Policies.NAMES : List.of(),
                n -> texts(n, LineupReader::checkPolicy).stream()
                        .map(text -> text.strip().toLowerCase(Locale.ROOT))
                        .toList());
        return new Lineup(policies, styles, tunings, baselines);
    }

    /** Whether it is the name of a policy for some number of devices. */
    private static void checkPolicy(String name) {
        String plain = name.strip().toLowerCase(Locale.ROOT);
        PolicyText.parse(plain, plain.startsWith("single:") ? Integer.MAX_VALUE : plain.split(",", -1).length);
    }

    /** @param check refuses what is none */
    private static List<String> texts(Node node, Consumer<String> check) {
        Set<String> texts = new LinkedHashSet<>();
        for (Node each : node.isArray() ? node.list(0, Members.MOST) : List.of(node)) {
            String known = Members.known(
                    each,
                    text -> {
                        check.accept(text);
                        return text;
                    },
                    Policies.NAMES);
            if (!texts.add(known)) {
                throw each.wrong("'" + known + "' is there twice");
            }
        }
        return List.copyOf(texts);
    }

    private List<Style> styles(Node list, Request base, Map<String, String> set) {
        List<Style> styles = new ArrayList<>();
        for (Node each : list.list(1, Members.MOST)) {
            Node named = each.only(STYLE).find("workload");
            Workload run = named == null ? workload : workload(named);
            Map<String, String> own = new LinkedHashMap<>();
            parameters(each.find("parameters"), run).forEach((name, value) -> own.put(name, value.scalar()));
            Node name = each.find("name");
            String text = name != null ? Members.label(name) : String.join(" ", own.values());
            if (styles.stream().anyMatch(s -> s.name().equals(text))) {
                throw each.wrong("'" + text + "' is there twice");
            }
            Map<String, String> all = new LinkedHashMap<>(set);
            all.putAll(own);
            Distribution distribution = base.distribution();
            Distribution same = distribution == null ? Distribution.UNIFORM : distribution;
            styles.add(new Style(text, request(each, run, all, base.items(), same)));
        }
        return styles;
    }

    /** What is set, in order; a name or value that is none is refused. */
    private static Map<String, Node> parameters(@Nullable Node parameters, Workload of) {
        Map<String, Node> all = new LinkedHashMap<>();
        if (parameters != null) {
            List<String> names = of.parameters().stream().map(Parameter::name).toList();
            if (names.isEmpty() && !parameters.names().isEmpty()) {
                throw parameters.wrong(of.name() + " has no parameters");
            }
            parameters.only(names).names().forEach(name -> all.put(name, parameters.get(name)));
        }
        all.forEach((name, value) -> {
            for (String text : Members.texts(value)) {
                try {
                    Values.of(of, Map.of(name, text));
                } catch (IllegalArgumentException e) {
                    throw value.wrong(String.valueOf(e.getMessage()));
                }
            }
        });
        return all;
    }

    /**
     * Every value of each parameter with every value of the others; the last parameter varies fastest.
     *
     * @param typed values of parameters of any workload that stand before those of this one, or null
     * @param most how many there may be
     */
    List<Map<String, String>> combinations(@Nullable Node typed, boolean resident, int most) {
        Map<String, Node> parameters = parameters(node.find("parameters"), workload);
        Set<String> names = workload.parameters().stream().map(Parameter::name).collect(Collectors.toSet());
        Map<String, String> set = new LinkedHashMap<>();
        if (typed != null) {
            typed.names().stream()
                    .filter(names::contains)
                    .forEach(n -> set.put(n, typed.get(n).scalar()));
            Node known = Node.of(Map.of("--set", set)).get("--set");
            parameters.putAll(parameters(known, workload));
        }
        if (resident && !names.contains("resident")) {
            throw node.wrong(workload.name() + " has no data that could stay on devices");
        }
        List<Map<String, String>> combinations = List.of(resident ? Map.of("resident", "true") : Map.of());
        for (Map.Entry<String, Node> parameter : parameters.entrySet()) {
            List<Map<String, String>> more = new ArrayList<>();
            for (Map<String, String> combination : combinations) {
                for (String text : Members.texts(parameter.getValue())) {
                    Map<String, String> one = new LinkedHashMap<>(combination);
                    one.put(parameter.getKey(), text);
                    more.add(one);
                }
                if (more.size() > most) {
                    throw parameter.getValue().wrong("comes to more than " + most + " combinations");
                }
            }
            combinations = more;
        }
        return combinations;
    }
}
