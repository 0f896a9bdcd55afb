package dev.evener.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.InTurn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Jazzer looks for bytes that the reader does not answer with a recording or a clear refusal, or on which it hangs: in a
 * process of its own, since it changes classes as they load. A short while here; {@code -Dfuzz.seconds=3600} for longer.
 */
@InTurn(2)
class RecordFuzzTest {
    private static final long SECONDS = Long.getLong("fuzz.seconds", 0);
    private static final String RUNS = SECONDS > 0 ? "-max_total_time=" + SECONDS : "-runs=500";

    @TempDir
    Path folder;

    @Test
    void nothingThatJazzerFindsIsMoreThanRefused() throws Exception {
        assertEquals(0, fuzz(RecordFuzz.class), this::said);
        assertTrue(said().contains("Done "), "it did run: " + said());
    }

    /** The test above can fail. */
    @Test
    void whatIsNotRefusedIsFound() throws Exception {
        assertTrue(fuzz(Fragile.class) != 0, this::said);
        assertTrue(said().contains("this line was not foreseen"), this::said);
    }

    /** A reader that does not foresee a record that can be read. */
    public static final class Fragile {
        private Fragile() {}

        /** What Jazzer calls. */
        public static void fuzzerTestOneInput(byte[] input) {
            if (RecordFuzz.readable(input)) {
                throw new IllegalStateException("this line was not foreseen");
            }
        }
    }

    private int fuzz(Class<?> target) throws IOException, InterruptedException {
        Path corpus = Files.createDirectories(folder.resolve("corpus"));
        Records.write(corpus.resolve("plain"));
        Records.write(corpus.resolve("compressed.gz"));
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+IgnoreUnrecognizedVMOptions",
                "-XX:+EnableDynamicAgentLoading",
                "-XX:TieredStopAtLevel=" + (SECONDS > 0 ? 4 : 1),
                "-Xmx256m",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "com.code_intelligence.jazzer.Jazzer",
                "--target_class=" + target.getName(),
                "--instrumentation_includes=dev.evener.record.**",
                "--reproducer_path=" + folder,
                RUNS,
                "-seed=1",
                "-max_len=16384",
                "-timeout=300", // for a hang, not for a slow machine
                // It would count what this process has, from which it is forked; -Xmx is the limit.
                "-rss_limit_mb=0",
                corpus.toString());
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().remove("LD_PRELOAD"); // the signal chaining that PoCL needs
        builder.redirectErrorStream(true).redirectOutput(folder.resolve("said").toFile());
        Process process = builder.start();
        try {
            assertTrue(process.waitFor(SECONDS + 900, TimeUnit.SECONDS), this::said);
            return process.exitValue();
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private String said() {
        try {
            return Files.readString(folder.resolve("said"));
        } catch (IOException e) {
            return e.toString();
        }
    }
}
