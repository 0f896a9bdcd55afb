package dev.evener.kernels.tonemap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.TestBuffers;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.TunedCase;
import dev.evener.kernels.TuningConformance;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policy;
import java.util.List;

/** The bits of the Java form, whatever the tuning. */
class ToneMapTuningTest extends TuningConformance {
    ToneMapTuningTest() {
        super("tonemap");
    }

    @Override
    protected List<? extends TunedCase> cases(boolean groupsOnCpus) {
        return List.of(new Case(new FrameLayout(333, 129), Operator.REINHARD_EXTENDED, groupsOnCpus));
    }

    private record Case(FrameLayout layout, Operator operator, boolean asGpu) implements TunedCase {
        @Override
        public String name() {
            return toString();
        }

        @Override
        public Object run(Evener evener, Policy policy, Tuning tuning) {
            try (ToneMapper mapper = new ToneMapper(evener::allocate, tuning);
                    HostBuffer frame = evener.allocate(ElementType.FLOAT, layout.floats());
                    HostBuffer pixels = evener.allocate(ElementType.UINT, Frames.words(layout, operator))) {
                frame.floats().put(Frames.octaves(layout, 1).floats());
                evener.submit(
                                GpuForms.job(asGpu, mapper.job(layout, frame, pixels, ToneMapSettings.of(operator))),
                                policy)
                        .join();
                int[] words = new int[Frames.words(layout, operator)];
                pixels.ints().get(words);
                return words;
            }
        }

        @Override
        public void check(Object output) {
            try (ToneMapper mapper = new ToneMapper(TestBuffers::allocate)) {
                HostBuffer pixels = Frames.output(layout, operator);
                JvmRunner.run(mapper.job(layout, Frames.octaves(layout, 1), pixels, ToneMapSettings.of(operator)));
                int[] expected = new int[Frames.words(layout, operator)];
                pixels.ints().get(expected);
                assertArrayEquals(expected, (int[]) output);
            }
        }
    }
}
