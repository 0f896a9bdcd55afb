package dev.evener.workloads.cli;

import dev.evener.DeviceSelector;
import picocli.CommandLine.Option;

/** Options of every command that chooses devices. */
final class DeviceOptions {
    @Option(
            names = "--devices",
            paramLabel = "SELECTOR",
            description = "all (default), cpu, gpu, jvm, or platform.device pairs such as 0.0,1.0")
    private String selector = "all";

    DeviceSelector selector() {
        try {
            return DeviceSelector.parse(selector);
        } catch (IllegalArgumentException e) {
            throw UserError.usage("--devices: " + e.getMessage());
        }
    }
}
