package dev.evener.workloads.cli;

import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.workloads.experiment.Competitors;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which policies compete, those with a number of chunks last. */
final class CompetitorOptions {
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

    /** The policies by name, in order; those with a number of chunks come last, as {@code NAME/CHUNKS}. */
    Map<String, Policy> policies() {
        Map<String, Policy> policies = new LinkedHashMap<>();
        for (String name : names == null ? Policies.NAMES : List.of(names.split(",", -1))) {
            add(policies, "--policies", name);
        }
        List<String> chunked =
                policies.keySet().stream().filter(Competitors::takesChunks).toList();
        if (!chunks.isEmpty() && chunked.isEmpty()) {
            throw UserError.usage("--chunks goes with the policies guided and stealing, of which --policies has none");
        }
        for (int count : chunks) {
            UserError.checkCount("--chunks", count, Competitors.MOST_CHUNKS);
            for (String name : chunked) {
                add(policies, "--chunks", name + "/" + count);
            }
        }
        return policies;
    }

    /** Whether anything was asked for. */
    boolean given() {
        return names != null || !chunks.isEmpty();
    }

    private static void add(Map<String, Policy> policies, String option, String name) {
        try {
            policies.put(Competitors.plain(name), Competitors.named(name));
        } catch (IllegalArgumentException e) {
            throw UserError.usage(option + ": " + e.getMessage());
        }
    }
}
