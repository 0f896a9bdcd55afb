package dev.evener.kernels.tonemap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.TestBuffers;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.GroupedConformance;
import dev.evener.kernels.OwnBuffers;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.reference.ResizeReference;
import dev.evener.policy.Policy;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Resized frames are those of the reference, bit for bit, however they are split; and the reference does what such a
 * filter is for.
 */
class ResizeConformanceTest extends GroupedConformance {
    /**
     * From and to: one pixel, odd sizes, shrunk and enlarged, in one direction alone and against each other, by little
     * and by much.
     */
    private static final int[][] SIZES = {
        {1, 1, 5, 3},
        {7, 5, 1, 1},
        {33, 29, 17, 13},
        {17, 13, 33, 29},
        {40, 9, 9, 40},
        {31, 90, 31, 11},
        {50, 12, 64, 12},
        {37, 41, 36, 43},
        {2, 1, 3, 97},
        {300, 3, 20, 2}
    };

    @Override
    protected List<? extends PrimitiveCase> someOf(List<? extends PrimitiveCase> all) {
        return all.subList(2, 5);
    }

    @Override
    protected List<? extends PrimitiveCase> fewerOf(List<? extends PrimitiveCase> all) {
        return someOf(all);
    }

    /** One in both directions. */
    static PrimitiveCase small(boolean asGpu) {
        return new Case(new FrameLayout(33, 5), new FrameLayout(21, 7), null, false, asGpu);
    }

    @Override
    protected List<PrimitiveCase> cases(boolean asGpu) {
        List<PrimitiveCase> cases = new ArrayList<>();
        for (int i = 0; i < SIZES.length; i++) {
            int[] s = SIZES[i];
            FrameLayout from = new FrameLayout(s[0], s[1]);
            cases.add(new Case(from, new FrameLayout(s[2], s[3]), null, i % 3 == 1, asGpu));
        }
        PixelCoding words = PixelCoding.rgbe(0.7, List.of(1f, 0.5f, 0f, 0f, 1f, 0f, 0.1f, 0f, 0.8f));
        cases.add(new Case(new FrameLayout(33, 29), new FrameLayout(20, 31), words.inPlanes(), false, asGpu));
        return cases;
    }

    private record Case(
            FrameLayout from, FrameLayout to, @Nullable PixelCoding given, boolean wrap, boolean asGpu)
            implements PrimitiveCase {
        @Override
        public String name() {
            return toString();
        }

        private PixelCoding coding() {
            return given == null ? PixelCoding.FLOATS : given;
        }

        private HostBuffer source() {
            return given == null ? Frames.special(from, 7) : Frames.coded(from, 7);
        }

        @Override
        public int[] run(Evener evener, Policy policy) {
            try (OwnBuffers own = new OwnBuffers();
                    HostBuffer frame = evener.allocate(coding().type(), coding().elements(from) + 5)) {
                frame.bytes().put(source().bytes());
                JobBuilder job = Job.named("resize").units(to.height());
                FrameResizer resizer = new FrameResizer(own, evener::allocate);
                HostBuffer resized = (HostBuffer) resizer.addTo(job, from, coding(), frame, to, wrap);
                evener.submit(GpuForms.job(asGpu, job.build()), policy).join();
                int[] bits = new int[to.floats()];
                resized.ints().get(0, bits);
                return bits;
            }
        }

        @Override
        public void check(Object output) {
            FloatBuffer floats = source().floats();
            if (given != null) {
                floats = FloatBuffer.allocate(from.floats());
                given.expand(from, source().bytes(), floats);
            }
            FloatBuffer expected = ResizeReference.resize(floats, from, to, wrap);
            int[] bits = new int[to.floats()];
            for (int i = 0; i < bits.length; i++) {
                bits[i] = Float.floatToRawIntBits(expected.get(i));
            }
            assertArrayEquals(bits, (int[]) output, name());
        }
    }

    /** Every cut of the rows, by the Java form: each sees as much of the frame as it needs, and where it is. */
    @Test
    void everyCut() {
        FrameLayout from = new FrameLayout(5, 23);
        HostBuffer frame = Frames.special(from, 3);
        for (int rows : new int[] {1, 7, 22, 24, 61}) {
            FrameLayout to = new FrameLayout(6, rows);
            FloatBuffer expected = ResizeReference.resize(frame.floats(), from, to, false);
            for (int cut = 1; cut < rows; cut++) {
                try (OwnBuffers own = new OwnBuffers()) {
                    FrameResizer resizer = new FrameResizer(own, TestBuffers::allocate);
                    JobBuilder job = Job.named("resize").units(rows);
                    HostBuffer out = (HostBuffer) resizer.addTo(job, from, PixelCoding.FLOATS, frame, to, false);
                    JvmRunner.run(job.build(), cut);
                    assertEquals(-1, out.floats().slice(0, to.floats()).mismatch(expected), "cut at " + cut);
                }
            }
        }
    }

    /** The same picture comes of the frame resized beforehand, whatever exposure measures. */
    @Test
    void mapsTheResizedFrame() {
        FrameLayout from = new FrameLayout(45, 20);
        FrameLayout to = new FrameLayout(20, 17);
        HostBuffer frame = Frames.special(from, 5);
        HostBuffer before = TestBuffers.allocate(ElementType.FLOAT, to.floats());
        before.floats().put(ResizeReference.resize(frame.floats(), from, to, false));
        for (Operator operator : List.of(Operator.REINHARD_EXTENDED, Operator.GUIDED, Operator.PQ)) {
            ToneMapSettings settings = ToneMapSettings.of(operator);
            HostBuffer expected = Frames.output(to, operator);
            HostBuffer actual = Frames.output(to, operator);
            try (ToneMapper mapper = new ToneMapper(TestBuffers::allocate)) {
                JvmRunner.run(mapper.job(to, before, expected, settings));
                JvmRunner.run(
                        mapper.describe(from, to, PixelCoding.FLOATS, null, frame, actual, settings, operator.words())
                                .build(),
                        3,
                        9);
                assertEquals(expected.ints(), actual.ints(), operator.commandLineName());
                JvmRunner.run(mapper.statisticsJob(from, to, PixelCoding.FLOATS, null, frame, settings), 4);
                FrameStatistics measured = mapper.statistics();
                JvmRunner.run(mapper.statisticsJob(to, to, PixelCoding.FLOATS, null, before, settings));
                assertEquals(mapper.statistics(), measured);
            }
        }
    }

    /**
     * Waves that the new size can show are there with their phase, others are not: enlarged, shrunk and nearly the
     * same.
     */
    @Test
    void keepsWhatTheNewSizeCanShow() {
        for (int size : new int[] {97, 150, 299, 301, 700}) {
            double smaller = Math.min(300, size);
            DoubleUnaryOperator low = at -> 2 + Math.cos(2 * Math.PI * at * 0.05 * smaller + 1); // periods across
            assertTrue(worst(size, low, low) < 0.03, size + ": " + worst(size, low, low));
            if (size < 200) {
                DoubleUnaryOperator high = at -> 2 + Math.cos(2 * Math.PI * at * 0.85 * smaller + 1);
                assertTrue(worst(size, high, at -> 2) < 0.06, size + ": " + worst(size, high, at -> 2));
            }
        }
    }

    /** The largest error away from the edges, of rows and columns alike. */
    private static double worst(int size, DoubleUnaryOperator wave, DoubleUnaryOperator expected) {
        double worst = 0;
        for (boolean down : new boolean[] {false, true}) {
            FrameLayout from = down ? new FrameLayout(1, 300) : new FrameLayout(300, 1);
            FrameLayout to = down ? new FrameLayout(1, size) : new FrameLayout(size, 1);
            int[] at = {0};
            HostBuffer frame =
                    Frames.of(from, () -> wave.applyAsDouble(((down ? at[0]++ / 3 : at[0]++ % 300) + 0.5) / 300));
            FloatBuffer resized = ResizeReference.resize(frame.floats(), from, to, false);
            for (int i = size / 10; i < size - size / 10; i++) {
                double value = resized.get(down ? 3 * 16 * i : i);
                worst = Math.max(worst, Math.abs(value - expected.applyAsDouble((i + 0.5) / size)));
            }
        }
        return worst;
    }

    /** What is light stays light and what is of one colour stays it, bit for bit, beside any sun. */
    @Test
    void nothingRings() {
        for (int[] s : SIZES) {
            FrameLayout from = new FrameLayout(s[0], s[1]);
            FrameLayout to = new FrameLayout(s[2], s[3]);
            HostBuffer grey = Frames.of(from, () -> 0.3);
            FloatBuffer same = ResizeReference.resize(grey.floats(), from, to, false);
            grey.floats().put(from.stride() * 3 * (s[1] / 2) + s[0] / 2, 1e9f);
            FloatBuffer lit = ResizeReference.resize(grey.floats(), from, to, false);
            for (int i = 0; i < to.floats(); i++) {
                boolean padding = i % to.stride() >= to.width();
                assertEquals(padding ? 0 : 0.3f, same.get(i));
                assertTrue(lit.get(i) >= same.get(i) && lit.get(i) <= 1e9f, from + " to " + to + ": " + lit.get(i));
            }
        }
    }
}
