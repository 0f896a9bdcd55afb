package dev.evener.workloads.bench;

import dev.evener.DeviceSelector;
import dev.evener.testing.Faults;
import dev.evener.workloads.bench.Case.Scenario;
import dev.evener.workloads.document.BoundedLines;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.Node;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads which cases are to be measured, from files and from options: these are members, too, which stand before those of a file, so
 * that every member can be replaced; in messages they are named as they were typed ({@code --sizes}). Everything that no device is
 * needed for is checked here and in {@link WorkloadReader}. Stateless.
 */
public final class PlanReader {
    /** Most rounds that can be asked for. */
    public static final int MOST_ROUNDS = 100_000;

    private static final String FORMAT = "evener-experiment";
    private static final int VERSION = 1;
    private static final int LARGEST = 1 << 20;
    private static final int LONGEST_NAME = 100;
    private static final Pattern TYPED = Pattern.compile("-([a-z])");

    private static final List<String> TOP = WorkloadReader.orEither(
            "format version name question workloads devices alone scenarios seed repeat warmUp verify chunkDeadline");
    private static final List<String> SCENARIO = List.of("name", "faults", "from");

    private PlanReader() {}

    /**
     * Which cases are to be measured. docs/bench.md describes its form as a file.
     *
     * @param name what it is called; empty for what is given on the command line alone
     * @param question what it is to answer; may be empty
     * @param cases in the order in which they are measured: by devices, then by task, then by scenario; none where all is simulated
     * @param sweep what is simulated; null where devices are measured
     */
    public record Plan(
            String name,
            String question,
            List<Case> cases,
            @Nullable Sweep sweep) {}

    /**
     * Reads a file.
     *
     * @param options members that stand before those of the file, by their names as options
     * @throws IOException if it cannot be read
     * @throws DocumentException if it is not right: which file, where in it, what is wrong, and what is allowed
     */
    public static Plan read(Path file, Map<String, Object> options) throws IOException {
        try (InputStream in = BoundedLines.open(file)) {
            byte[] text = in.readNBytes(LARGEST + 1);
            if (text.length > LARGEST) {
                throw new DocumentException("", "is larger than " + LARGEST + " bytes, too much for a description");
            }
            return parse(BoundedLines.utf8(text), options, file.toAbsolutePath().getParent());
        } catch (CharacterCodingException e) {
            throw new DocumentException(file.toString(), "is not UTF-8 text");
        } catch (DocumentException e) {
            throw String.valueOf(e.getMessage()).startsWith("--") ? e : e.in(file);
        }
    }

    /**
     * Reads a text.
     *
     * @param folder from which it names files
     * @throws DocumentException as {@link #read}, without the file
     */
    static Plan parse(String text, Map<String, Object> options, Path folder) {
        Node root = Node.object(text);
        if (!root.find("format", "", Node::scalar).equals(FORMAT)) {
            throw root.wrong("is no description of an experiment: expected \"format\": \"" + FORMAT + "\"");
        }
        root.get("version").whole(VERSION, VERSION);
        String name = label(root.get("name"));
        String question = root.find("question", "", Node::text);
        if (root.find("machines") == null) {
            return new Plan(name, question, cases(root.only(TOP), options), null);
        }
        if (!options.isEmpty()) {
            String typed = options.keySet().iterator().next();
            throw new DocumentException(typed, "goes with devices; what is simulated is said by the file alone");
        }
        return new Plan(name, question, List.of(), Sweep.read(root, folder));
    }

    /**
     * Reads options alone.
     *
     * @param workloads names of workloads
     * @throws DocumentException as {@link #read}, without the file
     */
    public static Plan of(List<String> workloads, Map<String, Object> options) {
        List<?> each = workloads.stream().map(name -> Map.of("workload", name)).toList();
        return new Plan("", "", cases(new Node("", Map.of("workloads", each)), options), null);
    }

    private static List<Case> cases(Node root, Map<String, Object> typed) {
        Map<String, Node> named = new LinkedHashMap<>();
        typed.forEach((name, value) -> named.put(
                TYPED.matcher(name.substring(2)).replaceAll(m -> m.group(1).toUpperCase(Locale.ROOT)),
                new Node(name, value)));
        Node options = new Node("", named);
        Node all = Node.layered(options, root);
        List<Scenario> scenarios = scenarios(all);
        List<DeviceSelector> sets = all.find(
                "devices",
                List.of(DeviceSelector.all()),
                n -> n.each(1, WorkloadReader.MOST, each -> each.text(DeviceSelector::parse, List.of())));
        boolean alone = all.find("alone", false, Node::flag);
        List<Case> tasks = new ArrayList<>();
        for (Node node : root.get("workloads").list(1, WorkloadReader.MOST)) {
            new WorkloadReader(node, Node.layered(options, node, root)).addTo(tasks);
        }
        long count = (long) tasks.size() * sets.size() * scenarios.size();
        if (count > WorkloadReader.MOST_CASES) {
            throw root.wrong("comes to " + count + " cases; expected " + WorkloadReader.MOST_CASES + " at most");
        }
        List<Case> cases = new ArrayList<>();
        for (DeviceSelector set : new LinkedHashSet<>(sets)) {
            for (Case task : tasks) {
                scenarios.forEach(scenario -> cases.add(task.on(set, alone, scenario)));
            }
        }
        return cases;
    }

    private static List<Scenario> scenarios(Node all) {
        Node injected = all.find("inject");
        if (injected != null) {
            return List.of(new Scenario("", faults(injected), Scenario.From.START));
        }
        List<Scenario> scenarios = new ArrayList<>();
        for (Node each : all.find("scenarios", List.<Node>of(), n -> n.list(1, WorkloadReader.MOST))) {
            String name = label(each.only(SCENARIO).get("name"));
            if (scenarios.stream().anyMatch(s -> s.name().equals(name))) {
                throw each.get("name").wrong("every scenario has a name of its own");
            }
            scenarios.add(new Scenario(
                    name,
                    each.find("faults", List.of(), PlanReader::faults),
                    each.find("from", Scenario.From.START, n -> n.constant(Scenario.From.class))));
        }
        return scenarios.isEmpty() ? List.of(Scenario.HEALTHY) : scenarios;
    }

    private static List<String> faults(Node node) {
        return node.list(0, WorkloadReader.MOST, each -> each.text(Faults::check, List.of()));
    }

    /** A name that fits a line of a table. */
    static String label(Node node) {
        String text = node.text();
        if (text.isBlank() || text.length() > LONGEST_NAME || text.matches("(?s).*\\p{Cntrl}.*")) {
            throw node.wrong("expected a name of 1 to " + LONGEST_NAME + " characters on one line");
        }
        return text;
    }
}
