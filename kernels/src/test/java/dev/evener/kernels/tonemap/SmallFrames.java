package dev.evener.kernels.tonemap;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.policy.Policy;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;

/** Frames that an interpreter of kernels gets through in seconds. */
public final class SmallFrames {
    private SmallFrames() {}

    /** Every operator with its statistics, in both forms. */
    public static List<PrimitiveCase> all() {
        List<PrimitiveCase> cases = new ArrayList<>();
        for (boolean asGpu : new boolean[] {false, true}) {
            for (Operator operator : Operator.values()) {
                cases.add(new Case(operator, new FrameLayout(33, 5), asGpu));
            }
            cases.add(new Case(Operator.REINHARD, new FrameLayout(1, 1), asGpu));
            cases.add(new Case(Operator.REINHARD, new FrameLayout(16, 40), asGpu));
        }
        return cases;
    }

    private record Case(Operator operator, FrameLayout layout, boolean asGpu) implements PrimitiveCase {
        @Override
        public String name() {
            return toString();
        }

        private HostBuffer source() {
            return Frames.special(layout, 7);
        }

        @Override
        public int[] run(Evener evener, Policy policy) {
            try (ToneMapper mapper = new ToneMapper(evener::allocate);
                    HostBuffer frame = evener.allocate(ElementType.FLOAT, layout.floats());
                    HostBuffer pixels = evener.allocate(ElementType.UINT, layout.words())) {
                frame.floats().put(source().floats());
                ToneMapSettings settings = ToneMapSettings.of(operator);
                evener.submit(GpuForms.job(asGpu, mapper.job(layout, frame, pixels, settings)), policy)
                        .join();
                int[] words = new int[layout.words()];
                pixels.ints().get(words);
                return words;
            }
        }

        @Override
        public void check(Object output) {
            byte[] expected = ToneMapReference.map(source().floats(), layout, ToneMapSettings.of(operator));
            ToneMapReference.Difference difference =
                    ToneMapReference.compare(expected, IntBuffer.wrap((int[]) output), layout);
            if (difference.largest() > 1) {
                throw new AssertionError(difference.toString());
            }
        }
    }
}
