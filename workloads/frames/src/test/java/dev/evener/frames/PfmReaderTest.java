package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.PixelCoding;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PfmReaderTest {
    @TempDir
    Path folder;

    /** Random bits, so that NaNs with payloads, infinities, denormals and negative values are among the floats. */
    private static float[][][] random(int width, int height, boolean grey) {
        Random random = new Random(width);
        float[][][] frame = new float[height][width][3];
        for (float[][] row : frame) {
            for (float[] pixel : row) {
                for (int c = 0; c < 3; c++) {
                    pixel[c] = grey && c > 0 ? pixel[0] : Float.intBitsToFloat(random.nextInt() | 0x00400000);
                }
            }
        }
        return frame;
    }

    private static byte[] file(String header, float[][][] frame, boolean grey, ByteOrder order) {
        byte[] head = Frames.text(header);
        ByteBuffer out = ByteBuffer.allocate(head.length + frame.length * frame[0].length * (grey ? 4 : 12));
        out.put(head).order(order);
        for (int row = frame.length - 1; row >= 0; row--) {
            for (float[] pixel : frame[row]) {
                for (int c = 0; c < (grey ? 1 : 3); c++) {
                    out.putInt(Float.floatToRawIntBits(pixel[c]));
                }
            }
        }
        return out.array();
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 9", "15, 3", "16, 3", "17, 3", "500, 20", "20000, 2"})
    void everyKind(int width, int height) throws IOException {
        for (boolean grey : new boolean[] {false, true}) {
            float[][][] frame = random(width, height, grey);
            for (ByteOrder order : new ByteOrder[] {ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN}) {
                String header = (grey ? "Pf\n" : "PF\n") + width + " " + height + "\n"
                        + (order == ByteOrder.BIG_ENDIAN ? "2.5" : "-1.0") + "\n";
                FrameFile file = FrameFile.open(Frames.write(folder, "f.pfm", file(header, frame, grey, order)));
                Frames.assertFrame(frame, file);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PF 3 2 -1 ",
                "PF\r\n3 2\r\n-1\r\n",
                "PF\n3\n2\n-1e0\n",
                "PF \t3\n\n2 -1\r",
                "PF\n3 2\n-0.25\n",
                "PF\n3 2\n-1e-9\n"
            })
    void headersAsTheyOccur(String header) throws IOException {
        float[][][] frame = random(3, 2, false);
        byte[] bytes = file(header, frame, false, ByteOrder.LITTLE_ENDIAN);
        Frames.assertFrame(frame, FrameFile.open(Frames.write(folder, "f.pfm", bytes)));
    }

    /**
     * However a header is spaced and commented, and whatever its first pixels look like, pixels begin where the
     * length says.
     */
    @Test
    void theLengthSaysWherePixelsBegin() throws IOException {
        Random random = new Random(11);
        List<String> blanks = List.of(" ", "\n", "\t", "\r\n", "\n# by a program\n", " \n", "\n#\n#\n");
        for (int round = 0; round < 500; round++) {
            StringBuilder header = new StringBuilder("PF");
            for (String word : List.of("3", "2", "-1.0", "")) {
                for (int i = random.nextInt(3); i >= 0; i--) {
                    header.append(blanks.get(i == 0 && header.length() == 2 ? 0 : random.nextInt(blanks.size())));
                }
                header.append(word);
            }
            float[][][] frame = random(3, 2, false);
            frame[1][0][0] = Float.intBitsToFloat(round % 2 == 0 ? 0x2020200a : 0x0a23200a); // the last row comes first
            byte[] bytes = file(header.toString(), frame, false, ByteOrder.LITTLE_ENDIAN);
            Frames.assertFrame(frame, FrameFile.open(Frames.write(folder, "f.pfm", bytes)));
        }
        float[][][] frame = random(3, 2, false);
        byte[] bytes = file("PF\n3 2\n-1\n", frame, false, ByteOrder.LITTLE_ENDIAN);
        byte[] more = Arrays.copyOf(bytes, bytes.length + 40); // of another program, behind the pixels
        Frames.assertFrame(frame, FrameFile.open(Frames.write(folder, "f.pfm", more)));
    }

    @Test
    void contentsDecideAndNotTheName() throws IOException {
        byte[] bytes = file("Pf\n3 2\n-1\n", random(3, 2, true), true, ByteOrder.LITTLE_ENDIAN);
        FrameFile file = FrameFile.open(Frames.write(folder, "f.hdr", bytes));
        assertEquals(new FrameLayout(3, 2), file.size());
        assertEquals(PixelCoding.FLOATS, file.coding());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PF 0 2 -1 xxxx | both must be at least 1",
                "PF 3 -2 -1 xxxx | height of '-2'",
                "PF a 2 -1 xxxx | width of 'a'",
                "PF 3 2 0 xxxx | scale of '0'",
                "PF 3 2 little xxxx | scale of 'little'",
                "PF 3 2 NaN xxxx | scale of 'NaN'",
                "PF 3 2 -1 xxxx | take 72 bytes, but only 4 follow",
                "PF 30000 30000 -1 xxxx | 2 GiB",
                "PF 99999999999 99999999999 -1 xxxx | 2 GiB",
                "PFx 3 2 -1 xxxx | starts with 'PFx'",
                "PF 3 | ends within its header",
                "PF 3 2 -1 | ends within its header"
            })
    void refusals(String text, String part) throws IOException {
        Frames.assertRefused(Frames.write(folder, "f.pfm", Frames.text(text)), part);
    }

    @Test
    void endlessWhiteSpaceInTheHeader() throws IOException {
        Frames.assertRefused(Frames.write(folder, "f.pfm", Frames.text("PF" + " ".repeat(1_000_000))), "header");
    }
}
