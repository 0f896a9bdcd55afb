package dev.evener.kernels.tonemap;

import static dev.evener.kernels.Refusals.refused;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceKind;
import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.LongTests;
import dev.evener.TestBuffers;
import dev.evener.Variant;
import dev.evener.internal.job.JobSpec;
import dev.evener.kernels.reference.ToneMapReference;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ToneMapperTest {

    @ParameterizedTest
    @EnumSource(Operator.class)
    void agreesWithTheReferenceAtEveryWidth(Operator operator) {
        for (int width = 1; width <= 40; width++) {
            FrameLayout layout = new FrameLayout(width, 1 + width % 5);
            assertClose(layout, Frames.special(layout, width), ToneMapSettings.of(operator));
        }
    }

    @ParameterizedTest
    @EnumSource(Operator.class)
    void agreesWithTheReferenceOnEveryKindOfFloatAndExtremeSettings(Operator operator) {
        FrameLayout layout = new FrameLayout(LongTests.orAll(37, 101), LongTests.orAll(19, 41));
        List<HostBuffer> frames = List.of(
                Frames.bits(layout, 1),
                Frames.octaves(layout, 2),
                Frames.uniform(layout, 3),
                Frames.of(layout, () -> 0));
        for (HostBuffer frame : frames) {
            for (ToneMapSettings settings : extremes(operator)) {
                assertClose(layout, frame, settings);
            }
        }
    }

    private static List<ToneMapSettings> extremes(Operator operator) {
        List<ToneMapSettings> all = new ArrayList<>();
        List<FilmCurve> films = List.of(
                FilmCurve.defaults(),
                new FilmCurve(3, -3, 7.5, 1 / 2.2, 0),
                new FilmCurve(0, -20, 20, 2.2, 0.01),
                new FilmCurve(20, 3.4, 3.6, 0.1, 1000),
                new FilmCurve(-20, 3.4, 20, 10, 1_000_000));
        double[] biases = {0.85, 0.01, 0.5, 1};
        @Nullable Double[] keys = {0.18, 0.01, null, 1.0, 0.05};
        ToneMapSettings base = ToneMapSettings.of(operator);
        for (int i = 0; i < films.size(); i++) {
            ToneMapSettings film = base.withFilm(films.get(i)).withDragoBias(biases[i % biases.length]);
            ToneMapSettings peaked = i == 0 ? film : film.withPeak(100 + 300 * (i - 1));
            Colours.CurveOn on = !operator.takesCurveOn() || i < 3
                    ? null
                    : i == 3 ? Colours.CurveOn.CHANNELS : Colours.CurveOn.LUMINANCE;
            ToneMapSettings curve = peaked.withColours(
                    new Colours(on, i % 2 == 0 ? Colours.OutOfRange.PRESERVE : Colours.OutOfRange.CLIP, 1));
            all.add(curve.withAutoExposure(new Metering(keys[i], 0)));
            for (double stops : new double[] {-20, 0, 2.5, 20}) {
                all.add(curve.withExposure(stops));
                all.add(curve.withExposure(stops).withWhite(0.001));
                all.add(curve.withExposure(stops).withWhite(1e12));
            }
        }
        return all;
    }

    @ParameterizedTest
    @EnumSource(Operator.class)
    void everySplitGivesTheSameBits(Operator operator) {
        FrameLayout layout = new FrameLayout(23, 9);
        HostBuffer frame = Frames.special(layout, 5);
        IntBuffer whole = map(layout, frame, ToneMapSettings.of(operator)).ints();
        for (int first = 0; first <= 9; first++) {
            for (int second = first; second <= 9; second++) {
                IntBuffer split = map(layout, frame, ToneMapSettings.of(operator), first, second)
                        .ints();
                assertEquals(whole, split, "cut at " + first + " and " + second);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Operator.class)
    void blackStaysBlackAndPaddingIsBlackAndOpaque(Operator operator) {
        FrameLayout layout = new FrameLayout(3, 2);
        IntBuffer pixels = map(layout, Frames.of(layout, () -> 0), ToneMapSettings.of(operator))
                .ints();
        for (int i = 0; i < pixels.capacity(); i++) {
            assertEquals(0xff000000, pixels.get(i));
        }
    }

    @Test
    void whereNothingIsAroundLocalOperatorsAreGlobalOnes() {
        FrameLayout layout = new FrameLayout(150, 20);
        HostBuffer flat = Frames.of(layout, () -> 0.7);
        ToneMapSettings reinhard = ToneMapSettings.of(Operator.REINHARD).withExposure(1);
        IntBuffer global = map(layout, flat, reinhard).ints();
        IntBuffer local = map(
                        layout,
                        flat,
                        ToneMapSettings.of(Operator.REINHARD_LOCAL).withExposure(1))
                .ints();
        // Without compression the guided operator is the exposure alone: here 0.35, of which the code is 160.
        IntBuffer guided = map(
                        layout,
                        flat,
                        ToneMapSettings.of(Operator.GUIDED).withExposure(-1).withWhite(1))
                .ints();
        for (int x = 0; x < layout.width(); x++) {
            assertEquals(global.get(x) & 0xff, local.get(x) & 0xff, 1);
            assertEquals(160, guided.get(x) & 0xff, 1);
        }
    }

    /** ITU-R BT.2408: diffuse white, 203 cd/m², is 58 % of PQ and 75 % of HLG; BT.2100: the ends of both. */
    @Test
    void hdrCodesAreThoseOfTheStandards() {
        FrameLayout layout = new FrameLayout(4, 1);
        HostBuffer frame = TestBuffers.allocate(ElementType.FLOAT, layout.floats());
        for (int component = 0; component < 3; component++) {
            frame.floats().put(16 * component, new float[] {1, 100 / 203f, 1e6f, 0});
        }
        ToneMapSettings pq = ToneMapSettings.of(Operator.PQ).withExposure(0);
        ToneMapSettings hlg = ToneMapSettings.of(Operator.HLG).withExposure(0);
        double[][] expected = {
            {0.58069, 0.50808, 1, 0},
            {0.58069, 0.50808, 0.75183, 0},
            {0.74988, 0.62962, 1, 0},
            {0.73829, 0.62962, 0.81291, 0}
        };
        List<ToneMapSettings> all = List.of(pq, pq.withPeak(1000), hlg, hlg.withPeak(300));
        for (int i = 0; i < all.size(); i++) {
            IntBuffer words = map(layout, frame, all.get(i)).ints();
            for (int x = 0; x < 4; x++) {
                int first = words.get(2 * x);
                int second = words.get(2 * x + 1);
                int red = ((first & 0xff) << 8) | (first >> 8 & 0xff);
                assertEquals(expected[i][x], red / 65535.0, 3e-5, all.get(i) + ", pixel " + x);
                assertEquals(red, ((first >> 16 & 0xff) << 8) | (second & 0xff), 1);
                assertEquals(red, ((second >> 8 & 0xff) << 8) | (second >> 16 & 0xff), 1);
            }
        }
        refused("between 100 and 1000", () -> hlg.withPeak(1001));
        // A peak of 10,000 is rolled off to, as any other is: from 5,000 on, which is diffuse white times 24.6.
        for (int component = 0; component < 3; component++) {
            frame.floats().put(16 * component, new float[] {24, 49.263f, 1e6f, 0});
        }
        IntBuffer rolled = map(layout, frame, pq.withPeak(10_000)).ints();
        IntBuffer cut = map(layout, frame, pq).ints();
        assertEquals(cut.get(0) & 0xff, rolled.get(0) & 0xff);
        // 10,000 becomes 7,500: 0.9688 of the curve.
        assertEquals(255, cut.get(2) & 0xff);
        assertEquals(248, rolled.get(2) & 0xff, 1);
    }

    @Test
    void redIsTheLowByte() {
        FrameLayout layout = new FrameLayout(1, 1);
        HostBuffer frame = TestBuffers.allocate(ElementType.FLOAT, layout.floats());
        frame.floats().put(0, 1e9f).put(16, 0.001f);
        Colours clip = new Colours(null, Colours.OutOfRange.CLIP, 1);
        int word = map(
                        layout,
                        frame,
                        ToneMapSettings.of(Operator.REINHARD).withExposure(0).withColours(clip))
                .ints()
                .get(0);
        assertEquals(255, word & 0xff);
        assertEquals(0, word >> 8 & 0xff);
        assertEquals(0, word >> 16 & 0xff);
        assertEquals(255, word >>> 24);
    }

    @Test
    void extendedReinhardMapsTheBrightestPixelToWhite() {
        FrameLayout layout = new FrameLayout(2, 1);
        HostBuffer frame = TestBuffers.allocate(ElementType.FLOAT, layout.floats());
        for (int component = 0; component < 3; component++) {
            frame.floats().put(16 * component, 40f).put(16 * component + 1, 0.5f);
        }
        IntBuffer pixels = map(layout, frame, ToneMapSettings.of(Operator.REINHARD_EXTENDED))
                .ints();
        for (int shift = 0; shift < 24; shift += 8) {
            assertEquals(255, pixels.get(0) >> shift & 0xff, 1); // white stands in the middle of its step
        }
    }

    @Test
    void aPoolOfLargerBuffersServesFramesOfDifferentSizes() {
        HostBuffer frame = TestBuffers.allocate(ElementType.FLOAT, 100_000);
        HostBuffer pixels = TestBuffers.allocate(ElementType.UINT, 40_000);
        try (ToneMapper mapper = new ToneMapper(TestBuffers::allocate)) {
            for (int size : new int[] {1, 17, 100, 33}) {
                FrameLayout layout = new FrameLayout(size, size);
                HostBuffer exact = Frames.uniform(layout, size);
                frame.floats().put(0, exact.floats(), 0, layout.floats());
                ToneMapSettings settings = ToneMapSettings.of(Operator.ACES);
                JvmRunner.run(mapper.job(layout, frame, pixels, settings));
                IntBuffer expected = map(layout, exact, settings).ints();
                assertEquals(expected, pixels.ints().slice(0, layout.words()));
                assertNotNull(mapper.statistics());
            }
        }
    }

    @Test
    void statisticsAreSkippedWhereNothingNeedsThem() {
        FrameLayout layout = new FrameLayout(5, 5);
        HostBuffer frame = Frames.uniform(layout, 1);
        HostBuffer pixels = Frames.output(layout, Operator.PQ);
        try (ToneMapper mapper = new ToneMapper(TestBuffers::allocate)) {
            for (Operator operator : Operator.values()) {
                ToneMapSettings auto = ToneMapSettings.of(operator);
                int mapping = operator == Operator.GUIDED ? 3 : operator == Operator.REINHARD_LOCAL ? 2 : 1;
                int phases = operator == Operator.FILM ? 1 : 1 + mapping;
                assertEquals(
                        phases,
                        JobSpec.of(mapper.job(layout, frame, pixels, auto))
                                .phases()
                                .size(),
                        operator.name());
                ToneMapSettings set = auto.withExposure(1).withWhite(4);
                assertEquals(
                        mapping,
                        JobSpec.of(mapper.job(layout, frame, pixels, set))
                                .phases()
                                .size(),
                        operator.name());
                assertNull(mapper.statistics());
            }
        }
    }

    @Test
    void everyDeviceClassHasALaunchThatCoversTheFrame() {
        FrameLayout layout = new FrameLayout(1000, 7);
        try (ToneMapper mapper = new ToneMapper(TestBuffers::allocate)) {
            Job job = mapper.job(
                    layout,
                    Frames.uniform(layout, 1),
                    Frames.output(layout, Operator.KHRONOS_NEUTRAL),
                    ToneMapSettings.of(Operator.KHRONOS_NEUTRAL));
            for (DeviceKind kind : new DeviceKind[] {DeviceKind.CPU, DeviceKind.GPU, DeviceKind.ACCELERATOR}) {
                Variant variant =
                        JobSpec.of(job).phases().get(1).passes().get(0).variant(kind);
                assertTrue(variant.options().contains("OPERATOR=5"));
                long items = variant.globalSize(7, 2);
                assertTrue(kind == DeviceKind.CPU ? items <= 7 : items >= 7 * 1008 / 4);
            }
        }
    }

    @Test
    void wrongBuffersAreRefusedWithTheReason() {
        FrameLayout layout = new FrameLayout(20, 10);
        HostBuffer frame = Frames.uniform(layout, 1);
        HostBuffer pixels = Frames.output(layout, Operator.REINHARD);
        ToneMapSettings settings = ToneMapSettings.of(Operator.REINHARD);
        try (ToneMapper mapper = new ToneMapper(TestBuffers::allocate)) {
            refused("float", () -> mapper.job(layout, pixels, pixels, settings));
            refused("uint", () -> mapper.job(layout, frame, frame, settings));
            FrameLayout larger = new FrameLayout(33, 10);
            refused("1440 are needed", () -> mapper.job(larger, frame, pixels, settings));
        }
    }

    @Test
    void aPaddingThatIsNotBlackFailsTheJob() {
        FrameLayout layout = new FrameLayout(1, 1);
        HostBuffer frame = TestBuffers.allocate(ElementType.FLOAT, layout.floats());
        for (int i = 0; i < layout.floats(); i++) {
            frame.floats().put(i, 1f);
        }
        refused("padding", () -> map(layout, frame, ToneMapSettings.of(Operator.REINHARD)));
    }

    @Test
    void closeReleasesTheBuffersOfAMapperAndOfOneThatFailedToMakeThem() {
        FrameLayout layout = new FrameLayout(3, 2);
        HostBuffer frame = TestBuffers.allocate(ElementType.FLOAT, layout.floats());
        ToneMapSettings settings = ToneMapSettings.of(Operator.REINHARD);
        HostBuffer pixels = Frames.output(layout, Operator.REINHARD);
        List<HostBuffer> made = new ArrayList<>();
        try (ToneMapper mapper = new ToneMapper((type, elements) -> remember(made, type, elements))) {
            mapper.job(layout, frame, pixels, settings);
            mapper.job(layout, frame, pixels, settings);
            assertEquals(2, made.size());
        }
        assertTrue(made.stream().allMatch(HostBuffer::isClosed));

        made.clear();
        IllegalStateException full = new IllegalStateException("full");
        try (ToneMapper mapper = new ToneMapper((type, elements) -> {
            if (made.size() == 1) {
                throw full;
            }
            return remember(made, type, elements);
        })) {
            assertThrows(IllegalStateException.class, () -> mapper.job(layout, frame, pixels, settings));
        }
        assertEquals(1, made.size());
        assertTrue(made.stream().allMatch(HostBuffer::isClosed));
    }

    @Test
    void referenceReadsPlanarAndInterleavedAlike() {
        FrameLayout layout = new FrameLayout(2, 1);
        HostBuffer frame = TestBuffers.allocate(ElementType.FLOAT, layout.floats());
        frame.floats().put(0, 1f).put(1, 4f).put(16, 2f).put(17, 5f).put(32, 3f).put(33, 6f);
        ToneMapSettings settings = ToneMapSettings.of(Operator.HABLE);
        assertArrayEquals(
                ToneMapReference.map(new double[] {1, 2, 3, 4, 5, 6}, layout, settings),
                ToneMapReference.map(frame.floats(), layout, settings));
        refused("three components", () -> ToneMapReference.map(new double[4], layout, settings));
        refused("three components", () -> ToneMapReference.map(new double[0], layout, settings));
    }

    private static HostBuffer remember(List<HostBuffer> made, ElementType type, long elements) {
        HostBuffer buffer = TestBuffers.allocate(type, elements);
        made.add(buffer);
        return buffer;
    }

    private static HostBuffer map(FrameLayout layout, HostBuffer frame, ToneMapSettings settings, int... cuts) {
        HostBuffer pixels = Frames.output(layout, settings.operator());
        try (ToneMapper mapper = new ToneMapper(TestBuffers::allocate)) {
            JvmRunner.run(mapper.job(layout, frame, pixels, settings), cuts);
        }
        return pixels;
    }

    private static void assertClose(FrameLayout layout, HostBuffer frame, ToneMapSettings settings) {
        byte[] expected = ToneMapReference.map(frame.floats(), layout, settings);
        IntBuffer actual = map(layout, frame, settings).ints();
        ToneMapReference.Difference difference = ToneMapReference.compare(expected, actual, layout);
        assertTrue(difference.largest() <= 1, () -> settings + " on " + layout + ": " + difference);
        // The formulas are good to 0.002 of a code, or 0.02 with 16 bits: more than a few differences would be a wrong
        // formula.
        assertTrue(
                difference.differing()
                        <= 2 + layout.pixels() / (settings.operator().words() == 1 ? 100 : 8),
                () -> settings + " on " + layout + ": " + difference);
    }
}
