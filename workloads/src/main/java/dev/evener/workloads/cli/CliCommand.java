package dev.evener.workloads.cli;

import java.io.PrintWriter;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What every command has: {@code --quiet}, {@code --verbose}, and the streams. */
abstract class CliCommand implements Callable<Integer> {
    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--verbose", description = "Show the stack of an error.")
    private boolean verbose;

    @Option(names = "--quiet", description = "Print nothing but warnings, errors and what was asked for with -.")
    private boolean quiet;

    /** Does the work and returns the exit code. */
    abstract int execute();

    @Override
    public final Integer call() {
        try {
            return execute();
        } finally {
            out().flush();
        }
    }

    final boolean verbose() {
        return verbose;
    }

    final boolean quiet() {
        return quiet;
    }

    final PrintWriter out() {
        return Objects.requireNonNull(spec).commandLine().getOut();
    }

    final Screen err() {
        return (Screen) Objects.requireNonNull(spec).commandLine().getErr();
    }
}
