package dev.evener.kernels.tonemap;

import static dev.evener.kernels.TestBed.open;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.reference.ToneMapReference;
import java.nio.IntBuffer;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrimariesTest {
    /** As published, white adapted by Bradford's transform: ITU-R BT.2087 inverted, Apple's and the Academy's tables, Lindbloom's. */
    private static final Map<String, double[]> PUBLISHED = Map.of(
            "rec2020",
            new double[] {1.660491, -0.587641, -0.072850, -0.124550, 1.132900, -0.008349, -0.018151, -0.100579, 1.118730
            },
            "p3",
            new double[] {1.224940, -0.224940, 0, -0.042057, 1.042057, 0, -0.019638, -0.078636, 1.098274},
            "acescg",
            new double[] {1.705051, -0.621792, -0.083259, -0.130256, 1.140805, -0.010548, -0.024003, -0.128969, 1.152972
            },
            "aces",
            new double[] {2.521686, -1.134131, -0.387555, -0.276480, 1.372719, -0.096239, -0.015378, -0.152975, 1.168354
            },
            "xyz",
            new double[] {3.1463, -1.6661, -0.4801, -0.9955, 1.9558, 0.0398, 0.0636, -0.2146, 1.151});

    @Test
    void matricesAreThosePublished() {
        PUBLISHED.forEach((name, expected) ->
                assertArrayEquals(expected, Primaries.parse(name).toRec709(), name.equals("xyz") ? 6e-4 : 1e-4, name));
        for (String each :
                new String[] {"rec709", "rec2020", "p3", "acescg", "aces", "xyz", "0.6,0.3,0.2,0.7,0.1,0.1,0.3,0.35"}) {
            double[] m = Primaries.parse(each).toRec709();
            for (int row = 0; row < 9; row += 3) {
                assertEquals(1, m[row] + m[row + 1] + m[row + 2], 1e-9, "white stays white");
            }
        }
    }

    @Test
    void whatIsNearANamedOneHasItsName() {
        Primaries rounded = Primaries.orRec709(0.7079, 0.292, 0.1702, 0.7969, 0.131, 0.046, 0.31271, 0.32902);
        assertEquals("rec2020", rounded.name());
        assertTrue(Primaries.orRec709(0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329)
                .isRec709());
        String own = "0.64,0.33,0.29,0.6,0.15,0.06,0.333,0.333"; // Radiance's
        assertEquals(own, Primaries.parse(own).name());
        assertEquals(Primaries.parse(own), Primaries.parse(Primaries.parse(own).name()));
    }

    @Test
    void whatSpansNoColoursIsRefused() {
        for (String wrong : new String[] {
            "srgb",
            "",
            "1,2",
            "0,0,0,0,0,0,0,0",
            "0.3,0.3,0.3,0.3,0.3,0.3,0.3,0.3",
            "0.64,0.33,0.3,0.6,0.15,0.06,NaN,0.329"
        }) {
            assertThrows(IllegalArgumentException.class, () -> Primaries.parse(wrong), wrong);
        }
        assertEquals(Primaries.REC709, Primaries.orRec709(new double[8]));
    }

    /** Of every kind of float, on every device, whatever the form: the bits of the Java form, and the reference's picture. */
    @ParameterizedTest
    @ValueSource(strings = {"0.0", "0.0,0.1", "0.0,0.1,1.0,jvm"})
    void floatsAreConverted(String devices) {
        FrameLayout layout = new FrameLayout(149, 41);
        try (Evener evener = open(devices, true);
                Evener java = open("jvm", true)) {
            for (String name : PUBLISHED.keySet()) {
                PixelCoding coding = PixelCoding.FLOATS.in(Primaries.parse(name).toRec709());
                for (Operator operator : new Operator[] {Operator.DRAGO, Operator.FILM, Operator.GUIDED, Operator.PQ}) {
                    HostBuffer frame = Frames.special(layout, name.hashCode());
                    int[] expected = map(java, layout, coding, frame, operator, false);
                    assertArrayEquals(expected, map(evener, layout, coding, frame, operator, false), name);
                    assertArrayEquals(expected, map(evener, layout, coding, frame, operator, true), name);
                    if (operator == Operator.PQ) { // whose 16 bits show the rounding of components to floats
                        continue;
                    }
                    HostBuffer converted = converted(layout, frame, PUBLISHED.get(name));
                    byte[] reference = ToneMapReference.map(converted.floats(), layout, ToneMapSettings.of(operator));
                    ToneMapReference.Difference difference =
                            ToneMapReference.compare(reference, IntBuffer.wrap(expected), layout);
                    long values = 3 * layout.pixels();
                    assertTrue(difference.differing() < values / 20, difference::toString);
                }
            }
        }
    }

    private static HostBuffer converted(FrameLayout layout, HostBuffer frame, double[] m) {
        HostBuffer all = Frames.of(layout, () -> 0);
        for (int y = 0; y < layout.height(); y++) {
            for (int x = 0; x < layout.width(); x++) {
                for (int i = 0; i < 9; i++) {
                    int at = y * layout.rowFloats() + x;
                    float c = frame.floats().get(at + i % 3 * layout.stride());
                    double limited = Float.isNaN(c) ? 0 : Math.max(-0x1p40, Math.min(0x1p40, c));
                    int to = at + i / 3 * layout.stride();
                    all.floats().put(to, (float) (all.floats().get(to) + m[i] * limited));
                }
            }
        }
        return all;
    }

    private static int[] map(
            Evener evener,
            FrameLayout layout,
            PixelCoding coding,
            HostBuffer source,
            Operator operator,
            boolean asGpu) {
        int[] words = new int[Frames.words(layout, operator)];
        try (ToneMapper mapper = new ToneMapper(evener::allocate);
                HostBuffer frame = evener.allocate(ElementType.FLOAT, layout.floats());
                HostBuffer pixels = evener.allocate(ElementType.UINT, words.length)) {
            frame.floats().put(source.floats());
            Job job = mapper.describe(
                            layout, layout, coding, null, frame, pixels, ToneMapSettings.of(operator), operator.words())
                    .build();
            evener.submit(GpuForms.job(asGpu, job)).join();
            pixels.ints().get(words);
            return words;
        }
    }
}
