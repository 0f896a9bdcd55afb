package dev.evener.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.MadeUpDevices;
import dev.evener.policy.CostModel.Exploration;
import dev.evener.policy.CostModel.Forecast;
import dev.evener.policy.Costs;
import dev.evener.policy.LaneSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What lanes take in the sets that they are in, and what is expected of them in others. */
class LaneModelTest extends TwoDevices {

    private static List<DeviceInfo> gpus(int count) {
        List<DeviceInfo> devices = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            devices.add(MadeUpDevices.gpu("1." + i, MadeUpDevices.NVIDIA, "pci " + i));
        }
        return devices;
    }

    // ---- company ----

    /** Devices that slow each other down are not expected to do the opposite, whatever sets they were seen in. */
    @Test
    void companyIsNeverExpectedToHelp() {
        List<DeviceInfo> devices = List.of(CPU, GPU, MadeUpDevices.gpu("2.0", MadeUpDevices.RUSTICL, "pci 2"));
        for (int seed = 0; seed < 100; seed++) {
            Random random = new Random(seed);
            JobHistory three = StoredHistory.inMemory().of(job, devices);
            double[] alone = {5, 10, 7};
            double sharing = random.nextDouble();
            for (int i = 0; i < 40; i++) {
                int set = 1 + random.nextInt(7);
                double[] perUnit = new double[3];
                for (int lane = 0; lane < 3; lane++) {
                    double slower = Math.pow(Long.bitCount(set), sharing) * Math.exp(0.05 * random.nextGaussian());
                    perUnit[lane] = (set >>> lane & 1) == 1 ? alone[lane] * slower : 0;
                }
                three.learn(Observations.of(UNITS, perUnit));
                HistorySnapshot known = three.model(UNITS);
                for (int each = 1; each <= 7; each++) {
                    Forecast forecast = known.forecast(Costs.lanes(each));
                    assertTrue(
                            forecast.contention() >= 1 - 1e-9,
                            "seed " + seed + ", " + i + ": " + each + " has " + forecast.contention());
                }
            }
        }
    }

    @Test
    void whatCompanyCostsIsLearntWhenALaneIsSeenAlone() {
        learn(10, 8, 16);
        HistorySnapshot together = learnt.model(UNITS);
        assertTrue(perUnit(together.prior(0, 0, A)) > 4.5 && perUnit(together.prior(0, 0, A)) < 7.5, "not known yet");
        double doubt = together.lane(0).doubt();
        learn(2, 5, 0);
        assertAbout(5, perUnit(0, A), 0.1);
        assertAbout(8, perUnit(0, AB), 0.1);
        assertTrue(learnt.model(UNITS).lane(0).doubt() < doubt);
        // What one is spared the other one will be, too.
        assertTrue(perUnit(1, B) < perUnit(together.prior(1, 0, B)), "alone it takes " + perUnit(1, B));
        assertAbout(16, perUnit(1, AB), 0.1);
    }

    @Test
    void devicesThatShareNothingAreToldSoon() {
        for (int i = 0; i < 5; i++) {
            learn(1, 5, 10);
            learn(1, 5, 0);
        }
        assertEquals(1, learnt.model(UNITS).forecast(AB).contention(), 0.1);
        assertAbout(10, perUnit(1, B), 0.2);
    }

    /** A lane that gets slower gets slower in all sets. */
    @Test
    void aChangeInOneSetHoldsInOthers() {
        for (int i = 0; i < 10; i++) {
            learn(1, 5, 0);
            learn(1, 0, 10);
            learn(1, 8, 16);
        }
        learn(4, 15, 0);
        assertAbout(15, perUnit(0, A), 0.1);
        assertAbout(24, perUnit(0, AB), 0.15);
        assertAbout(16, perUnit(1, AB), 0.1);
    }

    @Test
    void ofManySetsTheOneThatRanLongestAgoIsForgotten() {
        List<DeviceInfo> devices = gpus(7);
        JobHistory many = history.of(job, devices);
        for (int set = 1; set <= 2 * KernelHistory.MOST_SETS; set++) {
            double[] perUnit = new double[7];
            for (int lane = 0; lane < 7; lane++) {
                perUnit[lane] = (set >>> lane & 1) == 1 ? 10 + lane : 0;
            }
            for (int i = 0; i < 2; i++) {
                many.learn(Observations.of(UNITS, perUnit));
            }
        }
        assertEquals(KernelHistory.MOST_SETS, history.entries().size());
        HistorySnapshot known = many.model(UNITS);
        for (int set = 1; set <= KernelHistory.MOST_SETS; set++) {
            assertEquals(0, known.forecast(Costs.lanes(set)).jobs(), "set " + set);
        }
        for (int set = KernelHistory.MOST_SETS + 1; set <= 2 * KernelHistory.MOST_SETS; set++) {
            assertTrue(known.forecast(Costs.lanes(set)).jobs() > 0, "set " + set);
        }
        for (int set = 1; set < 128; set++) {
            Forecast forecast = known.forecast(Costs.lanes(set));
            double rates = 0;
            for (int lane = 0; lane < 7; lane++) {
                rates += (set >>> lane & 1) == 1 ? 1.0 / (10 + lane) : 0;
            }
            // Lanes are known, whatever became of the set that they were in.
            assertAbout(UNITS / rates, forecast.nanos(), 0.35);
            assertTrue(Double.isFinite(forecast.doubt()) && forecast.doubt() < 1, "doubt " + forecast.doubt());
        }
    }

    @Test
    void aLaneWhoseHomeIsForgottenGoesOnFromWhatItTook() {
        JobHistory many = history.of(job, gpus(7));
        double[] first = new double[7];
        first[6] = 9; // whose set gives its place to another
        for (int i = 0; i < 5; i++) {
            many.learn(Observations.of(UNITS, first));
        }
        for (int set = 1; set <= KernelHistory.MOST_SETS; set++) {
            double[] perUnit = new double[7];
            for (int lane = 0; lane < 6; lane++) {
                perUnit[lane] = (set >>> lane & 1) == 1 ? 9 : 0;
            }
            many.learn(Observations.of(UNITS, perUnit));
        }
        assertEquals(0, many.model(UNITS).forecast(LaneSet.of(6)).jobs());
        assertAbout(9, perUnit(many.model(UNITS).prior(6, 0, LaneSet.of(6))), 0.1);
        many.learn(Observations.of(UNITS, first));
        assertAbout(9, perUnit(many.model(UNITS).prior(6, 0, LaneSet.of(6))), 0.1);
    }

    // ---- lanes of which little was seen ----

    /** The first chunk of a lane in a process may have taken longer than others will, but by no more than it took. */
    @Test
    void whatWasSeenColdOnlyMakesASlowDeviceSlow() {
        learn(5, 5, 0);
        assertTrue(perUnit(1, B) < 10, "nothing else is known: " + perUnit(1, B));
        ChunkLog slow = new ChunkLog();
        slow.add(0, UNITS / 2, UNITS / 2, 250 * UNITS, 250 * UNITS);
        JobObservation o = Observations.of(UNITS / 2, 5, 0);
        learnt.learn(Observations.done(AB, UNITS, 250 * UNITS, o.chunks()[0], slow));
        assertTrue(perUnit(1, B) > 50, "a unit takes " + perUnit(1, B));
        assertTrue(learnt.model(UNITS).lane(1).doubt() > 0.5, "it is weak evidence");
        assertTrue(learnt.model(UNITS).forecast(AB).work()[1] < 0.1 * UNITS);
        assertAbout(5, perUnit(0, A), 0.1);
        learn(3, 0, 6); // and soon forgotten if it was nothing but the beginning
        assertAbout(6, perUnit(1, B), 0.2);
    }

    @Test
    void whatWasSeenColdOnlyMakesAFastDeviceFast() {
        learn(5, 500, 0);
        ChunkLog fast = new ChunkLog();
        fast.add(0, UNITS / 2, UNITS / 2, 5 * UNITS, 5 * UNITS);
        JobObservation o = Observations.of(UNITS / 2, 500, 0);
        learnt.learn(Observations.done(AB, UNITS, 250 * UNITS, o.chunks()[0], fast));
        assertTrue(perUnit(1, B) < 20, "it took no longer than that: " + perUnit(1, B));
    }

    @Test
    void equalDevicesPoolWhatIsKnown() {
        JobHistory many = history.of(job, gpus(4));
        for (int i = 0; i < 3; i++) {
            many.learn(Observations.of(UNITS, 7, 7, 7, 0));
        }
        HistorySnapshot known = many.model(UNITS);
        assertAbout(7, perUnit(known.prior(3, 0, LaneSet.all(4))) / Math.pow(4 / 3.0, 0.35), 0.1);
        assertTrue(known.prior(3, 0, LaneSet.all(4)).varianceOfPerUnit() < 0.1);
        assertEquals(
                known.prior(0, 0, LaneSet.of(0)).launchNanos(),
                known.prior(3, 0, LaneSet.of(3)).launchNanos(),
                1,
                "a launch too");
    }

    @Test
    void anEqualDeviceThatIsSlowedKeepsItsOwnFigures() {
        JobHistory many = history.of(job, gpus(4));
        for (int i = 0; i < 10; i++) {
            many.learn(Observations.of(UNITS, 7, 7, 28, 7));
        }
        HistorySnapshot known = many.model(UNITS);
        assertAbout(28, perUnit(known.prior(2, 0, LaneSet.all(4))), 0.1);
        for (int lane : new int[] {0, 1, 3}) {
            assertAbout(7, perUnit(known.prior(lane, 0, LaneSet.all(4))), 0.1);
        }
        assertAbout(UNITS / 13.0, known.forecast(LaneSet.all(4)).work()[2], 0.15);
    }

    /** However long a lane was left alone, what it takes is no worse known than if it had never been seen. */
    @Test
    void whatWasSeenVeryLongAgoIsNotExpectedToTakeForEver() {
        learn(5, 5, 0);
        learn(5, 0, 4);
        learn(20_000, 5, 0);
        HistorySnapshot known = learnt.model(UNITS);
        assertTrue(
                known.forecast(B).nanos() < 3 * 4 * UNITS,
                "takes " + known.forecast(B).nanos());
        assertTrue(known.lane(1).doubt() <= 3, "doubt " + known.lane(1).doubt());
        assertTrue(known.forecast(B, 1).nanos() < known.forecast(A).nanos(), "there is hope for it");
    }

    // ---- whose job it was ----

    /** A job planned for A alone, of which B did so much when it came in. */
    private JobObservation helped(double part) {
        JobObservation mine = Observations.of(Math.round(UNITS * (1 - part)), 5, 0);
        JobObservation other = Observations.of(Math.round(UNITS * part), 0, 10);
        return new JobObservation(
                A,
                AB,
                UNITS,
                Math.max(mine.wallNanos(), other.wallNanos()),
                true,
                false,
                0,
                0,
                new long[2],
                new ChunkLog[] {mine.chunks()[0], other.chunks()[1]});
    }

    @Test
    void aJobThatOthersHelpedWithIsThePlannedSets() {
        learn(1, 5, 0);
        for (int i = 0; i < 4; i++) {
            learnt.learn(helped(0.3));
        }
        HistorySnapshot known = learnt.model(UNITS);
        assertEquals(3, known.forecast(A).jobs(), "all but the one in which the other was cold");
        assertEquals(0, known.forecast(AB).jobs());
        assertTrue(known.lane(1).chunks() > 0, "what the other did was seen");
        LaneEstimate.Prior other = known.prior(1, 0, AB);
        double chunk = 0.3 * UNITS / Observations.CHUNKS;
        assertAbout(10 * chunk, Math.exp(other.logFixed()) + chunk * perUnit(other), 0.1);
        assertAbout(5, perUnit(0, A), 0.1);
    }

    @Test
    void aJobThatOthersDidMostOfIsTheirs() {
        learn(1, 5, 0);
        for (int i = 0; i < 4; i++) {
            learnt.learn(helped(0.7));
        }
        HistorySnapshot known = learnt.model(UNITS);
        assertEquals(0, known.forecast(A).jobs());
        assertEquals(3, known.forecast(AB).jobs(), "all but the one in which the other was cold");
        assertAbout(5, perUnit(0, AB), 0.1);
        assertAbout(10, perUnit(1, AB), 0.1);
    }

    // ---- looks ----

    private void look(LaneSet lane, double nanosPerUnit, double expected, double best) {
        double[] perUnit = new double[2];
        perUnit[lane.first()] = nanosPerUnit;
        JobObservation o = Observations.of(UNITS, perUnit);
        learnt.learn(new JobObservation(
                lane, lane, UNITS, o.wallNanos(), true, false, expected, best, o.delayNanos(), o.chunks()));
    }

    @Test
    void aLookCostsWhatItTookBeyondTheBestSetAndAtMostAsMuchAgain() {
        learn(5, 5, 0);
        double best = learnt.model(UNITS).forecast(A).nanos();
        double total = learnt.model(UNITS).exploration().totalNanos();
        look(B, 50, 1000, best); // it was cold, and far slower than expected
        Exploration spent = learnt.model(UNITS).exploration();
        assertAbout(best, spent.spentNanos(), 0.01); // at most as much again as the best set takes
        assertAbout(50 * UNITS, spent.totalNanos() - total, 0.01);
        assertEquals(0, spent.sinceLook());
        look(B, 50, 45 * UNITS, best);
        assertAbout(2 * best, learnt.model(UNITS).exploration().spentNanos(), 0.01);
        learn(1, 5, 0);
        assertEquals(1, learnt.model(UNITS).exploration().sinceLook());
        assertAbout(2 * best, learnt.model(UNITS).exploration().spentNanos(), 0.01);
    }

    @Test
    void aLookThatWasWorthItCostsNothing() {
        learn(5, 5, 0);
        double best = learnt.model(UNITS).forecast(A).nanos();
        look(B, 2, UNITS, best);
        assertEquals(0, learnt.model(UNITS).exploration().spentNanos());
        assertEquals(0, learnt.model(UNITS).exploration().sinceLook());
        learn(1, 0, 2);
        assertFalse(learnt.model(UNITS).forecast(B).nanos() > best);
    }
}
