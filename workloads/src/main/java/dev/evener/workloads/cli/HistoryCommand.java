package dev.evener.workloads.cli;

import dev.evener.Evener;
import dev.evener.history.History;
import dev.evener.internal.AtomicFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows, exports or clears what is known of the devices' speeds. */
@Command(name = "history", description = "Shows, exports or clears what each device achieved on each kernel.")
final class HistoryCommand extends CliCommand {
    @ArgGroup
    private @Nullable Action action;

    private static final class Action {
        @Option(names = "--clear", description = "Forget everything.")
        private boolean clear;

        @Option(names = "--export", paramLabel = "FILE", description = "Copy the history file to FILE.")
        private @Nullable Path export;
    }

    @Override
    int execute() {
        PrintWriter out = out();
        Path file = Evener.defaultHistoryFile();
        if (action != null && action.clear) {
            clear(file);
            say(out, "the history in " + file + " is empty now");
        } else if (action != null && action.export != null) {
            export(file, action.export);
            say(out, "the history was copied to " + action.export);
        } else if (!quiet()) {
            show(out, file, History.at(file));
        }
        return EvenerCommand.DONE;
    }

    private void say(PrintWriter out, String what) {
        if (!quiet()) {
            out.println(what);
        }
    }

    private static void clear(Path file) {
        try {
            if (Files.exists(file)) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw UserError.failed("the history " + file + " could not be deleted: " + UserError.reason(e));
        }
    }

    private static void export(Path file, Path target) {
        if (!Files.exists(file)) {
            throw UserError.failed("there is no history yet: " + file + " does not exist");
        }
        try {
            AtomicFiles.write(target, Files.readAllBytes(file));
        } catch (IOException e) {
            throw UserError.failed("the history could not be copied to " + target + ": " + UserError.reason(e));
        }
    }

    private static void show(PrintWriter out, Path file, History history) {
        List<History.Entry> entries = history.entries();
        TextTable table = new TextTable("job", ">units", ">ms", ">doubt", ">jobs", "devices");
        for (History.Entry entry : entries) {
            table.row(
                    String.join(" + ", entry.kernels()),
                    entry.units() + "+",
                    number("%.3f", entry.units() * entry.nanosPerUnit() / 1e6),
                    number("%.1f%%", entry.doubt() * 100),
                    Long.toString(entry.jobs()),
                    String.join(", ", entry.devices()));
        }
        if (!entries.isEmpty()) {
            out.println("How long jobs take, by kind, size and devices:");
            out.print(table);
            out.println();
        }
        out.println(entries.size() + " entries in " + file);
    }

    private static String number(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }
}
