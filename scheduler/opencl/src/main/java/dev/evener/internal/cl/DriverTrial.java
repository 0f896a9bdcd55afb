package dev.evener.internal.cl;

import dev.evener.DeviceInfo;
import dev.evener.internal.files.AtomicFiles;
import dev.evener.internal.files.PlainFiles;
import dev.evener.internal.recovery.LaneFailure;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.net.URISyntaxException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jocl.CL;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A test of a driver in a process of its own, and with a limit of time: nothing else survives a driver that ends its
 * process, or stops one whose compiler never ends. That process is a small JVM with this one's classes and
 * environment. It writes what it finds to a folder that is made for it. Where no such process can be started (a
 * runtime without {@code bin/java}, classes that are in no file, a container that forbids it) the test runs here, in a
 * thread that is left alone when it hangs; then the file tells that a process began it, and after some that did not
 * come back the driver counts as failed. Whoever tests holds a lock meanwhile: numbers of processes mean nothing in
 * another container. Immutable; any thread.
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

    /**
     * What is tested, and the file in which the verdict is kept.
     *
     * @param driver whose it is, for messages
     * @param title of the file
     * @param failed what the verdict is, beside the problem, if the driver ends the process or does not come back.
     *     What has all of these keys is a verdict
     * @param crashes after so many processes that did not come back it is not tested in this one
     */
    record Subject(String driver, String title, Path file, Map<String, String> failed, int crashes) {
        private boolean isTold(Properties kept) {
            return kept.keySet().containsAll(failed.keySet());
        }

        private Properties failure(String problem) {
            Properties verdict = new Properties();
            verdict.putAll(failed);
            verdict.setProperty("problem", problem);
            return verdict;
        }

        private String again() {
            return "; delete " + file + " to have it tested again";
        }

        Properties keep(Properties content) {
            write(file, title, content);
            return content;
        }
    }

    /** Starts a JVM with a class of this library; an empty list if that cannot be. */
    static List<String> java(Class<?> main, String... arguments) {
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
        List<String> command = List.of(
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
        return Stream.concat(command.stream(), Stream.of(arguments)).toList();
    }

    /**
     * The verdict that is kept, or else another process's, or else that of this test; the problem alone if there is
     * none.
     */
    Properties verdict(Subject subject, Supplier<Properties> test) {
        Properties kept = read(subject.file());
        if (!subject.isTold(kept)) {
            kept = elsewhere(subject);
            if (kept.isEmpty()) {
                return here(subject, () -> inTime(subject, test));
            }
        }
        return kept;
    }

    /**
     * What another process found, which is kept if it is a verdict; nothing if none could be started, or it did not
     * come as far as the test.
     */
    @SuppressWarnings("try") // the turn is had
    private Properties elsewhere(Subject subject) {
        Properties found = new Properties();
        if (command.isEmpty()) {
            return found;
        }
        try (FileChannel turn = turn(subject)) {
            Properties kept = read(subject.file()); // of whoever had the turn before
            found.putAll(subject.isTold(kept) ? kept : ofProcess(subject));
        } catch (IOException | RuntimeException e) {
            LOG.debug("{} is tested in this process, as no other can be started", subject.driver(), e);
        }
        return found;
    }

    private Properties ofProcess(Subject subject) throws IOException {
        Path folder = Files.createTempDirectory("evener-trial");
        try {
            Path told = folder.resolve(subject.file().getFileName());
            List<String> whole = new ArrayList<>(command);
            whole.add(told.toString());
            Process process = start(whole);
            boolean ended;
            try {
                ended = ends(process.onExit(), subject) != null;
            } finally {
                end(process);
            }
            Properties found = read(told);
            if (found.containsKey("process") || (!ended && found.isEmpty())) { // it began, and that is all
                String problem = ended ? crashed(process.exitValue()) : hung();
                found.setProperty("problem", problem + subject.again());
                if (!ended || !ENDED_BY_OTHERS.contains(process.exitValue())) {
                    found.putAll(subject.failed());
                }
            }
            return subject.isTold(found) ? subject.keep(found) : found; // before the turn is the next one's
        } finally {
            NativeLibrary.remove(folder);
        }
    }

    /**
     * The turn to test it, for which processes with one cache wait: those that start together would be too slow for the limit. It comes
     * anyway when two tests should have ended, and at once where nothing can be kept or locked, or when this thread is interrupted.
     */
    private @Nullable FileChannel turn(Subject subject) {
        FileChannel turn = null;
        CompletableFuture<Boolean> come = new CompletableFuture<>();
        try {
            Files.createDirectories(subject.file().getParent());
            turn = new RandomAccessFile(subject.file() + ".turn.lock", "rw").getChannel();
            for (long left = 2 * limit.toMillis(); left > 0 && !isLocked(turn); left -= LOOK_MILLIS) {
                if (left == 2 * limit.toMillis()) {
                    tell(come, subject);
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

    /** The test in a thread that is left alone when it hangs. */
    private Properties inTime(Subject subject, Supplier<Properties> test) {
        Properties found = ends(CompletableFuture.supplyAsync(test, DriverTrial::beside), subject);
        return found != null ? found : subject.failure(hung() + subject.again());
    }

    /** Runs a part of a test in a thread that no program waits for. */
    static void beside(Runnable test) {
        start("evener-self-test", test);
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Waits for it, whether or not this thread is interrupted; null if it does not come within the limit. */
    private <T> @Nullable T ends(CompletableFuture<T> coming, Subject subject) {
        tell(coming, subject);
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

    private void tell(CompletableFuture<?> coming, Subject subject) {
        limit(
                coming,
                patience,
                () -> progress.accept("waiting for the driver of " + subject.driver()
                        + ": it is new here and being tested, and is left out unless it answers within "
                        + limit.toSeconds() + " s"));
    }

    /**
     * Runs something if a future does not end in time. In a thread of its own: the JDK's, which completes on timeouts, keeps the class
     * loader that first needed it, perhaps that of an application which a server undeploys.
     */
    private static void limit(CompletableFuture<?> coming, Duration limit, Runnable late) {
        start("evener-trial-limit", () -> {
            try {
                coming.get(limit.toNanos(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                late.run();
            } catch (InterruptedException | ExecutionException e) {
                // it has ended, and whoever waits for it hears how
            }
        });
    }

    // ---- in the process that tests ----

    /** The verdict of this test, and into the file; that has the problem alone if it is no verdict. */
    static Properties here(Subject subject, Supplier<Properties> test) {
        try {
            Files.createDirectories(subject.file().getParent());
            try (FileChannel turn = new RandomAccessFile(subject.file() + ".lock", "rw").getChannel()) {
                return AtomicFiles.lock(turn) ? counted(subject, test) : tested(subject, read(subject.file()), test);
            }
        } catch (IOException e) { // nothing can be kept there
            return tested(subject, new Properties(), test);
        }
    }

    /** To be called while no other process tests it: what began and has not ended was ended. */
    private static Properties counted(Subject subject, Supplier<Properties> test) {
        Properties kept = read(subject.file());
        int crashes = (int) number(kept, "crashes", 0) + (kept.containsKey("process") ? 1 : 0);
        if (crashes >= subject.crashes()) {
            return subject.keep(subject.failure(crashes + " processes ended while they tested it" + subject.again()));
        }
        kept.setProperty("process", Long.toString(ProcessHandle.current().pid()));
        kept.setProperty("crashes", Integer.toString(crashes));
        return tested(subject, subject.keep(kept), test);
    }

    private static Properties tested(Subject subject, Properties kept, Supplier<Properties> test) {
        try {
            return subject.keep(test.get());
        } catch (LaneFailure e) {
            String what = e.getMessage().lines().findFirst().orElse("no message");
            Properties failed = subject.failure("it fails in the test (" + what + ")");
            if (e.kind() == LaneFailure.Kind.BUILD) {
                return subject.keep(failed);
            }
            // Perhaps another process has its memory, or it is lost until the machine starts again.
            kept.remove("process");
            kept.setProperty("problem", failed.getProperty("problem"));
            return subject.keep(kept);
        }
    }

    private static Properties read(Path file) {
        Properties content = new Properties();
        try (InputStream in = PlainFiles.open(file)) {
            content.load(in);
        } catch (NoSuchFileException e) {
            // not tested yet
        } catch (IOException | IllegalArgumentException e) {
            LOG.debug("{} cannot be read; it is tested again", file, e);
            content.clear();
        }
        return content;
    }

    /** A number that is kept, if it is one. */
    static double number(Properties content, String name, double otherwise) {
        try {
            return Double.parseDouble(content.getProperty(name, ""));
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }

    private static void write(Path file, String title, Properties content) {
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            content.store(out, title);
            AtomicFiles.write(file, out.toByteArray());
        } catch (IOException e) {
            LOG.debug("the verdict on {} is not kept", title, e);
        }
    }

    /** All that such a process does. It ends with the one that started it. */
    static void run(Path told, Runnable trial) {
        start("evener-parent", () -> endWithParent(told));
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
