package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.kernels.reference.ToneMapReference;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What colours frames have is taken from the file, or said, and pictures are what a computation in double precision has. */
class ColoursTest {
    private static final FrameLayout SIZE = new FrameLayout(61, 23);

    /** BT.2087, inverted. */
    private static final double[] REC2020 = {
        1.660491, -0.587641, -0.072850, -0.124550, 1.132900, -0.008349, -0.018151, -0.100579, 1.118730
    };

    /** XYZ of equal energy to D65 (Lindbloom's table of Bradford's transform), and to sRGB. */
    private static final double[] XYZ = product(
            new double[] {
                3.2404542, -1.5371385, -0.4985314, -0.9692660, 1.8760108, 0.0415560, 0.0556434, -0.2040259, 1.0572252
            },
            new double[] {
                0.9531874, -0.0265906, 0.0238731, -0.0382467, 1.0288406, 0.0094060, 0.0026068, -0.0030332, 1.0892565
            });

    private static final double[] ACESCG = {
        1.705051, -0.621792, -0.083259, -0.130256, 1.140805, -0.010548, -0.024003, -0.128969, 1.152972
    };

    private static final double[] NONE = {1, 0, 0, 0, 1, 0, 0, 0, 1};

    @TempDir
    Path folder;

    private static double[] product(double[] a, double[] b) {
        double[] c = new double[9];
        for (int i = 0; i < 27; i++) {
            c[i / 3] += a[i / 9 * 3 + i % 3] * b[i % 3 * 3 + i / 3 % 3];
        }
        return c;
    }

    /** Light with a little of each component, so that most colours are within Rec. 709, and many are not. */
    private static float[] light() {
        Random random = new Random(3);
        float[] light = new float[(int) (3 * SIZE.pixels())];
        for (int i = 0; i < light.length; i += 3) {
            double luminance = Math.pow(2, 10 * random.nextDouble() - 6);
            for (int c = 0; c < 3; c++) {
                light[i + c] = (float) (luminance * (0.2 + random.nextDouble()));
            }
        }
        return light;
    }

    /** As a Radiance file has it. */
    private static float[] rounded(float[] light) {
        float[] rounded = light.clone();
        for (int i = 0; i < light.length; i += 3) {
            double unit = Math.scalb(1.0, exponent(light, i) - 8);
            for (int c = i; c < i + 3; c++) {
                rounded[c] = (float) (Math.floor(light[c] / unit) * unit);
            }
        }
        return rounded;
    }

    private static int exponent(float[] light, int at) {
        return Math.getExponent(Math.max(light[at], Math.max(light[at + 1], light[at + 2]))) + 1;
    }

    private static byte[] hdr(String lines, float[] light) {
        TestFile file =
                new TestFile().text("#?RADIANCE\n" + lines + "\n-Y " + SIZE.height() + " +X " + SIZE.width() + "\n");
        for (int i = 0; i < light.length; i += 3) {
            for (int c = i; c < i + 3; c++) {
                file.bytes((int) Math.floor(Math.scalb((double) light[c], 8 - exponent(light, i))));
            }
            file.bytes(exponent(light, i) + 128);
        }
        return file.content();
    }

    private void check(String name, double[] matrix, float[] light, Operator operator) throws IOException {
        double[] rgb = new double[light.length];
        for (int i = 0; i < rgb.length; i++) {
            for (int k = 0; k < 3; k++) {
                rgb[i] += matrix[i % 3 * 3 + k] * light[i - i % 3 + k];
            }
        }
        byte[] expected = ToneMapReference.map(rgb, SIZE, ToneMapSettings.of(operator));
        int[] actual = ImageIO.read(folder.resolve(name).toFile())
                .getRaster()
                .getPixels(0, 0, SIZE.width(), SIZE.height(), (int[]) null);
        int worst = 0;
        for (int i = 0; i < actual.length; i++) {
            worst = Math.max(worst, Math.abs(actual[i] - (expected[i] & 0xff)));
        }
        assertTrue(worst <= 1, name + " is off by " + worst);
    }

    @Test
    void picturesHaveTheColoursOfTheSource() throws Exception {
        Path in = Files.createDirectories(folder.resolve("in"));
        float[] light = light();
        Files.write(in.resolve("plain.exr"), TestFile.exr(SIZE, light, 1));
        Files.write(
                in.resolve("said.exr"),
                TestFile.exr(SIZE, light, 1, 0.64f, 0.33f, 0.3f, 0.6f, 0.15f, 0.06f, 0.3127f, 0.329f));
        Files.write(
                in.resolve("wide.exr"),
                TestFile.exr(SIZE, light, 1, 0.708f, 0.292f, 0.17f, 0.797f, 0.131f, 0.046f, 0.3127f, 0.329f));
        Files.write(in.resolve("xyz.exr"), TestFile.exr(SIZE, light, 1, 1, 0, 0, 1, 0, 0, 1 / 3f, 1 / 3f));
        Files.write(in.resolve("zeros.exr"), TestFile.exr(SIZE, light, 1, new float[8]));
        Files.write(
                in.resolve("line.hdr"),
                hdr("FORMAT=32-bit_rle_rgbe\nPRIMARIES= .708 .292 .17 .797 .131 .046 .3127 .329\n", light));
        Files.write(in.resolve("xyze.hdr"), hdr("FORMAT=32-bit_rle_xyze\n", light));
        Cli.Result run = InProcess.in(
                        folder,
                        "tonemap",
                        "in",
                        "--out",
                        "out",
                        "--verify",
                        "--devices",
                        "0.0,0.1",
                        "--policy",
                        "static",
                        "--json",
                        "r.json")
                .silent();
        assertTrue(run.out().contains("\nprimaries rec2020: 2 frames\nprimaries xyz: 2 frames\n"), run::out);
        List<?> said = ReportSchema.objects(Cli.json(folder.resolve("r.json")), "frameList").stream()
                .map(frame -> frame.get("primaries"))
                .toList();
        assertEquals(List.of("rec2020", "rec709", "rec709", "rec2020", "xyz", "xyz", "rec709"), said);
        Operator operator = Operator.REINHARD_EXTENDED;
        check("out/plain.png", NONE, light, operator);
        check("out/wide.png", REC2020, light, operator);
        check("out/xyz.png", XYZ, light, operator);
        check("out/line.png", REC2020, rounded(light), operator);
        check("out/xyze.png", XYZ, rounded(light), operator);
        for (String same : List.of("said", "zeros")) {
            assertEquals(-1, Files.mismatch(folder.resolve("out/plain.png"), folder.resolve("out/" + same + ".png")));
        }
    }

    /** Frames whose edges meet, by one operator as verified, recorded and run again, and by another one. */
    @Test
    void panoramasGoOnAtTheOtherEdge() throws Exception {
        Path in = Files.createDirectories(folder.resolve("in"));
        Files.write(in.resolve("a.exr"), TestFile.exr(SIZE, light(), 1));
        for (String operator : List.of("guided", "reinhard-local")) {
            String key = operator.equals("guided") ? "auto" : "0.3";
            Object[] plain = {"tonemap", "in", "--operator", operator, "--key", key, "--devices", "0.0", "--quiet"};
            InProcess.in(folder, with(plain, "--out", "plain")).silent();
            InProcess.in(folder, with(plain, "--out", "around", "--wrap", "--verify", "--record", "r.evr"))
                    .silent();
            assertTrue(Files.mismatch(folder.resolve("plain/a.png"), folder.resolve("around/a.png")) >= 0);
            InProcess.in(folder, "replay", "r.evr", "--quiet").done();
        }
    }

    private static Object[] with(Object[] some, Object... more) {
        return Stream.of(some, more).flatMap(Stream::of).toArray();
    }

    @Test
    void whatIsGivenCountsMoreThanWhatAFileSays() throws Exception {
        Path in = Files.createDirectories(folder.resolve("in"));
        Files.write(in.resolve("a.exr"), TestFile.exr(SIZE, light(), 1));
        Files.write(in.resolve("b.exr"), TestFile.exr(SIZE, light(), 1, 1, 0, 0, 1, 0, 0, 1 / 3f, 1 / 3f));
        InProcess.in(
                        folder,
                        "tonemap",
                        "in",
                        "--input-primaries",
                        "acescg",
                        "--operator",
                        "film",
                        "--out",
                        "out",
                        "--policy",
                        "static",
                        "--record",
                        "r",
                        "--quiet")
                .silent();
        InProcess.in(folder, "replay", "r").done();
        check("out/a.png", ACESCG, light(), Operator.FILM);
        check("out/b.png", ACESCG, light(), Operator.FILM);
        String numbers = "0.713,0.293,0.165,0.83,0.128,0.044,0.32168,0.33767";
        InProcess.run(
                        "tonemap",
                        in,
                        "--input-primaries",
                        numbers,
                        "--operator",
                        "film",
                        "--devices",
                        "jvm",
                        "--out",
                        folder.resolve("numbers"),
                        "--quiet")
                .silent();
        Pictures.assertSame(folder.resolve("out"), folder.resolve("numbers"), 2);
        Stream.of("srgb", "1,2,3", "0,0,0,0,0,0,0,0")
                .forEach(wrong -> InProcess.run("tonemap", in, "--input-primaries", wrong, "--out", "-")
                        .refused(2, "--input-primaries: "));
    }

    @Test
    void pixelsThatAreNotSquareStaySo() throws Exception {
        Path in = Files.createDirectories(folder.resolve("in"));
        Files.write(in.resolve("a.exr"), TestFile.exr(SIZE, light(), 2));
        Files.write(in.resolve("b.exr"), TestFile.exr(SIZE, light(), 1.0666667f));
        Files.write(in.resolve("c.exr"), TestFile.exr(SIZE, light(), 0)); // as some writers leave it
        Files.write(in.resolve("d.hdr"), hdr("FORMAT=32-bit_rle_rgbe\nPIXASPECT= 1.1\nPIXASPECT=1\n", light()));
        InProcess.in(folder, "tonemap", "in", "--out", "out", "--devices", "0.0", "--quiet")
                .silent();
        assertEquals("1:2", density("a"));
        assertEquals("15:16", density("b"));
        assertEquals("none", density("c"));
        assertEquals("11:10", density("d"));
        Path stream = folder.resolve("all");
        Cli.Result run = Cli.in(folder)
                .into(
                        stream,
                        "tonemap",
                        "in/b.exr",
                        "in/c.exr",
                        "--format",
                        "y4m",
                        "--out",
                        "-",
                        "--devices",
                        "jvm",
                        "--quiet");
        assertEquals(1, run.code());
        assertTrue(
                run.err()
                        .contains("in/c.exr: has 61 x 23 pixels, but the stream began with 61 x 23 (pixel aspect 1.06"),
                run::err);
        assertTrue(Files.readString(stream, StandardCharsets.ISO_8859_1)
                .startsWith("YUV4MPEG2 W61 H23 F25:1 Ip A16:15 C420jpeg "));
    }

    /** Dots a unit across and down, of the chunk pHYs. */
    private String density(String name) throws IOException {
        ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(folder.resolve("out/" + name + ".png")));
        for (int at = 8; at < file.capacity(); at += 12 + file.getInt(at)) {
            if (file.getInt(at + 4) == 0x70485973) {
                assertEquals(0, file.get(at + 16), "no unit");
                return file.getInt(at + 8) + ":" + file.getInt(at + 12);
            }
        }
        return "none";
    }
}
