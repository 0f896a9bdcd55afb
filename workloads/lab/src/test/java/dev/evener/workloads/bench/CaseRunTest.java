package dev.evener.workloads.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.EvenerBuilder;
import dev.evener.History;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Plan;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.policy.Snapshot;
import dev.evener.workloads.bench.Case.Effort;
import dev.evener.workloads.bench.Case.Lineup;
import dev.evener.workloads.bench.Case.Scenario;
import dev.evener.workloads.bench.Case.Style;
import dev.evener.workloads.bench.Case.Timing;
import dev.evener.workloads.bench.CaseRun.Watch;
import dev.evener.workloads.bench.Entry.Role;
import dev.evener.workloads.replay.JobLog;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.Workload.Input;
import dev.evener.workloads.workload.suite.Workloads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What a result is made of, on one device and on two. */
class CaseRunTest {
    private static final Workload SAXPY = Workloads.named("saxpy");
    private static final Watch NOBODY = new Watch() {
        @Override
        public EvenerBuilder on(EvenerBuilder builder, String title) {
            return builder;
        }

        @Override
        public JobLog jobs(Request request, String devices) {
            return JobLog.none();
        }
    };

    static final CaseRun.Setting SETTING =
            new CaseRun.Setting(NOBODY, evener -> Tuning.defaults(), doing -> {}, () -> {});

    private static Request request(String workload, Map<String, String> set, long items) {
        Workload named = Workloads.named(workload);
        return Request.synthetic(named, Values.of(named, set), items, Distribution.UNIFORM, 1);
    }

    private static Lineup policies(String... names) {
        return new Lineup(List.of(names), List.of(), List.of(), List.of());
    }

    private static Case of(String devices, Request request, Lineup lineup, int sweepSteps, boolean verify) {
        return new Case(
                DeviceSelector.parse(devices),
                false,
                new Scenario("", List.of(), Scenario.From.START),
                request,
                Timing.WALL,
                lineup,
                new Effort(4, sweepSteps, Duration.ZERO, verify, null));
    }

    private static Case saxpy(long items, Lineup lineup, int sweepSteps, boolean verify) {
        return of("0.0,0.1", Request.synthetic(SAXPY, items, 1), lineup, sweepSteps, verify);
    }

    private static Result measured(Case what) {
        return measured(what, SETTING);
    }

    private static Result measured(Case what, CaseRun.Setting setting) {
        AtomicReference<Evener> open = new AtomicReference<>();
        Result result = CaseRun.measure(what, setting, () -> {
            open.set(Evener.builder()
                    .devices(what.set())
                    .history(History.inMemory())
                    .open());
            return open.get();
        });
        assertEquals(List.of(), open.get().history().entries(), "the Evener's own history learns nothing");
        return result;
    }

    private static List<String> names(Result result) {
        return result.entries().stream().map(Entry::name).toList();
    }

    private static Entry entry(Result result, String name) {
        return result.entries().stream()
                .filter(e -> e.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** One element is less than a tile, so the host scans it: 199.7 % was shown as the devices' efficiency. */
    @Test
    void whatLeavesDevicesNothingToDoHasNoEfficiency() {
        Result result = measured(of("0.0,0.1", request("scan", Map.of(), 1), policies("single", "static"), 0, false));
        for (Entry entry : result.entries()) {
            assertEquals(0, entry.chunks());
            assertNull(result.efficiency(entry), entry.name());
        }
    }

    @Test
    void everyContenderIsMeasuredAsOftenAndRight() {
        Lineup lineup = policies("single", "static", "history", "static:0.25,0.75");
        Result result = measured(saxpy(4096, lineup, 5, true));
        assertEquals(
                List.of("single 0.0", "single 0.1", "static best", "static equal", "history", "static:0.25,0.75"),
                names(result));
        assertEquals(
                List.of(Role.SINGLE, Role.SINGLE, Role.BEST_STATIC, Role.POLICY, Role.POLICY, Role.POLICY),
                result.entries().stream().map(Entry::role).toList());
        assertEquals(4, result.rounds());
        assertEquals(4096, result.items());
        assertEquals(3 * Contender.FIRST + 2 * 3, result.warmUpJobs());
        assertEquals(List.of(), result.mismatches());
        for (Entry entry : result.entries()) {
            assertEquals(4, entry.times().length);
            assertTrue(entry.medianNanos() > 0);
            assertEquals(true, entry.verified(), entry.name());
            assertEquals(1, entry.shares().stream().mapToDouble(s -> s).sum(), 0.01);
            assertTrue(entry.chunks() >= 1);
            assertEquals(List.of(), entry.recovered());
            assertEquals(12 * 4096, entry.bytes());
            assertEquals(entry.role() == Role.POLICY, entry.first() != null, entry.name());
        }
        assertEquals(List.of(1.0, 0.0), entry(result, "single 0.0").shares());
        assertEquals(List.of(0.0, 1.0), entry(result, "single 0.1").shares());
        assertEquals(List.of(0.5, 0.5), entry(result, "static equal").shares());
        assertEquals(List.of(0.25, 0.75), entry(result, "static:0.25,0.75").shares());
        assertTrue(result.sweep().size() >= 3);
        assertTrue(result.sweep().stream().allMatch(t -> t.rounds() >= 1 && t.rounds() <= 4));
    }

    /** Faults may begin when everything is warm and the split is chosen, and before anything counts. */
    @Test
    void whoeverWantsToKnowIsToldWhenMeasuringBegins() {
        Spy spy = new Spy();
        List<Integer> jobsBefore = new ArrayList<>();
        CaseRun.Setting setting = new CaseRun.Setting(
                NOBODY,
                evener -> Tuning.defaults(),
                doing -> {},
                () -> jobsBefore.add(spy.known.size()),
                System::nanoTime,
                (name, devices) -> name.equals("spy") ? spy : Policies.named(name, devices));
        measured(saxpy(4096, policies("spy"), 3, false), setting);
        assertEquals(
                List.of(Contender.FIRST + 2), jobsBefore, "once, after the warm-up and the rounds that do not count");
        assertEquals(Contender.FIRST + 2 + 4, spy.known.size());
    }

    /** The clock goes on by a tenth of a second whenever it is read: what lasts two seconds are so many rounds. */
    @Test
    void warmUpAndMeasurementEndByTheClock() {
        AtomicLong now = new AtomicLong();
        CaseRun.Setting setting = new CaseRun.Setting(
                NOBODY,
                evener -> Tuning.defaults(),
                doing -> {},
                () -> {},
                () -> now.getAndAdd(100_000_000),
                Policies::named);
        Case what = saxpy(64, policies(), 0, false);
        Effort effort = new Effort(0, 0, Duration.ofMillis(1500), false, null);
        Result result = measured(
                new Case(what.set(), false, what.scenario(), what.request(), Timing.WALL, what.lineup(), effort),
                setting);
        assertEquals(2 * (3 + 14), result.warmUpJobs(), "three rounds without a look, then one a look below 1.5 s");
        assertEquals(15 + 19, result.rounds(), "fifteen without a look, then one a look below 2 s");
    }

    @Test
    void withoutASweepThereIsNoBestStaticSplit() {
        Result result = measured(saxpy(4096, policies("history"), 0, false));
        assertEquals(List.of("best single"), List.copyOf(result.yardsticks().keySet()));
        assertEquals(List.of(), result.sweep());
        assertEquals(3, result.entries().size());
    }

    /** A job of one granule has three, whatever is asked for: one device, the other, or whichever is free. */
    @Test
    void splitsThatComeToTheSameCutAreRacedOnce() {
        Result result = measured(saxpy(10, policies("static"), 17, false));
        List<List<Double>> cuts = result.sweep().stream()
                .map(timed -> timed.split().stream().map(Math::signum).toList())
                .distinct()
                .toList();
        assertEquals(3, cuts.size(), cuts::toString);
        assertTrue(result.sweep().size() <= 3 * 3, () -> "three in each of three races, not 17: " + result.sweep());
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
        Map<String, Spy> spies = new HashMap<>();
        CaseRun.Setting setting = new CaseRun.Setting(
                NOBODY,
                evener -> Tuning.defaults(),
                doing -> {},
                () -> {},
                System::nanoTime,
                (name, devices) -> name.contains("single")
                        ? Policies.named(name, devices)
                        : spies.computeIfAbsent(name, n -> new Spy()));
        measured(saxpy(4096, policies("a", "b", "c"), 0, false), setting);
        assertEquals(3, spies.size());
        for (Spy spy : spies.values()) {
            assertFalse(spy.known.get(0), "nothing but its own jobs");
            assertTrue(spy.known.get(spy.known.size() - 1), "its own jobs");
            assertEquals(
                    Contender.FIRST + 2 + 4, spy.known.size(), "warm-up, rounds that do not count, rounds that do");
        }
    }

    @Test
    void aWrongResultIsFoundOut() {
        Request wrong = Request.synthetic(new Wrong(), 4096, 1);
        Result result = measured(of("0.0,0.1", wrong, policies("static"), 2, true));
        assertEquals(4, result.mismatches().size());
        assertEquals("single 0.0: it is wrong", result.mismatches().get(0));
        assertTrue(result.entries().stream().allMatch(e -> Objects.equals(e.verified(), false)));
    }

    private static final Lineup OTHERS = new Lineup(
            List.of(),
            List.of(
                    new Style("naive", request("segmented-scan", Map.of("style", "naive"), 4096)),
                    new Style("wrong", Request.synthetic(new Wrong(), 4096, 1)),
                    new Style("runs", request("segmented-scan", Map.of("style", "runs"), 4096))),
            List.of(),
            List.of());

    /** A style that is wrong is told and not measured; the first that is right is what others are compared with. */
    @Test
    void stylesAreTriedFirst() {
        Result result = measured(of("0.0", request("segmented-scan", Map.of(), 4096), OTHERS, 0, false));
        assertEquals(List.of("naive", "runs", "wrong"), names(result));
        assertEquals(List.of("wrong: it is wrong"), result.mismatches());
        assertFalse(entry(result, "wrong").measured());
        assertEquals(true, entry(result, "runs").verified());
        assertEquals(List.of("first style"), List.copyOf(result.yardsticks().keySet()));
        assertEquals(
                1, result.ratio(entry(result, "naive"), entry(result, "naive")).value());
    }

    /** A contender that fails is named and left out, and the devices are opened anew. */
    @Test
    void whatCannotDoItIsNamedAndLeftOut() {
        Request floats = request("segmented-scan", Map.of("style", "naive", "type", "float"), 4096);
        Lineup lineup = new Lineup(
                List.of(), List.of(new Style("bad", floats), OTHERS.styles().get(2)), List.of(), List.of());
        List<Integer> opened = new ArrayList<>();
        CaseRun.Setting setting = new CaseRun.Setting(
                NOBODY,
                evener -> {
                    opened.add(1);
                    return Tuning.defaults();
                },
                doing -> {},
                () -> {});
        Result result = measured(of("0.0", request("segmented-scan", Map.of(), 4096), lineup, 0, false), setting);
        assertEquals(List.of("runs", "bad"), names(result));
        assertEquals(
                "floats can be checked in the style runs only, not NAIVE",
                entry(result, "bad").problem());
        assertNull(entry(result, "bad").verified());
        assertEquals(List.of(), result.mismatches());
        assertEquals(List.of(1, 1), opened);
    }

    @Test
    void baselinesMoveAsManyBytesAndUseTheSameData() {
        Lineup lineup = new Lineup(List.of(), List.of(), List.of("scan.groups=512"), List.of("copy", "read", "jdk"));
        Result result = measured(of("0.0", request("scan", Map.of("type", "int"), 1 << 16), lineup, 0, true));
        assertEquals(List.of("single 0.0", "scan.groups=512", "copy", "read", "jdk"), names(result));
        assertEquals(
                List.of("best single", "copy", "read", "jdk"),
                List.copyOf(result.yardsticks().keySet()));
        assertEquals("copy", result.mainYardstick());
        for (Entry entry : result.entries()) {
            assertEquals(8 << 16, entry.bytes(), entry.name());
            assertEquals(4, entry.times().length);
        }
        assertNull(result.efficiency(entry(result, "jdk")));
        for (String workload : List.of("reduce", "sort", "histogram")) {
            Map<String, String> set = Map.of("type", workload.equals("histogram") ? "uchar" : "int");
            Lineup jdk = new Lineup(List.of(), List.of(), List.of(), List.of("jdk"));
            assertTrue(entry(measured(of("0.0", request(workload, set, 1 << 14), jdk, 0, true)), "jdk")
                    .measured());
        }
    }

    /** Saxpy, but nothing is ever right. */
    private static final class Wrong extends Workload {
        Wrong() {
            super("wrong", SAXPY.about().description());
            parameters(SAXPY.parameters().toArray(new Parameter<?>[0]));
        }

        @Override
        public List<Input> inputs(Values values) {
            return SAXPY.inputs(values);
        }

        @Override
        public void prepare(PreparedWorkload setup) {
            SAXPY.prepare(setup);
            setup.check(() -> "it is wrong");
        }
    }
}
