package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.InTurn;
import dev.evener.record.RecordReader;
import dev.evener.record.Recording;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A policy by somebody who has read docs/policies.md and no more: built from that page, and used from the command line. */
@InTurn(2)
class PluginTest {
    private static final String SERVICE = "META-INF/services/dev.evener.policy.PolicyProvider";

    @TempDir
    Path folder;

    @BeforeEach
    void build() throws IOException {
        jar("near.jar", page("java"), "example.NearData");
    }

    /** What the section of the page shows in a language. */
    private static String page(String language) throws IOException {
        String page = Files.readString(Path.of("..", "docs", "policies.md"));
        String section = page.substring(page.indexOf("## Your own policy"));
        String start = "```" + language + "\n";
        int from = section.indexOf(start) + start.length();
        return section.substring(from, section.indexOf("```", from));
    }

    private void jar(String name, String source, String provider) throws IOException {
        Path classes = Files.createDirectories(folder.resolve(name + ".classes"));
        Path file = Files.writeString(folder.resolve("NearData.java"), source);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assertNotNull(compiler, "tests run on a JDK");
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        int code = compiler.run(
                null,
                null,
                null,
                "-Xlint:all,-path,-processing",
                "-proc:none",
                "-Werror",
                "-cp",
                path,
                "-d",
                classes.toString(),
                file.toString());
        assertEquals(0, code, source);
        Path service = classes.resolve(SERVICE);
        Files.createDirectories(service.getParent());
        Files.writeString(service, provider + "\n");
        packed(name, classes);
    }

    private void packed(String name, Path classes) throws IOException {
        try (OutputStream out = Files.newOutputStream(folder.resolve(name));
                JarOutputStream jar = new JarOutputStream(out);
                Stream<Path> all = Files.walk(classes)) {
            for (Path each : all.filter(Files::isRegularFile).toList()) {
                jar.putNextEntry(new JarEntry(classes.relativize(each).toString()));
                jar.write(Files.readAllBytes(each));
            }
        }
    }

    private Cli.Result evener(Object... words) {
        return InProcess.in(folder, words);
    }

    private Cli.Result run(Object... options) {
        List<Object> words = new ArrayList<>(
                List.of("run", "saxpy", "--size", "64Ki", "--devices", "0.0,0.1", "--cold", "--verify"));
        words.addAll(List.of(options));
        return evener(words.toArray());
    }

    @Test
    void itRunsIsRecordedReplayedAndSimulated() throws IOException {
        Map<String, Object> report = run(
                        "--plugins",
                        "near.jar",
                        "--policy",
                        "NEAR:margin=0.2",
                        "--record",
                        "near.record",
                        "--json",
                        "-")
                .silent()
                .json();
        assertEquals("near@1.0:0.2", report.get("policy"));
        assertEquals(true, report.get("verified"));
        assertTrue(
                ReportSchema.objects(report, "devices").stream()
                        .anyMatch(device -> ((Number) device.get("units")).longValue() == 64 * 1024),
                "all on one device");
        Recording recording = RecordReader.read(folder.resolve("near.record"));
        assertEquals("near@1.0:0.2", recording.requests().get(0).policy());
        String missing = "unknown policy 'near@1.0': expected one of single, ";
        evener("replay", "near.record").refused(1, "near.record: ", missing, "--plugins", "--policy");
        evener("simulate", "near.record").refused(1, "a policy that is not here: ", missing, "--plugins");
        evener("replay", "near.record", "--policy", "static", "--quiet").silent();
        Map<String, Object> replay = evener("replay", "near.record", "--plugins", "near.jar", "--json", "-")
                .silent()
                .json();
        assertEquals(
                "near@1.0:0.2", ReportSchema.objects(replay, "groups").get(0).get("policyNow"));
        Map<String, Object> simulated = evener(
                        "simulate",
                        "near.record",
                        "--plugins",
                        "near.jar",
                        "--policy",
                        "near:0.5,gbps=25",
                        "--json",
                        "-")
                .ofShortRecord()
                .json();
        Map<?, ?> row = ReportSchema.objects(simulated, "simulated").get(0);
        assertEquals("near@1.0:0.2", row.get("recordedPolicy"));
        assertEquals("near@1.0:0.5,gbps=25", row.get("simulatedPolicy"));
        assertNotNull(row.get("recordedSimulatedSeconds"));
        jar("newer.jar", page("java").replace("\"1.0\"", "\"1.1\""), "example.NearData");
        evener("replay", "near.record", "--plugins", "newer.jar")
                .refused(1, "unknown policy 'near@1.0', of which version 1.1 is here");
    }

    @Test
    void itCompetesInExperimentFilesAndOnMachinesDrawnAtRandom() throws IOException {
        Files.writeString(folder.resolve("mine.json"), """
                {"format": "evener-experiment", "version": 1, "name": "mine", "devices": ["0.0,0.1"], "repeat": 2, "sweep": 0, "warmUp": 0,
                 "workloads": [{"workload": "saxpy", "sizes": ["4Ki"], "policies": ["near:gbps=2", "hguided:k=2,least=4"]}]}
                """);
        evener("bench", "mine.json").refused(2, "mine.json", "policies[0]", "unknown policy 'near'", "--plugins");
        Map<String, Object> report = evener("bench", "mine.json", "--plugins", "near.jar", "--json", "-")
                .done()
                .json();
        assertTrue(report.toString().contains("near:gbps=2"), report::toString);
        assertTrue(report.toString().contains("hguided:k=2,least=4"), report::toString);
        String list =
                evener("bench", "--list", "--plugins", "near.jar").silent().out();
        assertTrue(list.matches("(?s).*\nnear:margin +0\\.1 +by how much .*\nnear:gbps +10 +gigabytes .*"), list);
        evener("simulate", "--machines", 1, "--jobs", 101, "--plugins", "near.jar", "--policy", "near")
                .silent();
    }

    @Test
    void whatIsWrongIsSaid() throws IOException {
        run("--plugins", "none.jar").refused(1, "--plugins: ", "none.jar: there is no such file");
        run("--plugins", "NearData.java").refused(1, "--plugins: ", "NearData.java: it is no jar");
        jar("broken.jar", page("java"), "example.Gone");
        run("--plugins", "broken.jar", "--policy", "near")
                .refused(2, "--policy: unknown policy 'near'", "not loaded: ", "example.Gone");
        Cli.Result other =
                run("--plugins", folder.resolve("near.jar") + "," + folder.resolve("broken.jar"), "--policy", "near");
        assertEquals(0, other.code(), other::toString);
        assertTrue(
                other.err().startsWith("evener: --plugins: a policy is left out: ")
                        && other.err().contains("example.Gone")
                        && other.err().lines().count() == 1,
                other::toString);
        Files.write(
                folder.resolve("near.jar.classes/example/NearData.class"),
                new byte[] {(byte) 0xca, (byte) 0xfe, (byte) 0xba, (byte) 0xbe, 0, 0, 0x7f, 0}); // a later Java's
        packed("later.jar", folder.resolve("near.jar.classes"));
        run("--plugins", "later.jar", "--policy", "near")
                .refused(2, "unknown policy 'near'", "not loaded: ", "NearData");
        assertTrue(run("--plugins", "later.jar", "--policy", "static").err().contains("a policy is left out: "));
        jar("twin.jar", page("java").replace("\"near\"", "\"guided\""), "example.NearData");
        run("--plugins", "twin.jar", "--policy", "guided")
                .refused(2, "two policies are called 'guided': dev.evener.policy.GuidedPolicy and example.NearData");
        run("--plugins", "twin.jar", "--policy", "stealing").silent();
        run("--plugins", "near.jar", "--policy", "near:margin=11")
                .refused(2, "policy 'near:margin=11': margin: '11' is no number from 0 to 10");
        run("--plugins", "near.jar", "--policy", "near:speed=1")
                .refused(2, "there is no parameter 'speed': expected one of [margin, gbps]");
    }

    /** The commands of the page name what the page shows. */
    @Test
    void theCommandsOfThePageAreThese() throws IOException {
        String commands = page("sh");
        assertTrue(commands.contains(SERVICE) && commands.contains("echo example.NearData"), commands);
        commands.lines()
                .filter(line -> line.startsWith("./evener run"))
                .forEach(line -> Cli.in(folder)
                        .run((Object[])
                                line.substring("./evener ".length()).strip().split(" "))
                        .done());
        commands.lines()
                .filter(line -> line.startsWith("./evener simulate"))
                .forEach(line -> Cli.in(folder)
                        .run((Object[])
                                line.substring("./evener ".length()).strip().split(" "))
                        .ofShortRecord());
    }
}
