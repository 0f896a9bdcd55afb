package dev.evener.workloads.cli;

import dev.evener.internal.AtomicFiles;
import dev.evener.workloads.workload.Output;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Files that commands write: checked before the work begins, and there when complete or not at all. Stateless. */
final class OutputFiles {
    private OutputFiles() {}

    /** Whether this name stands for standard output. */
    static boolean isStandardOutput(@Nullable Path file) {
        return file != null && file.toString().equals("-");
    }

    /** Finds most of what would prevent the writing of a report, before any work is done for it. */
    static void check(String option, @Nullable Path file) {
        if (file != null && !isStandardOutput(file)) {
            check(option, file, "report");
        }
    }

    /** The same for what cannot go to standard output. */
    static void checkFile(String option, @Nullable Path file, String what) {
        if (file != null) {
            if (isStandardOutput(file)) {
                throw UserError.usage(option + ": name a file; it cannot go to standard output");
            }
            check(option, file, what);
        }
    }

    private static void check(String option, Path file, String what) {
        if (file.toString().isEmpty()) {
            throw UserError.usage(option + ": the name is empty");
        }
        if (Files.isDirectory(file)) {
            throw failed(what, file, "is a folder");
        }
        Path up = file.toAbsolutePath().getParent();
        while (up != null && !Files.exists(up)) {
            up = up.getParent();
        }
        if (up != null && !Files.isDirectory(up)) {
            throw failed(what, file, up + " is not a folder");
        }
        if (up != null && !Files.isWritable(up) && !Files.isWritable(file)) {
            throw failed(what, file, "permission denied");
        }
    }

    /**
     * Finds what would overwrite a file that is read.
     *
     * @param problem what to say then
     */
    static void checkApart(String what, Path written, Path read, String problem) {
        try {
            if (Files.exists(written) && Files.exists(read) && Files.isSameFile(written, read)) {
                throw UserError.usage(problem);
            }
        } catch (IOException e) {
            throw failed(what, written, UserError.reason(e));
        }
    }

    /** Deletes what is kept, if there is anything. */
    static void delete(String what, Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw UserError.failed("the " + what + " " + file + " could not be deleted: " + UserError.reason(e));
        }
    }

    /** Writes a text where it was asked for, if it was. */
    static void write(@Nullable Path file, PrintWriter out, Supplier<String> text) {
        if (isStandardOutput(file)) {
            out.print(text.get());
        } else if (file != null) {
            writeReport(file, to -> to.write(text.get().getBytes(StandardCharsets.UTF_8)));
        }
    }

    /** What is to be in a file; the stream is buffered and stays open. */
    @FunctionalInterface
    interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    static void writeReport(Path file, Content content) {
        write("report", file, channel -> {
            OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16);
            content.writeTo(out);
            out.flush();
        });
    }

    /** Writes the raw little-endian values that a workload computed. */
    static void writeOutput(Path file, Output output) {
        write("output", file, output);
    }

    /** What is to be in a file, if anything. */
    @FunctionalInterface
    interface Optional {
        /** Writes all of it; false if there is to be no such file. */
        boolean writeTo(WritableByteChannel out) throws IOException;
    }

    /** Writes a file that there may turn out to be nothing for; what was there before stays then. */
    static void writeIf(String what, Path file, Optional content) {
        CancellationException nothing = new CancellationException();
        try {
            write(what, file, channel -> {
                if (!content.writeTo(channel)) {
                    throw nothing;
                }
            });
        } catch (CancellationException e) {
            if (e != nothing) {
                throw e;
            }
        } catch (UncheckedIOException e) {
            throw failed(what, file, UserError.reason(e.getCause()));
        }
    }

    private static void write(String what, Path file, Output content) {
        try {
            AtomicFiles.write(file, content::writeTo);
        } catch (IOException e) {
            throw failed(what, file, UserError.reason(e));
        }
    }

    private static UserError failed(String what, Path file, String reason) {
        return UserError.failed("the " + what + " could not be written to " + file + ": " + reason);
    }
}
