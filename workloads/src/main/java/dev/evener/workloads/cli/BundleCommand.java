package dev.evener.workloads.cli;

import picocli.CommandLine.Command;

/** {@code bundle} belongs to the launcher, as it takes a whole JDK and what the build made; it is listed here. */
@Command(
        name = "bundle",
        description = "Makes an archive that runs on Linux machines without a JDK (through ./evener).")
final class BundleCommand extends CliCommand {
    @Override
    int execute() {
        throw UserError.usage("a bundle is made from a checkout, with a JDK: type ./evener bundle there");
    }
}
