package dev.evener.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.MadeUpDevices;
import dev.evener.policy.CostModel.Forecast;
import dev.evener.policy.Costs;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What jobs are expected to take, and how that follows what they took. */
class ForecastTest extends TwoDevices {

    // ---- what jobs take ----

    @Test
    void whatJobsTakeBeyondTheirLanesWorkIsLearnt() {
        for (int i = 0; i < 100; i++) {
            JobObservation o = Observations.of(UNITS, 5, 0);
            learnt.learn(Observations.done(A, UNITS, o.wallNanos() + UNITS / 2, o.chunks()));
        }
        Forecast forecast = learnt.model(UNITS).forecast(A);
        assertAbout(5.5 * UNITS, forecast.nanos(), 0.03);
        assertEquals(99, forecast.jobs(), "all but the first, which was cold");
        // The same is expected of a set that never ran: host steps do not hang on devices.
        learn(1, 0, 5);
        assertTrue(learnt.model(UNITS).forecast(B).nanos() > 5.2 * UNITS);
    }

    /** Where that was rounded away no lane of the set had anything to do, and planning ended with an index of -1. */
    @Test
    void aLaneAloneDoesAllHoweverLittleItIsBesideWhatIsFixed() {
        long many = 1L << 60;
        for (int i = 0; i < 5; i++) {
            ChunkLog log = new ChunkLog();
            log.add(0, 0, many, 100_000, 100_000);
            learnt.learn(Observations.done(A, many, 100_000, log, new ChunkLog()));
        }
        assertEquals(1, learnt.model(1).forecast(A).work()[0]);
    }

    /** It took six times as long in its first jobs, and never came to show that it does not: one of two GPUs worked for good. */
    @Test
    void anEqualDeviceThatBeganBadlyMayBeAsItsLikeIs() {
        DeviceInfo twin = MadeUpDevices.gpu("1.1", MadeUpDevices.NVIDIA, "pci 2");
        JobHistory of = history.of(job, List.of(GPU, twin));
        for (int i = 0; i < 10; i++) {
            of.learn(Observations.of(UNITS, 5, 30));
        }
        for (int i = 0; i < 200; i++) {
            of.learn(Observations.of(UNITS, 5, 0));
        }
        HistorySnapshot known = of.model(UNITS);
        assertTrue(known.forecast(AB).nanos() > 3.5 * UNITS, "as it was seen");
        assertAbout(2.5 * UNITS, known.forecast(AB, 1).nanos(), 0.15);
    }

    /** Three first jobs of two GPUs took twice as long as their chunks did, and one of them worked for good. */
    @Test
    void aSetThatBeganBadlyMayTakeNoLongerThanItsLanes() {
        for (int i = 0; i < 10; i++) {
            JobObservation o = Observations.of(UNITS, 5, 5);
            learnt.learn(Observations.done(AB, UNITS, 2 * o.wallNanos(), o.chunks()));
        }
        learn(200, 5, 0);
        HistorySnapshot known = learnt.model(UNITS);
        assertTrue(known.forecast(AB).nanos() > 3.5 * UNITS, "as it was seen");
        assertTrue(known.forecast(AB, 1).nanos() < 2.6 * UNITS, "as its lanes do");
    }

    @Test
    void sharesThatNobodyMeantToEndTogetherSayNothingOfTheWallTime() {
        for (int i = 0; i < 5; i++) {
            JobObservation o = Observations.of(UNITS, 5, 5);
            learnt.learn(new JobObservation(
                    AB, AB, UNITS, 100 * o.wallNanos(), false, false, 0, 0, o.delayNanos(), o.chunks()));
        }
        HistorySnapshot known = learnt.model(UNITS);
        assertEquals(5, known.jobs());
        assertEquals(0, known.forecast(AB).jobs());
        assertAbout(2.5 * UNITS, known.forecast(AB).nanos(), 0.2);
        assertTrue(known.lane(1).chunks() > 0);
    }

    /** As jobs of a stream, whose lanes go from one to another between phases. */
    @Test
    void ofJobsWhoseLanesServeOthersInBetweenTheChunksAreEvidence() {
        for (int i = 0; i < 5; i++) {
            JobObservation o = Observations.of(UNITS, 5, 0);
            learnt.learn(new JobObservation(A, A, UNITS, 0, true, false, 0, 0, new long[] {77 * UNITS, 0}, o.chunks()));
        }
        HistorySnapshot known = learnt.model(UNITS);
        assertTrue(known.known());
        assertEquals(5, known.jobs());
        assertEquals(0, known.forecast(A).jobs()); // their time was not theirs
        assertEquals(0, known.exploration().totalNanos());
        assertAbout(5, perUnit(0, A), 0.05);
        assertAbout(5 * UNITS, known.forecast(A).nanos(), 0.1); // nor was the lane's delay
    }

    @Test
    void whenALaneBeginsCountsInTheJobsTimeAndNotInItsOwn() {
        theSecondBeginsLate();
        Forecast both = learnt.model(UNITS).forecast(AB);
        assertAbout(5, perUnit(1, AB), 0.1);
        assertAbout(3 * UNITS, both.nanos(), 0.1);
        assertAbout(0.6 * UNITS, both.work()[0], 0.1);
        assertAbout(0.4 * UNITS, both.work()[1], 0.1);
    }

    /** As long after the first as that takes for a fifth of the job. */
    private void theSecondBeginsLate() {
        long late = UNITS;
        for (int i = 0; i < 60; i++) {
            JobObservation o = Observations.of(UNITS, 5, 5);
            learnt.learn(new JobObservation(
                    AB, AB, UNITS, o.wallNanos() + late / 2, true, false, 0, 0, new long[] {10_000, late}, o.chunks()));
        }
    }

    /** A lane that would begin when the others are done gets nothing. */
    @Test
    void aLaneThatBeginsTooLateHasNoPart() {
        theSecondBeginsLate();
        HistorySnapshot small = learnt.model(1);
        assertFalse(Costs.complete(small.forecast(AB)));
        assertTrue(Costs.complete(small.forecast(A)));
        assertTrue(Costs.complete(learnt.model(UNITS).forecast(AB)));
    }

    @Test
    void otherSizesPredictWithDoubtThatGrowsWithTheDistance() {
        for (int i = 0; i < 10; i++) {
            learnt.learn(Observations.of(1 << 20, 5, 0));
        }
        Forecast same = learnt.model(1 << 20).forecast(A);
        Forecast near = learnt.model(1 << 22).forecast(A);
        Forecast far = learnt.model(1 << 28).forecast(A);
        assertEquals(10, learnt.model(1 << 22).jobs());
        assertTrue(learnt.model(1 << 22).known());
        assertEquals(same.jobs(), near.jobs());
        assertAbout(5.0 * (1 << 22), near.nanos(), 0.1);
        assertAbout(5.0 * (1 << 28), far.nanos(), 0.1);
        assertTrue(same.doubt() < near.doubt());
        assertTrue(near.doubt() < far.doubt());
        // Small ones hang on what is fixed, of which nothing was seen.
        Forecast small = learnt.model(1 << 10).forecast(A);
        assertTrue(small.doubt() > 2 * same.doubt(), "doubt " + small.doubt());
        assertTrue(Double.isFinite(learnt.model(0).forecast(A).nanos()));
    }

    @Test
    void doubtGoesWithJobsAndIsLessBetweenSetsThatHaveMuchInCommon() {
        learn(1, 5, 5);
        double first = learnt.model(UNITS).forecast(AB).doubt();
        learn(20, 5, 5);
        HistorySnapshot known = learnt.model(UNITS);
        Forecast both = known.forecast(AB);
        Forecast one = known.forecast(A);
        assertTrue(both.doubt() < first / 2);
        assertEquals(0, known.doubt(one, one));
        double between = known.doubt(one, both);
        assertTrue(between > 0 && between <= Math.hypot(one.doubt(), both.doubt()) + 1e-9);
        assertEquals(between, known.doubt(both, one), 1e-9);
    }

    @Test
    void whatLooksCostIsCounted() {
        assertEquals(0, learnt.model(UNITS).exploration().totalNanos());
        learn(1, 5, 0);
        learn(1, 0, 9);
        JobObservation o = Observations.of(UNITS, 0, 9);
        // It was expected to take 4 ms more than the best set's 5 ms, and took a little longer.
        learnt.learn(new JobObservation(B, B, UNITS, o.wallNanos(), true, false, 4e6, 5e6, o.delayNanos(), o.chunks()));
        learn(2, 5, 0);
        var spent = learnt.model(UNITS).exploration();
        assertEquals(o.wallNanos() - 5e6, spent.spentNanos());
        assertEquals(2, spent.sinceLook());
        // Whether or not a lane's first job counts.
        assertTrue(spent.totalNanos() >= 19 * UNITS && spent.totalNanos() < 34 * UNITS, spent.toString());
        assertEquals(spent, learnt.model(64 * UNITS).exploration(), "whatever the size of jobs");
    }

    // ---- change ----

    @Test
    void aChangeOfSpeedIsFollowedWithinAFewJobs() {
        for (int i = 0; i < 15; i++) {
            learn(1, 5, 0);
            learn(1, 0, 10);
            learn(1, 5, 10);
        }
        learn(4, 20, 10); // device 0 has become four times slower
        assertAbout(20, perUnit(0, AB), 0.25);
        assertAbout(10, perUnit(1, AB), 0.25);
        learn(4, 5, 10);
        assertAbout(5, perUnit(0, AB), 0.25);
    }

    @Test
    void aDisturbanceOfOneJobIsForgotten() {
        learn(20, 5, 0);
        double before = learnt.model(UNITS).forecast(A).nanos();
        learn(1, 20, 0);
        assertTrue(perUnit(0, A) < 12, "half the way at most: " + perUnit(0, A));
        learn(2, 5, 0);
        assertAbout(before, learnt.model(UNITS).forecast(A).nanos(), 0.2);
        learn(6, 5, 0);
        assertAbout(before, learnt.model(UNITS).forecast(A).nanos(), 0.05);
    }

    /** Compilers of the JVM, first touches of memory, clocks that are down. */
    @Test
    void aLanesFirstJobCountsLittle() {
        ChunkLog log = new ChunkLog();
        for (int c = 0; c < 4; c++) {
            long took = (c == 0 ? 50 : 5) * UNITS / 4;
            log.add(0, c * UNITS / 4, UNITS / 4, took, took);
        }
        learnt.learn(Observations.done(A, UNITS, log.totalNanos(), log, new ChunkLog()));
        assertAbout(5, perUnit(0, A), 0.5);
        assertEquals(0, learnt.model(UNITS).forecast(A).jobs());
        learn(1, 5, 0);
        assertAbout(5, perUnit(0, A), 0.2);
        assertEquals(1, learnt.model(UNITS).forecast(A).jobs());
    }

    /** If there is but one chunk, that is all there is to leave out. */
    @Test
    void aFirstJobOfOneChunkTeachesNothing() {
        for (int job = 0; job < 2; job++) {
            assertEquals(0, learnt.model(UNITS).forecast(A).jobs());
            ChunkLog log = new ChunkLog();
            log.add(0, 0, UNITS, (job == 0 ? 50 : 5) * UNITS, 5 * UNITS);
            learnt.learn(Observations.done(A, UNITS, log.totalNanos(), log, new ChunkLog()));
        }
        assertTrue(learnt.model(UNITS).known());
        assertAbout(5, perUnit(0, A), 0.2);
    }

    @Test
    void evidenceFades() {
        learn(20, 0, 10);
        double sure = learnt.model(UNITS).lane(1).doubt();
        learn(500, 5, 0);
        double later = learnt.model(UNITS).lane(1).doubt();
        assertTrue(later > 1.5 * sure, sure + " became " + later);
        assertAbout(10, learnt.model(UNITS).lane(1).nanosPerUnit(), 0.1);
    }
}
