package dev.evener.policy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Policies are pure, so their promises are checked over thousands of random snapshots from a fixed seed. */
class PoliciesTest {
    private static final long[] SIZES = {
        0, 1, 2, 3, 7, 15, 16, 17, 100, 4097, 1L << 20, 1L << 40, (1L << 53) + 1, 1L << 62
    };

    // ---- every policy ----

    @Test
    void sharesAddUpForAnySnapshot() {
        Random random = new Random(1);
        for (int round = 0; round < 20_000; round++) {
            Snapshot snapshot = anySnapshot(random);
            for (Policy policy : policiesFor(snapshot.lanes().size(), random)) {
                checkShares(policy, snapshot);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {62, 63, 64, 65, 128})
    void sharesAddUpOnAnyNumberOfLanes(int lanes) {
        Random random = new Random(lanes);
        for (int round = 0; round < 100; round++) {
            Snapshot snapshot = anySnapshot(random, lanes);
            for (Policy policy : policiesFor(lanes, random)) {
                checkShares(policy, snapshot);
            }
        }
    }

    /** Guards against 64 lanes that were none, and 65 of which one was taken for another. */
    @ParameterizedTest
    @ValueSource(ints = {62, 63, 64, 65, 128})
    void equalLanesAllTakePartOrStandBy(int lanes) {
        double[] perUnit = new double[lanes];
        Arrays.fill(perUnit, 3);
        for (Policy policy : List.of(Policies.history(), Policies.adaptive())) {
            Costs costs = Costs.of(1000.0 * lanes, perUnit);
            long[] shares = policy.plan(costs.snapshot(1000L * lanes, 1)).shares();
            assertTrue(Arrays.stream(shares).allMatch(share -> share == 1000), policy + " " + Arrays.toString(shares));
        }
        Plan first = Policies.adaptive().plan(Costs.of(1000, perUnit).unknown().snapshot(1000, 1));
        for (int lane = 0; lane < lanes; lane++) {
            assertEquals(first.shares()[lane] == 0, first.standsBy(lane), "lane " + lane);
        }
        assertEquals(1000, first.shares()[0]);
    }

    @Test
    void lanesThatAreAWordApartAreToldApart() {
        double[] perUnit = new double[128];
        Arrays.fill(perUnit, 1e9);
        perUnit[67] = 1;
        Plan plan = Policies.adaptive().plan(Costs.of(1000, perUnit).snapshot(1000, 1));
        assertEquals(1000, plan.shares()[67], () -> Arrays.toString(plan.shares()));
        perUnit[66] = 2;
        long[] both = Policies.adaptive()
                .plan(Costs.of(1000, perUnit).snapshot(1000, 1))
                .shares();
        assertEquals(1000, both[66] + both[67], () -> Arrays.toString(both));
        assertEquals(667, both[67]);
    }

    /** As far apart as the model lets them be. */
    @Test
    void costsThatNoDeviceHasDoNotBreakThePolicies() {
        double[] odd = {1e-43, 1e-9, 1, 1e9, 1e43};
        for (double fixed : odd) {
            for (double perUnit : odd) {
                for (long granules : SIZES) {
                    Costs costs = Costs.of(32.0 * granules, new double[] {fixed, 1000}, new double[] {perUnit, 2});
                    checkShares(Policies.history(), costs.snapshot(granules, 32));
                    checkShares(Policies.single(), costs.snapshot(granules, 32));
                    checkShares(Policies.adaptive(), costs.snapshot(granules, 32));
                }
            }
        }
    }

    private static void checkShares(Policy policy, Snapshot snapshot) {
        long[] shares = policy.plan(snapshot).shares();
        assertEquals(snapshot.lanes().size(), shares.length);
        long sum = 0;
        for (long share : shares) {
            assertTrue(share >= 0, () -> policy + " " + Arrays.toString(shares) + " of " + snapshot);
            sum = Math.addExact(sum, share);
        }
        assertEquals(snapshot.granules(), sum, () -> policy + " " + Arrays.toString(shares) + " of " + snapshot);
    }

    private static List<Policy> policiesFor(int lanes, Random random) {
        double[] fractions =
                random.doubles(lanes).map(d -> d < 0.3 ? 0 : 100 * d).toArray();
        fractions[random.nextInt(lanes)] = 50;
        return List.of(
                Policies.history(),
                Policies.guided(),
                Policies.stealing(),
                Policies.adaptive(),
                Policies.fixed(),
                Policies.fixed(fractions),
                Policies.single(),
                Policies.single(random.nextInt(lanes)));
    }

    private static Snapshot anySnapshot(Random random) {
        return anySnapshot(random, 1 + random.nextInt(8));
    }

    private static Snapshot anySnapshot(Random random, int lanes) {
        double[] fixed = new double[lanes];
        double[] perUnit = new double[lanes];
        for (int i = 0; i < lanes; i++) {
            fixed[i] = random.nextInt(3) == 0 ? 0 : Math.pow(10, random.nextDouble() * 9);
            perUnit[i] = Math.pow(10, random.nextDouble() * 9 - 4);
        }
        long granules = random.nextBoolean() ? SIZES[random.nextInt(SIZES.length)] : random.nextInt(100_000);
        long unitsPerGranule = 1L << random.nextInt(10);
        Costs costs = Costs.of((double) granules * unitsPerGranule, fixed, perUnit);
        for (int i = 0; i < lanes; i++) {
            costs.chunks[i] = random.nextInt(3);
        }
        if (random.nextInt(4) == 0) {
            costs.unknown();
        }
        if (random.nextBoolean()) {
            costs.costing(random.doubles(1 + random.nextInt(64), 0.01, 1).toArray());
        }
        return costs.snapshot(granules, unitsPerGranule, random.nextBoolean() ? -1 : random.nextLong());
    }

    // ---- history ----

    @Test
    void lanesThatTakePartFinishTogether() {
        Random random = new Random(2);
        int compared = 0;
        for (int round = 0; round < 20_000; round++) {
            Snapshot snapshot = anySnapshot(random);
            int lanes = snapshot.lanes().size();
            boolean even = snapshot.model().profile().even();
            // From 16 granules for each lane on, a lane keeps one though it may finish late: the next test's matter.
            if (!even || snapshot.granules() >= 16L * lanes || snapshot.granules() == 0) {
                continue;
            }
            long[] shares = Policies.history().plan(snapshot).shares();
            for (int a = 0; a < lanes; a++) {
                for (int b = 0; b < lanes; b++) {
                    if (shares[a] == 0) {
                        continue;
                    }
                    // Neither lane that works ends later than another would if it took a granule more or so.
                    double ends = predict(snapshot, a, shares[a] - 1);
                    double other = predict(snapshot, b, shares[b] + 1);
                    double slack = 1e-9 * Math.abs(other);
                    assertTrue(ends <= other + slack, () -> Arrays.toString(shares) + " of " + snapshot);
                    compared++;
                }
            }
        }
        assertTrue(compared > 10_000, "compared " + compared);
    }

    @Test
    void manyGranulesFinishTogetherToAGranule() {
        Random random = new Random(3);
        for (int round = 0; round < 5_000; round++) {
            int lanes = 2 + random.nextInt(7);
            double[] fixed = random.doubles(lanes, 0, 1e5).toArray();
            double[] perUnit =
                    random.doubles(lanes, -1, 1).map(e -> Math.pow(10, e)).toArray();
            long granules = 1_000_000L + random.nextInt(1_000_000);
            Snapshot snapshot = Costs.of(32.0 * granules, fixed, perUnit).snapshot(granules, 32);
            long[] shares = Policies.history().plan(snapshot).shares();
            for (int a = 0; a < lanes; a++) {
                for (int b = 0; b < lanes; b++) {
                    double apart = Math.abs(predict(snapshot, a, shares[a]) - predict(snapshot, b, shares[b]));
                    double granule = 32 * Math.max(perUnit[a], perUnit[b]);
                    assertTrue(apart <= 1.01 * granule, () -> Arrays.toString(shares) + " of " + snapshot);
                }
            }
        }
    }

    private static double predict(Snapshot snapshot, int lane, long granules) {
        return ((Costs) snapshot.model()).predict(lane, (double) granules * snapshot.unitsPerGranule());
    }

    @Test
    void nothingKnownMeansRelativeSpeeds() {
        assertArrayEquals(
                new long[] {75, 25},
                shares(Policies.history(), 100, Costs.of(100, 1.0 / 3, 1).unknown()));
    }

    @Test
    void sharesFollowTheWork() {
        Costs costs = Costs.of(1000, 1, 1).costing(1, 1, 3, 3);
        assertArrayEquals(new long[] {667, 333}, shares(Policies.history(), 1000, costs));
    }

    @Test
    void aLaneWhoseLaunchCostsMoreThanTheJobIsLeftOutOfASmallOne() {
        assertArrayEquals(new long[] {31, 0}, shares(Policies.history(), 31, cpuAndGpu(31)));
        long[] large = shares(Policies.history(), 100_000_000, cpuAndGpu(1e8));
        assertTrue(large[1] > large[0], Arrays.toString(large));
    }

    private static Costs cpuAndGpu(double units) {
        return Costs.of(units, new double[] {1_000, 1_000_000}, new double[] {1, 0.01});
    }

    @Test
    void noLaneIsStarvedWhileThereIsPlenty() {
        Costs two = Costs.of(32, new double[] {0, 1e9}, new double[] {1e-3, 1e6});
        assertArrayEquals(new long[] {31, 1}, shares(Policies.history(), 32, two));
        assertArrayEquals(new long[] {31, 0}, shares(Policies.history(), 31, two));
        Costs three = Costs.of(48, new double[] {1e9, 0, 1e9}, new double[] {1e6, 1e-3, 1e6});
        assertArrayEquals(new long[] {1, 46, 1}, shares(Policies.history(), 48, three));
    }

    @Test
    void largeEqualLaunchCostsDoNotSwallowTheWork() {
        Costs costs = Costs.of(4, new double[] {1e15, 1e15}, new double[] {1e-3, 1e-3});
        long[] shares = shares(Policies.history(), 4, costs);
        assertEquals(4, shares[0] + shares[1]);
    }

    // ---- single ----

    @Test
    void singleTakesTheLaneItWasTold() {
        Costs three = Costs.of(7, 1, 9, 1);
        assertArrayEquals(new long[] {0, 7, 0}, shares(Policies.single(1), 7, three));
        assertMessage("there is no lane 3", () -> shares(Policies.single(3), 7, three));
        assertMessage("there is no lane -1", () -> shares(Policies.single(-1), 7, three));
    }

    @Test
    void singleTakesTheFastestForThisSize() {
        double[] fixed = {1_000, 50_000};
        double[] perUnit = {1, 0.1};
        assertArrayEquals(new long[] {100, 0}, shares(Policies.single(), 100, Costs.of(100, fixed, perUnit)));
        assertArrayEquals(
                new long[] {0, 1_000_000}, shares(Policies.single(), 1_000_000, Costs.of(1e6, fixed, perUnit)));
    }

    @Test
    void singleTriesLanesItDoesNotKnowTheFastestFirst() {
        Costs costs = Costs.of(5, 1e-6, 2, 1);
        costs.chunks[1] = 0;
        costs.chunks[2] = 0;
        assertArrayEquals(new long[] {0, 0, 5}, shares(Policies.single(), 5, costs));
        Costs second = Costs.of(5, 1, 1e-6);
        second.chunks[0] = 0;
        assertArrayEquals(new long[] {5, 0}, shares(Policies.single(), 5, second));
    }

    // ---- static ----

    @Test
    void fractionsAreScaledAndRoundedToTheNearest() {
        assertArrayEquals(new long[] {7, 3}, shares(Policies.fixed(0.7, 0.3), 10, lanes(2)));
        assertArrayEquals(new long[] {7, 3}, shares(Policies.fixed(70, 30), 10, lanes(2)));
        assertArrayEquals(new long[] {2, 1}, shares(Policies.fixed(0.6, 0.4), 3, lanes(2)));
        assertArrayEquals(new long[] {4, 3, 3}, shares(Policies.fixed(), 10, lanes(3)));
    }

    @Test
    void aFractionOfZeroGetsNothingHoweverManyGranules() {
        Random random = new Random(4);
        for (long granules : SIZES) {
            for (int round = 0; round < 200; round++) {
                double[] fractions = random.doubles(4).map(d -> 100 * d).toArray();
                int none = random.nextInt(4);
                fractions[none] = 0;
                long[] shares = shares(Policies.fixed(fractions), granules, lanes(4));
                assertEquals(0, shares[none], () -> Arrays.toString(fractions) + " of " + granules);
            }
        }
    }

    /** Not a job that cannot be cut either, whichever lane is done first; if no other works, it goes there after all. */
    @Test
    void aLaneWithAFractionOfZeroGetsNoJobThatCannotBeCut() {
        Plan plan = Policies.fixed(0, 1, 2).plan(lanes(3).snapshot(1, 1));
        assertEquals(LaneSet.where(3, i -> i > 0), plan.mayGo(LaneSet.all(3)));
        assertEquals(LaneSet.where(3, i -> i == 1), plan.mayGo(LaneSet.where(3, i -> i < 2)));
        assertEquals(LaneSet.where(3, i -> i == 0), plan.mayGo(LaneSet.where(3, i -> i == 0)));
    }

    @Test
    void extremeFractionsAreProportionsToo() {
        assertArrayEquals(
                new long[] {50, 50}, shares(Policies.fixed(Double.MAX_VALUE, Double.MAX_VALUE), 100, lanes(2)));
        assertArrayEquals(
                new long[] {50, 50}, shares(Policies.fixed(Double.MIN_VALUE, Double.MIN_VALUE), 100, lanes(2)));
    }

    @Test
    void fractionsThatAreNoneAreRefused() {
        assertMessage("-0.5 is not a fraction", () -> Policies.fixed(1, -0.5));
        assertMessage("NaN is not a fraction", () -> Policies.fixed(Double.NaN));
        assertMessage("Infinity is not a fraction", () -> Policies.fixed(1, Double.POSITIVE_INFINITY));
        assertMessage("all shares are 0", () -> Policies.fixed(0, 0));
        assertMessage(
                "the split has 2 fractions, but 3 devices are in use", () -> shares(Policies.fixed(1, 1), 5, lanes(3)));
        assertMessage(
                "the split has 2 fractions, but 1 device is in use", () -> shares(Policies.fixed(1, 1), 5, lanes(1)));
    }

    @Test
    void aPolicyKeepsItsOwnFractions() {
        double[] mine = {1, 0};
        Policy policy = Policies.fixed(mine);
        mine[1] = 99;
        assertArrayEquals(new long[] {4, 0}, shares(policy, 4, lanes(2)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"0.7,0.3|0.7|0.3", " 1 , 0 |1|0", "0.3333,0.6667|0.3333|0.6667", "2.5e-1,.75|0.25|0.75"})
    void splitsAreRead(String text, double first, double second) {
        assertArrayEquals(new double[] {first, second}, Policies.parseSplit(text));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''|'' is not a number",
                "0.5,,0.5|'' is not a number",
                "0.5;0.5|'0.5;0.5' is not a number",
                "a,b|'a' is not a number",
                "70,30|70 is not between 0 and 1",
                "-0.1,1.1|-0.1 is not between 0 and 1",
                "NaN,1|NaN is not between 0 and 1",
                "Infinity|Infinity is not between 0 and 1",
                "0.5,0.4|add up to 0.9, not to 1",
                "0,0|add up to 0.0, not to 1",
                "0.7,0.3,|'' is not a number",
            },
            quoteCharacter = '"')
    void whatIsNoSplitIsRefusedWithTheReason(String text, String reason) {
        String message = assertThrows(
                        IllegalArgumentException.class, () -> Policies.parseSplit("''".equals(text) ? "" : text))
                .getMessage();
        assertTrue(message.startsWith("split '"), message);
        assertTrue(message.contains(reason), message);
    }

    // ---- names ----

    @Test
    void everyNameNamesItsPolicy() {
        assertEquals(6, Policies.names().size(), Policies.names()::toString);
        for (String name : Policies.names()) {
            assertEquals(name, Policies.named(name).name());
            assertEquals(name, Policies.named(name.toUpperCase(Locale.ROOT)).name());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "dynamic", "his tory"})
    void unknownNamesAreRefusedWithTheKnownOnes(String name) {
        assertMessage(
                "expected one of single, static, history, guided, stealing, adaptive", () -> Policies.named(name));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "guided:32|guided:32",
                "guided/32|guided:32",
                "GUIDED : chunks = 32|guided:32",
                "single:1|single:1",
                "static:0.7,0.3|static:0.7,0.3",
            })
    void aTextSaysWhatIsSet(String text, String canonical) {
        assertEquals(canonical, Policies.named(text).name());
        assertEquals(Policies.named(canonical), Policies.named(text));
        assertEquals(canonical.split(":", -1)[0], Policies.nameOf(text));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "guided:0|policy 'guided:0': chunks: '0' is no whole number from 1 to 2147483647",
                "guided:2.5|no whole number",
                "guided:many|'many' is no whole number",
                "guided:|'chunks' has no value",
                "guided:size=3|there is no parameter 'size': expected one of [chunks]",
                "guided:chunks=3,chunks=4|'chunks' is there twice",
                "history:3|there is nothing to set",
                "history:x=3|there is no parameter 'x', nor any other",
                "adaptive:joules|objective 'joules' is not one of time, energy, edp",
                "static:0.5,1.5|shares: '1.5' is no number from 0 to 1",
                "static:0,0|all shares are 0",
                "guided@2:3|unknown policy 'guided@2', of which version  is here",
            })
    void whatCannotBeSetIsRefusedWithTheReason(String text, String reason) {
        assertMessage(reason, () -> Policies.named(text));
    }

    @ParameterizedTest
    @CsvSource({"'static:1,2',3", "single:2,2"})
    void whatIsForOtherDevicesIsRefused(String text, int lanes) {
        String fits = text.replace("1,2", "0.1,0.2");
        assertMessage("the policy " + fits + " is for ", () -> Policies.named(fits, lanes));
        assertEquals(Policies.named(fits), Policies.named(fits, fits.startsWith("single") ? 3 : 2));
    }

    @Test
    void aListIsPartedAtNames() {
        assertEquals(
                List.of("guided", "hguided:k=2,3,least=4", "static:0.5,0.5", "fac2"),
                Policies.texts("guided,hguided:k=2,3,least=4,static:0.5,0.5,fac2"));
    }

    @Test
    void whatIsEqualKeepsNoStateAndIsOneForAllKinds() {
        Policy guided = Policies.named("guided:4");
        assertSame(guided.forKind(), guided.forKind());
    }

    /** So many that are alike. */
    private static Costs lanes(int count) {
        double[] perUnit = new double[count];
        Arrays.fill(perUnit, 1);
        return Costs.of(1, perUnit);
    }

    private static long[] shares(Policy policy, long granules, Costs costs) {
        return policy.plan(costs.snapshot(granules, 1)).shares();
    }

    private static void assertMessage(String part, Executable call) {
        String message = assertThrows(IllegalArgumentException.class, call).getMessage();
        assertTrue(message.contains(part), message);
    }
}
