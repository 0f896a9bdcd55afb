package dev.evener.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** In a process of its own, which has counted nothing yet. */
class ProcessorsTest {

    @Test
    void processorsAreCountedBeforeAnyThreadIsBound() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        ProcessorsTest.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor());
        assertEquals("" + Runtime.getRuntime().availableProcessors(), printed);
    }

    /** Prints how many there are when another thread has a core of its own. */
    public static void main(String[] args) throws InterruptedException {
        Thread lane = new Thread(CoreBinding::ownCore);
        lane.start();
        lane.join();
        System.out.print(HostMemory.processors());
    }
}
