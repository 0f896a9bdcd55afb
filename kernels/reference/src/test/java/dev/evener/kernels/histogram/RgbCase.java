package dev.evener.kernels.histogram;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.reference.RgbHistogramReference;
import dev.evener.policy.Policy;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Pixels of one kind in one style. */
record RgbCase(RgbStyle style, String kind, int bins, int pixels, boolean wide, boolean groupsOnCpus)
        implements PrimitiveCase {
    static List<RgbCase> all(boolean groupsOnCpus) {
        List<RgbCase> cases = new ArrayList<>();
        for (RgbStyle style : List.of(RgbStyle.ATOMICS, RgbStyle.PRIVATE)) {
            for (int pixels : new int[] {0, 1, 3, 255, 8161, 16_384, 70_001}) {
                cases.add(new RgbCase(style, "uniform", 256, pixels, false, groupsOnCpus));
            }
            for (int bins : new int[] {1, 7, 100, 255}) {
                cases.add(new RgbCase(style, "uniform", bins, 40_003, false, groupsOnCpus));
            }
            cases.add(new RgbCase(style, "constant", 256, 70_003, false, groupsOnCpus));
            cases.add(new RgbCase(style, "skewed", 33, 50_000, false, groupsOnCpus));
        }
        cases.add(new RgbCase(RgbStyle.BEST, "uniform", 64, 70_007, true, groupsOnCpus));
        return cases;
    }

    @Override
    public String name() {
        return kind + " " + pixels + " pixels, " + bins + " bins, " + style;
    }

    @Override
    public Object run(Evener evener, Policy policy) {
        ElementType type = wide ? ElementType.ULONG : ElementType.UINT;
        try (HostBuffer input = evener.allocate(ElementType.UINT, pixels);
                HostBuffer counts = evener.allocate(type, 3L * bins)) {
            input.ints().put(data());
            evener.submit(GpuForms.job(groupsOnCpus, RgbHistogram.job(style, bins, input, counts)), policy)
                    .join();
            long[] result = new long[3 * bins];
            for (int i = 0; i < result.length; i++) {
                result[i] = wide
                        ? counts.bytes().getLong(i * Long.BYTES)
                        : counts.ints().get(i);
            }
            return result;
        }
    }

    @Override
    public void check(Object output) {
        assertArrayEquals(RgbHistogramReference.count(IntBuffer.wrap(data()), bins), (long[]) output, name());
    }

    private int[] data() {
        SplittableRandom random = new SplittableRandom(pixels);
        int[] data = new int[pixels];
        for (int i = 0; i < pixels; i++) {
            int value = random.nextInt();
            data[i] = kind.equals("constant") || (kind.equals("skewed") && i % 10 != 0) ? 0xff30c1fe : value;
        }
        return data;
    }
}
