package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Kernels that a file describes, beginning with those of docs/kernel-files.md: every command takes them, and says what is wrong where. */
class KernelFileTest {
    private static final String MANY = """
            #ifndef FACTOR
            #define FACTOR 1 // of twice
            #endif
            __kernel void heat(__global const float *now, __global float *next, int width, int height) {
                int x = get_global_id(0), y = get_global_id(1), i = y * width + x;
                float up = now[y > 0 ? i - width : i], down = now[y < height - 1 ? i + width : i];
                next[i] = 0.5f * now[i] + 0.25f * (up + down);
            }
            __kernel void bins(__global const uint *keys, __global uint *hist, __local uint *own, __global const uint *weights) {
                int l = get_local_id(0);
                own[l] = keys[get_global_id(0)] >> 28;
                barrier(CLK_LOCAL_MEM_FENCE);
                atomic_add(hist + own[l], weights[own[l]]);
            }
            __kernel void evens(__global const uint *keys, __global uint *slots, __global uint *counts) {
                uint i = get_global_id(0), n = 0;
                for (int k = 0; k < 4; k++) {
                    uint v = keys[4 * i + k];
                    if (v % 2 == 0) slots[4 * i + n++] = v;
                }
                counts[i] = n;
            }
            __kernel void twice(__global float *x, float by) { x[get_global_id(0)] *= by * FACTOR; }
            __kernel void add(__global float *x, __global const float *y) { x[get_global_id(0)] += y[get_global_id(0)]; }
            __kernel void plain(__global float *x, float by, __global const float *y) {
                x[get_global_id(0)] = 2 * (x[get_global_id(0)] * by) + y[get_global_id(0)];
            }
            __kernel void place(__global ulong *out, ulong start) { out[get_global_id(0)] = start + get_global_id(0); }
            """;

    @TempDir
    Path folder;

    @BeforeEach
    void write() throws IOException {
        file("blur.json", page("json"));
        file("blur.cl", page("c"));
        file("many.cl", MANY);
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private static String page(String language) throws IOException {
        return page(language, "# A kernel as a file");
    }

    private static String page(String language, String section) throws IOException {
        String page = Files.readString(Path.of("..", "docs", "kernel-files.md"));
        page = page.substring(page.indexOf(section));
        int from = page.indexOf("```" + language + "\n") + language.length() + 4;
        return page.substring(from, page.indexOf("```", from));
    }

    private Cli.Result run(String name, Object... options) {
        List<Object> words = new ArrayList<>(
                List.of("run", folder.resolve(name), "--devices", "0.0,0.1", "--cold", "--size", "16Ki"));
        words.addAll(List.of(options));
        return InProcess.run(words.toArray());
    }

    private Path described(String rest) throws IOException {
        return file(
                "own.json",
                "{\"format\": \"evener-kernel\", \"version\": 1, \"source\": \"many.cl\",\n" + rest + "}\n");
    }

    // ---- what runs ----

    @Test
    void theFileOfThePageIsRunBenchedTunedRecordedReplayedAndSimulated() {
        Object[] devices = {"--devices", "0.0,0.1"};
        Map<String, Object> report = Cli.in(folder)
                .run(
                        "run",
                        "blur.json",
                        "--size",
                        "16Ki",
                        "--verify",
                        "--set",
                        "centre=0.25",
                        "--devices",
                        "0.0,0.1",
                        "--split",
                        "0.5,0.5",
                        "--record",
                        "blur.record",
                        "--json",
                        "-")
                .silent()
                .json();
        assertEquals(true, report.get("verified"));
        assertEquals("blur.json", report.get("workload"));
        assertTrue(InProcess.in(folder, "run", "blur.json", "--list")
                .silent()
                .out()
                .contains("weighted mean of three neighbours"));
        InProcess.in(folder, "run", "blur.json", "--size", "16Ki", "--checked", devices[0], devices[1])
                .silent();
        assertTrue(InProcess.in(folder, "simulate", "blur.record", "--policy", "stealing")
                .ofShortRecord()
                .out()
                .contains("stealing"));
        Cli.Result replay = Cli.in(folder).run("replay", "blur.record", "--asap");
        assertTrue(replay.done().out().contains("2 results checked"), replay::toString);
        assertTrue(replay.err().contains("1 of blur, reference;"), replay::toString);
        String bench = InProcess.in(
                        folder,
                        "bench",
                        "blur.json",
                        "--sizes",
                        "16Ki",
                        "--repeat",
                        2,
                        "--sweep",
                        0,
                        "--warm-up",
                        0,
                        "--policies",
                        "static,gss:8",
                        "--verify",
                        devices[0],
                        devices[1])
                .done()
                .out();
        assertTrue(bench.contains("gss:8"), bench);
        String tuned = InProcess.in(folder, "tune", "blur.json", "--repeat", 2, "--devices", "0.0")
                .done()
                .out();
        assertTrue(tuned.contains("256") && tuned.contains("nothing is kept"), tuned);
    }

    @Test
    void rowsHalosAndSeveralPhases() throws IOException {
        described("""
                 "width": 64, "item": "cell", "sizes": ["4Ki"],
                 "buffers": {"a": {"type": "float"}, "b": {"type": "float"}},
                 "phases": [
                  {"kernel": "heat", "arguments": [{"reads": "a", "halo": [1, 1]}, {"writes": "b"}, {"int": "width"}, {"int": "units"}]},
                  {"kernel": "heat", "arguments": [{"reads": "b", "halo": [1, 1]}, {"writes": "a"}, {"int": "width"}, {"int": "units"}]}]""");
        assertEquals(
                256L,
                ((Number) run("own.json", "--verify", "--json", "-")
                                .silent()
                                .json()
                                .get("units"))
                        .longValue());
        assertEquals(
                164L,
                ((Number) run("own.json", "--verify", "--set", "width=100", "--json", "-")
                                .silent()
                                .json()
                                .get("units"))
                        .longValue(),
                "16,384 items, rounded up to rows of 100");
        run("own.json", "--checked").silent();
    }

    @Test
    void reductionsLocalMemoryAndTables() throws IOException {
        described("""
                 "buffers": {"keys": {"type": "uint"}, "hist": {"type": "uint", "elements": 16},
                             "weights": {"type": "uint", "elements": 16, "data": {"from": 1, "step": 2}}},
                 "phases": [{"kernel": "bins", "group": 64, "arguments": [
                    {"reads": "keys"}, {"reduces": "hist", "operation": "sum"}, {"local": "uint", "perItem": 1}, {"reads": "weights"}]}]""");
        run("own.json", "--verify", "--output", folder.resolve("hist.raw")).silent();
        ByteBuffer hist =
                ByteBuffer.wrap(Files.readAllBytes(folder.resolve("hist.raw"))).order(ByteOrder.LITTLE_ENDIAN);
        long items = 0;
        for (int bin = 0; bin < 16; bin++) {
            int count = hist.getInt(4 * bin);
            assertEquals(0, count % (1 + 2 * bin), "bin " + bin + " weighs " + (1 + 2 * bin));
            items += count / (1 + 2 * bin);
        }
        assertEquals(16 * 1024, items);
    }

    /** As a process, from a file to a file: what each pixel becomes is computed here once more. */
    @Test
    void imagesAreReadFromAFileAndWrittenToAFile() throws IOException {
        file("soften.json", page("json", "## Images").replace("640", "64"));
        file("soften.cl", page("c", "## Images"));
        int width = 64;
        int height = 51;
        byte[] in = new byte[4 * width * height];
        new Random(1).nextBytes(in);
        Files.write(folder.resolve("in.rgba"), in);
        String[] words = {
            "run", "soften.json", "--devices", "0.0,0.1", "--split", "0.4,0.6", "--cold", "--verify", "--json", "-"
        };
        Map<String, Object> report = Cli.in(folder)
                .run(Stream.concat(Stream.of(words), Stream.of("--input", "in.rgba", "--output", "out.raw"))
                        .toArray())
                .silent()
                .json();
        assertEquals(true, report.get("verified"));
        List<?> devices = (List<?>) report.get("devices");
        assertTrue(devices.stream().allMatch(each -> ((Number) ((Map<?, ?>) each).get("units")).longValue() > 0));
        ByteBuffer out =
                ByteBuffer.wrap(Files.readAllBytes(folder.resolve("out.raw"))).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(4 * in.length, out.limit(), "a float for each byte");
        for (int i = 0; i < in.length; i++) {
            int column = i % (4 * width);
            float sum = 0;
            for (int y = -1; y <= 1; y++) {
                int row = Math.min(height - 1, Math.max(0, i / (4 * width) + y));
                sum += (in[row * 4 * width + column] & 0xFF) / 255f;
            }
            assertEquals(sum / 3, out.getFloat(4 * i), 1e-6, "channel " + i);
        }
        run("soften.json", "--checked").silent();
    }

    @Test
    void imagesHaveSizesAndLayersOfTheirOwn() throws IOException {
        file("many.cl", """
                __kernel void pick(__read_only image2d_array_t stack, __read_only image2d_t table, __write_only image2d_t out, sampler_t s) {
                    int x = get_global_id(0), y = get_global_id(1);
                    float4 t = read_imagef(table, s, (int2)(x % 4, 0));
                    write_imagef(out, (int2)(x, y), read_imagef(stack, s, (int4)(1, 1, y % 3, 0)) + t);
                }
                """);
        described("""
                 "width": 32, "buffers": {
                  "stack": {"image": "r float", "kind": "layers", "size": [2, 2, 3], "data": {"from": 0, "step": 1}},
                  "table": {"image": "r float", "size": [4, 1], "data": {"from": 100, "step": 100}},
                  "out": {"image": "r float"}},
                 "phases": [{"kernel": "pick", "arguments": [{"reads": "stack"}, {"reads": "table"}, {"writes": "out"},
                   {"sampler": "nearest", "outside": "clamp"}]}]""");
        run("own.json", "--verify", "--output", folder.resolve("out.raw")).silent();
        ByteBuffer out =
                ByteBuffer.wrap(Files.readAllBytes(folder.resolve("out.raw"))).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 16 * 1024; i++) {
            assertEquals(4 * (i / 32 % 3) + 3 + 100 * (i % 4 + 1), out.getFloat(4 * i), "pixel " + i);
        }
    }

    /** What the page shows and what these tests run is as the schema says; what is misspelt is not. */
    @Test
    void theSchemaKnowsWhatIsRead() throws IOException {
        for (String section : List.of("# A kernel as a file", "## Images")) {
            String page = page("json", section);
            assertEquals(List.of(), Schemas.errors("kernel", page));
            assertFalse(Schemas.errors("kernel", page.replace("halo", "hallo")).isEmpty(), "a member too much");
            assertFalse(
                    Schemas.errors("kernel", page.replace("\"kernel\"", "\"kern\""))
                            .isEmpty(),
                    "no kernel");
        }
        described(CHAIN);
        assertEquals(List.of(), Schemas.errors("kernel", Files.readString(folder.resolve("own.json"))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "\"rgba float\"|\"rgba flout\"|buffers.out.image: 'flout' is not one of snorm-int8, ",
                "\"rgba float\"|\"rgbx float\"|buffers.out.image: 'rgbx' is not one of r, a, ",
                "\"rgba float\"|\"float\"|buffers.out.image: expected channels and the type of each",
                "{\"image\": \"rgba float\"|{\"type\": \"float\", \"image\": \"rgba float\"|buffers.out.type: is what the image's format says",
                "{\"image\": \"rgba float\"|{\"size\": [4, 4], \"type\": \"float\"|buffers.out.size: is of images, and 'image' is missing",
                "{\"image\": \"rgba float\"|{\"kind\": \"volume\", \"image\": \"rgba float\"|buffers.out: an image of three dimensions needs its 'size'",
                "\"width\": 640,||buffers.in: an image of the job's size needs rows: give 'width'",
                "\"nearest\"|\"nearer\"|phases[0].arguments[2].sampler: 'nearer' is not one of nearest, linear",
                "\"nearest\"|\"nearest\", \"outside\": \"repeat\"|phases[0].arguments[2]: a sampler with REPEAT takes normalized coordinates",
                "{\"reads\": \"in\", \"halo\": [1, 1]}|{\"reduces\": \"in\", \"operation\": \"sum\"}|phases[0].arguments[0]: an image is read, written or updated",
            })
    void whatCannotBeOfAnImageIsSaid(String right, String wrong, String said) throws IOException {
        String page = page("json", "## Images");
        assertTrue(page.contains(right), right);
        file("soften.json", page.replace(right, wrong == null ? "" : wrong));
        file("soften.cl", page("c", "## Images"));
        Cli.Result result = run("soften.json");
        assertEquals(2, result.code(), result::toString);
        assertTrue(result.err().contains(said), result::toString);
        assertEquals(1, result.err().lines().count(), result::toString);
    }

    @Test
    void whatIsAppendedIsCounted() throws IOException {
        described("""
                 "buffers": {"keys": {"type": "uint", "perItem": 4}, "out": {"type": "uint", "perItem": 4}, "count": {"type": "uint", "elements": 1}},
                 "phases": [{"kernel": "evens", "arguments": [{"reads": "keys"}, {"appends": "out", "count": "count", "most": 4}]}]""");
        run("own.json", "--verify", "--output", folder.resolve("evens.raw")).silent();
        ByteBuffer evens =
                ByteBuffer.wrap(Files.readAllBytes(folder.resolve("evens.raw"))).order(ByteOrder.LITTLE_ENDIAN);
        int count = evens.limit() / 4;
        assertTrue(count > 30_000 && count < 36_000, "about half of 65,536: " + count);
        for (int i = 0; i < count; i++) {
            assertEquals(0, evens.getInt(4 * i) & 1, "element " + i);
        }
    }

    private static final String CHAIN = """
             "macros": {"FACTOR": "factor"}, "parameters": {"factor": 2, "by": 1.5},
             "buffers": {"x": {"type": "float"}, "y": {"type": "float", "data": 3}},
             "phases": [
              {"kernel": "twice", "arguments": [{"updates": "x"}, {"float": "by"}]},
              {"kernel": "add", "then": true, "arguments": [{"updates": "x"}, {"reads": "y"}]}],
             "reference": {"phases": [{"kernel": "plain", "arguments": [{"updates": "x"}, {"float": "by"}, {"reads": "y"}]}]}""";

    /** The reference knows of a factor of two only. */
    @Test
    void aReferenceKernelIsComparedWith() throws IOException {
        described(CHAIN);
        run("own.json", "--verify").silent();
        run("own.json", "--verify", "--set", "by=0.1").silent();
        Cli.Result wrong = run("own.json", "--verify", "--set", "factor=3");
        assertEquals(1, wrong.code(), wrong::toString);
        assertTrue(wrong.err().contains("the result is wrong: x[0] is "), wrong::toString);
    }

    /** No tolerance makes anything right where the reference is infinite, or the result where it is not. */
    @Test
    void whatIsInfiniteIsComparedExactly() throws IOException {
        for (String wanted : List.of("INFINITY", "1.0f")) {
            for (String found : List.of("INFINITY", "1.0f", "-INFINITY", "NAN")) {
                file(
                        "many.cl",
                        "__kernel void found(__global float *x) { x[get_global_id(0)] = " + found + "; }\n"
                                + "__kernel void wanted(__global float *x) { x[get_global_id(0)] = " + wanted
                                + "; }\n");
                described("""
                         "tolerance": 0.5, "buffers": {"x": {"type": "float"}},
                         "phases": [{"kernel": "found", "arguments": [{"updates": "x"}]}],
                         "reference": {"phases": [{"kernel": "wanted", "arguments": [{"updates": "x"}]}]}""");
                Cli.Result said = run("own.json", "--verify");
                assertEquals(found.equals(wanted) ? 0 : 1, said.code(), said::toString);
                assertTrue(found.equals(wanted) || said.err().contains(" within 0.5"), said::toString);
            }
        }
    }

    @Test
    void anExpectedDigestIsComparedWith() throws IOException {
        String file = "\"expected\": {\"items\": 16384, \"sha256\": \"00\"},\n"
                + CHAIN.replaceAll("(?s),\\s*\"reference.*", "");
        described(file);
        String said = run("own.json", "--verify").err();
        assertTrue(said.contains("the SHA-256 of the result is "), said);
        String digest = said.replaceAll("(?s).*result is ([0-9a-f]{64}), not 00.*", "$1");
        described(file.replace("\"00\"", "\"" + digest + "\""));
        run("own.json", "--verify").silent();
        assertFalse(run("own.json", "--verify", "--set", "by=1.25").code() == 0, "another result");
        run("own.json", "--verify", "--seed", 2, "--set", "by=1.25").silent(); // of these data nobody said it
    }

    @Test
    void chunksKnowWhereTheyBegin() throws IOException {
        described("""
                 "expected": {"items": 100, "sha256": "01"}, "view": "chunk", "buffers": {"out": {"type": "ulong"}},
                 "phases": [{"kernel": "place", "arguments": [{"writes": "out"}, "chunkStart"]}]""");
        run("own.json", "--verify", "--split", "0.3,0.7", "--output", folder.resolve("out.raw"))
                .silent();
        ByteBuffer out =
                ByteBuffer.wrap(Files.readAllBytes(folder.resolve("out.raw"))).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 16 * 1024; i++) {
            assertEquals(i, out.getLong(8 * i));
        }
        InProcess.run("run", folder.resolve("own.json"), "--devices", "0.0", "--size", 100, "--verify", "--quiet")
                .refused(1, "the result is wrong: the SHA-256 of the result is ");
    }

    // ---- what is wrong ----

    /** A declaration that is not what the kernel does is found where it stands. */
    @Test
    void checkingSaysLineAndColumn() throws IOException {
        String page = page("json");
        file("blur.json", page.replace("\"halo\": [1, 1]", "\"halo\": [0, 1]"));
        run("blur.json", "--checked")
                .refused(1, "blur.json:9:6: ", "kernel blur, argument 0: the kernel reads outside of the chunk's part");
        file("blur.json", page.replace("{\"int\": \"items\"}", "{\"long\": \"items\"}"));
        run("blur.json")
                .refused(
                        1,
                        "blur.json:11:6: ",
                        "argument 2 is a scalar of type long, but the kernel's parameter is int");
        file("blur.json", page.replace("{\"writes\": \"out\"}", "{\"writes\": \"in\"}"));
        run("blur.json").refused(2, "blur.json:10:6: ", "writes it");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "\"reads\": \"in\"|\"reads\": \"inn\"|blur.json:9:16: phases[0].arguments[0].reads: there is no buffer 'inn'",
                "\"reads\": \"in\"|\"red\": \"in\"|blur.json:9:6: phases[0].arguments[0]: expected one of reads, writes",
                "\"halo\"|\"hallo\"|blur.json:9:6: phases[0].arguments[0]: there is no 'hallo' (did you mean 'halo'?)",
                "[1, 1]|[1]|blur.json:9:30: phases[0].arguments[0].halo: has 1 elements",
                "\"items\"|\"itemz\"|blur.json:11:14: phases[0].arguments[2].int: 'itemz' is no number",
                "\"in\": {\"type\": \"float\"}|\"in\": {\"type\": \"flout\"}|blur.json:6:29: buffers.in.type: there is no type 'flout'",
                "\"kernel\": \"blur\"|\"kern\": \"blur\"|blur.json:8:4: phases[0]: there is no 'kern' (did you mean 'kernel'?)",
                "\"value\": 0.5|\"value\": 1.5|blur.json:5:37: parameters.centre.value: expected a number from 0.0 to 1.0",
                "\"version\": 1|\"version\": 2|blur.json:1:40: version: expected a whole number from 1 to 1",
                "\"blur.cl\"|\"none.cl\"|blur.json:3:12: source: ",
                "\"writes\": \"out\"|\"reads\": \"out\"|blur.json:7:12: phases: no kernel writes anything",
                "\"phases\": [|\"phases\": |blur.json: line 12, column ",
            })
    void whatCannotBeIsSaidWithLineAndColumn(String right, String wrong, String said) throws IOException {
        String page = page("json");
        assertTrue(page.contains(right), right);
        file("blur.json", page.replace(right, wrong));
        Cli.Result result = run("blur.json");
        assertEquals(2, result.code(), result::toString);
        assertTrue(result.err().contains(said), result::toString);
        assertEquals(1, result.err().lines().count(), result::toString);
    }

    @Test
    void whatIsNotThereIsSaid() throws IOException {
        file("blur.json", page("json").replace("\"writes\"", "\"rights\""));
        InProcess.run("bench", folder.resolve("blur.json"), "--devices", "0.0").refused(2, "blur.json:10:6: ");
        run("none.json").refused(1, "none.json: there is no such file");
        file("other.json", "{\"format\": \"evener-experiment\"}");
        run("other.json").refused(2, "expected \"format\": \"evener-kernel\"");
        InProcess.run(
                        "tune",
                        file(
                                "plain.json",
                                page("json")
                                        .replace("\"tune\"", "\"least\": 1, \"most\": 512, \"description\"")
                                        .replace("[16, 64, 256]", "\"of a group\"")))
                .refused(2, "no parameter says what to try");
    }
}
