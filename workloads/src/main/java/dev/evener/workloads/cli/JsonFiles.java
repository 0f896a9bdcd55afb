package dev.evener.workloads.cli;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Path;

/** JSON as the commands write it: indented, to a file all at once or not at all. */
final class JsonFiles {
    private JsonFiles() {}

    static String text(Object value) {
        try {
            return JSON.std
                    .with(JSON.Feature.PRETTY_PRINT_OUTPUT, JSON.Feature.WRITE_NULL_PROPERTIES)
                    .asString(value);
        } catch (IOException e) {
            throw new IllegalStateException("a report of plain values could not be written", e);
        }
    }

    static void write(Path file, Object value) {
        ReportFiles.write(file, text(value) + "\n");
    }
}
