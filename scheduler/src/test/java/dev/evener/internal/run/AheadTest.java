package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.DataLostException;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.JobFuture;
import dev.evener.MadeUpBuffers;
import dev.evener.internal.HostData;
import dev.evener.internal.ManagedData;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A job's chunk is enqueued on a device behind the last one of the job that it waits for, and what becomes of it if that fails. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AheadTest {
    /** Takes chunks for done when they are enqueued, unless told otherwise. */
    private static final class StayingLane extends QueueingLane {
        volatile boolean stays = true;
        volatile Runnable commits = () -> {};
        private final Queue<JobSpec.Phase> underWay = new ArrayDeque<>();
        private JobSpec.Phase last;
        private JobSpec.Phase awaited;

        StayingLane(String id) {
            super(id);
        }

        @Override
        public boolean holdsData() {
            return true;
        }

        @Override
        public boolean enqueue(
                JobSpec job, JobSpec.Phase phase, long firstUnit, long units, boolean fenced, ChunkTimes times) {
            boolean taken = super.enqueue(job, phase, firstUnit, units, fenced, times);
            if (taken) {
                last = phase;
                underWay.add(phase);
            }
            return taken;
        }

        @Override
        public void await() {
            awaited = underWay.remove();
            super.await();
        }

        @Override
        public boolean commitAhead() {
            commits.run();
            if (stays) {
                wrote(last);
            }
            return stays;
        }

        @Override
        public void commit() {
            super.commit();
            wrote(awaited);
        }

        private static void wrote(JobSpec.Phase phase) {
            for (Argument each : phase.arguments()) {
                if (each instanceof Argument.Buffer b && b.written()) {
                    b.buffer()
                            .directory()
                            .hostWrote(0, b.buffer().byteSize()); // which stands for the device's memory here
                }
            }
        }

        @Override
        public void takeBack() {
            calls.add("take back");
        }
    }

    /** All for the first lane that works. */
    private static final class First implements Policy {
        @Override
        public String name() {
            return "first";
        }

        @Override
        public Plan plan(Snapshot snapshot) {
            long[] shares = new long[snapshot.lanes().size()];
            shares[snapshot.lanes().get(0).available() ? 0 : 1] = snapshot.granules();
            return Plan.of(Plan.Sharing.FIXED, shares);
        }

        @Override
        public long chunk(Progress progress, int lane) {
            return progress.remaining(lane);
        }
    }

    private final StayingLane first = new StayingLane("0.0");
    private final StayingLane second = new StayingLane("0.1");
    private final Dispatcher dispatcher = new Dispatcher(
            List.of(first, second), History.inMemory(), ScratchPool.NONE, Duration.ofSeconds(30), Duration.ofDays(1));
    private final ManagedData.Turns turns = dispatcher.turns();
    private final ManagedData x = MadeUpBuffers.managed(ElementType.INT, 100, turns);
    private final ManagedData y = MadeUpBuffers.managed(ElementType.INT, 100, turns);
    private final ManagedData z = MadeUpBuffers.managed(ElementType.INT, 100, turns);
    private final CountDownLatch goOn = new CountDownLatch(1);

    @BeforeEach
    void theFirstJobWaits() {
        first.work = (job, phase, from, units, times) -> {
            if (job.name().equals("a")) {
                TwoFakeLanes.await(goOn);
            }
        };
    }

    @AfterEach
    void close() {
        goOn.countDown();
        dispatcher.close();
    }

    private static Job job(String name, ManagedData in, ManagedData out) {
        return Job.named(name)
                .units(100)
                .kernel("k")
                .reads(in, Access.slice())
                .writes(out, Access.slice())
                .jvm(c -> {})
                .build();
    }

    private JobFuture submit(Job job) {
        return dispatcher.submit(job, new First(), History.inMemory(), null);
    }

    private static void get(JobFuture future) throws Exception {
        future.get(60, TimeUnit.SECONDS);
    }

    private static Throwable failureOf(JobFuture future) {
        return Assertions.assertThrows(ExecutionException.class, () -> get(future))
                .getCause();
    }

    /** Both are queued before the lane has a thread to spare, as a gate job has it. */
    private List<JobFuture> submitBoth(Job one, Job other) throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        FakeLane.Work usual = first.work;
        first.work = (job, phase, from, units, times) -> {
            if (job.name().equals("gate")) {
                TwoFakeLanes.await(gate);
            } else {
                usual.run(job, phase, from, units, times);
            }
        };
        CountDownLatch quiet = new CountDownLatch(1);
        AtomicInteger commits = new AtomicInteger();
        first.commits = () -> {
            if (commits.incrementAndGet()
                    == 2) { // a's: it hears at once of b if no other thread has the dispatcher's events
                TwoFakeLanes.await(quiet);
            }
        };
        JobFuture blocks = submit(job("gate", z, x));
        JobFuture a = submit(one);
        JobFuture b = submit(other);
        gate.countDown();
        get(blocks);
        for (int idle = 0; idle < 10; idle = othersAreIdle() ? idle + 1 : 0) {
            Thread.sleep(5); // until those that completed it, or plan ahead, have told the dispatcher
        }
        quiet.countDown();
        return List.of(a, b);
    }

    /** Whether all threads of the runtime wait: one that has been woken and got no processor yet is taken to, too. */
    private static boolean othersAreIdle() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().startsWith("evener-"))
                .allMatch(each ->
                        each.getState() == Thread.State.WAITING || each.getState() == Thread.State.TIMED_WAITING);
    }

    private void untilEnqueued(int chunks) {
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
                first.calls.stream().filter("enqueue 0"::equals).count() < chunks; ) {
            assertTrue(System.nanoTime() < end, () -> first.calls + ", the other lane: " + second.calls);
            Thread.onSpinWait();
        }
    }

    private static List<String> names(List<FakeLane.Executed> executed) {
        return executed.stream().map(FakeLane.Executed::job).toList();
    }

    @Test
    void theNextJobIsEnqueuedBeforeTheLastHasEnded() throws Exception {
        List<JobFuture> both = submitBoth(job("a", x, y), job("b", y, x));
        untilEnqueued(3);
        assertEquals(0, first.counted.size()); // what is taken for done ahead is not committed at its end
        assertFalse(both.get(0).isDone());
        goOn.countDown();
        get(both.get(0));
        get(both.get(1));
        assertEquals(List.of("gate", "a", "b"), names(first.executed));
        assertEquals(0, second.executed.size());
    }

    @Test
    void eachJobHasTheTimesOfItsOwnChunk() throws Exception {
        first.work = (job, phase, from, units, times) -> {
            if (job.name().equals("a")) {
                TwoFakeLanes.await(goOn);
            }
            times.kernelNanos += job.name().equals("a") ? 1000 : 70; // added, as lanes do that launch several kernels
        };
        List<JobFuture> both = submitBoth(job("a", x, y), job("b", y, x));
        untilEnqueued(3);
        goOn.countDown();
        assertEquals(1000, both.get(0).get().devices().get(0).kernelNanos());
        assertEquals(70, both.get(1).get().devices().get(0).kernelNanos());
    }

    @Test
    void notIfTheLastChunkMovesSomething() throws Exception {
        first.stays = false;
        List<JobFuture> both = submitBoth(job("a", x, y), job("b", y, x));
        untilEnqueued(2);
        while (!first.calls.contains("await 0")) {
            Thread.onSpinWait();
        }
        assertEquals(1, first.counted.size());
        goOn.countDown();
        get(both.get(1));
        assertEquals(List.of("gate", "a", "b"), names(first.counted));
        assertEquals(List.of("enqueue 0", "await 0", "enqueue 0", "await 0", "enqueue 0", "await 0"), first.calls);
    }

    @Test
    void notIfItReadsWhatAnotherLaneStillWrites() throws Exception {
        CountDownLatch slow = new CountDownLatch(1);
        second.work = (job, phase, from, units, times) -> TwoFakeLanes.await(slow);
        JobFuture elsewhere = submit(Job.named("elsewhere")
                .units(100)
                .kernel("k")
                .writes(z, Access.slice())
                .jvm(c -> {})
                .devices(DeviceSelector.ids(List.of("0.1")))
                .build());
        JobFuture a = submit(job("a", y, x));
        JobFuture c = submit(Job.named("c")
                .units(100)
                .kernel("k")
                .reads(x, Access.slice())
                .reads(z, Access.slice())
                .writes(y, Access.slice())
                .jvm(k -> {})
                .build());
        goOn.countDown();
        get(a);
        assertEquals(List.of("a"), names(first.executed));
        slow.countDown();
        get(elsewhere);
        get(c);
        assertEquals(List.of("a", "c"), names(first.executed));
    }

    /** Another lane does it, and the one behind waits for that, and is run again. */
    @Test
    void theJobBehindWaitsForOneThatFailedUntilAnotherLaneHasDoneIt() throws Exception {
        CountDownLatch again = new CountDownLatch(1);
        first.work = (job, phase, from, units, times) -> {
            if (job.name().equals("a")) {
                TwoFakeLanes.await(goOn);
                throw new LaneFailure(LaneFailure.Kind.DEVICE, "it failed");
            }
        };
        second.work = (job, phase, from, units, times) -> TwoFakeLanes.await(again);
        List<JobFuture> both = submitBoth(job("a", x, y), job("b", y, z));
        untilEnqueued(3);
        goOn.countDown();
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
                second.calls.stream().noneMatch("await 0"::equals); ) {
            assertTrue(System.nanoTime() < end, second.calls::toString);
        }
        assertEquals(
                List.of("gate", "b"),
                names(first.executed).stream().filter(n -> !n.equals("a")).toList());
        assertFalse(both.get(1).isDone());
        assertTrue(first.calls.contains("take back"));
        again.countDown();
        get(both.get(0));
        get(both.get(1));
        assertEquals(List.of("gate", "a", "b", "b"), names(first.executed));
        assertEquals(List.of("a"), names(second.executed));
    }

    @Test
    void theJobBehindOneThatIsCancelledIsNotRunOnUndefinedData() throws Exception {
        List<JobFuture> both = submitBoth(job("a", x, y), job("b", y, z));
        untilEnqueued(3);
        assertTrue(both.get(0).cancel(true));
        goOn.countDown();
        Throwable failure = failureOf(both.get(1));
        assertInstanceOf(DataLostException.class, failure.getCause(), failure::toString);
        assertTrue(failure.getMessage().contains("'a' was cancelled"), failure::toString);
        get(submit(job("c", x, y)));
        get(submit(job("d", y, z)));
    }

    /** Before the turn of the one behind, another lane is called for it, which has to hear of that turn. */
    @Test
    void theJobBehindGoesToAnotherLaneIfItsOwnCannotBeginWithIt() throws Exception {
        AtomicInteger prepared = new AtomicInteger();
        first.prepare = () -> {
            if (prepared.incrementAndGet() == 3) { // after the gate and a
                throw new LaneFailure(LaneFailure.Kind.DEVICE, "it failed");
            }
        };
        List<JobFuture> both = submitBoth(job("a", x, y), job("b", y, x));
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
                first.calls.stream().filter("await 0"::equals).count() < 2; ) {
            assertTrue(System.nanoTime() < end, () -> first.calls + ", the other lane: " + second.calls);
        }
        Thread.sleep(50); // in which the other lane hears of b, and sleeps again
        assertEquals(3, prepared.get());
        assertEquals(List.of(), second.calls);
        goOn.countDown();
        get(both.get(0));
        get(both.get(1));
        assertEquals(List.of("b"), names(second.executed));
    }

    @Test
    void theJobBehindMayBeCancelled() throws Exception {
        List<JobFuture> both = submitBoth(job("a", x, y), job("b", y, z));
        untilEnqueued(3);
        assertTrue(both.get(1).cancel(true));
        goOn.countDown();
        get(both.get(0));
        Throwable failure = failureOf(submit(job("c", z, x)));
        assertInstanceOf(DataLostException.class, failure.getCause(), failure::toString);
        // On a busy machine c may stand behind b before b is taken back; it fails all the same.
        assertEquals(List.of("gate", "a", "b"), names(first.executed).subList(0, 3));
    }

    // ---- phases of one job ----

    /** A job whose first phase goes from x to y. */
    private JobBuilder firstPhase() {
        return Job.named("a")
                .units(100)
                .kernel("one")
                .reads(x, Access.slice())
                .writes(y, Access.slice())
                .jvm(c -> {});
    }

    /** From x to y, to z, to y. */
    private JobFuture submitPhases() {
        return submit(firstPhase()
                .kernel("two")
                .reads(y, Access.slice())
                .writes(z, Access.slice())
                .jvm(c -> {})
                .kernel("three")
                .reads(z, Access.slice())
                .writes(y, Access.slice())
                .jvm(c -> {})
                .build());
    }

    private void onlyTheFirstPhaseWaits(Runnable then) {
        first.work = (job, phase, from, units, times) -> {
            if (phase.kernel().equals("one")) {
                TwoFakeLanes.await(goOn);
                then.run();
            }
        };
    }

    private static List<String> kernels(List<FakeLane.Executed> executed) {
        return executed.stream().map(FakeLane.Executed::kernel).toList();
    }

    @Test
    void theNextPhaseIsEnqueuedBeforeTheLastHasEnded() throws Exception {
        onlyTheFirstPhaseWaits(() -> {});
        JobFuture a = submitPhases();
        untilEnqueued(2);
        assertFalse(kernels(first.executed).contains("two"));
        goOn.countDown();
        get(a);
        assertEquals(List.of("one", "two", "three"), kernels(first.executed));
        assertEquals(List.of(), first.counted); // they were taken for done ahead
        assertEquals(List.of("enqueue 0", "enqueue 0", "await 0", "enqueue 0", "await 0", "await 0"), first.calls);
    }

    @Test
    void noPhaseIsEnqueuedBehindOneThatMovesSomething() throws Exception {
        first.stays = false;
        goOn.countDown();
        get(submitPhases());
        assertEquals(List.of("enqueue 0", "await 0", "enqueue 0", "await 0", "enqueue 0", "await 0"), first.calls);
    }

    @Test
    void noPhaseIsEnqueuedBehindAHostStep() throws Exception {
        goOn.countDown();
        get(submit(firstPhase()
                .hostStep(host -> {}, y)
                .kernel("two")
                .reads(y, Access.slice())
                .writes(x, Access.slice())
                .jvm(c -> {})
                .build()));
        assertEquals(List.of("enqueue 0", "await 0", "enqueue 0", "await 0"), first.calls);
    }

    @Test
    void aPhaseBehindOneThatFailedIsRunAgainWithIt() throws Exception {
        onlyTheFirstPhaseWaits(() -> {
            throw new LaneFailure(LaneFailure.Kind.DEVICE, "it failed");
        });
        JobFuture a = submitPhases();
        untilEnqueued(2);
        goOn.countDown();
        get(a);
        assertEquals(List.of("one", "two"), kernels(first.executed)); // what was in its queue
        assertTrue(first.calls.contains("take back"));
        assertEquals(List.of("one", "two", "three"), kernels(second.executed));
    }

    @Test
    void aPhaseThatUpdatesInPlaceBehindOneThatFailedFailsTheJobAndSaysWhy() throws Exception {
        onlyTheFirstPhaseWaits(() -> {
            throw new LaneFailure(LaneFailure.Kind.DEVICE, "it failed");
        });
        JobFuture a = submit(firstPhase()
                .kernel("two")
                .updates(x, Access.slice())
                .jvm(c -> {})
                .build());
        untilEnqueued(2);
        goOn.countDown();
        assertEquals(
                "kernel two of job 'a' was under way on device 0.0 (fake device 0.0) behind kernel one, which failed there:"
                        + " it failed, and updates in place the buffer of 100 int",
                failureOf(a).getMessage());
    }

    @Test
    void aPhaseBehindOneThatHadTooLittleMemoryComesAfterItsSmallerChunks() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        onlyTheFirstPhaseWaits(() -> {
            if (tries.getAndIncrement() == 0) {
                throw new LaneFailure(LaneFailure.Kind.MEMORY, "too little");
            }
        });
        JobFuture a = submitPhases();
        untilEnqueued(2);
        goOn.countDown();
        get(a);
        assertEquals(List.of("one", "two", "one", "one", "two", "three"), kernels(first.executed));
        assertEquals(0, second.executed.size());
    }

    @Test
    void whatIsUnderWayOfACancelledJobsNextPhaseIsWaitedFor() throws Exception {
        onlyTheFirstPhaseWaits(() -> {});
        JobFuture a = submitPhases();
        untilEnqueued(2);
        assertTrue(a.cancel(true));
        goOn.countDown();
        get(submit(job("b", x, z)));
        assertEquals(List.of("one", "two", "k"), kernels(first.executed));
        Throwable failure = failureOf(submit(job("c", y, x)));
        assertTrue(failure.getMessage().contains("'a' was cancelled"), failure::toString);
    }

    // ---- of a job that needs nothing of the one before ----

    /** Both read what the gate has written; the chunk of the first does not stay on the device, and is under way. */
    private List<JobFuture> submitFree() throws Exception {
        first.stays = false;
        List<JobFuture> both = submitBoth(job("a", x, y), job("b", x, z));
        untilEnqueued(3);
        assertFalse(both.get(0).isDone() || both.get(1).isDone());
        return both;
    }

    @Test
    void aJobThatNeedsNothingOfTheOneBeforeIsEnqueuedBehindIt() throws Exception {
        List<JobFuture> both = submitFree();
        goOn.countDown();
        get(both.get(0));
        get(both.get(1));
        assertEquals(List.of("gate", "a", "b"), names(first.counted));
        assertEquals(
                List.of("enqueue 0", "await 0", "enqueue 0", "enqueue 0", "await 0", "await 0"),
                List.copyOf(first.calls));
        assertEquals(List.of(), names(second.executed));
    }

    @Test
    void aJobIsDoneBeforeTheOneThatIsEnqueuedBehindIt() throws Exception {
        CountDownLatch later = new CountDownLatch(1);
        first.work = (job, phase, from, units, times) -> TwoFakeLanes.await(
                job.name().equals("a") ? goOn : job.name().equals("b") ? later : new CountDownLatch(0));
        List<JobFuture> both = submitFree();
        goOn.countDown();
        get(both.get(0));
        assertFalse(both.get(1).isDone());
        later.countDown();
        get(both.get(1));
    }

    /** What failed goes to the other lane; what was enqueued behind it counts if that did not. */
    @Test
    void aJobIsKeptThatIsBehindOneThatFailed() throws Exception {
        first.work = (job, phase, from, units, times) -> {
            if (job.name().equals("a")) {
                TwoFakeLanes.await(goOn);
                throw new LaneFailure(LaneFailure.Kind.DEVICE, "it failed");
            }
        };
        List<JobFuture> both = submitFree();
        goOn.countDown();
        get(both.get(0));
        get(both.get(1));
        assertEquals(List.of("gate", "b"), names(first.counted));
        assertEquals(List.of("a"), names(second.executed));
    }

    /** Its lane comes back to it for the smaller chunks that it goes on with. */
    @Test
    void aJobThatRanOutOfMemoryIsGoneOnWithAfterTheOneBehind() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        first.work = (job, phase, from, units, times) -> {
            if (job.name().equals("a") && tries.incrementAndGet() == 1) {
                TwoFakeLanes.await(goOn);
                throw new LaneFailure(LaneFailure.Kind.MEMORY, "no memory");
            }
        };
        List<JobFuture> both = submitFree();
        goOn.countDown();
        get(both.get(0));
        get(both.get(1));
        assertEquals("b", first.counted.get(1).job());
        assertEquals(
                100,
                first.counted.stream()
                        .filter(e -> e.job().equals("a"))
                        .mapToLong(FakeLane.Executed::units)
                        .sum());
        assertEquals(List.of(), names(second.executed));
    }

    /** Its buffers were let go then, while its chunk stood in the queue. */
    @Test
    void aJobWhoseDeadlinePassesBehindAnothersLongChunkBlamesNoDevice() throws Exception {
        first.stays = false;
        AtomicBoolean released = new AtomicBoolean();
        HostData data = MadeUpBuffers.of(ElementType.INT, 100);
        Job b = Job.named("b")
                .units(100)
                .kernel("k")
                .reads(x, Access.slice()) // so that it is not behind the gate
                .writes(data, Access.slice())
                .jvm(c -> {})
                .deadline(Duration.ofSeconds(1)) // it must be in the queue by then
                .build();
        List<JobFuture> both = submitBoth(job("a", x, y), b);
        untilEnqueued(3);
        data.attachment(this, memory -> () -> released.set(true));
        data.close();
        assertTrue(failureOf(both.get(1)).getMessage().contains("was not done after its deadline of 1000 ms"));
        assertFalse(released.get(), "its chunk stands in the queue");
        goOn.countDown();
        get(both.get(0));
        get(submit(job("c", y, z)));
        assertEquals(Map.of(), dispatcher.health(List.of(), false).quarantined());
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30); !released.get(); ) {
            assertTrue(System.nanoTime() < end);
            Thread.onSpinWait();
        }
    }

    /** The lane does not come back from a job whose deadline has passed: what is in its queue behind may yet be run. */
    @Test
    void aJobFailsWhosePartIsInTheQueueOfALaneThatHangs() throws Exception {
        first.stays = false;
        Job hangs = Job.named("a")
                .units(100)
                .kernel("k")
                .reads(x, Access.slice())
                .writes(y, Access.slice())
                .jvm(c -> {})
                .deadline(Duration.ofMillis(300))
                .build();
        List<JobFuture> both = submitBoth(hangs, job("b", x, z));
        untilEnqueued(3);
        assertTrue(failureOf(both.get(0)).getMessage().contains("deadline"));
        String failure = failureOf(both.get(1)).getMessage();
        assertTrue(failure.startsWith("job 'b': a part of it was enqueued there: device 0.0"), failure);
        goOn.countDown();
        get(submit(job("c", x, y)));
    }
}
