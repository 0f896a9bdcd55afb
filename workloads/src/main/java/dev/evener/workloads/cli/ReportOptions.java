package dev.evener.workloads.cli;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.DeviceInfo;
import dev.evener.EvenerBuilder;
import dev.evener.event.RunListener;
import dev.evener.metrics.FlightListener;
import dev.evener.workloads.document.Tables;
import dev.evener.workloads.view.EventLog;
import dev.evener.workloads.view.HtmlReport;
import dev.evener.workloads.view.RunEvents;
import dev.evener.workloads.view.TraceWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options of commands that report: as JSON, as a trace, as a page. One Evener after another; what was not asked for is not listened to. */
final class ReportOptions {
    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    @Mixin
    private Json json = new Json();

    @Option(names = "--trace", paramLabel = "FILE")
    private @Nullable Path trace;

    @Option(names = "--report", paramLabel = "FILE")
    private @Nullable Path report;

    private final EventLog log = new EventLog();
    private boolean reproducible;
    private @Nullable RuntimeException failure;

    /** The option of every command that reports. */
    static final class Json {
        @Option(names = "--json", paramLabel = "FILE")
        private @Nullable Path file;

        /** Whether standard output is to hold nothing but the JSON. */
        boolean toStandardOutput() {
            return OutputFiles.isStandardOutput(file);
        }

        /** Writes the report where it was asked for, if it was: indented. */
        void write(PrintWriter out, Supplier<Map<String, Object>> map) {
            OutputFiles.write(file, out, () -> {
                try {
                    return JSON.std
                                    .with(JSON.Feature.PRETTY_PRINT_OUTPUT, JSON.Feature.WRITE_NULL_PROPERTIES)
                                    .asString(map.get())
                            + "\n";
                } catch (IOException e) {
                    throw new IllegalStateException("a report of plain values could not be written", e);
                }
            });
        }
    }

    /** The options of every command that reports in tables. */
    static final class Formats {
        @Option(names = "--csv", paramLabel = "FILE")
        private @Nullable Path csv;

        @Option(names = "--markdown", paramLabel = "FILE")
        private @Nullable Path markdown;

        /** Whether standard output is to hold nothing but one of them. */
        boolean toStandardOutput() {
            return OutputFiles.isStandardOutput(csv) || OutputFiles.isStandardOutput(markdown);
        }

        /** Writes the tables where they were asked for, if they were. */
        void write(PrintWriter out, Supplier<Tables> tables) {
            OutputFiles.write(csv, out, () -> tables.get().csv());
            OutputFiles.write(markdown, out, () -> tables.get().markdown());
        }
    }

    /** Whether standard output is to hold nothing but the JSON. */
    boolean toStandardOutput() {
        return json.toStandardOutput();
    }

    /** Writes the JSON where it was asked for, if it was. */
    void writeJson(PrintWriter out, Supplier<Map<String, Object>> map) {
        attempt(() -> json.write(out, map));
    }

    /** Writes something that must not keep the rest from being written; {@link #write} throws what failed. Whether it was. */
    boolean attempt(Runnable writing) {
        try {
            writing.run();
            return true;
        } catch (RuntimeException e) {
            if (failure == null) {
                failure = e;
            } else {
                failure.addSuppressed(e);
            }
            return false;
        }
    }

    /** The trace is to depend on what happened alone, byte for byte, and so must not say when and how it was written. */
    void reproducible() {
        reproducible = true;
    }

    /** Whether a trace or a page was asked for. */
    boolean wanted() {
        return trace != null || report != null;
    }

    /**
     * Listens to an Evener, if anything is to be shown.
     *
     * @param title of what is heard until the next one is opened; empty if only what is {@link #keep kept} is shown
     */
    void listen(EvenerBuilder builder, String title) {
        builder.listener(new FlightListener());
        if (wanted()) {
            builder.listener(log.under(title));
        }
    }

    /** Who is to be told what happens in a simulation on these devices, if a trace or a page is {@link #wanted}. */
    RunListener listener(String title, List<DeviceInfo> on) {
        log.begin(title, on);
        return event -> log.heard(event);
    }

    /** What was heard since the last time belongs together under this title. Between jobs. */
    void keep(String title) {
        log.end(title);
    }

    /**
     * Writes the trace and the page that were asked for; the last thing that a command does.
     *
     * @param contents adds what is to be shown beside the runs
     * @throws RuntimeException what failed first of all that was to be written; the rest is suppressed by it
     */
    void write(String heading, Consumer<HtmlReport> contents) {
        List<RunEvents> runs = log.runs();
        Path traced = trace;
        if (traced != null) {
            boolean compressed = traced.toString().toLowerCase(Locale.ROOT).endsWith(".gz");
            attempt(() -> OutputFiles.writeReport(traced, out -> {
                OutputStream to = compressed ? new GZIPOutputStream(out) : out;
                TraceWriter.write(to, runs, about(heading, !reproducible));
                if (to instanceof GZIPOutputStream zipped) {
                    zipped.finish();
                }
            }));
        }
        Path shown = report;
        if (shown != null) {
            HtmlReport page = new HtmlReport(heading);
            about(heading, true).entrySet().stream().skip(1).forEach(e -> page.fact(e.getKey(), e.getValue()));
            contents.accept(page);
            runs.forEach(page::add);
            attempt(() ->
                    OutputFiles.writeReport(shown, out -> out.write(page.html().getBytes(StandardCharsets.UTF_8))));
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** @param run whether to say when and how it was run */
    private Map<String, String> about(String heading, boolean run) {
        Map<String, String> about = new LinkedHashMap<>();
        about.put("title", heading);
        if (command != null && run) {
            List<String> words = new ArrayList<>(List.of(command.root().qualifiedName()));
            words.addAll(command.commandLine().getParseResult().originalArgs());
            about.put("command", String.join(" ", words));
        }
        about.put("version", EvenerCommand.version());
        if (run) {
            ZonedDateTime now = ZonedDateTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS);
            about.put("date", now.format(DateTimeFormatter.ISO_OFFSET_DATE_TIME));
        }
        return about;
    }
}
