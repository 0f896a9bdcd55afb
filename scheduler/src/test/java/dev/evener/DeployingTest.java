package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/deploying.md says of containers and linked runtimes suffices for OpenCL. */
class DeployingTest {
    @TempDir
    Path folder;

    private static List<MatchResult> onPage(String pattern) throws IOException {
        String page = Files.readString(Path.of("..", "docs", "deploying.md"));
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
        String modules = onPage("^jlink --add-modules ([a-z.,]+) --output runtime$")
                .get(0)
                .group(1);
        Path runtime = folder.resolve("runtime");
        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said);
        int status = ToolProvider.findFirst("jlink")
                .orElseThrow()
                .run(out, out, "--add-modules", modules, "--output", runtime.toString());
        assertEquals(0, status, said::toString);
        ProcessBuilder builder = ChildJava.of(Program.class);
        builder.command().set(0, runtime.resolve("bin/java").toString());
        assertEquals("0.0", said(builder));
    }

    private static String said(ProcessBuilder builder) throws IOException, InterruptedException {
        Process program = builder.start();
        String said = String.join("\n", program.inputReader().lines().toList());
        assertEquals(0, program.waitFor(), said);
        return said;
    }

    /** Runs a job on a device, and says on which. */
    static final class Program {
        private Program() {}

        public static void main(String[] args) {
            try (Evener evener = Evener.builder()
                    .devices(DeviceSelector.parse("0.0"))
                    .history(History.inMemory())
                    .open()) {
                HostBuffer x = evener.allocate(ElementType.INT, 1000);
                Report report = evener.submit(Job.named("ones")
                                .source("kernel void ones(global int *x) { x[get_global_id(0)] = 1; }")
                                .units(1000)
                                .kernel("ones")
                                .writes(x, Access.slice())
                                .build())
                        .join();
                System.out.println(report.devices().get(0).id());
            }
        }
    }
}
