package dev.evener.internal.cl;

import dev.evener.DeviceInfo;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URISyntaxException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jocl.CL;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The self-test of a device in a process of its own, and with a limit of time: nothing else survives a driver that ends its process, or
 * stops one whose compiler never ends. That process is a small JVM with this one's classes and environment. It writes what it
 * finds, as {@link SelfTest} keeps it, to a folder that is made for it. Where no such process can be started (a runtime without
 * {@code bin/java}, classes that are in no file, a container that forbids it) the test runs here, in a thread that is left alone
 * when it hangs. Immutable; any thread.
 *
 * @param command starts the process, but for the file that it writes
 * @param limit generous, as a slow machine may have much to compile
 * @param patience after so long the next is told what is waited for
 * @param progress is told by another thread
 */
record DriverTrial(List<String> command, Duration limit, Duration patience, Consumer<String> progress) {
    private static final Logger LOG = LoggerFactory.getLogger(DriverTrial.class);
    private static final long LOOK_MILLIS = 50;
    private static final Set<Integer> ENDED_BY_OTHERS =
            Set.of(128 + 1, 128 + 2, 128 + 9, 128 + 15); // HUP, INT, KILL, TERM

    /** As users get it. */
    static DriverTrial usual() {
        return new DriverTrial(java(DriverTrial.class), Duration.ofSeconds(60), Duration.ofSeconds(3), LOG::warn);
    }

    /** Starts a JVM with a class of this library; an empty list if that cannot be. */
    static List<String> java(Class<?> main) {
        Set<String> classes = new LinkedHashSet<>();
        try {
            for (Class<?> each : List.of(main, DriverTrial.class, DeviceInfo.class, CL.class, Logger.class)) {
                classes.add(Path.of(each.getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI())
                        .toString());
            }
        } catch (URISyntaxException
                | RuntimeException e) { // they are in no file, or a security manager keeps it to itself
            LOG.debug("no other JVM can have these classes", e);
            return List.of();
        }
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+IgnoreUnrecognizedVMOptions",
                "-XX:+SuppressFatalErrorMessage", // and no file about it, nor a core
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx64m",
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                "-Djava.library.path=" + System.getProperty("java.library.path"),
                "-D" + NativeLibrary.PATH + "=" + System.getProperty(NativeLibrary.PATH, ""),
                "-cp",
                String.join(File.pathSeparator, classes),
                main.getName());
    }

    /**
     * What another process found, as {@link SelfTest} keeps it, and is kept if it is a verdict; nothing if none could be started, or it did not come as far as
     * the test.
     *
     * @param file where the verdict will be kept
     */
    Properties elsewhere(ClDevice device, Path file) {
        Properties found = new Properties();
        if (command.isEmpty()) {
            return found;
        }
        Path folder = null;
        FileChannel turn = null;
        try {
            turn = turn(device, file);
            found.putAll(SelfTest.read(file)); // of whoever had the turn before
            if (found.containsKey("rounds")) {
                return found;
            }
            found.clear();
            folder = Files.createTempDirectory("evener-trial");
            Path told = folder.resolve(file.getFileName());
            List<String> whole = new ArrayList<>(command);
            whole.add(told.toString());
            Process process = start(whole);
            boolean ended;
            try {
                ended = ends(process.onExit(), device) != null;
            } finally {
                end(process);
            }
            found.putAll(SelfTest.read(told));
            if (found.containsKey("process") || (!ended && found.isEmpty())) { // it began, and that is all
                String problem = ended ? crashed(process.exitValue()) : hung();
                found.setProperty("problem", problem + SelfTest.again(file));
                if (!ended || !ENDED_BY_OTHERS.contains(process.exitValue())) {
                    found.setProperty("rounds", Long.toString(Long.MAX_VALUE));
                }
            }
            if (found.containsKey("rounds")) { // before the turn is the next one's
                SelfTest.keep(file, device, SelfTest.verdict(found));
            }
        } catch (IOException | RuntimeException e) {
            LOG.debug(
                    "device {} is tested in this process, as no other can be started",
                    device.info().id(),
                    e);
        } finally {
            if (folder != null) {
                NativeLibrary.remove(folder);
            }
            close(turn);
        }
        return found;
    }

    /**
     * The turn to test it, for which processes with one cache wait: those that start together would be too slow for the limit. It comes
     * anyway when two tests should have ended, and at once where nothing can be kept or locked, or when this thread is interrupted.
     */
    private @Nullable FileChannel turn(ClDevice device, Path file) {
        FileChannel turn = null;
        CompletableFuture<Boolean> come = new CompletableFuture<>();
        try {
            Files.createDirectories(file.getParent());
            turn = new RandomAccessFile(file + ".turn.lock", "rw").getChannel();
            for (long left = 2 * limit.toMillis(); left > 0 && !isLocked(turn); left -= LOOK_MILLIS) {
                if (left == 2 * limit.toMillis()) {
                    tell(come, device);
                }
                Thread.sleep(LOOK_MILLIS);
            }
        } catch (IOException e) {
            LOG.debug("nobody else is waited for", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        come.complete(true);
        return turn;
    }

    private static boolean isLocked(FileChannel turn) throws IOException {
        try {
            return turn.tryLock() != null;
        } catch (OverlappingFileLockException e) { // another class loader's
            return false;
        }
    }

    private static void close(@Nullable FileChannel turn) {
        try {
            if (turn != null) {
                turn.close();
            }
        } catch (IOException e) {
            LOG.debug("a lock's file was not closed", e);
        }
    }

    /** Runs such a process to its end, or to that of a time. */
    static void runs(List<String> command, Duration limit) throws IOException {
        Process process = start(command);
        CompletableFuture<Process> exit = process.onExit();
        limit(exit, limit, () -> exit.complete(process));
        try {
            exit.join();
        } finally {
            end(process);
        }
    }

    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        CompletableFuture<Process> gone = process.destroyForcibly().onExit();
        limit(gone, Duration.ofSeconds(5), () -> gone.complete(process));
        gone.join();
    }

    /** The JDK's thread that waits for processes would keep this thread's class loader for a minute. */
    private static Process start(List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        // What an application's JVM is told, such as to wait for a debugger, is not for this one.
        builder.environment().keySet().removeAll(Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"));
        Thread here = Thread.currentThread();
        ClassLoader own = here.getContextClassLoader();
        here.setContextClassLoader(null);
        try {
            return builder.start();
        } finally {
            here.setContextClassLoader(own);
        }
    }

    private static String crashed(int code) {
        return "its driver ends the process that tests it ("
                + (code > 128 ? "signal " + (code - 128) : "exit code " + code) + ")";
    }

    private String hung() {
        return "its driver has not come back from the test within " + limit.toSeconds() + " s";
    }

    /** The same test in this process. */
    SelfTest.Verdict here(ClDevice device, Path file, Function<ClDevice, SelfTest.Verdict> test) {
        CompletableFuture<SelfTest.Verdict> verdict = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        verdict.complete(test.apply(device));
                    } catch (Throwable e) {
                        verdict.completeExceptionally(e);
                    }
                },
                "evener-self-test");
        thread.setDaemon(true);
        thread.start();
        SelfTest.Verdict found = ends(verdict, device);
        return found != null ? found : new SelfTest.Verdict(hung() + SelfTest.again(file), Long.MAX_VALUE);
    }

    /** Waits for it, whether or not this thread is interrupted; null if it does not come within the limit. */
    private <T> @Nullable T ends(CompletableFuture<T> coming, ClDevice device) {
        tell(coming, device);
        limit(coming, limit, () -> coming.complete(null));
        try {
            return coming.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            if (e.getCause() instanceof Error cause) {
                throw cause;
            }
            throw e;
        }
    }

    private void tell(CompletableFuture<?> coming, ClDevice device) {
        limit(
                coming,
                patience,
                () -> progress.accept("waiting for the driver of device "
                        + device.info().id() + " (" + device.info().name() + ", "
                        + device.info().platform()
                        + "): it is new here and being tested, and is left out unless it answers within "
                        + limit.toSeconds() + " s"));
    }

    /**
     * Runs something if a future does not end in time. In a thread of its own: the JDK's, which completes on timeouts, keeps the class
     * loader that first needed it, perhaps that of an application which a server undeploys.
     */
    private static void limit(CompletableFuture<?> coming, Duration limit, Runnable late) {
        Thread thread = new Thread(
                () -> {
                    try {
                        coming.get(limit.toNanos(), TimeUnit.NANOSECONDS);
                    } catch (TimeoutException e) {
                        late.run();
                    } catch (InterruptedException | ExecutionException e) {
                        // it has ended, and whoever waits for it hears how
                    }
                },
                "evener-trial-limit");
        thread.setDaemon(true);
        thread.start();
    }

    /** The other process: tests the device whose verdict has the name of this file. */
    public static void main(String[] arguments) {
        run(Path.of(arguments[0]), SelfTest::run);
    }

    static void run(Path told, Function<ClDevice, SelfTest.Verdict> test) {
        runs(
                told,
                () -> ClDevice.all().stream()
                        .filter(device -> told.endsWith(SelfTest.name(device)))
                        .findFirst()
                        .ifPresent(device -> SelfTest.here(device, told, test)));
    }

    /** All that such a process does. It ends with the one that started it. */
    static void runs(Path told, Runnable trial) {
        Thread parent = new Thread(() -> endWithParent(told), "evener-parent");
        parent.setDaemon(true);
        parent.start();
        try {
            trial.run();
        } catch (Throwable e) { // not the driver's doing, such as a class that is missing here: no verdict
            NativeLibrary.remove(told.getParent());
        }
        Runtime.getRuntime().halt(0);
    }

    /** A driver that hangs must not outlive the program that tried it. */
    private static void endWithParent(Path told) {
        try {
            while (System.in.read() >= 0) {
                // the other end says nothing, and is closed when it ends
            }
        } catch (IOException e) {
            // so it is
        }
        NativeLibrary.remove(told.getParent());
        Runtime.getRuntime().halt(1);
    }
}
