package dev.evener.workloads.cli;

import dev.evener.workloads.workload.Distribution;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of commands that make up data. */
final class DataOptions {
    @Option(
            names = "--distribution",
            paramLabel = "NAME",
            description = "How values are spread: uniform (default), constant, sorted, or skewed (nine of ten are the"
                    + " same).")
    private @Nullable String distribution;

    /** Whether anything was asked for. */
    boolean given() {
        return distribution != null;
    }

    Distribution distribution() {
        try {
            return distribution == null ? Distribution.UNIFORM : Distribution.named(distribution);
        } catch (IllegalArgumentException e) {
            throw UserError.usage("--distribution: " + e.getMessage());
        }
    }
}
