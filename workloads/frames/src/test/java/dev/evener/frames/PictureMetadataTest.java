package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.frames.FrameStreamBuilder.Metadata;
import dev.evener.frames.HdrFiles.Code;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import java.awt.color.ICC_Profile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;
import java.util.zip.InflaterInputStream;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.MemoryCacheImageInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;

/** What pictures' files say beside their pixels, as other readers take it; and nothing that is not so. */
class PictureMetadataTest {
    private static final String COMMENT = "Zażółć\r\ngęślą \u001b[31mjaźń\0";

    /** In Exif, of this comment. */
    private static final String DESCRIPTION = "Zażółć\ngęślą [31mjaźń";

    @TempDir
    Path folder;

    private final Evener evener =
            Evener.builder().devices(DeviceSelector.parse("jvm")).open();

    @AfterEach
    void close() {
        evener.close();
    }

    @Test
    void whatAnOpenExrFileSaysOfItsMakingIsInThePicture() throws Exception {
        Path exr = exr(Map.ofEntries(
                Map.entry("comments", COMMENT),
                Map.entry("owner", "© Jane Doe"),
                Map.entry("capDate", "2024:02:29 23:59:59"),
                Map.entry("utcOffset", -19800f),
                Map.entry("expTime", 1 / 60f),
                Map.entry("aperture", 5.6f),
                Map.entry("isoSpeed", 400f),
                Map.entry("nominalFocalLength", 35f),
                Map.entry("cameraMake", "Canon"),
                Map.entry("cameraModel", "EOS R5"),
                Map.entry("lensModel", "RF35mm"),
                Map.entry("cameraSerialNumber", "0815"),
                Map.entry("longitude", 13.4f),
                Map.entry("software", "none of ours")));
        Map<Integer, Object> expected = new TreeMap<>(Map.of(
                0x010e,
                DESCRIPTION,
                0x010f,
                "Canon",
                0x0110,
                "EOS R5",
                0x8298,
                "© Jane Doe",
                0x829d,
                5.6,
                0x8827,
                400.0));
        expected.putAll(Map.of(
                0x829a, 1 / 60.0, 0x9000, "0232", 0x9003, "2024:02:29 23:59:59", 0x9011, "+05:30", 0x920a, 35.0));
        expected.put(0xa434, "RF35mm");
        byte[] png = picture(exr, PictureFormat.PNG, Metadata.ALL);
        assertExif(expected, chunks(png).get("eXIf"));
        assertExif(expected, segment(picture(exr, PictureFormat.JPEG, Metadata.ALL), 0xe1, "Exif\0\0"));
        Element said = nativeMetadata(png);
        Map<String, String> texts = new HashMap<>();
        for (int i = 0; i < said.getElementsByTagName("iTXtEntry").getLength(); i++) {
            Element text = (Element) said.getElementsByTagName("iTXtEntry").item(i);
            texts.put(text.getAttribute("keyword"), text.getAttribute("text"));
        }
        assertEquals(Map.of("Description", DESCRIPTION, "Copyright", "© Jane Doe"), texts);
        assertArrayEquals(png, picture(exr, PictureFormat.PNG, Metadata.ALL), "nothing of the run");
    }

    @Test
    void whatMakesNoSenseIsLeftOut() throws Exception {
        Path exr = exr(Map.of(
                "comments",
                " \n ",
                "capDate",
                "2023:02:29 10:00:00",
                "utcOffset",
                3600f,
                "expTime",
                Float.NaN,
                "aperture",
                -1f,
                "isoSpeed",
                1e9f,
                "nominalFocalLength",
                1e-30f));
        assertFalse(chunks(picture(exr, PictureFormat.PNG, Metadata.ALL)).containsKey("eXIf"));
        Path longest = exr(
                Map.of("comments", "ä".repeat(20_000), "owner", "ß".repeat(20_000), "lensMake", "ł".repeat(20_000)));
        byte[] jpeg = picture(longest, PictureFormat.JPEG, Metadata.ALL);
        assertEquals("ä".repeat(4096), exif(segment(jpeg, 0xe1, "Exif\0\0")).get(0x010e));
        assertEquals(8, ImageIO.read(new ByteArrayInputStream(jpeg)).getWidth());
    }

    /** Each of Radiance's programs adds lines when it runs; the first ones are those of the picture. */
    @Test
    void aRadianceFileSaysWhenItWasTaken() throws Exception {
        String head = """
                CAPDATE= 2021:06:01 12:00:00
                GMT= 2021:06:01 10:00:00
                rpict -vp 1 2 3
                CAPDATE= 2022:01:01 00:00:00
                GMT= 2022:01:01 00:00:00
                FORMAT=32-bit_rle_rgbe
                """;
        Path hdr = Frames.write(
                folder, "x.hdr", HdrFiles.file(head, "-Y 5 +X 8", HdrFiles.randomPixels(5, 8, 1), Code.FLAT));
        Map<Integer, Object> expected = Map.of(0x9000, "0232", 0x9003, "2021:06:01 12:00:00", 0x9011, "+02:00");
        assertExif(
                expected, chunks(picture(hdr, PictureFormat.PNG, Metadata.ALL)).get("eXIf"));
    }

    /** By the PNG specification: a profile in place of {@code sRGB}, beside the chunks for readers without profiles. */
    @Test
    void colourIsSaidOnceAndConsistently() throws Exception {
        Path exr = exr(Map.of("owner", "me"));
        for (PictureFormat format : List.of(PictureFormat.PNG, PictureFormat.PNG16)) {
            for (Metadata kept : Metadata.values()) {
                byte[] png = picture(exr, format, kept);
                Map<String, byte[]> chunks = chunks(png);
                List<String> order = new ArrayList<>(chunks.keySet());
                boolean profiled = kept != Metadata.NONE;
                assertEquals(
                        profiled ? List.of("IHDR", "cHRM", "gAMA", "iCCP") : List.of("IHDR", "sRGB"),
                        order.subList(0, profiled ? 4 : 2));
                assertEquals(kept == Metadata.ALL, order.contains("eXIf") && order.contains("iTXt"));
                assertTrue(order.indexOf("IDAT") == order.size() - 2 && order.indexOf("IEND") == order.size() - 1);
                Path file = Files.write(folder.resolve("own.png"), png);
                assertTrue(format.mayBeOwn(file), "may be replaced");
                assertEquals(8, ImageIO.read(file.toFile()).getWidth());
                if (profiled) {
                    byte[] data = chunks.get("iCCP");
                    assertEquals("sRGB IEC61966-2.1\0\0", new String(data, 0, 19, StandardCharsets.ISO_8859_1));
                    byte[] profile = new InflaterInputStream(new ByteArrayInputStream(data, 19, data.length - 19))
                            .readAllBytes();
                    assertArrayEquals(SrgbProfile.bytes(), profile);
                    assertEquals(
                            ICC_Profile.CLASS_DISPLAY,
                            ICC_Profile.getInstance(profile).getProfileClass());
                    Element said = nativeMetadata(png);
                    assertEquals(
                            "45455",
                            ((Element) said.getElementsByTagName("gAMA").item(0)).getAttribute("value"));
                    Element chrm = (Element) said.getElementsByTagName("cHRM").item(0);
                    assertEquals("31270", chrm.getAttribute("whitePointX"));
                    assertEquals("6000", chrm.getAttribute("blueY"));
                }
            }
        }
        Map<String, byte[]> hdr = chunks(picture(exr, PictureFormat.PNG16, Metadata.ALL, Operator.PQ));
        assertTrue(hdr.containsKey("cICP") && hdr.containsKey("eXIf") && !hdr.containsKey("iCCP"));
        assertEquals(0, segment(picture(exr, PictureFormat.JPEG, Metadata.NONE), 0xe2, "ICC_PROFILE").length);
        byte[] foreign = Files.readAllBytes(folder.resolve("own.png"));
        foreign[37] = 'x';
        assertFalse(PictureFormat.PNG.mayBeOwn(Files.write(folder.resolve("foreign.png"), foreign)));
    }

    private Path exr(Map<String, Object> about) throws IOException {
        ExrFiles file = ExrFiles.of(8, 5, 0, 1);
        file.samples = (x, y, channel) -> 0x3000 + 64 * x;
        file.about = about;
        return Frames.write(folder, "x.exr", file.bytes());
    }

    private byte[] picture(Path frame, PictureFormat format, Metadata kept) throws Exception {
        return picture(frame, format, kept, Operator.ACES);
    }

    private byte[] picture(Path frame, PictureFormat format, Metadata kept, Operator operator) throws Exception {
        Path out = folder.resolve("out.picture");
        ToneMapSettings settings = ToneMapSettings.of(operator).withExposure(0);
        try (FrameStream stream = FrameStream.of(List.of(frame), evener, settings)
                .format(format)
                .metadata(kept)
                .intoFile(out)) {
            assertEquals(List.of(), stream.run().failures());
        }
        return Files.readAllBytes(out);
    }

    /** The chunks by their types, in their order, each with a right sum. */
    private static Map<String, byte[]> chunks(byte[] png) {
        Map<String, byte[]> chunks = new LinkedHashMap<>();
        for (ByteBuffer at = ByteBuffer.wrap(png).position(8); at.hasRemaining(); ) {
            byte[] data = new byte[at.getInt()];
            CRC32 crc = new CRC32();
            crc.update(png, at.position(), 4 + data.length);
            byte[] type = new byte[4];
            at.get(type).get(data);
            assertEquals((int) crc.getValue(), at.getInt());
            chunks.merge(new String(type, StandardCharsets.ISO_8859_1), data, (first, next) -> first);
        }
        return chunks;
    }

    /** The data of a segment that begins so; nothing if there is none. */
    private static byte[] segment(byte[] jpeg, int marker, String name) {
        for (ByteBuffer at = ByteBuffer.wrap(jpeg).position(2); at.get() == -1; ) {
            int its = at.get() & 0xff;
            byte[] data = new byte[at.getChar() - 2];
            if (its == 0xda) {
                break;
            }
            at.get(data);
            if (its == marker && new String(data, StandardCharsets.ISO_8859_1).startsWith(name)) {
                return Arrays.copyOfRange(data, name.length(), data.length);
            }
        }
        return new byte[0];
    }

    private static void assertExif(Map<Integer, Object> expected, byte[] tiff) {
        Map<Integer, Object> said = exif(tiff);
        assertEquals(expected.keySet(), said.keySet());
        expected.forEach((tag, value) -> {
            if (value instanceof Double number) {
                assertEquals(number, (Double) said.get(tag), 1e-6 * number, Integer.toHexString(tag));
            } else {
                assertEquals(value, said.get(tag), Integer.toHexString(tag));
            }
        });
    }

    /** Texts and numbers of both directories by their tags, as Exif 2.32 has them. */
    private static Map<Integer, Object> exif(byte[] tiff) {
        Map<Integer, Object> tags = new TreeMap<>();
        ByteBuffer all = ByteBuffer.wrap(tiff);
        assertEquals(0x4d4d002a, all.getInt());
        for (int directory = all.getInt(); directory != 0; ) {
            assertEquals(0, directory % 2);
            int count = all.getChar(directory);
            int next = 0;
            int last = -1;
            for (int at = directory + 2; at < directory + 2 + 12 * count; at += 12) {
                int tag = all.getChar(at);
                assertTrue(tag > last, "in order");
                last = tag;
                int length = all.getInt(at + 4);
                int value = all.getInt(at + 8);
                switch (all.getChar(at + 2)) {
                    case 2, 7 -> {
                        byte[] text = new byte[length];
                        all.get(length <= 4 ? at + 8 : value, text);
                        boolean ends = all.getChar(at + 2) == 2;
                        assertTrue(!ends || text[length - 1] == 0);
                        tags.put(tag, new String(text, 0, ends ? length - 1 : length, StandardCharsets.UTF_8));
                    }
                    case 3 -> tags.put(tag, (double) all.getChar(at + 8));
                    case 4 -> next = value;
                    case 5 ->
                        tags.put(
                                tag,
                                Integer.toUnsignedLong(all.getInt(value))
                                        / (double) Integer.toUnsignedLong(all.getInt(value + 4)));
                    default -> throw new AssertionError("type " + (int) all.getChar(at + 2));
                }
            }
            directory = next;
        }
        return tags;
    }

    private static Element nativeMetadata(byte[] png) throws IOException {
        ImageReader reader = ImageIO.getImageReadersByFormatName("png").next();
        reader.setInput(new MemoryCacheImageInputStream(new ByteArrayInputStream(png)));
        return (Element) reader.getImageMetadata(0).getAsTree("javax_imageio_png_1.0");
    }
}
