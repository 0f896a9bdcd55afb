package dev.evener;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.internal.NativeLedger;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.testing.Faults;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs whose chunks are enqueued on a device before the jobs that they wait for have ended. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@InTurn(2)
class EnqueuedAheadTest {
    private static final int N = 1 << 14;
    private static final String SOURCE = """
            __kernel void advance(__global const int *in, __global int *out) {
                size_t i = get_global_id(0);
                int v = in[i];
                for (int k = 0; k < 200; k++) v = v * 1664525 + 1013904223;
                out[i] = v;
            }
            __kernel void update(__global int *values) {
                size_t i = get_global_id(0);
                int v = values[i];
                for (int k = 0; k < 200; k++) v = v * 1664525 + 1013904223;
                values[i] = v;
            }
            """;

    private final Map<NativeLedger.Kind, Long> before = NativeLedger.live();

    @AfterEach
    void nothingLeaks() {
        assertEquals(before, NativeLedger.live());
    }

    private static Job advance(DataBuffer in, DataBuffer out) {
        return Job.named("advance")
                .source(SOURCE)
                .units(N)
                .kernel("advance")
                .reads(in, Access.slice())
                .writes(out, Access.slice())
                .build();
    }

    private static int advanced(int steps) {
        int v = 0;
        for (int k = 0; k < 200 * steps; k++) {
            v = v * 1664525 + 1013904223;
        }
        return v;
    }

    private static void assertAll(int value, ManagedBuffer buffer) {
        int[] expected = new int[N];
        Arrays.fill(expected, value);
        int[] values = new int[N];
        try (ManagedBuffer.Scope scope = buffer.read()) {
            scope.ints().get(values);
        }
        assertArrayEquals(expected, values);
    }

    /** Submits steps from one buffer to another and back, all at once. */
    private static List<JobFuture> chain(Evener evener, ManagedBuffer a, ManagedBuffer b, int steps) {
        Job there = advance(a, b);
        Job back = there.swap(a, b);
        List<JobFuture> all = new ArrayList<>();
        for (int i = 0; i < steps; i++) {
            all.add(evener.submit(i % 2 == 0 ? there : back));
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0", "0.1", "0.0,0.1"})
    void aChainOfJobsHasTheBitsOfOneAfterAnother(String devices) {
        try (Evener evener = ManagedBufferTest.discrete(devices).open();
                ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
                ManagedBuffer b = evener.allocateManaged(ElementType.INT, N)) {
            chain(evener, a, b, 100).forEach(JobFuture::join);
            assertAll(advanced(100), a);
        }
    }

    /** What a job has written is changed by the next before the one has ended. */
    @ParameterizedTest
    @ValueSource(strings = {"0.0", "0.1", "0.0,0.1"})
    void aChainOfJobsMayUpdateOneBuffer(String devices) {
        try (Evener evener = ManagedBufferTest.discrete(devices).open();
                ManagedBuffer a = evener.allocateManaged(ElementType.INT, N)) {
            Job update = Job.named("update")
                    .source(SOURCE)
                    .units(N)
                    .kernel("update")
                    .updates(a, Access.slice())
                    .build();
            List<JobFuture> all = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                all.add(evener.submit(update));
            }
            all.forEach(JobFuture::join);
            assertAll(advanced(60), a);
        }
    }

    /** From one buffer to another and back, a phase each. */
    private static Job phases(DataBuffer a, DataBuffer b, int pairs) {
        JobBuilder builder = Job.named("phases").source(SOURCE).units(N);
        for (int i = 0; i < pairs; i++) {
            builder.kernel("advance")
                    .reads(a, Access.slice())
                    .writes(b, Access.slice())
                    .kernel("advance")
                    .reads(b, Access.slice())
                    .writes(a, Access.slice())
                    .kernel("update")
                    .updates(a, Access.slice());
        }
        return builder.build();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0", "0.1", "0.0,0.1"})
    void phasesHaveTheBitsOfOneAfterAnother(String devices) {
        try (Evener evener = ManagedBufferTest.discrete(devices).open();
                ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
                ManagedBuffer b = evener.allocateManaged(ElementType.INT, N)) {
            Job job = phases(a, b, 10);
            Policy one = Policies.single(0); // another policy moves data to where others help
            evener.submit(job, one).join();
            JobFuture second = evener.submit(job, one);
            Report report = evener.submit(job, one).join();
            second.join();
            assertEquals(
                    0,
                    report.devices().stream()
                            .mapToLong(Report.DeviceUse::bytesIn)
                            .sum());
            assertEquals(
                    0,
                    report.devices().stream()
                            .mapToLong(Report.DeviceUse::bytesOut)
                            .sum());
            assertAll(advanced(90), a);
        }
    }

    /** The other device goes on if what the phase began with is there, or the cause is said; what comes later is right. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 5, 29})
    void aPhaseInTheMiddleFails(int chunk) {
        EvenerBuilder builder =
                Faults.inject(ManagedBufferTest.discrete("0.1,0.0"), "lane=0,chunk=" + chunk + ",fault=error");
        try (Evener evener = builder.policy(Policies.single()).open();
                ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
                ManagedBuffer b = evener.allocateManaged(ElementType.INT, N)) {
            try {
                evener.submit(phases(a, b, 10)).join();
                assertAll(advanced(30), a);
            } catch (CompletionException e) {
                String said = String.valueOf(e.getCause());
                assertTrue(said.contains("injected") || said.contains("behind"), said);
            }
            a.discard();
            evener.submit(phases(a, b, 4)).join();
            assertAll(advanced(12), a);
        }
    }

    /** Its device is distrusted then, and gives up what it holds: not before it has it. */
    @Test
    void aJobThatCannotBeEnqueuedBehindAnotherTakesNothingFromThat() {
        String slow = SOURCE.replace("200", "20000");
        try (Evener evener = ManagedBufferTest.discrete("0.1").open();
                ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
                ManagedBuffer b = evener.allocateManaged(ElementType.INT, N)) {
            Job there = Job.named("slow")
                    .source(slow)
                    .units(N)
                    .kernel("advance")
                    .reads(a, Access.slice())
                    .writes(b, Access.slice())
                    .build();
            Job cannot = Job.named("refused")
                    .source(SOURCE)
                    .units(N)
                    .kernel("advance")
                    .groupSize(1 << 20) // more than any device has
                    .reads(b, Access.slice())
                    .writes(a, Access.slice())
                    .build();
            assertThrows(CompletionException.class, () -> evener.prepare(cannot).join());
            chain(evener, a, b, 2).forEach(JobFuture::join);
            JobFuture first = evener.submit(there);
            JobFuture second = evener.submit(cannot);
            first.join();
            assertThrows(CompletionException.class, second::join);
            assertAll(advanced(102), b);
        }
    }

    /** What follows it has been enqueued by then, more often than not; the other device goes on, or the cause is said. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 20, 33})
    void aChunkInTheMiddleFails(int chunk) {
        EvenerBuilder builder =
                Faults.inject(ManagedBufferTest.discrete("0.1,0.0"), "lane=0,chunk=" + chunk + ",fault=error");
        try (Evener evener = builder.policy(Policies.single()).open();
                ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
                ManagedBuffer b = evener.allocateManaged(ElementType.INT, N)) {
            int ended = 0;
            List<JobFuture> all = chain(evener, a, b, 40);
            for (JobFuture each : all) {
                try {
                    each.join();
                    ended++;
                } catch (CompletionException e) {
                    String said = String.valueOf(e.getCause());
                    assertTrue(said.contains("injected") || said.contains("behind"), said);
                }
            }
            assertTrue(ended >= chunk, ended + " ended");
            if (ended == all.size()) {
                assertAll(advanced(all.size()), a);
            } else { // what comes later is right again
                int[] zeros = new int[N];
                try (ManagedBuffer.Scope scope = a.overwrite()) {
                    scope.ints().put(zeros);
                }
                chain(evener, a, b, 4).forEach(JobFuture::join);
                assertAll(advanced(4), a);
            }
        }
    }
}
