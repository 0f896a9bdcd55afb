package dev.evener.workloads.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option of commands that can report as a table for other programs. */
final class CsvOption {
    @Option(
            names = "--csv",
            paramLabel = "FILE",
            description = "Write the results to FILE as CSV (docs/bench.md); - for standard output.")
    private @Nullable Path file;

    /** Whether standard output is to hold nothing but the CSV. */
    boolean toStandardOutput() {
        return file != null && ReportFiles.isStandardOutput(file);
    }

    /** Finds most of what would prevent the writing, before any work is done for it. */
    void check() {
        if (file != null) {
            ReportFiles.check("--csv", file);
        }
    }

    /** Writes it where it was asked for, if it was. */
    void write(PrintWriter out, String csv) {
        if (toStandardOutput()) {
            out.print(csv);
        } else if (file != null) {
            ReportFiles.write(file, csv);
        }
    }
}
