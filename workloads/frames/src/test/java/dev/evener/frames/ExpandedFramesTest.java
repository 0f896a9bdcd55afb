package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.InTurn;
import dev.evener.Report;
import dev.evener.frames.FrameStreamBuilder.Missing;
import dev.evener.frames.HdrFiles.Code;
import dev.evener.frames.StreamReport.Failure;
import dev.evener.frames.StreamReport.MappedFrame;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Devices taken for discrete ones expand run-length code: the pictures and the messages are those of frames that the host decodes. */
@Timeout(600)
@InTurn(2)
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
            long told = 16L * frame.size().height() + 4 * 4096; // of each row, and of the light
            assertTrue(use.bytesOut() <= told, use.bytesOut() + " bytes fetched before the file's");
        }
    }

    /** A reader copied a file three times and walked through its code, which took a core 45 to 60 ms for one of 67 MB. */
    @Test
    void aFilesCodeIsCopiedOnce() throws Exception {
        Path file = Frames.write(folder, "one.hdr", literals(0, new byte[0], 37));
        AtomicLong heap = new AtomicLong();
        AtomicLong direct = new AtomicLong();
        FrameStore counting = new FrameStore() {
            @Override
            public FrameFile open(Path frame) throws FrameException {
                return FrameFile.open(frame, frame.toFile().length(), offset -> counted(frame, offset));
            }

            private ReadableByteChannel counted(Path frame, long offset) throws IOException {
                FileChannel from = FileChannel.open(frame).position(offset);
                return new ReadableByteChannel() {
                    @Override
                    public int read(ByteBuffer target) throws IOException {
                        int bytes = from.read(target);
                        (target.isDirect() ? direct : heap).addAndGet(Math.max(0, bytes));
                        return bytes;
                    }

                    @Override
                    public boolean isOpen() {
                        return from.isOpen();
                    }

                    @Override
                    public void close() throws IOException {
                        from.close();
                    }
                };
            }

            @Override
            public void write(Path picture, Content content) throws IOException {
                FrameStore.FILES.write(picture, content);
            }

            @Override
            public void makeFolder(Path made) throws IOException {
                FrameStore.FILES.makeFolder(made);
            }
        };
        try (Evener evener = open(true);
                FrameStream stream = FrameStream.of(List.of(file), evener, ToneMapSettings.of(Operator.HABLE))
                        .store(counting)
                        .into(folder.resolve("out"))) {
            assertTrue(stream.run().frames().get(0).expanded());
        }
        assertEquals(FrameFile.open(file).codedBytes(), direct.get());
        assertTrue(heap.get() <= Files.size(file), "what begins with the header: " + heap);
    }

    /** Rows of literals alone, in which bytes stand at a place of the first components, and perhaps more rows than the header says. */
    private static byte[] literals(int components, byte[] bytes, int rows) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(Frames.text("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 37 +X 130\n"));
        Random random = new Random(5);
        for (int row = 0; row < rows; row++) {
            out.writeBytes(new byte[] {2, 2, 0, (byte) 130});
            for (int component = 0; component < 4; component++) {
                byte[] values = new byte[130];
                for (int i = 0; i < values.length; i++) {
                    values[i] = (byte) (129 + random.nextInt(20));
                }
                System.arraycopy(bytes, 0, values, 0, component < components ? bytes.length : 0);
                for (int half = 0; half < 2; half++) {
                    out.write(65);
                    out.write(values, 65 * half, 65);
                }
            }
        }
        return out.toByteArray();
    }

    /**
     * Devices follow all that looks like a row's head: what is none ends badly, or they give up, as where one could be meant as well as
     * another, and the host decodes the frame. Nobody loses a row.
     */
    @Test
    void bytesThatLookLikeRows() throws Exception {
        byte[] head = {2, 2, 0, (byte) 130};
        byte[] whole = Arrays.copyOf(head, 20); // with four components of two runs each
        for (int i = 0; i < 4; i++) {
            System.arraycopy(
                    new byte[] {(byte) (128 + 127), (byte) (140 + i), (byte) (128 + 3), 9}, 0, whole, 4 + 4 * i, 4);
        }
        byte[] many = new byte[64];
        for (int i = 0; i < many.length; i++) {
            many[i] = head[i % 4];
        }
        Map<String, byte[]> files = new LinkedHashMap<>();
        files.put("head", literals(1, head, 37));
        files.put("more", literals(0, head, 39));
        files.put("whole", literals(1, whole, 37));
        files.put("many", literals(3, many, 37));
        List<Path> inputs = new ArrayList<>();
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            inputs.add(Frames.write(folder, file.getKey() + ".hdr", file.getValue()));
        }
        ToneMapSettings settings = ToneMapSettings.of(Operator.HABLE);
        StreamReport decoded;
        try (Evener evener = open(false)) {
            decoded = run(evener, inputs, folder.resolve("decoded"), settings, null);
        }
        try (Evener evener = open(true)) {
            StreamReport expanded = run(evener, inputs, folder.resolve("expanded"), settings, null);
            assertEquals(List.of(), expanded.failures());
            assertEquals(
                    List.of(true, true, false, false),
                    expanded.frames().stream().map(MappedFrame::expanded).toList());
            for (Path picture : decoded.written()) {
                Path other = folder.resolve("expanded").resolve(picture.getFileName());
                assertArrayEquals(Files.readAllBytes(picture), Files.readAllBytes(other), picture.toString());
            }
        }
    }

    /**
     * That a file is damaged is found when devices were done with it: then as before another picture takes its place. With one thread of
     * each kind and memory for nothing, which nobody may wait for who has some.
     */
    @ParameterizedTest
    @EnumSource(Missing.class)
    void whatCannotBeExpandedIsReplacedLikeWhatCannotBeDecoded(Missing missing) throws Exception {
        List<Path> inputs = new ArrayList<>();
        byte[] whole = literals(0, new byte[0], 37);
        for (int i = 0; i < 12; i++) {
            byte[] file = whole.clone();
            file[whole.length - 4 * 132] = 0; // a code of no bytes, the first one of the last row
            inputs.add(Frames.write(folder, "f" + i + ".hdr", i % 4 == 2 ? whole : file));
        }
        List<List<String>> messages = new ArrayList<>();
        List<List<String>> pictures = new ArrayList<>();
        for (boolean discrete : new boolean[] {false, true}) {
            Path out = folder.resolve("out" + discrete);
            try (Evener evener = open(discrete);
                    FrameStream stream = FrameStream.of(inputs, evener, ToneMapSettings.of(Operator.HABLE))
                            .missing(missing)
                            .decoders(2)
                            .writers(1)
                            .budget(0)
                            .into(out)) {
                StreamReport report = stream.run();
                messages.add(report.failures().stream().map(Failure::message).toList());
                List<String> written = new ArrayList<>();
                for (Path picture : report.written()) {
                    written.add(picture.getFileName() + " " + Arrays.hashCode(Files.readAllBytes(picture)));
                }
                pictures.add(written);
            }
        }
        assertEquals(messages.get(0), messages.get(1));
        assertEquals(9, messages.get(0).size());
        assertEquals(missing == Missing.LEFT_OUT ? 3 : 12, pictures.get(0).size());
        assertEquals(pictures.get(0), pictures.get(1));
    }

    /** Whatever is wrong with a file, wherever it is, devices and the host say the same of it, and show the same of as much as there is. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cutAndDamagedAnywhere(boolean partial) throws Exception {
        int[][] pixels = HdrFiles.randomPixels(2, 8, 3);
        for (int[] line : pixels) {
            Arrays.fill(line, 0, 4, line[0]); // each component a run and literals
        }
        byte[] whole = HdrFiles.file("", "-Y 2 +X 8", pixels, Code.NEW);
        List<Path> inputs = new ArrayList<>(List.of(Frames.write(folder, "whole.hdr", whole)));
        int code = FrameFile.open(inputs.get(0)).codedBytes();
        for (int at = whole.length - code; at < whole.length; at++) {
            inputs.add(Frames.write(folder, "cut" + at + ".hdr", Arrays.copyOf(whole, at)));
            for (int change : new int[] {0x80, whole[at] & 0xff}) { // a literal for a run, or nothing
                byte[] damaged = whole.clone();
                damaged[at] ^= (byte) change;
                inputs.add(Frames.write(folder, "damaged" + at + "by" + change + ".hdr", damaged));
            }
        }
        List<List<String>> said = new ArrayList<>();
        for (boolean discrete : new boolean[] {false, true}) {
            Path out = folder.resolve("out" + discrete);
            try (Evener evener = open(discrete);
                    FrameStream stream = FrameStream.of(inputs, evener, ToneMapSettings.of(Operator.HABLE))
                            .choice(new FrameChoice(null, null, partial, false))
                            .into(out)) {
                StreamReport report = stream.run();
                List<String> lines = new ArrayList<>();
                report.failures().forEach(failure -> lines.add(failure.message()));
                report.frames().forEach(frame -> lines.add(frame.source() + " " + frame.warnings()));
                for (Path picture : report.written()) {
                    lines.add(picture.getFileName() + " " + Arrays.hashCode(Files.readAllBytes(picture)));
                }
                said.add(lines);
                assertEquals(discrete, report.frames().get(0).expanded());
            }
        }
        assertEquals(String.join("\n", said.get(0)), String.join("\n", said.get(1)));
        assertTrue(
                said.get(0).stream().anyMatch(line -> line.contains("cut short")),
                said.get(0).toString());
        assertTrue(
                said.get(0).stream().anyMatch(line -> line.contains("has a run of")),
                said.get(0).toString());
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
