package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.evener.internal.NativeLedger;
import dev.evener.model.StoredHistory;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults, closing and load on real lanes. The limits on time are for a run that hangs, not for a slow machine. */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RuntimeTest {
    private static final KernelSource SOURCE = KernelSource.of("runtime", """
            __kernel void twice(__global const int *in, __global int *out) {
                size_t i = get_global_id(0);
                out[i] = 2 * in[i];
            }
            __kernel void slow(__global int *data, int rounds) {
                size_t i = get_global_id(0);
                uint v = (uint) data[i];
                for (int r = 0; r < rounds; r++) v = v * 1664525u + 1013904223u;
                data[i] = (int) v;
            }
            __kernel void mixed(int number, __global int *out, float factor) {
                out[get_global_id(0)] = (int) (number * factor);
            }
            """);

    private final Map<NativeLedger.Kind, Long> before = NativeLedger.live();
    private Evener evener;

    @BeforeEach
    void open() {
        evener = open("0.0,0.1");
    }

    private Job twice(int units) {
        HostBuffer in = evener.allocate(ElementType.INT, units);
        HostBuffer out = evener.allocate(ElementType.INT, units);
        return Job.named("twice")
                .source(SOURCE)
                .units(units)
                .kernel("twice")
                .reads(in, Access.slice())
                .writes(out, Access.slice())
                .build();
    }

    @Test
    void afterPreparingNoJobBuildsAnything() {
        evener.prepare(twice(1000)).join();
        assertEquals(0, evener.submit(twice(5000)).join().buildNanos());
    }

    @Test
    void theFirstJobsBuildingIsNotPartOfItsTime() {
        Job other = Job.named("other") // after which planning takes less than building, beside which it is done
                .source("__kernel void other(__global int *out) { out[get_global_id(0)] = 1; }")
                .units(10)
                .kernel("other")
                .writes(evener.allocate(ElementType.INT, 10), Access.slice())
                .build();
        evener.submit(other).join();
        assertTrue(evener.submit(twice(1000)).join().buildNanos() > 0);
        assertEquals(0, evener.submit(twice(3000)).join().buildNanos());
    }

    /** Each kind has a text that no driver has built before; the runtime is closed while the other device may build the last one. */
    @ParameterizedTest
    @ValueSource(strings = {"adaptive", "stealing", "guided"})
    void jobsOfNewKindsAreRightWhileADeviceBuilds(String policy) {
        int n = 300_000;
        HostBuffer in = evener.allocate(ElementType.INT, n);
        for (int i = 0; i < n; i++) {
            in.ints().put(i, i);
        }
        HostBuffer out = evener.allocate(ElementType.INT, n);
        for (int kind = 0; kind < LongTests.orAll(3, 8); kind++) {
            String text = "// " + UUID.randomUUID() + "\n__kernel void add(__global const int *in, __global int *out)"
                    + "{ size_t i = get_global_id(0); out[i] = in[i] + " + kind + "; }";
            Job job = Job.named("add " + kind)
                    .source(KernelSource.of("new", text).withTrialLaunch())
                    .units(n)
                    .kernel("add")
                    .reads(in, Access.slice())
                    .writes(out, Access.slice())
                    .policy(Policies.named(policy))
                    .build();
            for (int round = 0; round < 3; round++) {
                out.ints().put(new int[n]);
                assertEquals(List.of(), evener.submit(job).join().failures());
                for (int i = 0; i < n; i++) {
                    assertEquals(i + kind, out.ints().get(i));
                }
            }
        }
    }

    @Test
    void preparingFindsWhatDoesNotBuild() {
        Job broken = Job.named("broken")
                .source("__kernel void broken(__global int *out) { out[0] = nothing; }")
                .units(10)
                .kernel("broken")
                .writes(evener.allocate(ElementType.INT, 10), Access.slice())
                .build();
        CompletionException failure = assertThrows(
                CompletionException.class, () -> evener.prepare(broken).join());
        assertInstanceOf(EvenerException.class, failure.getCause());
        assertTrue(failure.getMessage().contains("does not build"), failure::getMessage);
        evener.close();
        assertThrows(IllegalStateException.class, () -> evener.prepare(broken));
    }

    @AfterEach
    void nothingLeaks() {
        evener.close();
        assertEquals(before, NativeLedger.live());
    }

    private static Evener open(String devices) {
        return Evener.builder()
                .devices(DeviceSelector.parse(devices))
                .policy(Policies.fixed())
                .history(History.inMemory())
                .open();
    }

    private Job twice(HostBuffer in, HostBuffer out) {
        return Job.named("twice")
                .source(SOURCE)
                .units(in.elements())
                .kernel("twice")
                .reads(in, Access.slice(1))
                .writes(out, Access.slice(1))
                .jvm(c -> {
                    IntBuffer from = c.buffer(0).asIntBuffer();
                    IntBuffer to = c.buffer(1).asIntBuffer();
                    for (int i = 0; i < c.units(); i++) {
                        to.put(i, 2 * from.get(i));
                    }
                })
                .build();
    }

    private void assertStillWorks() {
        try (HostBuffer in = evener.allocate(ElementType.INT, 1000);
                HostBuffer out = evener.allocate(ElementType.INT, 1000)) {
            in.ints().put(999, 21);
            evener.submit(twice(in, out)).join();
            assertEquals(42, out.ints().get(999));
        }
    }

    private static String failureOf(CompletableFuture<Report> future) throws Exception {
        Throwable cause = assertThrows(ExecutionException.class, () -> future.get(120, TimeUnit.SECONDS))
                .getCause();
        assertInstanceOf(EvenerException.class, cause, cause.toString());
        return cause.getMessage();
    }

    // ---- history ----

    @Test
    void aJobMayLearnInAHistoryOfItsOwn() {
        History own = History.inMemory();
        try (HostBuffer in = evener.allocate(ElementType.INT, 1000);
                HostBuffer out = evener.allocate(ElementType.INT, 1000)) {
            Job job = twice(in, out);
            evener.submit(job, Policies.fixed(), own).join();
            assertEquals(
                    1,
                    StoredHistory.of(own).of(job, evener.devices()).model(1000).jobs());
            assertEquals(
                    0,
                    StoredHistory.of(evener.history())
                            .of(job, evener.devices())
                            .model(1000)
                            .jobs());
        }
    }

    // ---- kernels that cannot run ----

    @ParameterizedTest
    @ValueSource(strings = {"0.0,0.1", "1.0"})
    void sourceThatDoesNotCompileIsReportedWithTheLog(String devices) throws Exception {
        try (Evener own = open(devices);
                HostBuffer data = own.allocate(ElementType.INT, 64)) {
            for (int i = 0; i < 2; i++) { // the second time from memory
                String message = failureOf(own.submit(Job.named("broken")
                        .source("__kernel void k(__global int *p) { p[0] = no_such_thing; }")
                        .units(64)
                        .kernel("k")
                        .updates(data, Access.slice())
                        .build()));
                assertTrue(message.startsWith("job 'broken': kernel source broken does not build: broken:1:"), message);
                assertTrue(message.contains("no_such_thing"), "the build log belongs in the message: " + message);
            }
        }
        assertStillWorks();
    }

    @Test
    void aKernelThatIsNotThereIsNamed() throws Exception {
        String message = failureOf(evener.submit(
                Job.named("lost").source(SOURCE).units(64).kernel("nowhere").build()));
        assertTrue(message.startsWith("job 'lost' failed on device "), message);
        assertTrue(message.contains("creating kernel nowhere: CL_INVALID_KERNEL_NAME"), message);
        assertTrue(message.matches("(?s).*; the kernels of source runtime are mixed, slow, twice"), message);
        assertStillWorks();
    }

    @Test
    void argumentsThatDoNotMatchTheKernelAreRefusedNotCrashedOn() throws Exception {
        try (HostBuffer out = evener.allocate(ElementType.INT, 64)) {
            assertRefused(
                    "kernel mixed has 3 parameters, but 2 arguments were given",
                    mixed().scalar(1).writes(out, Access.slice()));
            assertRefused(
                    "kernel mixed has 3 parameters, but 4 arguments were given",
                    mixed().scalar(1).writes(out, Access.slice()).scalar(1f).chunkUnits());
            assertRefused(
                    "argument 2", mixed().scalar(1).writes(out, Access.slice()).scalar(1.0));
            // A scalar where a pointer belongs would be taken for the address of a buffer.
            assertRefused(
                    "argument 1 is no buffer, but the kernel's parameter is a pointer",
                    mixed().scalar(1).scalar(5L).scalar(1f));
            assertRefused(
                    "argument 1 is no buffer, but the kernel's parameter is a pointer",
                    mixed().scalar(1).chunkStart().scalar(1f));
            assertRefused(
                    "argument 0 is a buffer, but the kernel's parameter is no __global or __constant pointer",
                    mixed().writes(out, Access.slice())
                            .reads(out(), Access.whole())
                            .scalar(1f));
        }
        assertStillWorks();
    }

    private HostBuffer out() {
        return evener.allocate(ElementType.INT, 64);
    }

    private static JobBuilder mixed() {
        return Job.named("mixed").source(SOURCE).units(64).kernel("mixed");
    }

    private void assertRefused(String part, JobBuilder job) throws Exception {
        String message = failureOf(evener.submit(job.build()));
        assertTrue(message.startsWith("job 'mixed' failed on device "), message);
        assertTrue(message.contains(part), message);
    }

    @Test
    void aGroupLargerThanTheDeviceTakesIsAnError() throws Exception {
        try (HostBuffer data = evener.allocate(ElementType.INT, 64)) {
            String message = failureOf(evener.submit(Job.named("wide")
                    .source(SOURCE)
                    .units(64)
                    .kernel("slow")
                    .updates(data, Access.slice())
                    .scalar(1)
                    .variant(DeviceKind.CPU, Variant.itemsPerUnit(1).withGroupSize(1 << 20))
                    .variant(DeviceKind.GPU, Variant.itemsPerUnit(1).withGroupSize(1 << 20))
                    .build()));
            assertTrue(message.contains("a group in dimension 0 would have 1048576 work-items"), message);
        }
        assertStillWorks();
    }

    @Test
    void aJobWithoutTheFormALaneNeedsIsRefusedByThatLane() throws Exception {
        String message = failureOf(evener.submit(
                Job.named("java").units(64).kernel("k").jvm(c -> {}).build()));
        assertTrue(message.contains("kernel k has no OpenCL source"), message);
        try (Evener jvm = open("jvm")) {
            message = failureOf(jvm.submit(
                    Job.named("cl").source(SOURCE).units(64).kernel("k").build()));
            assertTrue(message.contains("kernel k has no Java form"), message);
        }
    }

    // ---- user code that throws ----

    @Test
    void aHostStepThatThrowsEndsItsJob() throws Exception {
        try (HostBuffer data = evener.allocate(ElementType.INT, 640)) {
            String message = failureOf(evener.submit(Job.named("step")
                    .source(SOURCE)
                    .units(640)
                    .kernel("slow")
                    .updates(data, Access.slice())
                    .scalar(1)
                    .hostStep(() -> {
                        throw new IllegalStateException("carry lost");
                    })
                    .build()));
            assertEquals(
                    "job 'step': the host step after kernel slow failed: java.lang.IllegalStateException: carry lost",
                    message);
        }
        assertStillWorks();
    }

    @Test
    void aJavaKernelThatThrowsEndsItsJobWhenAllItsThreadsAreBack() throws Exception {
        int units = 1000;
        try (Evener jvm = open("jvm")) {
            for (Throwable thrown : List.of(new IllegalStateException("no"), new AssertionError("no"))) {
                AtomicInteger inside = new AtomicInteger();
                // Any piece may be the one that throws: the lane's own or a helper's.
                for (int bad = 0; bad < units; bad += 111) {
                    int unit = bad;
                    String message = failureOf(jvm.submit(Job.named("java")
                            .units(units)
                            .kernel("k")
                            .jvm(c -> {
                                inside.incrementAndGet();
                                try {
                                    if (unit >= c.firstUnit() && unit < c.firstUnit() + c.units()) {
                                        sneak(thrown);
                                    }
                                    Thread.sleep(2);
                                } catch (InterruptedException e) {
                                    throw new AssertionError(e);
                                } finally {
                                    inside.decrementAndGet();
                                }
                            })
                            .build()));
                    assertEquals(0, inside.get(), "a thread still works for a job that has ended");
                    assertTrue(message.startsWith("job 'java' failed on device jvm ("), message);
                    assertTrue(message.endsWith("): a Java kernel failed: " + thrown), message);
                }
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable e) throws T {
        throw (T) e;
    }

    @Test
    void javaStillDividesByZeroAfterPoclHasRun() {
        assertStillWorks();
        int[] zero = new int[1];
        for (int i = 0; i < 20_000; i++) { // interpreted and compiled
            int divisor = zero[0];
            int dividend = i + 5;
            assertThrows(ArithmeticException.class, () -> sink(dividend / divisor));
        }
    }

    private static void sink(int value) {
        throw new AssertionError("5 / 0 is " + value + ": PoCL's signal handler took the JVM's place");
    }

    // ---- closing and cancelling ----

    private Job slow(HostBuffer data, int rounds) {
        return Job.named("slow")
                .source(SOURCE)
                .units(data.elements())
                .kernel("slow")
                .updates(data, Access.slice())
                .scalar(rounds)
                .build();
    }

    @Test
    void cancellingAndClosingTheBuffersAtOnceIsSafe() {
        Random random = new Random(1);
        for (int i = 0; i < 150; i++) {
            CompletableFuture<Report> future;
            try (HostBuffer data = evener.allocate(ElementType.INT, 20_000)) {
                future = evener.submit(slow(data, 1 + random.nextInt(300)));
                if (random.nextBoolean()) {
                    spin(random.nextInt(200_000));
                }
                future.cancel(true);
            }
            if (future.isCancelled()) {
                assertThrows(CancellationException.class, future::join);
            }
        }
        assertStillWorks();
    }

    private static void spin(int rounds) {
        for (int i = 0; i < rounds; i++) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aBufferClosedWhileItsJobRunsIsReleasedAtItsEnd() throws Exception {
        assertStillWorks();
        long buffers = NativeLedger.live().getOrDefault(NativeLedger.Kind.BUFFER, 0L);
        CountDownLatch inStep = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        HostBuffer data = evener.allocate(ElementType.INT, 20_000);
        CompletableFuture<Report> future = evener.submit(Job.named("step")
                .source(SOURCE)
                .units(20_000)
                .kernel("slow")
                .updates(data, Access.slice())
                .scalar(1)
                .hostStep(() -> {
                    inStep.countDown();
                    awaitQuietly(goOn);
                })
                .kernel("slow")
                .updates(data, Access.slice())
                .scalar(1)
                .build());
        awaitQuietly(inStep);
        data.close();
        assertTrue(data.isClosed());
        assertTrue( // a sub-buffer of the last chunk may be alive as well
                NativeLedger.live().getOrDefault(NativeLedger.Kind.BUFFER, 0L) > buffers,
                "the job still has its memory");
        goOn.countDown();
        try {
            future.get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            assertTrue(e.getMessage().contains("closed"), e.getMessage()); // refused is as good as finished
        }
        assertEquals(buffers, NativeLedger.live().getOrDefault(NativeLedger.Kind.BUFFER, 0L));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertTrue(latch.await(60, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aBufferClosedBetweenBuildAndSubmitIsNamed() throws Exception {
        HostBuffer in = evener.allocate(ElementType.INT, 64);
        HostBuffer out = evener.allocate(ElementType.INT, 64);
        Job job = twice(in, out);
        evener.submit(job).join();
        out.close();
        assertEquals("job 'twice': kernel twice, argument 1: the buffer is closed", failureOf(evener.submit(job)));
        in.close();
    }

    @Test
    void closingFromAnotherThreadEndsRunningJobs() throws Exception {
        for (int round = 0; round < 5; round++) {
            Evener own = open("0.0,0.1");
            List<CompletableFuture<Report>> futures = new ArrayList<>();
            HostBuffer data = own.allocate(ElementType.INT, 50_000);
            for (int i = 0; i < 2000; i++) { // more than half a minute of work
                futures.add(own.submit(slow(data, 500)));
            }
            Thread closer = new Thread(own::close);
            closer.start();
            closer.join(100_000);
            assertFalse(closer.isAlive());
            int ended = 0;
            for (CompletableFuture<Report> future : futures) {
                assertTrue(future.isDone(), "closed means joined");
                try {
                    future.join();
                } catch (CompletionException e) {
                    String message = e.getCause().getMessage();
                    assertTrue( // or, of one that was to come behind one that was: the first cause
                            message.contains("job 'slow' was ended because its Evener was closed"), message);
                    ended++;
                }
            }
            assertTrue(ended > 0, "all jobs were done before close() began");
            assertTrue(data.isClosed());
        }
    }

    @Test
    void aClosedEvenerRefusesWork() {
        HostBuffer data = evener.allocate(ElementType.INT, 64);
        Job job = slow(data, 1);
        evener.close();
        evener.close();
        assertThrows(IllegalStateException.class, () -> evener.submit(job));
        assertThrows(IllegalStateException.class, () -> evener.allocate(ElementType.INT, 1));
        assertTrue(data.isClosed());
        assertEquals(2, evener.devices().size());
    }

    @Test
    void closingFromAHostStepIsRefusedAndTheEvenerGoesOn() throws Exception {
        String message = failureOf(evener.submit(suicidal()));
        assertTrue(message.contains("cannot be closed from a host step"), message);
        assertStillWorks();
    }

    private Job suicidal() {
        HostBuffer data = evener.allocate(ElementType.INT, 64);
        return Job.named("suicidal")
                .units(64)
                .source(SOURCE)
                .kernel("slow")
                .updates(data, Access.slice())
                .scalar(1)
                .hostStep(evener::close)
                .build();
    }

    // ---- what leaks is seen ----

    @Test
    void theLedgerShowsABufferUntilItIsClosed() {
        assertStillWorks();
        Map<NativeLedger.Kind, Long> idle = NativeLedger.live();
        HostBuffer data = evener.allocate(ElementType.INT, 64);
        evener.submit(slow(data, 1)).join();
        assertNotEquals(idle, NativeLedger.live(), "a buffer in use by two devices must show");
        data.close();
        // The kernel object of "slow" stays with its lane; everything else is as before.
        Map<NativeLedger.Kind, Long> now = NativeLedger.live();
        assertEquals(idle.get(NativeLedger.Kind.BUFFER), now.get(NativeLedger.Kind.BUFFER));
        assertEquals(idle.get(NativeLedger.Kind.EVENT), now.get(NativeLedger.Kind.EVENT));
    }

    @Test
    void aBufferNobodyClosedIsReleasedWithItsEvener() {
        Evener own = open("0.0,0.1");
        HostBuffer forgotten = own.allocate(ElementType.INT, 64);
        Map<NativeLedger.Kind, Long> unused = NativeLedger.live();
        own.submit(slow(forgotten, 1)).join();
        long before = unused.getOrDefault(NativeLedger.Kind.BUFFER, 0L);
        long buffers = NativeLedger.live().getOrDefault(NativeLedger.Kind.BUFFER, 0L);
        assertTrue(buffers > before, "an object for each device that wrote it");
        own.close();
        assertTrue(forgotten.isClosed());
        assertEquals(before, NativeLedger.live().getOrDefault(NativeLedger.Kind.BUFFER, 0L));
        forgotten.close();
        assertEquals(before, NativeLedger.live().getOrDefault(NativeLedger.Kind.BUFFER, 0L));
    }

    // ---- load ----

    private static final int MOST_ROUNDS = 10;

    @ParameterizedTest
    @ValueSource(strings = {"0.0,0.1", "0.0,1.0", "0.1,jvm"})
    void manyThreadsGetRightResults(String devices) throws Exception {
        int threads = 8;
        int jobsEach = devices.contains("1.0") ? 25 : 60;
        try (Evener own = open(devices)) {
            // Of the two chunks that a lane may have the second has memory of its own, made when it is first behind one
            // that is long enough.
            Map<NativeLedger.Kind, Long> before = Map.of();
            for (int round = 0; round < MOST_ROUNDS; round++) {
                ConcurrentLinkedQueue<Throwable> wrong = new ConcurrentLinkedQueue<>();
                List<Thread> submitters = new ArrayList<>();
                for (int t = 0; t < threads; t++) {
                    Random random = new Random(100 + t);
                    Thread thread = new Thread(() -> {
                        try {
                            for (int i = 0; i < jobsEach; i++) {
                                randomJob(own, random);
                            }
                        } catch (Throwable e) {
                            wrong.add(e);
                        }
                    });
                    thread.start();
                    submitters.add(thread);
                }
                for (Thread thread : submitters) {
                    thread.join();
                }
                assertEquals(List.of(), List.copyOf(wrong));
                Map<NativeLedger.Kind, Long> now = NativeLedger.live();
                if (now.equals(before)) {
                    return;
                }
                before = now;
            }
            fail("what jobs need once must not grow with their number: " + before);
        }
    }

    private void randomJob(Evener own, Random random) {
        int n = random.nextInt(5) == 0 ? random.nextInt(3) : random.nextInt(20_000);
        Policy policy = switch (random.nextInt(4)) {
            case 0 -> Policies.history();
            case 1 -> Policies.single();
            case 2 -> Policies.single(random.nextInt(2));
            default -> Policies.fixed(1 + random.nextInt(100), random.nextInt(100));
        };
        try (HostBuffer in = own.allocate(ElementType.INT, n);
                HostBuffer out = own.allocate(ElementType.INT, n)) {
            int salt = random.nextInt();
            for (int i = 0; i < n; i++) {
                in.ints().put(i, i * 31 + salt);
            }
            JobBuilder job = Job.named("twice")
                    .source(SOURCE)
                    .units(n)
                    .policy(policy)
                    .kernel("twice")
                    .reads(in, Access.slice(1))
                    .writes(out, Access.slice(1))
                    .jvm(c -> {
                        IntBuffer from = c.buffer(0).asIntBuffer();
                        IntBuffer to = c.buffer(1).asIntBuffer();
                        for (int i = 0; i < c.units(); i++) {
                            to.put(i, 2 * from.get(i));
                        }
                    });
            own.submit(job.build()).join();
            IntBuffer result = out.ints();
            for (int i = 0; i < n; i++) {
                if (result.get(i) != 2 * (i * 31 + salt)) {
                    throw new AssertionError("element " + i + " of " + n + " under " + policy);
                }
            }
        }
    }
}
