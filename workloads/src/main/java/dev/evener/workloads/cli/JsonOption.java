package dev.evener.workloads.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option of every command that reports. */
final class JsonOption {
    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Write the report to FILE as JSON (docs/report.md); - for standard output.")
    private @Nullable Path file;

    boolean wanted() {
        return file != null;
    }

    /** Whether standard output is to hold nothing but the JSON. */
    boolean toStandardOutput() {
        return file != null && ReportFiles.isStandardOutput(file);
    }

    /** Finds most of what would prevent the writing, before any work is done for it. */
    void check() {
        if (file != null) {
            ReportFiles.check("--json", file);
        }
    }

    /** Writes the report where it was asked for. */
    void write(PrintWriter out, Object report) {
        if (toStandardOutput()) {
            out.println(JsonFiles.text(report));
        } else {
            JsonFiles.write(Objects.requireNonNull(file), report);
        }
    }
}
