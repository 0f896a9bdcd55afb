package dev.evener.workloads;

import dev.evener.workloads.cli.EvenerCommand;
import dev.evener.workloads.cli.ProgramFiles;
import java.io.IOException;
import java.net.URISyntaxException;

/** Where the {@code evener} program begins. */
public final class Main {
    private Main() {}

    /** Runs a command line and ends the process with its exit code. */
    public static void main(String[] args) throws IOException, URISyntaxException {
        // No library is there for certain, not even that of the command line.
        System.exit(ProgramFiles.librariesAreThere() ? EvenerCommand.run(args) : 1);
    }
}
