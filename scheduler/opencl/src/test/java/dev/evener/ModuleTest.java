package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.internal.lane.OpenClDevices;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.jctools.queues.MpscArrayQueue;
import org.jocl.CL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

/** An embedder's program on the module path: runs a job, and is kept from what is internal. */
class ModuleTest {
    private static final String PROGRAM = """
            package outside;

            import dev.evener.*;

            public class Main {
                public static void main(String[] args) {
                    try (Evener evener = Evener.builder().devices(DeviceSelector.parse("0.0,jvm")).open()) {
                        HostBuffer x = evener.allocate(ElementType.INT, 100);
                        Job job = Job.named("ones").source("kernel void k(global int *x) { x[get_global_id(0)] = 1; }")
                                .units(100).kernel("k").writes(x, Access.slice()).jvm(chunk -> {
                            for (int i = 0; i < chunk.units(); i++) {
                                chunk.buffer(0).putInt(4 * i, 1);
                            }
                        }).build();
                        evener.submit(job).join();
                        System.out.println(Evener.class.getModule() + ": " + x.ints().get(99) + " "
                                + ModuleLayer.boot().findModule("jdk.unsupported").isPresent()); // tells addresses before JDK 22
                    }
                }
            }
            """;

    @Test
    void aProgramOnTheModulePathRunsAJob(@TempDir Path folder) throws Exception {
        assertEquals("", compiled(folder, PROGRAM));
        Process java = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-p",
                        path() + File.pathSeparator + folder.resolve("classes"),
                        "-m",
                        "outside/outside.Main")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertEquals(
                "module dev.evener.scheduler: 1 true",
                new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
        assertEquals(0, java.waitFor());
    }

    @Test
    void whatIsInternalIsOutOfReach(@TempDir Path folder) throws Exception {
        String refused = compiled(folder, PROGRAM.replace("HostBuffer x", "dev.evener.internal.HostData x"));
        assertTrue(refused.contains("package dev.evener.internal is not visible"), refused);
    }

    /** What the compiler says to a module of one class that requires the scheduler. */
    private static String compiled(Path folder, String program) throws IOException, URISyntaxException {
        Path descriptor = Files.writeString(
                folder.resolve("module-info.java"), "module outside { requires dev.evener.scheduler; }");
        Path main = Files.writeString(folder.resolve("Main.java"), program);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter says = new StringWriter();
        List<String> options =
                List.of("-Xlint:all", "-d", folder.resolve("classes").toString(), "-p", path());
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            compiler.getTask(says, files, null, options, null, files.getJavaFileObjects(descriptor, main))
                    .call();
        }
        return says.toString();
    }

    /** The scheduler, its back-end, which nobody requires, and what they need to run. */
    private static String path() throws URISyntaxException {
        List<String> places = new ArrayList<>();
        for (Class<?> each : List.of(
                Evener.class,
                OpenClDevices.class,
                CL.class,
                MpscArrayQueue.class,
                Logger.class,
                JSON.class,
                JsonFactory.class)) {
            places.add(Path.of(each.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString());
        }
        return String.join(File.pathSeparator, places);
    }
}
