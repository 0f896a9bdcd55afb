package dev.evener.kernels;

import dev.evener.Evener;
import dev.evener.InTurn;
import dev.evener.LongTests;
import dev.evener.policy.Policies;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The checking mode accuses no primitive, neither in its CPU nor in its GPU form, and results are as always. Where Oclgrind runs all
 * cases ({@link OclgrindTest}), a short run has every sixth of a primitive's, beginning with the last.
 */
@InTurn(3)
class CheckedPrimitivesTest {
    static List<String> primitives() {
        return Simulated.PRIMITIVES;
    }

    @ParameterizedTest
    @MethodSource("primitives")
    void isAccusedOfNothing(String primitive) {
        try (Evener evener = TestBed.builder("0.0,0.1").checked().open()) {
            List<PrimitiveCase> cases = Simulated.cases(primitive);
            int step = LongTests.ASKED_FOR || !Files.exists(OclgrindTest.LIBRARY) ? 1 : 6;
            for (int i = cases.size() - 1; i >= 0; i -= step) {
                PrimitiveCase one = cases.get(i);
                one.check(one.run(evener, Policies.fixed()));
            }
        }
    }
}
