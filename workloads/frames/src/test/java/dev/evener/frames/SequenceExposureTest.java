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
import dev.evener.InTurn;
import dev.evener.LongTests;
import dev.evener.ManagedBuffer;
import dev.evener.TestMemory;
import dev.evener.event.RunEvent;
import dev.evener.frames.HdrFiles.Code;
import dev.evener.kernels.reference.ToneMapReference;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.FrameStatistics;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.PixelCoding;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.kernels.tonemap.ToneMapper;
import dev.evener.policy.Policies;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@InTurn(2)
class SequenceExposureTest {
    static final double FRAMES = 3;

    @TempDir
    Path folder;

    static List<FrameStatistics> smoothed(
            List<FrameStatistics> own, List<int[]> counted, List<Thumbnail> shown, double frames) {
        Map<Integer, int[]> histograms = new TreeMap<>();
        counted.forEach(each -> histograms.put(histograms.size(), each));
        TreeMap<Integer, FrameStatistics> measured = new TreeMap<>();
        TreeMap<Integer, Thumbnail> looks = new TreeMap<>();
        own.forEach(each -> measured.put(measured.size(), each));
        shown.forEach(each -> looks.put(looks.size(), each));
        SequenceExposure.smooth(
                own.stream().map(each -> Path.of("shot/frame")).toList(), measured, histograms, looks, frames);
        return List.copyOf(measured.values());
    }

    /** Grey frames of made-up scenes: waves, blocks and grain, of any brightness. */
    static final class Film {
        static final int WIDTH = 96;
        static final int HEIGHT = 60;
        final Random random;
        private double[] waves = {};
        private double[] blocks = {};
        private double level;
        private double contrast;
        final double[] frame = new double[WIDTH * HEIGHT];

        Film(long seed) {
            random = new Random(seed);
        }

        /** Another one, which {@link #shot} shows. */
        Film scene() {
            waves = random.doubles(5 * 12).toArray();
            blocks = random.doubles(5 * 10).toArray();
            level = random.nextDouble() * 8 - 5;
            contrast = 0.3 + 2 * random.nextDouble();
            return shot(0, 0);
        }

        /** Seen from here, in widths, with grain of so many stops. */
        Film shot(double pan, double grain) {
            for (int i = 0; i < frame.length; i++) {
                double x = i % WIDTH / (double) WIDTH + pan;
                double y = Math.floorDiv(i, WIDTH) / (double) HEIGHT;
                double stops = level + grain * random.nextGaussian();
                for (int w = 0; w < waves.length; w += 5) {
                    double phase = 20 * waves[w] * x + 20 * waves[w + 1] * y + 6.3 * waves[w + 2];
                    stops += contrast * (waves[w + 3] - 0.5) * Math.sin(phase);
                }
                for (int b = 0; b < blocks.length; b += 5) {
                    boolean in = Math.abs(x - 2 * blocks[b] + 0.5) < 0.3 * blocks[b + 2]
                            && Math.abs(y - blocks[b + 1]) < 0.3 * blocks[b + 3];
                    stops += in ? 2 * contrast * (blocks[b + 4] - 0.5) : 0;
                }
                frame[i] = Math.pow(2, stops);
            }
            return this;
        }

        /** With a light on a part of it, from the left, or from somewhere on. */
        Film light(double area, double factor) {
            return light(0, area, factor);
        }

        Film light(double from, double area, double factor) {
            for (int i = 0; i < frame.length; i++) {
                double x = i % WIDTH / (double) WIDTH - from;
                frame[i] *= x >= 0 && x < area ? factor : 1;
            }
            return this;
        }

        int[] counted() {
            IntBuffer histogram = IntBuffer.allocate(2 * FrameStatistics.BINS);
            for (double value : frame) {
                int place = Math.max((Float.floatToIntBits((float) value) >> 17) - 6712, 0);
                histogram.put(place / 8, histogram.get(place / 8) + 1);
                int steps = FrameStatistics.BINS + place / 8;
                histogram.put(steps, histogram.get(steps) + place % 8);
            }
            return histogram.array();
        }

        Thumbnail look() {
            ByteBuffer file = ByteBuffer.allocate(100 + 4 * frame.length).put(Frames.text("Pf 96 60 1.0\n"));
            for (int i = 0; i < frame.length; i++) {
                file.putFloat((float) frame[(HEIGHT - 1 - i / WIDTH) * WIDTH + i % WIDTH]);
            }
            byte[] all = Arrays.copyOf(file.array(), file.position());
            try {
                FrameFile read = FrameFile.open(
                        Path.of("film"),
                        all.length,
                        at -> Channels.newChannel(new ByteArrayInputStream(all, (int) at, all.length)));
                ByteBuffer decoded = ByteBuffer.allocate((int) read.coding().bytes(read.size()));
                read.decode(decoded);
                return new Thumbnail(read, read.rows(List.of(decoded)));
            } catch (FrameException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /**
     * A light on a part of the frame goes on and off every few frames: what it does not shine on keeps its brightness
     * from frame to frame, whatever the light, as if it were no light's business.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void strobesLeaveTheRestAsItIs(int every) {
        ToneMapSettings settings = ToneMapSettings.of(Operator.REINHARD_EXTENDED);
        for (double area : new double[] {0.05, 0.2, 0.4, 0.6}) {
            for (double factor : new double[] {2, 10, 30, 100}) {
                Film film = new Film((long) (area * 100 + factor));
                film.scene();
                int[][] measured = {film.counted(), {}};
                Thumbnail[] looks = {film.look(), null};
                double[] rest = Arrays.copyOfRange(film.frame, Film.WIDTH * 3 / 5, Film.WIDTH);
                film.light(area, factor);
                measured[1] = film.counted();
                looks[1] = film.look();
                List<FrameStatistics> own = new ArrayList<>();
                List<int[]> counted = new ArrayList<>();
                List<Thumbnail> shown = new ArrayList<>();
                for (int i = 0; i < 60; i++) {
                    boolean on = i >= 20 && (i - 20) / every % 2 == 0;
                    counted.add(measured[on ? 1 : 0]);
                    own.add(FrameStatistics.of(counted.get(i), null));
                    shown.add(looks[on ? 1 : 0]);
                }
                FrameLayout strip = new FrameLayout(rest.length, 1);
                FloatBuffer floats = FloatBuffer.allocate(strip.floats());
                for (int i = 0; i < rest.length; i++) {
                    for (int c = 0; c < 3; c++) {
                        floats.put(c * strip.stride() + i, (float) rest[i]);
                    }
                }
                byte[] before = {};
                for (FrameStatistics exposure : smoothed(own, counted, shown, 12)) {
                    byte[] codes = ToneMapReference.map(floats, strip, settings.exposedFor(exposure));
                    for (int i = 0; i < before.length; i++) {
                        int by = Math.abs((codes[i] & 0xff) - (before[i] & 0xff));
                        assertTrue(by <= 6, area + " x " + factor + ": by " + by + " codes");
                    }
                    before = codes;
                }
            }
        }
    }

    /** In films of three scenes each, with strobes, pans and grain, cuts are where scenes begin and nowhere else. */
    @Test
    void cutsAreWhereScenesBegin() {
        for (int seed = 0; seed < LongTests.orAll(20, 500); seed++) {
            Film film = new Film(seed);
            List<Thumbnail> shown = new ArrayList<>();
            List<Integer> begins = new ArrayList<>();
            for (int scene = 0; scene < 3; scene++) {
                begins.add(shown.size());
                film.scene();
                int every = 1 + film.random.nextInt(5);
                double factor = Math.pow(100, film.random.nextDouble());
                double area = 0.6 * film.random.nextDouble();
                double from = (1 - area) * film.random.nextDouble();
                double speed = 0.01 * film.random.nextDouble();
                double grain = 0.15 * film.random.nextDouble();
                int frames = 8 + film.random.nextInt(12);
                for (int i = 0; i < frames; i++) {
                    film.shot(i * speed, grain);
                    shown.add((i / every % 2 == 0 ? film : film.light(from, area, factor)).look());
                }
            }
            boolean[] cuts = SequenceExposure.cuts(shown);
            List<Integer> found = new ArrayList<>(List.of(0));
            for (int i = 0; i < cuts.length; i++) {
                if (cuts[i]) {
                    found.add(i);
                }
            }
            assertEquals(begins, found, "film " + seed);
        }
    }

    /** A lamp is switched on in a static scene: what it does not light keeps its brightness, with the default operator. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4, 12})
    void aLampChangesTheRestSlowly(int hundredths) throws Exception {
        List<Path> inputs = new ArrayList<>();
        FrameLayout layout = new FrameLayout(50, 40);
        for (int i = 0; i < 40; i++) {
            ByteBuffer file = ByteBuffer.allocate(100 + layout.width() * layout.height() * Float.BYTES);
            file.put("Pf\n50 40\n1.0\n".getBytes(StandardCharsets.US_ASCII));
            for (int pixel = 0; pixel < layout.pixels(); pixel++) {
                boolean lamp = i >= 20 && pixel < layout.pixels() * hundredths / 100;
                file.putFloat(lamp ? 3000 : (float) Math.pow(2, pixel % 50 / 10.0 - 3 + pixel / 1000.0));
            }
            inputs.add(
                    Frames.write(folder, String.format("f%02d.pfm", i), Arrays.copyOf(file.array(), file.position())));
        }
        Map<Path, int[]> pictures = new ConcurrentHashMap<>();
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0,jvm"))
                .history(History.inMemory())
                .open()) {
            FrameStream.of(inputs, evener, ToneMapSettings.of(Operator.REINHARD_EXTENDED))
                    .smoothing(12)
                    .watch(source -> picture -> {
                        int[] words = new int[layout.words()];
                        try (ManagedBuffer.Scope scope = picture.pixels().read()) {
                            scope.ints().get(words);
                        }
                        pictures.put(source, words);
                    })
                    .into(folder.resolve("out"))
                    .run();
        }
        int most = 0;
        for (int i = 1; i < inputs.size(); i++) {
            int[] before = pictures.get(inputs.get(i - 1));
            int[] after = pictures.get(inputs.get(i));
            // PFM's rows go from the bottom up.
            for (int row = 0; row < layout.height() - (hundredths * layout.height() + 99) / 100; row++) {
                for (int x = 0; x < layout.width(); x++) {
                    int at = row * layout.stride() + x;
                    most = Math.max(most, Math.abs((after[at] & 0xff) - (before[at] & 0xff)));
                }
            }
        }
        assertTrue(most <= 6, "by " + most + " codes");
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

    static List<Operator> operators() {
        return LongTests.inTurn(2, List.of(Operator.REINHARD_EXTENDED, Operator.DRAGO, Operator.GUIDED, Operator.ACES));
    }

    /** The exposure of each frame, and its file's bytes, are those of frames that are measured and mapped one by one. */
    @ParameterizedTest
    @MethodSource("operators")
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
        try (ManagedBuffer.Scope scope = picture.pixels().read()) {
            FloatBuffer floats = Frames.decode(FrameFile.open(picture.source()));
            byte[] reference = ToneMapReference.map(floats, layout, picture.settings());
            assertTrue(
                    ToneMapReference.compare(reference, scope.ints(), layout).largest() <= 1,
                    picture.source().toString());
        } catch (FrameException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What frames are to be mapped with, worked out one frame after another. */
    private static Map<Path, ToneMapSettings> expected(List<Path> inputs, ToneMapSettings settings) throws Exception {
        Map<Path, ToneMapSettings> expected = new TreeMap<>();
        TestMemory memory = new TestMemory();
        try (Evener evener =
                        Evener.builder().devices(DeviceSelector.parse("jvm")).open();
                ToneMapper mapper = new ToneMapper(memory::allocate)) {
            NavigableMap<Integer, FrameStatistics> measured = new TreeMap<>();
            Map<Integer, int[]> histograms = new TreeMap<>();
            Map<Integer, Thumbnail> shown = new TreeMap<>();
            for (Path input : inputs) {
                if (Files.size(input) < 10) {
                    continue;
                }
                FrameFile file = FrameFile.open(input);
                try (HostBuffer frame =
                        memory.allocate(ElementType.FLOAT, file.size().floats())) {
                    frame.floats().put(Frames.decode(file));
                    evener.submit(mapper.statisticsJob(
                                    file.size(), file.size(), PixelCoding.FLOATS, null, frame, settings))
                            .join();
                }
                ByteBuffer pixels = ByteBuffer.allocateDirect(
                                (int) file.coding().bytes(file.size()))
                        .order(ByteOrder.nativeOrder());
                file.decode(pixels);
                shown.put(inputs.indexOf(input), new Thumbnail(file, file.rows(List.of(pixels))));
                measured.put(inputs.indexOf(input), Objects.requireNonNull(mapper.statistics()));
                histograms.put(inputs.indexOf(input), mapper.histogram());
            }
            SequenceExposure.smooth(inputs, measured, histograms, shown, FRAMES);
            measured.forEach((i, own) -> expected.put(inputs.get(i), settings.exposedFor(own)));
        }
        assertEquals(0, memory.open());
        return expected;
    }

    /** Each pass, with the one that measures, sends a frame once to a device with memory of its own. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aFrameIsSentToADeviceOnceAPass(int passes) throws Exception {
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
                    .budget(1 << 20)
                    .watch(source -> SequenceExposureTest::assertClose)
                    .into(folder.resolve("out"))
                    .run();
            assertEquals(inputs.size(), report.written().size());
        }
        long frames = 4L * width * height * inputs.size() * (1 + passes);
        long tables = 10_000L * inputs.size() * (1 + passes); // histograms and parameters
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
