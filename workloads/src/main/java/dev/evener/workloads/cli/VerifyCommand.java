package dev.evener.workloads.cli;

import picocli.CommandLine.Command;

/** {@code verify} belongs to the launcher, which installs what the tests need before any Java runs; it is listed here. */
@Command(name = "verify", description = "Sets up what the tests need and runs all of them (through ./evener).")
final class VerifyCommand extends CliCommand {
    @Override
    int execute() {
        throw UserError.usage("the tests are in the sources: type ./evener verify in a checkout");
    }
}
