package dev.evener.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.Job;
import dev.evener.MadeUpDevices;
import dev.evener.policy.Experience;
import dev.evener.policy.Experience.Outcome;
import dev.evener.policy.Snapshot.Cost;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is learnt from jobs, and how it is asked for. */
class JobHistoryTest {
    private static final DeviceInfo CPU = MadeUpDevices.cpu("0.0", MadeUpDevices.POCL);
    private static final DeviceInfo GPU = MadeUpDevices.gpu("1.0", MadeUpDevices.NVIDIA, "pci 1");
    private static final List<DeviceInfo> BOTH = List.of(CPU, GPU);
    private static final long A = 1;
    private static final long B = 2;
    private static final long AB = 3;

    private final History history = History.inMemory();
    private final Job job = job("k");
    private final JobHistory learnt = history.of(job, BOTH);

    private static Job job(String... kernels) {
        Job.Builder builder = Job.named("job").units(1);
        for (String kernel : kernels) {
            builder.kernel(kernel).jvm(c -> {});
        }
        return builder.build();
    }

    // ---- the same jobs, the same devices ----

    @Test
    void likeJobsShareWhatIsKnownAndAreFoundQuickly() {
        assertSame(learnt, history.of(job("k"), List.of(CPU, GPU)));
        assertNotSame(learnt, history.of(job("l"), BOTH));
        assertNotSame(learnt, history.of(job, List.of(GPU, CPU)));
        solo(0, 1000, 5000);
        assertTrue(history.of(job("k"), BOTH).experience(1000).cost(0, A).known());
        assertFalse(history.of(job("l"), BOTH).experience(1000).cost(0, A).known());
    }

    @Test
    void lanesAreNumberedAsTheDevicesWereGiven() {
        solo(0, 1000, 5000);
        JobHistory turned = history.of(job, List.of(GPU, CPU));
        assertFalse(turned.experience(1000).cost(0, A).known());
        assertEquals(5, turned.experience(1000).cost(1, B).nanosPerUnit(), 1e-9);
        assertEquals(6000, turned.experience(1000).outcome(B).nanos(), 1e-3);
    }

    @Test
    void whatADeviceDidBesideOneThatIsAwayIsAGuessAtBest() {
        learnt.learn(AB, 1000, 3000, new long[][] {{600, 400}}, new long[][] {{3000, 3000}});
        JobHistory alone = history.of(job, List.of(CPU));
        assertFalse(alone.experience(1000).cost(0, A).known());
        assertEquals(Outcome.UNKNOWN.nanos(), alone.experience(1000).outcome(A).nanos());
        assertEquals(5, alone.cost(0, 0, A, 1000).nanosPerUnit(), 1e-9);
        assertEquals(5000, alone.aloneNanos(0, 1000), 1e-6);
    }

    @Test
    void twoDevicesThatNothingTellsApartAreTwo() {
        JobHistory twins = history.of(job, List.of(CPU, CPU));
        twins.learn(AB, 1000, 3000, new long[][] {{600, 400}}, new long[][] {{3000, 4000}});
        assertEquals(5, twins.experience(1000).cost(0, AB).nanosPerUnit(), 1e-9);
        assertEquals(10, twins.experience(1000).cost(1, AB).nanosPerUnit(), 1e-9);
    }

    // ---- costs ----

    @Test
    void costsAreToldApartByCompany() {
        solo(0, 1000, 5000);
        learnt.learn(AB, 1000, 4000, new long[][] {{500, 500}}, new long[][] {{4000, 2000}});
        Experience seen = learnt.experience(1000);
        assertEquals(5, seen.cost(0, A).nanosPerUnit(), 1e-9);
        assertEquals(8, seen.cost(0, AB).nanosPerUnit(), 1e-9);
        assertEquals(4, seen.cost(1, AB).nanosPerUnit(), 1e-9);
        assertEquals(Cost.UNKNOWN, seen.cost(1, B));
        assertEquals(4, learnt.cost(0, 1, B, 1000).nanosPerUnit(), 1e-9, "a guess is better than nothing");
        assertEquals(5, learnt.cost(0, 0, A, 1000).nanosPerUnit(), 1e-9);
        assertEquals(5000, learnt.aloneNanos(0, 1000), 1e-6);
    }

    @Test
    void aJobCostsWhatItsPhasesCostTogether() {
        JobHistory two = history.of(job("p", "q"), BOTH);
        two.learn(A, 100, 1000, new long[][] {{100, 0}, {100, 0}}, new long[][] {{300, 0}, {500, 0}});
        assertEquals(8, two.experience(100).cost(0, A).nanosPerUnit(), 1e-9);
        assertEquals(3, two.cost(0, 0, A, 100).nanosPerUnit(), 1e-9);
        assertEquals(5, two.cost(1, 0, A, 100).nanosPerUnit(), 1e-9);
        assertEquals(800, two.aloneNanos(0, 100), 1e-6);
        assertEquals(0, two.aloneNanos(1, 100));
        two.learn(AB, 100, 1000, new long[][] {{50, 50}, {100, 0}}, new long[][] {{300, 10}, {500, 0}});
        assertEquals(Cost.UNKNOWN, two.experience(100).cost(1, AB), "it did nothing in the second phase");
        assertEquals(0, two.aloneNanos(1, 100));
    }

    @Test
    void stolenUnitsCountForTheRangeTheyCameFrom() {
        // Lane 1 was given 500 units; lane 0, as fast as it, took over 200 of them, which were ten times cheaper.
        long[][][] units = {{{500, 200}, {0, 300}}};
        long[][][] nanos = {{{5000, 200}, {0, 3000}}};
        learnt.learn(AB, 1000, 5200, units, nanos, new long[2]);
        Experience seen = learnt.experience(1000);
        assertEquals(10, seen.cost(0, AB).nanosPerUnit(), 1e-9);
        assertEquals(3200 / 500.0, seen.cost(1, AB).nanosPerUnit(), 1e-9);
    }

    @Test
    void stolenUnitsCountAsTheirOwnersTime() {
        // Lane 0 is four times faster: what it took over would have cost lane 1 four times as much.
        long[][][] units = {{{800, 300}, {0, 200}}};
        long[][][] nanos = {{{2000, 750}, {0, 2000}}};
        learnt.learn(AB, 1300, 2800, units, nanos, new long[2]);
        assertEquals(10, learnt.experience(1300).cost(1, AB).nanosPerUnit(), 1e-9);
    }

    @Test
    void aLaneThatWasRobbedOfEverythingHasTaughtNothing() {
        long[][][] units = {{{500, 500}, {0, 0}}};
        long[][][] nanos = {{{5000, 5000}, {0, 0}}};
        learnt.learn(AB, 1000, 10_000, units, nanos, new long[2]);
        assertFalse(learnt.experience(1000).cost(1, AB).known());
        assertTrue(learnt.experience(1000).cost(0, AB).known());
    }

    @Test
    void whenADeviceBeganCountsInTheJobsTimeButNotInItsBusyTime() {
        long[][][] units = {{{1000, 0}, {0, 1000}}};
        long[][][] nanos = {{{5000, 0}, {0, 5000}}};
        learnt.learn(AB, 2000, 9000, units, nanos, new long[] {100, 3000});
        Experience seen = learnt.experience(2000);
        assertEquals(100, seen.cost(0, AB).fixedNanos(), 1e-6);
        assertEquals(3000, seen.cost(1, AB).fixedNanos(), 1e-6);
        assertEquals(1000, seen.overheadNanos(AB), 1e-6);
        assertEquals(0, learnt.cost(0, 1, AB, 2000).fixedNanos());
    }

    // ---- outcomes ----

    @Test
    void outcomesAreOfWholeSets() {
        solo(0, 1000, 5000);
        solo(0, 1000, 5000);
        learnt.learn(AB, 1000, 3300, new long[][] {{500, 500}}, new long[][] {{2500, 2500}});
        Experience seen = learnt.experience(1000);
        assertEquals(6000, seen.outcome(A).nanos(), 1e-3);
        assertEquals(2, seen.outcome(A).samples());
        assertEquals(1, seen.outcome(A).age());
        assertEquals(3300, seen.outcome(AB).nanos(), 1e-3);
        assertEquals(0, seen.outcome(AB).age());
        assertEquals(1000, seen.overheadNanos(A), 1e-6);
        assertEquals(800, seen.overheadNanos(AB), 1e-6);
        assertEquals(800, seen.overheadNanos(B), 1e-6, "the least that is known");
        assertFalse(seen.outcome(B).known());
        assertEquals(3, seen.outcome(B).age(), "jobs of this size that it had no part in");
        assertEquals(A, seen.usual());
    }

    @Test
    void wallTimesThatSayNothingTeachOnlyCosts() {
        learnt.learn(AB, 1000, 0, new long[][] {{900, 100}}, new long[][] {{4500, 100}});
        assertFalse(learnt.experience(1000).outcome(AB).known());
        assertTrue(learnt.experience(1000).cost(1, AB).known());
    }

    @Test
    void otherSizesPredictWithDoubtThatGrowsWithTheDistance() {
        for (int i = 0; i < 5; i++) {
            solo(0, 1 << 10, 5 << 10);
            solo(0, 1 << 12, 5 << 12);
        }
        Outcome near = learnt.experience(1 << 13).outcome(A);
        Outcome far = learnt.experience(1 << 16).outcome(A);
        assertEquals(0, near.samples());
        assertEquals(1000 + (5 << 13), near.nanos(), 0.03 * (5 << 13));
        assertEquals(1000 + (5 << 16), far.nanos(), 0.03 * (5 << 16));
        assertEquals(0.1, near.spread(), 1e-9);
        assertEquals(0.4, far.spread(), 1e-9);
        assertEquals(0, near.age(), "no job of that size yet");
        assertTrue(learnt.experience(1 << 13).cost(0, A).known());
    }

    @Test
    void aChangeOfSpeedIsFollowedWithinAFewJobs() {
        for (int i = 0; i < 10; i++) {
            solo(0, 1000, 5000);
            learnt.learn(B, 1000, 8000, new long[][] {{0, 1000}}, new long[][] {{0, 7000}});
            learnt.learn(AB, 1000, 3500, new long[][] {{600, 400}}, new long[][] {{3000, 2800}});
        }
        for (int i = 0; i < 7; i++) { // device 0 has become four times slower
            learnt.learn(AB, 1000, 12_500, new long[][] {{600, 400}}, new long[][] {{12_000, 2800}});
        }
        Experience seen = learnt.experience(1000);
        assertEquals(20, seen.cost(0, AB).nanosPerUnit(), 4);
        assertEquals(7, seen.cost(1, B).nanosPerUnit(), 0.1, "the other is as it was");
        assertEquals(12_500, seen.outcome(AB).nanos(), 700);
    }

    @Test
    void launchesAreLearntByDeviceAndPhase() {
        JobHistory two = history.of(job("p", "q"), BOTH);
        assertEquals(0, two.launchNanos(0, 0));
        two.learnLaunch(0, 0, 90_000);
        two.learnLaunch(1, 0, 50_000);
        two.learnLaunch(0, 1, Double.NaN);
        two.learnLaunch(0, 1, 0);
        assertEquals(90_000, two.launchNanos(0, 0));
        assertEquals(50_000, two.launchNanos(1, 0));
        assertEquals(0, two.launchNanos(0, 1));
        two.learnLaunch(0, 0, 10_000_000); // a page fault is not what a launch costs
        assertTrue(two.launchNanos(0, 0) < 120_000);
        for (int i = 0; i < 40; i++) {
            two.learnLaunch(0, 0, 30_000);
        }
        assertEquals(30_000, two.launchNanos(0, 0), 1000);
    }

    @Test
    void startsAreLearntByDeviceAndPhaseAndTestedTheMoreRarelyTheOftenerTheyStand() {
        JobHistory two = history.of(job("p", "q"), BOTH);
        two.learnStart(1, 0, 70_000, true);
        assertEquals(70_000, two.startNanos(1, 0));
        assertEquals(0, two.startNanos(0, 0));
        assertEquals(0, two.startNanos(1, 1));
        assertFalse(two.testsStart(1, 0));
        List<Integer> tests = new ArrayList<>();
        for (int i = 1; i <= 120; i++) {
            if (two.testsStart(1, 0)) {
                tests.add(i);
                two.learnStart(1, 0, 70_000, false); // a job that was not cut tests nothing
                assertTrue(two.testsStart(1, 0));
            }
            two.learnStart(1, 0, 70_000, true);
        }
        assertEquals(List.of(17, 50, 115), tests);
        two.learnStart(1, 0, 0, true);
        assertFalse(two.testsStart(1, 0), "there is nothing to test");
        assertEquals(0, two.startNanos(1, 0));
    }

    @Test
    void aViewStaysAsItWasWhileOthersLearn() {
        solo(0, 1000, 5000);
        Experience before = learnt.experience(1000);
        solo(0, 1000, 9000);
        assertEquals(5, before.cost(0, A).nanosPerUnit(), 1e-9);
        assertEquals(1, before.outcome(A).samples());
        assertTrue(learnt.experience(1000).cost(0, A).nanosPerUnit() > 6);
    }

    @Test
    void jobsWithoutUnitsTeachNothing() {
        learnt.learn(A, 0, 1000, new long[][] {{0, 0}}, new long[][] {{0, 0}});
        learnt.learn(0, 10, 1000, new long[][] {{0, 0}}, new long[][] {{0, 0}});
        assertFalse(learnt.experience(0).outcome(A).known());
        assertTrue(history.entries().isEmpty());
    }

    @Test
    void afterClearingNothingIsKnown() {
        solo(0, 1000, 5000);
        history.clear();
        assertFalse(history.of(job, BOTH).experience(1000).cost(0, A).known());
        assertTrue(history.entries().isEmpty());
        assertTrue(history.times().isEmpty());
    }

    /** One job on one lane, a microsecond longer than its device was busy. */
    private void solo(int lane, long units, long busy) {
        long[][] did = new long[1][2];
        long[][] was = new long[1][2];
        did[0][lane] = units;
        was[0][lane] = busy;
        learnt.learn(1L << lane, units, busy + 1000, did, was);
    }
}
