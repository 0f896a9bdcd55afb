package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.Report;
import dev.evener.frames.HdrFiles.Code;
import dev.evener.frames.StreamReport.Failure;
import dev.evener.frames.StreamReport.MappedFrame;
import dev.evener.frames.StreamReport.Step;
import dev.evener.frames.StreamReport.Times;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Devices taken for discrete ones expand run-length code: the pictures and the messages are those of frames that the host decodes. */
@Timeout(600)
class ExpandedFramesTest {
    @TempDir
    Path folder;

    static Evener open(boolean discrete) {
        return Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .sharedMemory(!discrete)
                .history(History.inMemory())
                .open();
    }

    /** Real frames, and files of every other kind among them. */
    private List<Path> inputs() throws Exception {
        List<Path> files = new ArrayList<>();
        for (String name : List.of("city", "forest")) {
            files.add(Frames.sample(name));
        }
        int[][] pixels = HdrFiles.randomPixels(37, 130, 1);
        byte[] runs = HdrFiles.file("", "-Y 37 +X 130", pixels, Code.NEW);
        files.add(Frames.write(folder, "runs.hdr", runs));
        files.add(Frames.write(folder, "flat.hdr", HdrFiles.file("", "-Y 37 +X 130", pixels, Code.FLAT)));
        files.add(Frames.write(folder, "old.hdr", HdrFiles.file("", "-Y 37 +X 130", pixels, Code.OLD)));
        files.add(Frames.write(folder, "up.hdr", HdrFiles.file("", "+Y 37 +X 130", pixels, Code.NEW)));
        files.add(Frames.write(folder, "left.hdr", HdrFiles.file("", "-Y 37 -X 130", pixels, Code.NEW)));
        files.add(Frames.write(folder, "short.hdr", Arrays.copyOf(runs, runs.length - 9)));
        byte[] trailed = Arrays.copyOf(runs, runs.length + 70);
        files.add(Frames.write(folder, "long.hdr", trailed));
        byte[] damaged = runs.clone();
        String text = new String(runs, StandardCharsets.ISO_8859_1);
        damaged[text.lastIndexOf("\2\2\0\202") + 4] = 0; // a code of no bytes
        files.add(Frames.write(folder, "damaged.hdr", damaged));
        return files;
    }

    private StreamReport run(Evener evener, List<Path> inputs, Path out, ToneMapSettings settings, Policy policy)
            throws Exception {
        FrameStreamBuilder stream = FrameStream.of(inputs, evener, settings);
        if (policy != null) {
            stream.policy(policy);
        }
        try (FrameStream opened = stream.into(out)) {
            return opened.run();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Operator.class,
            names = {"REINHARD_EXTENDED", "REINHARD_LOCAL", "HABLE"})
    void theSamePicturesAndMessages(Operator operator) throws Exception {
        ToneMapSettings settings = ToneMapSettings.of(operator);
        List<Path> inputs = inputs();
        StreamReport decoded;
        try (Evener evener = open(false)) {
            decoded = run(evener, inputs, folder.resolve("decoded"), settings, null);
        }
        try (Evener evener = open(true)) {
            for (Policy policy : new Policy[] {null, Policies.fixed(0.3, 0.7)}) {
                Path out = folder.resolve("expanded" + policy);
                StreamReport expanded = run(evener, inputs, out, settings, policy);
                assertEquals(
                        decoded.failures().stream().map(Failure::message).toList(),
                        expanded.failures().stream().map(Failure::message).toList());
                assertEquals(2, decoded.failures().size(), decoded.failures().toString());
                assertEquals(decoded.written().size(), expanded.written().size());
                for (Path picture : decoded.written()) {
                    assertArrayEquals(
                            Files.readAllBytes(picture),
                            Files.readAllBytes(out.resolve(picture.getFileName())),
                            picture + " under " + policy);
                }
            }
        }
    }

    @Test
    void aDeviceIsSentTheCodeAndOnlyThePicturesBytesComeBack() throws Exception {
        Path sample = Frames.sample("city");
        long file = Files.size(sample);
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0"))
                .sharedMemory(false)
                .history(History.inMemory())
                .open()) {
            StreamReport report =
                    run(evener, List.of(sample), folder.resolve("one"), ToneMapSettings.of(Operator.HABLE), null);
            FrameFile frame = FrameFile.open(sample);
            long pixels = frame.coding().bytes(frame.size());
            Report.DeviceUse use = report.frames().get(0).report().devices().get(0);
            assertTrue(file < pixels, "the sample is run-length coded");
            assertTrue(use.bytesIn() < pixels, use.bytesIn() + " bytes sent of a file of " + file);
            assertTrue(use.bytesOut() < pixels / 2, use.bytesOut() + " bytes fetched, for tables of symbols");
        }
    }

    /** Long enough for a look at what decoding takes: however that ends, the pictures are the same. */
    @Test
    void aLongStreamLooksAtBothForms() throws Exception {
        int[][] pixels = HdrFiles.randomPixels(37, 130, 1);
        byte[] file = HdrFiles.file("", "-Y 37 +X 130", pixels, Code.NEW);
        List<Path> inputs = new ArrayList<>();
        for (int i = 0; i < ExpansionChoice.FIRST_TRIED + 40; i++) {
            inputs.add(Frames.write(folder, "f" + i + ".hdr", file));
        }
        try (Evener evener = open(true)) {
            StreamReport report = run(evener, inputs, folder.resolve("long"), ToneMapSettings.of(Operator.HABLE), null);
            assertEquals(inputs.size(), report.written().size());
            byte[] first = Files.readAllBytes(report.written().get(0));
            for (int i = 0; i < inputs.size(); i++) {
                boolean tried =
                        i >= ExpansionChoice.FIRST_TRIED && i < ExpansionChoice.FIRST_TRIED + ExpansionChoice.TRIED;
                if (tried || i < ExpansionChoice.FIRST_TRIED) {
                    assertEquals(!tried, report.frames().get(i).expanded(), "frame " + i);
                }
                assertArrayEquals(first, Files.readAllBytes(report.written().get(i)), "frame " + i);
            }
        }
    }

    /** By what limits the stream: the readers while they take longer, else the devices; and clearly better is a tenth. */
    @ParameterizedTest
    @CsvSource({"10, 30, 90, 50, false", "10, 99, 50, 20, true", "10, 30, 50, 46, true", "10, 30, 50, 44, false"})
    void whatLimitsTheStreamDecides(long walk, long decode, long mapCode, long mapPixels, boolean expands)
            throws Exception {
        FrameFile file = FrameFile.open(Frames.sample("city"));
        try (Evener evener = open(true)) {
            ExpansionChoice choice = new ExpansionChoice(evener.devices(), 2);
            for (int i = 0; i < ExpansionChoice.TRIED; i++) {
                assertTrue(choice.expands(1000));
                choice.saw(frame(file, true, walk + i, mapCode + i), file);
                choice.saw(frame(file, false, decode + i, mapPixels + i), file);
            }
            assertEquals(expands, choice.expands(1000));
        }
        try (Evener evener = open(false)) {
            assertFalse(new ExpansionChoice(evener.devices(), 2).expands(0));
        }
    }

    private static MappedFrame frame(FrameFile file, boolean expanded, long read, long busy) {
        Report.DeviceUse use = new Report.DeviceUse(
                "0.0", "a device", DeviceKind.GPU, 1, 1, busy, busy, 0, 1, 0, 0, 0, Map.of(), Map.of(), 0);
        Report report =
                new Report("a job", "fixed", 1, 1, 0, 0, null, 0, 0, busy, busy, null, List.of(), null, List.of(use));
        Times times = new Times(0, 0, 0, 0, 0, 0, Map.of(Step.DECODING, read));
        return new MappedFrame(Path.of("a.hdr"), "", file.primaries(), List.of(), file.size(), expanded, report, times);
    }

    @Test
    void smoothedSequencesAreTheSame() throws Exception {
        List<Path> inputs = Stream.of("city", "forest", "studio")
                .map(name -> Frames.sample(name))
                .toList();
        ToneMapSettings settings = ToneMapSettings.of(Operator.REINHARD_EXTENDED);
        List<byte[]> all = new ArrayList<>();
        for (boolean discrete : new boolean[] {false, true}) {
            Path out = folder.resolve("smooth" + discrete);
            try (Evener evener = open(discrete);
                    FrameStream stream = FrameStream.of(inputs, evener, settings)
                            .budget(1 << 20) // so that every pass reads them
                            .smoothing(3)
                            .into(out)) {
                for (Path picture : stream.run().written()) {
                    all.add(Files.readAllBytes(picture));
                }
            }
        }
        assertEquals(6, all.size());
        for (int i = 0; i < 3; i++) {
            assertArrayEquals(all.get(i), all.get(3 + i), inputs.get(i).toString());
        }
    }
}
