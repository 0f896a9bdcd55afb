package dev.evener.policy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.policy.Snapshot.Cost;
import java.util.Arrays;
import java.util.List;
import java.util.stream.DoubleStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

/** The arithmetic of shares. */
class ApportionPropertyTest {

    @Provide
    Arbitrary<double[]> weights() {
        return Arbitraries.oneOf(
                        Arbitraries.just(0.0),
                        Arbitraries.doubles().between(0, 10),
                        Arbitraries.doubles().between(0, 1e12))
                .array(double[].class)
                .ofMinSize(1)
                .ofMaxSize(12);
    }

    @Property(tries = 3000)
    void sharesAddUpAndAreWithinAGranuleOfTheirProportion(
            @ForAll("weights") double[] weights, @ForAll @LongRange(min = 0, max = 1L << 40) long granules) {
        double sum = DoubleStream.of(weights).sum();
        Assume.that(sum > 0);
        long[] shares = Apportion.byWeight(weights, granules);
        assertEquals(granules, Arrays.stream(shares).sum());
        for (int i = 0; i < weights.length; i++) {
            double exact = granules * (weights[i] / sum);
            assertTrue(Math.abs(shares[i] - exact) < 1 + exact * 1e-12, () -> Arrays.toString(shares));
            assertTrue(weights[i] > 0 || shares[i] == 0, () -> "a share for nothing: " + Arrays.toString(shares));
            for (int j = 0; j < weights.length; j++) {
                assertTrue(weights[i] <= weights[j] || shares[i] >= shares[j] - 1, () -> Arrays.toString(shares));
            }
        }
    }

    @Property
    void onlyProportionsCount(
            @ForAll("weights") double[] weights,
            @ForAll @LongRange(min = 0, max = 1L << 40) long granules,
            @ForAll @IntRange(min = -400, max = 400) int exponent) {
        Assume.that(DoubleStream.of(weights).allMatch(w -> w == 0 || w > 1e-100));
        Assume.that(DoubleStream.of(weights).sum() > 0);
        double[] scaled =
                DoubleStream.of(weights).map(w -> Math.scalb(w, exponent)).toArray();
        assertArrayEquals(Apportion.byWeight(weights, granules), Apportion.byWeight(scaled, granules));
    }

    @Provide
    Arbitrary<List<Cost>> costs() {
        return Combinators.combine(
                        Arbitraries.oneOf(
                                Arbitraries.just(0.0), Arbitraries.doubles().between(0, 1e8)),
                        Arbitraries.doubles().between(-3, 5).map(exponent -> Math.pow(10, exponent)))
                .as((fixed, perUnit) -> new Cost(fixed, perUnit, 1))
                .list()
                .ofMinSize(1)
                .ofMaxSize(12);
    }

    @Property(tries = 3000)
    void lanesThatTakePartFinishTogetherAndNoOtherCouldHelp(
            @ForAll("costs") List<Cost> costs, @ForAll @DoubleRange(min = 1, max = 1e12) double units) {
        double[] shares = Apportion.finishTogether(costs.toArray(Cost[]::new), (1L << costs.size()) - 1, units);
        assertEquals(units, DoubleStream.of(shares).sum(), units * 1e-6);
        double end = 0;
        for (int i = 0; i < shares.length; i++) {
            end = Math.max(end, shares[i] > 0 ? costs.get(i).predict(shares[i]) : 0);
        }
        for (int i = 0; i < shares.length; i++) {
            Cost cost = costs.get(i);
            if (shares[i] > 0) {
                assertEquals(end, cost.predict(shares[i]), end * 1e-6, "end of lane " + i);
            } else {
                assertTrue(cost.fixedNanos() >= end * (1 - 1e-6), "lane " + i + " would be done before the others");
            }
        }
    }
}
