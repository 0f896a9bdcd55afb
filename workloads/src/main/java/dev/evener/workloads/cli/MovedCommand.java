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

/** The four commands that became {@code bench}: whatever they are given, they answer with what to type instead. */
@Command(
        name = "compare",
        aliases = {"experiment", "yardsticks", "resident"},
        hidden = true,
        description = "Is evener bench now.")
final class MovedCommand extends CliCommand {
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

    @Override
    int execute() {
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
