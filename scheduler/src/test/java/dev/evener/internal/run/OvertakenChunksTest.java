package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.DeviceInfo;
import dev.evener.ElementType;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.KernelSource;
import dev.evener.MadeUpBuffers;
import dev.evener.Report;
import dev.evener.internal.HostData;
import dev.evener.internal.HostMemory;
import dev.evener.internal.Segments;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.job.JobSpec;
import dev.evener.model.HistorySnapshot;
import dev.evener.model.StoredHistory;
import dev.evener.policy.LaneSet;
import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** A job does not wait for a late chunk of a lane that was hardly ever seen: another one does it again. */
class OvertakenChunksTest extends TwoFakeLanes {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final HostData buffer = MadeUpBuffers.of(ElementType.INT, 1000);

    /** Half for each lane, in one chunk, to be stolen. */
    private static final Policy HALVES = new Policy() {
        @Override
        public String name() {
            return "halves";
        }

        @Override
        public Plan plan(Snapshot snapshot) {
            return Plan.of(
                    Plan.Sharing.STEALING, snapshot.granules() / 2, snapshot.granules() - snapshot.granules() / 2);
        }

        @Override
        public long chunk(Progress progress, int lane) {
            return progress.remaining(lane);
        }
    };

    private static void until(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) { // the test's time limit ends what never comes
            Thread.sleep(1);
        }
    }

    private JobBuilder builder() {
        return Job.named("j").units(1000).kernel("k").jvm(c -> {}).writes(buffer, Access.slice());
    }

    private CompletableFuture<Report> halves(Job job) {
        return dispatcher.submit(job, HALVES, history, null);
    }

    /** The second lane is late with its first chunk, after which the first one does its own. */
    private void secondIsLate(Runnable then) {
        first.work = (job, phase, from, units, times) -> await(begun);
        second.work = (job, phase, from, units, times) -> {
            begun.countDown();
            await(goOn);
            then.run();
        };
    }

    /** Two lanes, of which the second is not back from its first chunk for longer than a wait may be. */
    private Dispatcher besideOneThatHangs(FakeLane own, FakeLane hangs) {
        hangs.work = (job, phase, from, units, times) -> {
            begun.countDown();
            await(goOn);
        };
        return new Dispatcher(
                List.of(own, hangs),
                history,
                ScratchPool.NONE,
                Duration.ofSeconds(30),
                PATIENCE,
                List.of(),
                Duration.ofMillis(50));
    }

    /** Whether it is known how long a unit of the second lane's takes at most. */
    private boolean knowsHowLate(Job job) {
        List<DeviceInfo> devices = List.of(first.device(), second.device());
        HistorySnapshot known = StoredHistory.of(history).of(job, devices).model(1000);
        assertEquals(0, known.lane(1).chunks(), "nobody knows what it takes");
        assertTrue(known.jobsToLook(1) <= 1, "so that it is looked at again, in the job after the next one");
        return known.prior(1, 0, LaneSet.of(1)).logMostPerUnit() < Double.POSITIVE_INFINITY;
    }

    @Test
    void theJobEndsWithoutTheChunkAndItsTimeIsLearntWhenItEnds() throws Exception {
        AtomicBoolean released = new AtomicBoolean();
        secondIsLate(() -> {});
        buffer.attachment(this, memory -> () -> released.set(true));
        Job job = builder().build();
        Report report = halves(job).get(60, TimeUnit.SECONDS);
        assertEquals(1000, report.devices().get(0).units());
        assertEquals(List.of(), report.failures());
        assertEquals(0, second.committed.get());
        Report meanwhile = halves(builder().build()).get(60, TimeUnit.SECONDS);
        assertEquals(1000, meanwhile.devices().get(0).units(), "the other is still at the first");
        assertFalse(knowsHowLate(job));
        buffer.close();
        assertFalse(released.get(), "a late lane may still read it");
        goOn.countDown();
        until(released::get);
        until(() -> knowsHowLate(job));
        assertEquals(0, second.committed.get(), "of a chunk that was another's by then");
    }

    @Test
    void aLateChunkThatFailsIsNobodysFailure() throws Exception {
        secondIsLate(() -> {
            throw new IllegalStateException("made up");
        });
        Report report = halves(builder().build()).get(60, TimeUnit.SECONDS);
        goOn.countDown();
        second.work = (job, phase, from, units, times) -> {};
        Report next = null;
        while (next == null || next.devices().get(1).units() == 0) { // it is back
            next = halves(builder().build()).get(60, TimeUnit.SECONDS);
            assertEquals(List.of(), next.failures());
        }
        assertEquals(List.of(), report.failures());
        buffer.close();
    }

    @Test
    void aJobIsCancelledAndAnEvenerClosedWhileALateChunkIsUnderWay() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        secondIsLate(() -> {});
        halves(builder().build()).get(60, TimeUnit.SECONDS);
        first.work = (job, phase, from, units, times) -> await(never);
        CompletableFuture<Report> cancelled = halves(builder().build());
        cancelled.cancel(false);
        assertThrows(CancellationException.class, () -> cancelled.get(60, TimeUnit.SECONDS));
        never.countDown();
        Thread closes = new Thread(dispatcher::close);
        closes.start();
        goOn.countDown();
        closes.join(Duration.ofSeconds(60).toMillis());
        assertFalse(closes.isAlive());
        buffer.close();
    }

    /** It would have been out of the job for good by a slow start, however much was left to do. */
    @Test
    void aLateLaneIsBackInTheJobThatHasNotEnded() throws Exception {
        CountDownLatch again = new CountDownLatch(1);
        AtomicBoolean tookOver = new AtomicBoolean();
        secondIsLate(() -> second.work = (job, phase, from, units, times) -> again.countDown());
        first.work = (job, phase, from, units, times) -> {
            await(begun);
            if (tookOver.getAndSet(from >= 500)) { // this is no more than the first chunk of what it took over
                goOn.countDown();
                await(again);
            }
        };
        first.maxChunkUnits = 100;
        second.maxChunkUnits = 300;
        Report report = halves(builder().build()).get(60, TimeUnit.SECONDS);
        assertTrue(report.devices().get(1).units() > 0, report.toString());
        assertEquals(
                1000, report.devices().get(0).units() + report.devices().get(1).units());
        buffer.close();
    }

    /** Nothing is lost: the late one does what the other took from it, and could not do. */
    @Test
    void theOneThatTookOverFails() throws Exception {
        first.work = (job, phase, from, units, times) -> {
            await(begun);
            if (from >= 500) {
                goOn.countDown();
                throw new IllegalStateException("made up");
            }
        };
        second.work = (job, phase, from, units, times) -> {
            begun.countDown();
            await(goOn);
        };
        Report report = halves(builder().build()).get(60, TimeUnit.SECONDS);
        assertEquals(
                List.of(500L, 500L),
                report.devices().stream().map(each -> each.units()).toList());
        assertEquals(1, report.failures().size(), report.toString());
        buffer.close();
    }

    @Test
    void aLaneThatStaysAwayIsTakenForHung() throws Exception {
        FakeLane own = new FakeLane("0.2");
        FakeLane hangs = new FakeLane("0.3");
        Dispatcher others = besideOneThatHangs(own, hangs);
        own.work = (job, phase, from, units, times) -> await(begun);
        Report ended = others.submit(builder().build(), HALVES, history, null).get(60, TimeUnit.SECONDS);
        assertEquals(List.of(), ended.failures());
        until(() -> others.health(List.of(), false).quarantined().containsKey("0.3"));
        String why = "a chunk of kernel k that another device did again was not done after 50 ms more";
        assertEquals(why, others.health(List.of(), false).quarantined().get("0.3"));
        Report without = others.submit(builder().build(), HALVES, history, null).get(60, TimeUnit.SECONDS);
        assertEquals(
                List.of("device 0.3 (fake device 0.3) was left out: it is quarantined, because " + why),
                without.failures());
        goOn.countDown();
        until(() -> others.health(List.of(), false).quarantined().isEmpty());
        hangs.work = (job, phase, from, units, times) -> {};
        Report back = others.submit(builder().build(), HALVES, history, null).get(60, TimeUnit.SECONDS);
        assertEquals(
                List.of("device 0.3 (fake device 0.3) is back; it was quarantined, because " + why), back.failures());
        others.close();
        buffer.close();
    }

    /** The job waits for nobody but a lane that is late, and that hangs. */
    @Test
    void theOneThatTookOverFailsAndTheLateOneHangs() throws Exception {
        FakeLane own = new FakeLane("0.2");
        FakeLane hangs = new FakeLane("0.3");
        Dispatcher others = besideOneThatHangs(own, hangs);
        own.work = (job, phase, from, units, times) -> {
            await(begun);
            if (from >= 500) {
                throw new IllegalStateException("made up");
            }
        };
        Throwable failure = failureOf(others.submit(builder().build(), HALVES, history, null));
        assertTrue(String.valueOf(failure.getMessage()).contains("made up"), failure::toString);
        goOn.countDown();
        others.close();
        buffer.close();
    }

    /** A kernel that says nothing of itself may do harm when what it reads changes, as it may once the job is over. */
    @Test
    void aKernelThatPromisesNothingIsWaitedFor() throws Exception {
        KernelSource source = KernelSource.of("j.cl", "kernel void k(global int *x) {}");
        secondIsLate(() -> {});
        CompletableFuture<Report> future = halves(builder().source(source).build());
        await(begun);
        Thread.sleep(50);
        assertFalse(future.isDone());
        goOn.countDown();
        assertEquals(500, future.get(60, TimeUnit.SECONDS).devices().get(1).units());
        assertTrue(second.committed.get() > 0);
        Job promises = builder().source(source.withTrialLaunch()).build();
        assertTrue(JobSpec.of(promises).phases().get(0).mayBeLeftBehind());
        ByteBuffer memory = HostMemory.allocate(4096);
        Job two = builder()
                .source(source.withTrialLaunch())
                .then("k")
                .writes(buffer, Access.slice())
                .build();
        assertFalse(JobSpec.of(two).phases().get(0).mayBeLeftBehind(), "one goes by what another has seen");
        HostData wrapped =
                new HostData(ElementType.INT, Segments.wrap(ElementType.INT, memory, Segments.Limits.ofHost()));
        Job foreign = Job.named("j")
                .units(1024)
                .source(source.withTrialLaunch())
                .kernel("k")
                .writes(wrapped, Access.slice())
                .build();
        assertFalse(
                JobSpec.of(foreign).phases().get(0).mayBeLeftBehind(), "its memory may be freed as the job has ended");
        buffer.close();
    }
}
