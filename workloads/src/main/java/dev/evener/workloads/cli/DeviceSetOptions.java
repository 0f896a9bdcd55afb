package dev.evener.workloads.cli;

import dev.evener.DeviceSelector;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** {@code --devices} of commands that run on several sets of devices, one after another. */
final class DeviceSetOptions {
    @Option(
            names = "--devices",
            paramLabel = "SELECTOR",
            description = DeviceOptions.DESCRIPTION + ". Give it again for another set of devices.")
    private List<String> selectors = new ArrayList<>();

    /** Whether anything was asked for. */
    boolean given() {
        return !selectors.isEmpty();
    }

    /** The sets in order, each once. */
    List<DeviceSelector> selectors() {
        if (selectors.isEmpty()) {
            return List.of(DeviceSelector.all());
        }
        try {
            return selectors.stream().map(DeviceSelector::parse).distinct().toList();
        } catch (IllegalArgumentException e) {
            throw UserError.usage("--devices: " + e.getMessage());
        }
    }
}
