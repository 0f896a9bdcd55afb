package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access.Reduction;
import dev.evener.internal.NativeLedger;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.nio.IntBuffer;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What two devices to which everything is sent are spared, in bytes. */
class ResidencyTest {
    private static final int N = 4096;
    private static final KernelSource SOURCE = KernelSource.of("residency", """
            __kernel void twice(__global const int *in, __global int *out) {
                size_t i = get_global_id(0);
                out[i] = 2 * in[i];
            }
            __kernel void sum(__global const int *a, __global const int *b, __global int *out) {
                size_t i = get_global_id(0);
                out[i] = a[i] + b[i];
            }
            __kernel void bump(__global int *data, int by) { data[get_global_id(0)] += by; }
            __kernel void look(__global const int *table, int length, __global const int *in, __global int *out) {
                size_t i = get_global_id(0);
                out[i] = table[in[i] % length];
            }
            __kernel void keep(__global const int *in, __global int *slots, __global uint *counts) {
                size_t i = get_global_id(0);
                slots[i] = in[i];
                counts[i] = 1;
            }
            __kernel void count(__global const int *in, __global uint *total) {
                atomic_add(total, (uint) in[get_global_id(0)]);
            }
            __kernel void add(__global const uint *total, __global int *data) {
                data[get_global_id(0)] += (int) total[0];
            }
            """);

    private final Map<NativeLedger.Kind, Long> before = NativeLedger.live();
    private Evener evener;

    @BeforeEach
    void open() {
        evener = lanes(Long.MAX_VALUE);
    }

    @AfterEach
    void nothingLeaks() {
        evener.close();
        assertEquals(before, NativeLedger.live());
    }

    private static Evener lanes(long mirrorBytes) {
        return Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .sharedMemory(false)
                .policy(Policies.fixed())
                .history(History.inMemory())
                .mirrorBytes(mirrorBytes)
                .open();
    }

    private HostBuffer ints(int length, int factor) {
        HostBuffer buffer = evener.allocate(ElementType.INT, length);
        fill(buffer, factor);
        return buffer;
    }

    private static void fill(HostBuffer buffer, int factor) {
        IntBuffer ints = buffer.ints();
        for (int i = 0; i < ints.capacity(); i++) {
            ints.put(i, factor * i);
        }
    }

    private static void check(HostBuffer buffer, int factor, int offset) {
        check(buffer.ints(), factor, offset);
    }

    private static void check(IntBuffer ints, int factor, int offset) {
        for (int i = 0; i < ints.capacity(); i++) {
            int at = i;
            assertEquals(factor * i + offset, ints.get(i), () -> "element " + at);
        }
    }

    private Report run(JobBuilder job) {
        return evener.submit(job.build()).join();
    }

    private static long in(Report report) {
        return report.devices().stream().mapToLong(Report.DeviceUse::bytesIn).sum();
    }

    private static long out(Report report) {
        return report.devices().stream().mapToLong(Report.DeviceUse::bytesOut).sum();
    }

    private static int chunks(Report report) {
        return report.devices().stream().mapToInt(Report.DeviceUse::chunks).sum();
    }

    private static JobBuilder job() {
        return Job.named("residency").source(SOURCE).units(N);
    }

    @Test
    void aLaterPhaseMovesOnlyWhatIsMissing() {
        HostBuffer a = ints(N, 1);
        HostBuffer b = ints(N, 0);
        HostBuffer c = ints(N, 0);
        Report report = run(job().kernel("twice")
                .reads(a, Access.slice())
                .writes(b, Access.slice())
                .kernel("sum")
                .reads(a, Access.slice())
                .reads(b, Access.slice())
                .writes(c, Access.slice())
                .kernel("sum")
                .reads(c, Access.slice())
                .reads(a, Access.slice())
                .writes(b, Access.slice()));
        check(c, 3, 0);
        check(b, 4, 0);
        assertEquals(4 * N, in(report), report.toString()); // a, once
        assertEquals(3 * 4 * N, out(report), report.toString());
    }

    @Test
    void whatALanePutDownStaysThereIfTheJobAppendsToo() {
        HostBuffer a = ints(N, 1);
        HostBuffer b = ints(N, 0);
        HostBuffer c = ints(N, 0);
        HostBuffer count = evener.allocate(ElementType.UINT, 1);
        Report report = run(job().kernel("twice")
                .reads(a, Access.slice())
                .writes(b, Access.slice())
                .kernel("keep")
                .reads(b, Access.slice())
                .appends(c, count, 1));
        check(c, 2, 0);
        assertEquals(4 * N, in(report), report.toString()); // a, and not b, which is there
    }

    @Test
    void chunksThatChangeHandsBetweenPhasesAreSentAgain() {
        HostBuffer a = ints(N, 1);
        HostBuffer b = ints(N, 0);
        // Chunks go to whoever comes first, so which lane gets what differs from phase to phase.
        for (int round = 0; round < 20; round++) {
            fill(a, 1);
            JobBuilder job = job().policy(Policies.guided(16));
            for (int phase = 0; phase < 4; phase++) {
                job.kernel("bump").updates(a, Access.slice()).scalar(1);
                job.kernel("twice").reads(a, Access.slice()).writes(b, Access.slice());
            }
            Report report = run(job);
            check(a, 1, 4);
            check(b, 2, 8);
            assertTrue(in(report) >= 4 * N && in(report) <= 8 * 4 * N, report.toString());
        }
    }

    @Test
    void aWholeBufferIsSentOncePerLane() {
        HostBuffer table = ints(500, 7);
        HostBuffer a = ints(N, 1);
        HostBuffer b = ints(N, 0);
        Report report = run(job().policy(Policies.guided(32))
                .kernel("look")
                .reads(table, Access.whole())
                .scalar(500)
                .reads(a, Access.slice())
                .writes(b, Access.slice()));
        for (int i = 0; i < N; i++) {
            assertEquals(7 * (i % 500), b.ints().get(i));
        }
        long lanes = report.devices().stream().filter(d -> d.chunks() > 0).count();
        assertTrue(chunks(report) > 8, report.toString());
        assertEquals(4 * N + lanes * 4 * 500, in(report), report.toString());
    }

    private JobBuilder withStep(HostBuffer a, HostBuffer b) {
        return job().kernel("twice").reads(a, Access.slice()).writes(b, Access.slice());
    }

    private Report secondPhase(JobBuilder job, HostBuffer a, HostBuffer b, HostBuffer c) {
        return run(job.kernel("sum")
                .reads(a, Access.slice())
                .reads(b, Access.slice())
                .writes(c, Access.slice()));
    }

    @Test
    void aHostStepMayWriteWhatItDoesNotDeny() {
        HostBuffer a = ints(N, 1);
        HostBuffer b = ints(N, 0);
        HostBuffer c = ints(N, 0);
        Runnable step = () -> fill(a, 10);

        Report any = secondPhase(withStep(a, b).hostStep(step), a, b, c);
        check(c, 12, 0);
        assertEquals(4 * N + 2 * 4 * N, in(any), any.toString());

        fill(a, 1);
        Report declared = secondPhase(withStep(a, b).hostStep(step, a), a, b, c);
        check(c, 12, 0);
        assertEquals(4 * N + 4 * N, in(declared), declared.toString());

        fill(a, 1);
        Report none = secondPhase(withStep(a, b).hostStep(() -> {}, new HostBuffer[0]), a, b, c);
        check(c, 3, 0);
        assertEquals(4 * N, in(none), none.toString());
    }

    @Test
    void whatIsMergedOnTheHostIsSent() {
        HostBuffer a = ints(N, 1);
        HostBuffer total = evener.allocate(ElementType.UINT, 1);
        HostBuffer b = ints(N, 1);
        JobBuilder job = job();
        for (int i = 0; i < 3; i++) {
            job.kernel("count").reads(a, Access.slice()).reduces(total, Reduction.SUM);
            job.kernel("add").reads(total, Access.whole()).updates(b, Access.slice());
            job.kernel("bump").updates(a, Access.slice()).scalar(1);
        }
        run(job);
        int sum = (N - 1) * N / 2;
        check(b, 1, 3 * sum + 3 * N);
        assertEquals(sum + 2 * N, total.ints().get(0));
    }

    @Test
    void nothingOfAHostBufferIsTrustedFromJobToJob() {
        HostBuffer a = ints(N, 1);
        HostBuffer b = ints(N, 0);
        for (int round = 1; round < 4; round++) {
            fill(a, round);
            Report report = secondPhase(withStep(a, b), a, b, b2());
            assertEquals(4 * N, in(report));
            check(b, 2 * round, 0);
        }
    }

    private HostBuffer b2() {
        return evener.allocate(ElementType.INT, N);
    }

    private ManagedBuffer managed(int length, int factor) {
        ManagedBuffer buffer = evener.allocateManaged(ElementType.INT, length);
        ManagedBufferTest.fill(
                buffer, IntStream.range(0, length).map(i -> factor * i).toArray());
        return buffer;
    }

    private static void check(ManagedBuffer buffer, int factor, int offset) {
        try (ManagedBuffer.Scope scope = buffer.read()) {
            check(scope.ints(), factor, offset);
        }
    }

    @Test
    void aManagedBufferIsSentOnceUntilTheHostChangesIt() {
        ManagedBuffer a = managed(N, 1);
        ManagedBuffer table = managed(100, 1);
        HostBuffer b = ints(N, 0);
        JobBuilder job = job().kernel("look")
                .reads(table, Access.whole())
                .scalar(100)
                .reads(a, Access.slice())
                .writes(b, Access.slice());
        Job look = job.build();
        long tables = 2 * 4 * 100; // one for each lane
        for (int round = 0; round < 3; round++) {
            Report report = evener.submit(look).join();
            assertEquals(round == 0 ? 4 * N + tables : 0, in(report), report.toString());
            assertEquals((N - 1) % 100, b.ints().get(N - 1));
        }
        ManagedBufferTest.fill(a, new int[N]);
        Report again = evener.submit(look).join();
        assertEquals(4 * N, in(again), again.toString());
        assertEquals(0, b.ints().get(N - 1));
    }

    @Test
    void aManagedBufferFollowsASplitThatMoves() {
        ManagedBuffer a = managed(N, 1);
        double[][] splits = {{0.25, 0.75}, {0.75, 0.25}, {0.75, 0.25}, {1, 0}, {0, 1}, {0.5, 0.5}};
        // What a job writes is kept where it was written; the rest of a lane's new share is sent.
        double[] missing = {1, 0.5, 0, 0.25, 1, 0.5};
        for (int i = 0; i < splits.length; i++) {
            Report report = run(job().policy(Policies.fixed(splits[i]))
                    .kernel("bump")
                    .updates(a, Access.slice())
                    .scalar(1));
            check(a, 1, i + 1);
            assertEquals((long) (missing[i] * 4 * N), in(report), "split " + i + ": " + report);
        }
    }

    @Test
    void mirrorsGiveWayToOthersAndToClosing() {
        evener.close();
        evener = lanes(2 * 4 * N + 4096); // two of them
        ManagedBuffer[] kept = new ManagedBuffer[5];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = managed(N, i);
        }
        HostBuffer out = ints(N, 0);
        Policy one = Policies.single(0);
        int[] order = {0, 1, 0, 1, 2, 1, 2, 0, 3, 4, 3, 4};
        int[] sent = {1, 1, 0, 0, 1, 0, 0, 1, 1, 1, 0, 0};
        for (int i = 0; i < order.length; i++) {
            Report report = run(job().policy(one)
                    .kernel("twice")
                    .reads(kept[order[i]], Access.slice())
                    .writes(out, Access.slice()));
            check(out, 2 * order[i], 0);
            assertEquals(sent[i] * 4L * N, in(report), "job " + i);
        }
        // More than fits at once: the first two are mirrored, the third goes through a chunk buffer.
        Report three = run(job().policy(one)
                .kernel("sum")
                .reads(kept[3], Access.slice())
                .reads(kept[4], Access.slice())
                .writes(kept[2], Access.slice()));
        check(kept[2], 7, 0);
        assertEquals(0, in(three));
        long buffers = NativeLedger.live().get(NativeLedger.Kind.BUFFER);
        kept[3].close();
        kept[4].close();
        assertEquals(buffers - 2, NativeLedger.live().get(NativeLedger.Kind.BUFFER));
        kept[0].close();
        assertEquals(buffers - 2, NativeLedger.live().get(NativeLedger.Kind.BUFFER), "it had no mirror any more");
    }

    @Test
    void withoutRoomEverythingIsSentEachTime() {
        evener.close();
        evener = lanes(0);
        HostBuffer a = ints(N, 1);
        HostBuffer b = ints(N, 0);
        HostBuffer c = ints(N, 0);
        Report report = secondPhase(withStep(a, b), a, b, c);
        check(c, 3, 0);
        assertEquals(3 * 4 * N, in(report));
    }
}
