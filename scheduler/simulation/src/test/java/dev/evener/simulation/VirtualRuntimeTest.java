package dev.evener.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.History;
import dev.evener.Job;
import dev.evener.Report;
import dev.evener.model.HistorySnapshot;
import dev.evener.model.StoredHistory;
import dev.evener.policy.LaneSet;
import dev.evener.policy.Plan;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the runtime learns from devices whose times are known: what chunks take whatever their size, and forms for one device. */
class VirtualRuntimeTest {
    private static final double PER_UNIT = 1000;
    private static final long LONG = 400_000;
    private static final long UNITS = 1 << 13;

    private final History history = History.inMemory();
    private final VirtualTime time = new VirtualTime();

    /** Half of the rest each time, and what the policy was told a chunk costs at first and at last. */
    private static final class Halves implements Policy {
        final double[] first = new double[2];
        final double[] last = new double[2];

        @Override
        public String name() {
            return "halves";
        }

        @Override
        public Plan plan(Snapshot snapshot) {
            long half = snapshot.granules() / 2;
            return Plan.of(Plan.Sharing.FIXED, half, snapshot.granules() - half);
        }

        @Override
        public long chunk(Progress progress, int lane) {
            first[lane] = first[lane] == 0 ? progress.fixedNanos(lane) : first[lane];
            last[lane] = progress.fixedNanos(lane);
            return Math.max(1, progress.remaining(lane) / 2);
        }
    }

    /** A device that begins with each chunk after a while, whatever its size. */
    private static DeviceModel device(String id, long start, Map<String, KernelModel> kernels) {
        Map<String, KernelModel> launched = new HashMap<>(kernels);
        launched.replaceAll((name, kernel) -> kernel.withLaunch(2_000, (double) start, 1_000));
        return Beds.device(id, launched).withWake(10_000);
    }

    private VirtualRuntime runtime(DeviceModel... models) {
        List<SimulatedDevice> devices = new ArrayList<>();
        for (DeviceModel model : models) {
            devices.add(new SimulatedDevice(model, Map.of(), 0, List.of(), devices.size(), time));
        }
        return new VirtualRuntime(time, devices, history, List.of());
    }

    private Report run(VirtualRuntime runtime, Job job, Policy policy) throws Exception {
        List<CompletableFuture<Report>> done = new ArrayList<>();
        time.in(100_000, () -> done.add(runtime.submit(job, policy, null)));
        runtime.run();
        Report report = done.get(0).get(60, TimeUnit.SECONDS);
        assertEquals(List.of(), report.failures());
        return report;
    }

    private final DeviceModel plain = device("0.0", 0, Map.of("k", KernelModel.of(0, PER_UNIT)));
    private final DeviceModel waves = device("0.1", LONG, Map.of("k", KernelModel.of(0, PER_UNIT)));
    private final Job job =
            Job.named("waves").units(UNITS).kernel("k").jvm(c -> {}).build();

    @Test
    void aStartIsToldWithinTheJobAndToTheNext() throws Exception {
        VirtualRuntime runtime = runtime(plain, waves);
        Halves one = new Halves();
        run(runtime, job, one);
        assertTrue(one.first[1] < LONG / 2, "nothing is known yet: " + one.first[1]);
        assertTrue(one.last[1] > one.first[1], "seen within the job: " + one.last[1]);
        for (int i = 0; i < 30; i++) {
            one = new Halves();
            run(runtime, job, one);
        }
        assertTrue(one.first[1] > LONG / 2, "known to the next: " + one.first[1]);
        assertTrue(one.last[1] > LONG / 2, "and not forgotten within: " + one.last[1]);
        assertTrue(one.first[0] < LONG / 10, "the other takes its time for each unit: " + one.first[0]);
    }

    /** Small chunks, which take long for what they are, must not make their units look dear. */
    @Test
    void aStartIsNotTakenForUnits() throws Exception {
        VirtualRuntime runtime = runtime(plain, waves);
        for (int i = 0; i < 30; i++) {
            run(runtime, job, new Halves());
        }
        HistorySnapshot known = StoredHistory.of(history)
                .of(job, List.of(plain.device(), waves.device()))
                .model(UNITS);
        for (int lane = 0; lane < 2; lane++) {
            double perUnit = Math.exp(known.prior(lane, 0, LaneSet.of(0, 1)).logPerUnit());
            assertTrue(perUnit > PER_UNIT / 3 && perUnit < PER_UNIT * 3, "lane " + lane + ": " + perUnit);
        }
    }

    /** What chunks update in place is saved before they begin: longer for more units, so no cost of a launch. */
    @Test
    void savingIsTakenForUnits() throws Exception {
        KernelModel.Launch launch = new KernelModel.Launch(
                2 * PER_UNIT, Times.of(2_000), 0, Times.NONE, Times.NONE, Times.of(1_000), Times.NONE);
        List<DeviceModel> devices = new ArrayList<>();
        for (String id : List.of("0.0", "0.1")) {
            devices.add(Beds.device(id, Map.of("k", KernelModel.of(0, PER_UNIT).withLaunch(launch)))
                    .withWake(10_000));
        }
        VirtualRuntime runtime = runtime(devices.toArray(DeviceModel[]::new));
        Halves last = new Halves();
        for (int i = 0; i < 30; i++) {
            last = new Halves();
            run(runtime, job, last);
        }
        HistorySnapshot known = StoredHistory.of(history)
                .of(job, devices.stream().map(DeviceModel::device).toList())
                .model(UNITS);
        for (int lane = 0; lane < 2; lane++) {
            double perUnit = Math.exp(known.prior(lane, 0, LaneSet.of(0, 1)).logPerUnit());
            assertEquals(3 * PER_UNIT, perUnit, 0.1 * PER_UNIT, "lane " + lane);
            assertTrue(last.first[lane] < 0.1 * PER_UNIT * UNITS, "lane " + lane + ": " + last.first[lane]);
        }
    }

    /** On one device a third of what it takes in phases: two that are equally fast are slower than that. */
    @Test
    void adaptiveFindsThatOneDeviceIsFasterInAFormOfItsOwn() throws Exception {
        KernelModel phase = KernelModel.of(0, 3_000);
        Map<String, KernelModel> kernels = Map.of("a", phase, "b", phase, "one", KernelModel.of(2_000_000, 0));
        VirtualRuntime runtime = runtime(device("0.0", 1_000, kernels), device("0.1", 1_000, kernels));
        Job withForm = Job.named("j")
                .source("text")
                .units(1000)
                .kernel("a")
                .jvm(c -> {})
                .kernel("b")
                .jvm(c -> {})
                .alone(Job.named("j")
                        .source("text")
                        .units(10)
                        .kernel("one")
                        .jvm(c -> {})
                        .build())
                .build();
        int alone = 0;
        for (int i = 0; i < 50; i++) {
            Report report = run(runtime, withForm, Policies.adaptive());
            long chunks = report.devices().stream().mapToLong(d -> d.chunks()).sum();
            alone += i >= 40 && chunks == 1 ? 1 : 0; // its phases would be two at least
        }
        assertTrue(alone >= 7, "alone in " + alone + " of 10");
    }
}
