package dev.evener.kernels;

import dev.evener.Evener;
import dev.evener.policy.Policies;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The checking mode accuses no primitive, neither in its CPU nor in its GPU form, and results are as always. */
class CheckedPrimitivesTest {
    static List<String> primitives() {
        return Simulated.PRIMITIVES;
    }

    @ParameterizedTest
    @MethodSource("primitives")
    void isAccusedOfNothing(String primitive) {
        try (Evener evener = TestBed.builder("0.0,0.1").checked().open()) {
            for (PrimitiveCase one : Simulated.cases(primitive)) {
                one.check(one.run(evener, Policies.fixed()));
            }
        }
    }
}
