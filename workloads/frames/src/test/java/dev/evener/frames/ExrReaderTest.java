package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.frames.exr.Half;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of a writer of ours, and of OpenEXR's own library, which make-exr.py beside them wrote. */
class ExrReaderTest {
    @TempDir
    Path folder;

    static byte[] resource(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(ExrReaderTest.class.getResourceAsStream(name + ".exr"), name)) {
            return in.readAllBytes();
        }
    }

    private FrameFile open(byte[] bytes) throws IOException {
        return FrameFile.open(Frames.write(folder, "f.exr", bytes));
    }

    private static float value(int x, int y, int channel) {
        return switch (channel) {
            case 0 -> (float) (Math.pow(2, x / 7 % 12 - 4) * (1 + (y % 64) / 64.0));
            case 1 -> (x * x + 3 * y) % 1024 / 16f;
            default -> -((37 * x + 101 * y) % 2048 / 2f);
        };
    }

    private static float[][][] values(int width, int height) {
        float[][][] frame = new float[height][width][3];
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                frame[y][x] = new float[] {value(x, y, 0), value(x, y, 1), value(x, y, 2)};
            }
        }
        return frame;
    }

    @ParameterizedTest
    @ValueSource(strings = {"no-half", "rle-half", "zips-half", "zip-half", "piz-half", "piz-float"})
    void filesOfOpenExrsLibrary(String name) throws IOException {
        FrameFile file = open(resource(name));
        Frames.assertFrame(values(37, 41), file);
    }

    @Test
    void alphaIsSkippedAndGreyIsAllThree() throws IOException {
        Frames.assertFrame(values(5, 70), open(resource("piz-alpha")));
        float[][][] ramp = new float[33][600][3];
        for (int i = 0; i < 33 * 600; i++) {
            Arrays.fill(ramp[i / 600][i % 600], (float) (1 + i * 3 * Math.pow(2, -23)));
        }
        Frames.assertFrame(ramp, open(resource("piz-ramp")));
    }

    /** Any bits but NaNs without their quiet bit, which the JVM may set, with runs. */
    private static int bits(int x, int y, String channel, int type) {
        int seed = (x / 5 * 31 + y) * 31 + channel.hashCode();
        return new Random(seed).nextInt() | (type == 1 ? 0x0200 : 0x00400000);
    }

    private static float stored(int bits, int type) {
        return type == 2 ? Float.intBitsToFloat(bits) : Half.toFloat(bits & 0xffff);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 40", "16, 33", "17, 5", "500, 20"})
    void everyKind(int width, int height) throws IOException {
        for (int compression = 0; compression < 4; compression++) {
            for (int type = 1; type <= 2; type++) {
                int kind = type;
                ExrFiles file = ExrFiles.of(width, height, compression, type);
                file.samples = (x, y, channel) -> bits(x, y, channel, kind);
                file.downwards = type == 1;
                float[][][] expected = new float[height][width][3];
                for (int y = 0; y < height; y++) {
                    for (int x = 0; x < width; x++) {
                        for (int c = 0; c < 3; c++) {
                            expected[y][x][c] = stored(bits(x, y, "RGB".substring(c, c + 1), type), type);
                        }
                    }
                }
                Frames.assertFrame(expected, open(file.bytes()));
            }
        }
    }

    @Test
    void otherChannelsAreSkippedWhateverTheirTypes() throws IOException {
        ExrFiles file = ExrFiles.of(19, 7, 3, 1);
        file.channels = List.of("A", "B", "G", "R", "Z", "id");
        file.types = List.of(1, 2, 1, 1, 2, 0);
        file.samples = (x, y, channel) -> switch (channel) {
            case "R" -> 0x3c00 + x; // 1 and more
            case "G" -> 0x4000 + y; // 2 and more
            case "B" -> Float.floatToRawIntBits(x * y);
            default -> -1;
        };
        float[][][] expected = new float[7][19][];
        for (int y = 0; y < 7; y++) {
            for (int x = 0; x < 19; x++) {
                expected[y][x] = new float[] {1 + x / 1024f, 2 + y / 512f, x * y};
            }
        }
        Frames.assertFrame(expected, open(file.bytes()));
    }

    @ParameterizedTest
    @CsvSource({
        "-3, -2, 12, 9",
        "2, 1, 6, 4",
        "0, 0, 9, 7",
        "100, 0, 120, 3",
        "4, -9, 30, 3",
        "-2147483648, 0, -2147483640, 5"
    })
    void theFrameIsTheDisplayWindow(int left, int top, int right, int bottom) throws IOException {
        ExrFiles file = ExrFiles.of(10, 8, 2, 2);
        file.data = new int[] {left, top, right, bottom};
        file.samples = (x, y, channel) -> Float.floatToRawIntBits(1000 * y + x + channel.charAt(0));
        float[][][] expected = new float[8][10][3];
        for (int y = Math.max(0, top); y <= Math.min(7, bottom); y++) {
            for (int x = Math.max(0, left); x <= Math.min(9, right); x++) {
                expected[y][x] = new float[] {1000 * y + x + 'R', 1000 * y + x + 'G', 1000 * y + x + 'B'};
            }
        }
        Frames.assertFrame(expected, open(file.bytes()));
    }

    @Test
    void everyHalf() {
        for (int bits = 0; bits < 1 << 16; bits++) {
            int exponent = bits >> 10 & 31;
            int fraction = bits & 1023;
            double magnitude = exponent == 31
                    ? fraction == 0 ? Double.POSITIVE_INFINITY : Double.NaN
                    : exponent == 0 ? fraction * Math.pow(2, -24) : (1024 + fraction) * Math.pow(2, exponent - 25);
            assertEquals((float) (bits < 1 << 15 ? magnitude : -magnitude), Half.toFloat(bits), 0f);
            assertEquals(bits >> 15, Float.floatToRawIntBits(Half.toFloat(bits)) >>> 31);
        }
    }

    private void refused(ExrFiles file, String part) throws IOException {
        Frames.assertRefused(Frames.write(folder, "f.exr", file.bytes()), part);
    }

    @Test
    void whatIsNotReadSaysWhatToDo() throws IOException {
        for (int[] flag : new int[][] {{0x200, 0}, {0x800, 1}, {0x1000, 2}, {0x4000, 3}, {1, 4}}) {
            ExrFiles file = ExrFiles.of(4, 4, 0, 1);
            file.version |= flag[0];
            refused(
                    file,
                    List.of("or tiles", "--flatten", "or chunkCount", "unknown flags", "of version 3")
                            .get(flag[1]));
        }
        refused(
                ExrFiles.of(4, 4, 10, 1),
                "is compressed by HTJ2K, which is not read; write it anew, as with 'oiiotool");
        refused(ExrFiles.of(4, 4, 12, 1), "is compressed by code 12, which");
        refused(ExrFiles.of(4, 4, 0, 7), "is of type 7");
    }

    @Test
    void sizesThatCannotBe() throws IOException {
        ExrFiles file = ExrFiles.of(4, 4, 0, 1);
        file.display = new int[] {5, 0, 4, 3};
        refused(file, "displayWindow gives a size of 0 x 4");
        file.display = new int[] {0, 0, 99_999, 99_999};
        refused(file, "displayWindow gives a size of 100000 x 100000 pixels, which needs more than the 2 GiB");
        byte[] bytes = ExrFiles.of(4, 40, 0, 1).bytes();
        int window = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("dataWindow") + 21;
        bytes[window + 13] = 100; // the bottom row is 25,639
        Frames.assertRefused(Frames.write(folder, "f.exr", bytes), "was cut short");
        byte[] wide = ExrFiles.of(4, 4, 3, 1).bytes();
        wide[window + 8] = -1;
        wide[window + 9] = -1;
        wide[window + 10] = 0x7f; // the right column is 8,388,607
        Frames.assertRefused(
                Frames.write(folder, "f.exr", wide), "rows have 50331648 bytes, of which 4 are coded together");
    }

    @Test
    void headersThatEndEarly() throws IOException {
        byte[] bytes = ExrFiles.of(4, 4, 0, 1).bytes();
        for (int length : new int[] {4, 7, 9, 30, 100, 200}) {
            Frames.assertRefused(
                    Frames.write(folder, "f.exr", Arrays.copyOf(bytes, length)), "ends within its header; the file");
        }
        Frames.assertRefused(
                Frames.write(folder, "f.exr", Arrays.copyOf(Arrays.copyOf(bytes, 8), 10)),
                "lacks one of the attributes");
    }

    @Test
    void chunksThatAreMissingDamagedOrTwice() throws IOException {
        for (String name : List.of("rle-half", "zips-half", "zip-half", "piz-half")) {
            byte[] bytes = resource(name);
            Path path = Frames.write(folder, "f.exr", bytes);
            FrameFile file = FrameFile.open(path);
            Files.write(path, Arrays.copyOf(bytes, bytes.length - 20));
            Frames.assertRefused(path, "chunk");
            assertTrue(file.size().width() == 37);
        }
        byte[] bytes = ExrFiles.of(5, 3, 0, 2).bytes();
        int chunk = 8 + 5 * 3 * 4;
        bytes[bytes.length - chunk] = 1; // the last begins with row 1 again
        Frames.assertRefused(Frames.write(folder, "f.exr", bytes), "chunk 3 of 3, at byte ");
        bytes[bytes.length - chunk] = 9;
        Frames.assertRefused(Frames.write(folder, "f.exr", bytes), "begins with row 9, where no chunk");
        bytes[bytes.length - chunk] = 2;
        bytes[bytes.length - chunk + 4] = 61;
        Frames.assertRefused(Frames.write(folder, "f.exr", bytes), "has 61 bytes; it may have up to 60");
        bytes[bytes.length - chunk + 4] = 59;
        Frames.assertRefused(Frames.write(folder, "f.exr", bytes), "is damaged: it ends after 59 bytes of 60");
    }
}
