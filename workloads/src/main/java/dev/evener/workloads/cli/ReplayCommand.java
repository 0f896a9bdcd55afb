package dev.evener.workloads.cli;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.record.RecordReader;
import dev.evener.record.Recording;
import dev.evener.workloads.replay.PolicyText;
import dev.evener.workloads.replay.Replayed;
import dev.evener.workloads.replay.Replayer;
import dev.evener.workloads.workload.InputException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A recorded workload again. */
@Command(
        name = "replay",
        description = "Runs the jobs of a record again, with the same arrivals, checks the results against those of"
                + " then, and shows then and now side by side. docs/records.md describes records.")
final class ReplayCommand extends CliCommand {
    private static final double LEAST_SPEED = 0.001;
    private static final double MOST_SPEED = 1e6;

    @Parameters(paramLabel = "RECORD", description = "A file that --record wrote.")
    private Path record = Path.of("");

    @Option(
            names = "--partial",
            description = "Take a record that was cut off, as by a crash, up to its last whole line.")
    private boolean partial;

    @Option(
            names = "--speed",
            paramLabel = "FACTOR",
            description = "Let jobs arrive so many times as fast, such as 2x.")
    private @Nullable String speed;

    @Option(names = "--asap", description = "Let every job arrive as soon as the one before has ended.")
    private boolean asap;

    @Option(
            names = "--devices",
            paramLabel = "SELECTOR",
            description = "Other devices than those of the record: all, cpu, gpu, jvm, or platform.device pairs such as"
                    + " 0.0,1.0")
    private @Nullable String devices;

    @Mixin
    private PolicyOptions policy = new PolicyOptions();

    @Mixin
    private TuningOption tuning = new TuningOption();

    @Mixin
    private FaultOptions faults = new FaultOptions();

    @Mixin
    private SimulationOptions simulation = new SimulationOptions();

    @Mixin
    private JsonOption json = new JsonOption();

    @Override
    int execute() {
        policy.check();
        json.check();
        faults.on(Evener.builder()); // what is wrong there is said before anything runs
        double factor = speed();
        DeviceSelector selector = selector();
        Recording recording = partial ? RecordReader.readPartial(record) : RecordReader.read(record);
        if (simulation.wanted()) {
            if (speed != null || asap || devices != null || json.wanted()) {
                throw UserError.usage("--simulate goes with --policy, --machine, --seed and --event, not with --speed,"
                        + " --asap, --devices or --json");
            }
            out().print(simulation.run(recording, policy.given() ? policy.text() : null));
            return EvenerCommand.DONE;
        }
        ProgressLine progress = new ProgressLine(err(), !quiet());
        Replayer replayer = new Replayer(
                recording,
                new Replayer.Options(
                        this::open,
                        evener -> tuning.on(evener, this),
                        selector,
                        policy.given() ? policy.text() : null,
                        factor,
                        progress::show));
        List<Replayed> replayed;
        try {
            replayer.check();
            replayed = replayer.run();
        } catch (IllegalArgumentException | InputException e) {
            throw UserError.failed(record + ": " + e.getMessage());
        } finally {
            progress.clear();
        }
        ReplayReport report = new ReplayReport(record, recording, replayer, replayed, factor);
        report.differences().forEach(d -> err().println("evener: " + EvenerCommand.oneLine(d)));
        err().flush();
        if (!quiet() && !json.toStandardOutput()) {
            out().print(report.text());
        }
        if (json.wanted()) {
            json.write(out(), report.toMap());
        }
        return report.differences().isEmpty() ? EvenerCommand.DONE : EvenerCommand.FAILED;
    }

    private Evener open(DeviceSelector which) {
        Evener evener =
                faults.on(Evener.builder().devices(which).bindCores(true)).open();
        if (!quiet()) {
            DeviceOptions.notes(evener).forEach(note -> err().println("evener: " + note));
            err().flush();
        }
        if (policy.given()) {
            try {
                PolicyText.parse(policy.text(), evener.devices().size());
            } catch (IllegalArgumentException e) {
                evener.close();
                throw UserError.usage(e.getMessage());
            }
        }
        return evener;
    }

    /** How many times as fast; infinite for as soon as possible. */
    private double speed() {
        if (speed == null) {
            return asap ? Double.POSITIVE_INFINITY : 1;
        }
        if (asap) {
            throw UserError.usage("--speed and --asap do not go together");
        }
        String digits = speed.endsWith("x") ? speed.substring(0, speed.length() - 1) : speed;
        try {
            double factor = Double.parseDouble(digits);
            if (factor >= LEAST_SPEED && factor <= MOST_SPEED) {
                return factor;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw UserError.usage("--speed: '" + speed + "' is not a factor from 0.001 to 1000000, such as 2x");
    }

    private @Nullable DeviceSelector selector() {
        try {
            return devices == null ? null : DeviceSelector.parse(devices);
        } catch (IllegalArgumentException e) {
            throw UserError.usage("--devices: " + e.getMessage());
        }
    }
}
