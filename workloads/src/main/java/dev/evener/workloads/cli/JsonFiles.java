package dev.evener.workloads.cli;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.internal.AtomicFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
        try {
            AtomicFiles.write(file, (text(value) + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw failed(file, UserError.reason(e));
        }
    }

    static UserError failed(Path file, String reason) {
        return UserError.failed("the report could not be written to " + file + ": " + reason);
    }
}
