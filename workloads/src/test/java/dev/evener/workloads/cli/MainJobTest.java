package dev.evener.workloads.cli;

import static dev.evener.workloads.cli.ReportSchema.number;
import static dev.evener.workloads.cli.ReportSchema.numbers;
import static dev.evener.workloads.cli.ReportSchema.objects;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The samples through two devices: files, table and report. */
class MainJobTest {
    private static final List<String> SAMPLES = List.of("city", "courtyard", "forest", "studio");

    /** Samples are 1024 x 512. */
    private static final int WIDTH = 1024;

    private static final int HEIGHT = 512;

    @TempDir
    Path folder;

    @Test
    void theSamplesBecomePicturesAndAReport() throws IOException {
        // No input, so the samples; the folder for the pictures is made.
        Cli.Result run = Cli.in(folder)
                .run(
                        "tonemap",
                        "--devices",
                        "0.0,0.1",
                        "--repeat",
                        3,
                        "--policy",
                        "static",
                        "--out",
                        "a/b",
                        "--json",
                        "r.json")
                .silent();

        assertEquals(
                List.of("city.png", "courtyard.png", "forest.png", "studio.png"), Cli.names(folder.resolve("a/b")));
        ToneMapSettings settings = ToneMapSettings.of(Operator.REINHARD_EXTENDED);
        for (String name : SAMPLES) {
            Pictures.assertMapped(Cli.sample(name), folder.resolve("a/b/" + name + ".png"), settings);
            assertTrue(run.out().contains(Path.of("a/b", name + ".png").toString()), run::out);
        }
        assertTrue(run.out().contains("0.0 ") && run.out().contains("0.1 "), run::out);
        assertTrue(run.out().contains("12 frames in "), run::out);
        assertFalse(run.out().contains("\r"), "no progress line in a pipe");

        Map<String, Object> json = Cli.json(folder.resolve("r.json"));
        Schemas.check("tonemap", json);
        assertEquals("tonemap", json.get("workload"));
        assertEquals("reinhard-extended", json.get("operator"));
        assertEquals("static", json.get("policy"));
        assertEquals(12 * HEIGHT, json.get("units"));
        assertEquals(12, json.get("frames"));
        assertTrue(number(json, "warmUpFrames") > 0);
        assertNull(json.get("verified"));
        assertEquals(List.of(), json.get("failures"));
        assertEquals(
                SAMPLES.stream().map(s -> Path.of("a/b", s + ".png").toString()).toList(), json.get("written"));
        assertEquals(12 / number(json, "wallSeconds"), number(json, "framesPerSecond"), 1e-6);
        checkDevices(json);
        checkFrames(json);
    }

    @Test
    void aSequenceKeepsItsExposureAndIsWhatTheReferenceSays() throws Exception {
        byte[] sample = Files.readAllBytes(Cli.sample("city"));
        byte[] type = "#?RADIANCE\n".getBytes(StandardCharsets.US_ASCII);
        byte[] exposure = "EXPOSURE=1.5\n".getBytes(StandardCharsets.US_ASCII);
        Path first = Files.write(Files.createDirectory(folder.resolve("shot")).resolve("1.hdr"), sample);
        Path second = Files.write(folder.resolve("shot/2.hdr"), type); // the same, but darker
        Files.write(second, exposure, StandardOpenOption.APPEND);
        Files.write(second, Arrays.copyOfRange(sample, type.length, sample.length), StandardOpenOption.APPEND);
        InProcess.in(
                folder,
                "tonemap",
                "shot",
                "--exposure",
                "smooth:2",
                "--operator",
                "drago",
                "--verify",
                "--json",
                "s.json",
                "--out",
                "s");
        Map<String, Object> json = Cli.json(folder.resolve("s.json"));
        Schemas.check("tonemap", json);
        assertEquals(true, json.get("verified"));
        assertEquals(
                List.of("read", "devices", "write"),
                objects(json, "stages").stream().map(s -> s.get("stage")).toList());
        ToneMapSettings own = ToneMapSettings.of(Operator.DRAGO);
        for (Path frame : List.of(first, second)) {
            Path picture = folder.resolve("s/" + frame.getFileName().toString().replace(".hdr", ".png"));
            assertThrows(AssertionError.class, () -> Pictures.assertMapped(frame, picture, own));
        }
    }

    private void checkDevices(Map<String, Object> json) {
        List<Map<?, ?>> devices = objects(json, "devices");
        assertEquals(
                List.of("0.0", "0.1"), devices.stream().map(d -> d.get("id")).toList());
        double share = 0;
        double units = 0;
        for (Map<?, ?> device : devices) {
            assertEquals(InProcess.device((String) device.get("id")).get("type"), device.get("type"));
            assertTrue(number(device, "share") > 0, "both devices work");
            assertEquals(number(device, "units") / number(json, "units"), number(device, "share"), 1e-9);
            assertTrue(number(device, "kernelSeconds") > 0);
            assertEquals(
                    number(device, "busySeconds"),
                    number(device, "kernelSeconds") + number(device, "transferSeconds"),
                    1e-6);
            assertTrue(number(device, "chunks") >= 3 * 12, "a chunk or more for each phase of each frame");
            share += number(device, "share");
            units += number(device, "units");
        }
        assertEquals(1, share, 1e-9);
        assertEquals(number(json, "units"), units);
    }

    private static void checkFrames(Map<String, Object> json) {
        List<Map<?, ?>> frames = objects(json, "frameList");
        assertEquals(12, frames.size());
        double[] rows = new double[2];
        double[] busy = new double[2];
        for (int i = 0; i < frames.size(); i++) {
            Map<?, ?> frame = frames.get(i);
            assertEquals(
                    SAMPLES.get(i % 4) + ".hdr",
                    Path.of((String) frame.get("input")).getFileName().toString());
            assertEquals(WIDTH, frame.get("width"));
            assertEquals(HEIGHT, frame.get("height"));
            double[] shares = numbers(frame, "shares");
            assertEquals(2, shares.length);
            assertEquals(1, Arrays.stream(shares).sum(), 1e-9);
            for (int d = 0; d < 2; d++) {
                rows[d] += shares[d] * HEIGHT;
                busy[d] += numbers(frame, "busySeconds")[d];
            }
            assertTrue(number(frame, "busyImbalance") >= 0 && number(frame, "busyImbalance") <= 1);
            assertTrue(number(frame, "deviceSeconds") > 0);
            assertTrue(number(frame, "wallSeconds") >= number(frame, "overheadSeconds"));
        }
        for (int d = 0; d < 2; d++) {
            assertEquals(number(objects(json, "devices").get(d), "units"), rows[d], 1e-6);
            assertEquals(number(objects(json, "devices").get(d), "busySeconds"), busy[d], 1e-6);
        }
    }

    @Test
    void aRunWithoutAPictureStillReports() throws IOException {
        Cli.Result run = InProcess.in(folder, "tonemap", "none.hdr", "--devices", "0.0", "--out", "out", "--json", "-");
        assertEquals(1, run.code());
        Map<String, Object> json = run.json();
        Schemas.check("tonemap", json);
        for (String unknown : List.of("policy", "verified", "bottleneck", "typicalFrame")) {
            assertNull(json.get(unknown), unknown);
        }
        assertEquals(0, json.get("frames"));
        assertEquals(List.of(run.err().strip().replaceFirst("evener: ", "")), json.get("failures"));
    }
}
