package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.frames.HdrFiles.Code;
import dev.evener.kernels.tonemap.FrameLayout;
import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RadianceReaderTest {
    private static final String RGBE = "FORMAT=32-bit_rle_rgbe\n";

    @TempDir
    Path folder;

    /** How many lines the process is to take for its first: here none, so that lines are expanded as in a long run. */
    int firstLines() {
        return 0;
    }

    @BeforeEach
    void begin() {
        RadianceReader.FIRST_LINES.set(firstLines());
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, FLAT",
        "1, 5, OLD",
        "7, 3, FLAT",
        "7, 3, OLD",
        "8, 3, FLAT",
        "8, 3, OLD",
        "8, 3, NEW",
        "15, 2, NEW",
        "16, 2, NEW",
        "17, 2, NEW",
        "127, 4, NEW",
        "128, 4, NEW",
        "129, 4, NEW",
        "1000, 9, OLD",
        "1000, 9, NEW",
        "1000, 9, FLAT",
        "32767, 2, NEW",
        "32767, 2, OLD",
        "32767, 2, FLAT",
        "32768, 2, FLAT",
        "32768, 2, OLD",
        "70000, 2, FLAT",
        "70000, 2, OLD"
    })
    void everyCodeAtEveryWidth(int width, int height, Code code) throws IOException {
        int[][] pixels = HdrFiles.randomPixels(height, width, width * 31L + height);
        String resolution = "-Y " + height + " +X " + width;
        Path file = Frames.write(folder, "f.hdr", HdrFiles.file(RGBE, resolution, pixels, code));
        Frames.assertFrame(HdrFiles.decode(pixels, resolution, 1), FrameFile.open(file));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-Y 13 +X 37",
                "-Y 13 -X 37",
                "+Y 13 +X 37",
                "+Y 13 -X 37",
                "+X 37 -Y 13",
                "-X 37 -Y 13",
                "+X 37 +Y 13",
                "-X 37 +Y 13"
            })
    void everyOrientation(String resolution) throws IOException {
        boolean columns = resolution.charAt(1) == 'X';
        int[][] pixels = HdrFiles.randomPixels(columns ? 37 : 13, columns ? 13 : 37, 5);
        for (Code code : Code.values()) {
            Path file = Frames.write(folder, "f.hdr", HdrFiles.file(RGBE, resolution, pixels, code));
            Frames.assertFrame(HdrFiles.decode(pixels, resolution, 1), FrameFile.open(file));
        }
    }

    @Test
    void piecesOfALongMirroredLineMeet() throws IOException {
        int[][] pixels = HdrFiles.randomPixels(1, 100_000, 6);
        Path row = Frames.write(folder, "r.hdr", HdrFiles.file(RGBE, "-Y 1 -X 100000", pixels, Code.OLD));
        Frames.assertFrame(HdrFiles.decode(pixels, "-Y 1 -X 100000", 1), FrameFile.open(row));
        Path column = Frames.write(folder, "c.hdr", HdrFiles.file(RGBE, "+X 1 +Y 100000", pixels, Code.FLAT));
        Frames.assertFrame(HdrFiles.decode(pixels, "+X 1 +Y 100000", 1), FrameFile.open(column));
    }

    @Test
    void oneRunOfAMillionPixels() throws IOException {
        int[][] pixels = new int[1][1 << 20];
        Arrays.fill(pixels[0], 0x80402081);
        byte[] bytes = HdrFiles.file(RGBE, "-Y 1 +X 1048576", pixels, Code.OLD);
        assertTrue(bytes.length < 100);
        Frames.assertFrame(
                HdrFiles.decode(pixels, "-Y 1 +X 1048576", 1), FrameFile.open(Frames.write(folder, "f.hdr", bytes)));
    }

    @Test
    void aFlatPixelThatStartsLikeACodedLine() throws IOException {
        int[][] pixels = HdrFiles.randomPixels(2, 9, 7);
        pixels[1][0] = 0x0202f081;
        Path file = Frames.write(folder, "f.hdr", HdrFiles.file(RGBE, "-Y 2 +X 9", pixels, Code.FLAT));
        Frames.assertFrame(HdrFiles.decode(pixels, "-Y 2 +X 9", 1), FrameFile.open(file));
    }

    @Test
    void exposuresMultiplyAndDivide() throws IOException {
        int[][] pixels = HdrFiles.randomPixels(2, 9, 8);
        for (int[] line : pixels) {
            for (int i = 0; i < line.length; i++) {
                line[i] = (line[i] & 0xffffff00) | 130;
            }
        }
        Path file = Frames.write(
                folder, "f.hdr", HdrFiles.file(RGBE + "EXPOSURE=4\nEXPOSURE= 0.5\n", "-Y 2 +X 9", pixels, Code.NEW));
        Frames.assertFrame(HdrFiles.decode(pixels, "-Y 2 +X 9", 2), FrameFile.open(file));
    }

    @Test
    void extremeExposuresSaturateAndKeepBlack() throws IOException {
        int[][] pixels = {{0xff00ff80, 0x00000080, 0xff808000}};
        Path file = Frames.write(
                folder, "f.hdr", HdrFiles.file(RGBE + "EXPOSURE=1e-200\n", "-Y 1 +X 3", pixels, Code.FLAT));
        FloatBuffer floats = Frames.decode(FrameFile.open(file));
        assertTrue(floats.get(0) > 1e38f && floats.get(0) <= Float.MAX_VALUE);
        assertEquals(0, floats.get(16));
        assertEquals(0, floats.get(1));
        assertEquals(0, floats.get(2));
    }

    @Test
    void colourCorrectionIsTakenBack() throws IOException {
        int[][] pixels = {{0x80808088, 0x40404088}};
        Path file = Frames.write(
                folder, "f.hdr", HdrFiles.file("COLORCORR=2 4 8\n" + RGBE, "-Y 1 +X 2", pixels, Code.FLAT));
        FloatBuffer floats = Frames.decode(FrameFile.open(file));
        assertEquals(64, floats.get(0));
        assertEquals(32, floats.get(16));
        assertEquals(16, floats.get(32));
        assertEquals(32, floats.get(1));
    }

    @Test
    void xyzIsConverted() throws IOException {
        // White has equal energy, and becomes equal red, green and blue.
        int[][] pixels = {{128 << 24 | 128 << 16 | 128 << 8 | 129}};
        Path file = Frames.write(
                folder, "f.hdr", HdrFiles.file("FORMAT=32-bit_rle_xyze\n", "-Y 1 +X 1", pixels, Code.FLAT));
        FloatBuffer floats = Frames.decode(FrameFile.open(file));
        assertEquals(1, floats.get(0), 1e-6);
        assertEquals(1, floats.get(16), 1e-6);
        assertEquals(1, floats.get(32), 1e-6);
    }

    @Test
    void windowsLineEndsAndUnknownLinesInTheHeader() throws IOException {
        byte[] bytes = HdrFiles.file(
                "# a comment\r\nVIEW= -vtv\n" + RGBE, "-Y 2 +X 9", HdrFiles.randomPixels(2, 9, 1), Code.NEW);
        assertEquals(
                new FrameLayout(9, 2),
                FrameFile.open(Frames.write(folder, "f.hdr", bytes)).size());
        byte[] program = Frames.text("#?RGBE\n\n-Y 1 +X 1\n\u0080\u0080\u0080\u0081");
        assertEquals(
                1,
                Frames.decode(FrameFile.open(Frames.write(folder, "f.hdr", program)))
                        .get(0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"city", "courtyard", "forest", "studio"})
    void realFrames(String name) throws IOException {
        byte[] bytes = Files.readAllBytes(Frames.sample(name));
        FrameFile file = FrameFile.open(Frames.sample(name));
        Frames.assertFrame(HdrFiles.decode(scanlines(bytes, 512, 1024), "-Y 512 +X 1024", 1), file);
    }

    /** The newer code once more, from a list of bytes and without a thought for speed. */
    private static int[][] scanlines(byte[] bytes, int lines, int length) {
        String all = new String(bytes, StandardCharsets.ISO_8859_1);
        int at = all.indexOf("+X 1024\n") + 8;
        int[][] pixels = new int[lines][length];
        for (int line = 0; line < lines; line++) {
            at += 4;
            for (int component = 0; component < 4; component++) {
                for (int i = 0; i < length; ) {
                    int code = bytes[at++] & 0xff;
                    for (int k = 0; k < (code > 128 ? code - 128 : code); k++) {
                        pixels[line][i++] |= (bytes[code > 128 ? at : at + k] & 0xff) << (24 - 8 * component);
                    }
                    at += code > 128 ? 1 : code;
                }
            }
        }
        assertEquals(bytes.length, at);
        return pixels;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-Y 0 +X 5 | both must be at least 1",
                "-Y 5 +X 0 | both must be at least 1",
                "-Y -5 +X 5 | resolution line",
                "-Y 5 -Y 5 | resolution line",
                "-Y 5 | resolution line",
                "Y 5 X 5 | resolution line",
                "-Y 99999999999999999999 +X 5 | resolution line",
                "-Y 999999999999999999 +X 5 | 2 GiB",
                "-Y 2147483647 +X 2147483647 | 2 GiB",
                "-Y 40000 +X 40000 | 2 GiB",
                "-Y 1 +X 178956000 | cut short",
                "-Y 10000 +X 10000 | cut short"
            })
    void badResolutions(String resolution, String part) throws IOException {
        byte[] bytes = Frames.text("#?RADIANCE\n" + RGBE + "\n" + resolution + "\n123456789");
        Frames.assertRefused(Frames.write(folder, "f.hdr", bytes), part);
    }

    @Test
    void aFormatThatIsNone() throws IOException {
        byte[] bytes = Frames.text("#?RADIANCE\nFORMAT=32-bit_rle_cmyk\n\n-Y 1 +X 1\n1234");
        Frames.assertRefused(Frames.write(folder, "f.hdr", bytes), "32-bit_rle_rgbe or 32-bit_rle_xyze");
    }

    /** What is no positive number counts as 1, and is said. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "EXPOSURE=0",
                "EXPOSURE=-1",
                "EXPOSURE=NaN",
                "EXPOSURE=many",
                "EXPOSURE=1,000000",
                "EXPOSURE=2 (by a program)",
                "EXPOSURE=1e999",
                "EXPOSURE=",
                "PIXASPECT=0",
                "COLORCORR=2 2",
                "COLORCORR=x y z"
            })
    void whatSaysNothingCountsAsOne(String line) throws IOException {
        int[][] pixels = HdrFiles.randomPixels(2, 9, 4);
        FrameFile file = FrameFile.open(Frames.write(
                folder, "f.hdr", HdrFiles.file(RGBE + "EXPOSURE=4\n" + line + "\n", "-Y 2 +X 9", pixels, Code.NEW)));
        Frames.assertFrame(HdrFiles.decode(pixels, "-Y 2 +X 9", 4), file);
        assertEquals(
                List.of("its header says '" + line + "', which is no positive number and counts as 1"),
                file.warnings());
    }

    @Test
    void longLinesAndTabs() throws IOException {
        int[][] pixels = HdrFiles.randomPixels(2, 9, 4);
        String history = RGBE + "pcomb " + "-e x=1 ".repeat(900) + "\n";
        FrameFile file = FrameFile.open(
                Frames.write(folder, "f.hdr", HdrFiles.file(history, "-Y\t2 +X \t9\t", pixels, Code.NEW)));
        Frames.assertFrame(HdrFiles.decode(pixels, "-Y 2 +X 9", 1), file);
        assertEquals(List.of(), file.warnings());
    }

    @Test
    void giganticHeaders() throws IOException {
        Path file = Frames.write(folder, "f.hdr", Frames.text("#?RADIANCE\n" + "x".repeat(10_000_000)));
        Frames.assertRefused(file, "no end within");
        Frames.write(folder, "f.hdr", Frames.text("#?RADIANCE\n" + "x\n".repeat(5_000_000)));
        Frames.assertRefused(file, "more than 1000 lines");
        Frames.write(folder, "f.hdr", Frames.text("#?RADIANCE\n" + ("x".repeat(4000) + "\n").repeat(100)));
        Frames.assertRefused(file, "no end within");
        Frames.write(folder, "f.hdr", Frames.text("#?RADIANCE\nFORM"));
        Frames.assertRefused(file, "ends within its header");
        Frames.write(folder, "f.hdr", Frames.text("#?RADIANCE\n-Y 1 +X 1\n1234"));
        Frames.assertRefused(file, "an empty line and one like");
        Frames.write(folder, "f.hdr", Frames.text("#?RADIANCE\r\r-Y 1 +X 1\r1234"));
        Frames.assertRefused(file, "an empty line and one like");
    }

    @Test
    void damageIsNamedWithItsPlace() throws IOException {
        int[][] pixels = HdrFiles.randomPixels(3, 20, 11);
        byte[] whole = HdrFiles.file(RGBE, "-Y 3 +X 20", pixels, Code.NEW);
        Path file = Frames.write(folder, "f.hdr", Arrays.copyOf(whole, whole.length - 1));
        Frames.assertRefused(file, "scanline 3 of 3, at byte " + (whole.length - 1) + ", ends early");
        byte[] flat = HdrFiles.file(RGBE, "-Y 3 +X 20", pixels, Code.FLAT);
        Frames.write(folder, "f.hdr", Arrays.copyOf(flat, flat.length - 1));
        Frames.assertRefused(file, "scanline 3 of 3");

        int start = flat.length - 3 * 20 * 4;
        byte[] wrong = whole.clone();
        wrong[start + 3] = 21;
        Frames.write(folder, "f.hdr", wrong);
        Frames.assertRefused(file, "scanline 1 of 3, at byte " + start + ", says that it has 21 pixels, not 20");
        wrong = whole.clone();
        wrong[start + 4] = (byte) 255;
        Frames.write(folder, "f.hdr", wrong);
        Frames.assertRefused(file, "a run of 127 where 1 to 20");
        wrong[start + 4] = 0;
        Frames.write(folder, "f.hdr", wrong);
        Frames.assertRefused(file, "a run of 0");
        byte[] repeat = Frames.text("#?RADIANCE\n\n-Y 1 +X 4\n\1\1\1\4");
        Frames.write(folder, "f.hdr", repeat);
        Frames.assertRefused(file, "cut short");
        Frames.write(folder, "f.hdr", Frames.text("#?RADIANCE\n\n-Y 1 +X 4\n\1\1\1\4aaaabbbb"));
        Frames.assertRefused(file, "repeat of nothing");
        Frames.write(folder, "f.hdr", Frames.text("#?RADIANCE\n\n-Y 1 +X 4\naaaa\1\1\1\4bbbb"));
        Frames.assertRefused(file, "a run of 4 pixels where at most 3");
        Frames.write(folder, "f.hdr", Frames.text("#?RADIANCE\n\n-Y 1 +X 4\naaaa" + "\1\1\1\0".repeat(5) + "bbbb"));
        Frames.assertRefused(file, "where at most 3");
    }
}
