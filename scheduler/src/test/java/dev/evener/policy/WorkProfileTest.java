package dev.evener.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;

/** Where the work is: ranges of units to their work and back. */
class WorkProfileTest {
    @Provide
    Arbitrary<double[]> densities() {
        return Arbitraries.doubles()
                .between(-4, 4)
                .map(exponent -> Math.pow(10, exponent))
                .array(double[].class)
                .ofMinSize(1)
                .ofMaxSize(80);
    }

    @Property
    void allUnitsHaveAsMuchWorkAsThereAreUnits(
            @ForAll("densities") double[] density, @ForAll @DoubleRange(min = 1, max = 1e12) double all) {
        assertEquals(all, WorkProfile.of(density).work(0, all, all), all * 1e-9);
    }

    @Property
    void workAddsUpAndIsNowhereNegative(
            @ForAll("densities") double[] density,
            @ForAll @DoubleRange(min = 1, max = 1e12) double all,
            @ForAll @DoubleRange(min = 0, max = 1) double a,
            @ForAll @DoubleRange(min = 0, max = 1) double b) {
        WorkProfile profile = WorkProfile.of(density);
        double first = Math.min(a, b) * all;
        double second = Math.max(a, b) * all;
        double before = profile.work(0, first, all);
        double between = profile.work(first, second - first, all);
        double after = profile.work(second, all - second, all);
        assertTrue(before >= 0 && between >= -1e-9 * all && after >= -1e-9 * all);
        assertEquals(all, before + between + after, all * 1e-9);
    }

    /** By hand: parts of a hundredth of the index space and what of each is in the range. */
    @Property
    void workIsTheSumOfWhatUnitsCost(
            @ForAll("densities") double[] density,
            @ForAll @DoubleRange(min = 0, max = 1) double a,
            @ForAll @DoubleRange(min = 0, max = 1) double b) {
        int parts = density.length;
        double from = Math.min(a, b) * parts;
        double to = Math.max(a, b) * parts;
        double sum = 0;
        double mean = 0;
        for (int i = 0; i < parts; i++) {
            sum += Math.max(0, Math.min(to, i + 1) - Math.max(from, i)) * density[i];
            mean += density[i] / parts;
        }
        assertEquals(sum / mean, WorkProfile.of(density).work(from, to - from, parts), 1e-9 * parts);
    }

    @Property
    void aRangeEndsWhereItsWorkDoes(
            @ForAll("densities") double[] density,
            @ForAll @DoubleRange(min = 1, max = 1e9) double all,
            @ForAll @DoubleRange(min = 0, max = 1) double a,
            @ForAll @DoubleRange(min = 0, max = 1) double b) {
        WorkProfile profile = WorkProfile.of(density);
        double first = Math.min(a, b) * all;
        double last = Math.max(a, b) * all;
        double work = profile.work(first, last - first, all);
        // What is cheapest has little work for many units: compared is the work up to the end, not the end.
        double end = profile.end(first, work, all);
        assertEquals(work, profile.work(first, end - first, all), all * 1e-9);
        double begin = profile.end(last, -work, all);
        assertEquals(work, profile.work(begin, last - begin, all), all * 1e-9);
    }

    @Property
    void aRangeNeverLeavesTheIndexSpace(
            @ForAll("densities") double[] density,
            @ForAll @DoubleRange(min = 1, max = 1e9) double all,
            @ForAll @DoubleRange(min = 0, max = 1) double place,
            @ForAll @DoubleRange(min = -3, max = 3) double much) {
        for (WorkProfile profile : new WorkProfile[] {WorkProfile.EVEN, WorkProfile.of(density)}) {
            double first = place * all;
            double end = profile.end(first, much * all, all);
            assertTrue(end >= 0 && end <= all, () -> end + " of " + all);
            assertTrue(much <= 0 || end >= first - 1e-9 * all, () -> "from " + first + " to " + end);
            assertTrue(much >= 0 || end <= first + 1e-9 * all, () -> "from " + first + " to " + end);
        }
    }

    @Property
    void onlyProportionsOfCostsCount(
            @ForAll("densities") double[] density,
            @ForAll @IntRange(min = -900, max = 900) int exponent,
            @ForAll @DoubleRange(min = 0, max = 1) double place) {
        double[] scaled = density.clone();
        for (int i = 0; i < scaled.length; i++) {
            scaled[i] = Math.scalb(scaled[i], exponent);
        }
        assertEquals(
                WorkProfile.of(density).work(0, place, 1),
                WorkProfile.of(scaled).work(0, place, 1),
                1e-12);
    }

    /** Nearly all the work is in two parts. */
    @Property
    void costsHoweverFarApartGiveAPlace(
            @ForAll @IntRange(min = 2, max = 64) int parts,
            @ForAll @IntRange(min = 0, max = 62) int dear,
            @ForAll @DoubleRange(min = 0.01, max = 0.99) double work) {
        int first = dear % (parts - 1);
        double[] density = new double[parts];
        Arrays.fill(density, Double.MIN_NORMAL);
        density[first] = Double.MAX_VALUE;
        density[first + 1] = Double.MAX_VALUE;
        double end = WorkProfile.of(density).end(0, work * parts, parts);
        assertEquals(first + 2 * work, end, 1e-9 * parts);
    }

    /** Costs of which sums are rounded: a place just before the end is one, too. */
    @Property
    void theEndOfTheWorkIsTheEndOfTheIndexSpace(
            @ForAll("densities") double[] density, @ForAll @IntRange(min = 1, max = 100) int ulps) {
        double[] andNothing = Arrays.copyOf(density, density.length + 1);
        andNothing[density.length] = 1e-30;
        double work = 1 - ulps * Math.ulp(0.5);
        double end = WorkProfile.of(andNothing).end(0, work, 1);
        assertTrue(end > 0 && end <= 1, () -> "ends at " + end);
    }

    @Property
    void evenWorkIsUnits(
            @ForAll @DoubleRange(min = 0, max = 1e12) double first,
            @ForAll @DoubleRange(min = 0, max = 1e12) double units) {
        assertEquals(units, WorkProfile.EVEN.work(first, units, 2e12));
        assertEquals(first + units, WorkProfile.EVEN.end(first, units, 2e12));
        WorkProfile alike = WorkProfile.of(3, 3, 3);
        assertEquals(units, alike.work(first, units, 2e12), 1e-3);
        assertEquals(first + units, alike.end(first, units, 2e12), 1e-3);
    }

    @Example
    void aSinglePartIsEven() {
        assertSame(WorkProfile.EVEN, WorkProfile.of());
        assertSame(WorkProfile.EVEN, WorkProfile.of(7));
        assertTrue(WorkProfile.EVEN.even());
        assertFalse(WorkProfile.of(1, 2).even());
    }

    @Example
    void knownPlaces() {
        WorkProfile profile = WorkProfile.of(1, 3); // of 100 units the first half has a quarter of the work
        assertEquals(25, profile.work(0, 50, 100), 1e-9);
        assertEquals(50, profile.end(0, 25, 100), 1e-9);
        assertEquals(75, profile.end(50, 37.5, 100), 1e-9);
        assertEquals(75, profile.end(100, -37.5, 100), 1e-9);
        assertEquals(100, profile.end(75, 1e9, 100));
        assertEquals(0, profile.end(75, -1e9, 100));
    }

    @Example
    void unitsMayCostNothing() {
        WorkProfile profile = WorkProfile.of(0, 1, 0, 0, 1, 0);
        assertEquals(0, profile.work(0, 1, 6));
        assertEquals(6, profile.work(1, 4, 6), 1e-9);
        assertEquals(1.5, profile.end(0, 1.5, 6), 1e-9);
        assertEquals(4.5, profile.end(6, -1.5, 6), 1e-9);
        double middle = profile.end(0, 3, 6); // anywhere in what costs nothing
        assertTrue(middle >= 2 && middle <= 4, () -> "ends at " + middle);
    }

    @Example
    void costsThatAreNoneAreRefused() {
        for (double cost : new double[] {-1, Double.NaN, Double.POSITIVE_INFINITY}) {
            String message = assertThrows(IllegalArgumentException.class, () -> WorkProfile.of(1, cost))
                    .getMessage();
            assertTrue(message.contains(String.valueOf(cost)), message);
        }
        assertThrows(IllegalArgumentException.class, () -> WorkProfile.of(0, 0));
    }
}
