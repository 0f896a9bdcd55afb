package dev.evener.workloads.cli;

import dev.evener.DeviceInfo;
import dev.evener.RunListener;
import dev.evener.policy.Policy;
import dev.evener.record.Recording;
import dev.evener.simulation.Machine;
import dev.evener.simulation.MachineEvent;
import dev.evener.workloads.LogSetup;
import dev.evener.workloads.replay.PolicyText;
import dev.evener.workloads.replay.SimulatedReplay;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of a replay on a virtual clock; docs/simulation.md. */
final class SimulationOptions {
    @Option(
            names = "--simulate",
            description = "Do not run the jobs but simulate them, on devices modelled after the record.")
    private boolean simulate;

    @Option(
            names = "--machine",
            paramLabel = "FILE",
            description = "With --simulate: the machine that a file describes, in place of the record's.")
    private @Nullable Path machine;

    @Option(
            names = "--save-machine",
            paramLabel = "FILE",
            description = "With --simulate: write the record's machine to a file, to be edited for --machine.")
    private @Nullable Path saved;

    @Option(names = "--seed", paramLabel = "N", description = "With --simulate: of random numbers; 1 by default.")
    private @Nullable Long seed;

    @Option(
            names = "--event",
            paramLabel = "TEXT",
            description =
                    "With --simulate, as often as wanted: '0.1 lost at 2 s', '0.1 hangs at 2 s', '0.1 back at 5 s'"
                            + " or '0.1 slowed 3x from 1 s to 4 s'.")
    private List<String> events = new ArrayList<>();

    /** Whether to simulate. */
    boolean wanted() {
        if (!simulate && (machine != null || saved != null || seed != null || !events.isEmpty())) {
            throw UserError.usage("--machine, --save-machine, --seed and --event need --simulate");
        }
        return simulate;
    }

    /**
     * The replay.
     *
     * @param policy in place of those of the record; null for those
     * @param listeners gives who is told what happens in a run on these devices
     */
    List<SimulatedReplay.Row> run(
            Recording recording, @Nullable String policy, Function<List<DeviceInfo>, RunListener> listeners) {
        List<MachineEvent> parsed;
        try {
            parsed = events.stream().map(MachineEvent::parse).toList();
        } catch (IllegalArgumentException e) {
            throw UserError.usage("--event: " + e.getMessage());
        }
        try {
            if (saved != null) {
                SimulatedReplay.fitted(recording).write(saved);
            }
            Machine other = machine == null ? null : Machine.read(machine);
            int lanes = other != null
                    ? other.devices().size()
                    : recording.runs().isEmpty()
                            ? 1
                            : recording.runs().get(0).devices().size();
            SimulatedReplay replay =
                    new SimulatedReplay(policy(policy, lanes), other, seed == null ? 1 : seed, parsed, listeners);
            return LogSetup.withoutWarnings(() -> replay.of(recording));
        } catch (IOException e) {
            throw UserError.failed("a machine file could not be read or written: " + e);
        }
    }

    private static @Nullable Policy policy(@Nullable String text, int lanes) {
        try {
            return text == null ? null : PolicyText.parse(text, lanes);
        } catch (IllegalArgumentException e) {
            throw UserError.usage(e.getMessage());
        }
    }
}
