package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.InTurn;
import dev.evener.LongTests;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import java.awt.image.BufferedImage;
import java.awt.image.Raster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames of other kinds and sizes than the samples. */
@InTurn(3)
class FramesTest {
    @TempDir
    Path folder;

    /** Colours over eleven stops, from the top row down as a PFM file does not have them: bottom up. */
    private static void pfm(Path file, boolean colour, int width, int height, ByteOrder order) throws IOException {
        byte[] head = ((colour ? "PF" : "Pf") + "\n" + width + " " + height + "\n"
                        + (order == ByteOrder.LITTLE_ENDIAN ? "-1.0" : "1.0") + "\n")
                .getBytes(StandardCharsets.US_ASCII);
        int floats = width * height * (colour ? 3 : 1);
        ByteBuffer content =
                ByteBuffer.allocate(head.length + floats * Float.BYTES).order(order);
        content.put(head);
        Random random = new Random(width * 31L + height);
        for (int i = 0; i < floats; i++) {
            content.putFloat((float) Math.pow(2, random.nextDouble() * 11 - 6));
        }
        Files.write(file, content.array());
    }

    private byte[] all(String folderOfFiles) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (String name : Cli.names(folder.resolve(folderOfFiles))) {
            all.write(Files.readAllBytes(folder.resolve(folderOfFiles).resolve(name)));
        }
        return all.toByteArray();
    }

    /** Every format has the pixels of the PNG files, in files and behind each other. */
    @Test
    void everyFormat() throws Exception {
        Path in = Files.createDirectories(folder.resolve("in"));
        for (String name : List.of("a", "b", "c", "d")) {
            pfm(in.resolve(name + ".pfm"), true, name.equals("c") ? 20 : 333, 77, ByteOrder.LITTLE_ENDIAN);
        }
        InProcess.run("tonemap", in, "--out", folder.resolve("png"), "--devices", "jvm", "--quiet")
                .silent();
        ByteArrayOutputStream ppm = new ByteArrayOutputStream();
        ByteArrayOutputStream raw = new ByteArrayOutputStream();
        for (String name : Cli.names(folder.resolve("png"))) {
            BufferedImage image = ImageIO.read(folder.resolve("png/" + name).toFile());
            ppm.write(("P6\n" + image.getWidth() + " 77\n255\n").getBytes(StandardCharsets.US_ASCII));
            for (int i = 0; i < image.getWidth() * 77; i++) {
                int rgb = image.getRGB(i % image.getWidth(), i / image.getWidth());
                byte[] bytes = {(byte) (rgb >> 16), (byte) (rgb >> 8), (byte) rgb, (byte) 255};
                ppm.write(bytes, 0, 3);
                raw.write(bytes);
            }
        }
        Cli cli = Cli.in(folder);
        InProcess.in(
                        folder,
                        "tonemap",
                        "in",
                        "--format",
                        "ppm",
                        "--out",
                        "ppm",
                        "--devices",
                        "0.0,0.1",
                        "--verify",
                        "--quiet")
                .silent();
        assertEquals(List.of("a.ppm", "b.ppm", "c.ppm", "d.ppm"), Cli.names(folder.resolve("ppm")));
        assertArrayEquals(ppm.toByteArray(), all("ppm"));
        Path stream = folder.resolve("stream");
        cli.into(stream, "tonemap", "in", "--out", "-", "--quiet").silent();
        assertArrayEquals(all("png"), Files.readAllBytes(stream));
        Cli.Result twice = cli.into(
                        stream, "tonemap", "in", "--format", "raw", "--out", "-", "--repeat", 2, "--devices", "0.0")
                .done();
        assertTrue(twice.err().contains("8 frames in "), twice::err);
        assertArrayEquals(raw.toByteArray(), Files.readAllBytes(stream));
        Cli.Result cut =
                cli.cut(10, "tonemap", "in", "--format", "ppm", "--out", "-", "--devices", "0.0", "--repeat", 2);
        assertEquals("P6\n333 77\n", cut.out());
        assertEquals("", cut.err());
        assertEquals(141, cut.code());
    }

    @Test
    void aStreamForVideoEncoders() throws IOException {
        Path in = Files.createDirectories(folder.resolve("in"));
        for (String name : List.of("a", "b", "c", "d")) {
            pfm(in.resolve(name + ".pfm"), true, name.equals("c") ? 20 : 33, 17, ByteOrder.LITTLE_ENDIAN);
        }
        Cli.Result run = InProcess.in(
                folder,
                "tonemap",
                "in",
                "--format",
                "y4m",
                "--fps",
                "24",
                "--out",
                "film/all.y4m",
                "--json",
                "r.json",
                "--devices",
                "0.0");
        assertEquals(1, run.code());
        assertEquals(
                "evener: " + in.resolve("c.pfm") + ": has 20 x 17 pixels, but the stream began with 33 x 17 pixels of "
                        + in.resolve("a.pfm") + "; a y4m stream has"
                        + " one size: map frames of different sizes in runs of their own, or as png or ppm\n",
                run.err());
        Path kept = folder.resolve("film/all.y4m");
        assertTrue(run.out().endsWith("\n" + kept + "\n"), run::out);
        assertEquals(
                List.of(kept.toString()), Cli.json(folder.resolve("r.json")).get("written"));
        String head = "YUV4MPEG2 W33 H17 F24:1 Ip A1:1 C420jpeg XYSCSS=420JPEG XCOLORRANGE=FULL\n";
        String stream = Files.readString(kept, StandardCharsets.ISO_8859_1);
        assertTrue(stream.startsWith(head + "FRAME\n"), stream::toString);
        int frame = "FRAME\n".length() + 33 * 17 + 2 * 17 * 9;
        assertEquals(head.length() + 3 * frame, stream.length());
        assertEquals("FRAME\n", stream.substring(head.length() + 2 * frame, head.length() + 2 * frame + 6));

        InProcess.run(
                "tonemap", folder.resolve("r.json"), "--format", "y4m", "--out", kept, "--devices", "jvm", "--quiet");
        assertEquals(stream.length(), Files.size(kept), "nothing replaces nothing");
        Object[] start = {"tonemap", in, "--out", "-"};
        InProcess.run(with(start, "--json", "-")).refused(2, "--out and --json: both name standard output");
        InProcess.run(with(start, "--format", "gif"))
                .refused(2, "--format: there is no format 'gif'", "png, ppm, raw, y4m");
        InProcess.run(with(start, "--fps", "24")).refused(2, "--fps: only y4m");
        InProcess.run(with(start, "--fps", "0/1", "--format", "y4m")).refused(2, "--fps: '0/1' is no rate");
        InProcess.run("tonemap", in, "--format", "y4m", "--out", in)
                .refused(1, "the stream could not be written", "is a folder");
    }

    /** To close that standard output once closed a file of the JVM's, which then crashed. */
    @ParameterizedTest
    @ValueSource(strings = {"ppm", "y4m"})
    void aStreamWithoutAStandardOutputIsOneLine(String format) throws Exception {
        pfm(folder.resolve("a.pfm"), true, 33, 17, ByteOrder.LITTLE_ENDIAN);
        Cli.in(folder)
                .shell(
                        "exec \"$@\" >&-",
                        "tonemap",
                        "a.pfm",
                        "--format",
                        format,
                        "--out",
                        "-",
                        "--devices",
                        "jvm",
                        "--cold")
                .refused(1, "standard output could not be written: Bad file descriptor");
    }

    /** 16-bit files of both curves as another program sees them, those of the JVM the same; and the pixels in other formats. */
    @Test
    void picturesForHdrDisplays() throws Exception {
        Path in = Files.createDirectories(folder.resolve("in"));
        pfm(in.resolve("a.pfm"), true, 133, 77, ByteOrder.LITTLE_ENDIAN);
        pfm(in.resolve("b.pfm"), true, 20, 5, ByteOrder.LITTLE_ENDIAN);
        List<Object> hdr = List.of("tonemap", in, "--depth", 16, "--quiet");
        for (ToneMapSettings settings : List.of(
                ToneMapSettings.of(Operator.PQ),
                ToneMapSettings.of(Operator.HLG).withExposure(1).withPeak(400))) {
            String curve = settings.operator().commandLineName();
            List<Object> mapped = new ArrayList<>(hdr);
            mapped.addAll(
                    settings.peak() == null ? List.of() : List.of("--curve", curve, "--peak", 400, "--exposure", 1));
            List<Object> onJvm = new ArrayList<>(mapped);
            onJvm.addAll(List.of("--devices", "jvm", "--out", folder.resolve(curve + "-jvm")));
            InProcess.run(onJvm.toArray()).silent();
            mapped.addAll(List.of("--devices", "0.0,0.1", "--policy", "static", "--verify"));
            InProcess.in(folder, with(mapped.toArray(), "--out", curve)).silent();
            Pictures.assertSame(folder.resolve(curve + "-jvm"), folder.resolve(curve), 2);
            Path ppm = folder.resolve("all");
            Cli.in(folder)
                    .into(ppm, with(mapped.toArray(), "--format", "ppm", "--out", "-"))
                    .silent();
            ByteArrayOutputStream expected = new ByteArrayOutputStream();
            for (String name : List.of("a", "b")) {
                Pictures.assertMapped(in.resolve(name + ".pfm"), folder.resolve(curve + "/" + name + ".png"), settings);
                Raster pixels = ImageIO.read(
                                folder.resolve(curve + "/" + name + ".png").toFile())
                        .getRaster();
                expected.write(("P6\n" + pixels.getWidth() + " " + pixels.getHeight() + "\n65535\n")
                        .getBytes(StandardCharsets.US_ASCII));
                for (int sample : pixels.getPixels(0, 0, pixels.getWidth(), pixels.getHeight(), (int[]) null)) {
                    expected.write(sample >> 8);
                    expected.write(sample);
                }
            }
            assertArrayEquals(expected.toByteArray(), Files.readAllBytes(ppm));
        }
        Object[] start = with(hdr.toArray(), "--out", "-");
        InProcess.run(with(start, "--format", "y4m"))
                .refused(2, "--depth: y4m does not have 16 bits; all have 8, png, ppm and raw 16, y4m 10");
        InProcess.run(with(start, "--operator", "aces", "--curve", "hlg"))
                .refused(2, "--operator: is for plain displays");
        InProcess.run(with(start, "--curve", "gamma"))
                .refused(2, "--curve: 'gamma' is none of pq, hlg and, without 10 bits, srgb");
        InProcess.run(with(start, "--peak", 50)).refused(2, "--peak: peak must be between 100 and 10000, not 50");
        Object[] plain = {"tonemap", in, "--out", "-"};
        InProcess.run(with(plain, "--peak", 500)).refused(2, "--peak: is for HDR displays, with --depth 16 or 10");
        InProcess.run(with(plain, "--operator", "hlg")).refused(2, "--depth 16 --curve hlg");
        InProcess.run(with(plain, "--format", "png16")).refused(2, "for more than 8 bits, give --depth");
        InProcess.run(with(plain, "--depth", 10)).refused(2, "--depth: png does not have 10 bits");
    }

    private static Object[] with(Object[] start, Object... more) {
        return Stream.of(start, more).flatMap(Stream::of).toArray();
    }

    @Test
    void framesOfAllSizesInOneRun() throws IOException {
        Path in = Files.createDirectories(folder.resolve("in"));
        Files.copy(Cli.sample("forest"), in.resolve("b-sample.hdr"));
        pfm(in.resolve("a-wide.pfm"), true, 1333, 7, ByteOrder.LITTLE_ENDIAN);
        pfm(in.resolve("c-tall.PFM"), true, 3, 801, ByteOrder.BIG_ENDIAN);
        pfm(in.resolve("d-grey.pfm"), false, 65, 64, ByteOrder.LITTLE_ENDIAN);
        pfm(in.resolve("e-pixel.pfm"), true, 1, 1, ByteOrder.LITTLE_ENDIAN);
        pfm(in.resolve("f-large.hdr"), true, 1700, 600, ByteOrder.LITTLE_ENDIAN); // the contents count
        Files.writeString(in.resolve("notes.txt"), "no frame");
        Files.createDirectories(in.resolve("folder.hdr"));
        pfm(folder.resolve("single.pfm"), true, 100, 100, ByteOrder.LITTLE_ENDIAN);

        Map<String, Object> json = InProcess.in(
                        folder,
                        "tonemap",
                        "in",
                        "single.pfm",
                        "--out",
                        "out",
                        "--devices",
                        "0.0,0.1,jvm",
                        "--policy",
                        "static",
                        "--operator",
                        "hable",
                        "--repeat",
                        2,
                        "--verify",
                        "--json",
                        "-")
                .silent()
                .json();

        assertEquals(true, json.get("verified"));
        assertEquals("static", json.get("policy"));
        assertEquals(14, json.get("frames"));
        assertEquals(2 * (7 + 512 + 801 + 64 + 1 + 600 + 100), json.get("units"));
        List<String> expected = List.of(
                "a-wide.png", "b-sample.png", "c-tall.png", "d-grey.png", "e-pixel.png", "f-large.png", "single.png");
        assertEquals(expected, Cli.names(folder.resolve("out")));
        assertEquals(
                expected.stream()
                        .map(n -> folder.resolve("out/" + n).toString())
                        .toList(),
                json.get("written"));
        ToneMapSettings settings = ToneMapSettings.of(Operator.HABLE);
        for (String name : List.of("a-wide.pfm", "c-tall.PFM", "d-grey.pfm", "e-pixel.pfm", "f-large.hdr")) {
            Path picture = folder.resolve("out").resolve(name.substring(0, name.lastIndexOf('.')) + ".png");
            Pictures.assertMapped(in.resolve(name), picture, settings);
        }
        InProcess.in(folder, "tonemap", "in", "single.pfm", "--out", "alone", "--devices", "0.0", "--operator", "hable")
                .silent();
        Pictures.assertSame(folder.resolve("alone"), folder.resolve("out"), 7);
    }

    /** Uncompressed floats: a layer of 0.25 whose channels begin so, and one named left of 8. */
    private static byte[] twoLayers(String first) {
        List<String> channels = Stream.of(first, "left.")
                .flatMap(layer -> Stream.of("B", "G", "R").map(layer::concat))
                .toList();
        ByteBuffer file = ByteBuffer.allocate(4000).order(ByteOrder.LITTLE_ENDIAN);
        file.putInt(20000630).putInt(2).put("channels\0chlist\0".getBytes(StandardCharsets.ISO_8859_1));
        file.putInt(channels.stream().mapToInt(c -> c.length() + 17).sum() + 1);
        channels.forEach(c -> file.put((c + "\0").getBytes(StandardCharsets.ISO_8859_1))
                .putInt(2)
                .putInt(0)
                .putInt(1)
                .putInt(1));
        file.put("\0compression\0compression\0\1\0\0\0\0".getBytes(StandardCharsets.ISO_8859_1));
        for (String window : List.of("dataWindow", "displayWindow")) {
            file.put((window + "\0box2i\0").getBytes(StandardCharsets.ISO_8859_1))
                    .putInt(16)
                    .putInt(0)
                    .putInt(0)
                    .putInt(7)
                    .putInt(3);
        }
        file.put((byte) 0).position(file.position() + 4 * 8);
        for (int row = 0; row < 4; row++) {
            file.putInt(row).putInt(4 * 8 * channels.size());
            channels.forEach(c -> IntStream.range(0, 8).forEach(x -> file.putFloat(c.startsWith("left") ? 8 : 0.25f)));
        }
        return Arrays.copyOf(file.array(), file.position());
    }

    @Test
    void aLayerIsMappedAndNamed() throws IOException {
        Files.write(folder.resolve("two.exr"), twoLayers(""));
        for (String layer : List.of("", "left", "left.G")) {
            Object[] command = {
                "tonemap",
                folder.resolve("two.exr"),
                "--out",
                folder.resolve("out" + layer),
                "--devices",
                "jvm",
                "--exposure",
                "0",
                "--operator",
                "reinhard",
                "--verify",
                "--layer",
                layer
            };
            Cli.Result run = InProcess.run(layer.isEmpty() ? Arrays.copyOf(command, command.length - 2) : command);
            assertEquals(0, run.code(), run.err());
            assertEquals(!layer.isEmpty(), run.out().contains("layer " + layer + ": 1 frame\n"), run.out());
            int grey = ImageIO.read(
                            folder.resolve("out" + layer).resolve("two.png").toFile())
                    .getRGB(3, 2);
            assertEquals(layer.isEmpty() ? 0xff7c7c7c : 0xfff2f2f2, grey, Integer.toHexString(grey));
        }
        Cli.Result none = InProcess.run(
                "tonemap",
                folder.resolve("two.exr"),
                "--out",
                folder.resolve("no"),
                "--devices",
                "jvm",
                "--layer",
                "right");
        assertEquals(1, none.code());
        assertTrue(
                none.err().contains("two.exr: has no layer 'right'; there are one without a name, 'left'"), none.err());
    }

    /** With --quiet too, once for all frames that it is about. */
    @Test
    void aGuessedLayerIsAWarning() throws IOException {
        Path in = Files.createDirectories(folder.resolve("in"));
        for (int i = 0; i < 3; i++) {
            Files.write(in.resolve(i + ".exr"), twoLayers("aov."));
        }
        Cli.Result run = InProcess.run(
                "tonemap", in, "--out", folder.resolve("out"), "--devices", "jvm", "--quiet", "--json", "-");
        assertEquals(0, run.code());
        String line = in.resolve("0.exr")
                + ": shows layer 'aov' by a guess; there are 'aov', 'left': --layer names one;" + " so of 3 frames";
        assertEquals("evener: " + line + "\n", run.err());
        assertEquals(List.of(line), run.json().get("warnings"));
    }

    /** The lightness of each picture of a stream of raw frames of one grey, 8 x 1. */
    private static List<Integer> greys(Path raw) throws IOException {
        byte[] all = Files.readAllBytes(raw);
        return IntStream.range(0, all.length / 32)
                .mapToObj(i -> all[32 * i] & 0xff)
                .toList();
    }

    /** Of f1 to f12 the fifth is a dead link and two are not there: it is said, and --missing says what is shown. */
    @Test
    void aFilmHasItsFramesInOrderAndSaysWhichAreMissing() throws Exception {
        Path in = Files.createDirectories(folder.resolve("in"));
        for (int i = 1; i <= 12; i++) {
            ByteBuffer frame = ByteBuffer.allocate(11 + 32).put("Pf 8 1 1.0\n".getBytes(StandardCharsets.US_ASCII));
            while (frame.hasRemaining()) {
                frame.putFloat((float) Math.pow(2, i - 8));
            }
            if (i != 5 && i != 8 && i != 9) {
                Files.write(in.resolve("f" + i + ".pfm"), frame.array());
            }
        }
        Files.createSymbolicLink(in.resolve("f5.pfm"), Path.of("gone.pfm"));
        Files.writeString(in.resolve("._f6.pfm"), "what another system knows of it");
        Object[] film = {"tonemap", in, "--devices", "jvm", "--exposure", "0", "--format", "raw", "--quiet", "--out"};
        Path raw = folder.resolve("raw");
        Cli cli = Cli.in(folder);
        Cli.Result plain = cli.into(raw, with(film, "-"));
        assertEquals(1, plain.code());
        List<String> lines = plain.err().lines().toList();
        assertEquals(2, lines.size(), plain.err());
        assertTrue(
                lines.get(0)
                        .startsWith("evener: " + in.resolve("f10.pfm") + ": comes after " + in.resolve("f7.pfm")
                                + ", and 2 frames between them are not there"),
                plain.err());
        assertTrue(lines.get(1).startsWith("evener: " + in.resolve("f5.pfm") + ": "), plain.err());
        List<Integer> nine = greys(raw);
        assertEquals(nine.stream().sorted().distinct().toList(), nine, "in the order of their numbers");
        assertEquals(9, nine.size());

        Cli.Result held = cli.into(raw, with(film, "-", "--missing", "hold"));
        assertEquals(0, held.code(), held.err());
        assertEquals(3, held.err().lines().count(), held.err());
        assertTrue(
                held.err()
                        .contains(in.resolve("f9.pfm") + ": cannot be read: there is no such file or folder; "
                                + in.resolve("f7.pfm") + " is shown in its place"),
                held.err());
        List<Integer> twelve = greys(raw);
        assertEquals(12, twelve.size());
        assertEquals(List.of(nine.get(3), nine.get(3)), twelve.subList(3, 5));
        assertEquals(List.of(nine.get(5), nine.get(5), nine.get(5), nine.get(6)), twelve.subList(6, 10));

        Cli.Result error = InProcess.run(with(film, folder.resolve("out"), "--missing", "error"));
        assertEquals(1, error.code());
        assertEquals(3, error.err().lines().count(), error.err());
        InProcess.run(with(film, folder.resolve("out"), "--missing", "green"))
                .refused(2, "--missing: 'green' is none of error, black, hold");
        Files.copy(in.resolve("f12.pfm"), in.resolve("f20261128.pfm"));
        InProcess.run(with(film, folder.resolve("out"), "--missing", "hold"))
                .refused(2, "so that 20261115 frames would be missing");
    }

    /** Of each frame one picture for each number of stops, which is what those stops on their own make. */
    @Test
    void bracketsAreExposures() throws IOException {
        Path in = Files.createDirectories(folder.resolve("in"));
        pfm(in.resolve("a.pfm"), true, 20, 9, ByteOrder.LITTLE_ENDIAN);
        pfm(in.resolve("b.pfm"), true, 33, 7, ByteOrder.LITTLE_ENDIAN);
        Object[] jvm = {"tonemap", in, "--devices", "jvm", "--quiet"};
        for (String exposure : List.of("auto", "1")) {
            Path out = folder.resolve(exposure);
            Object[] bracket = with(jvm, "--exposure", exposure, "--bracket", "-2,0,0.5", "--verify", "--out", out);
            InProcess.run(bracket).silent();
            assertEquals(
                    List.of("a_+0.5ev.png", "a_-2ev.png", "a_0ev.png", "b_+0.5ev.png", "b_-2ev.png", "b_0ev.png"),
                    Cli.names(out));
            String[][] each = exposure.equals("auto")
                    ? new String[][] {{"+0.5", "auto+0.5"}, {"-2", "auto-2"}, {"0", "auto"}}
                    : new String[][] {{"+0.5", "1.5"}, {"-2", "-1"}, {"0", "1"}};
            for (String[] one : each) {
                Path alone = folder.resolve(exposure + one[0]);
                InProcess.run(with(jvm, "--exposure", one[1], "--out", alone)).silent();
                for (String name : List.of("a", "b")) {
                    assertArrayEquals(
                            Files.readAllBytes(alone.resolve(name + ".png")),
                            Files.readAllBytes(out.resolve(name + "_" + one[0] + "ev.png")),
                            one[1]);
                }
            }
            byte[] one = Files.readAllBytes(out.resolve("a_-2ev.png"));
            Files.delete(out.resolve("a_-2ev.png"));
            InProcess.run(with(bracket, "--skip-existing")).silent();
            assertArrayEquals(one, Files.readAllBytes(out.resolve("a_-2ev.png")));
        }
        Object[] out = with(jvm, "--out", folder.resolve("out"));
        InProcess.run(with(out, "--bracket", "1,1")).refused(2, "--bracket: '1,1' are not different stops");
        InProcess.run(with(out, "--bracket", "1,,2")).refused(2, "--bracket: '1,,2' are not different stops");
        InProcess.run(with(out, "--bracket", "1,21")).refused(2, "--bracket: '1,21' are not different stops");
        InProcess.run(with(out, "--bracket", "15", "--exposure", "auto+6"))
                .refused(2, "--bracket: exposure must be between -20 and 20");
        InProcess.run(with(out, "--bracket", "1", "--exposure", "smooth")).refused(2, "--bracket: is for files");
        InProcess.run(with(out, "--bracket", "1", "--record", folder.resolve("r")))
                .refused(2, "--record");
        InProcess.run(with(jvm, "--bracket", "1,2", "--out", folder.resolve("one.png"), "--frames", 1))
                .refused(2, "there are 2 pictures");
    }

    /**
     * Each form of a size, of what is read and of what is expanded, for files, films and smooth exposure; as the
     * reference has it.
     */
    @Test
    void picturesOfAnotherSize() throws IOException {
        Path in = Files.createDirectories(folder.resolve("in"));
        pfm(in.resolve("a.pfm"), true, 40, 30, ByteOrder.LITTLE_ENDIAN);
        pfm(in.resolve("b.pfm"), false, 33, 7, ByteOrder.LITTLE_ENDIAN);
        Object[] command = {"tonemap", in, "--devices", "jvm", "--verify", "--quiet"};
        String[][] sizes = {
            {"20x10", "20 x 10", "20 x 10"},
            {"16x", "16 x 12", "16 x 3"},
            {"×60", "80 x 60", "283 x 60"},
            {"50%", "20 x 15", "16 x 4"}
        };
        for (String[] size : sizes) {
            Path out = folder.resolve("out" + size[0].replace('×', 'x'));
            InProcess.run(with(command, "--resize", size[0], "--out", out)).silent();
            for (int i = 0; i < 2; i++) {
                BufferedImage picture =
                        ImageIO.read(out.resolve(i == 0 ? "a.png" : "b.png").toFile());
                assertEquals(size[1 + i], picture.getWidth() + " x " + picture.getHeight(), size[0]);
            }
        }
        Path film = folder.resolve("film.y4m");
        Files.delete(in.resolve("b.pfm"));
        pfm(in.resolve("b.pfm"), false, 80, 60, ByteOrder.LITTLE_ENDIAN);
        InProcess.run(with(command, "--resize", "8x6", "--format", "y4m", "--exposure", "smooth", "--out", film))
                .silent();
        int header = Files.readString(film, StandardCharsets.ISO_8859_1).indexOf('\n') + 1;
        assertEquals(2L * ("FRAME\n".length() + 8 * 6 * 3 / 2), Files.size(film) - header);
        for (String none : List.of("", "x", "0x5", "-3x5", "1e3x5", "x5x", "0%", "10", "12345678x1")) {
            InProcess.run(with(command, "--resize", none, "--out", folder)).refused(2, "--resize: '" + none + "'");
        }
        InProcess.run(with(command, "--resize", "30000x20000", "--out", folder, "--frames", 1))
                .refused(1, "a.pfm: cannot be resized: a size of 30000 x 20000");
        InProcess.run(with(command, "--resize", "5x", "--out", folder, "--record", folder.resolve("r")))
                .refused(2, "--record");
        InProcess.run(with(command, "--alpha", "--depth", "16", "--out", folder.resolve("alpha")))
                .silent();
        InProcess.run(with(command, "--alpha", "--out", folder, "--record", folder.resolve("r")))
                .refused(2, "--record");
        for (String format : List.of("jpeg", "y4m", "ppm", "raw")) {
            InProcess.run(with(command, "--alpha", "--out", folder, "--format", format))
                    .refused(2, "--alpha: " + format + " has no alpha; png has");
        }
    }

    /** Frames of a range have the settings of its line, the others those of the command line. */
    @Test
    void shotsHaveSettings() throws IOException {
        Path in = Files.createDirectories(folder.resolve("in"));
        for (int i = 1; i <= 6; i++) {
            pfm(in.resolve(i + ".pfm"), true, 20 + i, 9, ByteOrder.LITTLE_ENDIAN);
        }
        Path shots = folder.resolve("shots");
        Object[] jvm = {"tonemap", in, "--devices", "jvm", "--quiet"};
        Files.writeString(shots, "# day\n\n2-3 operator=hable\texposure=auto-1 # dusk\r\n5- key=auto\n");
        Path out = folder.resolve("out");
        InProcess.run(with(jvm, "--shots", shots, "--exposure", "auto+1", "--verify", "--out", out))
                .silent();
        Object[][] alone = {
            {"1", "--exposure", "auto+1"},
            {"3", "--exposure", "auto-1", "--operator", "hable"},
            {"4", "--exposure", "auto+1"},
            {"6", "--exposure", "auto+1", "--key", "auto"}
        };
        for (Object[] each : alone) {
            Path one = folder.resolve("one" + each[0] + ".png");
            InProcess.run(with(with(jvm, "--frames", each[0], "--out", one), Arrays.copyOfRange(each, 1, each.length)))
                    .silent();
            assertArrayEquals(Files.readAllBytes(one), Files.readAllBytes(out.resolve(each[0] + ".png")), "" + each[0]);
        }
        Path some = folder.resolve("some"); // counted among all inputs
        InProcess.run(with(
                        jvm, "--shots", shots, "--exposure", "auto+1", "--frames", "3-5", "--every", 2, "--out", some))
                .silent();
        assertEquals(List.of("3.png", "5.png"), Cli.names(some));
        assertArrayEquals(Files.readAllBytes(out.resolve("5.png")), Files.readAllBytes(some.resolve("5.png")));
        Map<String, String> wrong = Map.of(
                "1-3 exposure=1\n3 key=0.2", "line 2: frame 3 is in a line before",
                "\n9 key=0.2", "line 2: 9 has none of the 6 frames",
                "all key=0.2", "line 1: 'all' is no range",
                "1 gamma=2", "line 1: 'gamma=2' is none of operator=",
                "1 exposure=bright", "line 1: --exposure: 'bright' is neither",
                "1 exposure=smooth", "line 1: smooth is for all frames",
                "1 operator=pq", "line 1: --operator: pq is for HDR displays");
        for (Map.Entry<String, String> each : wrong.entrySet()) {
            Files.writeString(shots, each.getKey());
            InProcess.run(with(jvm, "--shots", shots, "--out", out)).refused(2, each.getValue());
        }
        Files.write(shots, new byte[] {(byte) 0xff});
        InProcess.run(with(jvm, "--shots", shots, "--out", out)).refused(2, "is not UTF-8 text");
        InProcess.run(with(jvm, "--shots", folder.resolve("none"), "--out", out))
                .refused(1, "none: there is no such file");
    }

    /** What comes into a folder is mapped once it is whole, what fails when it has changed, until the end is there. */
    @Test
    void aWatchedFolderIsMappedToItsEnd() throws Exception {
        Path in = Files.createDirectories(folder.resolve("in"));
        Path whole = Files.createDirectories(folder.resolve("whole"));
        for (String name : List.of("a", "b", "c")) {
            pfm(whole.resolve(name + ".pfm"), true, 40, 19, ByteOrder.LITTLE_ENDIAN);
        }
        Object[] jvm = {"tonemap", "--devices", "jvm", "--out"};
        InProcess.run(with(jvm, folder.resolve("right"), whole, "--quiet")).silent();
        Path out = folder.resolve("out");
        Files.copy(whole.resolve("a.pfm"), in.resolve("a.pfm"));
        CompletableFuture<Cli.Result> run =
                CompletableFuture.supplyAsync(() -> InProcess.run(with(jvm, out, in, "--watch")));
        while (!Files.exists(out.resolve("a.png")) && !run.isDone()) {
            Thread.sleep(5);
        }
        byte[] b = Files.readAllBytes(whole.resolve("b.pfm"));
        try (OutputStream slow = Files.newOutputStream(in.resolve("b.pfm"))) {
            slow.write(b, 0, 1000);
            slow.flush();
            Thread.sleep(20);
            slow.write(b, 1000, b.length - 1000);
        }
        Files.writeString(in.resolve("c.pfm"), "PF\n40 19\n-1\n");
        Files.createFile(in.resolve(".end"));
        Cli.Result first = run.get();
        assertEquals(1, first.code(), first::toString);
        assertTrue(first.err().startsWith("evener: " + in.resolve("c.pfm") + ": "), first.err());
        assertEquals(out.resolve("a.png") + "\n" + out.resolve("b.png") + "\n", first.out());
        Files.copy(whole.resolve("c.pfm"), in.resolve("c.pfm"), StandardCopyOption.REPLACE_EXISTING);
        Cli.Result second = InProcess.run(with(jvm, out, in, "--watch")).silent();
        assertEquals(out.resolve("c.png") + "\n", second.out());
        assertArrayEquals(all("right"), all("out"));
        InProcess.run(with(jvm, out, in, in, "--watch")).refused(2, "--watch: takes one INPUT, a folder");
        InProcess.run(with(jvm, out, in.resolve("a.pfm"), "--watch")).refused(2, "--watch: takes one INPUT");
        for (String other : List.of("--exposure=smooth", "--frames=1", "--repeat=2", "--missing=black", "--force")) {
            InProcess.run(with(jvm, out, in, "--watch", other)).refused(2, "--watch: maps each frame by itself");
        }
    }

    /** A batch that is killed at any moment and goes on makes the files of one run; so does one that is killed again. */
    @Test
    void aKilledBatchGoesOn() throws Exception {
        Path in = Files.createDirectories(folder.resolve("in"));
        int frames = 24;
        for (int i = 0; i < frames; i++) {
            pfm(in.resolve("f" + i + ".pfm"), true, 300 + i, 100, ByteOrder.LITTLE_ENDIAN);
        }
        InProcess.run("tonemap", in, "--out", folder.resolve("right"), "--devices", "jvm", "--quiet")
                .silent();
        Random random = new Random(LongTests.TURN);
        for (int batch = 0; batch < LongTests.orAll(1, 25); batch++) {
            Path out = Files.createDirectories(folder.resolve("out" + batch));
            Object[] command = {"tonemap", in, "--out", out, "--devices", "jvm", "--quiet", "--skip-existing"};
            for (int kill = 0; kill < 2; kill++) {
                int there = pictures(out).size();
                int more = there + random.nextInt(frames - there);
                long pause = random.nextInt(20);
                Cli.in(folder).killed(() -> pictures(out).size() >= more && paused(pause), command);
            }
            InProcess.run(command).silent();
            assertEquals(Cli.names(folder.resolve("right")), pictures(out), "batch " + batch);
            for (String name : pictures(out)) {
                assertArrayEquals(
                        Files.readAllBytes(folder.resolve("right").resolve(name)),
                        Files.readAllBytes(out.resolve(name)),
                        "batch " + batch + ", " + name);
            }
        }
    }

    private static boolean paused(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return true;
    }

    /** All but what is being written. */
    private static List<String> pictures(Path out) {
        try {
            return Cli.names(out).stream().filter(name -> name.endsWith(".png")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * A file's name is a file; what is there and is no picture of ours is not replaced without --force; a batch goes
     * on where it ended.
     */
    @Test
    void whatIsThereIsNotLost() throws IOException {
        Path in = Files.createDirectories(folder.resolve("in"));
        for (String name : List.of("a", "b", "c")) {
            pfm(in.resolve(name + ".pfm"), true, 20, 9, ByteOrder.LITTLE_ENDIAN);
        }
        Object[] jvm = {"tonemap", "--devices", "jvm", "--quiet"};
        Object[] all = with(jvm, in, "--out", folder.resolve("out"));
        InProcess.run(all).silent();
        for (String format : List.of("png", "jpeg", "ppm", "raw")) {
            Path file = folder.resolve("deep/er/one." + format);
            Object[] one = with(jvm, in.resolve("b.pfm"), "--format", format, "--out", file);
            InProcess.run(one).silent();
            assertTrue(Files.isRegularFile(file));
            InProcess.run(one).silent(); // a picture of ours is replaced
            if (format.equals("raw")) {
                continue; // which has nothing to be known by
            }
            Files.writeString(file, "notes of somebody");
            InProcess.run(one)
                    .refused(1, file + ": is there already, and is no " + format + " of this program; --force");
            assertEquals("notes of somebody", Files.readString(file));
            InProcess.run(with(one, "--skip-existing")).silent();
            assertEquals("notes of somebody", Files.readString(file));
            InProcess.run(with(one, "--force")).silent();
            assertTrue(Files.size(file) > 100);
        }
        assertArrayEquals(
                Files.readAllBytes(folder.resolve("out/b.png")), Files.readAllBytes(folder.resolve("deep/er/one.png")));
        InProcess.run(with(jvm, in, "--out", folder.resolve("some.png")))
                .refused(2, "names a file, and there are 3 frames");
        String[][] others = {
            {"one.jpg", "png"},
            {"one.JPEG", "y4m"},
            {"one.png", "jpeg"},
            {"a.y4m", "png"},
            {"b.exr", "png"},
            {"c.HDR", "ppm"}
        };
        for (String[] other : others) {
            Path named = folder.resolve("other").resolve(other[0]);
            InProcess.run(with(jvm, in, "--frames", 1, "--format", other[1], "--out", named))
                    .refused(2, "--out: " + named + " is named as ");
            assertTrue(Files.notExists(named));
        }
        Path folderSo = Files.createDirectories(folder.resolve("named.jpg"));
        InProcess.run(with(jvm, in, "--frames", 1, "--out", folderSo)).silent();

        BufferedImage foreign = new BufferedImage(20, 9, BufferedImage.TYPE_INT_RGB);
        ImageIO.write(foreign, "png", folder.resolve("out/b.png").toFile());
        byte[] before = Files.readAllBytes(folder.resolve("out/b.png"));
        Files.delete(folder.resolve("out/c.png"));
        Cli.Result two = InProcess.run(all);
        assertEquals(1, two.code());
        assertTrue(two.err().startsWith("evener: " + folder.resolve("out/b.png") + ": is there already"), two.err());
        assertEquals(List.of("a.png", "b.png", "c.png"), Cli.names(folder.resolve("out")));
        Files.delete(folder.resolve("out/a.png"));
        InProcess.run(with(all, "--skip-existing")).silent();
        assertArrayEquals(before, Files.readAllBytes(folder.resolve("out/b.png")));
        assertEquals(List.of("a.png", "b.png", "c.png"), Cli.names(folder.resolve("out")));
        InProcess.run(with(all, "--skip-existing", "--exposure", "smooth")).refused(2, "--skip-existing");
        Path film = Files.writeString(folder.resolve("film.y4m"), "notes");
        InProcess.run(with(jvm, in, "--format", "y4m", "--out", film)).refused(1, "is no y4m of this program");
    }
}
