package dev.evener.workloads.cli;

import dev.evener.Evener;
import dev.evener.kernels.tuning.Tuning;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What measures jobs: they may be recorded and shown, devices made to fail, and what {@code evener tune} found left aside. */
abstract class MeasuringCommand extends CliCommand {
    @Mixin
    final RecordOptions record = new RecordOptions();

    @Mixin
    final ReportOptions report = new ReportOptions();

    @Mixin
    final FaultOptions faults = new FaultOptions();

    @Option(names = "--no-tuning")
    boolean untuned;

    /** How primitives are tuned on these devices; {@code --verbose} tells what of it is not the default. */
    final Tuning tuning(Evener evener) {
        Tuning tuning = untuned ? Tuning.defaults() : Tuning.of(evener);
        if (verbose() && !tuning.changed().isEmpty()) {
            warn(List.of("tuned: " + tuning));
        }
        return tuning;
    }
}
