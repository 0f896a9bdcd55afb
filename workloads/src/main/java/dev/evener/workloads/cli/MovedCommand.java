package dev.evener.workloads.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The four commands that became {@code bench}, and {@code replay --simulate}: whatever they are given, they answer with what to
 * type instead.
 */
@Command(
        name = "compare",
        aliases = {"experiment", "yardsticks", "resident"},
        hidden = true,
        description = "Is evener bench now.")
final class MovedCommand extends CliCommand {
    private static final String SIMULATE = "replay --simulate";

    /** What is called otherwise; of options that take the next word, what comes before it. */
    private static final Map<String, String> WORDS = Map.ofEntries(
            Map.entry("--experiment", ""),
            Map.entry("--size", "--sizes "),
            Map.entry("--frames", "--sizes "),
            Map.entry("--slots", "--set slots="),
            Map.entry("--input", "--set files="),
            Map.entry("--try", "--tunings "),
            Map.entry("--chunks", "--policies stealing/"),
            Map.entry("segmented-scan", "segmented-scans"),
            Map.entry("reduction", "reduction-steps"),
            Map.entry("rgb-histogram", "rgb-histograms"));

    @Spec
    private @Nullable CommandSpec command;

    @Parameters(arity = "0..*", hidden = true)
    private List<String> words = new ArrayList<>();

    /** The words of a command line, or those that come here where {@code replay} was to simulate. */
    static String[] moved(String... args) {
        List<String> words = new ArrayList<>(List.of(args));
        if (!words.contains("replay") || !words.remove("--simulate")) {
            return args;
        }
        words.subList(0, words.indexOf("replay") + 1).clear();
        words.add(0, "compare");
        words.add(1, SIMULATE);
        return words.toArray(String[]::new);
    }

    @Override
    int execute() {
        if (words.remove(SIMULATE)) {
            throw UserError.usage("'evener replay --simulate' is 'evener simulate' now; type: evener simulate "
                    + String.join(" ", words));
        }
        CommandSpec own = Objects.requireNonNull(command);
        String name = Stream.concat(Stream.of(own.name()), Stream.of(own.aliases()))
                .filter(own.root().commandLine().getParseResult().originalArgs()::contains)
                .findFirst()
                .orElse(own.name());
        StringBuilder now = new StringBuilder("evener bench");
        if (name.equals("yardsticks") || name.equals("resident")) {
            now.append(' ').append(name.equals("yardsticks") ? "primitives" : name);
        }
        boolean joined = false;
        for (String word : words) {
            boolean experiment = word.startsWith("--") || name.equals("experiment");
            String instead = experiment ? WORDS.getOrDefault(word, word) : word;
            now.append(joined || now.charAt(now.length() - 1) == ' ' ? "" : " ").append(instead);
            joined = instead.endsWith("=") || instead.endsWith("/");
        }
        throw UserError.usage("'evener " + name + "' is 'evener bench' now; type: "
                + now.toString().strip());
    }
}
