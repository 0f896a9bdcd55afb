package dev.evener.workloads.cli;

import dev.evener.internal.AtomicFiles;
import dev.evener.workloads.workload.InputFile;
import dev.evener.workloads.workload.Output;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A file for the raw little-endian values that a workload computed: checked first, and there when complete or not at all. */
final class OutputFile {
    private static final String OPTION = "--output";

    private final Path file;

    private OutputFile(Path file) {
        this.file = file;
    }

    /** Finds most of what would prevent the writing. What is read must not be written. */
    static OutputFile checked(Path file, List<InputFile> inputs) {
        if (file.toString().isEmpty()) {
            throw UserError.usage(OPTION + ": the name is empty");
        }
        if (ReportFiles.isStandardOutput(file)) {
            throw UserError.usage(OPTION + ": values are written to files, not to standard output");
        }
        if (ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
            throw failed(file, "raw values can be written on little-endian machines only");
        }
        try {
            if (Files.isDirectory(file)) {
                throw failed(file, "is a folder");
            }
            for (InputFile input : inputs) {
                if (Files.exists(file) && Files.isSameFile(file, input.path())) {
                    throw UserError.usage(OPTION + ": " + file + " is read by --input; name another file");
                }
            }
            for (Path up = file.toAbsolutePath().getParent(); up != null; up = up.getParent()) {
                if (Files.exists(up)) {
                    if (!Files.isDirectory(up)) {
                        throw failed(file, up + " is not a folder");
                    }
                    if (!Files.isWritable(up) && !Files.isWritable(file)) {
                        throw failed(file, "permission denied");
                    }
                    break;
                }
            }
        } catch (IOException e) {
            throw failed(file, UserError.reason(e));
        }
        return new OutputFile(file);
    }

    /** Where it is. */
    Path path() {
        return file;
    }

    void write(Output output) {
        try {
            AtomicFiles.write(file, output::writeTo);
        } catch (IOException e) {
            throw failed(file, UserError.reason(e));
        }
    }

    private static UserError failed(Path file, String reason) {
        return UserError.failed("the output could not be written to " + file + ": " + reason);
    }
}
