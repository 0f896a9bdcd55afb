package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access.Reduction;
import dev.evener.policy.Policies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an application does wrong, or just does, ends a job at worst: no device is quarantined for it. */
class ApplicationMistakesTest {
    private static final int UNITS = 5000;
    private static final String SOURCE = """
            kernel void look(global const int *x) {}
            kernel void everything(global const int *x, global int *y, global int *sum, global float *parts, global int *slots,
                            global uint *counts) {
                size_t i = get_global_id(0);
                y[i] += x[i];
                atomic_add(sum, x[i]);
                parts[i] = x[i];
                slots[i] = x[i];
                counts[i] = x[i] & 1;
            }
            """;

    @Test
    void theCheckingModeSaysWhereItIs() {
        EvenerBuilder builder = Evener.builder();
        assertTrue(assertThrows(EvenerException.class, builder::checked)
                .getMessage()
                .contains("add dev.evener:evener-testing to the class path"));
    }

    private static Evener open(String devices, boolean shared) {
        return Evener.builder()
                .devices(DeviceSelector.parse(devices))
                .policy(Policies.fixed())
                .sharedMemory(shared)
                .history(History.inMemory())
                .open();
    }

    /** The host step closes everything; what the second phase touches is closed, and held by the job. */
    @ParameterizedTest
    @CsvSource({
        "'0.0,0.1', true, false",
        "'0.0,0.1', true, true",
        "'0.0,0.1', false, false",
        "'0.0,0.1', false, true",
        "jvm, true, false",
        "jvm, true, true"
    })
    void buffersClosedWhileAJobUpdatesReducesAndAppendsOutliveTheJob(String devices, boolean shared, boolean fenced) {
        try (Evener evener = open(devices, shared)) {
            HostBuffer x = evener.allocate(ElementType.INT, UNITS);
            HostBuffer y = evener.allocate(ElementType.INT, UNITS);
            HostBuffer sum = evener.allocate(ElementType.INT, 1);
            HostBuffer floats = evener.allocate(ElementType.FLOAT, 1);
            HostBuffer out = evener.allocate(ElementType.INT, UNITS);
            HostBuffer count = evener.allocate(ElementType.UINT, 1);
            List<HostBuffer> buffers = List.of(x, y, sum, floats, out, count);
            var views = buffers.stream().map(HostBuffer::bytes).toList(); // not page-locked: they stay what they are
            for (int i = 0; i < UNITS; i++) {
                x.ints().put(i, i % 100);
                y.ints().put(i, i);
            }
            JobBuilder job = Job.named("closed")
                    .source(SOURCE)
                    .units(UNITS)
                    .kernel("look")
                    .reads(x, Access.slice())
                    .jvm(c -> {})
                    .hostStep(() -> buffers.forEach(HostBuffer::close))
                    .kernel("everything")
                    .reads(x, Access.slice())
                    .updates(y, Access.slice())
                    .reduces(sum, Reduction.SUM)
                    .reduces(floats, Reduction.SUM)
                    .appends(out, count, 1)
                    .jvm(ApplicationMistakesTest::all);
            Report report = evener.submit((fenced ? job.chunkDeadline(Duration.ofMinutes(5)) : job).build())
                    .join();
            assertEquals(List.of(), report.failures());
            int expected = UNITS / 100 * (99 * 100 / 2);
            assertEquals(expected, views.get(2).getInt(0));
            assertEquals(expected, views.get(3).getFloat(0));
            assertEquals(UNITS / 2, views.get(5).getInt(0));
            for (int i = 0; i < UNITS; i++) {
                assertEquals(i + i % 100, views.get(1).getInt(4 * i));
                assertTrue(i >= UNITS / 2 || views.get(4).getInt(4 * i) == (2 * i + 1) % 100, "appended " + i);
            }
            assertThrows(IllegalStateException.class, y::bytes);
            assertWorks(evener);
        }
    }

    private static void all(JvmKernel.Chunk c) {
        for (int i = 0; i < c.units(); i++) {
            int value = c.buffer(0).getInt(4 * i);
            c.buffer(1).putInt(4 * i, c.buffer(1).getInt(4 * i) + value);
            c.buffer(2).putInt(0, c.buffer(2).getInt(0) + value);
            c.buffer(3).putFloat(4 * i, value);
            c.buffer(4).putInt(4 * i, value);
            c.buffer(5).putInt(4 * i, value & 1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"step", "closed buffer", "group size", "listener", "progress", "java", "java error", "wait"})
    void aMistakeEndsItsJobAtWorstAndCostsNoDevice(String mistake) {
        boolean java = mistake.startsWith("java") || mistake.equals("wait");
        AtomicReference<Evener> itself = new AtomicReference<>();
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse(java ? "jvm" : "0.0,0.1"))
                .policy(Policies.fixed())
                .history(History.inMemory())
                .listener(event -> {
                    if (mistake.equals("listener")) {
                        throw new AssertionError("a mistake");
                    }
                })
                .open()) {
            itself.set(evener);
            HostBuffer x = evener.allocate(ElementType.INT, UNITS);
            HostBuffer closed = evener.allocate(ElementType.INT, 1);
            JobBuilder job = Job.named("mistake")
                    .source(SOURCE)
                    .units(UNITS)
                    .kernel("look")
                    .reads(x, Access.slice())
                    .jvm(c -> {
                        if (mistake.equals("wait")) { // in any of the lane's threads but the first
                            if (c.firstUnit() > 0) {
                                itself.get().submit(good(x)).join();
                            }
                        } else if (mistake.equals("java error")) {
                            throw new StackOverflowError();
                        } else if (java) {
                            throw new IllegalStateException("a mistake");
                        }
                    });
            switch (mistake) {
                case "step" ->
                    job.hostStep(() -> {
                        throw new IllegalStateException("a mistake");
                    });
                case "closed buffer" -> {
                    job.hostStep(() -> closed.ints().put(0, 1));
                    closed.close();
                }
                case "group size" ->
                    job.variant(DeviceKind.CPU, Variant.itemsPerUnit(1 << 20).withGroupSize(1 << 20));
                case "progress" ->
                    job.onProgress(p -> {
                        throw new AssertionError("a mistake");
                    });
                default -> {}
            }
            JobFuture future = evener.submit(job.build());
            if (mistake.equals("listener") || mistake.equals("progress")) {
                assertEquals(List.of(), future.join().failures());
            } else {
                Throwable e =
                        assertThrows(CompletionException.class, future::join).getCause();
                assertTrue(e instanceof EvenerException && e.getMessage().startsWith("job 'mistake'"), e.toString());
            }
            assertWorks(evener);
        }
    }

    /** On every device: one that is quarantined would be left out. */
    private static void assertWorks(Evener evener) {
        try (HostBuffer x = evener.allocate(ElementType.INT, UNITS)) {
            Report report = evener.submit(good(x)).join();
            assertEquals(List.of(), report.failures());
            assertTrue(report.devices().stream().allMatch(d -> d.units() > 0), report::summary);
        }
    }

    private static Job good(HostBuffer x) {
        return Job.named("good")
                .source(SOURCE)
                .units(UNITS)
                .kernel("look")
                .reads(x, Access.slice())
                .jvm(c -> {})
                .build();
    }

    /** A second kernel that is refused when the first of its chunk has been launched: what that updated is not updated again. */
    @Test
    void aLaunchThatIsRefusedBehindAnotherLeavesAnUnprotectedBufferHalfUpdated() {
        AtomicBoolean grown = new AtomicBoolean();
        try (Evener evener = open("0.1", true);
                HostBuffer data = evener.allocate(ElementType.INT, 4096)) {
            Job job = Job.named("grows")
                    .source("""
                            kernel void add(global int *p) { p[get_global_id(0)]++; }
                            kernel void share(global int *p, local int *all) {
                                all[get_local_id(0)] = p[get_global_id(0)];
                                p[get_global_id(0)] = all[get_local_id(0)];
                            }
                            """)
                    .units(4096)
                    .unprotected()
                    .kernel("add")
                    .groupSize(16)
                    .updates(data, Access.slice())
                    .then("share")
                    .groupSize(16)
                    .updates(data, Access.slice())
                    .local(ElementType.INT, group -> grown.get() ? 1L << 40 : group)
                    .build();
            evener.submit(job).join();
            grown.set(true);
            Throwable failure = assertThrows(
                            CompletionException.class, () -> evener.submit(job).join())
                    .getCause();
            assertTrue(failure.getMessage().contains("which may be half updated now"), failure.getMessage());
            assertEquals(2, data.ints().get(0));
        }
    }

    /** What is submitted still gets memory for results under way, and callbacks see open buffers. */
    @Test
    void closingWithTimeToDrainLetsWhatWasSubmittedEnd() {
        Evener evener = open("0.0,0.1", true);
        HostBuffer x = evener.allocate(ElementType.INT, UNITS);
        HostBuffer y = evener.allocate(ElementType.INT, UNITS);
        List<JobFuture> futures = new ArrayList<>();
        AtomicInteger seen = new AtomicInteger();
        for (int i = 0; i < 20; i++) {
            HostBuffer count = evener.allocate(ElementType.UINT, 1);
            futures.add(evener.submit(Job.named("drained")
                    .source(SOURCE)
                    .units(UNITS)
                    .kernel("everything")
                    .reads(x, Access.slice())
                    .updates(y, Access.slice())
                    .reduces(evener.allocate(ElementType.INT, 1), Reduction.SUM)
                    .reduces(evener.allocate(ElementType.FLOAT, 1), Reduction.SUM)
                    .appends(evener.allocate(ElementType.INT, UNITS), count, 1)
                    .build()));
            CompletableFuture<Void> ignored = futures.get(i)
                    .thenAccept(report -> seen.addAndGet(1 + count.ints().get(0)));
        }
        Job late = good(x);
        assertTrue(evener.close(Duration.ofHours(1)));
        futures.forEach(future -> assertEquals(List.of(), future.join().failures()));
        assertEquals(20, seen.get());
        assertThrows(IllegalStateException.class, y::ints);
        assertTrue(evener.close(Duration.ofHours(1)), "closed already");
        assertThrows(IllegalStateException.class, () -> evener.submit(late));
        assertThrows(IllegalStateException.class, () -> evener.trySubmit(late));
    }
}
