package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.EvenerException.JobRejectedException;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.JobFuture;
import dev.evener.internal.HostData;
import dev.evener.internal.HostMemory;
import dev.evener.internal.PageLocked;
import dev.evener.internal.Segments;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.policy.Policies;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Buffers are held from the submission of a job to its end, however that comes; and no longer. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClosedWhileQueuedTest {
    private static final int N = 100;

    /** Memory that is known to have been given back. */
    private static final class Memory implements PageLocked {
        private final AtomicInteger givenBack = new AtomicInteger();

        HostData buffer() {
            return new HostData(
                    ElementType.INT, Segments.allocate(ElementType.INT, N, 1, Segments.Limits.ofHost(), this));
        }

        @Override
        public Block take(int bytes) {
            ByteBuffer memory = HostMemory.allocate(bytes);
            return new Block() {
                @Override
                public ByteBuffer memory() {
                    return memory.duplicate();
                }

                @Override
                public boolean isZero() {
                    return true;
                }

                @Override
                public void giveBack() {
                    givenBack.incrementAndGet();
                }

                @Override
                public void abandon() {}
            };
        }
    }

    private final FakeLane lane = new FakeLane("0.0");
    private final Dispatcher dispatcher = new Dispatcher(
            List.of(lane), History.inMemory(), ScratchPool.NONE, Duration.ofSeconds(30), Duration.ofDays(1));
    private final Memory memory = new Memory();
    private final HostData x = memory.buffer();
    private final CountDownLatch goOn = new CountDownLatch(1);
    private JobFuture first;
    private JobFuture second;

    @AfterEach
    void close() {
        goOn.countDown();
        dispatcher.close();
        x.close();
        assertEquals(1, memory.givenBack.get(), "in the end, and once");
    }

    /** Two jobs that keep the lane, so that none can start beside. */
    private void busy() {
        lane.work = (job, phase, from, units, times) -> {
            if (job.name().startsWith("busy")) {
                TwoFakeLanes.await(goOn);
            } else if (job.name().equals("fails")) {
                throw new IllegalStateException("no luck");
            }
        };
        first = submit(Job.named("busy 1").units(1).kernel("k").jvm(c -> {}).build());
        second = submit(Job.named("busy 2").units(1).kernel("k").jvm(c -> {}).build());
    }

    private JobFuture submit(Job job) {
        return dispatcher.submit(job, Policies.single(0), History.inMemory(), null);
    }

    private static Job job(String name, HostData... written) {
        var job = Job.named(name).units(N).kernel("k");
        for (HostData each : written) {
            job.writes(each, Access.slice());
        }
        return job.jvm(c -> {}).build();
    }

    /** It has ended, and nothing of it works any more. */
    private static Throwable end(JobFuture job) throws Exception {
        Throwable failure = job.handle((report, e) -> e).get(60, TimeUnit.SECONDS);
        job.released().get(60, TimeUnit.SECONDS);
        return failure;
    }

    @Test
    void aJobRunsWhoseBufferIsClosedBeforeItStarts() throws Exception {
        busy();
        JobFuture waits = submit(job("waits", x));
        JobFuture behind = submit(job("behind", x));
        x.close();
        assertThrows(IllegalStateException.class, x::ints);
        assertEquals(0, memory.givenBack.get());
        goOn.countDown();
        assertNull(end(waits));
        assertNull(end(behind));
        assertEquals(1, memory.givenBack.get());
        assertEquals(4, lane.committed.get());
    }

    @Test
    void aJobThatFailsLetsGo() throws Exception {
        busy();
        JobFuture fails = submit(job("fails", x));
        x.close();
        goOn.countDown();
        assertTrue(end(fails) != null);
        assertEquals(1, memory.givenBack.get());
    }

    @Test
    void aJobThatIsCancelledWhileItWaitsLetsGoAtOnce() throws Exception {
        busy();
        JobFuture waits = submit(job("waits", x));
        JobFuture after = dispatcher.submit(
                job("after", x), Policies.single(0), History.inMemory(), null, List.of(new CompletableFuture<>()));
        x.close();
        assertTrue(waits.cancel(false));
        end(waits);
        assertEquals(0, memory.givenBack.get(), "the other one waits");
        assertTrue(after.cancel(false));
        end(after);
        assertEquals(1, memory.givenBack.get());
        assertFalse(first.isDone() || second.isDone());
    }

    @Test
    void aJobWhoseForerunnerFailsLetsGo() throws Exception {
        busy();
        JobFuture after = dispatcher.submit(
                job("after", x),
                Policies.single(0),
                History.inMemory(),
                null,
                List.of(CompletableFuture.failedFuture(new IllegalStateException("no luck"))));
        x.close();
        assertTrue(end(after) != null);
        assertEquals(1, memory.givenBack.get());
    }

    @Test
    void aJobThatIsNotLetIntoTheQueueHoldsNothing() {
        busy();
        dispatcher.limitQueue(0);
        assertThrows(RejectedExecutionException.class, () -> submit(job("refused", x)));
        x.close();
        assertEquals(1, memory.givenBack.get());
    }

    @Test
    void aJobWithAnotherBufferThatIsClosedHoldsNothing() throws Exception {
        Memory others = new Memory();
        HostData y = others.buffer();
        List<Job> both = List.of(job("refused", x, y), job("refused", y, x)); // whichever comes first
        y.close();
        for (int i = 0; i < 2; i++) {
            Throwable why = end(submit(both.get(i)));
            assertInstanceOf(JobRejectedException.class, why);
            assertEquals("job 'refused': kernel k, argument " + (1 - i) + ": the buffer is closed", why.getMessage());
        }
        x.close();
        assertEquals(1, memory.givenBack.get());
        assertEquals(1, others.givenBack.get());
    }

    @Test
    void aJobThatIsOnlyBuiltHoldsNothing() throws Exception {
        busy();
        JobFuture built = dispatcher.build(job("built", x), Policies.single(0));
        x.close();
        assertEquals(1, memory.givenBack.get());
        goOn.countDown();
        assertNull(end(built));
    }

    @Test
    void whatWaitsWhenItsRuntimeIsClosedLetsGo() throws Exception {
        busy();
        JobFuture waits = submit(job("waits", x));
        x.close();
        Thread closes = new Thread(dispatcher::stop);
        closes.start();
        assertTrue(end(waits) != null);
        assertEquals(1, memory.givenBack.get());
        goOn.countDown();
        closes.join();
    }
}
