package dev.evener.policy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.DoubleStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
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
    Arbitrary<WorkProfile> profiles() {
        return Arbitraries.doubles()
                .between(0.01, 10)
                .array(double[].class)
                .ofMaxSize(64)
                .map(WorkProfile::of);
    }

    @Property(tries = 3000)
    void sharesByWorkAddUpAndEndWhereTheWorkDoes(
            @ForAll("weights") double[] work,
            @ForAll("profiles") WorkProfile profile,
            @ForAll @LongRange(min = 1, max = 1L << 40) long granules) {
        double all = DoubleStream.of(work).sum();
        Assume.that(all > 0);
        long[] shares = Apportion.byWork(work, granules, profile);
        assertEquals(granules, Arrays.stream(shares).sum());
        double before = 0;
        long from = 0;
        for (int i = 0; i < work.length; i++) {
            assertTrue(shares[i] >= 0 && (work[i] > 0 || shares[i] == 0), () -> Arrays.toString(shares));
            before += work[i];
            from += shares[i];
            // Where this lane's work ends, to a granule or, of an even profile, to one for each lane before.
            double wanted = profile.end(0, before / all * granules, (double) granules);
            assertEquals(wanted, (double) from, 1e-9 * granules + (profile.even() ? work.length : 1));
        }
    }

    @Property
    void aGranuleIsSparedForEveryLane(
            @ForAll("weights") double[] weights, @ForAll @LongRange(min = 0, max = 1000) long granules) {
        Assume.that(DoubleStream.of(weights).sum() > 0);
        long[] shares = Apportion.byWeight(weights, granules);
        Apportion.keepAll(shares);
        assertEquals(granules, Arrays.stream(shares).sum());
        boolean plenty = granules >= 2L * weights.length;
        for (int i = 0; i < shares.length; i++) {
            assertTrue(shares[i] >= 0);
            assertTrue(!plenty || shares[i] > 0, () -> Arrays.toString(shares));
        }
    }
}
