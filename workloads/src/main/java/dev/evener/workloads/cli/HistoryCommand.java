package dev.evener.workloads.cli;

import dev.evener.Evener;
import dev.evener.History;
import dev.evener.internal.AtomicFiles;
import dev.evener.internal.PlainFiles;
import dev.evener.workloads.document.Printable;
import dev.evener.workloads.document.Tables;
import dev.evener.workloads.document.TextTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows, exports or clears what is known of the devices' speeds. */
@Command(name = "history", description = "Shows, exports or clears what each device achieved on each kernel.")
final class HistoryCommand extends CliCommand {
    @ArgGroup
    private @Nullable Action action;

    @Mixin
    private ReportOptions.Json json = new ReportOptions.Json();

    @Mixin
    private ReportOptions.Formats formats = new ReportOptions.Formats();

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
        } else {
            List<History.Entry> entries = History.at(file).entries();
            Tables tables = tables(entries);
            if (!quiet() && !json.toStandardOutput() && !formats.toStandardOutput()) {
                out().print(entries.isEmpty() ? "" : tables.text() + System.lineSeparator());
                out().println((entries.size() == 1 ? "1 entry in " : entries.size() + " entries in ") + file);
            }
            json.write(out(), () -> Map.of("entries", tables.maps()));
            formats.write(out(), () -> tables);
        }
        return EvenerCommand.DONE;
    }

    private static void export(Path file, Path target) {
        if (!Files.exists(file)) {
            throw UserError.failed("there is no history yet: " + file + " does not exist");
        }
        OutputFiles.write(
                "copy", target, () -> AtomicFiles.write(target, PlainFiles.read(file, Integer.MAX_VALUE - 8)));
    }

    /** Names are whole: devices have numbers in the table, and what may be long comes last. */
    private static Tables tables(List<History.Entry> entries) {
        List<String> devices =
                entries.stream().flatMap(e -> e.devices().stream()).distinct().toList();
        TextTable<History.Entry> table = new TextTable<History.Entry>()
                .column(">units", "units", History.Entry::units, units -> units + "+")
                .column(
                        ">ms",
                        "seconds",
                        e -> e.units() * e.nanosPerUnit() / 1e9,
                        seconds -> TextTable.format("%.3f", 1e3 * seconds))
                .column(">doubt", "doubt", History.Entry::doubt, doubt -> TextTable.format("%.1f%%", doubt * 100))
                .column(">jobs", "jobs", History.Entry::jobs, jobs -> jobs)
                .column(
                        "devices",
                        "devices",
                        History.Entry::devices,
                        own -> own.stream()
                                .map(device -> "#" + (devices.indexOf(device) + 1))
                                .collect(Collectors.joining(" ")))
                .column("job", "kernels", History.Entry::kernels, kernels -> String.join(" + ", kernels));
        Tables tables = new Tables().add("How long jobs take, by kind, size and devices:", table, entries);
        for (int i = 0; i < devices.size(); i++) {
            tables.note("#" + (i + 1) + " " + Printable.inOneLine(devices.get(i)));
        }
        return tables;
    }
}
