package dev.evener.kernels.tonemap;

import static dev.evener.kernels.Refusals.refused;
import static dev.evener.kernels.TestBed.open;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.InTurn;
import dev.evener.Job;
import dev.evener.LongTests;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.reference.ToneMapReference;
import java.nio.IntBuffer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Operators for plain displays with 16 bits: the same bits everywhere, close to the reference. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@InTurn(2)
class SixteenBitsTest {
    private final Evener evener = open("0.0,0.1,1.0,jvm", true);
    private final Evener java = open("jvm", true);

    @AfterAll
    void close() {
        evener.close();
        java.close();
    }

    @ParameterizedTest
    @EnumSource(Operator.class)
    void everyOperatorHasSixteenBits(Operator operator) {
        FrameLayout layout = new FrameLayout(133, 77);
        ToneMapSettings settings = ToneMapSettings.of(operator);
        for (HostBuffer frame : new HostBuffer[] {Frames.special(layout, 3), Frames.uniform(layout, 4)}) {
            int[] expected = map(java, layout, frame, settings, 2, false);
            assertArrayEquals(expected, map(evener, layout, frame, settings, 2, false));
            assertArrayEquals(expected, map(evener, layout, frame, settings, 2, true));
            byte[] reference = ToneMapReference.map(frame.floats(), layout, settings, 2);
            ToneMapReference.Difference difference =
                    ToneMapReference.compare(reference, IntBuffer.wrap(expected), layout);
            assertTrue(difference.largest() <= 1, () -> operator + ": " + difference);
            if (operator.words() == 1) { // whose 8 bits are these, rounded
                int[] eight = map(java, layout, frame, settings, 1, false);
                for (int i = 0; i < eight.length; i++) {
                    int red = ((expected[2 * i] & 0xff) << 8) | ((expected[2 * i] >> 8) & 0xff);
                    assertTrue(Math.abs(red - 257 * (eight[i] & 0xff)) <= 129, () -> operator + " at 8 bits");
                }
            } else {
                refused("1 words", () -> map(java, layout, frame, settings, 1, false));
            }
        }
    }

    static List<Operator> global() {
        return LongTests.inTurn(
                3, Stream.of(Operator.values()).filter(o -> !o.isLocal()).toList());
    }

    /** Bright colours in particular, for which the way into range multiplies what a curve rounds. */
    @ParameterizedTest
    @MethodSource("global")
    void aFrameIsWithinOneCode(Operator operator) {
        ToneMapSettings settings = ToneMapSettings.of(operator);
        Samples sample = Samples.ALL.stream()
                .filter(s -> s.name().equals("courtyard"))
                .findFirst()
                .orElseThrow();
        HostBuffer frame = sample.frame();
        int[] codes = map(java, sample.layout(), frame, settings, 2, false);
        ToneMapReference.Difference difference = ToneMapReference.compare(
                ToneMapReference.map(frame.floats(), sample.layout(), settings, 2),
                IntBuffer.wrap(codes),
                sample.layout());
        assertTrue(difference.largest() <= 1, () -> operator + ": " + difference);
    }

    private static int[] map(
            Evener own, FrameLayout layout, HostBuffer source, ToneMapSettings settings, int words, boolean asGpu) {
        int[] all = new int[words * layout.words()];
        try (ToneMapper mapper = new ToneMapper(own::allocate);
                HostBuffer frame = own.allocate(ElementType.FLOAT, layout.floats());
                HostBuffer pixels = own.allocate(ElementType.UINT, all.length)) {
            frame.floats().put(source.floats());
            Job job = mapper.describe(layout, layout, PixelCoding.FLOATS, null, frame, pixels, settings, words)
                    .build();
            own.submit(GpuForms.job(asGpu, job)).join();
            pixels.ints().get(all);
            return all;
        }
    }
}
