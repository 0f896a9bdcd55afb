package dev.evener.workloads.bench;

import dev.evener.DeviceSelector;
import dev.evener.internal.fault.Faults;
import dev.evener.workloads.bench.Case.Effort;
import dev.evener.workloads.bench.Case.Lineup;
import dev.evener.workloads.bench.Case.Scenario;
import dev.evener.workloads.bench.Case.Timing;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.Node;
import dev.evener.workloads.document.PlainFiles;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.Request;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Reads which cases are to be measured, from files and from options: these are members, too, named as they are typed ({@code --sizes}),
 * and stand before those of a file, so that every member can be replaced, and a message names what was typed. Everything that no
 * device is needed for is checked here. One object for one plan.
 */
public final class PlanReader {
    /** Most rounds that can be asked for. */
    public static final int MOST_ROUNDS = 100_000;

    private static final String FORMAT = "evener-experiment";
    private static final int VERSION = 1;
    private static final int LARGEST = 1 << 20;
    private static final int MOST_CASES = 10_000;
    private static final int USUAL_STEPS = 17;
    private static final int MOST_STEPS = 1001;
    private static final int MOST_WARM_UP_SECONDS = 600;

    /** What can be said of a workload as well as of all of them. */
    private static final List<String> EITHER =
            List.of("policies", "styles", "tunings", "baselines", "distribution", "sweep", "timing", "resident");

    private static final List<String> TOP = with(
            "format",
            "version",
            "name",
            "question",
            "workloads",
            "devices",
            "alone",
            "scenarios",
            "seed",
            "repeat",
            "warmUp",
            "verify",
            "chunkDeadline");
    private static final List<String> WORKLOAD = with("workload", "parameters", "sizes");
    private static final List<String> SCENARIO = List.of("name", "faults", "from");

    private static final Scenario HEALTHY = new Scenario("", List.of(), Scenario.From.START);

    private final Node root;
    private final Node options;
    private final Members top;

    private PlanReader(Node root, Node options) {
        this.root = root;
        this.options = options;
        this.top = new Members(options, root);
    }

    private static List<String> with(String... names) {
        return Stream.concat(Stream.of(names), EITHER.stream()).toList();
    }

    /**
     * Reads a file.
     *
     * @param options members that stand before those of the file, by their names as options
     * @throws IOException if it cannot be read
     * @throws DocumentException if it is not right: which file, where in it, what is wrong, and what is allowed
     */
    public static Plan read(Path file, Map<String, Object> options) throws IOException {
        try {
            byte[] text;
            try (InputStream in = PlainFiles.open(file)) {
                text = in.readNBytes(LARGEST + 1);
            }
            if (text.length > LARGEST) {
                throw new DocumentException("", "is larger than " + LARGEST + " bytes, too much for a description");
            }
            return parse(
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(text))
                            .toString(),
                    options);
        } catch (CharacterCodingException e) {
            throw new DocumentException(file.toString(), "is not UTF-8 text");
        } catch (DocumentException e) {
            throw String.valueOf(e.getMessage()).startsWith("--") ? e : e.in(file);
        }
    }

    /**
     * Reads a text.
     *
     * @throws DocumentException as {@link #read}, without the file
     */
    static Plan parse(String text, Map<String, Object> options) {
        Node root = Node.object(text);
        Node format = root.find("format");
        if (format == null || !format.scalar().equals(FORMAT)) {
            throw new DocumentException(
                    "", "is no description of an experiment: expected \"format\": \"" + FORMAT + "\"");
        }
        root.get("version").whole(VERSION, VERSION);
        root.only(TOP);
        PlanReader reader = new PlanReader(root, Node.of(options));
        Node question = root.find("question");
        return new Plan(Members.label(root.get("name")), question == null ? "" : question.text(), reader.cases());
    }

    /**
     * Reads options alone.
     *
     * @param workloads names of workloads
     * @throws DocumentException as {@link #read}, without the file
     */
    public static Plan of(List<String> workloads, Map<String, Object> options) {
        List<Map<String, String>> each =
                workloads.stream().map(name -> Map.of("workload", name)).toList();
        return new Plan("", "", new PlanReader(Node.of(Map.of("workloads", each)), Node.of(options)).cases());
    }

    private List<Case> cases() {
        List<Scenario> scenarios = scenarios();
        List<DeviceSelector> sets = top.get(
                "devices",
                List.of(DeviceSelector.all()),
                node -> Members.list(node).stream()
                        .map(each -> Members.known(each, DeviceSelector::parse, List.of()))
                        .distinct()
                        .toList());
        boolean alone = top.get("alone", false, Node::flag);
        List<Case> tasks = new ArrayList<>();
        for (Node node : root.get("workloads").list(1, Members.MOST)) {
            tasks(node.only(WORKLOAD), tasks);
        }
        long count = (long) tasks.size() * sets.size() * scenarios.size();
        if (count > MOST_CASES) {
            throw root.wrong("comes to " + count + " cases; expected " + MOST_CASES + " at most");
        }
        List<Case> cases = new ArrayList<>();
        for (DeviceSelector set : sets) {
            for (Case task : tasks) {
                for (Scenario scenario : scenarios) {
                    cases.add(new Case(
                            set, alone, scenario, task.request(), task.timing(), task.lineup(), task.effort()));
                }
            }
        }
        return cases;
    }

    /** All cases of a workload, as yet on all devices. */
    private void tasks(Node node, List<Case> tasks) {
        Members members = new Members(options, node, root);
        LineupReader reader = new LineupReader(members, node);
        boolean resident = members.get("resident", false, Node::flag);
        Timing timing = members.choice("timing", resident ? Timing.KERNELS : Timing.WALL);
        List<Map<String, String>> combinations = reader.combinations(options.find("--set"), resident, MOST_CASES);
        List<Distribution> distributions = members.get(
                "distribution",
                List.of(Distribution.UNIFORM),
                n -> Members.list(n).stream()
                        .map(each -> Members.known(each, Distribution::named, List.of()))
                        .toList());
        List<Long> items = members.get("sizes", reader.workload().about().defaultSizes(), Members::sizes);
        if ((long) combinations.size() * items.size() * distributions.size() + tasks.size() > MOST_CASES) {
            throw node.wrong("comes to more than " + MOST_CASES + " cases");
        }
        for (Map<String, String> set : combinations) {
            for (Distribution distribution : distributions) {
                for (long size : items) {
                    Request request = reader.request(set, size, distribution);
                    Lineup lineup = reader.lineup(request, set);
                    Effort effort = effort(members, lineup);
                    tasks.add(new Case(DeviceSelector.all(), false, HEALTHY, request, timing, lineup, effort));
                }
            }
        }
    }

    private Effort effort(Members members, Lineup lineup) {
        int usual = lineup.policies().isEmpty() ? 0 : USUAL_STEPS;
        int steps = members.get("sweep", usual, node -> {
            int asked = (int) node.whole(0, MOST_STEPS);
            if (asked == 1) {
                throw node.wrong("1 is neither 0 nor between 2 and " + MOST_STEPS);
            }
            return usual == 0 ? 0 : asked;
        });
        Duration none = Duration.ZERO;
        Duration deadline = top.get("chunkDeadline", none, n -> seconds(n.number(0.001, 1e6)));
        return new Effort(
                top.get("repeat", 0, n -> (int) n.whole(1, MOST_ROUNDS)),
                steps,
                top.get("warmUp", Duration.ofSeconds(1), n -> seconds(n.number(0, MOST_WARM_UP_SECONDS))),
                top.get("verify", false, Node::flag),
                deadline.equals(none) ? null : deadline);
    }

    private static Duration seconds(double seconds) {
        return Duration.ofNanos((long) (seconds * 1e9));
    }

    private List<Scenario> scenarios() {
        Node injected = options.find("--inject");
        Node node = root.find("scenarios");
        if (injected != null || node == null) {
            return List.of(injected == null ? HEALTHY : new Scenario("", faults(injected), Scenario.From.START));
        }
        List<Scenario> scenarios = new ArrayList<>();
        for (Node each : node.list(1, Members.MOST)) {
            Members members = new Members(Node.of(Map.of()), each.only(SCENARIO));
            String name = Members.label(each.get("name"));
            if (scenarios.stream().anyMatch(s -> s.name().equals(name))) {
                throw each.get("name").wrong("every scenario has a name of its own");
            }
            scenarios.add(new Scenario(
                    name,
                    members.get("faults", List.of(), PlanReader::faults),
                    members.choice("from", Scenario.From.START)));
        }
        return scenarios;
    }

    private static List<String> faults(Node node) {
        List<String> faults = new ArrayList<>();
        for (Node fault : node.list(0, Members.MOST)) {
            Members.known(fault, Faults::check, List.of());
            faults.add(fault.text());
        }
        return faults;
    }

    /**
     * Which cases are to be measured. docs/experiment-files.md describes its form as a file.
     *
     * @param name what it is called; empty for what is given on the command line alone
     * @param question what it is to answer; may be empty
     * @param cases in the order in which they are measured: by devices, then by task, then by scenario
     */
    public record Plan(String name, String question, List<Case> cases) {}
}
