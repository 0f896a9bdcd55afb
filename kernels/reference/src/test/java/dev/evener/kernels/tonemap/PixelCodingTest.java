package dev.evener.kernels.tonemap;

import static dev.evener.kernels.TestBed.open;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.LongTests;
import dev.evener.kernels.GpuForms;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Coded pixels give the picture of the floats that they stand for. */
class PixelCodingTest {
    private static final float[] XYZ = {3.24f, -1.54f, -0.5f, -0.97f, 1.88f, 0.04f, 0.06f, -0.2f, 1.06f};
    private static final float[] HUGE = {1e38f, 0, 0, 0, Float.MAX_VALUE, -Float.MAX_VALUE, 1, 1e-38f, 0};

    /** What Radiance's format says of a pixel, in double precision, beyond which a float saturates. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Meaning(double exposure, float @Nullable [] matrix) {
        float[] of(int word) {
            int e = word >>> 24;
            float factor = e == 0 ? 0 : (float) Math.min(Math.scalb(1.0, e - 136) / exposure, Float.MAX_VALUE / 255);
            factor = factor < Float.MIN_NORMAL ? 0 : factor;
            float r = (word & 0xff) * factor;
            float g = (word >> 8 & 0xff) * factor;
            float b = (word >> 16 & 0xff) * factor;
            return matrix == null
                    ? new float[] {r, g, b}
                    : new float[] {sum(0, r, g, b), sum(3, r, g, b), sum(6, r, g, b)};
        }

        private float sum(int row, float r, float g, float b) {
            float[] m = matrix == null ? XYZ : matrix;
            float value = m[row] * r + m[row + 1] * g + m[row + 2] * b;
            return Math.max(-Float.MAX_VALUE, Math.min(Float.MAX_VALUE, value));
        }

        PixelCoding coding() {
            float[] m = matrix == null ? new float[0] : matrix;
            return PixelCoding.rgbe(
                    exposure, IntStream.range(0, m.length).mapToObj(i -> m[i]).toList());
        }
    }

    private static final List<Meaning> MEANINGS = List.of(
            new Meaning(1, null),
            new Meaning(0.37, null),
            new Meaning(1 / 3.0, XYZ),
            new Meaning(1e-30, null),
            new Meaning(3e-41, XYZ),
            new Meaning(7e40, null),
            new Meaning(1e-300, null),
            new Meaning(1e300, null),
            new Meaning(1, HUGE));

    private static int[] words(FrameLayout layout, int seed) {
        int[] words = new int[layout.words()];
        Frames.coded(layout, seed).ints().get(words);
        return words;
    }

    private static float[] floats(Meaning meaning, FrameLayout layout, int[] words) {
        float[] floats = new float[layout.floats()];
        for (int i = 0; i < words.length; i++) {
            float[] pixel = meaning.of(words[i]);
            for (int channel = 0; channel < 3; channel++) {
                floats[(i / layout.stride() * 3 + channel) * layout.stride() + i % layout.stride()] = pixel[channel];
            }
        }
        return floats;
    }

    private static byte[] planes(FrameLayout layout, int[] words) {
        byte[] planes = new byte[4 * words.length];
        for (int i = 0; i < planes.length; i++) {
            int x = i % layout.stride();
            int component = i / layout.stride() % 4;
            planes[i] = (byte) (words[i / (4 * layout.stride()) * layout.stride() + x] >>> (8 * component));
        }
        return planes;
    }

    private static final List<FrameLayout> LAYOUTS = List.of(new FrameLayout(1, 1), new FrameLayout(333, 70));

    @ParameterizedTest
    @ValueSource(strings = {"jvm", "0.0", "0.0,0.1", "1.0", "0.0,0.1,1.0,jvm"})
    void codedPixelsAreThePictureOfTheirFloats(String devices) {
        try (Evener evener = open(devices, true);
                Evener java = open("jvm", true)) {
            for (FrameLayout layout : LAYOUTS) {
                for (Meaning meaning : MEANINGS) {
                    int[] words = words(layout, 5);
                    for (Operator operator : LongTests.inTurn(
                            3, List.of(Operator.REINHARD_EXTENDED, Operator.KHRONOS_NEUTRAL, Operator.FILM))) {
                        ToneMapSettings settings = ToneMapSettings.of(operator);
                        HostBuffer plain = java.allocate(ElementType.FLOAT, layout.floats());
                        plain.floats().put(floats(meaning, layout, words));
                        int[] expected = map(java, layout, PixelCoding.FLOATS, plain, settings, false);
                        HostBuffer coded = evener.allocate(ElementType.UINT, layout.words());
                        coded.ints().put(words);
                        for (boolean asGpu : new boolean[] {false, true}) {
                            int[] pixels = map(evener, layout, meaning.coding(), coded, settings, asGpu);
                            assertArrayEquals(expected, pixels, meaning + " " + operator + " " + asGpu);
                        }
                        coded.bytes().put(planes(layout, words));
                        for (boolean asGpu : new boolean[] {false, true}) {
                            PixelCoding planes = meaning.coding().inPlanes();
                            int[] pixels = map(evener, layout, planes, coded, settings, asGpu);
                            assertArrayEquals(expected, pixels, meaning + " " + operator + " in planes " + asGpu);
                        }
                        plain.close();
                        coded.close();
                    }
                }
            }
        }
    }

    private static int[] map(
            Evener evener,
            FrameLayout layout,
            PixelCoding coding,
            HostBuffer frame,
            ToneMapSettings settings,
            boolean asGpu) {
        try (ToneMapper mapper = new ToneMapper(evener::allocate);
                HostBuffer pixels = evener.allocate(ElementType.UINT, layout.words())) {
            Job job = mapper.describe(
                            layout,
                            layout,
                            coding,
                            null,
                            frame,
                            pixels,
                            settings,
                            settings.operator().words())
                    .build();
            evener.submit(GpuForms.job(asGpu, job)).join();
            int[] words = new int[layout.words()];
            pixels.ints().get(words);
            return words;
        }
    }

    @Test
    void aFrameIsExpandedToItsFloats() {
        FrameLayout layout = LAYOUTS.get(1);
        int[] words = words(layout, 9);
        try (Evener java = open("jvm", true)) {
            HostBuffer coded = java.allocate(ElementType.UINT, layout.words());
            HostBuffer target = java.allocate(ElementType.FLOAT, layout.floats());
            coded.ints().put(words);
            Meaning meaning = MEANINGS.get(1);
            meaning.coding().expand(layout, coded.bytes(), target.floats());
            float[] expanded = new float[layout.floats()];
            target.floats().get(expanded);
            float[] expected = floats(meaning, layout, words);
            assertArrayEquals(expected, expanded);
            coded.bytes().put(planes(layout, words));
            meaning.coding().inPlanes().expand(layout, coded.bytes(), target.floats());
            target.floats().get(expanded);
            assertArrayEquals(expected, expanded);
        }
    }

    @Test
    void exposuresArePositiveNumbers() {
        for (double wrong : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
            assertThrows(IllegalArgumentException.class, () -> PixelCoding.rgbe(wrong, List.of()));
        }
    }
}
