package dev.evener.workloads.experiment.file;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.Node;
import dev.evener.workloads.document.PlainFiles;
import dev.evener.workloads.document.Suggestion;
import dev.evener.workloads.experiment.Competitors;
import dev.evener.workloads.experiment.Scenario;
import dev.evener.workloads.experiment.Scenario.From;
import dev.evener.workloads.experiment.Settings;
import dev.evener.workloads.experiment.file.Description.Task;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.Workloads;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads descriptions of experiments. Everything that no device is needed for is checked here. Stateless. */
public final class DescriptionReader {
    private static final String FORMAT = "evener-experiment";
    private static final int VERSION = 1;
    private static final int LARGEST = 1 << 20;
    private static final int MOST_COMPARISONS = 10_000;
    private static final int MOST = 1000;
    private static final int LONGEST_NAME = 100;

    private static final List<String> TOP = List.of(
            "format",
            "version",
            "name",
            "question",
            "workloads",
            "policies",
            "devices",
            "scenarios",
            "distribution",
            "seed",
            "repeat",
            "sweep",
            "warmUp",
            "verify",
            "chunkDeadline");
    private static final List<String> WORKLOAD = List.of("workload", "parameters", "sizes", "policies");
    private static final List<String> SCENARIO = List.of("name", "faults", "from");

    private DescriptionReader() {}

    /**
     * Reads a file.
     *
     * @throws IOException if it cannot be read
     * @throws DocumentException if it is not right: which file, where in it, what is wrong, and what is allowed
     */
    public static Description read(Path file) throws IOException {
        try {
            byte[] text;
            try (InputStream in = PlainFiles.open(file)) {
                text = in.readNBytes(LARGEST + 1);
            }
            if (text.length > LARGEST) {
                throw new DocumentException("", "is larger than " + LARGEST + " bytes, too much for a description");
            }
            return parse(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(text))
                    .toString());
        } catch (CharacterCodingException e) {
            throw new DocumentException(file.toString(), "is not UTF-8 text");
        } catch (DocumentException e) {
            throw e.in(file);
        }
    }

    /**
     * Reads a text.
     *
     * @throws DocumentException as {@link #read}, without the file
     */
    static Description parse(String text) {
        Node root = Node.object(text);
        Node format = root.find("format");
        if (format == null || !format.scalar().equals(FORMAT)) {
            throw new DocumentException(
                    "", "is no description of an experiment: expected \"format\": \"" + FORMAT + "\"");
        }
        root.get("version").whole(VERSION, VERSION);
        root.only(TOP);
        Distribution distribution = choice(root, "distribution", Distribution.UNIFORM, Distribution::named);
        Node seedNode = root.find("seed");
        long seed = seedNode == null ? 1 : seedNode.whole(Long.MIN_VALUE, Long.MAX_VALUE);
        Settings settings = settings(root, seed);
        List<Task> tasks = tasks(root, settings.policies(), distribution, seed);
        List<DeviceSelector> sets = sets(root.find("devices"));
        List<Scenario> scenarios = scenarios(root.find("scenarios"));
        long comparisons = (long) tasks.size() * sets.size() * scenarios.size();
        if (comparisons > MOST_COMPARISONS) {
            throw root.wrong("comes to " + comparisons + " comparisons; expected " + MOST_COMPARISONS + " at most");
        }
        Node question = root.find("question");
        Node deadline = root.find("chunkDeadline");
        return new Description(
                label(root.get("name")),
                question == null ? "" : question.text(),
                tasks,
                sets,
                scenarios,
                distribution,
                settings,
                deadline == null ? null : seconds(deadline.number(0.001, 1e6)));
    }

    private static Settings settings(Node root, long seed) {
        Node repeat = root.find("repeat");
        Node sweep = root.find("sweep");
        Node warmUp = root.find("warmUp");
        Node verify = root.find("verify");
        int steps = sweep == null ? Settings.USUAL_STEPS : (int) sweep.whole(0, Settings.MOST_STEPS);
        if (sweep != null && steps == 1) {
            throw sweep.wrong("1 is neither 0 nor between 2 and " + Settings.MOST_STEPS);
        }
        return new Settings(
                policies(root.find("policies"), Map.of()),
                repeat == null ? 0 : (int) repeat.whole(1, Settings.MOST_ROUNDS),
                steps,
                seconds(warmUp == null ? 1 : warmUp.number(0, Settings.MOST_WARM_UP_SECONDS)),
                seed,
                verify != null && verify.flag());
    }

    private static Duration seconds(double seconds) {
        return Duration.ofNanos((long) (seconds * 1e9));
    }

    /** @param otherwise who competes where nothing is said; nobody for every policy there is */
    private static Map<String, Policy> policies(@Nullable Node node, Map<String, Policy> otherwise) {
        if (node == null && !otherwise.isEmpty()) {
            return otherwise;
        }
        Map<String, Policy> policies = new LinkedHashMap<>();
        if (node == null) {
            Policies.NAMES.forEach(name -> policies.put(name, Competitors.named(name)));
            return policies;
        }
        for (Node each : node.list(1, MOST)) {
            String name = each.text();
            Policy policy = known(each, Competitors::named, Policies.NAMES);
            if (policies.put(Competitors.plain(name), policy) != null) {
                throw each.wrong("'" + name + "' is there twice");
            }
        }
        return policies;
    }

    private static List<Task> tasks(Node root, Map<String, Policy> usual, Distribution distribution, long seed) {
        List<Task> tasks = new ArrayList<>();
        for (Node node : root.get("workloads").list(1, MOST)) {
            node.only(WORKLOAD);
            List<String> names = Workloads.all().stream().map(Workload::name).toList();
            Workload workload = known(node.get("workload"), Workloads::named, names);
            Map<String, Policy> policies = policies(node.find("policies"), usual);
            Node sizesNode = node.find("sizes");
            List<Long> sizes = sizesNode == null ? workload.about().defaultSizes() : Ranges.sizes(sizesNode);
            List<Map<String, String>> combinations = combinations(workload, node.find("parameters"));
            if ((long) combinations.size() * sizes.size() + tasks.size() > MOST_COMPARISONS) {
                throw node.wrong("comes to more than " + MOST_COMPARISONS + " comparisons");
            }
            for (Map<String, String> set : combinations) {
                Values values = Values.of(workload, set);
                for (long size : sizes) {
                    tasks.add(new Task(request(node, workload, values, size, distribution, seed), policies));
                }
            }
        }
        return tasks;
    }

    private static Request request(
            Node node, Workload workload, Values values, long size, Distribution distribution, long seed) {
        try {
            return Request.madeUp(workload, values, size, distribution, seed);
        } catch (IllegalArgumentException e) {
            Node sizes = node.find("sizes");
            throw (sizes == null ? node : sizes).wrong(String.valueOf(e.getMessage()));
        }
    }

    /** Every value of each parameter with every value of the others; the last parameter varies fastest. */
    private static List<Map<String, String>> combinations(Workload workload, @Nullable Node parameters) {
        List<Map<String, String>> combinations = List.of(Map.of());
        if (parameters == null) {
            return combinations;
        }
        List<String> names = workload.parameters().stream().map(Parameter::name).toList();
        if (names.isEmpty() && !parameters.names().isEmpty()) {
            throw parameters.wrong(workload.name() + " has no parameters");
        }
        parameters.only(names);
        for (String name : parameters.names()) {
            Node node = parameters.get(name);
            List<String> texts = Ranges.texts(node);
            if ((long) combinations.size() * texts.size() > MOST_COMPARISONS) {
                throw parameters.wrong("comes to more than " + MOST_COMPARISONS + " combinations");
            }
            List<Map<String, String>> more = new ArrayList<>();
            for (Map<String, String> combination : combinations) {
                for (String text : texts) {
                    Map<String, String> set = new LinkedHashMap<>(combination);
                    set.put(name, text);
                    more.add(set);
                }
            }
            for (String text : texts) {
                try {
                    Values.of(workload, Map.of(name, text));
                } catch (IllegalArgumentException e) {
                    throw node.wrong(String.valueOf(e.getMessage()));
                }
            }
            combinations = more;
        }
        return combinations;
    }

    private static List<DeviceSelector> sets(@Nullable Node node) {
        if (node == null) {
            return List.of(DeviceSelector.all());
        }
        List<DeviceSelector> sets = new ArrayList<>();
        for (Node each : node.list(1, MOST)) {
            sets.add(known(each, DeviceSelector::parse, List.of()));
        }
        return sets.stream().distinct().toList();
    }

    private static List<Scenario> scenarios(@Nullable Node node) {
        if (node == null) {
            return List.of(Scenario.HEALTHY);
        }
        List<Scenario> scenarios = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Node each : node.list(1, MOST)) {
            each.only(SCENARIO);
            Node name = each.get("name");
            if (!names.add(label(name))) {
                throw name.wrong("every scenario has a name of its own");
            }
            List<String> faults = new ArrayList<>();
            Node list = each.find("faults");
            for (Node fault : list == null ? List.<Node>of() : list.list(0, MOST)) {
                known(fault, f -> Evener.builder().inject(f), List.of());
                faults.add(fault.text());
            }
            scenarios.add(new Scenario(name.text(), faults, choice(each, "from", From.START, From::named)));
        }
        return scenarios;
    }

    /** A name that fits a line of a table. */
    private static String label(Node node) {
        String text = node.text();
        if (text.isBlank() || text.length() > LONGEST_NAME || text.matches("(?s).*\\p{Cntrl}.*")) {
            throw node.wrong("expected a name of 1 to " + LONGEST_NAME + " characters on one line");
        }
        return text;
    }

    private static <T> T choice(Node object, String name, T otherwise, Function<String, T> named) {
        Node node = object.find(name);
        return node == null ? otherwise : known(node, named, List.of());
    }

    /** What a text names; what is wrong with it is said at its place. */
    private static <T> T known(Node node, Function<String, T> named, List<String> names) {
        String text = node.text();
        try {
            return named.apply(text);
        } catch (IllegalArgumentException e) {
            throw node.wrong(e.getMessage() + Suggestion.of(text, names));
        }
    }
}
