package dev.evener.workloads.cli;

import dev.evener.internal.AtomicFiles;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files that commands report to: checked before the work begins, written all at once or not at all. */
final class ReportFiles {
    private ReportFiles() {}

    /** Whether this name stands for standard output. */
    static boolean isStandardOutput(Path file) {
        return file.toString().equals("-");
    }

    /** Finds most of what would prevent the writing, before any work is done for it. */
    static void check(String option, Path file) {
        if (isStandardOutput(file)) {
            return;
        }
        if (file.toString().isEmpty()) {
            throw UserError.usage(option + ": the name is empty");
        }
        if (Files.isDirectory(file)) {
            throw failed(file, "is a folder");
        }
        for (Path up = file.toAbsolutePath().getParent(); up != null; up = up.getParent()) {
            if (Files.exists(up)) {
                if (!Files.isDirectory(up)) {
                    throw failed(file, up + " is not a folder");
                }
                return;
            }
        }
    }

    static void write(Path file, String text) {
        write(file, out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** What is to be in a file; the stream is buffered and stays open. */
    @FunctionalInterface
    interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    static void write(Path file, Content content) {
        try {
            AtomicFiles.write(file, channel -> {
                OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16);
                content.writeTo(out);
                out.flush();
            });
        } catch (IOException e) {
            throw failed(file, UserError.reason(e));
        }
    }

    private static UserError failed(Path file, String reason) {
        return UserError.failed("the report could not be written to " + file + ": " + reason);
    }
}
