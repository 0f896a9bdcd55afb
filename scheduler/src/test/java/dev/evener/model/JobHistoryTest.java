package dev.evener.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.MadeUpDevices;
import dev.evener.policy.CostModel.Forecast;
import dev.evener.policy.Costs;
import dev.evener.policy.LaneSet;
import dev.evener.policy.Plan;
import dev.evener.policy.Policies;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is learnt of lanes from the chunks of jobs, and how it is asked for. */
class JobHistoryTest extends TwoDevices {

    // ---- the same jobs, the same devices ----

    @Test
    void likeJobsShareWhatIsKnownAndAreFoundQuickly() {
        assertSame(learnt, history.of(job("k"), List.of(CPU, GPU)));
        assertNotSame(learnt, history.of(job("l"), BOTH));
        assertNotSame(learnt, history.of(job, List.of(GPU, CPU)));
        assertFalse(learnt.model(UNITS).known());
        learn(1, 5, 0);
        assertTrue(history.of(job("k"), BOTH).model(UNITS).known());
        assertEquals(1, history.of(job("k"), BOTH).model(UNITS).jobs());
        assertFalse(history.of(job("l"), BOTH).model(UNITS).known());
    }

    @Test
    void lanesAreNumberedAsTheDevicesWereGiven() {
        learn(5, 5, 0);
        HistorySnapshot turned = history.of(job, List.of(GPU, CPU)).model(UNITS);
        assertEquals(0, turned.lane(0).chunks());
        assertEquals(learnt.model(UNITS).lane(0).chunks(), turned.lane(1).chunks());
        assertTrue(turned.lane(1).chunks() >= 4 * Observations.CHUNKS);
        assertEquals(learnt.model(UNITS).forecast(A).nanos(), turned.forecast(B).nanos(), 1e-6);
        assertEquals(learnt.model(UNITS).forecast(B).nanos(), turned.forecast(A).nanos(), 1e-6);
        assertEquals(4, turned.forecast(B).jobs(), "all but the first, which was cold");
        assertEquals(0, turned.forecast(A).jobs());
    }

    @Test
    void whatADeviceDidBesideOneThatIsAwayIsAGuessAtBest() {
        learn(10, 5, 5);
        HistorySnapshot alone = history.of(job, List.of(CPU)).model(UNITS);
        assertTrue(alone.known());
        Forecast guess = alone.forecast(A);
        assertEquals(0, guess.jobs());
        // Between as fast as beside the other one and, if both always waited for one another, twice as fast.
        assertTrue(guess.nanos() > 2 * UNITS && guess.nanos() < 5.5 * UNITS, "takes " + guess.nanos());
        assertTrue(guess.doubt() > 2 * learnt.model(UNITS).forecast(AB).doubt());
    }

    @Test
    void jobsOfStepsAreExpectedToTakeWhatTheirStepsTook() {
        learn(10, 5, 10);
        JobHistory other = history.of(job("l"), BOTH);
        for (int i = 0; i < 10; i++) {
            other.learn(Observations.of(UNITS, 15, 2));
        }
        HistorySnapshot steps = history.of(job("k", "l", "k"), BOTH).model(UNITS);
        assertTrue(steps.known());
        assertEquals(0, steps.jobs());
        for (int lane = 0; lane < 2; lane++) { // as they were seen, beside each other
            assertAbout(perUnit(lane, AB), perUnit(steps.prior(lane, 0, AB)), 0.2);
            assertAbout(perUnit(other.model(UNITS).prior(lane, 0, AB)), perUnit(steps.prior(lane, 1, AB)), 0.2);
            assertAbout(perUnit(lane, AB), perUnit(steps.prior(lane, 2, AB)), 0.2);
            assertTrue(steps.lane(lane).chunks() > 0);
        }
        double all = 2 * 5 + 15; // of a unit on the first, 2 * 10 + 2 on the other
        assertAbout(UNITS / (1 / all + 1 / 22.0), steps.forecast(AB).nanos(), 0.2);
        assertFalse(history.of(job("k", "m"), BOTH).model(UNITS).known(), "of one step nothing is known");
    }

    @Test
    void jobsOfStepsThatHaveRunAreNotTakenForTheirStepsAnyMore() {
        JobHistory steps = history.of(job("k", "k"), BOTH);
        for (int i = 0; i < 10; i++) {
            steps.learn(Observations.of(UNITS, 7, 7));
        }
        double before = steps.model(UNITS).forecast(AB).nanos();
        learn(10, 50, 50);
        assertEquals(before, steps.model(UNITS).forecast(AB).nanos(), 1e-6 * before);
    }

    @Test
    void twoDevicesThatNothingTellsApartAreTwo() {
        JobHistory twins = history.of(job, List.of(CPU, CPU));
        for (int i = 0; i < 20; i++) {
            twins.learn(Observations.of(UNITS, 5, 10));
        }
        assertAbout(5, perUnit(twins.model(UNITS).prior(0, 0, AB)), 0.2);
        assertAbout(10, perUnit(twins.model(UNITS).prior(1, 0, AB)), 0.2);
    }

    /** What three equal devices take is what is expected of the fourth, and of no other kind of device. */
    @Test
    void equalDevicesShareWhatIsKnown() {
        List<DeviceInfo> devices = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            devices.add(MadeUpDevices.gpu("1." + i, MadeUpDevices.NVIDIA, "pci " + i));
        }
        devices.add(CPU);
        JobHistory many = history.of(job, devices);
        for (int i = 0; i < 9; i++) {
            double[] perUnit = new double[5];
            perUnit[i % 3] = 7;
            many.learn(Observations.of(UNITS, perUnit));
        }
        HistorySnapshot known = many.model(UNITS);
        assertEquals(0, known.lane(3).chunks());
        assertAbout(7, known.lane(3).nanosPerUnit(), 0.1);
        assertTrue(known.lane(3).doubt() < 0.2, "doubt " + known.lane(3).doubt());
        assertTrue(known.lane(3).doubt() > known.lane(0).doubt());
        assertTrue(known.lane(4).doubt() > 1, "another kind of device is not known");
        Forecast all = known.forecast(LaneSet.all(4));
        assertTrue(Costs.complete(all));
        for (int i = 0; i < 4; i++) {
            assertAbout(UNITS / 4.0, all.work()[i], 0.1);
        }
    }

    // ---- what lanes take ----

    @Test
    void whatALaneTakesIsLearntFromItsChunks() {
        learn(10, 5, 0);
        HistorySnapshot known = learnt.model(UNITS);
        assertAbout(5, known.lane(0).nanosPerUnit(), 0.05);
        assertTrue(known.lane(0).doubt() < 0.1);
        assertTrue(known.lane(0).chunks() >= 9 * Observations.CHUNKS);
        assertTrue(known.lane(1).doubt() > 1, "the other was never seen");
        assertEquals(0, known.lane(1).chunks());
    }

    @Test
    void devicesThatWorkTogetherAreToldFromDevicesAlone() {
        for (int i = 0; i < 10; i++) {
            learn(1, 5, 0);
            learn(1, 0, 10);
            learn(1, 8, 16);
        }
        assertAbout(5, perUnit(0, A), 0.1);
        assertAbout(10, perUnit(1, B), 0.1);
        assertAbout(8, perUnit(0, AB), 0.1);
        assertAbout(16, perUnit(1, AB), 0.1);
        Forecast both = learnt.model(UNITS).forecast(AB);
        assertEquals(1.6, both.contention(), 0.15);
        assertEquals(1, learnt.model(UNITS).forecast(A).contention(), 1e-9);
        assertAbout(2 * UNITS / 3.0, both.work()[0], 0.1);
        assertEquals(UNITS, both.work()[0] + both.work()[1], 1e-3 * UNITS);
    }

    @Test
    void aJobCostsWhatItsPhasesCostTogether() {
        JobHistory two = history.of(job("p", "q"), BOTH);
        for (int i = 0; i < 10; i++) {
            ChunkLog log = new ChunkLog();
            log.add(0, 0, UNITS / 2, 3 * UNITS / 2 + 1000, 3 * UNITS / 2);
            log.add(0, UNITS / 2, UNITS / 2, 3 * UNITS / 2 + 1000, 3 * UNITS / 2);
            log.add(1, 0, UNITS, 5 * UNITS + 1000, 5 * UNITS);
            two.learn(Observations.done(A, UNITS, 8 * UNITS + 20_000, log, new ChunkLog()));
        }
        HistorySnapshot known = two.model(UNITS);
        assertAbout(8, known.lane(0).nanosPerUnit(), 0.1);
        assertAbout(3, perUnit(known.prior(0, 0, A)), 0.2);
        assertAbout(5, perUnit(known.prior(0, 1, A)), 0.2);
        assertAbout(8 * UNITS, known.forecast(A).nanos(), 0.1);
    }

    /** A launch costs the same whatever the size of the chunk. */
    @Test
    void launchesAreLearntAndCounted() {
        for (int i = 0; i < 30; i++) {
            ChunkLog log = new ChunkLog();
            long at = 0;
            for (long units : new long[] {UNITS / 2, UNITS / 2 - 40_000, 20_000, 20_000}) {
                log.add(0, at, units, 5 * units + 400_000, 5 * units);
                at += units;
            }
            learnt.learn(Observations.done(A, UNITS, log.totalNanos() + 10_000, log, new ChunkLog()));
        }
        HistorySnapshot known = learnt.model(UNITS);
        assertAbout(400_000, known.lane(0).fixedNanos(), 0.2);
        assertAbout(5, known.lane(0).nanosPerUnit(), 0.15);
        LaneEstimate.Prior prior = known.prior(0, 0, A);
        assertEquals(known.lane(0).fixedNanos(), prior.launchNanos() + Math.exp(prior.logFixed()), 1e-6);
        assertEquals(LaneModel.WAKE_NANOS, known.prior(1, 0, B).launchNanos(), "the other's are not known");
        assertEquals(LaneModel.START_VARIANCE, known.prior(1, 0, B).varianceOfFixed(), 1e-9);
    }

    @Test
    void veryManyChunksCountToo() {
        for (int i = 0; i < 10; i++) {
            ChunkLog log = new ChunkLog();
            for (int c = 0; c < 1000; c++) {
                long took = 500 * UNITS / 1000;
                log.add(0, c * UNITS / 1000, UNITS / 1000, took, took - 1000);
            }
            learnt.learn(Observations.done(A, UNITS, 500 * UNITS, log, new ChunkLog()));
        }
        HistorySnapshot known = learnt.model(UNITS);
        assertTrue(known.lane(0).chunks() >= 9000);
        assertAbout(500, known.lane(0).nanosPerUnit(), 0.1);
        assertAbout(500 * UNITS, known.forecast(A).nanos(), 0.1);
    }

    /** A form for one device counts units of its own: its chunks are the job. */
    @Test
    void theFormForOneDeviceIsTheWholeJob() {
        for (int i = 0; i < 10; i++) {
            ChunkLog log = new ChunkLog();
            log.add(0, 0, 10, 2 * UNITS, 2 * UNITS);
            learnt.learn(new JobObservation(
                    A, A, UNITS, 2 * UNITS, true, true, 0, 0, new long[2], new ChunkLog[] {log, new ChunkLog()}));
        }
        assertAbout(2, learnt.model(UNITS).lane(0).nanosPerUnit(), 0.1);
        assertAbout(2 * UNITS, learnt.model(UNITS).forecast(A).nanos(), 0.1);
        assertTrue(learnt.model(UNITS).profile().even());
    }

    @Test
    void anUnevenProfileIsFoundFromChunks() {
        for (int i = 0; i < 20; i++) {
            ChunkLog[] logs = {new ChunkLog(), new ChunkLog()};
            for (int c = 0; c < 16; c++) { // the first quarter costs seven times as much; lane 1 is three times slower
                long units = UNITS / 16;
                long took = Math.round(units * (c < 4 ? 14 : 2) * (c % 2 == 0 ? 1.0 : 3.0));
                logs[c % 2].add(0, c * units, units, took, took);
            }
            learnt.learn(Observations.done(AB, UNITS, logs[1].totalNanos(), logs));
        }
        HistorySnapshot known = learnt.model(UNITS);
        assertFalse(known.profile().even());
        assertAbout(0.7, known.profile().work(0, 0.25, 1), 0.1);
        assertAbout(3, perUnit(1, AB) / perUnit(0, AB), 0.3);
    }

    @Test
    void lanesThatDifferAreNoProfile() {
        learn(30, 5, 15);
        assertTrue(learnt.model(UNITS).profile().even());
    }

    // ---- the rest ----

    @Test
    void aSnapshotStaysAsItWasWhileOthersLearn() throws InterruptedException {
        learn(3, 5, 7);
        HistorySnapshot before = learnt.model(UNITS);
        List<Object> said = said(before);
        AtomicBoolean enough = new AtomicBoolean();
        List<Thread> threads = IntStream.range(0, 2)
                .mapToObj(t -> new Thread(() -> {
                    while (!enough.get()) {
                        learn(1, 50, t == 0 ? 70 : 0);
                    }
                }))
                .toList();
        threads.forEach(Thread::start);
        for (int i = 0; i < 500; i++) {
            assertEquals(said, said(before));
            assertTrue(learnt.model(UNITS).forecast(AB).nanos() > 0);
        }
        enough.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(said, said(before));
        learn(20, 50, 70);
        assertTrue(learnt.model(UNITS).forecast(AB).nanos()
                > 5 * before.forecast(AB).nanos());
    }

    private static List<Object> said(HistorySnapshot model) {
        List<Object> said = new ArrayList<>();
        for (LaneSet set : List.of(A, B, AB)) {
            Forecast forecast = model.forecast(set);
            said.addAll(List.of(forecast.nanos(), forecast.doubt(), forecast.contention(), forecast.jobs()));
            said.add(model.prior(0, 0, set.with(0)));
            said.add(model.doubt(forecast, model.forecast(A)));
        }
        said.addAll(List.of(model.lane(0), model.lane(1), model.jobs(), model.exploration()));
        return said;
    }

    @Test
    void threadsThatLearnAtOnceAreAllHeard() throws InterruptedException {
        List<Thread> threads = IntStream.range(0, 4)
                .mapToObj(t -> new Thread(() -> learn(50, t % 2 == 0 ? 5 : 0, t % 2 == 0 ? 0 : 10)))
                .toList();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        HistorySnapshot known = learnt.model(UNITS);
        assertEquals(200, known.jobs());
        assertAbout(5, known.lane(0).nanosPerUnit(), 0.05);
        assertAbout(10, known.lane(1).nanosPerUnit(), 0.05);
    }

    @Test
    void jobsWithoutUnitsTeachNothing() {
        learnt.learn(Observations.done(A, 0, 1000, new ChunkLog(), new ChunkLog()));
        learnt.learn(Observations.done(LaneSet.NONE, 10, 1000, new ChunkLog(), new ChunkLog()));
        assertFalse(learnt.model(0).known());
        assertFalse(learnt.model(10).known());
        assertTrue(history.entries().isEmpty());
    }

    @Test
    void aLaneThatWasRobbedOfEverythingHasTaughtNothing() {
        JobObservation o = Observations.of(UNITS, 5, 0);
        for (int i = 0; i < 3; i++) {
            learnt.learn(Observations.done(AB, UNITS, o.wallNanos(), o.chunks()));
        }
        assertEquals(0, learnt.model(UNITS).lane(1).chunks());
        assertTrue(learnt.model(UNITS).lane(1).doubt() > 1);
        assertTrue(learnt.model(UNITS).lane(0).chunks() > 0);
    }

    @Test
    void afterClearingNothingIsKnown() {
        learn(3, 5, 0);
        history.clear();
        assertFalse(history.of(job, BOTH).model(UNITS).known());
        assertTrue(history.entries().isEmpty());
    }

    // ---- plans for the next job ----

    /** Jobs of some microseconds were planned one by one, which took longer than they did. */
    @Test
    void aPlanHoldsForJobsThatTakeLessThanPlanningWhileLittleIsLearnt() {
        learn(200, 5, 5);
        keep(Plan.of(Plan.Sharing.STEALING, 1, 0)); // it took 10, so that the next one comes no sooner than 1,000 later
        assertTrue(isPlanned(UNITS, AB, 2_009));
        assertFalse(isPlanned(UNITS, AB, 2_010), "planning takes no more than a hundredth");
        assertFalse(isPlanned(2 * UNITS, AB, 1_010), "other jobs");
        assertFalse(isPlanned(UNITS, A, 1_010), "a lane is away");
        learn(2, 5, 5);
        assertTrue(isPlanned(UNITS, AB, 1_010));
        learn(1, 5, 5);
        assertFalse(isPlanned(UNITS, AB, 1_010), "more than a hundredth was learnt");
        keep(Plan.of(Plan.Sharing.STEALING, 1, 0).because(1, 1, () -> null));
        assertFalse(isPlanned(UNITS, AB, 1_010), "a look");
    }

    private void keep(Plan plan) {
        learnt.planAhead(
                new JobHistory.Planned(Policies.adaptive(), UNITS, 1, AB, "data", plan, learnt.model(UNITS)),
                1_000,
                1_010);
    }

    private boolean isPlanned(long units, LaneSet available, long now) {
        return learnt.isPlanned(Policies.adaptive(), units, 1, available, data -> true, now);
    }
}
