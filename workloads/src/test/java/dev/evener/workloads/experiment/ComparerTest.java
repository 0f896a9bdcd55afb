package dev.evener.workloads.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.Job;
import dev.evener.history.History;
import dev.evener.policy.Plan;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.policy.Snapshot;
import dev.evener.workloads.replay.JobLog;
import dev.evener.workloads.workload.Input;
import dev.evener.workloads.workload.Output;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.Workloads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a comparison is made of, on two devices. */
class ComparerTest {
    private static final Workload SAXPY = Workloads.named("saxpy");

    private static Settings settings(Map<String, Policy> policies, int sweepSteps, boolean verify) {
        return new Settings(policies, 4, sweepSteps, Duration.ZERO, 1, verify);
    }

    private static Comparison compare(Workload workload, long items, Settings settings) {
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .history(History.inMemory())
                .open()) {
            Comparison comparison =
                    new Comparer(evener, settings, doing -> {}).compare(Request.madeUp(workload, items, 1));
            assertEquals(List.of(), evener.history().entries(), "the Evener's own history learns nothing");
            return comparison;
        }
    }

    private static Map<String, Policy> policies(String... names) {
        Map<String, Policy> policies = new LinkedHashMap<>();
        Stream.of(names).forEach(name -> policies.put(name, Policies.named(name)));
        return policies;
    }

    /** One element is less than a tile, so the host scans it: 199.7 % was shown as the devices' efficiency. */
    @Test
    void whatLeavesDevicesNothingToDoHasNoEfficiency() {
        Comparison comparison = compare(Workloads.named("scan"), 1, settings(policies("single", "static"), 0, false));
        for (Outcome outcome : comparison.outcomes()) {
            assertEquals(0, outcome.chunks());
            assertNull(outcome.efficiency(), outcome.name());
        }
    }

    @Test
    void everyContenderIsMeasuredAsOftenAndRight() {
        Comparison comparison = compare(SAXPY, 4096, settings(policies("single", "static", "history"), 5, true));
        assertEquals(
                List.of("single 0.0", "single 0.1", "static best", "static equal", "history"),
                comparison.outcomes().stream().map(Outcome::name).toList());
        assertEquals(
                List.of(Role.SINGLE, Role.SINGLE, Role.BEST_STATIC, Role.POLICY, Role.POLICY),
                comparison.outcomes().stream().map(Outcome::role).toList());
        assertEquals(4, comparison.rounds());
        assertEquals(4096, comparison.items());
        assertTrue(comparison.warmUpJobs() >= 2 * Outcome.FIRST + 2 * 2);
        assertEquals(List.of(), comparison.mismatches());
        for (Outcome outcome : comparison.outcomes()) {
            assertEquals(4, outcome.nanos().length);
            assertTrue(outcome.medianNanos() > 0);
            assertEquals(true, outcome.verified(), outcome.name());
            assertEquals(1, outcome.shares().stream().mapToDouble(s -> s).sum(), 0.01);
            assertTrue(outcome.chunks() >= 1);
            assertEquals(List.of(), outcome.recovered());
        }
        assertEquals(List.of(1.0, 0.0), comparison.outcomes().get(0).shares());
        assertEquals(List.of(0.0, 1.0), comparison.outcomes().get(1).shares());
        assertEquals(List.of(0.5, 0.5), comparison.outcomes().get(3).shares());
        assertSame(comparison.outcomes().get(4), comparison.policy("history").orElseThrow());
        assertTrue(comparison.policy("single 0.0").isEmpty());
    }

    @Test
    void figuresAreRelativeToTheRightContenders() {
        Comparison comparison = compare(SAXPY, 65536, settings(policies("static"), 3, false));
        List<Outcome> singles = comparison.outcomes().subList(0, 2);
        Outcome best = comparison.bestSingle();
        assertEquals(singles.stream().mapToDouble(Outcome::medianNanos).min().orElseThrow(), best.medianNanos());
        assertEquals(new Estimate(1, 1, 1), best.overBestSingle());
        Outcome yardstick = comparison.bestStatic();
        assertNotNull(yardstick);
        assertEquals("static best", yardstick.name());
        assertEquals(new Estimate(1, 1, 1), yardstick.ofBestStatic());
        double ideal =
                1 / singles.stream().mapToDouble(s -> 1 / s.medianNanos()).sum();
        for (Outcome outcome : comparison.outcomes()) {
            assertEquals(ideal, Objects.requireNonNull(outcome.efficiency()) * outcome.medianNanos(), 1e-6 * ideal);
            assertEquals(
                    Statistics.medianRatio(yardstick.nanos(), outcome.nanos()), outcome.ofBestStatic(), outcome.name());
            assertEquals(Statistics.medianRatio(best.nanos(), outcome.nanos()), outcome.overBestSingle());
            assertNull(outcome.verified());
            assertEquals(outcome.role() == Role.POLICY, outcome.firstNanos() > 0, outcome.name());
        }
        assertTrue(comparison.sweep().size() >= 3);
        assertTrue(comparison.sweep().stream().allMatch(t -> t.rounds() >= 1 && t.rounds() <= 4));
    }

    /** Faults may begin when everything is warm and the split is chosen, and before anything counts. */
    @Test
    void whoeverWantsToKnowIsToldWhenMeasuringBegins() {
        Spy spy = new Spy();
        List<Integer> jobsBefore = new ArrayList<>();
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .history(History.inMemory())
                .open()) {
            Settings settings = settings(Map.of("spy", spy), 3, false);
            new Comparer(evener, settings, doing -> {}, JobLog.none(), () -> jobsBefore.add(spy.known.size()))
                    .compare(Request.madeUp(SAXPY, 4096, 1));
        }
        assertEquals(
                List.of(Outcome.FIRST + 2), jobsBefore, "once, after the warm-up and the rounds that do not count");
        assertEquals(Outcome.FIRST + 2 + 4, spy.known.size());
    }

    @Test
    void withoutASweepThereIsNoYardstick() {
        Comparison comparison = compare(SAXPY, 4096, settings(policies("history"), 0, false));
        assertNull(comparison.bestStatic());
        assertEquals(List.of(), comparison.sweep());
        assertEquals(3, comparison.outcomes().size());
        assertTrue(comparison.outcomes().stream().allMatch(o -> o.ofBestStatic() == null));
    }

    /** A job of one granule has two cuts, whatever is asked for. */
    @Test
    void splitsThatComeToTheSameCutAreRacedOnce() {
        Comparison comparison = compare(SAXPY, 10, settings(Map.of(), 17, false));
        List<List<Double>> cuts =
                comparison.sweep().stream().map(Timed::shares).distinct().toList();
        assertEquals(2, cuts.size(), cuts::toString);
        assertTrue(comparison.sweep().size() <= 6, () -> comparison.sweep().toString());
    }

    /** Equal shares that note whether the history knows anything of the job when they are asked first. */
    private static final class Spy implements Policy {
        private final List<Boolean> known = new ArrayList<>();

        @Override
        public String name() {
            return "spy";
        }

        @Override
        public Plan plan(Snapshot snapshot) {
            known.add(snapshot.model().known());
            return Policies.fixed().plan(snapshot);
        }
    }

    /** In the first round at least two of three run after another; none may know what that one learnt. */
    @Test
    void contendersDoNotLearnFromEachOther() {
        Map<String, Policy> spies = new LinkedHashMap<>();
        for (String name : List.of("a", "b", "c")) {
            spies.put(name, new Spy());
        }
        compare(SAXPY, 4096, settings(spies, 0, false));
        for (Policy policy : spies.values()) {
            Spy spy = (Spy) policy;
            assertFalse(spy.known.get(0), "nothing but its own jobs");
            assertTrue(spy.known.get(spy.known.size() - 1), "its own jobs");
            assertEquals(Outcome.FIRST + 2 + 4, spy.known.size(), "warm-up, rounds that do not count, rounds that do");
        }
    }

    @Test
    void aWrongResultIsFoundOut() {
        Comparison comparison = compare(new Wrong(), 4096, settings(policies("static"), 2, true));
        assertEquals(4, comparison.mismatches().size());
        assertEquals("single 0.0: it is wrong", comparison.mismatches().get(0));
        assertTrue(comparison.outcomes().stream().allMatch(o -> Objects.equals(o.verified(), false)));
    }

    /** Saxpy, but nothing is ever right. */
    private static final class Wrong implements Workload {
        @Override
        public About about() {
            About saxpy = SAXPY.about();
            return new About(
                    "wrong", saxpy.description(), saxpy.item(), saxpy.unit(), saxpy.output(), saxpy.defaultSizes());
        }

        @Override
        public List<Parameter<?>> parameters() {
            return SAXPY.parameters();
        }

        @Override
        public List<Input> inputs(Values values) {
            return SAXPY.inputs(values);
        }

        @Override
        public long mostItems(Values values) {
            return SAXPY.mostItems(values);
        }

        @Override
        public PreparedWorkload prepare(Evener evener, Request request) {
            PreparedWorkload saxpy = SAXPY.prepare(evener, request);
            return new PreparedWorkload() {
                @Override
                public long items() {
                    return saxpy.items();
                }

                @Override
                public double bytesPerItem() {
                    return saxpy.bytesPerItem();
                }

                @Override
                public Output output() {
                    return saxpy.output();
                }

                @Override
                public Job job() {
                    return saxpy.job();
                }

                @Override
                public void reset() {
                    saxpy.reset();
                }

                @Override
                public @Nullable String mismatch() {
                    return "it is wrong";
                }

                @Override
                public void close() {
                    saxpy.close();
                }
            };
        }
    }
}
