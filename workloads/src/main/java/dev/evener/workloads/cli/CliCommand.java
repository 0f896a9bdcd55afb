package dev.evener.workloads.cli;

import java.io.PrintWriter;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What every command has: {@code --verbose}, and the streams. */
abstract class CliCommand implements Callable<Integer> {
    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--verbose", description = "Show the stack of an error.")
    private boolean verbose;

    /** Does the work and returns the exit code. */
    abstract int execute();

    @Override
    public final Integer call() {
        int code = execute();
        out().flush();
        return code;
    }

    final boolean verbose() {
        return verbose;
    }

    final PrintWriter out() {
        return Objects.requireNonNull(spec).commandLine().getOut();
    }

    final PrintWriter err() {
        return Objects.requireNonNull(spec).commandLine().getErr();
    }
}
