package dev.evener.workloads.cli;

import dev.evener.Evener;
import dev.evener.policy.Policies;
import dev.evener.workloads.arrivals.Trace;
import dev.evener.workloads.cli.Screen.ProgressLine;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.Tables;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** What every command has: {@code --quiet}, {@code --verbose}, and the streams. */
abstract class CliCommand implements Callable<Integer> {
    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--verbose")
    private boolean verbose;

    @Option(names = "--quiet")
    private boolean quiet;

    /** Does the work and returns the exit code. */
    abstract int execute();

    @Override
    public final Integer call() {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader plugins = PolicyOptions.Plugins.loader(Objects.requireNonNull(spec), before)) {
            thread.setContextClassLoader(plugins == null ? before : plugins);
            checkFiles(List.of(), List.of());
            int code = execute();
            if (plugins != null) { // not before: who asks for a policy that is left out is told that by its name
                warn(Policies.notLoaded().stream()
                        .map(each -> "--plugins: a policy is left out: " + each)
                        .toList());
            }
            return code;
        } catch (IOException e) {
            throw UserError.failed("--plugins: " + UserError.reason(e));
        } finally {
            thread.setContextClassLoader(before);
            out().flush();
            err().flush();
        }
    }

    /** Checks the files of the command line: {@link OutputFiles#check(picocli.CommandLine.ParseResult, Collection, Collection)}. */
    final void checkFiles(Collection<Path> read, Collection<Path> written) {
        OutputFiles.check(typed(), read, written);
    }

    final ParseResult typed() {
        return Objects.requireNonNull(spec).commandLine().getParseResult();
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

    /** Where tables for people go. */
    PrintWriter people() {
        return out();
    }

    final Screen err() {
        return (Screen) Objects.requireNonNull(spec).commandLine().getErr();
    }

    /** One line each on standard error. */
    final void warn(List<String> messages) {
        messages.forEach(message -> err().println("evener: " + EvenerCommand.oneLine(message)));
        err().flush();
    }

    /** Prints a line for people at once, unless nothing is to be said or it is not wanted. */
    final void say(boolean wanted, String line) {
        if (wanted && !quiet) {
            out().println(line);
            out().flush();
        }
    }

    /** Says what the choice of devices left out, unless nothing is to be said. */
    final void notes(Evener evener) {
        if (!quiet) {
            warn(DeviceOptions.notes(evener));
        }
    }

    /** A trace of other systems' jobs, by rules of {@code --map}. */
    static <W> Trace<W> trace(Path file, List<String> rules, Trace.Reader<W> reader) {
        return UserError.parsed("--map: ", () -> {
            try {
                return reader.read(file, rules);
            } catch (IOException e) {
                throw UserError.failed(file + ": " + UserError.reason(e));
            } catch (DocumentException e) {
                throw UserError.failed(e.getMessage());
            }
        });
    }

    final ProgressLine progress() {
        return new ProgressLine(err(), !quiet, System::nanoTime);
    }

    /** Prints a table for people, unless standard output is for something else, then writes the JSON that was asked for. */
    final void tell(ReportOptions report, Supplier<String> text, Supplier<Map<String, Object>> json) {
        if (!quiet && !report.toStandardOutput()) {
            people().print(text.get());
        }
        report.writeJson(out(), json);
    }

    /** The same of tables, and writes them in the other forms that were asked for. */
    final void tell(
            ReportOptions report,
            ReportOptions.Formats formats,
            Supplier<Tables> tables,
            Supplier<Map<String, Object>> json) {
        if (!quiet && !report.toStandardOutput() && !formats.toStandardOutput()) {
            people().print(tables.get().text());
        }
        report.writeJson(out(), json);
        report.attempt(() -> formats.write(out(), tables));
    }
}
