package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.workloads.Main;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * The {@code evener} program as a process of its own, as the launcher would start it: exit codes, streams and files are the
 * real ones. Its environment is the test bed's, without its second platform, and nothing else.
 */
final class Cli {
    /** What the process needs to be one, and what says where OpenCL is on this machine. */
    private static final List<String> PASSED_ON =
            List.of("PATH", "HOME", "LANG", "LD_LIBRARY_PATH", "LD_PRELOAD", "OCL_ICD_VENDORS", "EVENER_CACHE");

    /** For a run that hangs, not for a slow machine. */
    private static final long LIMIT_SECONDS = 300;

    private final Path folder;
    private final Map<String, String> environment = new TreeMap<>();
    private final List<String> jvm = new ArrayList<>(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));

    private Cli(Path folder) {
        this.folder = folder;
        if (Runtime.version().feature() >= 22) { // as in the launcher: newer ones warn without
            jvm.add("--enable-native-access=ALL-UNNAMED");
        }
        System.getenv().forEach((name, value) -> {
            if (PASSED_ON.contains(name) || name.startsWith("POCL_")) {
                environment.put(name, value);
            }
        });
    }

    /** Runs in this folder; the cache is the one that all tests of the module share. */
    static Cli in(Path folder) {
        return new Cli(folder);
    }

    /** With this variable in its environment. */
    Cli with(String variable, Object value) {
        environment.put(variable, value.toString());
        return this;
    }

    /** With Mesa's platform, if it is installed. Opening it takes a tenth to a fifth of a run's time. */
    Cli withMesa() {
        return with("RUSTICL_ENABLE", "llvmpipe");
    }

    /** With this option of the JVM. */
    Cli jvm(String option) {
        jvm.add(option);
        return this;
    }

    /** Where the frames are that come with the program. */
    static Path sample(String name) {
        return Path.of("samples", name + ".hdr").toAbsolutePath();
    }

    /** How a run ended. */
    record Result(List<String> arguments, int code, String out, String err) {
        /**
         * The test bed's second platform, Mesa's llvmpipe, fails its self-test; that tests insist on it is no news, nor that
         * a busy machine takes long for such a test, or so long for its work that a line says every half minute how far that is.
         */
        Result {
            err = err.replaceAll(
                            "(?m)^evener: (device 1\\.0 \\(rusticl\\) failed its self-test, and is used only|warning: waiting for the driver) .*\\R",
                            "")
                    .replaceAll("(?m)^evener: (\\d.* of .* frames?, .* waiting for .*|.*, \\d+\\.\\d s)\\R", "");
        }

        /** Done, and said nothing on standard error. */
        Result silent() {
            done();
            assertEquals("", err, this::toString);
            return this;
        }

        /** Done, with nothing but words that a record is short. */
        Result ofShortRecord() {
            done();
            assertTrue(
                    err.lines()
                            .allMatch(line -> line.contains("the record is short")
                                    || line.contains("how far off what is simulated is cannot be said")),
                    this::toString);
            return this;
        }

        /** Done. */
        Result done() {
            assertEquals(0, code, this::toString);
            return this;
        }

        /** Failed with that exit code, with one line on standard error that holds all of these, and no other output. */
        void refused(int expected, String... parts) {
            assertEquals(expected, code, this::toString);
            assertEquals("", out, this::toString);
            assertEquals(1, err.lines().count(), this::toString);
            assertTrue(err.startsWith("evener: ") && err.endsWith("\n"), this::toString);
            assertFalse(err.contains("Exception"), this::toString);
            for (String part : parts) {
                assertTrue(err.contains(part), () -> "no '" + part + "' in " + this);
            }
        }

        /** Standard output, which must be one JSON object and nothing else. */
        Map<String, Object> json() {
            return parse(out);
        }
    }

    /**
     * Starts a run and kills it, so that it can do nothing more (SIGKILL), as soon as this is so; or later, if this thread
     * does not come to look, or when it has ended.
     */
    void killed(BooleanSupplier when, Object... arguments) {
        List<String> command =
                command(Stream.of(arguments).map(Object::toString).toList());
        try {
            Process process = builder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                long start = System.nanoTime();
                for (boolean alive = true; !when.getAsBoolean(); alive = process.isAlive()) {
                    assertTrue(alive, () -> "ended by itself: " + command);
                    assertTrue(
                            System.nanoTime() - start < TimeUnit.SECONDS.toNanos(LIMIT_SECONDS),
                            () -> "nothing to kill it for: " + command);
                    Thread.sleep(1);
                }
            } finally {
                process.destroyForcibly().waitFor();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private List<String> command(List<String> words) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvm);
        command.add("-cp");
        // Surefire starts this JVM with a jar that only names the class path.
        command.add(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        command.add(Main.class.getName());
        command.addAll(words);
        return command;
    }

    Result run(Object... arguments) {
        List<String> words = Stream.of(arguments).map(Object::toString).toList();
        List<String> command = command(words);
        try {
            Path out = Files.createTempFile("evener-test", ".out");
            Path err = Files.createTempFile("evener-test", ".err");
            try {
                return new Result(words, start(command, out, err), Files.readString(out), Files.readString(err));
            } finally {
                Files.delete(out);
                Files.delete(err);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Several commands, one after another, in one process with this folder and environment: to start one for each takes a second. */
    final class Session implements AutoCloseable {
        private final Process process;

        private Session(Process process) {
            this.process = process;
        }

        Result run(Object... arguments) throws IOException {
            List<String> words = Stream.of(arguments).map(Object::toString).toList();
            BufferedWriter in = process.outputWriter(StandardCharsets.UTF_8);
            in.write(JSON.std.asString(words) + "\n");
            in.flush();
            String said = process.inputReader(StandardCharsets.UTF_8).readLine();
            assertTrue(said != null, () -> "the process has ended before " + words);
            List<Object> result = JSON.std.listFrom(said);
            return new Result(words, (int) result.get(0), (String) result.get(1), (String) result.get(2));
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    Session session() throws IOException {
        List<String> command = command(List.of());
        command.set(command.size() - 1, Several.class.getName());
        return new Session(builder(command)
                .redirectInput(ProcessBuilder.Redirect.PIPE)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** The process of a {@link Session}: a line of words in, a line of code, output and errors out. */
    static final class Several {
        private Several() {}

        public static void main(String... none) throws IOException {
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                Result result = InProcess.run(JSON.std.listFrom(line).toArray());
                out.println(JSON.std.asString(List.of(result.code, result.out, result.err)));
            }
        }
    }

    /** The same, with standard output in a file. */
    Result into(Path out, Object... arguments) throws IOException, InterruptedException {
        List<String> words = Stream.of(arguments).map(Object::toString).toList();
        Path err = Files.createTempFile("evener-test", ".err");
        try {
            return new Result(words, start(command(words), out, err), "", Files.readString(err));
        } finally {
            Files.delete(err);
        }
    }

    /** The same, begun by a script of the shell as {@code "$@"}; with no output but errors. */
    Result shell(String script, Object... arguments) throws IOException, InterruptedException {
        List<String> words = Stream.of(arguments).map(Object::toString).toList();
        List<String> command = new ArrayList<>(List.of("sh", "-c", script, "sh"));
        command.addAll(command(words));
        Path err = Files.createTempFile("evener-test", ".err");
        try {
            return new Result(words, start(command, Path.of("/dev/null"), err), "", Files.readString(err));
        } finally {
            Files.delete(err);
        }
    }

    /** The same, with a standard output that is closed after so many bytes, which are the result's. */
    Result cut(int bytes, Object... arguments) throws IOException, InterruptedException {
        List<String> words = Stream.of(arguments).map(Object::toString).toList();
        Path err = Files.createTempFile("evener-test", ".err");
        Process process = builder(command(words)).redirectError(err.toFile()).start();
        try {
            byte[] read = process.getInputStream().readNBytes(bytes);
            process.getInputStream().close();
            assertTrue(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS), () -> "still running: " + words);
            String out = new String(read, StandardCharsets.ISO_8859_1);
            return new Result(words, process.exitValue(), out, Files.readString(err));
        } finally {
            process.destroyForcibly().waitFor();
            Files.delete(err);
        }
    }

    private ProcessBuilder builder(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        return builder.redirectInput(
                ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
    }

    private int start(List<String> command, Path out, Path err) throws IOException, InterruptedException {
        Process process = builder(command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        try {
            assertTrue(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS), () -> "still running: " + command);
            return process.exitValue();
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** The names in a folder, in order, hidden ones included; of a folder that is not there, none. */
    static List<String> names(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> list = Files.list(folder)) {
            return list.map(p -> p.getFileName().toString()).sorted().toList();
        }
    }

    static Map<String, Object> json(Path file) throws IOException {
        return parse(Files.readString(file, StandardCharsets.UTF_8));
    }

    private static Map<String, Object> parse(String text) {
        // The parser stops at the object's end and would not mind what follows.
        assertTrue(text.startsWith("{") && text.endsWith("}\n"), () -> "not one JSON object: " + text);
        try {
            return JSON.std.mapFrom(text);
        } catch (IOException e) {
            throw new AssertionError("not one JSON object: " + text, e);
        }
    }
}
