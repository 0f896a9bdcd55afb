package dev.evener.workloads.cli;

import dev.evener.policy.Policy;
import dev.evener.record.RecordReader;
import dev.evener.record.Recording;
import dev.evener.simulation.Machine;
import dev.evener.simulation.MachineEvent;
import dev.evener.workloads.LogSetup;
import dev.evener.workloads.arrivals.Arrivals;
import dev.evener.workloads.replay.PolicyText;
import dev.evener.workloads.replay.SimulatedReplay;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A recorded workload again, on a virtual clock; docs/simulation.md. */
@Command(
        name = "simulate",
        description =
                "Simulates the jobs of a record on a virtual clock, on devices modelled after it or on others, as they"
                        + " were cut then and, beside that, by another policy. docs/simulation.md describes the models.")
final class SimulateCommand extends CliCommand {
    @Parameters(paramLabel = "RECORD", description = "A file that --record wrote.")
    private Path file = Path.of("");

    @Option(names = "--partial")
    private boolean partial;

    @Mixin
    private PolicyOptions policy = new PolicyOptions();

    @Option(names = "--machine", paramLabel = "FILE")
    private @Nullable Path machine;

    @Option(names = "--save-machine", paramLabel = "FILE")
    private @Nullable Path saved;

    @Option(names = "--seed", paramLabel = "N")
    private long seed = 1;

    @Option(names = "--event", paramLabel = "TEXT")
    private List<String> events = new ArrayList<>();

    @Mixin
    private ReportOptions report = new ReportOptions();

    private int runs;

    @Override
    int execute() {
        policy.check();
        if (Arrivals.isNameOf(file)) {
            throw UserError.usage(file + ": only what --record wrote can be simulated");
        }
        List<MachineEvent> parsed = UserError.parsed(
                "--event: ", () -> events.stream().map(MachineEvent::parse).toList());
        Recording recording = partial ? RecordReader.readPartial(file) : RecordReader.read(file);
        List<SimulatedReplay.Row> rows = simulate(recording, parsed);
        tell(report, () -> SimulatedReplay.text(rows), () -> {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("record", file.toString());
            map.put("simulated", rows.stream().map(SimulatedReplay.Row::toMap).toList());
            return map;
        });
        report.reproducible();
        report.write("evener simulate: " + file, page -> {});
        return rows.stream().allMatch(r -> r.failed() == 0) ? EvenerCommand.DONE : EvenerCommand.FAILED;
    }

    private List<SimulatedReplay.Row> simulate(Recording recording, List<MachineEvent> parsed) {
        Path target = saved;
        if (target != null) {
            Machine fitted = SimulatedReplay.fitted(recording);
            report.attempt(() -> OutputFiles.write("machine", target, () -> fitted.write(target)));
        }
        Machine other = machine == null ? null : read(machine);
        int lanes = other != null
                ? other.devices().size()
                : recording.runs().isEmpty()
                        ? 1
                        : recording.runs().get(0).devices().size();
        Policy asked = policy.given() ? UserError.parsed("", () -> PolicyText.parse(policy.text(), lanes)) : null;
        SimulatedReplay replay =
                new SimulatedReplay(asked, other, seed, parsed, on -> report.listener("run " + ++runs, on));
        return LogSetup.withoutWarnings(() -> replay.of(recording));
    }

    private static Machine read(Path file) {
        try {
            return Machine.read(file);
        } catch (IOException e) {
            throw UserError.failed("machine file " + file + ": " + UserError.reason(e));
        }
    }
}
