package dev.evener.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.Report.Cause;
import dev.evener.event.RunEvent;
import dev.evener.event.RunEvent.BufferUse;
import dev.evener.event.RunEvent.BufferUse.How;
import dev.evener.event.RunEvent.BufferUse.Kept;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/** Bytes that move in a simulation, by what lies where. */
class SimulatedBuffersTest {
    private static final int UNITS = 1024;
    private static final long ROW = 512;
    private static final long ALL = ROW * UNITS;
    private static final Policy HALF = Policies.fixed(0.5, 0.5);
    private static final double LATENCY = 2000;
    private static final double BANDWIDTH = 1e9;

    private final Heard heard = new Heard();

    /** A device with memory of its own, whose kernel takes 1 ms whatever there is to do. */
    private static DeviceModel discrete(String id) {
        DeviceModel made = Beds.device(id, KernelModel.of(1e6, 0).withBytesPerUnit(ROW, ROW));
        return made.withLink(new Link(LATENCY, BANDWIDTH, BANDWIDTH, 0));
    }

    private static DeviceModel onHost(String id) {
        return Beds.device(id, KernelModel.of(1e6, 0));
    }

    private static BufferUse use(int buffer, Kept kept, How how, long perUnit, int around) {
        return new BufferUse(0, buffer, ALL, kept, 0, ALL, how, perUnit, around, around, 0, 0);
    }

    /** What the host wrote of a buffer before the job is read. */
    private static BufferUse written(BufferUse use, long from, long to) {
        return new BufferUse(
                use.phase(),
                use.buffer(),
                use.size(),
                use.kept(),
                use.from(),
                use.bytes(),
                use.how(),
                use.bytesPerUnit(),
                use.before(),
                use.after(),
                from,
                to);
    }

    private static BufferUse reads(int buffer) {
        return use(buffer, Kept.DEVICE, How.READS, ROW, 0);
    }

    private static BufferUse readsAround(int buffer) {
        return use(buffer, Kept.DEVICE, How.READS, ROW, 1);
    }

    private static BufferUse writes(int buffer) {
        return use(buffer, Kept.DEVICE, How.WRITES, ROW, 0);
    }

    private static SimulatedJob job(Policy policy, BufferUse... uses) {
        return SimulatedJob.of("k", UNITS, 1, policy).touching(uses);
    }

    private List<Simulator.Outcome> run(Machine machine, SimulatedJob... jobs) {
        Simulator simulator = new Simulator(machine).listener(heard);
        for (SimulatedJob each : jobs) {
            simulator.submit(each.after(0));
        }
        return simulator.run();
    }

    /** Bytes of a job, as text: device, cause, sent, fetched. */
    private List<String> moved(long job) {
        return heard.all(RunEvent.Moved.class).stream()
                .filter(m -> m.job() == job)
                .map(m -> m.device() + " " + m.cause() + " " + m.sent() + " " + m.fetched())
                .toList();
    }

    @Test
    void anIterationOnTwoDevicesMovesHalos() {
        Machine machine = Machine.of(discrete("0.0"), discrete("0.1"));
        SimulatedJob there = job(HALF, readsAround(1), writes(2));
        SimulatedJob back = job(HALF, readsAround(2), writes(1));
        run(machine, there, back, there, back);
        long seen = ALL / 2 + ROW;
        assertEquals(List.of("0 FIRST_USE " + seen + " 0", "1 FIRST_USE " + seen + " 0"), moved(1));
        for (long step = 2; step <= 4; step++) {
            assertEquals(List.of("0 HALO 512 512", "1 HALO 512 512"), moved(step));
        }
        List<RunEvent.Chunk> chunks = heard.all(RunEvent.Chunk.class);
        assertEquals(
                List.of(seen, seen, ROW, ROW, ROW, ROW, ROW, ROW),
                chunks.stream().map(RunEvent.Chunk::bytesIn).toList());
        for (RunEvent.Chunk chunk : chunks) {
            assertEquals(0, chunk.bytesOut());
            assertEquals(Math.round(LATENCY + chunk.bytesIn() / BANDWIDTH * 1e9), chunk.transferNanos());
            // Through the host: the device waits until the other's link is done.
            assertEquals(chunk.job() == 1 ? 0 : ROW, chunk.submitted() - chunk.begun());
        }
    }

    @Test
    void onOneDeviceNothingMovesAfterTheFirstStep() {
        SimulatedJob there = job(Policies.single(0), readsAround(1), writes(2));
        SimulatedJob back = job(Policies.single(0), readsAround(2), writes(1));
        run(Machine.of(discrete("0.0"), discrete("0.1")), there, back, there);
        assertEquals(List.of("0 FIRST_USE " + ALL + " 0"), moved(1));
        assertEquals(List.of(), moved(2));
        assertEquals(List.of(), moved(3));
        assertEquals(0, heard.all(RunEvent.Chunk.class).get(2).transferNanos());
    }

    @Test
    void aShareThatMovesIsPaidForOnce() {
        SimulatedJob first = job(HALF, reads(1), writes(2));
        SimulatedJob later = job(Policies.fixed(0.25, 0.75), reads(2), writes(3));
        run(Machine.of(discrete("0.0"), discrete("0.1")), first, later, later);
        assertEquals(List.of("0 SHARE 0 " + ALL / 4, "1 SHARE " + ALL / 4 + " 0"), moved(2));
        assertEquals(List.of(), moved(3));
    }

    @Test
    void aTheftMovesWhatIsStolen() {
        Link link = new Link(LATENCY, BANDWIDTH, BANDWIDTH, 0);
        Machine machine = Machine.of(
                Beds.device("0.0", KernelModel.of(1000, 1000)).withLink(link),
                Beds.device("0.1", KernelModel.of(1000, 9000)).withLink(link));
        run(machine, job(HALF, reads(1), writes(2)), job(Policies.stealing(), reads(2), writes(3)));
        long units = heard.all(RunEvent.Chunk.class).stream()
                .filter(c -> c.job() == 2 && c.device() == 0)
                .mapToLong(RunEvent.Chunk::units)
                .sum();
        long stolen = ROW * (units - UNITS / 2);
        assertTrue(stolen > 0);
        assertEquals(List.of("0 SHARE " + stolen + " 0", "1 SHARE 0 " + stolen), moved(2));
    }

    @Test
    void whatTheHostWroteIsSentAgainAndNoMore() {
        Policy policy = Policies.single(0);
        run(
                Machine.of(discrete("0.0")),
                job(policy, written(reads(1), 0, ALL), writes(2)),
                job(policy, reads(1), writes(2)),
                job(policy, written(reads(1), 100, 300), writes(2)));
        assertEquals(List.of("0 FIRST_USE " + ALL + " 0"), moved(1));
        assertEquals(List.of(), moved(2));
        assertEquals(List.of("0 HOST 200 0"), moved(3));
    }

    @Test
    void aDeviceThatWorksOnTheHostFetchesFromTheOther() {
        run(
                Machine.of(discrete("0.0"), onHost("0.1")),
                job(Policies.single(0), reads(1), writes(2)),
                job(HALF, readsAround(2), writes(3)));
        assertEquals(List.of("0 HALO 0 512", "0 SHARE 0 " + ALL / 2), moved(2));
        RunEvent.Chunk onHost = heard.all(RunEvent.Chunk.class).stream()
                .filter(c -> c.job() == 2 && c.device() == 1)
                .findFirst()
                .orElseThrow();
        assertEquals(ALL / 2 + ROW, onHost.bytesIn());
        assertEquals(0, onHost.transferNanos());
        assertEquals(ALL / 2 + ROW, onHost.begun() - onHost.queued(), "at a byte a nanosecond");
    }

    @Test
    void hostBuffersMoveForEachJobAsTheyDidBefore() {
        BufferUse in = use(1, Kept.HOST, How.READS, ROW, 0);
        BufferUse out = use(2, Kept.HOST, How.WRITES, ROW, 0);
        Machine machine = Machine.of(discrete("0.0"), discrete("0.1"));
        run(machine, job(HALF, in, out), job(HALF, in, out), SimulatedJob.of("k", UNITS, 1, HALF));
        for (long job = 1; job <= 2; job++) {
            String half = " " + ALL / 2;
            assertEquals(
                    List.of("0 HOST" + half + " 0", "0 RESULT 0" + half, "1 HOST" + half + " 0", "1 RESULT 0" + half),
                    moved(job));
        }
        List<RunEvent.Ended> ends = heard.all(RunEvent.Ended.class);
        assertEquals(ends.get(2).wallNanos(), ends.get(1).wallNanos(), "as where nothing is known of its buffers");
    }

    @Test
    void anIterationOfKMeansMovesCentresAndTheirSums() {
        BufferUse points = reads(1);
        BufferUse centres = new BufferUse(0, 2, 64, Kept.DEVICE, 0, 64, How.READS, 0, 0, 0, 0, 0);
        BufferUse labels = writes(3);
        BufferUse sums = new BufferUse(0, 4, 96, Kept.DEVICE, 0, 96, How.REDUCES, 0, 0, 0, 0, 0);
        BufferUse moves = new BufferUse(0, 2, 64, Kept.DEVICE, 0, 64, How.HOST_STEP, 0, 0, 0, 0, 0);
        SimulatedJob step = job(HALF, points, centres, labels, sums, moves);
        Machine machine = Machine.of(discrete("0.0"), discrete("0.1"));
        run(machine, step, step, step, job(HALF, reads(3), writes(5)));
        assertEquals(List.of("0 FIRST_USE " + (ALL / 2 + 64) + " 0", "0 REDUCTION 96 96"), moved(1).subList(0, 2));
        for (long job = 2; job <= 3; job++) {
            assertEquals(List.of("0 HOST 64 0", "0 REDUCTION 96 96", "1 HOST 64 0", "1 REDUCTION 96 96"), moved(job));
        }
        assertEquals(List.of(), moved(4));
    }

    @Test
    void jobsWithCommonDataFollowOneAnother() {
        Machine machine = Machine.of(discrete("0.0"), discrete("0.1"));
        Simulator simulator = new Simulator(machine).listener(heard);
        simulator.submit(job(Policies.single(0), reads(1), writes(2)).at(0));
        simulator.submit(job(Policies.single(1), reads(2), writes(3)).at(0));
        simulator.submit(job(Policies.single(1), reads(4), writes(5)).at(0));
        assertTrue(simulator.run().stream().allMatch(o -> o.failure() == null));
        Map<Long, RunEvent.Chunk> chunks = new TreeMap<>();
        heard.all(RunEvent.Chunk.class).forEach(chunk -> chunks.put(chunk.job(), chunk));
        assertTrue(chunks.get(2L).begun() >= chunks.get(1L).end());
        assertTrue(chunks.get(3L).begun() < chunks.get(1L).end());
        assertEquals(List.of("0 SHARE 0 " + ALL, "1 SHARE " + ALL + " 0"), moved(2));
    }

    @Test
    void whatADeviceAloneHeldIsLostWithIt() {
        Machine machine = Machine.of(discrete("0.0"), discrete("0.1"));
        SimulatedJob makes = job(Policies.single(0), reads(1), writes(2));
        SimulatedJob needs = job(Policies.single(1), reads(2), writes(3));
        List<Simulator.Outcome> outcomes = new Simulator(machine)
                .event(MachineEvent.parse("0.0 lost at 5 ms"))
                .submit(makes)
                .submit(needs.after(10_000_000))
                .submit(job(Policies.single(1), reads(1), writes(2)).after(0))
                .submit(needs.after(0))
                .run();
        assertEquals(null, outcomes.get(0).failure());
        assertTrue(String.valueOf(outcomes.get(1).failure()).contains("only device 0.0 held them"));
        assertEquals(null, outcomes.get(2).failure());
        assertEquals(null, outcomes.get(3).failure());
    }

    @Test
    void aDeadlineForChunksHasResultsFetched() {
        SimulatedJob plain = job(Policies.single(0), reads(1), writes(2));
        SimulatedJob fenced = new SimulatedJob(
                "k",
                UNITS,
                1,
                plain.kernels(),
                List.of(),
                plain.policy(),
                null,
                0,
                true,
                Duration.ofSeconds(1),
                plain.buffers());
        run(Machine.of(discrete("0.0")), fenced, fenced);
        assertEquals(List.of("0 RESULT 0 " + ALL), moved(2));
    }

    @Test
    void oneNumberIsOneBuffer() {
        BufferUse other = new BufferUse(0, 1, 64, Kept.DEVICE, 0, 64, How.READS, 0, 0, 0, 0, 0);
        EvenerException e = Assertions.assertThrows(
                EvenerException.class, () -> run(Machine.of(discrete("0.0")), job(HALF, reads(1)), job(HALF, other)));
        assertTrue(String.valueOf(e.getMessage()).contains("needs another number"));
    }

    @Test
    void whatMovedOnceIsNoCostOfAUnit() {
        SimulatedJob step = job(Policies.single(0), readsAround(1), writes(2));
        DeviceModel device = discrete("0.0");
        run(Machine.of(device, discrete("0.1")), step, step);
        List<DeviceInfo> devices = List.of(device.device(), discrete("0.1").device());
        DeviceModel fitted = Models.fit(devices, heard.events).devices().get(0);
        assertEquals(KernelModel.Moves.NOTHING, fitted.kernels().get("k").moves());
        List<RunEvent> again = new ArrayList<>();
        new Simulator(Models.fit(devices, heard.events))
                .listener(again::add)
                .replay(heard.events, devices)
                .run();
        assertEquals(
                List.of(ALL),
                again.stream()
                        .filter(RunEvent.Moved.class::isInstance)
                        .map(e -> ((RunEvent.Moved) e).sent())
                        .toList());
        assertEquals(Cause.FIRST_USE, heard.all(RunEvent.Moved.class).get(0).cause());
    }
}
