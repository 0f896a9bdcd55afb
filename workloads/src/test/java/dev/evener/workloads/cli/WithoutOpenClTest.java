package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.InTurn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The main job on a machine without OpenCL: on JVM threads, with the same bits, and said in one line. */
@InTurn(3)
class WithoutOpenClTest {
    @TempDir
    Path folder;

    /** The library is there and finds no runtime. */
    private Cli noRuntime() throws IOException {
        return Cli.in(folder).with("OCL_ICD_VENDORS", Files.createDirectories(folder.resolve("empty")));
    }

    /** The dynamic linker meets a file that it cannot load, and gives up, as it does where there is none. */
    private Cli noLibrary() throws IOException {
        Path lib = Files.createDirectories(folder.resolve("lib"));
        for (String name : List.of("libOpenCL.so.1", "libOpenCL.so")) {
            Files.writeString(lib.resolve(name), "no library\n".repeat(10));
        }
        return Cli.in(folder).with("LD_LIBRARY_PATH", lib);
    }

    @Test
    void withoutARuntimeTheJvmDoesTheSame() throws IOException {
        mapsOnTheJvm(noRuntime(), "no OpenCL device was found");
    }

    /** JOCL's native part would print two lines to standard output. */
    @Test
    void withoutTheLibraryTheJvmDoesTheSameAndNothingElseIsPrinted() throws IOException {
        mapsOnTheJvm(noLibrary(), "no OpenCL library could be loaded");
    }

    private void mapsOnTheJvm(Cli cli, String why) throws IOException {
        Cli.Result run = cli.run("tonemap", Cli.sample("city"), "--out", "out", "--json", "-")
                .done();
        assertEquals(1, run.err().lines().count(), run::toString);
        assertTrue(run.err().startsWith("evener: " + why + ": working on JVM threads"), run::toString);
        Map<String, Object> json = run.json();
        Schemas.check("tonemap", json);
        Map<?, ?> device = ReportSchema.objects(json, "devices").get(0);
        assertEquals("jvm", device.get("id"));
        assertEquals("jvm", device.get("type"));
        assertEquals(1.0, device.get("share"));
        Cli.in(folder)
                .run("tonemap", Cli.sample("city"), "--out", "expected", "--devices", "0.0", "--quiet")
                .silent();
        Pictures.assertSame(folder.resolve("expected"), folder.resolve("out"), 1);
    }

    @Test
    void whatTheLauncherHasSaidIsNotSaidAgain() throws IOException {
        noRuntime()
                .jvm("-Devener.told.no.opencl=true")
                .run("tonemap", Cli.sample("city"), "--out", "out")
                .silent();
        assertEquals(List.of("city.png"), Cli.names(folder.resolve("out")));
        String devices = noRuntime()
                .jvm("-Devener.told.no.opencl=true")
                .run("devices")
                .silent()
                .out();
        assertFalse(devices.contains("note:"), devices);
    }

    @Test
    void theJvmIsTheOnlyDeviceListed() throws IOException {
        for (Cli cli : List.of(noRuntime(), noLibrary())) {
            Cli.Result run = cli.run("devices").silent();
            List<String> lines = run.out().lines().toList();
            assertEquals(3, lines.size(), run::toString);
            assertTrue(lines.get(1).startsWith("jvm ") && lines.get(1).contains("lane 0"), run::toString);
            assertTrue(lines.get(2).startsWith("note: no OpenCL "), run::toString);
        }
    }

    @Test
    void aDeviceThatIsAskedForIsAnError() throws IOException {
        noLibrary().run("tonemap", "--out", "out", "--devices", "0.0").refused(1, "no device 0.0", "jvm");
        noRuntime().run("tonemap", "--out", "out", "--devices", "gpu").refused(1, "GPU");
        for (String asked : List.of("all", "cpu")) {
            noRuntime()
                    .run("tonemap", "--out", "out", "--devices", asked)
                    .refused(1, "OpenCL is required, but no OpenCL");
        }
        noRuntime().run("bench", "scan", "--devices", "cpu").refused(1, "OpenCL is required, but no OpenCL");
        Path experiment = Files.writeString(folder.resolve("e.json"), """
                {"format": "evener-experiment", "version": 1, "name": "e", "workloads": [{"workload": "scan"}], "devices": ["cpu"]}
                """);
        noRuntime().run("bench", experiment.toString()).refused(1, "OpenCL is required, but no OpenCL");
        assertFalse(Files.exists(folder.resolve("out")));
    }

    /** To choose devices without opening them fell back without a word. */
    @Test
    void whoeverChoosesDevicesLogsThatThreadsStandIn() throws IOException {
        Cli.Result run = noRuntime().with("EVENER_LOG", "info").run("bench", "scan", "--devices", "cpu");
        assertEquals(1, run.code(), run::toString);
        assertTrue(run.err().contains("evener: warning: working on JVM threads: no OpenCL"), run::toString);
    }

    @Test
    void theJvmBesideOpenClIsNothingToTell() {
        Cli.in(folder)
                .run("tonemap", Cli.sample("city"), "--out", "out", "--devices", "jvm")
                .silent();
    }
}
