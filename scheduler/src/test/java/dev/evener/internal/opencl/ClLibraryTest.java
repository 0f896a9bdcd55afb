package dev.evener.internal.opencl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** JOCL's library is unpacked by one process, and by no second one meanwhile. */
class ClLibraryTest {
    @TempDir
    Path folder;

    /** Loads the library and says in its exit code whether that went well. */
    static final class Loader {
        private Loader() {}

        public static void main(String[] arguments) throws IOException {
            Files.createFile(Path.of(arguments[0]));
            System.exit(ClLibrary.problem() == null ? 0 : 1);
        }
    }

    private List<String> unpacked() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("native"))) {
            return files.map(f -> f.getFileName().toString())
                    .filter(name -> !name.equals("lock"))
                    .toList();
        }
    }

    @Test
    void aProcessWaitsWhileAnotherUnpacks() throws Exception {
        Path natives = Files.createDirectories(folder.resolve("native"));
        Path begun = folder.resolve("begun");
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Loader.class.getName(),
                begun.toString());
        builder.environment().put("EVENER_CACHE", folder.toString());
        Process process;
        try (FileChannel file =
                FileChannel.open(natives.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            FileLock lock = file.lock();
            process = builder.inheritIO().start();
            while (!Files.exists(begun)) {
                assertTrue(process.isAlive());
                Thread.sleep(10);
            }
            Thread.sleep(1000); // in which it would have unpacked it
            assertEquals(List.of(), unpacked());
            assertTrue(process.isAlive());
            lock.release();
        }
        assertEquals(0, process.waitFor());
        assertEquals(1, unpacked().size());
    }
}
