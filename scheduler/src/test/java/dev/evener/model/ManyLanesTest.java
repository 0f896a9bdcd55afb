package dev.evener.model;

import static dev.evener.model.TwoDevices.assertAbout;
import static dev.evener.model.TwoDevices.perUnit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.Job;
import dev.evener.MadeUpDevices;
import dev.evener.policy.CostModel.Forecast;
import dev.evener.policy.Costs;
import dev.evener.policy.LaneSet;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.policy.Snapshot;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lanes of any number, of five classes: those a word of 64 apart are two as any others are. */
class ManyLanesTest {
    private static final long UNITS = 1_000_000;

    @TempDir
    Path folder;

    private final Job job = TwoDevices.job("k");

    private static List<DeviceInfo> devices(int lanes) {
        return IntStream.range(0, lanes)
                .mapToObj(i -> MadeUpDevices.device(
                        "0." + i, "p", "d" + i % 5, i % 3 == 0 ? DeviceKind.GPU : DeviceKind.CPU, 64, 64, 1, "x" + i))
                .toList();
    }

    private static double nanosPerUnit(int lane) {
        return 100 + 10.0 * (lane % 15);
    }

    private static JobObservation done(LaneSet set, int lanes) {
        double[] perUnit = new double[lanes];
        Arrays.setAll(perUnit, i -> set.has(i) ? nanosPerUnit(i) : 0);
        return Observations.of(UNITS, perUnit);
    }

    private static long[] plan(Policy policy, HistorySnapshot model, int lanes) {
        List<Snapshot.LaneView> views = IntStream.range(0, lanes)
                .mapToObj(i -> new Snapshot.LaneView("0." + i, true))
                .toList();
        return policy.plan(new Snapshot(UNITS / 10, 10, views, model, 0)).shares();
    }

    @ParameterizedTest
    @ValueSource(ints = {40, 62, 63, 64, 65, 128})
    void allOfThemTogetherAreAsFastAsTheSum(int lanes) {
        JobHistory many = StoredHistory.inMemory().of(job, devices(lanes));
        for (int i = 0; i < 10; i++) {
            many.learn(done(LaneSet.all(lanes), lanes));
        }
        HistorySnapshot known = many.model(UNITS);
        Forecast all = known.forecast(LaneSet.all(lanes));
        assertTrue(Costs.complete(all));
        assertEquals(9, all.jobs());
        double rates =
                IntStream.range(0, lanes).mapToDouble(i -> 1 / nanosPerUnit(i)).sum();
        assertAbout(UNITS / rates, all.nanos(), 0.2);
        long[] shares = plan(Policies.history(), known, lanes);
        for (int i = 0; i < lanes; i++) {
            assertEquals(
                    9 * Observations.CHUNKS + Observations.CHUNKS - 1,
                    known.lane(i).chunks(),
                    "lane " + i);
            assertAbout(UNITS / 10.0 / nanosPerUnit(i) / rates, (double) shares[i], 0.1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 63})
    void whatALaneShowsIsNotTakenForWhatTheOneAWordFurtherDoes(int lane) {
        JobHistory many = StoredHistory.inMemory().of(job, devices(128));
        LaneSet own = LaneSet.of(lane);
        LaneSet other = LaneSet.of(lane + 64);
        for (int i = 0; i < 5; i++) {
            many.learn(done(own, 128));
        }
        HistorySnapshot known = many.model(UNITS);
        for (int i = 0; i < 128; i++) {
            assertEquals(i == lane, known.lane(i).chunks() > 0, "lane " + i);
            assertEquals(i == lane ? 4 : 0, known.forecast(LaneSet.of(i)).jobs(), "lane " + i);
        }
        assertEquals(0, known.forecast(LaneSet.of(lane, lane + 64)).jobs());
        assertAbout(nanosPerUnit(lane), perUnit(known.prior(lane, 0, own)), 0.02);
        for (int i = 0; i < 5; i++) {
            many.learn(done(other, 128));
        }
        known = many.model(UNITS);
        assertEquals(
                List.of(4L, 4L),
                List.of(known.forecast(own).jobs(), known.forecast(other).jobs()));
        assertAbout(nanosPerUnit(lane), perUnit(known.prior(lane, 0, own)), 0.02);
        assertAbout(nanosPerUnit(lane + 64), perUnit(known.prior(lane + 64, 0, other)), 0.02);
        assertTrue(known.doubt(known.forecast(own), known.forecast(other)) > 0);
    }

    /** The sets with and without one of two lanes, as they are saved by their devices. */
    @ParameterizedTest
    @ValueSource(ints = {64, 65, 128})
    void aHistoryIsReadAsItWasWritten(int lanes) {
        Path file = folder.resolve("history.json");
        StoredHistory history = StoredHistory.at(file);
        JobHistory many = history.of(job, devices(lanes));
        LaneSet all = LaneSet.all(lanes);
        List<LaneSet> sets = List.of(all, all.without(lanes - 1), all.without(lanes - 64), LaneSet.of(lanes - 1));
        for (int i = 0; i < 3; i++) {
            sets.forEach(set -> many.learn(done(set, lanes)));
        }
        history.save();
        StoredHistory again = StoredHistory.at(file);
        HistorySnapshot written = many.model(UNITS);
        HistorySnapshot read = again.of(job, devices(lanes)).model(UNITS);
        for (LaneSet set : sets) {
            assertTrue(written.forecast(set).jobs() >= 2, set.toString());
            assertEquals(written.forecast(set).jobs(), read.forecast(set).jobs(), set.toString());
            assertAbout(written.forecast(set).nanos(), read.forecast(set).nanos(), 1e-4);
        }
        for (int i = 0; i < lanes; i++) {
            assertEquals(written.lane(i).chunks(), read.lane(i).chunks());
            assertAbout(perUnit(written.prior(i, 0, all)), perUnit(read.prior(i, 0, all)), 1e-4);
        }
        Set<Integer> sizes = new HashSet<>();
        again.entries().forEach(entry -> sizes.add(new HashSet<>(entry.devices()).size()));
        assertEquals(Set.of(lanes, lanes - 1, 1), sizes);
    }

    /** What is made for a job to be planned and learnt from, in bytes. */
    private static long garbage(int lanes) {
        JobHistory many = StoredHistory.inMemory().of(TwoDevices.job("k"), devices(lanes));
        JobObservation all = done(LaneSet.all(lanes), lanes);
        JobObservation half = done(LaneSet.all((lanes + 1) / 2), lanes);
        int rounds = 40;
        Runnable jobs = () -> {
            for (int i = 0; i < rounds; i++) {
                plan(Policies.adaptive(), many.model(UNITS), lanes);
                many.learn(i % 8 == 7 ? half : all);
            }
        };
        jobs.run();
        return ManyKindsTest.allocated(jobs) / rounds;
    }

    /** A plan compares as many sets as there are lanes. */
    @Test
    void planningAndLearningGrowWithTheSquareOfTheLanesAtMost() {
        garbage(2); // classes
        long[] bytes = IntStream.of(2, 8, 16, 32, 62, 64, 65, 128)
                .mapToLong(ManyLanesTest::garbage)
                .toArray();
        String all = Arrays.toString(bytes) + " bytes";
        assertTrue(bytes[0] < 12_000, all);
        assertTrue(bytes[2] < 2.5 * bytes[1], all);
        assertTrue(bytes[4] < 4 * bytes[3], all);
        assertTrue(bytes[5] < 1.1 * bytes[4], all);
        assertTrue(bytes[6] < 1.1 * bytes[5], all);
        assertTrue(bytes[7] < 4 * bytes[5], all);
    }
}
