package dev.evener.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.LongTests;
import dev.evener.event.RunEvent;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.simulation.Simulator.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SimulatorTest {
    private static final double MS = 1e6;

    private static long wall(Machine machine, SimulatedJob job, MachineEvent... events) {
        Simulator simulator = new Simulator(machine).submit(job);
        for (MachineEvent event : events) {
            simulator.event(event);
        }
        Outcome outcome = simulator.run().get(0);
        assertNull(outcome.failure());
        return outcome.report().wallNanos();
    }

    private static SimulatedJob job(long units, Policy policy) {
        return SimulatedJob.of("k", units, 1, policy);
    }

    // ---- times that can be worked out by hand ----

    @Test
    void oneChunkTakesWhatItsModelSays() {
        KernelModel kernel = KernelModel.of(1000, 7).withLaunch(20, 300, 4000);
        Machine machine = Machine.of(Beds.device("0.0", kernel).withWake(50_000));
        assertEquals(50_000 + 20 + 300 + 1000 + 7 * 1000 + 4000, wall(machine, job(1000, Policies.single())));
    }

    @Test
    void aDeviceThatHoldsAnotherChunkGoesStraightOn() {
        KernelModel kernel = KernelModel.of(1000, 700).withLaunch(20, 300, 4000);
        DeviceModel device = Beds.device("0.0", kernel);
        long busy = 1000 + 700 * 125;
        assertEquals(8 * (20 + 300 + busy + 4000), wall(Machine.of(device), job(1000, Policies.guided(8))));
        assertEquals(
                20 + 8 * (300 + busy) + 4000, wall(Machine.of(device.withAhead(1)), job(1000, Policies.guided(8))));
    }

    @Test
    void whatALostDeviceHeldIsRunElsewhere() {
        KernelModel kernel = KernelModel.of(1000, 700).withLaunch(20, 300, 4000);
        Machine machine = Machine.of(Beds.device("0.0", kernel).withAhead(1), Beds.device("0.1", kernel));
        for (long micros = 0; micros < 400; micros += 7) { // between chunks too, and while one is launched
            Heard heard = new Heard();
            Outcome outcome = new Simulator(machine)
                    .listener(heard)
                    .submit(job(1000, Policies.guided(16)))
                    .event(MachineEvent.parse("0.0 lost at " + micros + " us"))
                    .run()
                    .get(0);
            assertNull(outcome.failure());
            int[] hits = new int[1000];
            for (RunEvent.Chunk chunk : heard.all(RunEvent.Chunk.class)) {
                for (long i = 0; i < chunk.units(); i++) {
                    hits[(int) (chunk.firstUnit() + i)]++;
                }
            }
            for (int i = 0; i < hits.length; i++) {
                assertEquals(1, hits[i], "unit " + i + ", lost at " + micros);
            }
        }
    }

    @Test
    void aWaveIsPaidForInFull() {
        Machine machine = Machine.of(Beds.device("0.0", KernelModel.of(0, 7).withWave(256)));
        assertEquals(7 * 1024, wall(machine, job(1000, Policies.single())));
    }

    @Test
    void transfersOverlapAsFarAsTheLinkLets() {
        KernelModel kernel = KernelModel.of(0, 7).withBytesPerUnit(4, 8);
        Machine machine = Machine.of(Beds.device("0.0", kernel).withLink(new Link(500, 2e9, 4e9, 0.75)));
        double transfers = 500 + 1000 * (4 / 2.0 + 8 / 4.0);
        Heard heard = new Heard();
        new Simulator(machine)
                .listener(heard)
                .submit(job(1000, Policies.single()))
                .run();
        RunEvent.Chunk chunk = heard.all(RunEvent.Chunk.class).get(0);
        assertEquals(7000 + transfers - 0.75 * transfers, (double) (chunk.end() - chunk.start()));
        assertEquals(7000, chunk.kernelNanos());
        assertEquals(transfers, (double) chunk.transferNanos());
        assertEquals(4000, chunk.bytesIn());
        assertEquals(8000, chunk.bytesOut());
    }

    @Test
    void devicesOnOneMemorySlowOneAnother() {
        KernelModel kernel = KernelModel.of(0, 1000).withSlowdown(1.5);
        DeviceModel a = Beds.device("0.0", kernel);
        DeviceModel b = Beds.device("0.1", kernel);
        // 750 and 250 units: both at work until the second is done after 375 us, in which the first did 250 units.
        Policy policy = Policies.fixed(0.75, 0.25);
        assertEquals(375_000 + 500_000, (double) wall(Machine.of(a, b), job(1000, policy)), 2);
        assertEquals(750_000, wall(Machine.of(a, b.withMemory("own")), job(1000, policy)));
    }

    @Test
    void aProfileMakesUnitsDearer() {
        Machine flat =
                Machine.of(Beds.device("0.0", KernelModel.of(0, 1000)), Beds.device("0.1", KernelModel.of(0, 1000)));
        Machine steep = new Machine(flat.devices(), Map.of("k", new KernelWork(List.of(3.0, 1.0), 0)));
        assertEquals(500_000, wall(flat, job(1000, Policies.fixed())));
        assertEquals(750_000, (double) wall(steep, job(1000, Policies.fixed())), 1);
        assertEquals(1_000_000, (double) wall(steep, job(1000, Policies.single(0))), 1);
    }

    @Test
    void aSlowDownEndsWithItsTime() {
        Machine machine = Machine.of(Beds.device("0.0", KernelModel.of(0, 10 * MS)));
        MachineEvent slowed = MachineEvent.parse("0.0 slowed 3x from 1 s to 4 s");
        assertEquals(12e9, (double) wall(machine, job(1000, Policies.single()), slowed), 2);
    }

    /** As a record has it of a primitive that a device runs in a form of its own: nothing of its kernels, all of the job. */
    @Test
    void ofAJobThatOnlyOneDeviceRunsTheWholeIsEnough() {
        DeviceModel device = Beds.device("0.0", Map.of());
        DeviceModel alone = new DeviceModel(
                device.device(),
                device.memory(),
                device.wakeNanos(),
                0,
                device.link(),
                Map.of(),
                Map.of("k", KernelModel.of(500, 7)));
        assertEquals(500 + 7 * 1000, wall(Machine.of(alone), job(1000, Policies.single())));
        assertEquals(500 + 7 * 1000, wall(Machine.of(alone), job(1000, Policies.guided(4))), "as it has all of it");
        SimulatedJob watched = new SimulatedJob(
                "k",
                1000,
                1,
                List.of("k"),
                List.of(),
                Policies.guided(4),
                null,
                0,
                false,
                Duration.ofSeconds(1),
                List.of());
        Simulator cut = new Simulator(Machine.of(alone)).submit(watched);
        assertTrue(assertThrows(EvenerException.class, cut::run).getMessage().contains("only the whole"));
        Simulator two = new Simulator(Machine.of(alone, Beds.device("0.1", KernelModel.of(0, 10))))
                .submit(job(1000, Policies.single(0)));
        assertTrue(assertThrows(EvenerException.class, two::run).getMessage().contains("kernel k"));
    }

    /** As in reality, and what it takes includes its host steps. */
    @Test
    void theFormForOneDeviceIsRunWhereThePlanGivesEverythingToOne() {
        List<DeviceModel> devices =
                List.of(Beds.device("0.0", KernelModel.of(0, 10)), Beds.device("0.1", KernelModel.of(0, 10))).stream()
                        .map(d -> new DeviceModel(
                                d.device(),
                                d.memory(),
                                d.wakeNanos(),
                                0,
                                d.link(),
                                d.kernels(),
                                Map.of("k", KernelModel.of(500, 7))))
                        .toList();
        Machine machine = new Machine(devices, Map.of("k", new KernelWork(List.of(), 4000, 2)), Map.of());
        assertEquals(500 + 7 * 1000, wall(machine, job(1000, Policies.single(0))));
        assertEquals(10 * 500 + 4000 + 2 * 1000, wall(machine, job(1000, Policies.fixed(0.5, 0.5))));
        SimulatedJob watched = new SimulatedJob(
                "k",
                1000,
                1,
                List.of("k"),
                List.of(),
                Policies.single(0),
                null,
                0,
                false,
                Duration.ofSeconds(1),
                List.of());
        assertEquals(10 * 1000 + 4000 + 2 * 1000, wall(machine, watched), "in reality such a job is not run in it");
    }

    @Test
    void gapsBelongToAChunk() {
        KernelModel kernel = KernelModel.of(0, 7)
                .withBytesPerUnit(4, 8)
                .withLaunch(
                        new KernelModel.Launch(0, Times.NONE, 0, Times.NONE, Times.of(600), Times.NONE, Times.NONE));
        Machine machine = Machine.of(Beds.device("0.0", kernel).withLink(new Link(0, 1e9, 2e9, 1)));
        // In 4000, kernels 7000, out 4000: all but the longest is hidden.
        assertEquals(7000 + 600, wall(machine, job(1000, Policies.single())));
    }

    @Test
    void readingAChunksTimesTakesTimeButIsNoLaunch() {
        KernelModel.Launch quick =
                new KernelModel.Launch(0, Times.of(100), 0, Times.NONE, Times.NONE, Times.of(900), Times.NONE);
        KernelModel.Launch settling =
                new KernelModel.Launch(0, Times.of(100), 0, Times.NONE, Times.NONE, Times.of(900), Times.of(50_000));
        KernelModel.Launch noticing =
                new KernelModel.Launch(0, Times.of(100), 0, Times.NONE, Times.NONE, Times.of(50_900), Times.NONE);
        KernelModel kernel = KernelModel.of(0, 100);
        Machine machine = Machine.of(Beds.device("0.0", kernel.withLaunch(settling)));
        assertEquals(100 + 100_000 + 900 + 50_000, wall(machine, job(1000, Policies.single())));
        int chunks = guidedChunks(kernel.withLaunch(quick));
        assertEquals(chunks, guidedChunks(kernel.withLaunch(settling)), 0.2 * chunks);
        int fewer = guidedChunks(kernel.withLaunch(noticing));
        assertTrue(fewer < 0.7 * chunks, () -> "that is a launch: " + fewer + " of " + chunks);
    }

    @Test
    void transfersScatter() {
        KernelModel kernel = KernelModel.of(1, 0).withBytesPerUnit(4, 0);
        Machine machine = Machine.of(Beds.device("0.0", kernel)
                .withLink(new Link(0, 1e9, 1e9, 0, new Times(List.of(0.5, 2.0)), "", List.of())));
        Simulator simulator = new Simulator(machine);
        for (int i = 0; i < 50; i++) {
            simulator.submit(job(1000, Policies.single()));
        }
        List<Long> walls = simulator.run().stream()
                .map(outcome -> outcome.report().wallNanos())
                .sorted()
                .toList();
        assertTrue(walls.get(0) >= 2000 && walls.get(0) < 3000, walls.toString());
        assertTrue(walls.get(49) <= 8001 && walls.get(49) > 7000, walls.toString());
    }

    @Test
    void cuttingAJobTakesItsTime() {
        Machine bare = Machine.of(Beds.device("0.0", KernelModel.of(0, 7)).withWake(100));
        Machine machine = new Machine(
                bare.devices(),
                Map.of(),
                Map.of("single", Times.of(50), "guided", Times.of(900), "static", Times.of(20)));
        assertEquals(50 + 100 + 7000, wall(machine, job(1000, Policies.single())));
        assertEquals(20 + 100 + 7000, wall(machine, job(1000, Policies.fixed())));
        // The machine does not say: the middle one.
        assertEquals(50 + 100 + 7000, wall(machine, job(1000, Policies.stealing())));
        assertEquals(100 + 7000, wall(bare, job(1000, Policies.single())));
    }

    @Test
    void plansThatWereMadeAheadTakeNoTime() {
        Machine bare = Machine.of(
                Beds.device("0.0", KernelModel.of(0, 7)).withWake(100), Beds.device("0.1", KernelModel.of(0, 70)));
        Machine machine = new Machine(bare.devices(), Map.of(), Map.of("adaptive", Times.of(1_000_000)));
        Simulator simulator = new Simulator(machine);
        History history = History.inMemory();
        for (int i = 0; i < 60; i++) {
            simulator.submit(job(1000, Policies.adaptive()).after(10).learningIn(history));
        }
        List<Outcome> outcomes = simulator.run();
        long shortest = outcomes.stream()
                .mapToLong(outcome -> outcome.report().wallNanos())
                .min()
                .orElseThrow();
        assertTrue(shortest < 10_000, "no plan was made ahead: " + shortest);
        assertTrue(outcomes.get(0).report().wallNanos() > 1_000_000, "the first one was there already");
    }

    @Test
    void hostStepsTakeTheirTimeBeforeTheNextPhase() {
        KernelModel kernel = KernelModel.of(0, 1000);
        Machine machine = new Machine(
                List.of(Beds.device("0.0", Map.of("k", kernel, "after", kernel)).withWake(70)),
                Map.of("k", new KernelWork(List.of(), 5000), "after", new KernelWork(List.of(), 300)));
        Heard heard = new Heard();
        SimulatedJob job = new SimulatedJob(
                "two", 100, 1, List.of("k", "after"), List.of(), Policies.single(), null, 0, false, null, List.of());
        Outcome outcome =
                new Simulator(machine).listener(heard).submit(job).run().get(0);
        List<RunEvent.Chunk> chunks = heard.all(RunEvent.Chunk.class);
        assertEquals(chunks.get(0).end() + 5000, chunks.get(1).queued());
        assertEquals(70 + 100_000 + 5000 + 100_000 + 300, outcome.report().wallNanos());
        assertEquals(
                List.of(5000L, 300L),
                heard.all(RunEvent.PhaseEnded.class).stream()
                        .map(RunEvent.PhaseEnded::hostNanos)
                        .toList());
    }

    @Test
    void whatTheHostKeepsOfAChunkIsNotTakenForItsLaunch() {
        KernelModel plain = KernelModel.of(0, 100).withLaunch(1000, 0, 0);
        KernelModel saving = plain.withLaunch(
                new KernelModel.Launch(50, Times.of(1000), 0, Times.NONE, Times.NONE, Times.NONE, Times.NONE));
        KernelModel staging = plain.withLaunch(
                new KernelModel.Launch(0, Times.of(1000), 50, Times.NONE, Times.NONE, Times.NONE, Times.NONE));
        int chunks = guidedChunks(plain);
        assertEquals(chunks, guidedChunks(saving), 0.1 * chunks);
        assertTrue(guidedChunks(staging) < chunks / 2, "a launch that takes long asks for larger chunks");

        Heard heard = new Heard();
        new Simulator(Machine.of(Beds.device("0.0", saving)))
                .listener(heard)
                .submit(job(1000, Policies.single()))
                .run();
        RunEvent.Chunk chunk = heard.all(RunEvent.Chunk.class).get(0);
        assertEquals(50_000, chunk.begun() - chunk.queued());
        assertEquals(51_000, chunk.submitted() - chunk.queued());
        assertEquals(100_000, chunk.end() - chunk.start());
    }

    /** Of ten jobs, when the history knows what chunks take. */
    private static int guidedChunks(KernelModel kernel) {
        Machine machine = Machine.of(Beds.device("0.0", kernel), Beds.device("0.1", kernel));
        History history = History.inMemory();
        Heard heard = new Heard();
        guided(new Simulator(machine), 60, history);
        guided(new Simulator(machine).listener(heard), 10, history);
        return heard.all(RunEvent.Chunk.class).size();
    }

    private static void guided(Simulator simulator, int jobs, History history) {
        for (int i = 0; i < jobs; i++) {
            simulator.submit(job(100_000, Policies.guided()).learningIn(history));
        }
        simulator.run();
    }

    /** What a chunk costs beside its units is as much as these: on two devices a job takes 1000 instead of 1500. */
    @Test
    void shortJobsThatComeTogetherGoToDifferentDevices() {
        KernelModel kernel = KernelModel.of(500_000, 1000);
        Machine machine = Machine.of(Beds.device("0.0", kernel), Beds.device("0.1", kernel));
        History history = History.inMemory();
        SimulatedJob job = job(1000, Policies.adaptive()).learningIn(history);
        Simulator one = new Simulator(machine);
        for (int i = 0; i < 100; i++) {
            one.submit(job.after(5000));
        }
        long[] walls = one.run().subList(90, 100).stream()
                .mapToLong(each -> each.report().wallNanos())
                .sorted()
                .toArray();
        assertEquals(1.0e6, (double) walls[5], 0.1e6); // all but looks
        Simulator many = new Simulator(machine);
        for (int i = 0; i < 40; i++) {
            many.submit(job);
        }
        List<Outcome> outcomes = many.run();
        long last = outcomes.stream()
                .mapToLong(each -> each.submitted()
                        + each.report().queuedNanos()
                        + each.report().wallNanos())
                .max()
                .orElseThrow();
        assertEquals(40 / 2 * 1.5e6, (double) last, 2e6);
        long whole = outcomes.stream()
                .filter(each -> each.report().devices().stream().anyMatch(use -> use.units() == 1000))
                .count();
        assertTrue(whole > 34, whole + " of 40");
    }

    @Test
    void jobsComeWhenTheyAreSaidTo() {
        Machine machine = Machine.of(Beds.device("0.0", KernelModel.of(0, 1000)));
        SimulatedJob job = job(1000, Policies.single()); // 1 ms
        List<Outcome> outcomes = new Simulator(machine)
                .submit(job.at(100))
                .submit(job.at(300))
                .submit(job.after(5000))
                .run();
        assertEquals(100, outcomes.get(0).submitted());
        assertEquals(300, outcomes.get(1).submitted());
        assertEquals(1_000_100 - 300, outcomes.get(1).report().queuedNanos());
        assertEquals(2_000_100 + 5000, outcomes.get(2).submitted());
        assertEquals(0, outcomes.get(2).report().queuedNanos());
    }

    // ---- what must hold whatever happens ----

    @ParameterizedTest
    @CsvSource({
        "calm, ''",
        "slowed, 0.0 slowed 5x from 200 us to 2 ms",
        "lost at once, 0.1 lost at 0 s",
        "lost in a chunk, 0.0 lost at 700 us",
        "lost and back, 0.1 lost at 500 us;0.1 back at 1 ms",
        "hanging, 0.0 hangs at 700 us",
        "hanging and back, 0.0 hangs at 700 us;0.0 back at 8 ms"
    })
    void everyUnitIsRunOnce(String what, String events) {
        for (String name : Policies.names()) {
            Heard heard = new Heard();
            Simulator simulator = new Simulator(Beds.uneven()).seed(3).listener(heard);
            for (String event : events.isEmpty() ? new String[0] : events.split(";")) {
                simulator.event(MachineEvent.parse(event));
            }
            for (int i = 0; i < 4; i++) {
                simulator.submit(new SimulatedJob(
                        "job" + i,
                        40_003,
                        32,
                        List.of("k", "after"),
                        List.of(),
                        Policies.named(name),
                        null,
                        i * 100L,
                        false,
                        Duration.ofMillis(3),
                        List.of()));
            }
            List<Outcome> outcomes = simulator.run();
            for (int i = 0; i < 4; i++) {
                assertNull(outcomes.get(i).failure(), name + ", " + what);
                heard.assertCovers(i + 1, 2, 40_003);
            }
            boolean calm = what.equals("calm") || what.equals("slowed");
            if (calm || name.equals("static")) { // others may not have used the device then
                assertEquals(calm, heard.all(RunEvent.Fault.class).isEmpty(), name + ", " + what + ": faults");
            }
        }
    }

    @Test
    void whatNeverEndsIsSaid() {
        List<Outcome> outcomes = new Simulator(Beds.uneven())
                .event(MachineEvent.parse("0.0 hangs at 100 us"))
                .submit(job(100_000, Policies.fixed()))
                .submit(job(100_000, Policies.fixed()).after(0))
                .run();
        assertTrue(
                outcomes.get(0).failure().contains("never ended"),
                outcomes.get(0).failure());
        assertTrue(
                outcomes.get(1).failure().contains("never submitted"),
                outcomes.get(1).failure());
        assertEquals(-1, outcomes.get(1).submitted());
    }

    @Test
    void withoutADeviceLeftAJobFailsAsInReality() {
        Outcome outcome = new Simulator(Beds.uneven())
                .event(MachineEvent.parse("0.0 lost at 100 us"))
                .event(MachineEvent.parse("0.1 lost at 200 us"))
                .submit(job(100_000, Policies.stealing()))
                .run()
                .get(0);
        assertNull(outcome.report());
        assertTrue(outcome.failure().contains("the device was lost"), outcome.failure());
    }

    @Test
    void aDeviceThatIsBackWorksAgain() {
        Heard heard = new Heard();
        new Simulator(Beds.uneven())
                .listener(heard)
                .event(MachineEvent.parse("0.1 lost at 100 us"))
                .event(MachineEvent.parse("0.1 back at 200 ms"))
                .submit(job(100_000, Policies.fixed()))
                .submit(job(100_000, Policies.fixed()).at(500_000_000L)) // before it is tried out, a second after
                .submit(job(100_000, Policies.fixed()).at(1_500_000_000L))
                .run();
        for (long job = 1; job <= 3; job++) {
            long number = job;
            boolean used = heard.all(RunEvent.Chunk.class).stream().anyMatch(c -> c.job() == number && c.device() == 1);
            assertEquals(job == 3, used, "job " + job);
        }
    }

    private static String run(long seed) {
        Heard heard = new Heard();
        Simulator simulator = new Simulator(Beds.uneven())
                .seed(seed)
                .listener(heard)
                .event(MachineEvent.parse("0.1 slowed 2x from 1 ms to 2 ms"))
                .event(MachineEvent.parse("0.0 lost at 9 ms"));
        for (String name : Policies.names()) {
            for (int i = 0; i < 5; i++) {
                simulator.submit(job(100_000, Policies.named(name)).after(1000));
            }
        }
        simulator.run();
        return heard.text();
    }

    @Test
    void theSameSeedGivesTheSameEvents() {
        String first = run(11);
        assertFalse(first.isEmpty());
        assertEquals(first, run(11));
        assertNotEquals(first, run(12));
    }

    /** With {@code -Dlong} a million. */
    @Test
    void manyChunks() {
        int least = LongTests.orAll(100_000, 1_000_000);
        long[] chunks = {0};
        Outcome outcome = new Simulator(Beds.uneven())
                .listener(event -> chunks[0] += event instanceof RunEvent.Chunk ? 1 : 0)
                .submit(SimulatedJob.of("k", 100L * least, 100, Policies.stealing(least)))
                .run()
                .get(0);
        assertNotNull(outcome.report());
        assertTrue(chunks[0] >= least, chunks[0] + " chunks");
    }

    @Test
    void whatTheMachineDoesNotKnowIsRefused() {
        Machine machine = Beds.uneven();
        Simulator kernel = new Simulator(machine).submit(SimulatedJob.of("other", 10, 1, Policies.single()));
        assertTrue(assertThrows(EvenerException.class, kernel::run).getMessage().contains("kernel other"));
        Simulator device =
                new Simulator(machine).submit(job(10, Policies.single()).on(List.of("3.0")));
        assertTrue(assertThrows(EvenerException.class, device::run).getMessage().contains("device 3.0"));
        Simulator event = new Simulator(machine).event(MachineEvent.parse("3.1 lost at 1 s"));
        assertTrue(assertThrows(EvenerException.class, event::run).getMessage().contains("device 3.1"));
    }

    /** Jobs wait for all that they come behind; of those that wait for a device, the one of higher priority is next. */
    @Test
    void jobsComeBehindOthersAndUrgentOnesFirst() {
        Simulator simulator = new Simulator(Machine.of(Beds.device("0.0", KernelModel.of(0, 1))));
        SimulatedJob whole = SimulatedJob.of("k", 1000, 1000, Policies.single(0));
        simulator.submit(whole);
        simulator.submit(whole.at(10).behind(List.of(), -1));
        simulator.submit(whole.at(20).behind(List.of(), 1));
        simulator.submit(whole.at(30).behind(List.of(2, 0), 0));
        simulator.submit(whole.at(9000).behind(List.of(1), 0));
        List<Simulator.Outcome> outcomes = simulator.run();
        List<Long> ends = outcomes.stream()
                .map(o -> o.submitted() + o.report().queuedNanos() + o.report().wallNanos())
                .toList();
        assertEquals(List.of(1000L, 3000L, 2000L, 4000L, 10_000L), ends);
        assertEquals(2000, outcomes.get(3).submitted());
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> new Simulator(Machine.of(Beds.device("0.0", KernelModel.of(0, 1))))
                        .submit(whole.behind(List.of(7), 0))
                        .run());
    }
}
