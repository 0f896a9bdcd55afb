package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.InTurn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pictures made while devices fail as they are told to: the same as ever, and the report names what failed. */
@InTurn(3)
class FaultsTest {
    @TempDir
    static Path folder;

    @BeforeAll
    static void withoutFaults() {
        assertEquals(List.of(), failures(checked(InProcess.run(words("expected")))));
    }

    /** Equal shares, so that each lane has at least one chunk in each of a frame's two phases. */
    private static Object[] words(String out, String... options) {
        List<Object> words = new ArrayList<>(List.of("tonemap", "--verify", "--policy", "static"));
        words.addAll(List.of("--devices", "0.0,0.1,jvm", "--json", "-", "--out", folder.resolve(out)));
        words.addAll(List.of(options));
        return words.toArray();
    }

    private static Map<String, Object> checked(Cli.Result run) {
        Map<String, Object> json = run.done().json();
        assertEquals(true, json.get("verified"), run::toString);
        List<String> lines = run.err().lines().toList();
        for (String failure : failures(json)) {
            assertTrue(lines.contains("evener: " + failure), () -> failure + " is not said in " + run);
        }
        return json;
    }

    private static List<String> failures(Map<String, Object> json) {
        return ((List<?>) json.get("failures")).stream().map(Object::toString).toList();
    }

    /** Exactly these, as starts and ends, stand among what the report says of a device. */
    private static void assertNamed(Map<String, Object> json, String device, String end) {
        assertTrue(
                failures(json).stream().anyMatch(f -> f.startsWith("device " + device + " (") && f.endsWith(end)),
                () -> "device " + device + " ... " + end + " is not among " + failures(json));
    }

    private static void assertNotNamed(Map<String, Object> json, String device) {
        assertFalse(
                failures(json).stream().anyMatch(f -> f.startsWith("device " + device + " (")),
                () -> "device " + device + " is among " + failures(json));
    }

    @Test
    void chunksThatFailAndOnesTooLargeAndSlowOnes() throws IOException {
        Map<String, Object> json = checked(InProcess.run(words(
                "failing",
                "--inject",
                "lane=0,chunk=2,fault=alloc",
                "--inject",
                "lane=1,job=1,chunk=1,fault=error",
                "--inject",
                "lane=2,fault=slow:1.5x")));
        assertTrue(
                failures(json).stream()
                        .anyMatch(f -> f.startsWith("device 0.0 (") && f.contains(" could not hold a chunk of ")),
                () -> failures(json).toString());
        assertNamed(json, "0.1", " failed: injected: the chunk failed");
        assertNotNamed(json, "jvm");
        Pictures.assertSame(folder.resolve("expected"), folder.resolve("failing"), 4);
    }

    @Test
    void aDeviceThatDiesAndOneThatBuildsNoMore() throws IOException {
        // So many that some begin after both faults: the first few are planned before any is done.
        String frames = copies(3);
        assertEquals(List.of(), failures(checked(InProcess.run(words("expected-copies", frames)))));
        Map<String, Object> json = checked(InProcess.run(words(
                "dying",
                frames,
                "--inject",
                // In this order, as a lane whose share others take over before it begins does not count the job.
                "lane=2,job=1,chunk=1,fault=die",
                "--inject",
                "lane=0,job=2,fault=build")));
        assertNamed(json, "0.0", " does not build");
        assertNamed(json, "0.0", " was left out: a kernel of this job does not build there");
        assertNamed(json, "jvm", " failed: injected: the device is gone");
        assertNamed(json, "jvm", " was left out: it is quarantined, because injected: the device is gone");
        assertNotNamed(json, "0.1");
        Pictures.assertSame(folder.resolve("expected-copies"), folder.resolve("dying"), 12);
    }

    /** A folder with each of the four samples so many times. */
    private static String copies(int count) throws IOException {
        Path frames = Files.createDirectory(folder.resolve("copies"));
        for (String name : List.of("city", "courtyard", "forest", "studio")) {
            for (int i = 0; i < count; i++) {
                Files.copy(Cli.sample(name), frames.resolve(name + i + ".hdr"));
            }
        }
        return frames.toString();
    }

    /** It hangs until the program ends, which must not wait for it. */
    @Test
    void aDeviceThatHangs() throws IOException {
        // The limit holds for first chunks as well, for which drivers compile.
        Map<String, Object> json = checked(Cli.in(folder)
                .run(words("hanging", "--inject", "lane=1,job=1,chunk=0,fault=hang", "--chunk-deadline", "5")));
        assertTrue(
                failures(json).stream()
                        .anyMatch(f -> f.startsWith("device 0.1 (")
                                && f.contains(" failed: a chunk of kernel ")
                                && f.endsWith(" was not done after 5000 ms")),
                () -> failures(json).toString());
        Pictures.assertSame(folder.resolve("expected"), folder.resolve("hanging"), 4);
    }

    @Test
    void withNoDeviceLeftTheFrameFailsWithTheFirstCause() throws IOException {
        Cli.Result run = Cli.in(folder)
                .run(
                        "tonemap",
                        Cli.sample("city"),
                        "--out",
                        "none",
                        "--devices",
                        "jvm",
                        "--quiet",
                        "--inject",
                        "lane=0,fault=die");
        assertEquals(1, run.code(), run::toString);
        assertEquals("", run.out());
        assertTrue(
                run.err()
                        .lines()
                        .anyMatch(l -> l.contains("city.hdr: ")
                                && l.contains(" failed on device jvm (")
                                && l.endsWith("injected: the device is gone")),
                run::toString);
        assertTrue(
                run.err().contains(") failed, no other device is left: injected: the device is gone"), run::toString);
        assertFalse(run.err().contains("Exception"), run::toString);
        assertFalse(Files.exists(folder.resolve("none/city.png")), "nothing partial");
    }

    @Test
    void whatIsNoFaultIsRefused() {
        InProcess.run("tonemap", "--out", folder.resolve("refused"), "--inject", "lane=0,fault=melt")
                .refused(
                        2,
                        "--inject: fault 'lane=0,fault=melt': there is no fault 'melt'; ",
                        "expected lane=N,fault=error|die|hang[:SECONDS]|slow:FACTORx|build|alloc");
        assertFalse(Files.exists(folder.resolve("refused")));
    }

    @Test
    void aLaneThatIsNotThereIsRefused() {
        InProcess.run(
                        "tonemap",
                        "--out",
                        folder.resolve("refused"),
                        "--devices",
                        "jvm",
                        "--inject",
                        "lane=1,fault=error")
                .refused(1, "fault 'lane=1,fault=error': there is no lane 1, only 0 to 0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0009", "NaN", "1000001"})
    void aDeadlineOutOfBoundsIsRefused(String seconds) {
        InProcess.run("tonemap", "--out", folder.resolve("refused"), "--chunk-deadline", seconds)
                .refused(2, "--chunk-deadline: ", " is not between 0.001 and 1000000 seconds");
    }
}
