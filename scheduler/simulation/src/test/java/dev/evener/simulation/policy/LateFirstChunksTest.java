package dev.evener.simulation.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceKind;
import dev.evener.History;
import dev.evener.LongTests;
import dev.evener.MadeUpDevices;
import dev.evener.Report;
import dev.evener.policy.Decision;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.simulation.DeviceModel;
import dev.evener.simulation.KernelModel;
import dev.evener.simulation.Machine;
import dev.evener.simulation.MachineEvent;
import dev.evener.simulation.MachineEvent.Kind;
import dev.evener.simulation.SimulatedJob;
import dev.evener.simulation.Simulator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Of equal lanes the first chunk of one, or of all but one, is late in the first jobs, by 0.1 to 30 times what a job takes, on the host or on the device. Guards
 * against a first observation that decides for good: such a lane got none of a thousand jobs, nor of the next process's.
 */
class LateFirstChunksTest {
    private static final int SEEDS = LongTests.orAll(8, 200);
    /** By then it is at work again, or after 2 s of work, whichever is later. */
    private static final int JOBS = 30;

    private static final double WORK = 2e9;
    private static final int AFTER = 20;
    private static final long UNITS = 1 << 16;
    private static final Pattern AGAIN = Pattern.compile("looked at again in (\\d+) jobs?");

    private static double between(Random random, double least, double most) {
        return least * Math.pow(most / least, random.nextDouble());
    }

    private static Machine machine(int lanes, double job, double noise) {
        List<DeviceModel> devices = new ArrayList<>();
        for (int i = 0; i < lanes; i++) {
            KernelModel kernel = Beds.kernel(UNITS / (job * lanes), Math.min(20_000, job / 100), noise);
            devices.add(Beds.device(i, MadeUpDevices.gpu(Beds.id(i), MadeUpDevices.NVIDIA, "gpu " + i), kernel));
        }
        return Beds.machine(Beds.Work.EVEN, devices.toArray(DeviceModel[]::new));
    }

    private static Report run(Machine machine, Policy policy, History history, long seed, List<MachineEvent> events) {
        return run(machine, SimulatedJob.of(Beds.KERNEL, UNITS, 1, policy).at(1), history, seed, events);
    }

    private static Report run(
            Machine machine, SimulatedJob job, History history, long seed, List<MachineEvent> events) {
        Simulator simulator = new Simulator(machine).seed(seed).history(history);
        events.forEach(simulator::event);
        return simulator.submit(job).run().get(0).report();
    }

    /** A lane stands still for so long from the beginning of a job. */
    private static List<MachineEvent> late(int lane, double nanos, boolean onHost) {
        Kind kind = onHost ? Kind.LATE : Kind.SLOWED;
        return List.of(new MachineEvent(Beds.id(lane), kind, 0, Math.round(nanos), onHost ? 1 : 1e6));
    }

    /** So many lanes from one on, round the machine. */
    private static List<MachineEvent> late(int first, int count, int lanes, double nanos, boolean onHost) {
        return IntStream.range(first, first + count)
                .mapToObj(i -> late(i % lanes, nanos, onHost))
                .flatMap(List::stream)
                .toList();
    }

    private static boolean all(Report report) {
        return report.devices().stream().allMatch(device -> device.units() > 0);
    }

    @ParameterizedTest
    @CsvSource({"1, 2", "1, 4", "7, 8"})
    void allLanesAreAtWorkAgain(int count, int lanes) {
        List<String> misses = new ArrayList<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            Random random = new Random(7919 * seed + lanes);
            double job = between(random, 1e7, 2e8);
            Machine machine = machine(lanes, job, between(random, 0.01, 0.1));
            double late = between(random, 0.1, 30);
            int faults = 1 + random.nextInt(10);
            int lane = random.nextInt(lanes);
            boolean onHost = random.nextBoolean();
            double[] equal = new double[lanes];
            Arrays.fill(equal, 1);
            double best = 0;
            History history = History.inMemory();
            double work = 0;
            int after = 0;
            int busy = 0;
            double over = 0;
            for (int n = 0; after < AFTER; n++) {
                List<MachineEvent> events = n >= faults ? List.of() : late(lane, count, lanes, late * job, onHost);
                Report report = run(machine, Policies.adaptive(), history, 1000 * seed + n, events);
                if (n >= JOBS && work >= WORK) {
                    after++;
                    busy += all(report) ? 1 : 0;
                    over += report.wallNanos();
                    best += run(machine, Policies.fixed(equal), History.inMemory(), 1000 * seed + n, List.of())
                            .wallNanos();
                }
                work += report.wallNanos();
            }
            History next = History.inMemory();
            next.seed(history.bytes());
            int second = 0;
            for (int n = 0; n < AFTER; n++) {
                boolean at = all(run(machine, Policies.adaptive(), next, 77 * seed + n, List.of()));
                second += n >= 2 && at ? 1 : 0;
            }
            // Now and then others are looked at without it.
            if (busy < 0.8 * AFTER || over > 1.05 * best || second < 0.8 * (AFTER - 2)) {
                misses.add(String.format(
                        Locale.ROOT,
                        "seed %d, late by %.1f in %d jobs: at work in %d, later in %d, %.2f",
                        seed,
                        late,
                        faults,
                        busy,
                        second,
                        over / best));
            }
        }
        // Where nearly all are late in up to ten jobs, a few need more than thirty.
        int most = count == 1 ? SEEDS / 50 : SEEDS / 5;
        assertTrue(misses.size() <= most, () -> misses.size() + " of " + SEEDS + ": " + misses);
    }

    /** Guards against a history that keeps a bad beginning which a process ended in. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void theNextProcessKnowsNothingOfIt(int faults) {
        for (long seed = 1; seed <= 4; seed++) {
            Machine machine = machine(2, 2e7, 0.05);
            History history = History.inMemory();
            for (int ran = 0, n = 0; ran < faults && n < 2_000; n++) {
                Report report = run(machine, Policies.adaptive(), history, seed * 5_000 + n, late(1, 1e9, true));
                ran += all(report) ? 1 : 0;
            }
            History next = History.inMemory();
            next.seed(history.bytes());
            int most = faults < 3 ? 2 : 100; // several jobs show that it is slower, for the time being
            int at = 0;
            while (at < most && !all(run(machine, Policies.adaptive(), next, seed * 7_000 + at, List.of()))) {
                at++;
            }
            assertTrue(at < most, "late in " + faults + " jobs, seed " + seed + ": still left out");
        }
    }

    /** What is owed to a lane that was late is said, and comes. */
    @Test
    void whatIsLeftOutIsToldWhenItIsLookedAtAgain() {
        Machine machine = machine(2, 2e7, 0.02);
        History history = History.inMemory();
        SimulatedJob job = Beds.waitedFor(UNITS, 1, Policies.adaptive());
        run(machine, job, history, 1, late(1, 1e9, true));
        List<Long> said = new ArrayList<>();
        for (int n = 2; n < 200; n++) {
            Decision decision = run(machine, job, history, n, List.of()).decision();
            assertNotNull(decision);
            String leftOut = decision.lanes().get(1).leftOut();
            if (leftOut.isEmpty()) {
                break;
            }
            Matcher matcher = AGAIN.matcher(leftOut);
            assertTrue(matcher.find(), leftOut);
            said.add(Long.valueOf(matcher.group(1)));
        }
        assertTrue(said.size() > 5, "it was out: " + said);
        for (int i = 0; i < said.size(); i++) {
            assertEquals(said.size() - i, said.get(i), 2, "jobs, of " + said);
        }
    }

    /** Equal by name, and slower for good: looks at what it was expected to be stop. */
    @ParameterizedTest
    @ValueSource(doubles = {5, 25, 600})
    void whatIsSlowerIsKnownForIt(double slower) {
        DeviceModel[] devices = new DeviceModel[2];
        Arrays.setAll(
                devices,
                i -> Beds.device(
                        i,
                        MadeUpDevices.gpu(Beds.id(i), MadeUpDevices.NVIDIA, "gpu " + i),
                        Beds.kernel((i == 0 ? 1 : 1 / slower) * UNITS / 2e7, 20_000, 0.03)));
        Machine machine = Beds.machine(Beds.Work.EVEN, devices);
        double best = new Series(machine, Policies.fixed(slower, 1), UNITS, 1, 1).mean(40);
        Series series = new Series(machine, Policies.adaptive(), UNITS, 1, 1);
        series.run(100);
        double over = series.mean(100) / best;
        assertTrue(over < 1.05, slower + " times slower: " + over);
    }

    /** Guards against a look that believes one chunk's time to be fixed, and takes a share: 270 times what a job may. */
    @ParameterizedTest
    @ValueSource(doubles = {300, 700})
    void noLookTakesMoreThanWasSeen(double slower) {
        DeviceModel[] devices = new DeviceModel[2];
        Arrays.setAll(
                devices,
                i -> Beds.device(
                        i,
                        MadeUpDevices.device(
                                Beds.id(i), MadeUpDevices.POCL, "gpu " + i, DeviceKind.GPU, 128, 64, 16, "device " + i),
                        Beds.kernel((i == 0 ? 1 : 1 / slower) * (1 << 20) / 2e6, 5_000, 0.03)));
        Machine machine = Beds.machine(Beds.Work.EVEN, devices);
        double worst = new Series(machine, Policies.adaptive(), 1 << 20, 1, 1)
                .run(150).stream().mapToDouble(Series.Done::wall).max().orElseThrow();
        assertTrue(worst < 2e6 * slower / 50, slower + " times slower: " + worst / 2e6);
    }
}
