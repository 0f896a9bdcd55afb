package dev.evener.workloads;

import dev.evener.workloads.cli.EvenerCommand;

/** Where the {@code evener} program begins. */
public final class Main {
    private Main() {}

    /** Runs a command line and ends the process with its exit code. */
    public static void main(String[] args) {
        System.exit(EvenerCommand.run(args));
    }
}
