package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/deploying.md says of containers, linked runtimes and packaged applications suffices for OpenCL. */
@InTurn(3)
class DeployingTest {
    @TempDir
    Path folder;

    private static List<MatchResult> onPage(String pattern) throws IOException {
        String page = Files.readString(Path.of("..", "..", "docs", "deploying.md"));
        List<MatchResult> found = Pattern.compile(pattern, Pattern.MULTILINE)
                .matcher(page)
                .results()
                .toList();
        assertFalse(found.isEmpty(), "docs/deploying.md has no " + pattern);
        return found;
    }

    /** Of a user whose home cannot be written, as no user's can there. */
    @Test
    void oneFolderThatCanBeWrittenIsEnough() throws Exception {
        ProcessBuilder builder = ChildJava.of(Program.class);
        builder.command().addAll(1, List.of("-Djava.io.tmpdir=" + folder, "-Duser.home=/proc/1"));
        builder.environment().put("HOME", "/proc/1");
        builder.environment().remove("XDG_CACHE_HOME");
        String variables = onPage("^ENV (EVENER_CACHE.*)$").get(0).group(1);
        for (String each : variables.split(" ", -1)) {
            int at = each.indexOf('=');
            builder.environment()
                    .put(each.substring(0, at), each.substring(at + 1).replace("/cache", folder.toString()));
        }
        assertEquals("0.0", said(builder));
        try (var made = Files.list(folder.resolve("pocl"))) {
            assertTrue(made.findAny().isPresent(), "PoCL has its cache there");
        }
    }

    @Test
    void aLinkedRuntimeHasWhatJoclNeeds() throws Exception {
        ProcessBuilder builder = ChildJava.of(Program.class);
        builder.command().set(0, linked().resolve("bin/java").toString());
        assertEquals("0.0", said(builder));
    }

    /** Its launcher cannot preload a library. */
    @Test
    void aPackagedApplicationIsRefusedWithoutLibjsigAndWorksWithIt() throws Exception {
        Path runtime = linked();
        Path lib = Files.createDirectory(folder.resolve("lib"));
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().putValue("Manifest-Version", "1.0");
        manifest.getMainAttributes().putValue("Main-Class", Program.class.getName());
        manifest.getMainAttributes()
                .putValue(
                        "Class-Path",
                        Stream.of(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                                        .split(File.pathSeparator, -1))
                                .map(entry -> Path.of(entry).toUri().toString())
                                .collect(Collectors.joining(" ")));
        new JarOutputStream(Files.newOutputStream(lib.resolve("app.jar")), manifest).close();
        run("^(jpackage) (.*--runtime-image.*)$", Map.of("runtime", runtime, "lib", lib, "image", folder));
        Path launcher = folder.resolve("app/bin/app");
        ProcessBuilder builder = new ProcessBuilder(launcher.toString(), "0.0", "signals")
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment()
                .put("LD_PRELOAD", runtime.resolve("lib/libjsig.so").toString());
        assertEquals("0.0", said(builder));
        builder.environment().remove("LD_PRELOAD");
        String refused = said(builder);
        assertTrue(refused.contains("division by zero") && refused.contains("libjsig.so"), refused);
    }

    private Path linked() throws IOException {
        Path runtime = folder.resolve("runtime");
        run("^(jlink) (--add-modules .*)$", Map.of("runtime", runtime));
        return runtime;
    }

    /** Runs a tool of the JDK as the page does, with these files. */
    private static void run(String pattern, Map<String, Path> files) throws IOException {
        MatchResult line = onPage(pattern).get(0);
        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said);
        String[] arguments = Stream.of(line.group(2).split(" ", -1))
                .map(word -> files.containsKey(word) ? files.get(word).toString() : word)
                .toArray(String[]::new);
        int status = ToolProvider.findFirst(line.group(1)).orElseThrow().run(out, out, arguments);
        assertEquals(0, status, said::toString);
    }

    private static String said(ProcessBuilder builder) throws IOException, InterruptedException {
        Process program = builder.start();
        String said = String.join("\n", program.inputReader().lines().toList());
        assertEquals(0, program.waitFor(), said);
        return said;
    }

    /**
     * Runs a job on the devices that the first argument names, and says on which, and the notes. With a second one signals that a driver
     * takes are refused. The script of the page's situations starts it, too.
     */
    static final class Program {
        private Program() {}

        public static void main(String[] args) {
            EvenerBuilder builder = Evener.builder()
                    .devices(DeviceSelector.parse(args.length == 0 ? "0.0" : args[0]))
                    .history(History.inMemory());
            try (Evener evener = (args.length > 1 ? builder.requireSignals() : builder).open()) {
                HostBuffer x = evener.allocate(ElementType.INT, 1000);
                Report report = evener.submit(Job.named("ones")
                                .source("kernel void ones(global int *x) { x[get_global_id(0)] = 1; }")
                                .units(1000)
                                .kernel("ones")
                                .writes(x, Access.slice())
                                .jvm(chunk -> x.put(0, IntBuffer.wrap(new int[1000])))
                                .build())
                        .join();
                System.out.println(report.devices().get(0).id());
                evener.notes().forEach(System.out::println);
            } catch (EvenerException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
