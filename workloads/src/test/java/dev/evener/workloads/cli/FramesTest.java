package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Frames of other kinds and sizes than the samples. */
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

        Map<String, Object> json = Cli.in(folder)
                .run(
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
        assertEquals(expected.stream().map(n -> Path.of("out", n).toString()).toList(), json.get("written"));
        ToneMapSettings settings = ToneMapSettings.of(Operator.HABLE);
        for (String name : List.of("a-wide.pfm", "c-tall.PFM", "d-grey.pfm", "e-pixel.pfm", "f-large.hdr")) {
            Path picture = folder.resolve("out").resolve(name.substring(0, name.lastIndexOf('.')) + ".png");
            Pictures.assertMapped(in.resolve(name), picture, settings);
        }
        Cli.in(folder)
                .run("tonemap", "in", "single.pfm", "--out", "alone", "--devices", "0.0", "--operator", "hable")
                .silent();
        Pictures.assertSame(folder.resolve("alone"), folder.resolve("out"), 7);
    }
}
