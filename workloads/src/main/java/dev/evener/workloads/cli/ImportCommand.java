package dev.evener.workloads.cli;

import dev.evener.DeviceKind;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.imports.KernelImport;
import dev.evener.workloads.workload.KernelFile;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a file of a kernel that somebody else wrote, as far as its text tells, and has a run in the checking mode say what is wrong with it. */
@Command(
        name = "import",
        description =
                "Reads a kernel's text and writes what a declaration of it may be, each guess marked, checked by a run where"
                        + " there are devices. docs/kernel-files.md describes the file.")
final class ImportCommand extends CliCommand {
    /** Set where the run that checks is to be in this process, which a wrong guess may end: a kernel may read anywhere. */
    static final String CHECKS = "evener.import.checks";

    /** The exit code of a process that a signal has ended, and more. */
    private static final int FIRST_SIGNAL = 128;

    private static final Pattern ARGUMENT = Pattern.compile("argument (\\d+)");

    @Parameters(paramLabel = "FILE.cl", description = "The text, in OpenCL C.")
    private @Nullable Path file;

    @Option(names = "--kernel", paramLabel = "NAME")
    private @Nullable String name;

    @Option(names = "--java")
    private boolean java;

    @Option(names = "--output", paramLabel = "FILE")
    private @Nullable Path output;

    @Option(names = "--no-check")
    private boolean unchecked;

    @Mixin
    private DeviceOptions devices = new DeviceOptions();

    @Override
    int execute() {
        Path text = Objects.requireNonNull(file);
        checkFiles(List.of(text), List.of());
        KernelImport found = found(text);
        boolean inOwnProcess = Boolean.getBoolean(CHECKS);
        if (!unchecked && !inOwnProcess) {
            List<String> options = List.of("-D" + CHECKS + "=true", "-XX:+SuppressFatalErrorMessage");
            int code = OwnProcess.run(options, typed().originalArgs(), out(), err()::println);
            if (code < FIRST_SIGNAL) {
                return code;
            }
        }
        String checked = unchecked
                ? "not checked"
                : inOwnProcess
                        ? checked(found, text)
                        : "wrong: the run ended its process, as the kernel goes far outside of what is declared";
        if (output == null) {
            out().print(result(found, text));
        } else {
            OutputFiles.write(output, out(), () -> result(found, text));
        }
        if (!quiet()) {
            found.notes().forEach(each -> err().println("evener: guessed: " + each));
        }
        err().println("evener: " + checked);
        return checked.startsWith("wrong") ? EvenerCommand.FAILED : EvenerCommand.DONE;
    }

    private String result(KernelImport found, Path text) {
        try {
            Path from = output == null ? text.getFileName() : relative(output, text);
            return java ? found.java() : found.json(String.valueOf(from));
        } catch (IllegalArgumentException e) {
            throw UserError.failed(text + ": " + e.getMessage());
        }
    }

    private static Path relative(Path from, Path to) {
        Path folder = from.toAbsolutePath().normalize().resolveSibling("");
        return folder.relativize(to.toAbsolutePath().normalize());
    }

    private KernelImport found(Path text) {
        try {
            List<String> kernels = KernelImport.kernels(text);
            if (kernels.isEmpty()) {
                throw UserError.failed(text + ": there is no kernel in it");
            }
            if (name == null && kernels.size() > 1) {
                throw UserError.usage(
                        text + " has several kernels; name one with --kernel: " + String.join(", ", kernels));
            }
            return KernelImport.of(text, name == null ? kernels.get(0) : name);
        } catch (UncheckedIOException e) {
            throw UserError.failed(e.getMessage());
        } catch (IllegalArgumentException e) {
            throw UserError.usage(text + ": " + e.getMessage());
        }
    }

    /** Runs it until nothing is found wrong, or what is found cannot be declared any wider. */
    private String checked(KernelImport found, Path text) {
        if (Evener.select(devices.selector()).stream().allMatch(each -> each.kind() == DeviceKind.JVM)) {
            return "not checked, as there is no OpenCL device";
        }
        try (Evener evener =
                devices.builder().history(History.inMemory()).checked().open()) {
            while (true) {
                String wrong = wrong(evener, found, text);
                if (wrong == null) {
                    return "checked: a run keeps to what is declared";
                }
                Matcher argument = ARGUMENT.matcher(wrong);
                String mended = argument.find() ? found.mend(Integer.parseInt(argument.group(1)), wrong) : null;
                if (mended == null) {
                    return "wrong: " + EvenerCommand.oneLine(wrong);
                }
            }
        } catch (IllegalArgumentException e) {
            return "not checked: " + e.getMessage();
        }
    }

    /** What a small run says; null if nothing. */
    private static @Nullable String wrong(Evener evener, KernelImport found, Path text) {
        Path description = null;
        try {
            description = Files.createTempFile("evener-import", ".json");
            Files.writeString(description, found.json(text.toAbsolutePath().toString()));
            KernelFile workload = KernelFile.read(description);
            Request request =
                    Request.synthetic(workload, workload.about().defaultSizes().get(0), 1);
            try (PreparedWorkload prepared = workload.prepare(evener, request)) {
                evener.submit(prepared.job()).join();
            }
            return null;
        } catch (CompletionException e) {
            return String.valueOf(e.getCause().getMessage());
        } catch (EvenerException | DocumentException e) {
            return String.valueOf(e.getMessage());
        } catch (IOException e) {
            throw UserError.failed("a file for the run could not be written: " + UserError.reason(e));
        } finally {
            if (description != null) {
                description.toFile().delete();
            }
        }
    }
}
