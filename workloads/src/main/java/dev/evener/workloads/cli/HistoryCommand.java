package dev.evener.workloads.cli;

import dev.evener.Evener;
import dev.evener.History;
import dev.evener.internal.AtomicFiles;
import dev.evener.workloads.document.Printable;
import dev.evener.workloads.document.TextTable;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
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
        @Option(names = "--clear")
        private boolean clear;

        @Option(names = "--export", paramLabel = "FILE")
        private @Nullable Path export;
    }

    @Override
    int execute() {
        Path file = Evener.defaultHistoryFile();
        if (action != null && action.clear) {
            OutputFiles.delete("history", file);
            say(true, "the history in " + file + " is empty now");
        } else if (action != null && action.export != null) {
            export(file, action.export);
            say(true, "the history was copied to " + action.export);
        } else if (!quiet()) {
            show(out(), file, History.at(file));
        }
        return EvenerCommand.DONE;
    }

    private static void export(Path file, Path target) {
        if (!Files.exists(file)) {
            throw UserError.failed("there is no history yet: " + file + " does not exist");
        }
        OutputFiles.write("copy", target, () -> AtomicFiles.write(target, Files.readAllBytes(file)));
    }

    /** Names are whole: devices have numbers in the table, and what may be long comes last. */
    private static void show(PrintWriter out, Path file, History history) {
        List<History.Entry> entries = history.entries();
        List<String> devices =
                entries.stream().flatMap(e -> e.devices().stream()).distinct().toList();
        if (!entries.isEmpty()) {
            out.println("How long jobs take, by kind, size and devices:");
            out.print(new TextTable<History.Entry>()
                    .column(">units", e -> e.units() + "+")
                    .column(">ms", e -> TextTable.format("%.3f", e.units() * e.nanosPerUnit() / 1e6))
                    .column(">doubt", e -> TextTable.format("%.1f%%", e.doubt() * 100))
                    .column(">jobs", History.Entry::jobs)
                    .column(
                            "devices",
                            e -> e.devices().stream()
                                    .map(device -> "#" + (devices.indexOf(device) + 1))
                                    .collect(Collectors.joining(" ")))
                    .column("job", e -> String.join(" + ", e.kernels()))
                    .of(entries));
            for (int i = 0; i < devices.size(); i++) {
                out.println("#" + (i + 1) + " " + Printable.inOneLine(devices.get(i)));
            }
            out.println();
        }
        out.println((entries.size() == 1 ? "1 entry in " : entries.size() + " entries in ") + file);
    }
}
