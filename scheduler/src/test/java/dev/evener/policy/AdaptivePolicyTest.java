package dev.evener.policy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.policy.Decision.Candidate;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which lanes {@code adaptive} chooses and what it says of it, by models of which every figure is known. */
class AdaptivePolicyTest {
    private static final long A = 1;
    private static final long B = 2;
    private static final long BOTH = A | B;

    private final Policy adaptive = Policies.adaptive();

    private static Decision decision(Plan plan) {
        Decision decision = plan.decision();
        assertNotNull(decision);
        return decision;
    }

    private static List<String> chosen(Plan plan) {
        return decision(plan).considered().get(decision(plan).chosen()).devices();
    }

    private static List<List<String>> considered(Plan plan) {
        return decision(plan).considered().stream().map(Candidate::devices).toList();
    }

    // ---- other jobs ----

    /** A device draws for a job while it works for it, and not while the job waits until it is done with another. */
    @Test
    void energyIsOfTheWorkAndNotOfTheWaitForIt() {
        Costs costs = Costs.of(1000, 1, 4).away(0, 1000);
        List<Snapshot.LaneView> lanes = List.of(
                new Snapshot.LaneView("a", true, 1000, 1, new Power(0, 30)),
                new Snapshot.LaneView("b", true, 0, 0, new Power(0, 10)));
        Snapshot snapshot = new Snapshot(1000, 1, lanes, costs, 0);
        assertEquals(List.of("a"), chosen(new AdaptivePolicy(Objective.ENERGY).plan(snapshot)));
    }

    @Test
    void aLaneThatIsAtWorkElsewhereGetsLessOrNothing() {
        Costs costs = Costs.of(1000, 1, 1).away(0, 500);
        Costs late = Costs.of(1000, new double[] {0, 3000}, new double[] {1, 9});
        assertArrayEquals(
                new long[] {250, 750},
                adaptive.plan(costs.behindWhichWait(0, 1000)).shares());
        assertEquals(
                List.of("b"),
                chosen(adaptive.plan(Costs.of(1000, 1, 1).away(0, 1000).behindWhichWait(0, 1000))));
        assertEquals(List.of("a"), chosen(adaptive.plan(late.away(0, 1000).behindWhichWait(0, 1000))));
    }

    /** Alone a job takes 1500, on both lanes 1000. */
    @Test
    void whereManyWaitShortJobsAreNotSplit() {
        double[] fixed = {500, 500};
        double[] perUnit = {1, 1};
        Costs costs = Costs.of(1000, fixed, perUnit);
        assertEquals(List.of("a", "b"), chosen(adaptive.plan(costs.behindWhichWait(0, 1000))));
        assertEquals(List.of("a", "b"), chosen(adaptive.plan(costs.behindWhichWait(1, 1000))), "no sooner on average");
        assertEquals(List.of("a"), chosen(adaptive.plan(costs.behindWhichWait(3, 1000))));
        assertEquals(List.of("b"), chosen(adaptive.plan(costs.away(0, 100).behindWhichWait(3, 1000))));
        Costs longer = Costs.of(1_000_000, fixed, perUnit);
        assertEquals(List.of("a", "b"), chosen(adaptive.plan(longer.behindWhichWait(1000, 1_000_000))));
    }

    /** The fast one does the first few sooner than the slow one does one. */
    @Test
    void aSlowLaneIsGivenAJobWhereTheFastOneWouldBeLonger() {
        double[] fixed = {100, 900};
        Costs costs = Costs.of(1000, fixed, new double[] {1, 9});
        assertEquals(List.of("a"), chosen(adaptive.plan(costs.behindWhichWait(20, 1000))));
        assertEquals(List.of("a"), chosen(adaptive.plan(costs.away(0, 8000).behindWhichWait(20, 1000))));
        assertEquals(List.of("b"), chosen(adaptive.plan(costs.away(0, 9000).behindWhichWait(20, 1000))));
    }

    /** The same, but while both are at work each takes longer. */
    @Test
    void aLaneThatSlowsTheOthersDownIsGivenNoJobOfThose() {
        double[] fixed = {100, 900};
        Costs costs = Costs.of(1000, fixed, new double[] {1, 9}).contending(0b11, 2.5);
        assertEquals(List.of("a"), chosen(adaptive.plan(costs.away(0, 9000).behindWhichWait(20, 1000))));
    }

    /**
     * Of 192 frames on four GPUs 21 were split, as all of them one by one on all GPUs should be done earlier on average, as a look, or as the
     * last; each took ten times as long as a whole one, as its parts had to be brought together.
     */
    @Test
    void oneOfAStreamIsAlwaysWhole() {
        double[] none = new double[4];
        double[] perUnit = {1, 1, 1, 5};
        long units = 1_000_000;
        for (int coming : new int[] {1, 3, 64, 100_000}) {
            for (long jobs : new long[] {1, 2, 9, 1000, 100_000}) {
                Costs costs =
                        Costs.of((double) units, none, perUnit).after(jobs).explored(0, 1e12, 1000);
                costs.doubting(0b0111, 3).neverOn(0b1111).hoping(3, 100);
                Plan plan = adaptive.plan(costs.besideWhichCome(coming, units, 0, 0, 0, 0));
                assertEquals(
                        1,
                        Arrays.stream(plan.shares()).filter(share -> share > 0).count());
                assertEquals(0, plan.lookNanos());
                for (int lane = 0; lane < 4; lane++) {
                    assertEquals(false, plan.standsBy(lane));
                }
            }
        }
    }

    @Test
    void oneOfAStreamGoesToTheLaneThatIsDoneFirst() {
        double[] perUnit = {1, 1, 5};
        assertEquals(
                List.of("b"),
                chosen(adaptive.plan(Costs.of(1000, perUnit).away(0, 10).besideWhichCome(9, 1000, 1, 0, 0))));
        Costs busy = Costs.of(1000, perUnit).away(0, 3900).away(1, 4100);
        assertEquals(List.of("a"), chosen(adaptive.plan(busy.besideWhichCome(9, 1000, 4, 4, 0))));
        assertEquals(List.of("c"), chosen(adaptive.plan(busy.away(0, 4100).besideWhichCome(9, 1000, 4, 4, 0))));
        Costs unknown = Costs.of(1000, perUnit).unknown();
        assertEquals(List.of("b"), chosen(adaptive.plan(unknown.besideWhichCome(9, 1000, 1, 0, 0))));
        assertEquals(List.of("a"), chosen(adaptive.plan(unknown.besideWhichCome(9, 1000, 3, 3, 0))));
        assertEquals(List.of("c"), chosen(adaptive.plan(unknown.besideWhichCome(9, 1000, 5, 5, 0))));
    }

    // ---- candidates ----

    @Test
    void candidatesAreTheSingleLanesAndTheFastestTwoThreeAndSoOn() {
        Plan plan = adaptive.plan(Costs.of(1000, 4, 1, 2, 8).snapshot(1000, 1));
        assertEquals(
                List.of(
                        List.of("b"),
                        List.of("c"),
                        List.of("a"),
                        List.of("d"),
                        List.of("b", "c"),
                        List.of("a", "b", "c"),
                        List.of("a", "b", "c", "d")),
                considered(plan));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8, 16, 62})
    void theirNumberGrowsWithTheLanes(int lanes) {
        double[] perUnit = new double[lanes];
        Arrays.setAll(perUnit, i -> 1 + i % 7);
        Costs costs = Costs.of(1_000_000, perUnit);
        Plan plan = adaptive.plan(costs.snapshot(1_000_000, 1));
        assertEquals(2 * lanes - 1, considered(plan).size());
        assertEquals(lanes, chosen(plan).size());
        assertTrue(costs.forecasts <= 2 * lanes, costs.forecasts + " forecasts");
    }

    /** Equal devices differ by a few per cent, which must not make other sets of them candidates each time. */
    @ParameterizedTest
    @ValueSource(longs = {900, 950, 1000, 1050, 1100, 1150})
    void equalLanesComeInTheirOrder(long units) {
        Plan plan = adaptive.plan(
                Costs.of((double) units, 1.02, 3, 1, 0.99, 3.1, 1.01).snapshot(units, 1));
        assertEquals(
                List.of(
                        List.of("a"),
                        List.of("c"),
                        List.of("d"),
                        List.of("f"),
                        List.of("b"),
                        List.of("e"),
                        List.of("a", "c"),
                        List.of("a", "c", "d"),
                        List.of("a", "c", "d", "f"),
                        List.of("a", "b", "c", "d", "f"),
                        List.of("a", "b", "c", "d", "e", "f")),
                considered(plan));
    }

    @Test
    void aSetWhoseLanesHaveNotAllSomethingToDoIsNone() {
        // Lane c begins when the others are done.
        Costs costs = Costs.of(1000, new double[] {0, 0, 10_000}, new double[] {1, 1, 1});
        assertEquals(
                List.of(List.of("a"), List.of("b"), List.of("c"), List.of("a", "b")),
                considered(adaptive.plan(costs.snapshot(1000, 1))));
        // There are only two granules for three lanes.
        assertEquals(
                List.of(List.of("a"), List.of("b"), List.of("c"), List.of("a", "b")),
                considered(adaptive.plan(Costs.of(2, 1, 1, 1).snapshot(2, 1))));
    }

    /** By their speed the lanes come in an order in which the idle one is anywhere. */
    @Test
    void ofFourteenLanesOneThatWouldBeIdleHidesNoOther() {
        for (int idle = 0; idle < 14; idle++) {
            double[] fixed = new double[14];
            double[] perUnit = new double[14];
            Arrays.setAll(perUnit, i -> 1 + i);
            fixed[idle] = 1e9;
            perUnit[idle] = 1e-3; // were it not for what it takes to begin
            Plan plan = adaptive.plan(Costs.of(1e6, fixed, perUnit).snapshot(1_000_000, 1));
            assertEquals(13, chosen(plan).size(), "without lane " + idle);
            assertEquals(0, plan.shares()[idle]);
            assertEquals(
                    "the others are done before it would have begun; looked at again when what is known of it has faded",
                    decision(plan).lanes().get(idle).leftOut());
        }
    }

    @Test
    void devicesThatDoNotWorkAreNoCandidates() {
        Plan plan = adaptive.plan(Costs.of(1000, 1, 0.1, 1).snapshot(1000, 1, 0b101));
        assertEquals(List.of(List.of("a"), List.of("c"), List.of("a", "c")), considered(plan));
        assertArrayEquals(new long[] {500, 0, 500}, plan.shares());
        assertEquals(
                "its device does not work at present, or still builds",
                decision(plan).lanes().get(1).leftOut());
        assertEquals("", decision(plan).lanes().get(0).leftOut());
    }

    @Test
    void whereNoDeviceWorksAllAreTried() {
        assertEquals(
                3,
                considered(adaptive.plan(Costs.of(1000, 1, 1).snapshot(1000, 1, 0)))
                        .size());
    }

    @Test
    void aJobWithoutGranulesHasNothingToDecide() {
        Plan plan = adaptive.plan(Costs.of(0, 1, 1).snapshot(0, 1));
        assertArrayEquals(new long[] {0, 0}, plan.shares());
        assertNull(plan.decision());
    }

    // ---- the choice ----

    @Test
    void theLeastExpectedTimeIsChosen() {
        Plan plan = adaptive.plan(Costs.of(1000, 1, 3).snapshot(1000, 1));
        assertEquals(Plan.Sharing.STEALING, plan.sharing());
        assertTrue(plan.isBalanced());
        assertEquals(0, plan.lookNanos());
        assertArrayEquals(new long[] {750, 250}, plan.shares());
        assertEquals(List.of("a", "b"), chosen(plan));
        assertEquals("least expected time", decision(plan).reason());
        assertEquals(
                750, decision(plan).considered().get(decision(plan).chosen()).predictedNanos());
    }

    @Test
    void lanesThatHinderEachOtherDoNotWorkTogether() {
        Plan plan = adaptive.plan(Costs.of(1000, 1, 1).contending(BOTH, 2.3).snapshot(1000, 1));
        assertEquals(List.of("a"), chosen(plan));
        assertArrayEquals(new long[] {1000, 0}, plan.shares());
        assertEquals(
                "with it the job would take 15% longer; looked at again when what is known of it has faded",
                decision(plan).lanes().get(1).leftOut());
        assertEquals(2.3, decision(plan).considered().get(2).contention());
    }

    @Test
    void aLaneThatWouldBeginTooLateIsLeftOut() {
        Costs costs = Costs.of(1000, new double[] {100, 5_000}, new double[] {1, 0.01});
        Plan plan = adaptive.plan(costs.snapshot(1000, 1));
        assertArrayEquals(new long[] {1000, 0}, plan.shares());
        assertEquals(
                "the others are done before it would have begun; looked at again when what is known of it has faded",
                decision(plan).lanes().get(1).leftOut());
    }

    @Test
    void sharesFollowTheWork() {
        Plan plan = adaptive.plan(Costs.of(1000, 1, 1).costing(1, 1, 3, 3).snapshot(1000, 1));
        assertArrayEquals(new long[] {667, 333}, plan.shares());
    }

    @Test
    void whatIsKnownOfTheLanesIsSaid() {
        Costs costs = Costs.of(1000, new double[] {10, 20}, new double[] {1, 3}).doubting(B, 0.25);
        costs.chunks[1] = 7;
        Decision.Lane lane =
                decision(adaptive.plan(costs.snapshot(1000, 1))).lanes().get(1);
        assertEquals(new Decision.Lane("b", 20, 3, 0.25, 7, ""), lane);
    }

    // ---- first jobs ----

    @Test
    void theFirstJobStartsOnTheLaneThatPromisesMostAndTheOthersStandBy() {
        Plan plan = adaptive.plan(Costs.of(1000, 3, 1, 99).unknown().snapshot(1000, 1));
        assertEquals(List.of("b"), chosen(plan));
        assertArrayEquals(new long[] {0, 1000, 0}, plan.shares());
        assertEquals(0, plan.lookNanos());
        assertTrue(plan.standsBy(0) && !plan.standsBy(1) && plan.standsBy(2));
        assertEquals(0, plan.standByNanos(), "as soon as anybody knows what it takes");
        Decision decision = decision(plan);
        assertEquals("first job of its kind: others help if it is long enough", decision.reason());
        // No nanoseconds are told that nobody knows.
        assertTrue(decision.lanes().stream().allMatch(lane -> lane.nanosPerUnit() == 0));
        assertTrue(decision.considered().stream().allMatch(each -> each.predictedNanos() == 0));
    }

    @Test
    void lanesWhoseDevicesDoNotWorkDoNotStandBy() {
        Plan plan = adaptive.plan(Costs.of(1000, 1, 1, 1).unknown().snapshot(1000, 1, 0b011));
        assertArrayEquals(new long[] {1000, 0, 0}, plan.shares());
        assertTrue(plan.standsBy(1) && !plan.standsBy(2));
    }

    // ---- looks ----

    /** Together they are expected to take 1.2 times as long as lane a alone, but may take half as long. */
    private static Costs doubtful() {
        return Costs.of(1000, 1, 1).contending(BOTH, 2.4).doubting(BOTH, 0.5);
    }

    @Test
    void aSetThatMayBeFasterIsLookedAtAndPaidFor() {
        Plan plan = adaptive.plan(doubtful().snapshot(1000, 1));
        assertEquals(List.of("a", "b"), chosen(plan));
        assertEquals(200, plan.lookNanos(), 1e-6);
        assertEquals("a look: it may be faster than a", decision(plan).reason());
    }

    /** The best set's lanes take over from a look that is longer than the budget has left. */
    @Test
    void theBestSetStandsByInALook() {
        Costs costs = Costs.of(1000, 1, 2, 1).contending(0b101, 4).contending(0b111, 4);
        costs.contending(BOTH, 9).doubting(B, 1).explored(0, 0, 100);
        Plan plan = adaptive.plan(costs.snapshot(1000, 1));
        assertEquals(List.of("b"), chosen(plan));
        assertTrue(plan.standsBy(0), "the best set's lane");
        assertTrue(!plan.standsBy(1) && !plan.standsBy(2));
        assertEquals(1000, plan.bestNanos(), 1e-6);
        assertEquals(1000 + AdaptivePolicy.GRACE * 1000, plan.standByNanos(), 1e-6);
    }

    @Test
    void noLaneStandsByWhereNothingIsLookedAt() {
        Plan plan = adaptive.plan(
                Costs.of(1000, 1, 1).contending(BOTH, 3).explored(0, 300, 0).snapshot(1000, 1));
        assertArrayEquals(new long[] {1000, 0}, plan.shares());
        assertTrue(!plan.standsBy(0) && !plan.standsBy(1));
    }

    /** All jobs before it together took less than a quarter. */
    @Test
    void allStandByInAJobMuchLargerThanThoseBefore() {
        Plan plan = adaptive.plan(
                Costs.of(1000, 1, 1).contending(BOTH, 3).explored(0, 200, 0).snapshot(1000, 1));
        assertArrayEquals(new long[] {1000, 0}, plan.shares());
        assertTrue(plan.standsBy(1));
        assertEquals(0, plan.standByNanos());
    }

    /** Two lanes are expected to be done before the third has begun, which may be a hundred times as fast as is expected. */
    @Test
    void aLaneOutsideTheBestSetIsLookedAtBesideItForWhatItMayBe() {
        Costs costs = Costs.of(1000, new double[] {0, 0, 2000}, new double[] {1, 1, 10})
                .explored(0, 1e6, 100);
        assertEquals(List.of("a", "b"), chosen(adaptive.plan(costs.snapshot(1000, 1))), "it is as slow for certain");
        Plan plan = adaptive.plan(costs.hoping(2, 100).snapshot(1000, 1));
        assertEquals(List.of("a", "b", "c"), chosen(plan));
        assertTrue(plan.shares()[2] > 0);
        assertEquals("a look: it may be faster than a + b", decision(plan).reason());
        assertTrue(
                plan.lookNanos() > 0,
                "which is charged and waits for the next one, though it is expected to be faster");
        assertEquals(500, plan.bestNanos(), 1e-6);
        Plan soon =
                adaptive.plan(costs.explored(0, 1e9, AdaptivePolicy.SPACING - 1).snapshot(1000, 1));
        assertEquals(List.of("a", "b"), chosen(soon), "not yet");
        Plan spent = adaptive.plan(costs.explored(1e9, 1e6, 100).snapshot(1000, 1));
        assertEquals(List.of("a", "b"), chosen(spent), "looks have cost too much");
    }

    @Test
    void aSetThatIsSurelySlowerIsNot() {
        Plan plan = adaptive.plan(doubtful().doubting(BOTH, 0.05).snapshot(1000, 1));
        assertEquals(List.of("a"), chosen(plan));
        assertEquals(0, plan.lookNanos());
    }

    @Test
    void theLookThatMayGainMostComesFirst() {
        Costs costs = Costs.of(1000, 1, 1, 1)
                .contending(BOTH, 2.4)
                .doubting(BOTH, 0.3)
                .contending(0b111, 3.6)
                .doubting(0b111, 0.6);
        assertEquals(List.of("a", "b", "c"), chosen(adaptive.plan(costs.snapshot(1000, 1))));
        costs.doubting(BOTH, 0.9);
        assertEquals(List.of("a", "b"), chosen(adaptive.plan(costs.snapshot(1000, 1))));
    }

    /** A look costs 200 ns here, of jobs of 1,000 ns. */
    @ParameterizedTest
    @ValueSource(doubles = {0, 100_000, 1e7})
    void looksStayWithinTheirBudget(double total) {
        double budget = AdaptivePolicy.GRACE * 1000 + AdaptivePolicy.BUDGET * total;
        for (double spent : new double[] {0, budget - 201, budget - 199, 2 * budget}) {
            Plan plan = adaptive.plan(doubtful().explored(spent, total, 100).snapshot(1000, 1));
            assertEquals(spent < budget - 200 ? List.of("a", "b") : List.of("a"), chosen(plan), "spent " + spent);
            assertEquals(spent, decision(plan).exploredNanos());
            assertEquals(total, decision(plan).totalNanos());
        }
    }

    @Test
    void theOneThatIsWithinTheBudgetIsTakenInsteadOfOneThatIsNot() {
        Costs costs = Costs.of(1000, 1, 1, 1)
                .contending(BOTH, 2.4)
                .doubting(BOTH, 0.3)
                .contending(0b101, 2.4) // the third beside the best lane is no hope
                .contending(0b111, 30)
                .doubting(0b111, 4)
                .explored(500, 0, 100);
        assertEquals(List.of("a", "b"), chosen(adaptive.plan(costs.snapshot(1000, 1))));
    }

    /** It takes 10,000 ns if nobody takes it over. */
    @Test
    void aLookThatWouldCostMuchIsTakenOverAfterTheTimeOfAJob() {
        Costs costs = Costs.of(1000, 1, 10).contending(BOTH, 9).doubting(B, 4).neverOn(B);
        Plan plan = adaptive.plan(costs.explored(0, 0, 100).snapshot(1000, 1));
        assertEquals(List.of("b"), chosen(plan));
        assertTrue(plan.standsBy(0));
        assertEquals(1000, plan.standByNanos(), 1e-6);
        assertEquals(
                List.of("a"),
                chosen(adaptive.plan(costs.explored(1, 0, 100).snapshot(1000, 1))),
                "less than a job is left");
    }

    /** So that no lane is taken for slow for ever because it was disturbed when it was seen. */
    @Test
    void theMoreJobsTheMoreDoubtfulASetNeverRunMayBe() {
        Costs costs = Costs.of(1000, 1, 10).contending(BOTH, 9).doubting(B, 1).explored(0, 1e9, 100);
        assertEquals(List.of("a"), chosen(adaptive.plan(costs.after(1000).snapshot(1000, 1))));
        costs.neverOn(B);
        assertEquals(List.of("a"), chosen(adaptive.plan(costs.after(10).snapshot(1000, 1))));
        assertEquals(List.of("b"), chosen(adaptive.plan(costs.after(1000).snapshot(1000, 1))));
    }

    @Test
    void looksAreSpreadOverTime() {
        for (long since = 0; since < AdaptivePolicy.SPACING; since++) {
            Costs costs = doubtful().explored(0, 1e9, since);
            assertEquals(List.of("a"), chosen(adaptive.plan(costs.snapshot(1000, 1))));
        }
        Costs due = doubtful().explored(0, 1e9, AdaptivePolicy.SPACING);
        due.jobs = AdaptivePolicy.SPACING * AdaptivePolicy.SELDOM;
        assertEquals(List.of("a", "b"), chosen(adaptive.plan(due.snapshot(1000, 1))));
        Costs settled = doubtful().doubting(BOTH, 0.12).explored(0, 1e9, AdaptivePolicy.SPACING);
        settled.jobs = 10 * AdaptivePolicy.SELDOM;
        assertEquals(List.of("a"), chosen(adaptive.plan(settled.snapshot(1000, 1))), "ever more rarely");
        settled.doubting(BOTH, 0.5);
        assertEquals(List.of("a", "b"), chosen(adaptive.plan(settled.snapshot(1000, 1))), "unless it may well pay");
    }

    @Test
    void aLookAtFewerLanesSaysWhyTheOthersAreLeftOut() {
        Costs costs = Costs.of(1000, 1, 1).doubting(A, 1);
        Plan plan = adaptive.plan(costs.snapshot(1000, 1));
        assertEquals(List.of("a"), chosen(plan));
        assertEquals(500, plan.lookNanos(), 1e-6);
        assertEquals("a look: it may be faster than a + b", decision(plan).reason());
        assertEquals(
                "a look at the others without it", decision(plan).lanes().get(1).leftOut());
    }

    // ---- chunks ----

    @Test
    void whereNobodyCouldHelpAllIsTakenAtOnce() {
        Numbers p = Numbers.of(new long[] {1000, 0}, 1000, 1000).doubting(4);
        p.active[1] = false;
        assertEquals(1000, adaptive.chunk(p, 0));
    }

    @Test
    void whatIsKnownForCertainIsTakenAtOnce() {
        Numbers p = Numbers.of(new long[] {750, 250}, 1000, 3000).launching(5_000);
        assertEquals(750, adaptive.chunk(p, 0));
        assertEquals(250, adaptive.chunk(p, 1));
    }

    @Test
    void theLessIsKnownTheSmallerTheChunk() {
        Numbers p = Numbers.of(new long[] {1000, 1000}, 1000, 1000).launching(5_000);
        long last = 1000;
        for (double variance : new double[] {1e-4, 0.01, 0.1, 1, 4}) {
            long chunk = adaptive.chunk(p.doubting(variance), 0);
            assertTrue(chunk <= last, chunk + " with a variance of " + variance);
            last = chunk;
        }
        assertTrue(last >= 1 && last < 100, "of a job never seen: " + last);
        assertTrue(adaptive.chunk(p.doubting(1e-4), 0) > 950, "2 % off at most");
    }

    @Test
    void aLaneThatHasMoreThanItsPartLeavesTheRestToOthers() {
        // All the work is lane 0's, but lane 1 is as fast and has nothing to do.
        Numbers p = Numbers.of(new long[] {1000, 0}, 1000, 1000).launching(6_000);
        assertEquals(500, adaptive.chunk(p, 0));
        p.busy[1] = 200_000; // which it will not have for another 200 granules
        assertEquals(600, adaptive.chunk(p, 0));
    }

    @Test
    void aChunkIsWorthItsLaunchAndLeavesNoRestThatIsNot() {
        Numbers p = Numbers.of(new long[] {150, 150}, 1000, 1000).doubting(0.25).launching(100_000);
        // What is in doubt by half is not cut finer than to two launches, on a lane that may be e times as slow.
        assertEquals(200 / Math.E, (double) adaptive.chunk(p, 0), 1);
        p.left[0] = 110;
        assertEquals(110, adaptive.chunk(p, 0));
        p.left[0] = 150;
        assertTrue(adaptive.chunk(p.unknown(), 0) < 65, "nobody knows what a launch is worth");
        Numbers known =
                Numbers.of(new long[] {1000, 1000}, 1000, 1000).doubting(0.0025).launching(20_000);
        known.left[0] = 300; // twenty launches, on a lane that may be a tenth slower, are more than that
        assertEquals(300, adaptive.chunk(known, 0));
    }

    /** While all that a chunk took may have been fixed, the next one shows more for little. */
    @Test
    void aChunkIsLargeEnoughToShowWhatAUnitTakes() {
        Numbers p = Numbers.of(new long[] {1000, 1000}, 1000, 1000).doubting(4).launching(1_000);
        long chunk = adaptive.chunk(p, 0);
        assertTrue(chunk < 50, "chunk " + chunk);
        p.leastWork[0] = 4.0 * chunk;
        assertEquals(4 * chunk, adaptive.chunk(p, 0));
        assertEquals(chunk, adaptive.chunk(p, 1), "the other is known");
        p.leastWork[0] = 900;
        assertEquals(1000, adaptive.chunk(p, 0), "and leaves no rest that shows nothing");
    }

    @Test
    void aChunkIsInsuredWhereThatCostsLessThanChunksOverrun() {
        // Should lane 0 become four times slower at once, it is done when the others have done the rest.
        Numbers p = Numbers.of(new long[] {1000, 1000}, 1000, 1000).launching(1_000);
        assertEquals(1000, adaptive.chunk(p, 0), "no chunk ever took longer");
        assertEquals(400, adaptive.chunk(p.overrunning(0.01), 0));
        assertEquals(1000, adaptive.chunk(p.launching(10_000), 0), "400 granules overrun by 4 µs on average");
        assertEquals(400, adaptive.chunk(p.overrunning(0.03), 0));
        assertEquals(1000, adaptive.chunk(p.unknown(), 0), "nobody knows what a launch is worth");
    }

    @Test
    void chunksAreCutByWork() {
        Numbers p = Numbers.of(new long[] {1000, 1000}, 1000, 1000)
                .launching(10_000)
                .costing(3, 1, 2, 2);
        // Half of 2,000 is lane 0's, of which its first 500 granules have 750.
        assertEquals(1000.0, (double) adaptive.chunk(p, 0), 1);
        Numbers doubted = Numbers.of(new long[] {1000, 1000}, 1000, 1000)
                .launching(10_000)
                .doubting(0.1);
        double even = adaptive.chunk(doubted, 0);
        assertEquals(even / 1.5, (double) adaptive.chunk(doubted.costing(3, 1, 2, 2), 0), 2);
        assertEquals(500 + (even - 250) / 1.5, (double) adaptive.chunk(doubted.costing(1, 3, 2, 2), 0), 2);
    }
}
