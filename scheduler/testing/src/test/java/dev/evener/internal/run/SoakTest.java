package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.LongTests;
import dev.evener.MadeUpBuffers;
import dev.evener.MadeUpDevices;
import dev.evener.Report;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.device.Devices;
import dev.evener.internal.device.LaneOptions;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.jvm.JvmLane;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.testing.FaultyLanes;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;

/**
 * Thousands of random jobs from eight threads on devices into which faults are injected: of every shape, under every policy,
 * on all or some devices, with and without deadlines, cancelled or left alone. What ends must be right, what fails must say
 * a reason that it had, and nothing may be left behind.
 *
 * <p>{@code -Dsoak.jobs=100000} runs as many jobs instead of six hundred, with {@code -Dlong} two thousand, {@code -Dsoak.seed=N} other ones. The limit on
 * time is for a run that hangs.
 */
@Timeout(value = 12, unit = TimeUnit.HOURS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SoakTest {
    private static final int JOBS = Integer.getInteger("soak.jobs", LongTests.orAll(600, 2000));
    private static final long SEED = Long.getLong("soak.seed", 1);
    private static final int THREADS = 8;
    private static final int JOBS_A_ROUND = 670;

    private static final List<String> DEVICES = List.of("0.0", "0.1", "1.0", "jvm");
    /** The device into which no fault is ever injected. */
    private static final String GOOD = "0.1";

    private static final Duration CHUNK_DEADLINE = Duration.ofMillis(250);

    private final Map<NativeLedger.Kind, Long> before = NativeLedger.live();

    private enum End {
        RIGHT,
        CANCELLED,
        TOO_LATE,
        CHUNK_TOO_LATE,
        HALF_UPDATED,
        DEVICES_FAILED,
        CLOSED
    }

    @AfterEach
    void nothingLeaks() {
        assertEquals(before, NativeLedger.live());
    }

    // ---- lanes and their faults ----

    /** The devices, and what an Evener has beside them; with less patience, so that lanes that failed come back sooner. */
    private static final class Machine implements AutoCloseable {
        private final Queue<HostBuffer> scratch = new ConcurrentLinkedQueue<>();
        final History history = History.inMemory();
        final Dispatcher dispatcher;

        Machine(List<String> faults) {
            List<Lane> lanes = new ArrayList<>(
                    Devices.open(Evener.select(DeviceSelector.ids(DEVICES.subList(0, 3))), LaneOptions.usual())
                            .lanes());
            lanes.set(2, asGpu(lanes.get(2)));
            lanes.add(new JvmLane(2));
            dispatcher = new Dispatcher(
                    FaultyLanes.of(faults, lanes),
                    history,
                    new ScratchPool((type, elements, perUnit) -> {
                        var made = MadeUpBuffers.of(type, elements);
                        scratch.add(made);
                        return made;
                    }),
                    Duration.ofSeconds(60),
                    Duration.ofMillis(5));
        }

        /** The lane, taken for one that does not compute on the host's cores: the host's steps are done beside it, and jobs share it. */
        private static Lane asGpu(Lane lane) {
            DeviceInfo own = lane.device();
            DeviceInfo gpu = MadeUpDevices.device(
                            own.id(),
                            own.platform(),
                            own.name(),
                            DeviceKind.GPU,
                            own.alignmentBytes(),
                            own.cacheLineBytes(),
                            own.workGroupMultiple(),
                            own.physical())
                    .withSharesHostMemory(own.sharesHostMemory());
            return (Lane) Proxy.newProxyInstance(
                    Lane.class.getClassLoader(), new Class<?>[] {Lane.class}, (p, asked, with) -> {
                        try {
                            return asked.getName().equals("device") ? gpu : asked.invoke(lane, with);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }

        @Override
        public void close() {
            dispatcher.stop();
            scratch.forEach(HostBuffer::close);
            dispatcher.close();
        }
    }

    /** Faults of a round; none on the good device. */
    private static List<String> faults(int round) {
        List<String> faults = new ArrayList<>();
        switch (round % 3) {
            case 0 -> {
                repeat(faults, "lane=0", 17, "error");
                repeat(faults, "lane=0", 83, "hang:0.4");
                faults.add("lane=2,chunk=60,fault=die");
                faults.add("lane=3,chunk=50,fault=slow:3x");
            }
            case 1 -> {
                faults.add("lane=2,chunk=40,fault=build");
                faults.add("lane=0,chunk=30,fault=alloc");
                repeat(faults, "lane=3", 13, "error");
                repeat(faults, "lane=3", 71, "hang:0.3");
            }
            default -> {
                repeat(faults, "lane=0", 101, "hang:0.3");
                repeat(faults, "lane=2", 23, "error");
                repeat(faults, "lane=2", 67, "hang:0.4");
                faults.add("lane=3,chunk=90,fault=die");
            }
        }
        return faults;
    }

    private static void repeat(List<String> faults, String lane, int every, String fault) {
        for (int i = 1; i <= 20; i++) {
            faults.add(lane + ",chunk=" + i * every + ",fault=" + fault);
        }
    }

    // ---- jobs ----

    /** What one thread may ask of its job, and so how it may end. */
    private static final class Options {
        final List<String> devices;
        final boolean cancels;
        final boolean hasDeadline;
        final boolean hasChunkDeadline;
        final boolean unprotected;
        final boolean recovers;
        final Policy policy;

        Options(Random random, SoakJob job) {
            devices = new ArrayList<>(DEVICES);
            if (random.nextInt(3) == 0) {
                Collections.shuffle(devices, random);
                devices.subList(1 + random.nextInt(3), devices.size()).clear();
                devices.sort(null); // as the runtime orders them
                job.builder().devices(DeviceSelector.ids(devices));
            }
            cancels = random.nextInt(12) == 0;
            hasDeadline = random.nextInt(12) == 0;
            if (hasDeadline) {
                job.builder().deadline(Duration.ofMillis(1 + random.nextInt(60)));
            }
            hasChunkDeadline = random.nextInt(3) == 0;
            if (hasChunkDeadline) {
                job.builder().chunkDeadline(CHUNK_DEADLINE);
            }
            unprotected = job.updates() && random.nextInt(8) == 0;
            if (unprotected) {
                job.builder().unprotected();
            }
            recovers = random.nextInt(15) != 0;
            job.builder().recovery(recovers);
            if (random.nextInt(6) == 0) {
                job.builder().onProgress(p -> assertTrue(p.done() <= p.total()));
            }
            policy = policy(random, devices.size());
        }

        private static Policy policy(Random random, int lanes) {
            return switch (random.nextInt(8)) {
                case 0 -> Policies.single(random.nextInt(lanes));
                case 1 -> Policies.fixed(random.doubles(lanes, 1, 100).toArray());
                case 2 -> Policies.guided(1 + random.nextInt(30));
                case 3 -> Policies.stealing(1 + random.nextInt(30));
                default ->
                    Policies.named(
                            Policies.names().get(random.nextInt(Policies.names().size())));
            };
        }

        boolean mayLoseAllDevices() {
            return !recovers || !devices.contains(GOOD);
        }

        @Override
        public String toString() {
            return "devices " + devices + ", policy " + policy.name() + (hasDeadline ? ", deadline" : "")
                    + (hasChunkDeadline ? ", chunk deadline" : "") + (unprotected ? ", unprotected" : "")
                    + (recovers ? "" : ", no recovery");
        }

        /** How a job ended that failed; an assertion if it had no such reason. */
        End ended(Throwable cause) {
            String message = String.valueOf(cause.getMessage());
            if (cancels && cause instanceof CancellationException) {
                return End.CANCELLED;
            }
            assertTrue(cause instanceof EvenerException, () -> this + ": " + cause);
            if (message.contains("its Evener was closed")) {
                return End.CLOSED;
            }
            if (hasDeadline && message.contains("was not done after its deadline of ")) {
                return End.TOO_LATE;
            }
            if (hasChunkDeadline && message.contains("was not done after " + CHUNK_DEADLINE.toMillis() + " ms")) {
                return End.CHUNK_TOO_LATE; // on a busy machine an honest chunk may be
            }
            if (unprotected && message.contains("which may be half updated now") && message.contains("injected: ")) {
                return End.HALF_UPDATED;
            }
            if (mayLoseAllDevices() && (message.contains("injected: ") || message.contains("no device can take it"))) {
                return End.DEVICES_FAILED;
            }
            // A device may have been quarantined by another job's deadline while it was merely slow, or compiling.
            if ((message.contains("no device can take it") || message.contains("was left out: it is quarantined"))
                    && (message.contains(" ms") || message.contains("did not come back after the deadline"))) {
                return End.DEVICES_FAILED;
            }
            throw new AssertionError(
                    this + ": failed for no reason that it had: " + message + " " + List.of(cause.getSuppressed()),
                    cause);
        }
    }

    /** Submits one job, perhaps cancels it, and checks how it ends. */
    private static End runOne(Machine machine, Random random, Queue<WeakReference<Job>> jobs) throws Exception {
        try (SoakJob soak = new SoakJob(random)) {
            Options options = new Options(random, soak);
            Job job = soak.builder().build();
            jobs.add(new WeakReference<>(job));
            CompletableFuture<Report> future = machine.dispatcher.submit(job, options.policy, machine.history, null);
            if (options.cancels) {
                Thread.sleep(0, random.nextInt(900_000));
                future.cancel(true);
            }
            Report report;
            try {
                report = future.get(600, TimeUnit.SECONDS);
            } catch (CancellationException e) {
                return options.ended(e);
            } catch (ExecutionException e) {
                return options.ended(e.getCause());
            }
            assertTrue(soak.isRight(), () -> options + ": wrong result; " + report);
            assertEquals(
                    job.units(),
                    report.devices().stream().mapToLong(Report.DeviceUse::units).sum(),
                    report::toString);
            return End.RIGHT;
        }
    }

    // ---- the tests ----

    @Test
    void everyResultIsRightAndNothingIsLeft(TestReporter reporter) throws Exception {
        int rounds = Math.max(3, JOBS / JOBS_A_ROUND);
        Map<End, Integer> ends = new EnumMap<>(End.class);
        long usedEarly = 0;
        for (int round = 0; round < rounds; round++) {
            round(round, JOBS / rounds, ends);
            if (round == rounds / 2) {
                usedEarly = usedHeap();
            }
        }
        long usedLate = usedHeap();
        assertTrue(
                usedLate < usedEarly + (16 << 20),
                "the heap grows: " + usedEarly + " bytes half way, " + usedLate + " in the end");
        int all = ends.values().stream().mapToInt(i -> i).sum();
        assertEquals(JOBS / rounds * rounds, all);
        // Two thirds and more; fewer on a machine that is too slow for the jobs' deadlines.
        assertTrue(ends.getOrDefault(End.RIGHT, 0) > all / 3, ends::toString);
        reporter.publishEntry("how jobs ended", ends.toString());
    }

    private void round(int round, int jobs, Map<End, Integer> ends) throws Exception {
        Queue<WeakReference<Job>> submitted = new ConcurrentLinkedQueue<>();
        try (Machine machine = new Machine(faults(round))) {
            AtomicInteger left = new AtomicInteger(jobs);
            inThreads(thread -> {
                Random random = new Random(SEED * 1_000_003 + round * 31L + thread);
                while (left.getAndDecrement() > 0) {
                    End end = runOne(machine, random, submitted);
                    synchronized (ends) {
                        ends.merge(end, 1, Integer::sum);
                    }
                }
            });
            assertJobsAreForgotten(submitted);
        }
        assertThreadsEnd();
        assertEquals(before, NativeLedger.live());
    }

    private interface InThread {
        void run(int thread) throws Exception;
    }

    private static void inThreads(InThread body) throws InterruptedException {
        Queue<Throwable> wrong = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            int number = t;
            Thread thread = new Thread(() -> {
                try {
                    body.run(number);
                } catch (Throwable e) {
                    wrong.add(e);
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (!wrong.isEmpty()) {
            AssertionError all = new AssertionError(wrong.size() + " threads failed: "
                    + wrong.stream().map(Throwable::toString).collect(Collectors.joining("\n")));
            wrong.forEach(all::addSuppressed);
            throw all;
        }
    }

    /** Whatever lanes, queues and histories keep of jobs must not grow with their number. */
    private static void assertJobsAreForgotten(Queue<WeakReference<Job>> jobs) throws InterruptedException {
        long alive = 0;
        for (int tries = 0; tries < 1000; tries++) { // a lane that hung may only now come back
            System.gc();
            alive = jobs.stream().filter(j -> j.get() != null).count();
            if (alive <= 2L * DEVICES.size()) {
                return;
            }
            Thread.sleep(50);
        }
        throw new AssertionError(alive + " of " + jobs.size() + " jobs are still referred to");
    }

    private static void assertThreadsEnd() throws InterruptedException {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("evener-")) {
                thread.join(120_000);
                assertFalse(thread.isAlive(), () -> thread + " has not ended");
            }
        }
    }

    private static long usedHeap() throws InterruptedException {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            Thread.sleep(20);
            used = Math.min(
                    used,
                    Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        }
        return used;
    }

    /** Closing under load: every job has ended then, with its result or with an exception that says so. */
    @Test
    void closingUnderLoadEndsEveryJob() throws Exception {
        Map<End, Integer> ends = new EnumMap<>(End.class);
        for (int round = 0; round < 6; round++) {
            int number = round;
            Machine machine = new Machine(faults(round));
            AtomicInteger done = new AtomicInteger();
            Thread closer = new Thread(() -> {
                while (done.get() < 40 + number) {
                    LockSupport.parkNanos(1_000_000);
                }
                machine.close();
            });
            closer.start();
            try {
                inThreads(thread -> {
                    Random random = new Random(SEED * 7919 + number * 31L + thread);
                    try {
                        while (true) {
                            End end = runOne(machine, random, new ConcurrentLinkedQueue<>());
                            done.incrementAndGet();
                            synchronized (ends) {
                                ends.merge(end, 1, Integer::sum);
                            }
                        }
                    } catch (IllegalStateException e) {
                        assertEquals("job 'soak' was submitted to a closed Evener", e.getMessage());
                    } finally {
                        done.addAndGet(1000); // so that the closer ends whatever happens
                    }
                });
            } finally {
                closer.join();
            }
            assertThreadsEnd();
            assertEquals(before, NativeLedger.live());
        }
        assertTrue(ends.getOrDefault(End.CLOSED, 0) > 0, ends::toString);
    }
}
