package dev.evener.workloads.cli;

import dev.evener.Evener;
import dev.evener.kernels.tuning.Tuning;
import picocli.CommandLine.Option;

/** {@code --no-tuning} of every command that runs primitives. */
final class TuningOption {
    @Option(names = "--no-tuning", description = "Leave aside what evener tune found, and use the defaults.")
    private boolean off;

    /** Whether it is used. */
    boolean wanted() {
        return !off;
    }

    /** What is known of these devices; {@code --verbose} tells what of it is not the default. */
    Tuning on(Evener evener, CliCommand command) {
        Tuning tuning = off ? Tuning.defaults() : Tuning.of(evener);
        if (command.verbose() && !tuning.changed().isEmpty()) {
            command.err().println("evener: tuned: " + tuning);
            command.err().flush();
        }
        return tuning;
    }
}
