package dev.evener.workloads.cli;

import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.internal.files.AtomicFiles;
import dev.evener.internal.files.PlainFiles;
import dev.evener.workloads.document.Printable;
import dev.evener.workloads.document.Tables;
import dev.evener.workloads.document.TextTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows, exports or clears what is known of the devices' speeds. */
@Command(name = "history", description = "Shows, exports, forgets or clears what each device achieved on each kernel.")
final class HistoryCommand extends CliCommand {
    /** Of a device of this machine, as other commands take them. */
    private static final Pattern ID = Pattern.compile("\\d+\\.\\d+(:.*)?|uuid:.*|pci:.*|jvm");

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

        @Option(names = "--forget", paramLabel = "DEVICE")
        private @Nullable String forget;
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
        } else if (action != null && action.forget != null) {
            String device = forget(file, action.forget);
            say(true, "what was learnt of " + Printable.inOneLine(device) + " is forgotten in " + file);
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

    private static String forget(Path file, String text) {
        History history = History.at(file);
        String device = ID.matcher(text).matches() ? ofThisMachine(text) : known(text, history, file);
        history.forget(device);
        history.save();
        if (devices(History.at(file).entries()).contains(device)) { // there is a warning in the log that says why
            throw UserError.failed("--forget: the history in " + file + " could not be written");
        }
        return device;
    }

    private static String ofThisMachine(String id) {
        List<DeviceInfo> meant = UserError.parsed("--forget: ", () -> Evener.select(DeviceSelector.ids(List.of(id))));
        if (meant.size() != 1) {
            throw UserError.usage("--forget: '" + id + "' means " + meant.size() + " devices: name one at a time");
        }
        return meant.get(0).identity();
    }

    /** The device with this number in the table, of this name, or the only one whose name has this part. */
    private static String known(String text, History history, Path file) {
        List<String> all = devices(history.entries());
        String part = text.toLowerCase(Locale.ROOT);
        List<String> meant = IntStream.range(0, all.size())
                .filter(i -> text.equals("#" + (i + 1)))
                .mapToObj(all::get)
                .toList();
        meant = !meant.isEmpty() ? meant : all.stream().filter(text::equals).toList();
        meant = !meant.isEmpty()
                ? meant
                : all.stream()
                        .filter(each -> each.toLowerCase(Locale.ROOT).contains(part))
                        .toList();
        if (meant.size() == 1) {
            return meant.get(0);
        }
        String list = IntStream.range(0, all.size())
                .mapToObj(i -> "#" + (i + 1) + " " + Printable.inOneLine(all.get(i)))
                .collect(Collectors.joining(", "));
        throw UserError.usage("--forget: '" + text + "' is " + (meant.isEmpty() ? "none" : "more than one")
                + " of the devices in " + file + ": " + (all.isEmpty() ? "it has none" : list));
    }

    private static List<String> devices(List<History.Entry> entries) {
        return entries.stream().flatMap(e -> e.devices().stream()).distinct().toList();
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
        List<String> devices = devices(entries);
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
