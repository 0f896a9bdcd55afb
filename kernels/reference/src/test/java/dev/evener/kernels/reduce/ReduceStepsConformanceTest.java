package dev.evener.kernels.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.TestBuffers;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.PrimitiveConformance;
import dev.evener.kernels.Refusals;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The four steps with either second pass, on every set of devices. */
class ReduceStepsConformanceTest extends PrimitiveConformance {
    @Override
    protected List<? extends PrimitiveCase> cases() {
        List<PrimitiveCase> cases = new ArrayList<>();
        for (ReduceSteps.Step step : ReduceSteps.Step.values()) {
            for (ReduceSteps.SecondPass second : ReduceSteps.SecondPass.values()) {
                for (int elements : new int[] {0, 1, 255, 256, 257, 4097, 100_003}) {
                    cases.add(new Case(step, second, elements));
                }
            }
        }
        return cases;
    }

    @Test
    void whatIsWrongIsRefused() {
        HostBuffer ints = TestBuffers.allocate(ElementType.INT, 10);
        HostBuffer none = TestBuffers.allocate(ElementType.INT, 0);
        HostBuffer floats = TestBuffers.allocate(ElementType.FLOAT, 10);
        refused("input buffer must hold int, not float", floats, ints);
        refused("result's buffer must hold int, not float", ints, floats);
        refused("one buffer is given", ints, ints);
        refused("has 0 elements, 1 are needed", ints, none);
    }

    private static void refused(String reason, HostBuffer input, HostBuffer result) {
        try (ReduceSteps steps = new ReduceSteps(TestBuffers::allocate)) {
            Refusals.refused(
                    reason, () -> steps.job(ReduceSteps.Step.TREE, ReduceSteps.SecondPass.HOST, input, result));
        }
    }

    record Case(ReduceSteps.Step step, ReduceSteps.SecondPass second, int elements) implements PrimitiveCase {
        @Override
        public String name() {
            return step + ", second pass on the " + second + ", " + elements + " elements";
        }

        @Override
        public Object run(Evener evener, Policy policy) {
            try (HostBuffer input = evener.allocate(ElementType.INT, elements);
                    HostBuffer result = evener.allocate(ElementType.INT, 1);
                    ReduceSteps steps = new ReduceSteps(evener::allocate)) {
                input.ints().put(data());
                result.ints().put(0, 5);
                evener.submit(steps.job(step, second, input, result), policy).join();
                return result.ints().get(0);
            }
        }

        @Override
        public void check(Object output) {
            int sum = 0;
            for (int value : data()) {
                sum += value;
            }
            assertEquals(sum, output, name());
        }

        private int[] data() {
            SplittableRandom random = new SplittableRandom(elements);
            int[] data = new int[elements];
            for (int i = 0; i < elements; i++) {
                data[i] = random.nextInt();
            }
            return data;
        }
    }
}
