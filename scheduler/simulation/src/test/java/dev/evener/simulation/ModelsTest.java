package dev.evener.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.History;
import dev.evener.InTurn;
import dev.evener.event.RunEvent;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is simulated with known models gives these models back. */
@InTurn(2)
class ModelsTest {
    private static final List<Policy> POLICIES = List.of(
            Policies.single(0),
            Policies.single(1),
            Policies.fixed(),
            Policies.fixed(0.2, 0.8),
            Policies.guided(),
            Policies.stealing(50),
            Policies.adaptive());

    private static Machine fitted(Machine machine, List<String> kernels, long seed) {
        Heard heard = new Heard();
        Simulator simulator = new Simulator(machine).seed(seed).listener(heard);
        for (int round = 0; round < 12; round++) {
            for (Policy policy : POLICIES) {
                for (long units : new long[] {20_000, 64_000, 300_000}) {
                    simulator.submit(new SimulatedJob(
                            "job", units, 64, kernels, List.of(), policy, null, 1000, true, null, List.of()));
                }
            }
        }
        simulator.run();
        return Models.fit(devices(machine), heard.events);
    }

    private static List<DeviceInfo> devices(Machine machine) {
        return machine.devices().stream().map(DeviceModel::device).toList();
    }

    private static void assertNear(double expected, double found, String what) {
        assertEquals(expected, found, Math.max(0.5, 0.01 * expected), what);
    }

    private static void assertNear(KernelModel expected, KernelModel found, String what) {
        assertNear(expected.fixedNanos(), found.fixedNanos(), what + ", fixedNanos");
        assertEquals(
                expected.nanosPerUnit(), found.nanosPerUnit(), 0.01 * expected.nanosPerUnit(), what + ", nanosPerUnit");
        assertEquals(expected.slowdown(), found.slowdown(), 0.01 * expected.slowdown(), what + ", slowdown");
        assertNear(
                expected.launch().submitNanos().median(),
                found.launch().submitNanos().median(),
                what + ", submitNanos");
        assertNear(
                expected.launch().startNanos().median(),
                found.launch().startNanos().median(),
                what + ", startNanos");
        assertNear(
                expected.launch().noticeNanos().median(),
                found.launch().noticeNanos().median(),
                what + ", noticeNanos");
        assertNear(expected.moves().inPerUnit(), found.moves().inPerUnit(), what + ", bytesInPerUnit");
        assertNear(expected.moves().outPerUnit(), found.moves().outPerUnit(), what + ", bytesOutPerUnit");
    }

    @Test
    void devicesThatHinderOneAnother() {
        KernelModel fast = KernelModel.of(20_000, 10).withLaunch(300, 900, 2500).withSlowdown(1.4);
        KernelModel slow = KernelModel.of(50_000, 31).withLaunch(800, 700, 4000).withSlowdown(1.15);
        Machine machine = new Machine(
                List.of(
                        Beds.device("0.0", Map.of("k", fast, "after", slow)).withWake(20_000),
                        Beds.device("0.1", Map.of("k", slow, "after", fast)).withWake(30_000)),
                Map.of("k", new KernelWork(List.of(), 5000, 0.5), "after", new KernelWork(List.of(), 700)));
        Machine fitted = fitted(machine, List.of("k", "after"), 1);
        for (int i = 0; i < 2; i++) {
            DeviceModel expected = machine.devices().get(i);
            DeviceModel found = fitted.devices().get(i);
            assertNear(expected.wakeNanos().median(), found.wakeNanos().median(), "device " + i + ", wakeNanos");
            for (String kernel : List.of("k", "after")) {
                assertNear(expected.kernels().get(kernel), found.kernels().get(kernel), "device " + i + ", " + kernel);
                assertEquals(1, found.kernels().get(kernel).factor().median(), 1e-3);
            }
        }
        assertEquals(5000, fitted.kernels().get("k").hostNanos(), 50);
        assertEquals(0.5, fitted.kernels().get("k").hostNanosPerUnit(), 0.005);
        assertEquals(700, fitted.kernels().get("after").hostNanos(), 7);
        assertEquals(List.of(), fitted.kernels().get("k").profile());
    }

    @Test
    void devicesThatHoldAnotherChunk() {
        KernelModel fast = KernelModel.of(20_000, 10).withLaunch(300, 900, 2500);
        KernelModel slow = KernelModel.of(50_000, 31).withLaunch(800, 700, 4000);
        Machine machine = Machine.of(
                Beds.device("0.0", fast).withAhead(1), Beds.device("0.1", slow).withAhead(1));
        Machine fitted = fitted(machine, List.of("k"), 1);
        for (int i = 0; i < 2; i++) {
            DeviceModel found = fitted.devices().get(i);
            assertEquals(1, found.ahead());
            assertNear(
                    machine.devices().get(i).kernels().get("k"), found.kernels().get("k"), "device " + i);
        }
        assertEquals(
                0,
                fitted(Machine.of(Beds.device("0.0", fast), Beds.device("0.1", slow)), List.of("k"), 1)
                        .devices()
                        .get(0)
                        .ahead());
    }

    @Test
    void timesThatScatter() {
        Machine machine = Machine.of(
                Beds.device("0.0", KernelModel.of(20_000, 10).withSpread(0.05)),
                Beds.device("0.1", KernelModel.of(50_000, 31).withSpread(0.05)));
        Machine fitted = fitted(machine, List.of("k"), 7);
        for (int i = 0; i < 2; i++) {
            KernelModel expected = machine.devices().get(i).kernels().get("k");
            KernelModel found = fitted.devices().get(i).kernels().get("k");
            assertEquals(expected.nanosPerUnit(), found.nanosPerUnit(), 0.01 * expected.nanosPerUnit());
            for (double part : new double[] {0.1, 0.5, 0.9}) {
                assertEquals(expected.factor().at(part), found.factor().at(part), 0.01, "factor at " + part);
            }
        }
        assertEquals(List.of(), fitted.kernels().get("k").profile());
    }

    @Test
    void workThatIsDearerInTheMiddle() {
        List<Double> profile = new ArrayList<>();
        double sum = 0;
        for (int i = 0; i < 64; i++) {
            profile.add(1 + 4 * Math.exp(-Math.pow((i - 32) / 8.0, 2)));
            sum += profile.get(i);
        }
        Machine machine = new Machine(
                List.of(Beds.device("0.0", KernelModel.of(0, 10)), Beds.device("0.1", KernelModel.of(0, 31))),
                Map.of("k", new KernelWork(profile, 0)));
        Machine fitted = fitted(machine, List.of("k"), 1);
        for (int i = 0; i < 2; i++) {
            double expected = machine.devices().get(i).kernels().get("k").nanosPerUnit();
            assertEquals(expected, fitted.devices().get(i).kernels().get("k").nanosPerUnit(), 0.01 * expected);
        }
        List<Double> found = fitted.kernels().get("k").profile();
        assertEquals(64, found.size());
        for (int i = 0; i < 64; i++) {
            assertEquals(profile.get(i) * 64 / sum, found.get(i), 0.05 * profile.get(i) * 64 / sum, "part " + i);
        }
    }

    @Test
    void jobsThatOneDeviceRunsInAFormOfTheirOwn() {
        KernelModel kernel = KernelModel.of(0, 10);
        DeviceModel plain = Beds.device("0.0", kernel);
        DeviceModel form = new DeviceModel(
                Beds.device("0.1", kernel).device(),
                DeviceModel.HOST,
                Times.NONE,
                0,
                Link.NONE,
                Map.of("k", kernel),
                Map.of("job", KernelModel.of(0, 14)));
        Machine fitted = fitted(Machine.of(plain, form), List.of("k"), 1);
        assertEquals(Map.of(), fitted.devices().get(0).alone());
        assertEquals(14, fitted.devices().get(1).alone().get("job").nanosPerUnit(), 0.14);
        assertEquals(10, fitted.devices().get(1).kernels().get("k").nanosPerUnit(), 0.1);
    }

    @Test
    void linksOfDevicesWithMemoryOfTheirOwn() {
        KernelModel in = KernelModel.of(1000, 3).withBytesPerUnit(8, 0);
        KernelModel out = KernelModel.of(2000, 5).withBytesPerUnit(0, 4);
        Link link = new Link(700, 2e9, 3e9, 0.6);
        Machine machine = Machine.of(
                Beds.device("0.0", Map.of("in", KernelModel.of(0, 10), "out", KernelModel.of(0, 10))),
                Beds.device("0.1", Map.of("in", in, "out", out)).withLink(link).withMemory("own"));
        Machine fitted = fitted(machine, List.of("in", "out"), 1);
        Link found = fitted.devices().get(1).link();
        assertEquals(2e9, found.bytesPerSecondIn(), 2e7);
        assertEquals(3e9, found.bytesPerSecondOut(), 3e7);
        assertEquals(0.6, found.overlap(), 0.006);
        assertEquals(700, found.latencyNanos(), 7);
        assertNear(in, fitted.devices().get(1).kernels().get("in"), "in");
        assertNear(out, fitted.devices().get(1).kernels().get("out"), "out");
        assertEquals(Link.NONE, fitted.devices().get(0).link());
    }

    @Test
    void gapsInChunksWhosePiecesOverlap() {
        KernelModel in = KernelModel.of(1000, 3)
                .withBytesPerUnit(8, 0)
                .withLaunch(
                        new KernelModel.Launch(0, Times.NONE, 0, Times.NONE, Times.of(30_000), Times.NONE, Times.NONE));
        KernelModel both = KernelModel.of(2000, 5)
                .withBytesPerUnit(4, 1)
                .withLaunch(
                        new KernelModel.Launch(0, Times.NONE, 0, Times.NONE, Times.of(9000), Times.NONE, Times.NONE));
        Link link = new Link(700, 2e9, 3e9, 0.8, new Times(List.of(0.97, 1.03)), "", List.of());
        Machine machine = Machine.of(
                Beds.device("0.0", Map.of("in", KernelModel.of(0, 10), "both", KernelModel.of(0, 10))),
                Beds.device("0.1", Map.of("in", in, "both", both))
                        .withLink(link)
                        .withMemory("own"));
        DeviceModel found = fitted(machine, List.of("in", "both"), 1).devices().get(1);
        assertEquals(0.8, found.link().overlap(), 0.03);
        assertEquals(2e9, found.link().bytesPerSecondIn(), 4e7);
        assertEquals(3e9, found.link().bytesPerSecondOut(), 2e8);
        assertEquals(0.97, found.link().factor().at(0.02), 0.01);
        assertEquals(1.03, found.link().factor().at(0.98), 0.01);
        assertEquals(30_000, found.kernels().get("in").launch().gapNanos().median(), 600);
        assertEquals(9000, found.kernels().get("both").launch().gapNanos().median(), 600);
    }

    @Test
    void whatPoliciesTakeToCutJobs() {
        Machine machine = new Machine(
                List.of(Beds.device("0.0", KernelModel.of(0, 10)), Beds.device("0.1", KernelModel.of(0, 31))),
                Map.of(),
                Map.of("single", Times.of(3000), "adaptive", Times.of(90_000), "guided", Times.of(20_000)));
        Machine fitted = fitted(machine, List.of("k"), 1);
        assertEquals(90_000, fitted.planNanos("adaptive").median(), "but those that were made ahead take none");
        assertEquals(Times.of(20_000), fitted.planNanos("guided"));
        assertEquals(Times.of(3000), fitted.planNanos("single"));
        assertEquals(Times.of(20_000), fitted.planNanos("stealing")); // the machine did not say
    }

    @Test
    void whatTheHostCopiesForEachUnit() {
        KernelModel.Launch saving =
                new KernelModel.Launch(3, Times.of(300), 0, Times.of(900), Times.NONE, Times.of(2500), Times.NONE);
        KernelModel.Launch staging =
                new KernelModel.Launch(0, Times.of(800), 4, Times.of(700), Times.NONE, Times.of(4000), Times.NONE);
        Machine machine = Machine.of(
                Beds.device("0.0", KernelModel.of(20_000, 10).withLaunch(saving)),
                Beds.device("0.1", KernelModel.of(50_000, 31).withLaunch(staging)));
        Machine fitted = fitted(machine, List.of("k"), 1);
        for (int i = 0; i < 2; i++) {
            KernelModel expected = machine.devices().get(i).kernels().get("k");
            KernelModel found = fitted.devices().get(i).kernels().get("k");
            assertNear(expected, found, "device " + i);
            assertEquals(expected.launch().saveNanosPerUnit(), found.launch().saveNanosPerUnit(), 0.01, "device " + i);
            assertEquals(
                    expected.launch().submitNanosPerUnit(), found.launch().submitNanosPerUnit(), 0.01, "device " + i);
        }
    }

    @Test
    void aReplayOfWhatWasFittedTakesAsLong() {
        Machine machine = Beds.uneven();
        Heard heard = new Heard();
        Simulator first = new Simulator(machine).seed(5).listener(heard);
        Map<String, History> histories = new HashMap<>();
        for (int i = 0; i < 20; i++) {
            for (Policy policy : Policies.names().stream().map(Policies::named).toList()) {
                History own = histories.computeIfAbsent(policy.name(), name -> History.inMemory());
                first.submit(
                        SimulatedJob.of("k", 100_000, 64, policy).after(2000).learningIn(own));
            }
        }
        List<Simulator.Outcome> real = first.run();
        List<Simulator.Outcome> again = new Simulator(Models.fit(devices(machine), heard.events))
                .replay(heard.events, devices(machine))
                .run();
        assertEquals(real.size(), again.size());
        double realTotal = 0;
        double againTotal = 0;
        for (int i = 0; i < real.size(); i++) {
            assertEquals(real.get(i).report().policy(), again.get(i).report().policy());
            if (real.get(i).report().policy().equals("single")) { // on the same device
                assertEquals(
                        real.get(i).report().devices().get(0).units(),
                        again.get(i).report().devices().get(0).units());
            }
            realTotal += real.get(i).report().wallNanos();
            againTotal += again.get(i).report().wallNanos();
        }
        assertEquals(realTotal, againTotal, 0.02 * realTotal);
    }

    /** A compact's host step of 1.8 ms was taken for one of 0.1, as that of the form for one device merges one part, not 1,024. */
    @Test
    void theFormForOneDeviceIsKnownByItsParts() {
        Machine machine = Beds.uneven();
        Heard heard = new Heard();
        Simulator simulator =
                new Simulator(new Machine(machine.devices(), Map.of("k", new KernelWork(List.of(), 0, 80)), Map.of()));
        for (int i = 0; i < 40; i++) {
            simulator.submit(
                    SimulatedJob.of("k", 10_000, 64, i % 2 == 0 ? Policies.single(0) : Policies.fixed(0.5, 0.5))
                            .after(2000));
        }
        simulator.listener(heard).run();
        List<RunEvent> events = heard.events.stream()
                .map(e -> e instanceof RunEvent.PhaseEnded p && p.job() % 2 == 1
                        ? new RunEvent.PhaseEnded(p.at(), p.job(), p.phase(), 0, 1)
                        : e)
                .toList();
        Machine fitted = Models.fit(devices(machine), events);
        assertEquals(80, fitted.kernels().get("k").hostNanosPerUnit(), 0.1);
        assertEquals(Set.of("k"), fitted.devices().get(0).alone().keySet());
        List<RunEvent> unknown = heard.events.stream() // as in earlier records
                .map(e -> e instanceof RunEvent.PhaseEnded p
                        ? new RunEvent.PhaseEnded(p.at(), p.job(), p.phase(), p.hostNanos(), 0)
                        : e)
                .toList();
        assertEquals(
                80, Models.fit(devices(machine), unknown).kernels().get("k").hostNanosPerUnit(), 0.1);
    }

    /** One chunk, of a kernel that is neither of the two declared ones: its time was taken for the first one's, and the second lacked. */
    @Test
    void jobsThatOnlyEverRanInTheFormForOneDeviceAreSimulated() {
        HandMadeJobs jobs = new HandMadeJobs();
        HandMadeJobs.Host host = new HandMadeJobs.Host(500, 300, 2000, 1500, 1500);
        for (int i = 0; i < 12; i++) {
            long units = 100_000 + 20_000L * (i % 4);
            jobs.add(List.of("totals", "tiles"), units, host, new HandMadeJobs.Work(10 * units, 0, 10 * units, 0, 0));
        }
        Machine machine = Models.fit(HandMadeJobs.devices(), jobs.events);
        DeviceModel fitted = machine.devices().get(HandMadeJobs.DEVICE);
        assertEquals(Set.of("job"), fitted.alone().keySet());
        assertEquals(5, fitted.alone().get("job").nanosPerUnit(), 0.01, "half in each of two phases");
        assertEquals(fitted.alone().get("job"), fitted.kernels().get("totals"), "what is not known of parts");
        assertEquals(fitted.alone().get("job"), fitted.kernels().get("tiles"));
        assertEquals(Map.of(), machine.devices().get(0).kernels());
        List<RunEvent.Ended> recorded = jobs.events.stream()
                .filter(RunEvent.Ended.class::isInstance)
                .map(RunEvent.Ended.class::cast)
                .toList();
        Simulator asItWas = new Simulator(machine).replay(jobs.events, HandMadeJobs.devices());
        Simulator cut = new Simulator(machine).replay(jobs.events, HandMadeJobs.devices(), Policies.guided(4));
        for (Simulator simulator : List.of(asItWas, cut)) {
            List<Simulator.Outcome> outcomes = simulator.run();
            for (int i = 0; i < recorded.size(); i++) {
                Simulator.Outcome outcome = outcomes.get(i);
                assertEquals(List.of("0.1"), outcome.job().devices(), "nothing is known of the other device");
                long wall = Objects.requireNonNull(outcome.report()).wallNanos();
                long then = recorded.get(i).wallNanos();
                assertEquals(1, wall / (double) then, simulator == asItWas ? 0.001 : 0.05);
            }
        }
    }

    /**
     * One cold chunk of nine jobs became what a device took to begin, and jobs were predicted 15 to 30 times too
     * long.
     */
    @Test
    void aShortRecordIsPredictedByItsUsualChunks() {
        Machine machine = Beds.uneven();
        for (String cold :
                List.of("0.1 late by 30 ms at 0 s", "0.0 late by 30 ms at 0.002 s", "0.0 slowed 40x to 2 ms")) {
            Heard heard = new Heard();
            List<Simulator.Outcome> real =
                    nine(new Simulator(machine).event(MachineEvent.parse(cold)).listener(heard));
            double usual = real.stream()
                    .mapToDouble(o -> Objects.requireNonNull(o.report()).wallNanos())
                    .sorted()
                    .skip(4)
                    .findFirst()
                    .orElseThrow();
            Fit fit = Fit.of(devices(machine), heard.events);
            double predicted = 0;
            for (int seed = 0; seed < 20; seed++) {
                for (Simulator.Outcome each : nine(new Simulator(fit.machine()).seed(seed))) {
                    predicted += Objects.requireNonNull(each.report()).wallNanos() / 180.0;
                }
            }
            assertEquals(1, predicted / usual, 0.25, cold);
            assertTrue(
                    fit.warnings().stream().anyMatch(w -> w.startsWith("the record is short: device 0.")),
                    () -> fit.warnings().toString());
        }
    }

    private static List<Simulator.Outcome> nine(Simulator simulator) {
        for (int i = 0; i < 9; i++) {
            simulator.submit(
                    SimulatedJob.of("k", 100_000, 64, Policies.fixed(0.7, 0.3)).after(2000));
        }
        return simulator.run();
    }

    @Test
    void nothingGivesNoModels() {
        String message = assertThrows(
                        IllegalArgumentException.class, () -> Models.fit(devices(Beds.uneven()), List.of()))
                .getMessage();
        assertTrue(message.contains("nothing to make models from"), message);
    }
}
