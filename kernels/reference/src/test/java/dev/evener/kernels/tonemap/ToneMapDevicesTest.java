package dev.evener.kernels.tonemap;

import static dev.evener.kernels.TestBed.open;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.InTurn;
import dev.evener.Job;
import dev.evener.LongTests;
import dev.evener.MadeUpBuffers;
import dev.evener.Report;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.reference.ToneMapReference;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The same bits on every device, platform and set of devices, through shared memory and transfers, at every split. */
@InTurn(3)
class ToneMapDevicesTest {
    private static final List<FrameLayout> LAYOUTS = List.of(
            new FrameLayout(1, 1),
            new FrameLayout(7, 3),
            new FrameLayout(16, 64),
            new FrameLayout(33, 129),
            new FrameLayout(1100, 61));

    private static final Map<Operator, Map<String, int[]>> EXPECTED = new EnumMap<>(Operator.class);
    private static final Map<FrameLayout, float[]> FRAMES = new HashMap<>();

    /** Each set of devices is opened once, as every context builds all programs anew. */
    @ParameterizedTest
    @CsvSource({
        "'0.0', true",
        "'0.1', true",
        "'1.0', true",
        "'0.0,0.1', true",
        "'0.0,0.1', false",
        "'0.1,1.0', true",
        "'0.0,0.1,1.0,jvm', true"
    })
    void everyDeviceGivesTheBitsOfTheJvmLane(String devices, boolean sharing) {
        int lanes = devices.split(",").length;
        List<Policy> policies = lanes == 1 ? List.of(Policies.single(0)) : splits(lanes);
        try (Evener evener = open(devices, sharing)) {
            for (Operator operator : LongTests.inTurn(3, rotated(devices))) {
                Map<String, int[]> expected = EXPECTED.computeIfAbsent(operator, ToneMapDevicesTest::onTheJvm);
                check(expected, map(evener, ToneMapSettings.of(operator), policies), operator + " on " + devices);
            }
        }
    }

    /** So that operators which one set of devices does not have today are another's. */
    private static List<Operator> rotated(String devices) {
        List<Operator> all = new ArrayList<>(List.of(Operator.values()));
        Collections.rotate(all, devices.length());
        return all;
    }

    private static Map<String, int[]> onTheJvm(Operator operator) {
        try (Evener java = open("jvm", true)) {
            return map(java, ToneMapSettings.of(operator), List.of());
        }
    }

    @Test
    void soDoesEveryWayOfColours() {
        Colours.CurveOn luminance = Colours.CurveOn.LUMINANCE;
        Colours.OutOfRange clip = Colours.OutOfRange.CLIP;
        Colours.OutOfRange preserve = Colours.OutOfRange.PRESERVE;
        List<ToneMapSettings> all = List.of(
                ToneMapSettings.of(Operator.ACES).withColours(new Colours(luminance, clip, 1.5)),
                ToneMapSettings.of(Operator.DRAGO).withColours(new Colours(Colours.CurveOn.CHANNELS, preserve, 2)),
                ToneMapSettings.of(Operator.GUIDED).withColours(new Colours(null, clip, 0.5)),
                ToneMapSettings.of(Operator.HLG).withColours(new Colours(null, preserve, 1.5)),
                ToneMapSettings.of(Operator.PQ)
                        .withColours(new Colours(null, clip, 1))
                        .withPeak(10_000));
        try (Evener java = open("jvm", true);
                Evener one = open("0.0", true);
                Evener other = open("1.0", true)) {
            for (ToneMapSettings settings : all) {
                Map<String, int[]> expected = map(java, settings, List.of());
                for (Evener evener : List.of(one, other)) {
                    Map<String, int[]> pixels = map(evener, settings, List.of(Policies.single(0)));
                    check(expected, pixels, settings + " on " + evener.devices());
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0", "0.1", "1.0", "jvm"})
    void everyDeviceIsWithinOneCodeOfTheReference(String devices) {
        try (Evener evener = open(devices, true);
                ToneMapper mapper = new ToneMapper(evener::allocate)) {
            for (Operator operator : LongTests.inTurn(2, rotated(devices))) {
                ToneMapSettings settings = ToneMapSettings.of(operator);
                for (FrameLayout layout : LAYOUTS) {
                    try (HostBuffer frame = frame(evener, layout);
                            HostBuffer pixels = evener.allocate(ElementType.UINT, Frames.words(layout, operator))) {
                        evener.submit(mapper.job(layout, frame, pixels, settings))
                                .join();
                        ToneMapReference.Difference difference = ToneMapReference.compare(
                                ToneMapReference.map(frame.floats(), layout, settings), pixels.ints(), layout);
                        assertTrue(difference.largest() <= 1, operator + " " + layout + " " + difference);
                    }
                }
            }
        }
    }

    /** A frame in segments of some rows each, as one beyond 2 GiB has them, is mapped as one in a piece. */
    @Test
    void framesInSegments() {
        FrameLayout layout = new FrameLayout(8_200, 30); // so wide that launches may be cut at any row
        for (Operator operator : List.of(Operator.REINHARD_EXTENDED, Operator.REINHARD_LOCAL)) {
            try (Evener evener = open("0.0,jvm", true);
                    ToneMapper mapper = new ToneMapper(evener::allocate);
                    HostBuffer whole = frame(evener, layout);
                    HostBuffer frame = MadeUpBuffers.inSegments(
                            ElementType.FLOAT, layout.floats(), layout.rowFloats(), 40L * layout.rowFloats());
                    HostBuffer expected = evener.allocate(ElementType.UINT, layout.words());
                    HostBuffer pixels = evener.allocate(ElementType.UINT, layout.words())) {
                assertTrue(frame.segmentCount() > 3);
                for (long at = 0; at < frame.byteSize(); at += frame.segmentBytes()) {
                    int here = (int) Math.min(frame.segmentBytes(), frame.byteSize() - at);
                    frame.bytes(at, here).put(whole.bytes(at, here));
                }
                ToneMapSettings settings = ToneMapSettings.of(operator);
                evener.submit(mapper.job(layout, whole, expected, settings)).join();
                for (Policy policy : List.of(Policies.single(0), Policies.fixed(0.4, 0.6))) {
                    evener.submit(mapper.job(layout, frame, pixels, settings), policy)
                            .join();
                    assertEquals(expected.ints(), pixels.ints(), operator + " under " + policy.name());
                }
            }
        }
    }

    @Test
    void localOperatorsInGroups() {
        GpuForms.check(SmallFrames.inGroups());
    }

    /** Groups empty their tables before a word of them is full. */
    @Test
    void aFlatFrameIsCountedToTheEnd() {
        FrameLayout layout = new FrameLayout(4096, 1024);
        try (Evener evener = open("0.0", true);
                ToneMapper mapper = new ToneMapper(evener::allocate)) {
            HostBuffer frame = evener.allocate(ElementType.FLOAT, layout.floats());
            for (int i = 0; i < layout.floats(); i++) {
                frame.floats().put(i, 0.9999f); // the last step of its bin
            }
            List<FrameStatistics> seen = new ArrayList<>();
            for (boolean groups : new boolean[] {false, true}) {
                Job job = mapper.statisticsJob(
                        layout, layout, PixelCoding.FLOATS, null, frame, ToneMapSettings.of(Operator.REINHARD));
                evener.submit(GpuForms.job(groups, job)).join();
                seen.add(mapper.statistics());
            }
            assertEquals(seen.get(0), seen.get(1));
            assertEquals(1, seen.get(0).averageLuminance(), 0.005);
        }
    }

    @Test
    void statisticsDoNotDependOnTheSplit() {
        FrameLayout layout = new FrameLayout(333, 200);
        List<FrameStatistics> seen = new ArrayList<>();
        try (Evener evener = open("0.0,0.1", true);
                ToneMapper mapper = new ToneMapper(evener::allocate)) {
            HostBuffer frame = frame(evener, layout);
            HostBuffer pixels = evener.allocate(ElementType.UINT, layout.words());
            for (Policy policy : splits(2)) {
                evener.submit(mapper.job(layout, frame, pixels, ToneMapSettings.of(Operator.DRAGO)), policy)
                        .join();
                seen.add(mapper.statistics());
            }
        }
        seen.forEach(s -> assertEquals(seen.get(0), s));
    }

    @Test
    void aFrameIsSentOnceForBothPhases() {
        FrameLayout layout = new FrameLayout(333, 2000);
        try (Evener evener = open("0.0,0.1", false);
                ToneMapper mapper = new ToneMapper(evener::allocate)) {
            HostBuffer frame = frame(evener, layout);
            HostBuffer pixels = evener.allocate(ElementType.UINT, layout.words());
            Job job = mapper.job(layout, frame, pixels, ToneMapSettings.of(Operator.DRAGO));
            Report report = evener.submit(job, Policies.fixed()).join();
            long sent = report.devices().stream()
                    .mapToLong(Report.DeviceUse::bytesIn)
                    .sum();
            // Besides it there are parameters and the statistics' partial results.
            assertTrue(sent >= frame.byteSize() && sent < frame.byteSize() + frame.byteSize() / 8, report.toString());
        }
    }

    private static void check(Map<String, int[]> expected, Map<String, int[]> actual, String what) {
        actual.forEach((key, pixels) ->
                assertArrayEquals(expected.get(key.substring(0, key.indexOf('@'))), pixels, what + ": " + key));
    }

    /** Pixels of every layout under every policy; without one, those of the one device, whose keys name none. */
    private static Map<String, int[]> map(Evener evener, ToneMapSettings settings, List<Policy> policies) {
        Map<String, int[]> results = new HashMap<>();
        try (ToneMapper mapper = new ToneMapper(evener::allocate)) {
            for (FrameLayout layout : LAYOUTS) {
                try (HostBuffer frame = frame(evener, layout);
                        HostBuffer pixels =
                                evener.allocate(ElementType.UINT, Frames.words(layout, settings.operator()) + 5)) {
                    for (int p = 0; p < Math.max(1, policies.size()); p++) {
                        Policy policy = policies.isEmpty() ? Policies.single(0) : policies.get(p);
                        evener.submit(mapper.job(layout, frame, pixels, settings), policy)
                                .join();
                        int[] words = new int[Frames.words(layout, settings.operator())];
                        pixels.ints().get(words);
                        results.put(layout + (policies.isEmpty() ? "" : "@" + p), words);
                        pixels.ints().put(new int[words.length]);
                    }
                }
            }
        }
        return results;
    }

    private static List<Policy> splits(int lanes) {
        List<Policy> policies = new ArrayList<>(List.of(Policies.fixed(), Policies.history()));
        for (double first : new double[] {0.37, 0.05, 0.9}) {
            double[] split = new double[lanes];
            split[0] = first;
            for (int i = 1; i < lanes; i++) {
                split[i] = (1 - first) / (lanes - 1);
            }
            policies.add(Policies.fixed(split));
        }
        return policies;
    }

    private static HostBuffer frame(Evener evener, FrameLayout layout) {
        HostBuffer frame = evener.allocate(ElementType.FLOAT, layout.floats());
        frame.floats().put(FRAMES.computeIfAbsent(layout, ToneMapDevicesTest::floats));
        return frame;
    }

    /** Rows of octaves, specials (NaN, infinities, negatives, denormals) and raw bit patterns. */
    private static float[] floats(FrameLayout layout) {
        float[] floats = new float[layout.floats()];
        List<HostBuffer> sources =
                List.of(Frames.octaves(layout, 1), Frames.special(layout, 2), Frames.bits(layout, 3));
        int row = layout.rowFloats();
        for (int y = 0; y < layout.height(); y++) {
            sources.get(y % sources.size()).floats().get(y * row, floats, y * row, row);
        }
        return floats;
    }
}
