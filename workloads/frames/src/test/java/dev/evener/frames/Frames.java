package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.evener.ElementType;
import dev.evener.kernels.tonemap.FrameLayout;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;

/** What the tests of frame files share. */
final class Frames {
    private Frames() {}

    static Path sample(String name) {
        return Path.of("../samples", name + ".hdr");
    }

    static Path write(Path folder, String name, byte[] bytes) throws IOException {
        return Files.write(folder.resolve(name), bytes);
    }

    static byte[] text(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Decodes into memory that held something else before, and expands. */
    static FloatBuffer decode(FrameFile file) throws FrameException {
        int bytes = 4 * file.coding().elements(file.size());
        ByteBuffer target = decode(file, bytes);
        if (file.coding().type() == ElementType.FLOAT) {
            assertPieces(target, file);
        }
        assertEquals(0x7f7f7f7f7f7f7f7fL, target.getLong(bytes), "written beyond the frame");
        FloatBuffer floats = FloatBuffer.allocate(file.size().floats());
        file.coding().expand(file.size(), target, floats);
        return floats;
    }

    /** In pieces of three rows, as frames beyond 2 GiB, it is the same. */
    private static void assertPieces(ByteBuffer whole, FrameFile file) throws FrameException {
        int row = 4 * file.coding().rowElements(file.size());
        int height = file.size().height();
        List<ByteBuffer> pieces = new ArrayList<>();
        for (int from = 0; from < height; from += 3) {
            int rows = Math.min(3, height - from);
            pieces.add(ByteBuffer.allocateDirect(rows * row + (rows < 3 ? row : 0)));
        }
        file.decode(pieces);
        for (int y = 0; y < height; y++) {
            ByteBuffer piece = pieces.get(y / 3).slice(y % 3 * row, row);
            assertEquals(whole.slice(y * row, row), piece, "row " + y + " in pieces");
        }
    }

    private static ByteBuffer decode(FrameFile file, int bytes) throws FrameException {
        ByteBuffer target = ByteBuffer.allocateDirect(bytes + 8).order(ByteOrder.nativeOrder());
        for (int i = 0; i < target.capacity(); i++) {
            target.put(i, (byte) 0x7f);
        }
        file.decode(target);
        return target;
    }

    /** A file that another program reads has these pixels. */
    static void assertPicture(ByteBuffer expected, FrameLayout size, Path file) throws IOException {
        BufferedImage image = ImageIO.read(file.toFile());
        assertEquals(size.width(), image.getWidth());
        assertEquals(size.height(), image.getHeight());
        assertEquals(3, image.getRaster().getNumBands());
        int[] row = new int[size.width()];
        int[] want = new int[size.width()];
        for (int y = 0; y < size.height(); y++) {
            image.getRGB(0, y, size.width(), 1, row, 0, size.width());
            for (int x = 0; x < size.width(); x++) {
                int word = expected.getInt(4 * (y * size.stride() + x));
                want[x] = 0xff000000 | (word & 0xff) << 16 | (word & 0xff00) | (word >> 16 & 0xff);
            }
            assertArrayEquals(want, row, "row " + y);
        }
    }

    /** Compares bits, padding included. */
    static void assertFrame(float[][][] expected, FrameFile file) throws FrameException {
        FrameLayout size = file.size();
        assertEquals(expected[0].length, size.width());
        assertEquals(expected.length, size.height());
        FloatBuffer actual = decode(file);
        for (int row = 0; row < size.height(); row++) {
            for (int c = 0; c < 3; c++) {
                for (int column = 0; column < size.stride(); column++) {
                    float want = column < size.width() ? expected[row][column][c] : 0;
                    float got = actual.get(row * size.rowFloats() + c * size.stride() + column);
                    if (Float.floatToRawIntBits(want) != Float.floatToRawIntBits(got)) {
                        fail("row " + row + ", column " + column + ", channel " + c + ": " + got + " for " + want);
                    }
                }
            }
        }
    }

    /** Opening or decoding must fail with one line that names the file and has this in it. */
    static void assertRefused(Path file, String part) {
        FrameException e = assertThrows(FrameException.class, () -> decode(FrameFile.open(file)));
        String message = String.valueOf(e.getMessage());
        assertTrue(message.startsWith(file.toString()), message);
        assertTrue(message.contains(part), message);
        assertTrue(message.indexOf('\n') < 0 && message.length() < 1200, message);
    }
}
