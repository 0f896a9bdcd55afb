package dev.evener.workloads.cli;

import dev.evener.Evener;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Objective;
import dev.evener.policy.Policy;
import dev.evener.policy.Power;
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

    /** The policy asked for; where it wants to know what devices draw, that is measured first. */
    static Policy policy(Evener evener, PolicyOptions options) {
        Policy asked = options.policy(evener.devices().size());
        if (options.objective() == Objective.TIME) {
            return asked;
        }
        try (EnergyMeter meter = EnergyMeter.open()) {
            return Power.telling(asked, meter.powers(evener));
        } catch (IllegalStateException e) {
            throw UserError.failed("--objective " + options.objective().text() + ": " + e.getMessage());
        }
    }

    /** How primitives are tuned on these devices; {@code --verbose} tells what of it is not the default. */
    final Tuning tuning(Evener evener) {
        Tuning tuning = untuned ? Tuning.defaults() : Tuning.of(evener);
        if (verbose() && !tuning.changed().isEmpty()) {
            warn(List.of("tuned: " + tuning));
        }
        return tuning;
    }
}
