package dev.evener;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access.Reduction;
import dev.evener.internal.NativeLedger;
import dev.evener.policy.Policies;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The memory behind results that wait for the end of their phase: shared by runs, and gone with their Evener. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HiddenResultsTest {
    private static final KernelSource SOURCE = KernelSource.of("sums", """
            __kernel void sums(__global const float *in, __global float *sum) {
                size_t u = get_global_id(0);
                float s = 0;
                for (int k = 0; k < 16; k++) s += in[u * 16 + k];
                sum[u] = s;
            }
            __kernel void spread(ulong first, __global float *sum, __global uchar *slots, __global uint *counts) {
                size_t u = get_global_id(0);
                uint n = (uint) (first + u);
                for (int k = 0; k < 3; k++) sum[u * 3 + k] = 1.0f / (float) (n + k + 1);
                for (uint k = 0; k < n % 8; k++) slots[u * 7 + k] = (uchar) (n + k);
                counts[u] = n % 8;
            }
            __kernel void append(__global uint *slots, __global uint *counts, uint n) {
                size_t u = get_global_id(0);
                for (uint k = 0; k < 2 && k < n; k++) slots[u * 2 + k] = 7;
                counts[u] = n;
            }
            """);

    private final Map<NativeLedger.Kind, Long> before = NativeLedger.live();
    private final Evener evener = Evener.builder()
            .devices(DeviceSelector.parse("0.0,0.1"))
            .policy(Policies.fixed())
            .history(History.inMemory())
            .open();

    @AfterEach
    void nothingLeaks() {
        evener.close();
        assertEquals(before, NativeLedger.live());
    }

    private static JobBuilder sums(HostBuffer in, HostBuffer sum) {
        return Job.named("sums")
                .source(SOURCE)
                .units(in.elements() / 16)
                .kernel("sums")
                .reads(in, Access.slice(16))
                .reduces(sum, Reduction.SUM);
    }

    private HostBuffer ones(int units) {
        HostBuffer in = evener.allocate(ElementType.FLOAT, 16L * units);
        FloatBuffer values = in.floats();
        for (int i = 0; i < 16 * units; i++) {
            values.put(i, 1);
        }
        return in;
    }

    private String failureOf(Job job) {
        Throwable cause = assertThrows(
                        CompletionException.class, () -> evener.submit(job).join())
                .getCause();
        assertInstanceOf(EvenerException.class, cause);
        return cause.getMessage();
    }

    @Test
    void oneJobMayBeQueuedOftenAndByMany() throws Exception {
        int units = 3000;
        HostBuffer in = ones(units);
        HostBuffer sum = evener.allocate(ElementType.FLOAT, 1);
        Job job = sums(in, sum)
                .hostStep(() -> assertEquals(16f * units, sum.floats().get(0)))
                .build();
        evener.submit(job).join();
        Map<NativeLedger.Kind, Long> afterFirst = NativeLedger.live();
        ConcurrentLinkedQueue<CompletableFuture<Report>> all = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            Thread thread = new Thread(() -> {
                for (int i = 0; i < 50; i++) {
                    all.add(evener.submit(job));
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        all.forEach(CompletableFuture::join);
        assertEquals(400, all.size());
        assertEquals(afterFirst, NativeLedger.live(), "every run took the memory of the first");
    }

    /** What the runs before wrote lies in the memory they leave behind; no run may see it. */
    @Test
    void runsOfOtherSizesMayFollow() {
        HostBuffer sum = evener.allocate(ElementType.FLOAT, 1);
        for (int units : List.of(4000, 3999, 2500, 3000, 1, 0, 2, 4000)) {
            HostBuffer in = ones(units);
            evener.submit(sums(in, sum).build()).join();
            assertEquals(16f * units, sum.floats().get(0));
        }
    }

    @Test
    void aJobThatFailsGivesItsMemoryBack() {
        HostBuffer in = ones(3000);
        HostBuffer sum = evener.allocate(ElementType.FLOAT, 1);
        evener.submit(sums(in, sum).build()).join();
        Map<NativeLedger.Kind, Long> afterFirst = NativeLedger.live();
        for (int i = 0; i < 20; i++) {
            String message = failureOf(sums(in, sum)
                    .hostStep(() -> {
                        throw new IllegalStateException("no");
                    })
                    .build());
            assertTrue(message.contains("the host step after kernel sums failed"), message);
        }
        assertEquals(afterFirst, NativeLedger.live());
    }

    @Test
    void memoryThatCannotBeHadIsAnErrorOfTheJob() {
        HostBuffer sum = evener.allocate(ElementType.FLOAT, 1000);
        String message = failureOf(Job.named("large")
                .source(SOURCE)
                .units(1L << 38)
                .kernel("sums")
                .reduces(sum, Reduction.SUM)
                .build());
        assertTrue(
                message.startsWith("job 'large': kernel sums, argument 0 needs host memory for 274877906944 units of"
                        + " 1000 float until its phase ends (larger units need less): "),
                message);
    }

    @Test
    void aTargetThatIsClosedBeforeEndsTheJob() {
        HostBuffer in = ones(3000);
        HostBuffer early = evener.allocate(ElementType.FLOAT, 1);
        Job job = sums(in, early).build();
        early.close();
        assertEquals("job 'sums': kernel sums, argument 1: the buffer is closed", failureOf(job));
    }

    @Test
    void whatDoesNotFitEndsTheJobWithTheNumberThatWould() {
        HostBuffer out = evener.allocate(ElementType.UINT, 5999);
        HostBuffer count = evener.allocate(ElementType.UINT, 1);
        out.ints().put(0, 42);
        JobBuilder append =
                Job.named("append").source(SOURCE).units(3000).kernel("append").appends(out, count, 2);
        assertEquals(
                "job 'append', kernel append: argument 0: 6000 elements were appended, but the buffer holds 5999; give it"
                        + " room for as many",
                failureOf(append.scalar(2).build()));
        assertEquals(6000, count.ints().get(0));
        assertEquals(42, out.ints().get(0));
        assertEquals(
                "job 'append', kernel append: argument 0: unit 0 counts 3 elements, but a unit may append 2",
                failureOf(Job.named("append")
                        .source(SOURCE)
                        .units(3000)
                        .kernel("append")
                        .appends(out, count, 2)
                        .scalar(3)
                        .build()));
        assertEquals(6000, count.ints().get(0));
        // The same buffers serve the next job.
        evener.submit(Job.named("append")
                        .source(SOURCE)
                        .units(3000)
                        .kernel("append")
                        .appends(out, count, 2)
                        .scalar(1)
                        .build())
                .join();
        assertEquals(3000, count.ints().get(0));
        assertEquals(7, out.ints().get(2999));
    }

    /** Where what the units write does not fit one piece of memory. */
    @ParameterizedTest
    @CsvSource({"'0.0,0.1', true", "'0.0,0.1', false", "jvm, true"})
    void theyMayLieInSegments(String devices, boolean shared) {
        int units = 40_000; // 480 KB of sums, 280 KB of slots, 160 KB of counts
        float[] expected = new float[3];
        float[] actual = new float[3];
        try (HostBuffer sum = evener.allocate(ElementType.FLOAT, 3);
                HostBuffer out = evener.allocate(ElementType.UBYTE, 7L * units);
                HostBuffer count = evener.allocate(ElementType.UINT, 1)) {
            evener.submit(spread(Job.named("spread").units(units), sum, out, count))
                    .join();
            sum.floats().get(expected);
        }
        try (Evener segmented = Evener.builder()
                        .devices(DeviceSelector.parse(devices))
                        .sharedMemory(shared)
                        .policy(Policies.fixed())
                        .history(History.inMemory())
                        .segmentBytes(16 << 10)
                        .open();
                HostBuffer sum = segmented.allocate(ElementType.FLOAT, 3);
                HostBuffer out = segmented.allocate(ElementType.UBYTE, 7L * units);
                HostBuffer count = segmented.allocate(ElementType.UINT, 1)) {
            assertTrue(out.segmentCount() > 1);
            for (int run = 0; run < 2; run++) {
                segmented
                        .submit(spread(Job.named("spread").units(units), sum, out, count))
                        .join();
                sum.floats().get(actual);
                assertArrayEquals(expected, actual, 0f);
                assertEquals(units / 8 * 28, count.ints().get(0));
                int at = 0;
                for (int u = 0; u < units; u++) {
                    for (int k = 0; k < u % 8; k++) {
                        assertEquals((byte) (u + k), out.bytes(at++, 1).get(0));
                    }
                }
            }
        }
    }

    static Job spread(JobBuilder job, HostBuffer sum, HostBuffer out, HostBuffer count) {
        return job.source(SOURCE)
                .kernel("spread")
                .chunkStart()
                .reduces(sum, Reduction.SUM)
                .appends(out, count, 7)
                .jvm(chunk -> {
                    for (int u = 0; u < chunk.units(); u++) {
                        int n = (int) chunk.firstUnit() + u;
                        for (int k = 0; k < 3; k++) {
                            chunk.buffer(1).putFloat(4 * (3 * u + k), 1f / (n + k + 1));
                        }
                        for (int k = 0; k < n % 8; k++) {
                            chunk.buffer(2).put(7 * u + k, (byte) (n + k));
                        }
                        chunk.buffer(3).putInt(4 * u, n % 8);
                    }
                })
                .build();
    }
}
