package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.InTurn;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import java.awt.color.ColorSpace;
import java.awt.color.ICC_ColorSpace;
import java.awt.color.ICC_Profile;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.MemoryCacheImageInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;

/** What pictures are written as, and which of the inputs. */
@InTurn(2)
class OutputsTest {
    private static final int WIDTH = 97;
    private static final int HEIGHT = 54;

    @TempDir
    Path folder;

    /** Frames a to f, smooth in all directions. */
    @BeforeEach
    void frames() throws IOException {
        Files.createDirectories(folder.resolve("in"));
        for (int f = 0; f < 6; f++) {
            float[] rgb = new float[3 * WIDTH * HEIGHT];
            for (int i = 0; i < rgb.length; i++) {
                int pixel = i / 3;
                double x = (double) (pixel % WIDTH) / WIDTH;
                int row = pixel / WIDTH;
                double y = (double) row / HEIGHT;
                double[] slopes = {x, y, 1 - x};
                rgb[i] = (float) Math.pow(2, 5 * slopes[i % 3] - 3 + 0.2 * f);
            }
            Files.write(
                    folder.resolve("in/" + (char) ('a' + f) + ".exr"),
                    TestFile.exr(new FrameLayout(WIDTH, HEIGHT), rgb, 1));
        }
    }

    private Cli.Result run(Object... more) {
        return evener(Stream.concat(Stream.of("tonemap", "in"), Stream.of(more)).toArray());
    }

    private Cli.Result evener(Object... words) {
        return InProcess.in(folder, words);
    }

    private void refused(String part, Object... more) {
        run(more).refused(2, part);
    }

    @Test
    void onlySomeOfTheInputs() throws IOException {
        run("--frames", "2-5", "--every", 2, "--out", "some", "--devices", "0.0", "--quiet")
                .silent();
        assertEquals(List.of("b.png", "d.png"), Cli.names(folder.resolve("some")));
        run("--frames", "6", "--out", "last", "--devices", "jvm", "--quiet").silent();
        assertEquals(List.of("f.png"), Cli.names(folder.resolve("last")));
        run("in/a.exr", "--frames", "5-", "--out", "open", "--devices", "jvm", "--quiet")
                .silent();
        assertEquals(List.of("a.png", "e.png", "f.png"), Cli.names(folder.resolve("open")));
    }

    @Test
    void whatNamesNoInputsIsRefused() {
        refused("--frames: 7-9 has none of the 6 frames", "--frames", "7-9", "--out", "out");
        refused("--frames: 4-3 has none of the 6 frames", "--frames", "4-3", "--out", "out");
        refused("--frames: 0-3 has none of the 6 frames", "--frames", "0-3", "--out", "out");
        refused("--frames: 'a-f' is no range such as 10-20", "--frames", "a-f", "--out", "out");
        refused("--every: there must be 1 or more, not 0", "--every", 0, "--out", "out");
    }

    @Test
    void jpegIsThePictureOfThePng() throws IOException {
        run("--out", "png", "--quiet").done();
        run("--format", "jpeg", "--out", "jpeg", "--quiet").done();
        run(
                        "--format",
                        "jpeg",
                        "--quality",
                        30,
                        "--out",
                        "less",
                        "--devices",
                        "0.0,0.1",
                        "--policy",
                        "static",
                        "--quiet")
                .silent();
        assertEquals(List.of("a.jpg", "b.jpg", "c.jpg", "d.jpg", "e.jpg", "f.jpg"), Cli.names(folder.resolve("jpeg")));
        for (String name : List.of("a", "f")) {
            BufferedImage picture =
                    ImageIO.read(folder.resolve("png/" + name + ".png").toFile());
            assertTrue(difference(picture, "jpeg/" + name) < 1.5, name);
            assertTrue(difference(picture, "less/" + name) < 5, name);
            int profile = 2
                    + ByteBuffer.wrap(Files.readAllBytes(folder.resolve("less/" + name + ".jpg")))
                            .getShort(22);
            assertTrue(Files.size(folder.resolve("less/" + name + ".jpg")) - profile
                    < 0.7 * (Files.size(folder.resolve("jpeg/" + name + ".jpg")) - profile));
        }
        refused("--quality: it must be 1 to 100, not 101", "--format", "jpeg", "--quality", 101, "--out", "out");
        refused("--metadata: 'exif' is none of none, icc, all", "--metadata", "exif", "--out", "out");
        refused("--metadata: only png and jpeg have some", "--metadata", "none", "--format", "ppm", "--out", "out");
        refused("--quality: only jpeg has one", "--quality", 50, "--out", "out");
        refused("--depth: jpeg does not have 16 bits", "--format", "jpeg", "--depth", 16, "--out", "out");
    }

    /** A JPEG file says that its colours are sRGB, and of what shape pixels are, as readers of others take it. */
    @Test
    void jpegHasAProfileAndTheShapeOfPixels() throws IOException {
        for (float aspect : new float[] {1, 2, 0.75f}) {
            float[] rgb = new float[3 * WIDTH * HEIGHT];
            Arrays.fill(rgb, 0.3f);
            Files.write(folder.resolve("x.exr"), TestFile.exr(new FrameLayout(WIDTH, HEIGHT), rgb, aspect));
            evener("tonemap", "x.exr", "--format", "jpeg", "--out", "x.jpg", "--devices", "jvm", "--quiet")
                    .silent();
            byte[] file = Files.readAllBytes(folder.resolve("x.jpg"));
            ByteBuffer profile = ByteBuffer.wrap(file).position(20);
            assertEquals((short) 0xffe2, profile.getShort());
            byte[] data = new byte[(profile.getShort() & 0xffff) - 2];
            profile.get(data);
            assertEquals("ICC_PROFILE\0\1\1", new String(data, 0, 14, StandardCharsets.ISO_8859_1));
            ICC_Profile its = ICC_Profile.getInstance(Arrays.copyOfRange(data, 14, data.length));
            assertEquals(ColorSpace.TYPE_RGB, its.getColorSpaceType());
            float[] colour = {0.2f, 0.5f, 0.9f};
            assertArrayEquals(colour, new ICC_ColorSpace(its).toRGB(colour), 0.006f);
            ImageReader reader = ImageIO.getImageReadersByFormatName("jpeg").next();
            reader.setInput(new MemoryCacheImageInputStream(new ByteArrayInputStream(file)));
            Element metadata = (Element) reader.getImageMetadata(0).getAsTree("javax_imageio_1.0");
            Element shape =
                    (Element) metadata.getElementsByTagName("PixelAspectRatio").item(0);
            assertEquals(aspect, Double.parseDouble(shape.getAttribute("value")), 1e-3);
        }
    }

    /** Mean of what components are off by. */
    private double difference(BufferedImage picture, String name) throws IOException {
        BufferedImage other = ImageIO.read(folder.resolve(name + ".jpg").toFile());
        int[] a = picture.getRaster().getPixels(0, 0, WIDTH, HEIGHT, (int[]) null);
        int[] b = other.getRaster().getPixels(0, 0, WIDTH, HEIGHT, (int[]) null);
        assertEquals(a.length, b.length);
        long sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += Math.abs(a[i] - b[i]);
        }
        return (double) sum / a.length;
    }

    /** An operator for plain displays with 16 bits, in every format that has them, and repeated from a record. */
    @Test
    void sixteenBitsForPlainDisplays() throws Exception {
        run(
                        "--depth",
                        16,
                        "--operator",
                        "hable",
                        "--out",
                        "png",
                        "--verify",
                        "--policy",
                        "static",
                        "--record",
                        "r",
                        "--quiet")
                .done();
        evener("replay", "r").done();
        run("--depth", 16, "--curve", "srgb", "--frames", "1", "--out", "default", "--devices", "jvm", "--quiet")
                .silent();
        Pictures.assertMapped(
                folder.resolve("in/c.exr"), folder.resolve("png/c.png"), ToneMapSettings.of(Operator.HABLE), 2);
        Pictures.assertMapped(
                folder.resolve("in/a.exr"),
                folder.resolve("default/a.png"),
                ToneMapSettings.of(Operator.REINHARD_EXTENDED),
                2);
        String head = latin(Files.readAllBytes(folder.resolve("png/c.png")));
        assertTrue(
                head.indexOf("iCCPsRGB IEC61966-2.1") == 37 + 44 + 16
                        && !head.contains("cICP")
                        && !head.contains("mDCV"),
                "marked as sRGB");
        run("--depth", 16, "--peak", 600, "--frames", "1", "--out", "pq", "--devices", "jvm", "--quiet")
                .silent();
        byte[] pq = Files.readAllBytes(folder.resolve("pq/a.png"));
        int at = latin(pq).indexOf("mDCV") + 4;
        ByteBuffer display = ByteBuffer.wrap(pq, at, 24);
        for (double each : new double[] {0.708, 0.292, 0.17, 0.797, 0.131, 0.046, 0.3127, 0.329}) { // of BT.2020
            assertEquals(each, display.getChar() * 0.00002, 1e-5);
        }
        assertEquals(600, display.getInt() * 0.0001, 1e-9);
        assertEquals(0.0001, display.getInt() * 0.0001, 1e-9);
        ByteArrayOutputStream samples = new ByteArrayOutputStream();
        for (int sample : ImageIO.read(folder.resolve("png/a.png").toFile())
                .getRaster()
                .getPixels(0, 0, WIDTH, HEIGHT, (int[]) null)) {
            samples.write(sample >> 8);
            samples.write(sample);
        }
        run(
                        "--depth",
                        16,
                        "--operator",
                        "hable",
                        "--format",
                        "raw",
                        "--frames",
                        "1",
                        "--out",
                        "raw",
                        "--devices",
                        "0.1",
                        "--quiet")
                .silent();
        assertArrayEquals(samples.toByteArray(), Files.readAllBytes(folder.resolve("raw/a.raw")));
    }

    /** MaxCLL and MaxFALL are those of the samples in the file, as ImageIO reads them, and of what was to be shown. */
    @Test
    void pqSaysHowBrightThePictureIs() throws IOException {
        float[] rgb =
                new float[3 * WIDTH * HEIGHT]; // grey, for which no primaries matter: a lamp, a white half, and black
        Arrays.fill(rgb, 0, 3 * WIDTH * HEIGHT / 2, 1);
        Arrays.fill(rgb, 300, 303, 20);
        Files.write(folder.resolve("lamp.exr"), TestFile.exr(new FrameLayout(WIDTH, HEIGHT), rgb, 1));
        evener(
                        "tonemap",
                        "lamp.exr",
                        "in/d.exr",
                        "--depth",
                        16,
                        "--exposure",
                        0,
                        "--out",
                        "pq",
                        "--devices",
                        "0.0,0.1,jvm",
                        "--policy",
                        "static",
                        "--quiet")
                .silent();
        run("--depth", 16, "--frames", 4, "--peak", 400, "--out", "less", "--devices", "0.0", "--quiet")
                .silent();
        double[] lamp = lightLevel("pq/lamp.png");
        assertEquals(4060, lamp[0], 0.5);
        assertEquals((WIDTH * HEIGHT / 2 - 1) * 203.0 / (WIDTH * HEIGHT) + 4060.0 / (WIDTH * HEIGHT), lamp[1], 0.02);
        assertTrue(lightLevel("pq/d.png")[0] > 400);
        assertTrue(lightLevel("less/d.png")[0] <= 400);
        run("--depth", 16, "--curve", "hlg", "--frames", 1, "--out", "hlg", "--devices", "jvm", "--quiet")
                .silent();
        assertEquals(-1, latin(Files.readAllBytes(folder.resolve("hlg/a.png"))).indexOf("cLLI"));
    }

    /** Both in cd/m². */
    private double[] lightLevel(String picture) throws IOException {
        byte[] file = Files.readAllBytes(folder.resolve(picture));
        int at = latin(file).indexOf("cLLI");
        assertTrue(at > 0 && at < latin(file).indexOf("IDAT"), "before the rows");
        ByteBuffer chunk = ByteBuffer.wrap(file, at - 4, 16);
        assertEquals(8, chunk.getInt());
        chunk.getInt();
        double[] said = {chunk.getInt() * 0.0001, chunk.getInt() * 0.0001};
        CRC32 crc = new CRC32();
        crc.update(file, at, 12);
        assertEquals((int) crc.getValue(), ByteBuffer.wrap(file, at + 12, 4).getInt());
        int[] samples =
                ImageIO.read(folder.resolve(picture).toFile()).getRaster().getPixels(0, 0, WIDTH, HEIGHT, (int[]) null);
        double most = 0;
        double sum = 0;
        for (int i = 0; i < samples.length; i += 3) {
            double light = light(Math.max(Math.max(samples[i], samples[i + 1]), samples[i + 2]) / 65535.0);
            most = Math.max(most, light);
            sum += light;
        }
        assertEquals(most, said[0], 0.0001);
        assertEquals(3 * sum / samples.length, said[1], 0.0002);
        return said;
    }

    /** SMPTE ST 2084. */
    private static double light(double signal) {
        double power = Math.pow(signal, 1 / 78.84375);
        return 10_000 * Math.pow(Math.max(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power), 1 / 0.1593017578125);
    }

    private static String latin(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** Luma and chroma of 10 bits are what BT.2020 says of the samples of the 16-bit picture. */
    @Test
    void tenBitsForHdrEncoders() throws IOException {
        for (String curve : List.of("pq", "hlg")) {
            Object[] one = {"--curve", curve, "--frames", "3", "--quiet", "--devices", "0.0"};
            run(with(one, "--depth", 16, "--out", curve)).silent();
            run(with(one, "--depth", 10, "--format", "y4m", "--fps", "30", "--out", curve + ".y4m"))
                    .silent();
            byte[] stream = Files.readAllBytes(folder.resolve(curve + ".y4m"));
            String head = "YUV4MPEG2 W97 H54 F30:1 Ip A1:1 C420p10 XYSCSS=420P10 XCOLORRANGE=LIMITED\nFRAME\n";
            assertEquals(head, new String(stream, 0, head.length(), StandardCharsets.ISO_8859_1));
            assertEquals(head.length() + 2 * (WIDTH * HEIGHT + 2 * 49 * 27), stream.length);
            int[] rgb = ImageIO.read(folder.resolve(curve + "/c.png").toFile())
                    .getRaster()
                    .getPixels(0, 0, WIDTH, HEIGHT, (int[]) null);
            for (int i = 0; i < WIDTH * HEIGHT; i++) {
                double luma = (0.2627 * rgb[3 * i] + 0.678 * rgb[3 * i + 1] + 0.0593 * rgb[3 * i + 2]) / 65535;
                assertEquals(64 + 876 * luma, code(stream, head.length(), i), 0.53);
            }
        }
        refused("--depth: png does not have 10 bits", "--depth", 10, "--out", "out");
        refused(
                "--operator: is for plain displays",
                "--depth",
                10,
                "--format",
                "y4m",
                "--operator",
                "aces",
                "--out",
                "o");
        refused("--depth: y4m does not have 16 bits", "--depth", 16, "--format", "y4m", "--out", "o");
    }

    /** A frame that needs no scaling down: every tile is the operator's picture, with something written below. */
    @Test
    void allOperatorsSideBySide() throws IOException {
        evener("tonemap", "in/c.exr", "--compare-operators", "--out", "new/sheet.png", "--quiet")
                .done();
        // Each operator takes what it can.
        Object[] some = {"--white", 4, "--key", 0.2, "--curve-on", "channels", "--film", "gamma=2", "--wrap"};
        evener(with(new Object[] {"tonemap", "in/c.exr", "--compare-operators", "--out", "sheet.jpg", "--quiet"}, some))
                .done();
        assertEquals(
                3 * (WIDTH + 8) + 8,
                ImageIO.read(folder.resolve("sheet.jpg").toFile()).getWidth());
        BufferedImage sheet = ImageIO.read(folder.resolve("new/sheet.png").toFile());
        List<Operator> operators =
                Stream.of(Operator.values()).filter(o -> o.words() == 1).toList();
        assertEquals((operators.size() + 2) / 3 * (HEIGHT + 32) + 8, sheet.getHeight());
        for (int i = 0; i < operators.size(); i++) {
            String name = operators.get(i).commandLineName();
            InProcess.run(
                            "tonemap",
                            folder.resolve("in/c.exr"),
                            "--operator",
                            name,
                            "--out",
                            folder.resolve(name),
                            "--devices",
                            "jvm",
                            "--quiet")
                    .silent();
            BufferedImage one = ImageIO.read(folder.resolve(name + "/c.png").toFile());
            int left = 8 + i % 3 * (WIDTH + 8);
            int top = 8 + i / 3 * (HEIGHT + 32);
            assertArrayEquals(
                    one.getRGB(0, 0, WIDTH, HEIGHT, null, 0, WIDTH),
                    sheet.getRGB(left, top, WIDTH, HEIGHT, null, 0, WIDTH),
                    name);
            assertTrue(
                    Arrays.stream(sheet.getRGB(left, top + HEIGHT, WIDTH, 24, null, 0, WIDTH))
                                    .distinct()
                                    .count()
                            == 2,
                    name);
        }
    }

    @Test
    void aContactSheetIsOfOneFrame() {
        refused("takes one frame, not 6, and --out names a .png or .jpg file", "--compare-operators", "--out", "s.png");
        refused("--out names a .png or .jpg file", "--frames", 1, "--compare-operators", "--out", "sheets");
        Object[] one = {"--frames", 1, "--compare-operators", "--out", "s.png"};
        refused("leave out --operator", with(one, "--operator", "aces"));
        refused("leave out --policy", with(one, "--repeat", 2));
        refused("--record: --compare-operators", with(one, "--record", "r"));
    }

    private static int code(byte[] stream, int from, int number) {
        return (stream[from + 2 * number] & 0xff) | (stream[from + 2 * number + 1] & 0xff) << 8;
    }

    private static Object[] with(Object[] start, Object... more) {
        Object[] all = Arrays.copyOf(start, start.length + more.length);
        System.arraycopy(more, 0, all, start.length, more.length);
        return all;
    }
}
