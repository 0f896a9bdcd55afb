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
import dev.evener.internal.job.JobSpec;
import dev.evener.model.StoredHistory;
import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
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

    private long chunksOf(Job job, int lane) {
        List<DeviceInfo> devices = List.of(first.device(), second.device());
        return StoredHistory.of(history).of(job, devices).model(1000).lane(lane).chunks();
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
        assertEquals(0, chunksOf(job, 1));
        buffer.close();
        assertFalse(released.get(), "a late lane may still read it");
        goOn.countDown();
        until(released::get);
        until(() -> chunksOf(job, 1) == 1);
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
        buffer.close();
    }
}
