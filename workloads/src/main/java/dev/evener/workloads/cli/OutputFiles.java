package dev.evener.workloads.cli;

import dev.evener.Evener;
import dev.evener.internal.files.AtomicFiles;
import dev.evener.kernels.tuning.TuningCache;
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
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Files that commands write: checked before the work begins, and there when complete or not at all. Stateless. */
final class OutputFiles {
    /** The options that name a file to be written, and what it is. */
    private static final Map<String, String> WRITTEN = Map.of(
            "--json", "report",
            "--csv", "report",
            "--markdown", "report",
            "--trace", "report",
            "--report", "report",
            "--record", "report",
            "--output", "output",
            "--out", "output",
            "--save-machine", "machine",
            "--export", "copy");

    private static final Set<String> TO_STANDARD_OUTPUT = Set.of("--json", "--csv", "--markdown", "--out");
    private static final Object STANDARD_OUTPUT = "-";

    private OutputFiles() {}

    /** Whether this name stands for standard output. */
    static boolean isStandardOutput(@Nullable Path file) {
        return file != null && file.toString().equals("-");
    }

    /** A file by what names it on the command line. */
    private record Named(String by, Path file) {}

    /**
     * Finds most of what would prevent the writing of a command's files, before any work is done for them, and that one of them is read
     * or named twice, by whatever name. An option of {@link #WRITTEN} names a file that is written, all others files that are read.
     *
     * @param read files that no such option names
     * @param written likewise, of {@code --out}; only compared with what other options name
     */
    static void check(ParseResult options, Collection<Path> read, Collection<Path> written) {
        Map<Object, Named> writers = new HashMap<>();
        List<Path> inputs = new ArrayList<>(read);
        for (ArgSpec arg : options.matchedArgs()) {
            String by = arg instanceof OptionSpec option ? option.longestName() : arg.paramLabel();
            for (String text : arg.auxiliaryTypes()[0] == Path.class ? arg.stringValues() : List.<String>of()) {
                Path file = Path.of(text);
                if (!WRITTEN.containsKey(by)) {
                    inputs.add(file);
                    continue;
                }
                checkWritable(by, file);
                Named own = new Named(by, file);
                put(writers, own, isStandardOutput(file) ? STANDARD_OUTPUT : identity(own));
                if (by.equals("--record")) {
                    Path partial = file.resolveSibling(file.getFileName() + ".partial"); // until it is complete
                    put(writers, own, identity(new Named(by, partial)));
                }
            }
        }
        if (writers.isEmpty()) {
            return;
        }
        boolean others =
                writers.values().stream().anyMatch(each -> !each.by.equals("--out")); // else thousands for nothing
        for (Path picture : others ? written : List.<Path>of()) {
            Named own = new Named("--out", picture);
            if (writers.containsKey(identity(own))) {
                put(writers, own, identity(own));
            }
        }
        inputs.addAll(List.of(Evener.defaultHistoryFile(), TuningCache.defaultFile()));
        for (Path input : inputs) {
            Named writer = writers.get(identity(new Named("", input)));
            if (writer != null) {
                throw UserError.usage(writer.by + ": " + writer.file + " would replace " + input
                        + ", which is read; name another file");
            }
        }
    }

    private static void put(Map<Object, Named> writers, Named own, @Nullable Object identity) {
        Named other = identity == null ? null : writers.put(identity, own);
        if (other != null) {
            throw UserError.usage(other.by + " and " + own.by + ": both name "
                    + (identity == STANDARD_OUTPUT ? "standard output" : own.file));
        }
    }

    /** Null for what can neither replace anything nor be replaced. */
    private static @Nullable Object identity(Named named) {
        try {
            return AtomicFiles.identity(named.file);
        } catch (IOException e) {
            if (WRITTEN.containsKey(named.by)) {
                throw failed(WRITTEN.get(named.by), named.file, UserError.reason(e));
            }
            return null; // said when it is read
        }
    }

    private static void checkWritable(String by, Path file) {
        if (file.toString().isEmpty()) {
            throw UserError.usage(by + ": the name is empty");
        }
        if (isStandardOutput(file) && !TO_STANDARD_OUTPUT.contains(by)) {
            throw UserError.usage(by + ": name a file; it cannot go to standard output");
        }
        if (!isStandardOutput(file) && !by.equals("--out")) { // which may be a folder
            check(WRITTEN.get(by), file);
        }
    }

    /** Finds most of what would prevent the writing of a file. */
    static void check(String what, Path file) {
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

    /** What writes a file. */
    @FunctionalInterface
    interface Writing {
        void write() throws IOException;
    }

    private static void write(String what, Path file, Output content) {
        write(what, file, () -> AtomicFiles.write(file, content::writeTo));
    }

    static void write(String what, Path file, Writing writing) {
        try {
            writing.write();
        } catch (IOException e) {
            throw failed(what, file, UserError.reason(e));
        }
    }

    private static UserError failed(String what, Path file, String reason) {
        return UserError.failed("the " + what + " could not be written to " + file + ": " + reason);
    }
}
