package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.JobFuture;
import dev.evener.Report;
import dev.evener.event.RunEvent;
import dev.evener.event.RunListener;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What listeners hear of jobs. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EventPublisherTest {
    private final FakeLane first = new FakeLane("0.0");
    private final FakeLane second = new FakeLane("0.1");
    private final History history = History.inMemory();
    private final List<RunEvent> heard = new CopyOnWriteArrayList<>();
    private final List<List<DeviceInfo>> opened = new ArrayList<>();
    private final RunListener ear = new RunListener() {
        @Override
        public void opened(List<DeviceInfo> devices) {
            opened.add(devices);
        }

        @Override
        public void heard(RunEvent event) {
            heard.add(event);
        }
    };
    private final Dispatcher dispatcher = dispatcher(List.of(first, second), List.of(ear));

    private Dispatcher dispatcher(List<Lane> lanes, List<RunListener> listeners) {
        return new Dispatcher(
                lanes,
                history,
                ScratchPool.NONE,
                Duration.ofSeconds(30),
                TwoFakeLanes.PATIENCE,
                listeners,
                Duration.ZERO);
    }

    @AfterEach
    void close() {
        dispatcher.close();
    }

    private Report run(Job job, Policy policy) {
        return dispatcher.submit(job, policy, history, null).join();
    }

    private static Job twoPhases(long units) {
        return Job.named("two phases")
                .units(units)
                .kernel("a")
                .jvm(c -> {})
                .kernel("b")
                .jvm(c -> {})
                .hostStep(() -> {})
                .build();
    }

    private <T extends RunEvent> List<T> heard(Class<T> kind) {
        return heard.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** What listens to nothing must not make a job tell. */
    @Test
    void aListenerThatWantsNoJobsIsToldNone() {
        RunListener deaf = new RunListener() {
            @Override
            public boolean wantsJobs() {
                return false;
            }

            @Override
            public void heard(RunEvent event) {
                heard.add(event);
            }
        };
        try (Dispatcher own = dispatcher(List.of(new FakeLane("2")), List.of(deaf))) {
            own.submit(twoPhases(100), Policies.stealing(), history, null).join();
        }
        assertEquals(List.of(), heard);
    }

    /** One that wants no events too, by the thread that submits, before anything runs; preparing is no job. */
    @Test
    void whoListensIsHandedEachJobAndMayCancelIt() {
        List<Thread> threads = new CopyOnWriteArrayList<>();
        RunListener ends = new RunListener() {
            @Override
            public boolean wantsJobs() {
                return false;
            }

            @Override
            public void submitted(JobFuture job) {
                threads.add(Thread.currentThread());
                assertTrue(job.cancel(false));
            }

            @Override
            public void heard(RunEvent event) {
                heard.add(event);
            }
        };
        try (Dispatcher own = dispatcher(List.of(new FakeLane("2")), List.of(ends))) {
            JobFuture job = own.submit(twoPhases(100), Policies.stealing(), history, null);
            assertThrows(CancellationException.class, job::join);
            job.released().join();
            own.build(twoPhases(100), Policies.stealing()).join();
        }
        assertEquals(List.of(Thread.currentThread()), threads);
        assertEquals(List.of(), heard);
    }

    @Test
    void everyUnitOfEveryPhaseIsHeardOfOnce() {
        first.maxChunkUnits = 7;
        second.maxChunkUnits = 100;
        Report report = run(twoPhases(1000), Policies.stealing());
        assertEquals(List.of(List.of(first.device(), second.device())), opened);
        for (int phase = 0; phase < 2; phase++) {
            int number = phase;
            List<RunEvent.Chunk> chunks = new ArrayList<>(heard(RunEvent.Chunk.class).stream()
                    .filter(c -> c.phase() == number)
                    .toList());
            Collections.sort(chunks, (a, b) -> Long.compare(a.firstUnit(), b.firstUnit()));
            long at = 0;
            for (RunEvent.Chunk chunk : chunks) {
                assertEquals(at, chunk.firstUnit());
                at += chunk.units();
                assertTrue(chunk.queued() <= chunk.submitted() && chunk.submitted() <= chunk.start());
                assertTrue(chunk.start() <= chunk.end() && chunk.end() <= chunk.at(), chunk::toString);
                assertTrue(chunk.noticeNanos() >= 0, chunk::toString);
                assertTrue(chunk.end() + chunk.noticeNanos() <= chunk.at(), chunk::toString);
                assertEquals(chunk.firstUnit() < 500 ? 0 : 1, chunk.owner(), "by equal shares");
                assertEquals(chunk.end() - chunk.start(), chunk.kernelNanos());
            }
            assertEquals(1000, at);
        }
        for (int device = 0; device < 2; device++) {
            int index = device;
            assertEquals(
                    report.devices().get(device).chunks(),
                    heard(RunEvent.Chunk.class).stream()
                            .filter(c -> c.device() == index)
                            .count());
        }
    }

    @Test
    void eventsComeInTheOrderOfTheirCauses() {
        run(twoPhases(10), Policies.fixed(0.3, 0.7));
        RunEvent.Submitted submitted = assertInstanceOf(RunEvent.Submitted.class, heard.get(0));
        assertEquals("two phases", submitted.name());
        assertEquals("static", submitted.policy());
        assertEquals(10, submitted.units());
        assertEquals(1, submitted.granule());
        assertEquals(List.of("a", "b"), submitted.kernels());
        assertEquals(List.of(0, 1), submitted.devices());
        RunEvent.Planned planned = assertInstanceOf(RunEvent.Planned.class, heard.get(1));
        assertEquals(List.of(3L, 7L), planned.shares());
        assertEquals("fixed", planned.sharing());
        assertNull(planned.reason());
        RunEvent.Ended ended = assertInstanceOf(RunEvent.Ended.class, heard.get(heard.size() - 1));
        assertNull(ended.failure());
        assertTrue(ended.wallNanos() > 0 && ended.at() >= planned.at());
        assertEquals(
                List.of(0, 1),
                heard(RunEvent.PhaseEnded.class).stream()
                        .map(RunEvent.PhaseEnded::phase)
                        .toList());
        assertTrue(heard.stream().allMatch(e -> e.job() == 1));
        run(twoPhases(10), Policies.fixed());
        assertEquals(2, heard.get(heard.size() - 1).job());
    }

    @Test
    void jobsOnSomeDevicesNameThemAsTheEvenerCountsThem() {
        Job job = Job.named("second only")
                .units(5)
                .devices(DeviceSelector.parse("0.1"))
                .kernel("k")
                .jvm(c -> {})
                .build();
        run(job, Policies.fixed());
        assertEquals(List.of(1), heard(RunEvent.Submitted.class).get(0).devices());
        assertEquals(List.of(5L), heard(RunEvent.Planned.class).get(0).shares());
        RunEvent.Chunk chunk = heard(RunEvent.Chunk.class).get(0);
        assertEquals(1, chunk.device());
        assertEquals(1, chunk.owner());
    }

    @Test
    void stealsAreHeardOf() {
        // A lane has two chunks at most: when it begins with the third, the first has ended, and the other lane cannot
        // do it again.
        CountDownLatch stolen = new CountDownLatch(3);
        first.maxChunkUnits = 1;
        second.maxChunkUnits = 1;
        first.work = (job, phase, from, units, times) -> TwoFakeLanes.await(stolen);
        second.work = (job, phase, from, units, times) -> {
            LockSupport.parkNanos(1_000_000); // as long as a theft may cost, so that one pays
            if (from < 50) {
                stolen.countDown();
            }
        };
        run(TwoFakeLanes.job("steal", 100), Policies.stealing());
        List<RunEvent.Stolen> steals = heard(RunEvent.Stolen.class);
        assertFalse(steals.isEmpty());
        RunEvent.Stolen steal = steals.get(0);
        assertEquals(1, steal.thief());
        assertEquals(0, steal.victim());
        assertTrue(steal.units() > 0 && steal.units() <= 50, steal::toString);
        assertTrue(heard(RunEvent.Chunk.class).stream().anyMatch(c -> c.device() == 1 && c.owner() == 0));
    }

    @Test
    void faultsAndFailuresAreHeardOf() {
        first.work = (job, phase, from, units, times) -> {
            throw new IllegalStateException("smoke");
        };
        Report report = run(TwoFakeLanes.job("recovers", 10), Policies.fixed());
        RunEvent.Fault fault = heard(RunEvent.Fault.class).get(0);
        assertEquals(0, fault.device());
        assertEquals(report.failures().get(0), fault.what());
        assertTrue(fault.what().contains("smoke"));
        assertNull(heard(RunEvent.Ended.class).get(0).failure());

        heard.clear();
        second.work = first.work;
        assertThrows(CompletionException.class, () -> run(TwoFakeLanes.job("fails", 10), Policies.fixed()));
        String failure = heard(RunEvent.Ended.class).get(0).failure();
        assertTrue(failure != null && failure.contains("smoke"), failure);
    }

    @Test
    void aListenerThatThrowsDisturbsNeitherJobsNorOthers() {
        RunListener bad = event -> {
            throw new AssertionError("not my day");
        };
        try (Dispatcher other = dispatcher(List.of(new FakeLane("0.0"), new FakeLane("0.1")), List.of(bad, ear))) {
            Report report = other.submit(twoPhases(100), Policies.stealing(), history, null)
                    .join();
            assertEquals(List.of(), report.failures());
        }
        assertEquals(1, heard(RunEvent.Ended.class).size());
        assertNotEquals(0, heard(RunEvent.Chunk.class).size());
    }
}
