package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.console.ConsoleLauncher;

/**
 * Parts of a device, which are lanes like any other. The devices of the test bed have one compute unit each, so these suites
 * run in a process of their own, where PoCL's CPU device has two.
 */
class SubDevicesTest {
    private static final int MINUTES = 30; // for one that hangs, not for a busy machine

    @TempDir
    Path folder = Path.of("");

    @Test
    void theSuitesPass() throws IOException, InterruptedException {
        Path output = folder.resolve("output.txt");
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-ea",
                "-Dlong=" + LongTests.ASKED_FOR,
                "-Dturn=" + LongTests.TURN,
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                ConsoleLauncher.class.getName(),
                "execute",
                "--disable-banner",
                "--disable-ansi-colors",
                "--fail-if-no-tests",
                "--include-engine",
                "junit-jupiter",
                "--select-class",
                SubDeviceSuite.class.getName(),
                "--select-class",
                SubDevicesInOneContext.class.getName(),
                "--select-class",
                SubDevicesThroughTransfers.class.getName(),
                "--select-class",
                "dev.evener.internal.cl.SubDevicePrograms");
        builder.environment()
                .putAll(Map.of(
                        "POCL_DEVICES", "pthread",
                        "POCL_MAX_PTHREAD_COUNT", "2",
                        "POCL_CPU_MAX_CU_COUNT", "2"));
        Process process = builder.redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertTrue(process.waitFor(MINUTES, TimeUnit.MINUTES), "they take too long");
        } finally {
            process.destroyForcibly();
        }
        String said = Files.readString(output);
        assertEquals(0, process.exitValue(), said);
        assertTrue(said.contains("[         0 tests failed          ]"), said);
    }
}
