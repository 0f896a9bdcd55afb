package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.kernels.tonemap.FrameLayout;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.Inflater;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PngWriterTest {
    @TempDir
    Path folder;

    private final PngWriter writer = new PngWriter(2);

    @AfterEach
    void close() {
        writer.close();
    }

    /** Noise where {@code level} is 1, black where it is 0; padding holds garbage. */
    private static ByteBuffer picture(FrameLayout size, double level, long seed) {
        Random random = new Random(seed);
        ByteBuffer pixels = ByteBuffer.allocateDirect(4 * size.words());
        for (int i = 0; i < pixels.capacity(); i++) {
            boolean padding = i / 4 % size.stride() >= size.width();
            pixels.put(i, padding || random.nextDouble() < level ? (byte) random.nextInt() : 0);
        }
        return pixels;
    }

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
                int at = 4 * (y * size.stride() + x);
                want[x] = 0xff000000
                        | (expected.get(at) & 0xff) << 16
                        | (expected.get(at + 1) & 0xff) << 8
                        | (expected.get(at + 2) & 0xff);
            }
            assertArrayEquals(want, row, "row " + y);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, 1",
        "3, 7, 1",
        "16, 16, 0",
        "17, 4000, 1",
        "1, 70000, 1",
        "70000, 3, 1",
        "300, 500, 0.6",
        "1000, 700, 0",
        "65536, 2, 1",
        "65535, 3, 0.3",
        "640, 480, 0.02"
    })
    void roundTrips(int width, int height, double level) throws IOException, InterruptedException {
        FrameLayout size = new FrameLayout(width, height);
        ByteBuffer pixels = picture(size, level, width);
        Path file = folder.resolve("p.png");
        writer.write(pixels, size, file);
        assertPicture(pixels, size, file);
        assertStandard(Files.readAllBytes(file), size);
        assertTrue(level > 0 || Files.size(file) < 20_000, "flat pictures stay small");
        assertEquals(List.of("p.png"), names());
    }

    /** Chunk order, check sums and the zlib stream as the standard has them, since ImageIO forgives much. */
    private static void assertStandard(byte[] bytes, FrameLayout size) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        assertEquals(0x89504e470d0a1a0aL, in.getLong());
        StringBuilder order = new StringBuilder();
        Inflater inflater = new Inflater();
        byte[] raw = new byte[65536];
        long inflated = 0;
        while (in.hasRemaining()) {
            int length = in.getInt();
            CRC32 crc = new CRC32();
            crc.update(bytes, in.position(), 4 + length);
            int type = in.getInt();
            String name = "" + (char) (type >>> 24) + (char) (type >>> 16 & 0x7f) + (char) (type >>> 8 & 0x7f)
                    + (char) (type & 0x7f);
            if (!order.toString().endsWith(name)) {
                order.append(name);
            }
            if (name.equals("IDAT")) {
                inflater.setInput(bytes, in.position(), length);
                inflated += inflate(inflater, raw);
            }
            in.position(in.position() + length);
            assertEquals((int) crc.getValue(), in.getInt(), "check sum of " + name);
        }
        assertEquals("IHDRsRGBIDATIEND", order.toString());
        assertTrue(inflater.finished(), "the stream ends, and its Adler sum is right");
        assertEquals(size.height() * (1L + 3L * size.width()), inflated);
        inflater.end();
    }

    private static long inflate(Inflater inflater, byte[] raw) {
        long inflated = 0;
        try {
            for (int n = 1; n > 0; inflated += n) {
                n = inflater.inflate(raw);
            }
        } catch (java.util.zip.DataFormatException e) {
            throw new AssertionError(e);
        }
        return inflated;
    }

    @Test
    void manyThreadsAtOnce() throws IOException {
        FrameLayout size = new FrameLayout(400, 400);
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            int number = i;
            all.add(CompletableFuture.runAsync(() -> {
                try {
                    writer.write(picture(size, 0.1 * number, number), size, folder.resolve(number + ".png"));
                } catch (IOException | InterruptedException e) {
                    throw new AssertionError(e);
                }
            }));
        }
        all.forEach(CompletableFuture::join);
        for (int i = 0; i < 12; i++) {
            assertPicture(picture(size, 0.1 * i, i), size, folder.resolve(i + ".png"));
        }
    }

    @Test
    void replacesAnOlderFile() throws IOException, InterruptedException {
        FrameLayout size = new FrameLayout(5, 5);
        Path file = folder.resolve("p.png");
        writer.write(picture(size, 1, 1), size, file);
        writer.write(picture(size, 1, 2), size, file);
        assertPicture(picture(size, 1, 2), size, file);
    }

    @Test
    void failuresLeaveNothing() throws IOException {
        FrameLayout size = new FrameLayout(5, 5);
        ByteBuffer pixels = picture(size, 1, 1);
        Path below = Files.createFile(folder.resolve("file")).resolve("p.png");
        FrameException e = assertThrows(FrameException.class, () -> writer.write(pixels, size, below));
        assertTrue(String.valueOf(e.getMessage()).startsWith(below + ": cannot be written"), e.getMessage());
        Path occupied = Files.createDirectories(folder.resolve("q.png/inside")).getParent();
        assertThrows(FrameException.class, () -> writer.write(pixels, size, occupied));
        assertEquals(List.of("file", "q.png"), names());
    }

    @Test
    void theFolderIsMadeAndALinkIsFollowed() throws Exception {
        FrameLayout size = new FrameLayout(5, 5);
        ByteBuffer pixels = picture(size, 1, 1);
        Path link = Files.createSymbolicLink(folder.resolve("p.png"), Path.of("new", "real.png"));
        writer.write(pixels, size, link);
        assertTrue(Files.isSymbolicLink(link));
        assertPicture(pixels, size, folder.resolve("new/real.png"));
    }

    @Test
    void aNameAsLongAsNamesGet() throws IOException, InterruptedException {
        FrameLayout size = new FrameLayout(2, 2);
        Path file = folder.resolve("n".repeat(251) + ".png");
        writer.write(picture(size, 1, 1), size, file);
        assertTrue(Files.exists(file));
    }

    @Test
    void anInterruptLeavesNothing() throws IOException {
        FrameLayout size = new FrameLayout(2000, 2000);
        ByteBuffer pixels = picture(size, 0, 1);
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> writer.write(pixels, size, folder.resolve("p.png")));
        assertEquals(List.of(), names());
    }

    @Test
    void misuse() {
        FrameLayout size = new FrameLayout(20, 20);
        assertThrows(
                IllegalArgumentException.class,
                () -> writer.write(ByteBuffer.allocateDirect(100), size, folder.resolve("p.png")));
        writer.close();
        assertThrows(
                IllegalStateException.class, () -> writer.write(picture(size, 1, 1), size, folder.resolve("p.png")));
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
