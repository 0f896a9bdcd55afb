package dev.evener.policy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.policy.Snapshot.Cost;
import dev.evener.policy.Snapshot.LaneView;
import java.util.ArrayList;
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

    @Test
    void costsThatNoDeviceHasDoNotBreakThePolicies() {
        double[] odd = {0, Double.MIN_VALUE, 1e-300, 1e300, Double.MAX_VALUE, Double.POSITIVE_INFINITY, Double.NaN, -1};
        for (double fixed : odd) {
            for (double perUnit : odd) {
                for (long granules : SIZES) {
                    Snapshot snapshot = new Snapshot(
                            granules,
                            32,
                            List.of(
                                    new LaneView("0.0", 3000, new Cost(fixed, perUnit, 9)),
                                    new LaneView("0.1", 1000, new Cost(1000, 2, 9))),
                            Experience.NONE);
                    checkShares(Policies.history(), snapshot);
                    checkShares(Policies.single(), snapshot);
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
        double[] fractions = random.doubles(lanes).map(d -> d < 0.3 ? 0 : d).toArray();
        fractions[random.nextInt(lanes)] = 0.5;
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
        int lanes = 1 + random.nextInt(8);
        boolean allKnown = random.nextBoolean();
        List<LaneView> views = new ArrayList<>();
        for (int i = 0; i < lanes; i++) {
            Cost cost = allKnown || random.nextBoolean()
                    ? new Cost(
                            random.nextInt(3) == 0 ? 0 : Math.pow(10, random.nextDouble() * 9),
                            Math.pow(10, random.nextDouble() * 9 - 4),
                            1 + random.nextInt(50))
                    : Cost.UNKNOWN;
            views.add(new LaneView("0." + i, Math.pow(10, random.nextDouble() * 7), cost));
        }
        return new Snapshot(
                random.nextBoolean() ? SIZES[random.nextInt(SIZES.length)] : random.nextInt(100_000),
                1L << random.nextInt(10),
                views,
                Experience.NONE);
    }

    // ---- history ----

    @Test
    void lanesThatTakePartFinishTogether() {
        Random random = new Random(2);
        int compared = 0;
        for (int round = 0; round < 20_000; round++) {
            Snapshot snapshot = anySnapshot(random);
            int lanes = snapshot.lanes().size();
            boolean known = snapshot.lanes().stream().allMatch(l -> l.cost().known());
            // From 16 granules for each lane on, a lane keeps one though it may finish late: the next test's matter.
            if (!known || snapshot.granules() >= 16L * lanes || snapshot.granules() == 0) {
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
            List<LaneView> views = new ArrayList<>();
            for (int i = 0; i < lanes; i++) {
                views.add(new LaneView(
                        "0." + i,
                        1,
                        new Cost(random.nextDouble() * 1e5, Math.pow(10, random.nextDouble() * 2 - 1), 5)));
            }
            Snapshot snapshot = new Snapshot(1_000_000 + random.nextInt(1_000_000), 32, views, Experience.NONE);
            long[] shares = Policies.history().plan(snapshot).shares();
            for (int a = 0; a < lanes; a++) {
                for (int b = 0; b < lanes; b++) {
                    double apart = Math.abs(predict(snapshot, a, shares[a]) - predict(snapshot, b, shares[b]));
                    double granule = 32
                            * Math.max(
                                    views.get(a).cost().nanosPerUnit(),
                                    views.get(b).cost().nanosPerUnit());
                    assertTrue(apart <= 1.01 * granule, () -> Arrays.toString(shares) + " of " + snapshot);
                }
            }
        }
    }

    private static double predict(Snapshot snapshot, int lane, long granules) {
        return snapshot.lanes().get(lane).cost().predict((double) granules * snapshot.unitsPerGranule());
    }

    @Test
    void nothingKnownMeansRoughSpeeds() {
        assertArrayEquals(new long[] {75, 25}, shares(Policies.history(), 100, unknown(3), unknown(1)));
    }

    @Test
    void anUnknownLaneIsTakenToBeAsFastAsItsRoughSpeedSays() {
        // The known lane takes 2 ns per unit at weight 10; one of weight 30 should take 2/3 of a nanosecond.
        assertArrayEquals(
                new long[] {250, 750},
                shares(Policies.history(), 1000, new LaneView("a", 10, new Cost(0, 2, 1)), unknown(30)));
    }

    @Test
    void aLaneWhoseLaunchCostsMoreThanTheJobIsLeftOutOfASmallOne() {
        LaneView cpu = new LaneView("cpu", 1, new Cost(1_000, 1, 9));
        LaneView gpu = new LaneView("gpu", 1, new Cost(1_000_000, 0.01, 9));
        assertArrayEquals(new long[] {31, 0}, shares(Policies.history(), 31, cpu, gpu));
        long[] large = shares(Policies.history(), 100_000_000, cpu, gpu);
        assertTrue(large[1] > large[0], Arrays.toString(large));
    }

    @Test
    void noLaneIsStarvedWhileThereIsPlenty() {
        LaneView fast = new LaneView("fast", 1, new Cost(0, 1e-3, 9));
        LaneView slow = new LaneView("slow", 1, new Cost(1e9, 1e6, 9));
        assertArrayEquals(new long[] {31, 1}, shares(Policies.history(), 32, fast, slow));
        assertArrayEquals(new long[] {31, 0}, shares(Policies.history(), 31, fast, slow));
        assertArrayEquals(new long[] {1, 46, 1}, shares(Policies.history(), 48, slow, fast, slow));
    }

    @Test
    void largeEqualLaunchCostsDoNotSwallowTheWork() {
        Cost cost = new Cost(1e15, 1e-3, 9);
        assertArrayEquals(
                new long[] {2, 2},
                shares(Policies.history(), 4, new LaneView("a", 1, cost), new LaneView("b", 1, cost)));
    }

    // ---- single ----

    @Test
    void singleTakesTheLaneItWasTold() {
        assertArrayEquals(new long[] {0, 7, 0}, shares(Policies.single(1), 7, unknown(9), unknown(1), unknown(9)));
        assertMessage("there is no lane 3", () -> shares(Policies.single(3), 7, unknown(1), unknown(1), unknown(1)));
        assertMessage("there is no lane -1", () -> shares(Policies.single(-1), 7, unknown(1)));
    }

    @Test
    void singleTakesTheFastestForThisSize() {
        LaneView cpu = new LaneView("cpu", 1, new Cost(1_000, 1, 9));
        LaneView gpu = new LaneView("gpu", 1, new Cost(50_000, 0.1, 9));
        assertArrayEquals(new long[] {100, 0}, shares(Policies.single(), 100, cpu, gpu));
        assertArrayEquals(new long[] {0, 1_000_000}, shares(Policies.single(), 1_000_000, cpu, gpu));
    }

    @Test
    void singleTriesLanesItDoesNotKnowTheRoughlyFastestFirst() {
        LaneView known = new LaneView("known", 99, new Cost(0, 1e-6, 9));
        assertArrayEquals(new long[] {0, 0, 5}, shares(Policies.single(), 5, known, unknown(1), unknown(2)));
        assertArrayEquals(new long[] {5, 0}, shares(Policies.single(), 5, unknown(1), known));
    }

    // ---- static ----

    @Test
    void fractionsAreScaledAndRoundedToTheNearest() {
        assertArrayEquals(new long[] {7, 3}, shares(Policies.fixed(0.7, 0.3), 10, unknown(1), unknown(1)));
        assertArrayEquals(new long[] {7, 3}, shares(Policies.fixed(70, 30), 10, unknown(1), unknown(1)));
        assertArrayEquals(new long[] {2, 1}, shares(Policies.fixed(0.6, 0.4), 3, unknown(1), unknown(1)));
        assertArrayEquals(new long[] {4, 3, 3}, shares(Policies.fixed(), 10, unknown(1), unknown(5), unknown(9)));
    }

    @Test
    void aFractionOfZeroGetsNothingHoweverManyGranules() {
        Random random = new Random(4);
        for (long granules : SIZES) {
            for (int round = 0; round < 200; round++) {
                double[] fractions = random.doubles(4).toArray();
                int none = random.nextInt(4);
                fractions[none] = 0;
                long[] shares =
                        shares(Policies.fixed(fractions), granules, unknown(1), unknown(1), unknown(1), unknown(1));
                assertEquals(0, shares[none], () -> Arrays.toString(fractions) + " of " + granules);
            }
        }
    }

    @Test
    void extremeFractionsAreProportionsToo() {
        assertArrayEquals(
                new long[] {50, 50},
                shares(Policies.fixed(Double.MAX_VALUE, Double.MAX_VALUE), 100, unknown(1), unknown(1)));
        assertArrayEquals(
                new long[] {50, 50},
                shares(Policies.fixed(Double.MIN_VALUE, Double.MIN_VALUE), 100, unknown(1), unknown(1)));
    }

    @Test
    void fractionsThatAreNoneAreRefused() {
        assertMessage("-0.5 is not a fraction", () -> Policies.fixed(1, -0.5));
        assertMessage("NaN is not a fraction", () -> Policies.fixed(Double.NaN));
        assertMessage("Infinity is not a fraction", () -> Policies.fixed(1, Double.POSITIVE_INFINITY));
        assertMessage("all shares are 0", () -> Policies.fixed(0, 0));
        assertMessage(
                "the split has 2 fractions, but 3 devices are in use",
                () -> shares(Policies.fixed(1, 1), 5, unknown(1), unknown(1), unknown(1)));
        assertMessage(
                "the split has 2 fractions, but 1 device is in use", () -> shares(Policies.fixed(1, 1), 5, unknown(1)));
    }

    @Test
    void aPolicyKeepsItsOwnFractions() {
        double[] mine = {1, 0};
        Policy policy = Policies.fixed(mine);
        mine[1] = 99;
        assertArrayEquals(new long[] {4, 0}, shares(policy, 4, unknown(1), unknown(1)));
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
        assertEquals(6, Policies.NAMES.size());
        for (String name : Policies.NAMES) {
            assertEquals(name, Policies.named(name).name());
            assertEquals(name, Policies.named(name.toUpperCase(Locale.ROOT)).name());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "dynamic", "history "})
    void unknownNamesAreRefusedWithTheKnownOnes(String name) {
        assertMessage(
                "expected one of single, static, history, guided, stealing, adaptive", () -> Policies.named(name));
    }

    private static LaneView unknown(double weight) {
        return new LaneView("x", weight, Cost.UNKNOWN);
    }

    private static long[] shares(Policy policy, long granules, LaneView... lanes) {
        return policy.plan(new Snapshot(granules, 1, List.of(lanes), Experience.NONE))
                .shares();
    }

    private static void assertMessage(String part, Executable call) {
        String message = assertThrows(IllegalArgumentException.class, call).getMessage();
        assertTrue(message.contains(part), message);
    }
}
