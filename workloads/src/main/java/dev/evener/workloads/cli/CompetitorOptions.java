package dev.evener.workloads.cli;

import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which policies compete. */
final class CompetitorOptions {
    @Option(
            names = "--policies",
            paramLabel = "LIST",
            description =
                    "Policies to compare, separated by commas; all by default. Each device alone and the best static"
                            + " split are measured in any case.")
    private @Nullable String names;

    /** The policies by name, in order. */
    Map<String, Policy> policies() {
        List<String> wanted = names == null ? Policies.NAMES : List.of(names.split(",", -1));
        Map<String, Policy> policies = new LinkedHashMap<>();
        for (String name : wanted) {
            String plain = name.trim().toLowerCase(Locale.ROOT);
            try {
                policies.put(plain, Policies.named(plain));
            } catch (IllegalArgumentException e) {
                throw UserError.usage("--policies: " + e.getMessage());
            }
        }
        return policies;
    }
}
