package dev.evener.workloads.cli;

import dev.evener.EvenerException;
import java.io.PrintWriter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The top command. Exit codes: 0 done, 1 failed, 2 wrong usage; errors are one line unless {@code --verbose} is given. */
@Command(
        name = "evener",
        description = "Runs one data-parallel job on every CPU and GPU of this machine, finishing together.",
        mixinStandardHelpOptions = true,
        scope = CommandLine.ScopeType.INHERIT,
        versionProvider = Version.class,
        subcommands = {
            DevicesCommand.class,
            TonemapCommand.class,
            RunCommand.class,
            CompareCommand.class,
            ReplayCommand.class,
            ExperimentCommand.class,
            YardsticksCommand.class,
            ResidentCommand.class,
            TuneCommand.class,
            HistoryCommand.class,
            BundleCommand.class,
            VerifyCommand.class,
            CommandLine.HelpCommand.class
        })
public final class EvenerCommand implements Runnable {
    static final int DONE = 0;
    static final int FAILED = 1;
    static final int USAGE = 2;

    @Spec
    private @Nullable CommandSpec spec;

    /** Runs a command line and returns the exit code. */
    public static int run(String... args) {
        return run(new CommandLine(new EvenerCommand()), args);
    }

    /** The same, with the streams to write to. */
    static int run(PrintWriter out, PrintWriter err, String... args) {
        return run(new CommandLine(new EvenerCommand()).setOut(out).setErr(err), args);
    }

    private static int run(CommandLine line, String... args) {
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setParameterExceptionHandler(EvenerCommand::wrongUsage);
        line.setExecutionExceptionHandler(EvenerCommand::failed);
        return line.execute(args);
    }

    @Override
    public void run() {
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        line.usage(line.getOut());
    }

    private static int wrongUsage(ParameterException e, String[] args) {
        PrintWriter err = e.getCommandLine().getErr();
        String command = e.getCommandLine().getCommandSpec().qualifiedName();
        err.println("evener: " + oneLine(e.getMessage()) + " (see " + command + " --help)");
        return USAGE;
    }

    private static int failed(Exception e, CommandLine line, ParseResult parsed) {
        if (verbose(parsed)) {
            e.printStackTrace(line.getErr());
        } else {
            String message = e.getMessage();
            boolean explained = e instanceof EvenerException || e instanceof UserError;
            line.getErr().println("evener: " + (explained && message != null ? oneLine(message) : e.toString()));
        }
        return e instanceof UserError user ? user.exitCode() : FAILED;
    }

    private static boolean verbose(ParseResult parsed) {
        for (ParseResult level = parsed; level != null; level = level.subcommand()) {
            if (level.hasMatchedOption("--verbose")) {
                return true;
            }
        }
        return false;
    }

    /** The first line: the rest, such as a build log, is for {@code --verbose}. */
    static String oneLine(String message) {
        return message.lines()
                .map(String::strip)
                .filter(l -> !l.isEmpty())
                .findFirst()
                .orElse("");
    }
}
