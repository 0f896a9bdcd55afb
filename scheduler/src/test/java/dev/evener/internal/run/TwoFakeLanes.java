package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.History;
import dev.evener.Job;
import dev.evener.Report;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.policy.Policies;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** Two lanes without devices under a dispatcher. The limit on time is for a run that hangs, not for a slow machine. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class TwoFakeLanes {
    static final Duration PATIENCE = Duration.ofMillis(20);

    final FakeLane first = new FakeLane("0.0");
    final FakeLane second = new FakeLane("0.1");
    final History history = History.inMemory();
    final Dispatcher dispatcher =
            new Dispatcher(List.of(first, second), history, ScratchPool.NONE, Duration.ofSeconds(30), PATIENCE);

    @AfterEach
    void close() {
        dispatcher.close();
        assertTrue(first.closed && second.closed);
    }

    static Job job(String name, long units) {
        return Job.named(name).units(units).kernel("k").jvm(c -> {}).build();
    }

    /** The same of a kernel that says nothing of what it does when others write what it reads, so that nobody takes over its chunks. */
    static Job unpromised(String name, long units) {
        return Job.named(name).units(units).source("").kernel("k").jvm(c -> {}).build();
    }

    CompletableFuture<Report> submit(Job job) {
        return dispatcher.submit(job, Policies.fixed(), history, null);
    }

    static Throwable failureOf(CompletableFuture<?> future) throws Exception {
        return assertThrows(ExecutionException.class, () -> future.get(60, TimeUnit.SECONDS))
                .getCause();
    }

    static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(60, TimeUnit.SECONDS), "nobody opened the latch");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
