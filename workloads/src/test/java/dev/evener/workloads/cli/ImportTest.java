package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is told from the text of a kernel: of a dozen kinds, each checked by a run; and how it is said. */
class ImportTest {
    private static final String[] DEVICES = {"--devices", "0.0,0.1"};

    private static final String BLUR = """
            __kernel void blur(__global const float *in, __global float *out, int n) {
                int i = get_global_id(0);
                if (i >= n) return;
                out[i] = 0.5f * in[i] + 0.25f * (in[i > 0 ? i - 1 : 0] + in[i < n - 2 ? i + 2 : i]);
            }
            """;

    @TempDir
    Path folder;

    @BeforeAll
    static void checksInThisProcess() { // which is faster; those of a process of its own do not
        System.setProperty(ImportCommand.CHECKS, "true");
    }

    @AfterAll
    static void checksInAnother() {
        System.clearProperty(ImportCommand.CHECKS);
    }

    private Path text(String text) throws IOException {
        return Files.writeString(folder.resolve("text.cl"), text);
    }

    /** A text, and what has to stand in its file, without what was guessed from what. */
    @SuppressWarnings("ArrayRecordComponent") // which nobody changes or compares
    record Text(String name, String text, String... fragments) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Text> texts() {
        return List.of(
                new Text(
                        "its own element",
                        "__kernel void f(__global const float *x, __global float *y) { int i = get_global_id(0); y[i] = x[i] * x[i]; }",
                        "{\"reads\": \"x\"}",
                        "{\"writes\": \"y\"}"),
                new Text(
                        "a guard and a scalar",
                        "kernel void f(global const float *x, global float *y, const float a, uint n) { size_t i = get_global_id(0); if (i < n) y[i] += a * x[i]; }",
                        "{\"reads\": \"x\"}",
                        "{\"updates\": \"y\"}",
                        "{\"float\": \"a\"}",
                        "{\"uint\": \"items\"}",
                        "\"parameters\": {\"a\": 0.5}"),
                new Text("neighbours", BLUR, "{\"reads\": \"in\", \"halo\": [1, 2]}", "{\"writes\": \"out\"}"),
                new Text(
                        "several elements a unit",
                        """
                        #define PARTS 3
                        __kernel void f(__global const int *x, __global int *sums) {
                            int i = get_global_id(0), sum = 0;
                            for (int k = 0; k < PARTS; k++) sum += x[i * PARTS + k];
                            sums[i] = sum;
                        }
                        """,
                        "\"x\": {\"type\": \"int\", \"perItem\": 3}",
                        "{\"reads\": \"x\"}",
                        "{\"writes\": \"sums\"}"),
                new Text(
                        "a row of a matrix",
                        """
                        __kernel void f(__global const float *a, __global const float *v, __global float *y, int rows, int columns) {
                            int row = get_global_id(0);
                            if (row >= rows) return;
                            float sum = 0;
                            for (int k = 0; k < columns; k++) sum += a[row * columns + k] * v[k];
                            y[row] = sum;
                        }
                        """,
                        "\"perItem\": \"columns\"",
                        "{\"reads\": \"a\"}",
                        "{\"reads\": \"v\", \"whole\": true}",
                        "{\"int\": \"items\"}"),
                new Text(
                        "a stencil",
                        """
                        __kernel void f(__global const float *now, __global float *next, int width, int height) {
                            int x = get_global_id(0), y = get_global_id(1);
                            if (x >= width || y >= height) return;
                            int i = mad24(y, width, x);
                            float up = now[y > 0 ? i - width : i], down = now[min(y + 1, height - 1) * width + x];
                            next[i] = now[i] + 0.25f * (up + down);
                        }
                        """,
                        "\"width\": 256",
                        "{\"reads\": \"now\", \"halo\": [1, 1]}",
                        "{\"writes\": \"next\"}",
                        "{\"int\": \"width\"}",
                        "{\"int\": \"units\"}"),
                new Text(
                        "a gather",
                        """
                        __kernel void f(__global const float *table, __global const int *index, __global float *out) {
                            int i = get_global_id(0);
                            out[i] = table[index[i]];
                        }
                        """,
                        "{\"reads\": \"table\", \"whole\": true}",
                        "{\"reads\": \"index\"}",
                        "\"data\": {\"from\": 0, \"step\": 1}"),
                new Text(
                        "counts",
                        "__kernel void f(__global const uchar *x, __global int *bins) { atomic_inc(&bins[x[get_global_id(0)]]); }",
                        "{\"reads\": \"x\"}",
                        "{\"accumulates\": \"bins\", \"operation\": \"sum\"}"),
                new Text("a scatter", """
                        __kernel void f(__global const float *x, __global const int *to, __global float *y) {
                            int i = get_global_id(0);
                            y[to[i]] = x[i];
                        }
                        """, "\"undivided\": true", "{\"updates\": \"y\", \"whole\": true}"),
                new Text(
                        "a tile in local memory",
                        """
                        __kernel __attribute__((reqd_work_group_size(32, 1, 1)))
                        void f(__global const float *x, __global float *y, __local float *tile) {
                            int l = get_local_id(0), i = get_global_id(0);
                            tile[l] = x[i];
                            barrier(CLK_LOCAL_MEM_FENCE);
                            y[i] = tile[l ^ 1];
                        }
                        """,
                        "\"group\": [32]",
                        "{\"reads\": \"x\"}",
                        "{\"writes\": \"y\"}",
                        "{\"local\": \"float\", \"perItem\": 1}"),
                new Text(
                        "vectors",
                        """
                        typedef float4 pixel;
                        __kernel void f(__global const pixel *in, __global pixel *out) {
                            const int i = get_global_id(0);
                            out[i] = in[i] * 2.0f;
                        }
                        """,
                        "\"in\": {\"type\": \"float\", \"perItem\": 4}",
                        "{\"reads\": \"in\"}",
                        "{\"writes\": \"out\"}"),
                new Text(
                        "an image with neighbours",
                        """
                        __constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
                        __kernel void f(__read_only image2d_t in, __write_only image2d_t out) {
                            int2 at = (int2)(get_global_id(0), get_global_id(1));
                            float4 sum = 0;
                            for (int y = -2; y <= 1; y++) sum += read_imagef(in, edge, at + (int2)(0, y));
                            write_imagef(out, at, sum);
                        }
                        """,
                        "\"in\": {\"image\": \"rgba float\"}",
                        "{\"reads\": \"in\", \"halo\": [2, 1]}",
                        "{\"writes\": \"out\"}"),
                new Text(
                        "an image that is turned",
                        """
                        __kernel void f(__read_only image2d_t in, __write_only image2d_t out, sampler_t s) {
                            int x = get_global_id(0), y = get_global_id(1);
                            write_imageui(out, (int2)(x, y), read_imageui(in, s, (float2)(y + 0.5f, x + 0.5f)));
                        }
                        """,
                        "\"in\": {\"image\": \"rgba unsigned-int8\"}",
                        "{\"reads\": \"in\", \"whole\": true}",
                        "{\"sampler\": \"nearest\"}"),
                // An edge looks like this, and this is none: a run tells.
                new Text("what only a run tells", """
                        __kernel void f(__global const float *x, __global float *y, int n) {
                            int i = get_global_id(0);
                            int from = i % 2 == 0 ? i : 0;
                            if (i < n) y[i] = x[from];
                        }
                        """, "{\"reads\": \"x\", \"whole\": true}", "{\"updates\": \"y\"}"));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void eachKindIsToldAndKeepsToIt(Text each) throws IOException {
        Path out = folder.resolve("out.json");
        Cli.Result said = InProcess.run("import", text(each.text), "--output", out, DEVICES[0], DEVICES[1]);
        assertEquals(0, said.code(), said::toString);
        assertTrue(said.err().contains("evener: checked: a run keeps to what is declared"), said::toString);
        String file = Files.readString(out);
        assertEquals(List.of(), Schemas.errors("kernel", file), file);
        String bare = file.replaceAll(", \"guessed\": \"(?:[^\"\\\\]|\\\\.)*\"", "");
        for (String fragment : each.fragments) {
            assertTrue(bare.contains(fragment), fragment + " in " + bare);
        }
        InProcess.run("run", out, "--checked", "--size", "4Ki", DEVICES[0], DEVICES[1])
                .silent();
    }

    /** As a process: what it prints is a file that runs, and each guess is marked and said. */
    @Test
    void aFileThatIsPrintedRunsWhereTheTextIs() throws IOException {
        text(BLUR);
        Cli.Result said = Cli.in(folder).run("import", "text.cl", DEVICES[0], DEVICES[1]);
        assertEquals(0, said.code(), said::toString);
        assertTrue(
                said.err().contains("evener: guessed: in: reads its own, and 1 before and 2 behind, from in["),
                said::toString);
        assertTrue(said.err().contains("evener: guessed: n: items"), said::toString);
        assertTrue(said.out().contains("\"guessed\": \"out[i]\""), said::toString);
        Files.writeString(folder.resolve("blur.json"), said.out());
        Map<String, Object> report = Cli.in(folder)
                .run("run", "blur.json", "--size", "16Ki", "--verify", "--json", "-", DEVICES[0], DEVICES[1])
                .done()
                .json();
        assertEquals(true, report.get("verified"));
    }

    /** What a kernel reads may be anywhere, which ends the process that runs it, and not the program. */
    @Test
    void aKernelThatEndsItsProcessIsSaidToBeWrong() throws IOException {
        text("""
                __kernel void far(__global const ulong *x, __global ulong *y) {
                    int i = get_global_id(0);
                    y[i] = x[(x[i] + 1) << 40];
                }
                """);
        Cli.Result said = Cli.in(folder).run("import", "text.cl", DEVICES[0], DEVICES[1]);
        assertEquals(1, said.code(), said::toString);
        assertTrue(said.out().startsWith("{") && said.out().contains("\"kernel\": \"far\""), said::toString);
        assertTrue(said.err().contains("evener: wrong: the run ended its process"), said::toString);
        assertFalse(said.err().contains("fatal error"), said::toString);
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(
                    List.of("text.cl"),
                    left.map(each -> each.getFileName().toString()).toList());
        }
    }

    @Test
    void javaIsPrintedWithEachGuessInAComment() throws IOException {
        Cli.Result said = InProcess.run("import", text(BLUR), "--java", "--no-check", "--quiet");
        assertEquals(0, said.code(), said::toString);
        for (String call : List.of(
                ".units(items)",
                ".kernel(\"blur\")",
                ".reads(in, slice().halo(1, 2)) // guessed: in[",
                ".writes(out, slice()) // guessed: out[i]",
                ".scalar(n)",
                ".build();")) {
            assertTrue(said.out().contains(call), call + " in " + said.out());
        }
        assertTrue(said.err().contains("not checked"), said::toString);
    }

    /** A guess that a run contradicts is widened, and where nothing is wider the run's word is the last. */
    @Test
    void whatARunContradictsIsMended() throws IOException {
        text("""
                __kernel void f(__global const float *x, __global float *y, __global int *far) {
                    int i = get_global_id(0);
                    int at = i;
                    y[at] = x[at];
                    far[i] = 1;
                    global int *p = far + 1;
                }
                """);
        Cli.Result said = InProcess.run("import", folder.resolve("text.cl"), DEVICES[0], DEVICES[1]);
        assertEquals(0, said.code(), said::toString);
        assertTrue(said.out().contains("\"undivided\": true"), said::toString);
        assertTrue(said.err().contains("far is written by a pointer or another function"), said::toString);
        text("__kernel void f(__global float *x) { x[get_global_id(0)] = 1; syntax error }");
        said = InProcess.run("import", folder.resolve("text.cl"), DEVICES[0], DEVICES[1]);
        assertEquals(1, said.code(), said::toString);
        assertTrue(said.err().contains("evener: wrong: "), said::toString);
    }

    @Test
    void whatCannotBeImportedIsSaid() throws IOException {
        InProcess.run("import", text("int f(int x) { return x; }")).refused(1, "there is no kernel in it");
        Path two = text(
                "kernel void a(global int *x) { x[get_global_id(0)]++; } kernel void b(global int *x) { x[get_global_id(0)]--; }");
        InProcess.run("import", two).refused(2, "has several kernels; name one with --kernel: a, b");
        InProcess.run("import", two, "--kernel", "c").refused(2, "there is no kernel 'c'; there are a, b");
        InProcess.run("import", folder.resolve("none.cl")).refused(1, "none.cl");
        Path line = text("kernel void a(read_only image1d_t x, global int *y) { y[get_global_id(0)] = 1; }");
        InProcess.run("import", line).refused(2, "parameter x: a image1d_t is no argument of a job");
        Path vector = text("kernel void a(global float *x, float4 by) { x[get_global_id(0)] = by.x; }");
        InProcess.run("import", vector, "--no-check").refused(1, "parameter by: a file has no float4 by value; --java");
        InProcess.run("import", line, "--output", line, "--no-check").refused(2, "text.cl");
    }
}
