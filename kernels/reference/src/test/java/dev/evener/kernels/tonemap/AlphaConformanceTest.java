package dev.evener.kernels.tonemap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.TestBuffers;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.GroupedConformance;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.reference.AlphaReference;
import dev.evener.kernels.reference.ResizeReference;
import dev.evener.policy.Policy;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.List;
import java.util.Random;

/** Frames with alpha are mapped as their colours without it, bit for bit, in their own size or another. */
class AlphaConformanceTest extends GroupedConformance {
    private static final float[] ALPHAS = {0, 1, 0.5f, Float.NaN, -1, 2, 0x1p-17f, 0x1.fffffep-18f, 1e-30f, 1e30f};

    @Override
    protected List<? extends PrimitiveCase> someOf(List<? extends PrimitiveCase> all) {
        return all.subList(0, 1);
    }

    @Override
    protected List<? extends PrimitiveCase> fewerOf(List<? extends PrimitiveCase> all) {
        return someOf(all);
    }

    @Override
    protected List<PrimitiveCase> cases(boolean asGpu) {
        FrameLayout size = new FrameLayout(33, 9);
        return List.of(
                small(asGpu),
                new Case(size, size, 2, asGpu),
                new Case(new FrameLayout(1, 1), new FrameLayout(1, 1), 1, asGpu));
    }

    /** One that is resized. */
    static PrimitiveCase small(boolean asGpu) {
        return new Case(new FrameLayout(33, 9), new FrameLayout(20, 11), 1, asGpu);
    }

    private record Case(FrameLayout from, FrameLayout to, int words, boolean asGpu) implements PrimitiveCase {
        private static final ToneMapSettings SETTINGS = ToneMapSettings.of(Operator.REINHARD);

        @Override
        public String name() {
            return toString();
        }

        private HostBuffer source() {
            FloatBuffer colours = Frames.special(from, 7).floats();
            HostBuffer frame = TestBuffers.allocate(ElementType.FLOAT, 4L * from.words());
            Random random = new Random(3);
            for (int i = 0; i < 4 * from.words(); i++) {
                int row = i / (4 * from.stride());
                int plane = i / from.stride() % 4;
                int x = i % from.stride();
                float alpha = random.nextBoolean() ? random.nextFloat() : ALPHAS[random.nextInt(ALPHAS.length)];
                float inside = x < from.width() ? alpha : 0;
                frame.floats().put(i, plane == 3 ? inside : colours.get((3 * row + plane) * from.stride() + x));
            }
            return frame;
        }

        /** Pixels, and the codes of alpha. */
        @Override
        public int[][] run(Evener evener, Policy policy) {
            try (ToneMapper mapper = new ToneMapper(evener::allocate);
                    HostBuffer frame = evener.allocate(ElementType.FLOAT, 4L * from.words());
                    HostBuffer pixels = evener.allocate(ElementType.UINT, (long) words * to.words())) {
                frame.bytes().put(source().bytes());
                PixelCoding coding = PixelCoding.FLOATS_WITH_ALPHA;
                Job job = mapper.describe(from, to, coding, null, frame, pixels, SETTINGS, words)
                        .build();
                evener.submit(GpuForms.job(asGpu, job), policy).join();
                int[] picture = new int[words * to.words()];
                pixels.ints().get(picture);
                int[] alpha = new int[to.words()];
                ((HostBuffer) mapper.alpha(to)).ints().get(0, alpha);
                return new int[][] {picture, alpha};
            }
        }

        @Override
        public void check(Object output) {
            FloatBuffer frame = source().floats();
            FloatBuffer alpha = AlphaReference.of(frame, from);
            FloatBuffer colours = FloatBuffer.allocate(from.floats());
            for (int i = 0; i < from.floats(); i++) {
                int row = i / from.rowFloats();
                colours.put(i, frame.get(i + row * from.stride()));
            }
            boolean same = from.equals(to);
            FloatBuffer shownAlpha = same ? alpha : ResizeReference.resize(alpha, from, to, 1, false);
            FloatBuffer shown = AlphaReference.unassociated(
                    same ? colours : ResizeReference.resize(colours, from, to, false), shownAlpha, to);
            HostBuffer plain = TestBuffers.allocate(ElementType.FLOAT, to.floats());
            plain.floats().put(shown);
            HostBuffer pixels = TestBuffers.allocate(ElementType.UINT, (long) words * to.words());
            try (ToneMapper mapper = new ToneMapper(TestBuffers::allocate)) {
                JvmRunner.run(mapper.describe(to, to, PixelCoding.FLOATS, null, plain, pixels, SETTINGS, words)
                        .build());
            }
            int[][] both = (int[][]) output;
            assertEquals(pixels.ints(), IntBuffer.wrap(both[0]), name());
            int[] codes = new int[to.words()];
            for (int i = 0; i < codes.length; i++) {
                codes[i] = (int) Math.floor((words == 1 ? 255 : 65535) * shownAlpha.get(i) + 0.5f);
            }
            assertArrayEquals(codes, both[1], name());
        }
    }
}
