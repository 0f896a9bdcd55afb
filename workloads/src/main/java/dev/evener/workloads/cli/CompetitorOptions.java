package dev.evener.workloads.cli;

import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which policies compete; the one place where {@code --chunks} meets a policy. */
final class CompetitorOptions {
    private static final int MOST_CHUNKS = 1_000_000;

    @Option(
            names = "--policies",
            paramLabel = "LIST",
            description =
                    "Policies to compare, separated by commas; all by default. Each device alone and the best static"
                            + " split are measured in any case.")
    private @Nullable String names;

    @Option(
            names = "--chunks",
            split = ",",
            paramLabel = "N",
            description = "Also compare guided and stealing with the job cut into about N equal chunks, for each N of a"
                    + " list such as 8,32,128.")
    private List<Integer> chunks = new ArrayList<>();

    /** Policies that can be told how many chunks to make. */
    private static final Map<String, IntFunction<Policy>> CHUNKED =
            Map.of("guided", Policies::guided, "stealing", Policies::stealing);

    /** The policies by name, in order; those with a number of chunks come last, as {@code NAME/CHUNKS}. */
    Map<String, Policy> policies() {
        Map<String, Policy> policies = new LinkedHashMap<>();
        for (String name : names == null ? Policies.NAMES : List.of(names.split(",", -1))) {
            String plain = name.trim().toLowerCase(Locale.ROOT);
            try {
                policies.put(plain, Policies.named(plain));
            } catch (IllegalArgumentException e) {
                throw UserError.usage("--policies: " + e.getMessage());
            }
        }
        List<String> chunked =
                policies.keySet().stream().filter(CHUNKED::containsKey).toList();
        if (!chunks.isEmpty() && chunked.isEmpty()) {
            throw UserError.usage("--chunks goes with the policies guided and stealing, of which --policies has none");
        }
        for (int count : chunks) {
            UserError.checkCount("--chunks", count, MOST_CHUNKS);
            for (String name : chunked) {
                IntFunction<Policy> maker = Objects.requireNonNull(CHUNKED.get(name));
                policies.put(name + "/" + count, maker.apply(count));
            }
        }
        return policies;
    }
}
