package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts with macros, options and what they include, as compilers get them. */
class KernelSourceTest {
    @Test
    void includedTextsTakeThePlaceOfTheirNames() {
        KernelSource source = KernelSource.of(
                        "k", "// first\n#include \"a.h\"\n  # include <b.h> // again\n#include <c.h>\nlast\n")
                .withIncludes(Map.of("a.h", "in a\n#include \"b.h\"\nend of a", "b.h", "in $b"));
        assertEquals(
                "// first\nin a\nin $b\n#line 3\nend of a\n#line 3\nin $b\n#line 4\n#include <c.h>\nlast\n",
                source.text());
        assertEquals("k", source.name());
        assertThrows(
                IllegalArgumentException.class,
                () -> KernelSource.of("k", "#include <a>\n").withIncludes(Map.of("a", "#include <a>\n")));
    }

    @Test
    void aFileIncludesWhatLiesBesideItAndInFolders(@TempDir Path folder) throws IOException {
        Path kernels = Files.createDirectory(folder.resolve("kernels"));
        Path headers = Files.createDirectory(folder.resolve("headers"));
        Path file = Files.writeString(
                kernels.resolve("k.cl"), "#include \"types.h\"\n#include <size.h>\n#include <none.h>\n");
        Files.writeString(kernels.resolve("types.h"), "#include \"more.h\"");
        Files.writeString(kernels.resolve("more.h"), "more");
        Files.writeString(headers.resolve("size.h"), "size");
        assertEquals(
                "more\n#line 2\n#line 2\nsize\n#line 3\n#include <none.h>\n",
                KernelSource.file(file, headers).text());
        assertEquals("k.cl", KernelSource.file(file).name());
        assertThrows(UncheckedIOException.class, () -> KernelSource.file(kernels.resolve("no.cl")));
    }

    @Test
    void macrosAndOptionsMakeAnotherSource() {
        KernelSource plain = KernelSource.of("k", "text");
        KernelSource macro =
                plain.withMacro("N", 5).withMacro("SQUARE(x)", "((x) * (x))").withMacro("FLAG", "");
        assertEquals(
                "#define FLAG \n#line 1\n#define SQUARE(x) ((x) * (x))\n#line 1\n#define N 5\n#line 1\ntext",
                macro.text());
        assertEquals(
                "-cl-mad-enable -D X=1",
                plain.withOptions("-cl-mad-enable").withOptions(" -D X=1").options());
        assertEquals("", macro.options());
        assertNotEquals(plain.digest(), macro.digest());
        assertNotEquals(plain.digest(), plain.withOptions("-w").digest());
        assertEquals(plain.digest(), KernelSource.of("other", "text").digest());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1N", "a b", "F(x", "A\nB"})
    void whatIsNoMacroIsRefused(String macro) {
        assertThrows(
                IllegalArgumentException.class, () -> KernelSource.of("k", "").withMacro(macro, 1));
    }

    @Test
    void aDeviceBuildsAllOfIt() {
        KernelSource source = KernelSource.of("k", """
                        #include "twice.h"
                        __kernel void k(__global int *out) { out[get_global_id(0)] = TWICE(N) + M; }
                        __kernel void broken(__global int *out) { out[0] = nothing; }
                        """)
                .withIncludes(Map.of("twice.h", "#define TWICE(x) (2 * (x))"))
                .withMacro("N", 20)
                .withOptions("-D M=2");
        try (Evener evener =
                Evener.builder().devices(DeviceSelector.ids(List.of("0.0"))).open()) {
            HostBuffer out = evener.allocate(ElementType.INT, 4);
            Job job = Job.named("sources")
                    .source(source)
                    .units(4)
                    .kernel("k")
                    .writes(out, Access.slice())
                    .build();
            String log = assertThrows(
                            CompletionException.class, () -> evener.submit(job).join())
                    .getCause()
                    .getMessage();
            assertTrue(log.contains(":3:"), log); // the line of the text, whatever stands in front
            Job whole = Job.named("sources")
                    .source(source.withMacro("nothing", 0))
                    .units(4)
                    .kernel("k")
                    .writes(out, Access.slice())
                    .build();
            evener.submit(whole).join();
            assertEquals(42, out.ints().get(3));
        }
    }
}
