package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.EvenerException.BuildFailedException;
import dev.evener.internal.source.SourceLines;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts with macros, options and what they include, as compilers get them. */
class KernelSourceTest {
    @Test
    void includedTextsTakeThePlaceOfTheirNames() {
        KernelSource source = KernelSource.of(
                        "k", "// first\n#include \"a.h\"\n  # include <b.h> // again\n#include <c.h>\nlast\n")
                .withIncludes(Map.of("a.h", "in a\n#include \"b.h\"\nend of a", "b.h", "in $b"));
        assertEquals("""
                // first
                #line 1 "a.h"
                in a
                #line 1 "b.h"
                in $b
                #line 3 "a.h"
                end of a
                #line 3 "k"
                #line 1 "b.h"
                in $b
                #line 4 "k"
                #include <c.h>
                last
                """, source.text());
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
        assertEquals("""
                #line 1 "types.h"
                #line 1 "more.h"
                more
                #line 1 "types.h"
                #line 2 "k.cl"
                #line 1 "size.h"
                size
                #line 3 "k.cl"
                #include <none.h>
                """, KernelSource.file(file, headers).text());
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

    /** Texts that compilers take, whose includes a pattern for lines did not find, or found where there are none. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "#include <a.h>\\n#include <a.h>\\nuse|#pragma once\\nonce|once;use",
                "#include <a.h>\\n#include <a.h>\\nuse|#ifndef A\\n#define A\\n#include <a.h>\\nonce\\n#endif // A|once;use",
                "#include <a.h>\\nuse|// a guard\\n#if !defined(A)\\n#  define A 1\\n#include <b.h>\\nonce\\n#endif\\n|b;once;use",
                "#include <a.h>\\nuse|#pragma once\\n#include <c.h>\\nonce|c;once;use",
                "#include <a.h>\\n#include <a.h>\\nuse|#if 1\\ntwice\\n#endif|twice;twice;use",
                "#if OFF\\n#include <a.h>\\n#endif\\n#include <a.h>\\nuse|#pragma once\\nonce|once;use",
                "#if OFF\\n#include <a.h>\\n#endif\\n#include <a.h>\\nuse|#ifndef A\\n#define A\\nonce\\n#endif|once;use",
                "/* one\\n#include <a.h>\\n*/ use // \\\\\\n#include <a.h>\\nagain|a|use;again",
                "/* x */ #include <a.h> /* y\\n */\\nuse|a|a;use",
                "# \\\\\\n include \\\\\\n <a.h>\\nuse|a|a;use",
                "s = \"/*\";\\n#include <a.h>\\nt = \"*/\";|a|s = \"/*\";;a;t = \"*/\";",
                "\uFEFFuse\\n#include <a.h>|\uFEFFa|use;a",
            })
    void whatIsIncludedIsFoundAsAPreprocessorDoes(String text, String a, String lines) {
        Map<String, String> texts = new HashMap<>(Map.of("a.h", plain(a), "b.h", "b", "c.h", "#include <a.h>\nc"));
        String expanded = KernelSource.of("k", plain(text)).withIncludes(texts).text();
        assertEquals(lines, String.join(";", said(expanded)), expanded);
    }

    private static String plain(String text) {
        return text.replace("\\\\", "\\").replace("\\n", "\n");
    }

    /** What a compiler gets of a text: lines under the conditions of guards. */
    private static List<String> said(String text) {
        List<String> said = new ArrayList<>();
        Set<String> defined = new HashSet<>();
        Deque<Boolean> conditions = new ArrayDeque<>();
        for (SourceLines.Line line : SourceLines.of(text, "k")) {
            String rest = line.rest().replaceAll("!\\s*defined|[()]", "").trim();
            switch (line.directive()) {
                case "ifndef" -> conditions.push(!defined.contains(rest));
                case "if" -> conditions.push(line.rest().startsWith("!") ? !defined.contains(rest) : rest.equals("1"));
                case "endif" -> conditions.pop();
                case "define" -> defined.add(conditions.contains(false) ? "" : rest.replaceFirst(" .*", ""));
                case "line" -> {}
                default -> {
                    if (!line.code().isBlank() && !conditions.contains(false)) {
                        said.add(line.code().strip());
                    }
                }
            }
        }
        return said;
    }

    @Test
    void textsThatIncludeThemselvesWithoutEndAreRefused() {
        for (String self : List.of("#include <a>", "#if A\n#include <a>\n#endif", "#include <a>\n#include <a>")) {
            KernelSource source = KernelSource.of("k", "#include <a>\n");
            String message = assertThrows(IllegalArgumentException.class, () -> source.withIncludes(Map.of("a", self)))
                    .getMessage();
            assertTrue(message.contains("#pragma once"), message);
        }
    }

    /** Editors and older suites write such files. */
    @Test
    void filesMayBeInLatin1AndHaveAByteOrderMark(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("k.cl");
        Files.write(folder.resolve("a.h"), "// \u00e9\u00b5\nint a;\n".getBytes(StandardCharsets.ISO_8859_1));
        Files.writeString(file, "\uFEFF#include \"a.h\"\n// \u00e9\n");
        assertEquals(
                "#line 1 \"a.h\"\n// \u00e9\u00b5\nint a;\n#line 2 \"k.cl\"\n// \u00e9\n",
                KernelSource.file(file).text());
    }

    @ParameterizedTest
    @MethodSource
    void numbersAreWrittenAsCHasThem(Object value, String literal) {
        assertEquals(
                "#define X " + literal + "\n#line 1\n",
                KernelSource.of("k", "").withMacro("X", value).text());
    }

    static List<Arguments> numbersAreWrittenAsCHasThem() {
        return List.of(
                Arguments.of(Float.POSITIVE_INFINITY, "INFINITY"),
                Arguments.of(Float.NEGATIVE_INFINITY, "(-INFINITY)"),
                Arguments.of(Float.NaN, "NAN"),
                Arguments.of(Double.POSITIVE_INFINITY, "((double) INFINITY)"),
                Arguments.of(Double.NEGATIVE_INFINITY, "((double) (-INFINITY))"),
                Arguments.of(Double.NaN, "((double) NAN)"),
                Arguments.of(0.1f, "0.1f"),
                Arguments.of(-1e-20f, "-1.0E-20f"),
                Arguments.of(0.1, "0.1"),
                Arguments.of(1e300, "1.0E300"),
                Arguments.of(5L, "5"),
                Arguments.of(1L << 40, "1099511627776"),
                Arguments.of(Integer.MIN_VALUE, "(-2147483647 - 1)"),
                Arguments.of(Long.MIN_VALUE, "(-9223372036854775807L - 1)"),
                Arguments.of((byte) -3, "-3"),
                Arguments.of("float4", "float4"));
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

    /**
     * An error has the file and the line in which its author finds it, wherever the text is from: {@code |} stands before what is wrong. A
     * header that the compiler finds is told without its line, which nobody here has read.
     */
    @Test
    void anErrorIsToldWithItsOwnFileAndLine(@TempDir Path folder) throws IOException {
        Path headers = Files.createDirectory(folder.resolve("headers"));
        String kernel = "kernel void k(global int *out) {\n    out[0] = f(1);\n}\n";
        String good = "\n/* a\n   comment */ int f(int x);\nint f(int x) {\n    return x;\n}\n";
        String bad = good.replace("return x", "return y");
        List<List<String>> cases = List.of( // header, text, where
                List.of(bad, "#include \"my head.h\"\n" + kernel, "my head.h:5", "return y;"),
                List.of(good, "\n#include \"my head.h\"\n" + kernel.replace("1", "z"), "k.cl:4", "out[0] = f(z);"),
                List.of("#pragma once\n" + bad, "#include \"my head.h\"\n\n" + kernel, "my head.h:6", "return y;"),
                List.of(bad, "#if 1\n#include <my\\\n head.h> /* \n */\n#endif\n" + kernel, "my head.h:5", "return y;"),
                List.of(
                        good,
                        "#include <my head.h>\n#define Z \\\n z\n" + kernel.replace("1", "Z"),
                        "k.cl:5",
                        "out[0] = f(Z);"));
        try (Evener evener = Evener.builder()
                        .devices(DeviceSelector.ids(List.of("0.0")))
                        .open();
                HostBuffer out = evener.allocate(ElementType.INT, 4)) {
            for (List<String> each : cases) {
                Path file = Files.writeString(folder.resolve("k.cl"), each.get(1));
                Files.writeString(headers.resolve("my head.h"), each.get(0));
                BuildFailedException e = failureOf(
                        evener,
                        KernelSource.file(file, headers).withMacro("A", 1).withMacro("B", 2),
                        out);
                assertEquals(each.get(2) + " " + each.get(3), e.file() + ":" + e.line() + " " + e.sourceLine());
                assertTrue(e.getMessage().contains(" does not build: " + each.get(2) + ":"), e::getMessage);
            }
            Files.writeString(headers.resolve("found.h"), bad);
            BuildFailedException e = failureOf(
                    evener,
                    KernelSource.of("k.cl", "#include \"found.h\"\n" + kernel).withOptions("-I " + headers),
                    out);
            assertTrue(e.file().endsWith("found.h"), e.file());
            assertEquals(5, e.line());
        }
    }

    private static BuildFailedException failureOf(Evener evener, KernelSource source, HostBuffer out) {
        Job job = Job.named("broken")
                .source(source)
                .units(4)
                .kernel("k")
                .writes(out, Access.slice())
                .build();
        return assertInstanceOf(
                BuildFailedException.class,
                assertThrows(CompletionException.class, () -> evener.submit(job).join())
                        .getCause());
    }

    /** PoCL has its own names for these, and told the place of its own header beside that of the call. */
    @Test
    void whatIsWrongInACallOfABuiltInFunctionHasItsLine() {
        try (Evener evener = Evener.builder()
                        .devices(DeviceSelector.ids(List.of("0.0")))
                        .open();
                HostBuffer out = evener.allocate(ElementType.INT, 4)) {
            for (String call : List.of(
                    "min(3, x[0])",
                    "clamp(x[0], 1, 2.0)",
                    "get_global_id(x)",
                    "get_global_id()",
                    "get_global_size(x)",
                    "sqrt(x)",
                    "mad(x[0], 1)",
                    "barrier()",
                    "select(x[0], 1, 2.0f)",
                    "length(x)",
                    "as_float(1.0)",
                    "mix(1, 2, 3)")) {
                String text =
                        "// one\nkernel void k(global int *out) {\n    global float *x = (global float *) out;\n    float r = "
                                + call + ";\n    x[0] = r;\n}\n";
                BuildFailedException e = failureOf(evener, KernelSource.of("k.cl", text), out);
                assertEquals("k.cl:4 float r = " + call + ";", e.file() + ":" + e.line() + " " + e.sourceLine());
                String said = e.getMessage().lines().findFirst().orElse("");
                assertFalse(said.contains("_cl_") || said.contains("evener_"), said);
            }
        }
    }
}
