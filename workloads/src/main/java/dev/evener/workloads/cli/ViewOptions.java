package dev.evener.workloads.cli;

import dev.evener.DeviceInfo;
import dev.evener.Evener;
import dev.evener.RunEvent;
import dev.evener.RunListener;
import dev.evener.workloads.view.EventLog;
import dev.evener.workloads.view.HtmlReport;
import dev.evener.workloads.view.RunEvents;
import dev.evener.workloads.view.TraceWriter;
import java.io.IOException;
import java.io.OutputStream;
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
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Options of commands whose runs can be seen. One Evener after another; what was not asked for is not listened to. */
final class ViewOptions {
    @Spec(Target.MIXEE)
    private @Nullable CommandSpec command;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description = "Write a trace for ui.perfetto.dev to FILE, compressed if its name ends in .gz"
                    + " (docs/seeing.md).")
    private @Nullable Path trace;

    @Option(
            names = "--report",
            paramLabel = "FILE",
            description = "Write a page with charts, for a browser, to FILE (docs/seeing.md).")
    private @Nullable Path report;

    private final List<RunEvents> runs = new ArrayList<>();
    private boolean reproducible;
    private EventLog log = new EventLog();

    /** What the Evener that is open does, and its devices; null before the first one. */
    private @Nullable String title;

    private List<DeviceInfo> devices = List.of();

    /** Finds most of what would prevent the writing, before any work is done for it. */
    void check() {
        check("--trace", trace);
        check("--report", report);
        if (trace != null
                && report != null
                && trace.toAbsolutePath()
                        .normalize()
                        .equals(report.toAbsolutePath().normalize())) {
            throw UserError.usage("--trace and --report: both name " + trace);
        }
    }

    private static void check(String option, @Nullable Path file) {
        if (file != null && ReportFiles.isStandardOutput(file)) {
            throw UserError.usage(option + ": name a file; it cannot go to standard output");
        }
        if (file != null) {
            ReportFiles.check(option, file);
        }
    }

    /** The trace is to depend on what happened alone, byte for byte, and so must not say when and how it was written. */
    void reproducible() {
        reproducible = true;
    }

    private boolean wanted() {
        return trace != null || report != null;
    }

    /** Listens, if anything is to be shown. */
    Evener.Builder on(Evener.Builder builder) {
        return wanted() ? builder.listener(listener()) : builder;
    }

    /** The same, and what is heard until the next Evener is opened belongs together under this title. */
    Evener.Builder on(Evener.Builder builder, String what) {
        return wanted()
                ? builder.listener(new RunListener() {
                    @Override
                    public void opened(List<DeviceInfo> on) {
                        next(what, on);
                    }

                    @Override
                    public void heard(RunEvent event) {
                        log.heard(event);
                    }
                })
                : builder;
    }

    /** Keeps what was heard of the Evener before, if there was one that ran anything. */
    private void next(@Nullable String what, List<DeviceInfo> on) {
        if (title != null && !log.isEmpty()) {
            keep(title, devices);
        }
        title = what;
        devices = on;
    }

    /** Who is to be told what happens, also in a simulation. */
    RunListener listener() {
        return e -> {
            if (wanted()) {
                log.heard(e);
            }
        };
    }

    /** What was heard since the last time belongs together under this title. Between jobs. */
    void keep(String what, List<DeviceInfo> on) {
        if (wanted()) {
            runs.add(RunEvents.of(what, on, log));
            log = new EventLog();
            long events = runs.stream().mapToLong(run -> run.events().size()).sum();
            for (int i = 0; events > EventLog.MOST; i++) { // no more than there may be of one Evener
                RunEvents all = runs.get(i);
                List<RunEvent> left = all.events()
                        .subList(
                                (int) Math.min(
                                        events - EventLog.MOST, all.events().size()),
                                all.events().size());
                int gone = all.events().size() - left.size();
                runs.set(i, new RunEvents(all.title(), all.devices(), left, all.forgotten() + gone));
                events -= gone;
            }
        }
    }

    /** What is to be shown beside the runs. */
    interface Contents {
        /** Adds it to the page. */
        void addTo(HtmlReport page);
    }

    /** Writes what was asked for. */
    void write(String heading, Contents contents) {
        next(null, List.of());
        if (trace != null) {
            boolean compressed = trace.toString().toLowerCase(Locale.ROOT).endsWith(".gz");
            ReportFiles.write(trace, out -> {
                if (compressed) {
                    try (OutputStream zipped = new GZIPOutputStream(out)) {
                        trace(heading, zipped);
                    }
                } else {
                    trace(heading, out);
                }
            });
        }
        if (report != null) {
            HtmlReport page = new HtmlReport(heading);
            about().forEach(page::fact);
            contents.addTo(page);
            runs.forEach(page::add);
            ReportFiles.write(report, page.html());
        }
    }

    private void trace(String heading, OutputStream out) throws IOException {
        Map<String, String> about = new LinkedHashMap<>();
        about.put("title", heading);
        about.putAll(about());
        if (reproducible) {
            about.keySet().removeAll(List.of("command", "date"));
        }
        TraceWriter.write(out, runs, about);
    }

    private Map<String, String> about() {
        Map<String, String> about = new LinkedHashMap<>();
        if (command != null) {
            List<String> words = new ArrayList<>(List.of(command.root().qualifiedName()));
            words.addAll(command.commandLine().getParseResult().originalArgs());
            about.put("command", String.join(" ", words));
        }
        about.put("version", Version.text());
        about.put(
                "date",
                ZonedDateTime.now(ZoneId.systemDefault())
                        .truncatedTo(ChronoUnit.SECONDS)
                        .format(DateTimeFormatter.ISO_OFFSET_DATE_TIME));
        return about;
    }
}
