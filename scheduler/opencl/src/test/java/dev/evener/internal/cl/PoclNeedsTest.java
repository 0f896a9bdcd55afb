package dev.evener.internal.cl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.ChildJava;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerBuilder;
import dev.evener.EvenerException;
import dev.evener.HostBuffer;
import dev.evener.InTurn;
import dev.evener.Job;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** PoCL is not let near a folder in which it would fail without a word or end the process, nor without its linker; what cures it is said. */
@InTurn(2)
class PoclNeedsTest {
    @TempDir
    Path folder;

    @Test
    void itIsWherePoclHasIt() {
        assertEquals("/tmp/pocl/kcache", PoclNeeds.cacheFolder(Map.of()));
        assertEquals("/h/.cache/pocl/kcache", PoclNeeds.cacheFolder(Map.of("HOME", "/h", "XDG_CACHE_HOME", "")));
        assertEquals("/x/pocl/kcache", PoclNeeds.cacheFolder(Map.of("HOME", "/h", "XDG_CACHE_HOME", "/x")));
        assertEquals("/c", PoclNeeds.cacheFolder(Map.of("POCL_CACHE_DIR", "/c", "XDG_CACHE_HOME", "/x")));
    }

    @Test
    void oneThatCanBeUsedIsLeftAsItIs() throws IOException {
        Path cache = folder.resolve("a/b");
        assertNull(PoclNeeds.cacheProblem(Map.of("POCL_CACHE_DIR", cache.toString()), Files::isExecutable));
        try (Stream<Path> files = Files.list(cache)) {
            assertEquals(List.of(), files.toList());
        }
    }

    @Test
    void oneThatDoesNotAllowExecutionIsRefused() throws IOException {
        String problem = String.valueOf(
                PoclNeeds.cacheProblem(Map.of("POCL_CACHE_DIR", folder.toString()), file -> !file.startsWith(folder)));
        assertTrue(problem.contains(folder + " (it does not allow execution"), problem);
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(), files.toList());
        }
    }

    /** Opens what there is and says how that went. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            EvenerBuilder builder = Evener.builder().devices(DeviceSelector.parse(arguments[0]));
            try (Evener evener = (arguments[1].equals("required") ? builder.requireOpenCl() : builder).open()) {
                System.out.println(evener.devices().get(0).id() + " " + evener.notes());
            } catch (EvenerException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    /** Builds kernels of which the names are the arguments, one after another, and removes the cache before each. */
    static final class Builder {
        private Builder() {}

        public static void main(String[] arguments) throws IOException {
            try (Evener evener = Evener.builder()
                            .devices(DeviceSelector.parse("0.0"))
                            .open();
                    HostBuffer out = evener.allocate(ElementType.INT, 1)) {
                for (String name : arguments) {
                    remove(Path.of(System.getenv("POCL_CACHE_DIR")));
                    Job job = Job.named(name)
                            .source("kernel void " + name + "(global int *out) { out[0] = 7; }")
                            .units(1)
                            .kernel(name)
                            .writes(out, Access.slice())
                            .build();
                    evener.submit(job).join();
                    System.out.println(out.ints().get(0));
                }
            }
        }

        private static void remove(Path folder) throws IOException {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    @Test
    void oneThatIsRemovedWhileItIsInUseIsMadeAgain() throws IOException {
        ProcessBuilder builder = ChildJava.of(Builder.class, "one", "two");
        builder.environment().put("POCL_CACHE_DIR", folder.resolve("pocl").toString());
        assertEquals(List.of("7", "7"), builder.start().inputReader().lines().toList());
    }

    @Test
    void whatIsBuiltAgainIsNoSourceThatIsWrong() {
        assertTrue(Programs.isOfSource("0.0: input.cl:3:1: error: expected ';'"));
        assertTrue(Programs.isOfSource("Error(s) while linking:\nCannot find symbol foo in kernel library"));
        assertTrue(Programs.isOfSource("CL_INVALID_BUILD_OPTIONS (-43)"));
        assertFalse(Programs.isOfSource("0.0: error: unable to rename temporary 'a' to output file 'b'"));
        assertFalse(Programs.isOfSource("0.0: Device x failed to build the program"));
    }

    @Test
    void aLinkerOnThePathIsFoundAndNewPoclNeedsNone() throws IOException {
        Map<String, String> path = Map.of("PATH", ":/no:" + folder);
        for (String old : List.of("OpenCL 3.0 PoCL 3.1+debian  Linux", "OpenCL 3.0 PoCL 7.1", "OpenCL 3.0 PoCL HEAD")) {
            for (Map<String, String> without : List.of(path, Map.<String, String>of())) {
                String problem = String.valueOf(PoclNeeds.linkerProblem(old, without));
                String where = without.getOrDefault("PATH", "");
                assertTrue(problem.contains("in no folder of PATH (" + where + "); install binutils"), problem);
            }
        }
        assertNull(PoclNeeds.linkerProblem("OpenCL 3.0 PoCL 7.2", path));
        assertNull(PoclNeeds.linkerProblem("OpenCL 3.0 PoCL 10.0", path));
        Path linker = Files.writeString(folder.resolve("ld"), "");
        assertNotNull(PoclNeeds.linkerProblem("OpenCL 3.0 PoCL 6.0", path), "it cannot be executed");
        assertTrue(linker.toFile().setExecutable(true));
        assertNull(PoclNeeds.linkerProblem("OpenCL 3.0 PoCL 6.0", path));
    }

    @Test
    void withoutALinkerThereAreThreadsAndTheReason() throws IOException {
        String empty = folder.toString();
        String note = said("PATH", empty, "all", "");
        String reason =
                "platform 0 (Portable Computing Language) has no CPU device: PoCL needs the linker ld, which is in no folder of PATH ("
                        + empty;
        assertTrue(note.startsWith("jvm [" + reason), note);
        assertTrue(note.endsWith("or add the folder of ld to PATH: working on JVM threads]"), note);
        assertTrue(said("PATH", empty, "all", "required").startsWith("OpenCL is required, but " + reason));
        assertTrue(said("PATH", empty, "0.0", "").startsWith("there is no device 0.0; there are jvm (" + reason));
    }

    private String said(String selector, String required) throws IOException {
        Path file = folder.resolve("file");
        Files.writeString(file, "no folder");
        return said("POCL_CACHE_DIR", file + "/cache", selector, required);
    }

    private static String said(String variable, String value, String... arguments) throws IOException {
        ProcessBuilder builder = ChildJava.of(Program.class, (Object[]) arguments);
        builder.environment().put(variable, value);
        builder.environment().remove("RUSTICL_ENABLE");
        return String.join("\n", builder.start().inputReader().lines().toList());
    }

    /** With the slash there is nothing to say but that there is none. */
    @Test
    void aFolderOfDriversWithoutASlashAtItsEndIsNamed() throws IOException {
        Files.writeString(folder.resolve("some.icd"), "libnone.so");
        String note = said("OCL_ICD_VENDORS", folder.toString(), "all", "");
        assertTrue(note.contains("a slash at the end of OCL_ICD_VENDORS=" + folder), note);
        note = said("OCL_ICD_VENDORS", folder + "/", "all", "");
        assertTrue(note.startsWith("jvm [no OpenCL device was found"), note);
    }

    @Test
    void withoutOneTheReasonIsSaidAndOpenClCanBeRequired() throws IOException {
        String reason =
                "platform 0 (Portable Computing Language) has no device: PoCL cannot keep what it builds in its folder "
                        + folder.resolve("file/cache");
        String note = said("all", "");
        assertTrue(note.startsWith("jvm [" + reason), note);
        assertTrue(note.contains("set POCL_CACHE_DIR"), note);
        assertTrue(note.endsWith(": working on JVM threads]"), note);
        assertFalse(note.contains("install"), note);
        String refused = said("all", "required");
        assertTrue(refused.startsWith("OpenCL is required, but " + reason), refused);
        assertFalse(refused.contains("working"), refused);
        assertEquals("OpenCL is required, but devices 'jvm' have none", said("jvm", "required"));
        refused = said("0.0", "");
        assertTrue(refused.startsWith("there is no device 0.0; there are jvm (" + reason), refused);
    }
}
