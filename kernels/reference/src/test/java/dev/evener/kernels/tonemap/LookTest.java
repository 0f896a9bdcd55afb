package dev.evener.kernels.tonemap;

import static dev.evener.kernels.Refusals.refused;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.TestBuffers;
import dev.evener.internal.job.JobSpec;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.GroupedConformance;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.reference.ToneMapReference;
import dev.evener.policy.Policy;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Looks of every shape: the same bits on all devices and cuts, within a code of a reference that is written otherwise.
 */
class LookTest extends GroupedConformance {
    private static final float[] UNIT = {0, 0, 0, 1, 1, 1};
    private static final float[] NONE = {};

    /**
     * Of all tables that a file can have; cubes whose entries have nothing to do with each other show a wrong corner.
     * None is so steep that a code of 16 bits before it is one of 8 behind it.
     */
    static List<Look> looks() {
        float[] inner = {0.1f, -0.5f, 0.25f, 0.7f, 2, 0.65f};
        return List.of(
                new Look(NONE, UNIT, random(3 * 8, 1), UNIT),
                new Look(NONE, UNIT, random(3 * 27, 2), inner),
                new Look(random(3 * 2, 3), UNIT, NONE, UNIT),
                new Look(waves(3 * 1000), inner, NONE, UNIT),
                new Look(random(3 * 3, 5), inner, random(3 * 125, 6), inner));
    }

    private static float[] random(int count, long seed) {
        Random random = new Random(seed);
        float[] numbers = new float[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = random.nextInt(4) == 0 ? random.nextInt(2) : 1.4f * random.nextFloat() - 0.2f;
        }
        return numbers;
    }

    private static float[] waves(int count) {
        float[] numbers = new float[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = (float) (0.5 + 0.6 * Math.sin(i / 300.0 + i % 3));
        }
        return numbers;
    }

    @Override
    protected List<PrimitiveCase> cases(boolean asGpu) {
        List<PrimitiveCase> cases = new ArrayList<>();
        for (Look look : looks()) {
            for (int words = 1; words <= 2; words++) {
                cases.add(new Case(look, Operator.REINHARD, new FrameLayout(149, 40), words, asGpu));
            }
        }
        for (Operator operator : List.of(Operator.AGX, Operator.FILM, Operator.GUIDED, Operator.REINHARD_LOCAL)) {
            cases.add(new Case(looks().get(1), operator, new FrameLayout(65, 21), 1, asGpu));
        }
        return cases;
    }

    private record Case(Look look, Operator operator, FrameLayout layout, int words, boolean asGpu)
            implements PrimitiveCase {
        @Override
        public String name() {
            return toString();
        }

        private ToneMapSettings settings() {
            return ToneMapSettings.of(operator).withLook(look);
        }

        @Override
        public int[] run(Evener evener, Policy policy) {
            try (ToneMapper mapper = new ToneMapper(evener::allocate);
                    HostBuffer frame = evener.allocate(ElementType.FLOAT, layout.floats());
                    HostBuffer pixels = evener.allocate(ElementType.UINT, (long) words * layout.words())) {
                frame.floats().put(Frames.uniform(layout, 3).floats());
                Job job = mapper.describe(layout, layout, PixelCoding.FLOATS, null, frame, pixels, settings(), words)
                        .build();
                evener.submit(GpuForms.job(asGpu, job), policy).join();
                int[] all = new int[words * layout.words()];
                pixels.ints().get(all);
                return all;
            }
        }

        /** A code of 16 bits before the look is many behind a steep one. */
        @Override
        public void check(Object output) {
            byte[] expected = ToneMapReference.map(Frames.uniform(layout, 3).floats(), layout, settings(), words);
            int largest = ToneMapReference.compare(expected, IntBuffer.wrap((int[]) output), layout)
                    .largest();
            assertTrue(largest <= (words == 1 ? 1 : 257), largest + " codes off");
        }
    }

    /** Tables that change nothing change no code, of 8 bits and of 16. */
    @Test
    void nothingIsNothing() {
        FrameLayout layout = new FrameLayout(300, 20);
        for (int edge : new int[] {2, 3, 33, Look.MOST_CUBE}) {
            float[] cube = new float[3 * edge * edge * edge];
            for (int i = 0; i < cube.length; i += 3) {
                int[] at = {i / 3 % edge, i / 3 / edge % edge, i / 3 / edge / edge};
                for (int c = 0; c < 3; c++) {
                    cube[i + c] = at[c] / (edge - 1f);
                }
            }
            float[] line = {0, 0, 0, 0.5f, 0.5f, 0.5f, 1, 1, 1};
            for (Look look : List.of(new Look(NONE, UNIT, cube, UNIT), new Look(line, UNIT, cube, UNIT))) {
                for (int words = 1; words <= 2; words++) {
                    int[] plain = mapped(layout, ToneMapSettings.of(Operator.ACES), words);
                    int[] looked =
                            mapped(layout, ToneMapSettings.of(Operator.ACES).withLook(look), words);
                    if (words == 1) { // which were rounded twice
                        int[] wide = mapped(layout, ToneMapSettings.of(Operator.ACES), 2);
                        for (int i = 0; i < plain.length; i++) {
                            int red = (wide[2 * i] & 0xff) << 8 | (wide[2 * i] >> 8 & 0xff);
                            assertEquals((red + 128) / 257, looked[i] & 0xff);
                        }
                    } else {
                        assertArrayEquals(plain, looked);
                    }
                }
            }
        }
    }

    private static int[] mapped(FrameLayout layout, ToneMapSettings settings, int words) {
        HostBuffer pixels = TestBuffers.allocate(ElementType.UINT, (long) words * layout.words());
        try (ToneMapper mapper = new ToneMapper(TestBuffers::allocate)) {
            JvmRunner.run(
                    mapper.describe(
                                    layout,
                                    layout,
                                    PixelCoding.FLOATS,
                                    null,
                                    Frames.uniform(layout, 3),
                                    pixels,
                                    settings.withExposure(0),
                                    words)
                            .build(),
                    7);
        }
        int[] all = new int[words * layout.words()];
        pixels.ints().get(all);
        return all;
    }

    /** Without a look no phase, no program and no memory is for one. */
    @Test
    void whatIsNotAskedForCostsNothing() {
        FrameLayout layout = new FrameLayout(20, 5);
        AtomicLong bytes = new AtomicLong();
        for (Operator operator : Operator.values()) {
            ToneMapSettings settings = ToneMapSettings.of(operator);
            try (ToneMapper mapper = new ToneMapper((type, count) -> {
                bytes.addAndGet(count * type.bytes());
                return TestBuffers.allocate(type, count);
            })) {
                HostBuffer pixels = Frames.output(layout, operator);
                long before = bytes.get();
                JobSpec job = JobSpec.of(mapper.job(layout, Frames.uniform(layout, 1), pixels, settings));
                int own = operator == Operator.GUIDED ? 3 : operator == Operator.REINHARD_LOCAL ? 2 : 1;
                assertEquals(
                        own + (settings.needsStatistics() ? 1 : 0), job.phases().size());
                long planes = operator == Operator.GUIDED ? 4 : operator == Operator.REINHARD_LOCAL ? 1 : 0;
                long tables = ToneMapParameters.COUNT + (settings.needsStatistics() ? 2 * FrameStatistics.BINS : 0);
                assertEquals(Float.BYTES * (tables + planes * layout.words()), bytes.get() - before);
                if (operator.words() == 1) {
                    JobSpec looked = JobSpec.of(
                            mapper.job(layout, Frames.uniform(layout, 1), pixels, settings.withLook(looks().get(0))));
                    assertEquals(job.phases().size() + 1, looked.phases().size());
                }
            }
        }
    }

    @Test
    void whatIsNoTableIsRefused() {
        for (int count : new int[] {0, 1, 3, 4, 25, 3 * 9}) {
            refused("along each edge", () -> new Look(NONE, UNIT, new float[count], UNIT));
        }
        refused("2 to 65536", () -> new Look(new float[3 * 65537], UNIT, NONE, UNIT));
        float[] wrong = new float[24];
        Arrays.fill(wrong, Float.NaN);
        refused("NaN", () -> new Look(NONE, UNIT, wrong, UNIT));
        refused("must grow", () -> new Look(NONE, UNIT, new float[24], new float[6]));
        refused("plain displays", () -> ToneMapSettings.of(Operator.PQ).withLook(looks().get(0)));
    }
}
