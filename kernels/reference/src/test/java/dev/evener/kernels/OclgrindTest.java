package dev.evener.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.evener.InTurn;
import dev.evener.LongTests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Oclgrind, which interprets kernels and watches every access to memory, finds neither data races nor accesses out of bounds
 * in the CPU and GPU form of any primitive. It is taken as the only OpenCL platform of a process of its own ({@link
 * Simulated}); its launcher would not do, as it relies on a program's being linked with OpenCL.
 *
 * <p>Debian 13 has no Oclgrind. There {@link CheckedPrimitivesTest} alone guards the kernels: the same cases in the checking mode.
 */
@InTurn(2)
class OclgrindTest {
    static final Path LIBRARY = Path.of("/usr/lib/oclgrind/liboclgrind-rt-icd.so");
    private static final int AT_ONCE = LongTests.orAll(1, 2);
    private static final int MINUTES = 60; // for one that hangs, not for a busy machine

    @TempDir
    Path folder = Path.of("");

    private record Outcome(int code, String output) {}

    @BeforeEach
    void findOclgrind() throws IOException {
        if (!Files.exists(LIBRARY)) {
            abort(
                    "OclgrindTest, as Oclgrind is not installed; CheckedPrimitivesTest runs its cases in the checking mode");
        }
        Files.writeString(folder.resolve("oclgrind.icd"), LIBRARY + "\n");
    }

    @Test
    void findsNothingInAnyPrimitive() throws Exception {
        List<String> today = LongTests.inTurn(3, Simulated.PRIMITIVES); // CheckedPrimitivesTest has them too
        List<String> names = new ArrayList<>(); // of the primitives of a process: Oclgrind takes long to start
        List<Callable<Outcome>> runs = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            int first = i;
            String some = IntStream.range(0, today.size())
                    .filter(place -> place % AT_ONCE == first)
                    .mapToObj(today::get)
                    .collect(Collectors.joining(","));
            names.add(some);
            runs.add(() -> run(some));
        }
        ExecutorService executor = Executors.newFixedThreadPool(AT_ONCE);
        try {
            List<Future<Outcome>> outcomes = executor.invokeAll(runs);
            for (int i = 0; i < names.size(); i++) {
                Outcome outcome = outcomes.get(i).get();
                assertEquals(0, outcome.code(), names.get(i) + ":\n" + outcome.output());
            }
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    void findsWhatIsWrong() throws Exception {
        Outcome outcome = run(Simulated.WRONG);
        assertEquals(1, outcome.code(), outcome.output());
        Map.of(
                        "race", "data race at local memory",
                        "race_of_groups", "data race at global memory",
                        "reads_beyond", "Invalid read of size 4 at global memory",
                        "writes_beyond", "Invalid write of size 4 at global memory")
                .forEach((kernel, report) -> {
                    for (String devices : List.of("0.0", "0.0,jvm")) {
                        int at = outcome.output().indexOf("WRONG " + kernel + " on " + devices + ":\n");
                        assertTrue(at >= 0, kernel + ":\n" + outcome.output());
                        int end = outcome.output().indexOf("DONE", at);
                        String found = outcome.output().substring(at, end);
                        assertTrue(found.contains(report), kernel + ":\n" + found);
                    }
                });
    }

    private Outcome run(String primitive) throws IOException, InterruptedException {
        Path output = folder.resolve(primitive + ".txt");
        Path log = folder.resolve(primitive + ".log");
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Simulated.class.getName(),
                primitive,
                log.toString(),
                LongTests.ASKED_FOR || primitive.equals(Simulated.WRONG)
                        ? Simulated.BOTH
                        : Integer.toString(LongTests.TURN));
        builder.environment()
                .putAll(Map.of(
                        "OCL_ICD_VENDORS", folder.toString(),
                        "EVENER_CACHE", folder.resolve("cache").toString(),
                        "OCLGRIND_LOG", log.toString(),
                        "OCLGRIND_CHECK_API", "1",
                        "OCLGRIND_DATA_RACES", "1",
                        "OCLGRIND_LOCAL_MEM_SIZE", Integer.toString(48 * 1024),
                        // See lookback.cl.
                        "OCLGRIND_BUILD_OPTIONS", "-D ATOMIC_WORDS"));
        Process process = builder.redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertTrue(process.waitFor(MINUTES, TimeUnit.MINUTES), () -> primitive + " takes too long");
        } finally {
            process.destroyForcibly();
        }
        return new Outcome(process.exitValue(), Files.readString(output));
    }
}
