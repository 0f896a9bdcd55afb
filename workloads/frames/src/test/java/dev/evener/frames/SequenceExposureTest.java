package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.ManagedBuffer;
import dev.evener.RunEvent;
import dev.evener.TestMemory;
import dev.evener.frames.HdrFiles.Code;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.FrameStatistics;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapReference;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.kernels.tonemap.ToneMapper;
import dev.evener.policy.Policies;
import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SequenceExposureTest {
    private static final double FRAMES = 3;
    private static final double PART = 1 - Math.exp(-1 / FRAMES);

    @TempDir
    Path folder;

    @Test
    void everyFigureIsAnExponentialAverageOfLogarithms() {
        Random random = new Random(5);
        SequenceExposure exposure = new SequenceExposure(FRAMES);
        double[] expected = new double[3];
        for (int i = 0; i < 200; i++) {
            double mean = 20 * random.nextDouble() - 10;
            double high = random.nextInt(9) == 0 ? 0 : Math.pow(2, mean + random.nextDouble());
            float most = (float) Math.pow(2, mean + 1 + random.nextDouble());
            FrameStatistics next = exposure.next(0, Path.of("shot/f" + i), new FrameStatistics(mean, most, high));
            double[] own = {mean, Math.log(most + 1e-5), Math.log(high + 1e-5)};
            for (int k = 0; k < 3; k++) {
                expected[k] += i == 0 ? own[k] : PART * (own[k] - expected[k]);
            }
            assertEquals(expected[0], next.meanLog2Luminance(), 1e-12);
            assertEquals(1, (next.maximumLuminance() + 1e-5) / Math.exp(expected[1]), 1e-6);
            assertEquals(1, (next.highLuminance() + 1e-5) / Math.exp(expected[2]), 1e-9);
        }
    }

    @Test
    void foldersAndPassesBeginASequenceAndBlackFramesDoNot() {
        FrameStatistics dark = new FrameStatistics(-4, 1, 0.5);
        FrameStatistics bright = new FrameStatistics(4, 100, 50);
        FrameStatistics black = new FrameStatistics(Math.log(1e-5) / Math.log(2), 0, 0);
        SequenceExposure exposure = new SequenceExposure(FRAMES);
        assertEquals(black, exposure.next(0, Path.of("a/0"), black), "nothing else is known");
        assertEquals(dark, exposure.next(0, Path.of("a/1"), dark));
        assertEquals(dark, exposure.next(0, Path.of("a/2"), black));
        FrameStatistics between = exposure.next(0, Path.of("a/3"), bright);
        assertEquals(-4 + PART * 8, between.meanLog2Luminance(), 1e-12);
        assertEquals(bright, exposure.next(0, Path.of("b/4"), bright));
        assertEquals(dark, exposure.next(0, Path.of("5"), dark));
        assertEquals(dark, exposure.next(1, Path.of("5"), dark));
    }

    /** One scene whose light flickers, a black frame, one that is damaged, and the beginning of another shot. */
    private List<Path> flickering() throws IOException {
        List<Path> inputs = new ArrayList<>();
        int[][] scene = HdrFiles.randomPixels(40, 60, 1);
        for (int i = 0; i < 16; i++) {
            int[][] pixels = new int[40 + i % 3][];
            int stops = i == 5 ? -255 : i % 2 == 0 ? -2 : 3 + i % 3;
            for (int y = 0; y < pixels.length; y++) {
                pixels[y] = scene[y % 40].clone();
                for (int x = 0; x < pixels[y].length; x++) {
                    int exponent = Math.max(0, Math.min(140, pixels[y][x] & 0xff) + stops);
                    pixels[y][x] = (pixels[y][x] & ~0xff) | exponent;
                }
            }
            byte[] file = HdrFiles.file("", "-Y " + pixels.length + " +X 60", pixels, Code.FLAT);
            Path shot = Files.createDirectories(folder.resolve(i < 11 ? "a" : "b"));
            inputs.add(Frames.write(shot, String.format("f%02d.hdr", i), i == 8 ? new byte[9] : file));
        }
        return inputs;
    }

    /** The exposure of each frame, and its file's bytes, are those of frames that are measured and mapped one by one. */
    @ParameterizedTest
    @EnumSource(
            value = Operator.class,
            names = {"REINHARD_EXTENDED", "DRAGO", "GUIDED", "ACES"})
    void aFlickeringSequenceOnAnyDevices(Operator operator) throws Exception {
        ToneMapSettings settings = ToneMapSettings.of(operator);
        List<Path> inputs = flickering();
        Map<Path, ToneMapSettings> expected = expected(inputs, settings);
        Map<Path, byte[]> files = null;
        for (String devices : List.of("jvm", "0.0", "0.0,0.1", "0.0,0.1,jvm")) {
            try (Evener evener = Evener.builder()
                    .devices(DeviceSelector.parse(devices))
                    .history(History.inMemory())
                    .open()) {
                for (int threads = 1; threads <= 4; threads += 3) {
                    Map<Path, ToneMapSettings> seen = new ConcurrentHashMap<>();
                    FrameStreamBuilder stream = FrameStream.of(inputs, evener, settings)
                            .smoothing(FRAMES)
                            .decoders(threads)
                            .writers(threads)
                            .passes(threads == 1 ? 2 : 1)
                            .watch(source -> picture -> {
                                ToneMapSettings before = seen.put(source, picture.settings());
                                assertTrue(before == null || before.equals(picture.settings()), "passes differ");
                                assertClose(picture);
                            });
                    if (devices.equals("0.0,0.1") && threads == 1) {
                        stream.policy(Policies.fixed());
                    }
                    Path out = folder.resolve("out");
                    StreamReport report = stream.into(out).run();
                    assertEquals(1, report.failures().size(), report.failures().toString());
                    assertEquals(15, report.written().size());
                    assertEquals(expected, seen);
                    Map<Path, byte[]> written = new TreeMap<>();
                    for (Path picture : report.written()) {
                        written.put(picture, Files.readAllBytes(picture));
                    }
                    files = files == null ? written : files;
                    assertEquals(files.keySet(), written.keySet());
                    files.forEach((name, bytes) -> assertArrayEquals(bytes, written.get(name), name + " " + devices));
                }
            }
        }
    }

    private static void assertClose(FrameWatch.Picture picture) {
        FrameLayout layout = picture.layout();
        FloatBuffer floats = FloatBuffer.allocate(layout.floats());
        try (ManagedBuffer.Scope frame = picture.frame().read();
                ManagedBuffer.Scope scope = picture.pixels().read()) {
            picture.coding().expand(layout, frame.bytes(), floats);
            byte[] reference = ToneMapReference.map(floats, layout, picture.settings());
            assertTrue(
                    ToneMapReference.compare(reference, scope.ints(), layout).largest() <= 1,
                    picture.source().toString());
        }
    }

    /** What frames are to be mapped with, worked out one frame after another, and within the bound that is promised. */
    private static Map<Path, ToneMapSettings> expected(List<Path> inputs, ToneMapSettings settings) throws Exception {
        Map<Path, ToneMapSettings> expected = new TreeMap<>();
        TestMemory memory = new TestMemory();
        try (Evener evener =
                        Evener.builder().devices(DeviceSelector.parse("jvm")).open();
                ToneMapper mapper = new ToneMapper(memory::allocate)) {
            SequenceExposure exposure = new SequenceExposure(FRAMES);
            double last = 0;
            Path shot = null;
            for (Path input : inputs) {
                if (Files.size(input) < 10) {
                    continue;
                }
                FrameFile file = FrameFile.open(input);
                try (HostBuffer frame =
                        memory.allocate(ElementType.FLOAT, file.size().floats())) {
                    frame.floats().put(Frames.decode(file));
                    evener.submit(mapper.statisticsJob(file.size(), frame, settings))
                            .join();
                }
                ToneMapSettings own =
                        settings.exposedFor(exposure.next(0, input, Objects.requireNonNull(mapper.statistics())));
                double stops = Objects.requireNonNull(own.exposureStops());
                if (input.getParent().equals(shot)) {
                    // The scene's own averages span 8 stops at most.
                    assertTrue(Math.abs(stops - last) <= PART * 8, input + ": a step of " + (stops - last));
                }
                shot = input.getParent();
                last = stops;
                expected.put(input, own);
            }
        }
        assertEquals(0, memory.open());
        return expected;
    }

    /** The job that measures a frame and the one that maps it send it once to a device with memory of its own. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aFrameIsSentToADeviceOnce(int passes) throws Exception {
        List<Path> inputs = new ArrayList<>();
        int width = 320;
        int height = 200;
        for (int i = 0; i < 20; i++) {
            byte[] file = HdrFiles.file(
                    "", "-Y " + height + " +X " + width, HdrFiles.randomPixels(height, width, i), Code.FLAT);
            inputs.add(Frames.write(folder, String.format("f%02d.hdr", i), file));
        }
        AtomicLong sent = new AtomicLong(); // with frames, which the first phase of both jobs reads
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0"))
                .sharedMemory(false)
                .history(History.inMemory())
                .listener(event -> {
                    if (event instanceof RunEvent.Chunk chunk && chunk.phase() == 0) {
                        sent.addAndGet(chunk.bytesIn());
                    }
                })
                .open()) {
            StreamReport report = FrameStream.of(inputs, evener, ToneMapSettings.of(Operator.ACES))
                    .smoothing(FRAMES)
                    .passes(passes)
                    .watch(source -> SequenceExposureTest::assertClose)
                    .into(folder.resolve("out"))
                    .run();
            assertEquals(inputs.size(), report.written().size());
        }
        long frames = 4L * width * height * inputs.size() * passes;
        long tables = 10_000L * inputs.size() * passes; // histograms and parameters
        assertTrue(
                sent.get() >= frames && sent.get() < frames + tables,
                sent + " bytes were sent for frames of " + frames + " bytes");
    }

    @Test
    void whatCannotBeSmoothed() {
        try (Evener evener =
                Evener.builder().devices(DeviceSelector.parse("jvm")).open()) {
            for (double frames : new double[] {0, 0.9, 100_001, Double.NaN}) {
                assertThrows(
                        IllegalArgumentException.class,
                        () -> FrameStream.of(List.of(), evener, ToneMapSettings.of(Operator.ACES))
                                .smoothing(frames));
            }
            assertThrows(
                    IllegalArgumentException.class,
                    () -> FrameStream.of(List.of(), evener, ToneMapSettings.of(Operator.FILM))
                            .smoothing(5));
        }
    }
}
