package dev.evener.workloads.cli;

import dev.evener.workloads.Main;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** This program once more, with the same options of the JVM, as a process that ends with this one. */
final class OwnProcess {
    private OwnProcess() {}

    /**
     * Runs it and returns its exit code: 128 and a signal's number if that ended it.
     *
     * @param options further ones of the JVM
     * @param words of the command line
     * @param out where its standard output goes
     * @param errors is given each line of its standard error
     */
    static int run(List<String> options, List<String> words, Writer out, Consumer<String> errors) {
        List<String> all = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        all.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        all.addAll(options);
        all.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        all.addAll(words);
        try {
            Process process = new ProcessBuilder(all).start();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
            try {
                CompletableFuture<?> copied = CompletableFuture.runAsync(() -> copy(process.inputReader(), out));
                process.errorReader().lines().forEach(errors);
                copied.join();
                return process.waitFor();
            } finally {
                process.destroy();
            }
        } catch (IOException e) {
            throw UserError.failed("no process could be started: " + UserError.reason(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw UserError.failed("interrupted");
        }
    }

    private static void copy(Reader from, Writer to) {
        try {
            from.transferTo(to);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
