package dev.evener.kernels.tonemap;

import static dev.evener.kernels.Refusals.refused;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.TestBuffers;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.GroupedConformance;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.reference.ToneMapReference;
import dev.evener.policy.Policy;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Frames that go on at the other edge: rolled by any number of columns, their picture is rolled alike, bit for bit. */
class WrapConformanceTest extends GroupedConformance {
    private static final ToneMapSettings GUIDED =
            ToneMapSettings.of(Operator.GUIDED).withWrap(true);
    private static final ToneMapSettings REINHARD =
            ToneMapSettings.of(Operator.REINHARD_LOCAL).withWrap(true);

    /** Narrower than filters reach, not of whole vectors, and of several of a CPU's blocks, the last one of some columns. */
    private static final int[] WIDTHS = {1, 2, 16, 31, 47, 65, 1023, 1024, 1025, 1071, 2100};

    @Override
    protected List<? extends PrimitiveCase> someOf(List<? extends PrimitiveCase> all) {
        return all.stream().filter(c -> ((Case) c).settings.equals(GUIDED)).toList();
    }

    @Override
    protected List<PrimitiveCase> cases(boolean asGpu) {
        List<PrimitiveCase> cases = new ArrayList<>();
        for (ToneMapSettings settings : List.of(REINHARD, GUIDED)) {
            for (int i = 0; i < WIDTHS.length; i++) {
                FrameLayout layout = new FrameLayout(WIDTHS[i], 3 + i % 4 * 2);
                cases.add(new Case(settings, layout, i % 2 == 0 ? layout.width() / 3 : layout.width() - 1, asGpu));
            }
        }
        return cases;
    }

    private record Case(ToneMapSettings settings, FrameLayout layout, int columns, boolean asGpu)
            implements PrimitiveCase {
        @Override
        public String name() {
            return toString();
        }

        /** The picture of the frame rolled to the right, rolled back. */
        @Override
        public int[] run(Evener evener, Policy policy) {
            try (ToneMapper mapper = new ToneMapper(evener::allocate);
                    HostBuffer frame = evener.allocate(ElementType.FLOAT, layout.floats());
                    HostBuffer pixels = evener.allocate(ElementType.UINT, layout.words())) {
                frame.floats()
                        .put(rolled(layout, Frames.special(layout, 3), columns).floats());
                Job job = mapper.job(layout, frame, pixels, settings);
                evener.submit(GpuForms.job(asGpu, job), policy).join();
                return rolledPixels(layout, pixels, -columns);
            }
        }

        /** That of the Java form of the frame as it is, which is within one code of the formulas'. */
        @Override
        public void check(Object output) {
            HostBuffer frame = Frames.special(layout, 3);
            HostBuffer pixels = mapped(layout, frame, settings);
            assertArrayEquals(rolledPixels(layout, pixels, 0), (int[]) output);
            byte[] expected = ToneMapReference.map(frame.floats(), layout, settings);
            ToneMapReference.Difference difference = ToneMapReference.compare(expected, pixels.ints(), layout);
            assertTrue(difference.largest() <= 1, difference.toString());
        }
    }

    /** The Java form and the reference, each rolled by every number of columns. */
    @ParameterizedTest
    @EnumSource(
            value = Operator.class,
            names = {"GUIDED", "REINHARD_LOCAL"})
    void everyRoll(Operator operator) {
        FrameLayout layout = new FrameLayout(37, 6);
        ToneMapSettings settings = ToneMapSettings.of(operator).withWrap(true);
        HostBuffer frame = Frames.octaves(layout, 11);
        int[] picture = rolledPixels(layout, mapped(layout, frame, settings), 0);
        for (int columns = 1; columns < layout.width(); columns++) {
            HostBuffer other = rolled(layout, frame, columns);
            assertArrayEquals(picture, rolledPixels(layout, mapped(layout, other, settings, 1, 4), -columns));
            byte[] expected = ToneMapReference.map(other.floats(), layout, settings);
            IntBuffer actual = mapped(layout, other, settings).ints();
            assertTrue(ToneMapReference.compare(expected, actual, layout).largest() <= 1);
        }
        assertFalse(Arrays.equals(picture, rolledPixels(layout, mapped(layout, frame, settings.withWrap(false)), 0)));
    }

    @Test
    void whatLooksAtNoNeighboursRefuses() {
        for (Operator operator : Operator.values()) {
            ToneMapSettings settings = ToneMapSettings.of(operator);
            assertEquals(settings, settings.withWrap(false));
            if (!operator.isLocal()) {
                refused("looks at no pixels around", () -> settings.withWrap(true));
            }
        }
    }

    private static HostBuffer mapped(FrameLayout layout, HostBuffer frame, ToneMapSettings settings, int... cuts) {
        HostBuffer pixels = Frames.output(layout, settings.operator());
        try (ToneMapper mapper = new ToneMapper(TestBuffers::allocate)) {
            JvmRunner.run(mapper.job(layout, frame, pixels, settings), cuts);
        }
        return pixels;
    }

    private static HostBuffer rolled(FrameLayout layout, HostBuffer frame, int columns) {
        HostBuffer out = TestBuffers.allocate(ElementType.FLOAT, layout.floats());
        for (int row = 0; row < 3 * layout.height(); row++) {
            for (int x = 0; x < layout.width(); x++) {
                int to = Math.floorMod(x + columns, layout.width());
                out.floats().put(row * layout.stride() + to, frame.floats().get(row * layout.stride() + x));
            }
        }
        return out;
    }

    private static int[] rolledPixels(FrameLayout layout, HostBuffer pixels, int columns) {
        int[] out = new int[layout.words()];
        for (int i = 0; i < out.length; i++) {
            int x = i % layout.stride();
            int to = x < layout.width() ? Math.floorMod(x + columns, layout.width()) : x;
            out[i - x + to] = pixels.ints().get(i);
        }
        return out;
    }
}
