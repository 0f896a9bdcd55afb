package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.kernels.tonemap.FrameLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables of colours that pictures go through, and operators that become some. */
class LooksTest {
    @TempDir
    Path folder;

    @BeforeEach
    void files() throws IOException {
        Random random = new Random(1);
        float[] rgb = new float[3 * 97 * 54];
        for (int i = 0; i < rgb.length; i++) {
            rgb[i] = (float) Math.pow(2, 12 * random.nextDouble() - 8);
        }
        Files.write(folder.resolve("a.exr"), TestFile.exr(new FrameLayout(97, 54), rgb, 1));
        StringBuilder table = new StringBuilder("LUT_3D_SIZE 5\n");
        for (int i = 0; i < 125; i++) {
            table.append(random.nextFloat() + " " + random.nextFloat() + " " + random.nextFloat() + "\n");
        }
        Files.writeString(folder.resolve("look.cube"), table);
    }

    private Cli.Result tonemap(Object... words) {
        return InProcess.in(
                folder, Stream.concat(Stream.of("tonemap"), Stream.of(words)).toArray());
    }

    /** In every format, of operators that end in codes by themselves and of local ones. */
    @Test
    void picturesAreTheSameOnAllDevicesAndWithinACode() throws IOException {
        for (String operator : List.of("hable", "agx", "film", "guided")) {
            for (String format : List.of("png", "y4m")) {
                Object[] what = {
                    "a.exr",
                    "--look",
                    folder.resolve("look.cube"),
                    "--operator",
                    operator,
                    "--format",
                    format,
                    "--verify"
                };
                String suffix = operator + "." + format;
                tonemap(with(what, "--devices", "0.0,0.1", "--policy", "static", "--out", "cut-" + suffix))
                        .done();
                tonemap(with(what, "--devices", "jvm", "--out", "jvm-" + suffix))
                        .done();
                assertArrayEquals(
                        Files.readAllBytes(folder.resolve("jvm-" + suffix)),
                        Files.readAllBytes(folder.resolve("cut-" + suffix)));
            }
        }
        tonemap(
                        "a.exr",
                        "--look",
                        folder.resolve("look.cube"),
                        "--depth",
                        16,
                        "--curve",
                        "srgb",
                        "--verify",
                        "--out",
                        "wide.png")
                .done();
        tonemap(
                        "a.exr",
                        "--look",
                        folder.resolve("look.cube"),
                        "--compare-operators",
                        "--devices",
                        "jvm",
                        "--out",
                        "sheet.png")
                .done();
        tonemap("a.exr", "--look", folder.resolve("none.cube"), "--out", "x")
                .refused(1, "none.cube: cannot be read", "no such file");
        Files.writeString(folder.resolve("bad.cube"), "LUT_3D_SIZE 5\n0 0\n");
        tonemap("a.exr", "--look", folder.resolve("bad.cube"), "--out", "x")
                .refused(1, "bad.cube: line 2: '0 0' must have 3 numbers");
        tonemap("a.exr", "--look", folder.resolve("look.cube"), "--depth", 16, "--out", "x")
                .refused(2, "--look: a look is for pictures of plain");
        tonemap("a.exr", "--look", folder.resolve("look.cube"), "--record", "r", "--out", "x")
                .refused(2, "--look is a file of its own");
    }

    @Test
    void operatorsBecomeTables() throws IOException {
        String[] hable = {"--write-cube", "--exposure", "1.5"};
        tonemap(with(hable, "--operator", "hable", "--devices", "jvm", "--out", "jvm.cube"))
                .done();
        tonemap(with(hable, "--operator", "hable", "--devices", "0.0", "--out", "cl.cube"))
                .done();
        assertEquals(-1, Files.mismatch(folder.resolve("jvm.cube"), folder.resolve("cl.cube")));
        tonemap("a.exr", "--write-cube", "--devices", "jvm", "--out", "measured.cube")
                .done();
        List<String> lines = Files.readAllLines(folder.resolve("measured.cube"));
        assertTrue(lines.get(0).startsWith("# reinhard-extended, of linear light"), lines.get(0));
        assertEquals(5 + 65536 + 65 * 65 * 65, lines.size());
        tonemap(with(hable, "--out", "x.cube", "--operator", "guided"))
                .refused(2, "--write-cube: what guided makes of a colour depends on those around it");
        tonemap("--write-cube", "--out", "x.cube")
                .refused(2, "takes one frame, to be measured, or none with --exposure");
        tonemap(with(hable, "--operator", "aces", "--out", "x.png"))
                .refused(2, "--out names a file that ends in .cube");
        tonemap(with(hable, "--out", "x.cube", "--operator", "aces", "--depth", 16))
                .refused(2, "one table of 8-bit colours");
        tonemap(with(hable, "--out", "x.cube", "--operator", "aces", "--verify"))
                .refused(2, "--write-cube: measures nothing");
    }

    private static Object[] with(Object[] words, Object... more) {
        return Stream.concat(Stream.of(words), Stream.of(more)).toArray();
    }
}
