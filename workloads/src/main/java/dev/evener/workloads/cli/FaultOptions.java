package dev.evener.workloads.cli;

import dev.evener.EvenerBuilder;
import dev.evener.testing.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of every command that runs jobs: what to do about devices that hang, and, for experiments, making them fail. */
final class FaultOptions {
    @Option(names = "--chunk-deadline", paramLabel = "SECONDS")
    private @Nullable Double chunkDeadline;

    @Option(
            names = "--inject",
            paramLabel = "FAULT",
            hidden = true,
            description =
                    "For experiments: lane=N,fault=error|die|hang[:SECONDS]|slow:FACTORx|build|alloc, and chunk=N if"
                            + " it should not begin with the lane's first chunk. May be given more than once.")
    private List<String> faults = new ArrayList<>();

    /** What is to be injected. */
    List<String> faults() {
        return faults;
    }

    /** After how many seconds in a chunk a device counts as hung, as typed; null for no limit. */
    @Nullable
    Double seconds() {
        return chunkDeadline;
    }

    /** Checks what can be checked before any device is opened, and sets the options. */
    EvenerBuilder on(EvenerBuilder builder) {
        return on(builder, Faults.atOnce());
    }

    /** The same for faults that begin when {@code begun} says so. */
    EvenerBuilder on(EvenerBuilder builder, BooleanSupplier begun) {
        if (chunkDeadline != null) {
            if (!(chunkDeadline >= 0.001 && chunkDeadline <= 1e6)) {
                throw UserError.usage(
                        "--chunk-deadline: " + chunkDeadline + " is not between 0.001 and 1000000 seconds");
            }
            builder.chunkDeadline(Duration.ofNanos((long) (chunkDeadline * 1e9)));
        }
        for (String fault : faults) {
            UserError.parsed("--inject: ", () -> Faults.inject(builder, fault, begun));
        }
        return builder;
    }
}
