package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.LongTests;
import dev.evener.frames.HdrFiles.Code;
import dev.evener.kernels.tonemap.FrameLayout;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.channels.Channels;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FrameFileTest {
    @TempDir
    Path folder;

    @Test
    void whatIsNoFrameFile() throws IOException {
        Frames.assertRefused(folder, "is a folder");
        Frames.assertRefused(folder.resolve("none.hdr"), "no such file");
        Path file = Frames.write(folder, "f.hdr", new byte[0]);
        Frames.assertRefused(file, "is empty");
        Frames.assertRefused(file.resolve("below.hdr"), "cannot be read");
        Frames.write(folder, "f.hdr", new byte[] {(byte) 0x89, 'P', 'N', 'G', 13});
        Frames.assertRefused(file, "starts with the bytes 89 50 4E 47; a Radiance file starts with");
        Frames.assertRefused(Frames.write(folder, "g.hdr", new byte[] {'P'}), "starts with the bytes 50;");
    }

    /** One list for the command and for clusters. */
    @Test
    void everyFormatIsFoundInFolders() {
        for (String name : List.of("a.hdr", "b.PIC", "c.rgbe", "shot.0001.exr", "D.Exr", "e.pfm")) {
            assertTrue(FrameFile.isNamedSo(name), name);
        }
        for (String name : List.of("a.png", "exr", "a.exr.part", ".hdr~", "")) {
            assertFalse(FrameFile.isNamedSo(name), name);
        }
        FrameFile.EXTENSIONS.forEach(ending -> assertTrue(FrameFile.NONE_IN_FOLDER.contains(ending), ending));
    }

    /** Cut anywhere behind the header, a file shows what is before that, and black; a whole one is as it is, and nothing is said. */
    @Test
    void partialFilesAreShownAsFarAsTheyGo() throws IOException {
        int[][] pixels = HdrFiles.randomPixels(37, 50, 3);
        ExrFiles exr = ExrFiles.of(50, 37, 3, 2);
        exr.samples = (x, y, channel) -> Float.floatToIntBits(1 + x + y);
        List<byte[]> files = List.of(
                HdrFiles.file("", "-Y 37 +X 50", pixels, Code.FLAT),
                HdrFiles.file("", "-Y 37 +X 50", pixels, Code.OLD),
                HdrFiles.file("", "-Y 37 +X 50", pixels, Code.NEW),
                exr.bytes());
        for (int f = 0; f < files.size(); f++) {
            byte[] whole = files.get(f);
            FrameFile file = of(whole);
            FloatBuffer expected = Frames.decode(file);
            FrameFile all = file.partial();
            assertEquals(expected, Frames.decode(all));
            assertEquals(List.of(), all.warnings());
            int before = -1;
            for (int length = Math.max(f < 3 ? 360 : 700, whole.length / 7); // behind the header
                    length < whole.length;
                    length += whole.length / 7) {
                FrameFile cut = of(Arrays.copyOf(whole, length));
                String where = "file " + f + " of " + length + " bytes";
                FrameException e = assertThrows(FrameException.class, () -> Frames.decode(cut), where);
                FrameFile partial = cut.in(cut.primaries()).partial();
                FloatBuffer shown = Frames.decode(partial);
                assertEquals(
                        List.of("is shown as far as it goes: "
                                + String.valueOf(e.getMessage()).substring("cut: ".length())),
                        partial.warnings());
                int there = 0;
                for (int i = 0; i < expected.capacity(); i++) {
                    if (shown.get(i) != 0) {
                        assertEquals(expected.get(i), shown.get(i), where);
                        there++;
                    }
                }
                assertTrue(there >= before, where);
                before = there;
            }
            assertTrue(before > 0, "file " + f + " shows " + before);
        }
    }

    private static FrameFile of(byte[] bytes) throws FrameException {
        return FrameFile.open(
                Path.of("cut"),
                bytes.length,
                at -> Channels.newChannel(new ByteArrayInputStream(bytes, (int) at, bytes.length - (int) at)));
    }

    /** What the system says stands in messages without the names of classes. */
    @Test
    void reasonsAreForPeople() {
        assertEquals("No space left on device", FrameException.reason(new IOException("No space left on device")));
        assertEquals("stream ended", FrameException.reason(new EOFException("stream ended")));
        assertEquals("too many links", FrameException.reason(new FileSystemException("a", null, "too many links")));
    }

    @Test
    void aDeviceThatNeverEnds() {
        Path zero = Path.of("/dev/zero");
        assertTrue(Files.exists(zero), "this test needs a device file");
        Frames.assertRefused(zero, "not a regular file");
    }

    @Test
    void aSmallFileIsNoLargeFrame() throws IOException {
        ExrFiles exr = ExrFiles.of(1, 1, 3, 1);
        exr.display = new int[] {0, 0, 12_999, 12_999};
        byte[] bytes = exr.bytes();
        assertTrue(bytes.length < 400, bytes.length + " bytes");
        Frames.assertRefused(
                Frames.write(folder, "f.exr", bytes),
                "its displayWindow gives 13000 x 13000 pixels, too many for a file of " + bytes.length + " bytes");
        exr.display = new int[] {0, 0, 0, 2_000_000}; // for each row of which a picture's coder has tables
        bytes = exr.bytes();
        Frames.assertRefused(
                Frames.write(folder, "f.exr", bytes),
                "its displayWindow gives 1 x 2000001 pixels, too many for a file of " + bytes.length + " bytes");
        // Repeats of repeats: 20 bytes that stand for any scanline up to 4 Gi pixels.
        String wide = "#?RADIANCE\n\n-Y 1 +X 178000000\n";
        Frames.assertRefused(
                Frames.write(folder, "f.hdr", Frames.text(wide + "x".repeat(20))),
                "its header gives 178000000 x 1 pixels, too many for a file of " + (wide.length() + 20) + " bytes");
        Frames.assertRefused(Frames.write(folder, "f.pfm", Frames.text("Pf\n13000 13000\n-1\n")), "it was cut short");
    }

    @Test
    void whatIsNearlyEmptyOrCompressesBestIsAFrame() throws IOException {
        ExrFiles empty = ExrFiles.of(1, 1, 3, 1);
        empty.display = new int[] {0, 0, 4095, 4095};
        FrameFile file = FrameFile.open(Frames.write(folder, "f.exr", empty.bytes()));
        assertEquals(new FrameLayout(4096, 4096), file.size());
        // Of one colour: a pixel and its repeats are 12 bytes of a scanline.
        byte[] header = Frames.text("#?RADIANCE\n\n-Y 2700 +X 65536\n");
        FrameFile black = FrameFile.open(
                Path.of("black"),
                header.length + 2700 * 12,
                offset -> Channels.newChannel(new ByteArrayInputStream(header)));
        assertEquals(new FrameLayout(65_536, 2700), black.size());
    }

    @Test
    void namesAndHeadersCannotWriteToTheTerminal() throws IOException {
        Path file =
                Frames.write(folder, "f.hdr", Frames.text("#?RADIANCE\nFORMAT=\u001b[2J\u0007evil\n\n-Y 1 +X 1\n1234"));
        FrameException e = assertThrows(FrameException.class, () -> FrameFile.open(file));
        assertTrue(String.valueOf(e.getMessage()).contains("?[2J?evil"), e.getMessage());
    }

    @Test
    void aTargetThatIsTooSmall() throws IOException {
        FrameFile file = FrameFile.open(Frames.sample("city"));
        ByteBuffer small = ByteBuffer.allocateDirect(Integer.BYTES * file.size().words() - 1);
        assertThrows(IllegalArgumentException.class, () -> file.decode(small));
    }

    @Test
    void aFileThatChangesAfterItsHeaderWasRead() throws IOException {
        int[][] pixels = HdrFiles.randomPixels(20, 20, 3);
        byte[] bytes = HdrFiles.file("", "-Y 20 +X 20", pixels, Code.FLAT);
        Path path = Frames.write(folder, "f.hdr", bytes);
        FrameFile file = FrameFile.open(path);
        Files.write(path, Arrays.copyOf(bytes, 500));
        assertThrows(FrameException.class, () -> Frames.decode(file));
        Files.delete(path);
        assertThrows(FrameException.class, () -> Frames.decode(file));
    }

    @Test
    void aFileThatLiesElsewhereIsReadFromChannels() throws IOException {
        byte[] bytes = Files.readAllBytes(Frames.sample("city"));
        List<Long> offsets = new ArrayList<>();
        FrameFile.Source source = offset -> {
            offsets.add(offset);
            return Channels.newChannel(
                    new ByteArrayInputStream(bytes, Math.toIntExact(offset), bytes.length) { // few bytes at a time
                        @Override
                        public int read(byte[] target, int from, int count) {
                            return super.read(target, from, Math.min(count, 1000));
                        }
                    });
        };
        FrameFile elsewhere = FrameFile.open(Path.of("city"), bytes.length, source);
        assertEquals(Frames.decode(FrameFile.open(Frames.sample("city"))), Frames.decode(elsewhere));
        assertEquals(2, offsets.size(), "the header, and the frame");
        assertEquals(0, offsets.get(0));
        assertTrue(offsets.get(1) > 0, "the header is not read twice");

        FrameException cut = assertThrows(FrameException.class, () -> FrameFile.open(Path.of("cut"), 1000, source));
        assertTrue(String.valueOf(cut.getMessage()).startsWith("cut: "), cut.getMessage());
        FrameException gone = assertThrows(
                FrameException.class,
                () -> FrameFile.open(Path.of("gone"), 1000, offset -> {
                    throw new IOException("no datanode");
                }));
        assertEquals("gone: cannot be read: no datanode", gone.getMessage());
    }

    @Test
    void layout() {
        FrameLayout size = new FrameLayout(17, 3);
        assertEquals(32, size.stride());
        assertEquals(3 * 32 * 3 * 4, size.bytes());
        assertEquals(32 * 3, size.words());
        assertThrows(IllegalArgumentException.class, () -> new FrameLayout(0, 1));
        assertThrows(IllegalArgumentException.class, () -> new FrameLayout(1 << 20, 1 << 20));
        assertThrows(IllegalArgumentException.class, () -> new FrameLayout(Integer.MAX_VALUE, 1));
        // One pixel wide still takes a stride of 16.
        assertThrows(IllegalArgumentException.class, () -> new FrameLayout(1, 1 << 26));
        assertTrue(new FrameLayout(536_868_848, 1).bytes() > 5L << 30);
    }

    @Test
    void everyRunLengthLowerBoundIsReachable() {
        assertEquals(4, RadianceHeader.leastBytes(1));
        assertEquals(8, RadianceHeader.leastBytes(2));
        assertEquals(8, RadianceHeader.leastBytes(256));
        assertEquals(12, RadianceHeader.leastBytes(257));
        assertEquals(12, RadianceHeader.leastBytes(65536));
        assertEquals(16, RadianceHeader.leastBytes(65537));
    }

    /** Any file gives a frame or a FrameException, soon and within the memory its size allows. */
    @Test
    void mutatedFiles() throws IOException {
        byte[][] seeds = {
            HdrFiles.file(
                    "FORMAT=32-bit_rle_rgbe\nEXPOSURE=2\n", "-Y 6 +X 40", HdrFiles.randomPixels(6, 40, 1), Code.NEW),
            HdrFiles.file("FORMAT=32-bit_rle_xyze\n", "+X 6 -Y 40", HdrFiles.randomPixels(6, 40, 2), Code.NEW),
            HdrFiles.file("COLORCORR=1 2 3\n", "+Y 6 -X 40", HdrFiles.randomPixels(6, 40, 3), Code.OLD),
            HdrFiles.file("", "-X 5 +Y 7", HdrFiles.randomPixels(5, 7, 4), Code.FLAT),
            Frames.text("PF\n3 2\n-1.0\n" + "abcd".repeat(18)),
            Frames.text("Pf 3 2 1 " + "abcd".repeat(6)),
        };
        mutants(seeds, 60, LongTests.orAll(12_000, 10_000 * seeds.length));
    }

    /** The same, of every code of OpenEXR. */
    @Test
    void mutatedOpenExrFiles() throws IOException {
        ExrFiles float32 = ExrFiles.of(40, 20, 3, 2);
        float32.samples = (x, y, channel) -> Float.floatToRawIntBits(x / 8 + y);
        ExrFiles window = ExrFiles.of(40, 20, 1, 1);
        window.data = new int[] {-3, 5, 50, 12};
        byte[][] seeds = {
            float32.bytes(),
            window.bytes(),
            ExrReaderTest.resource("piz-half"),
            ExrReaderTest.resource("piz-alpha"),
            ExrReaderTest.resource("piz-ramp"),
            ExrReaderTest.resource("rle-half"),
            ExrReaderTest.resource("zips-half"),
            ExrReaderTest.resource("zip-half"),
        };
        mutants(seeds, 350, LongTests.orAll(2_000, 10_000 * seeds.length));
    }

    /** @param header bytes of each that matter most */
    private void mutants(byte[][] seeds, int header, int cases) {
        ByteBuffer target = ByteBuffer.allocateDirect(1 << 22);
        Path file = folder.resolve("fuzz");
        int frames = Assertions.assertTimeoutPreemptively(
                Duration.ofMinutes(15), () -> frames(seeds, header, cases, file, target));
        assertTrue(
                frames > cases / 120,
                "only " + frames + " of the mutants were frames, so that decoding was hardly tried");
    }

    private static int frames(byte[][] seeds, int header, int cases, Path file, ByteBuffer target) throws IOException {
        Random random = new Random(20_26);
        int frames = 0;
        for (int i = 0; i < cases; i++) {
            byte[] bytes = mutate(seeds[i % seeds.length].clone(), random, header);
            Files.write(file, bytes);
            frames += outcome(file, target, "case " + i);
        }
        return frames;
    }

    static byte[] mutate(byte[] bytes, Random random, int header) {
        for (int n = 1 + random.nextInt(4); n > 0; n--) {
            int at = random.nextInt(random.nextBoolean() ? Math.min(header, bytes.length) : bytes.length);
            switch (random.nextInt(5)) {
                case 0 -> bytes[at] = (byte) random.nextInt();
                case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> bytes[at] = (byte) ('0' + random.nextInt(10));
                case 3 -> bytes[at] = (byte) (random.nextBoolean() ? 255 : 0);
                default -> bytes = Arrays.copyOf(bytes, Math.max(1, random.nextInt(8) == 0 ? at : bytes.length));
            }
        }
        return bytes;
    }

    private static int outcome(Path path, ByteBuffer target, String what) {
        try {
            FrameFile file = FrameFile.open(path);
            if (file.size().bytes() <= target.capacity()) {
                file.decode(target);
                return 1;
            }
        } catch (FrameException e) {
            String message = String.valueOf(e.getMessage());
            assertTrue(message.startsWith(path.toString()) && message.indexOf('\n') < 0, what + ": " + message);
        } catch (RuntimeException | Error e) {
            throw new AssertionError(what, e);
        }
        return 0;
    }
}
