package dev.evener.workloads.cli;

import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import java.util.List;
import picocli.CommandLine.Option;

/** Options of every command that chooses devices. */
final class DeviceOptions {
    @Option(names = "--devices", paramLabel = "SELECTOR")
    private String selector = "all";

    /**
     * What the choice of devices left out, in one line each; nothing where the launcher has said already that there is no
     * OpenCL and which command would change that.
     */
    static List<String> notes(Evener evener) {
        boolean onlyJvm = evener.devices().stream().allMatch(d -> d.kind() == DeviceKind.JVM);
        return onlyJvm && Boolean.getBoolean("evener.told.no.opencl") ? List.of() : evener.notes();
    }

    DeviceSelector selector() {
        return UserError.parsed("--devices: ", () -> DeviceSelector.parse(selector));
    }
}
