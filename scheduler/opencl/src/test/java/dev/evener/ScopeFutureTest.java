package dev.evener;

import static dev.evener.ManagedBufferTest.N;
import static dev.evener.ManagedBufferTest.content;
import static dev.evener.ManagedBufferTest.discrete;
import static dev.evener.ManagedBufferTest.failing;
import static dev.evener.ManagedBufferTest.fill;
import static dev.evener.ManagedBufferTest.scale;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ManagedBuffer.Scope;
import dev.evener.internal.NativeLedger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Scopes of managed buffers that are asked for and not waited for. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ScopeFutureTest {
    private static void put(Scope scope, int value) {
        try (scope) {
            for (int i = 0; i < N; i++) {
                scope.ints().put(i, value);
            }
        }
    }

    private static int first(Scope scope) {
        try (scope) {
            return scope.ints().get(0);
        }
    }

    @Test
    void itHasItsTurnWhereItWasAskedFor() {
        try (Evener evener = discrete("0.0,jvm").open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            Scope holds = a.update();
            JobFuture job = evener.submit(scale(a, b));
            CompletableFuture<Scope> read = b.readAsync();
            CompletableFuture<Scope> updated = b.updateAsync(0, 2);
            CompletableFuture<Integer> last = b.readAsync().thenApply(ScopeFutureTest::first);
            assertFalse(read.isDone());
            put(holds, 2);
            try (Scope scope = read.join()) {
                assertTrue(job.isDone() || !job.isCompletedExceptionally());
                assertEquals(7, scope.ints().get(N - 1));
                assertFalse(updated.isDone(), "a reader is before it");
            }
            try (Scope scope = updated.join()) {
                assertEquals(7, scope.ints().get(1));
                assertEquals(2, scope.ints().remaining());
                scope.ints().put(0, 3);
            }
            assertEquals(3, last.join());
            assertThrows(IndexOutOfBoundsException.class, () -> a.readAsync(N, 1));
        }
    }

    @Test
    void oneThatIsCancelledBeforeItsTurnGivesItBackAndChangesNothing() throws Exception {
        try (Evener evener = discrete("0.0,0.1").open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            int[] values = IntStream.range(0, N).toArray();
            fill(a, values);
            Scope holds = a.read();
            CompletableFuture<Scope> write = a.updateAsync();
            CompletableFuture<Scope> late = a.updateAsync().orTimeout(10, TimeUnit.MILLISECONDS);
            JobFuture job = evener.submit(scale(a, b)); // which waits for both
            assertThrows(CompletionException.class, late::join);
            assertTrue(write.cancel(false));
            assertFalse(job.isDone());
            holds.close();
            job.get(60, TimeUnit.SECONDS);
            assertArrayEquals(values, content(a));
            for (int i = 0; i < 100; i++) { // wherever the one is when the other comes
                CompletableFuture<Scope> soon = a.updateAsync();
                CompletableFuture<Scope> update = b.updateAsync();
                Thread.onSpinWait();
                for (CompletableFuture<Scope> each : List.of(soon, update)) {
                    if (!each.cancel(false)) {
                        each.join().close();
                    }
                }
            }
            assertArrayEquals(values, content(a), "nobody has seen the memory");
            assertEquals(4, content(b)[1]);
        }
    }

    @Test
    void itMayBeAskedForInAHostStepAndInAJavaKernel() {
        try (Evener evener = discrete("jvm").open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, 1);
            AtomicReference<CompletableFuture<Integer>> early = new AtomicReference<>();
            AtomicReference<CompletableFuture<Integer>> late = new AtomicReference<>();
            AtomicReference<Throwable> refused = new AtomicReference<>();
            Job job = Job.named("asks")
                    .units(1)
                    .kernel("k")
                    .writes(a, Access.slice())
                    .jvm(c -> {
                        early.set(a.readAsync().thenApply(ScopeFutureTest::first));
                        c.buffer(0).putInt(0, 4);
                    })
                    .hostStep(() -> {
                        late.set(a.readAsync().thenApply(ScopeFutureTest::first));
                        refused.set(assertThrows(
                                IllegalStateException.class, () -> late.get().join()));
                    })
                    .build();
            evener.submit(job).join();
            assertEquals(4, early.get().join());
            assertEquals(4, late.get().join());
            assertTrue(refused.get().getMessage().contains("a scope of a managed buffer"));
        }
    }

    @Test
    void itsCallbackCannotWaitForAnotherNorForAJobButMayAskForBoth() {
        try (Evener evener = discrete("0.0,jvm").open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            Scope holds =
                    a.update(); // or this thread runs the callback, where the future is completed before it gets one
            CompletableFuture<Integer> value = a.updateAsync()
                    .thenCompose(scope -> {
                        JobFuture job = evener.submit(scale(a, b)); // which waits for the scope
                        assertThrows(IllegalStateException.class, job::join);
                        assertThrows(IllegalStateException.class, b::read);
                        assertThrows(
                                IllegalStateException.class,
                                () -> b.readAsync().join().close());
                        put(scope, 5);
                        return job;
                    })
                    .thenCompose(report -> b.readAsync(1, 1))
                    .thenApply(ScopeFutureTest::first);
            put(holds, 1);
            assertEquals(16, value.join());
        }
    }

    /** Their callbacks have threads of their own. */
    @Test
    void aCallbackOfAJobMayWaitForAScopeBehindOneThatACallbackCloses() throws Exception {
        try (Evener evener = discrete("0.0,jvm").open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            CountDownLatch asked = new CountDownLatch(1);
            CompletableFuture<Integer> read = evener.submit(scale(a, b)).thenApply(report -> {
                CompletableFuture<Void> ignored = b.updateAsync().thenAccept(scope -> put(scope, 9));
                asked.countDown();
                return first(b.read());
            });
            assertTrue(asked.await(60, TimeUnit.SECONDS));
            assertEquals(9, read.get(60, TimeUnit.SECONDS));
        }
    }

    @Test
    void nobodyWaitsForAScopeOfAClosedBufferOrEvener() throws Exception {
        Evener evener = discrete("0.0,jvm").open();
        ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
        ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
        Scope open = a.update();
        Scope other = b.update();
        CompletableFuture<Scope> ofBuffer = a.readAsync();
        CompletableFuture<Scope> ofEvener = b.readAsync();
        CompletableFuture<Throwable> blocked = new CompletableFuture<>();
        CountDownLatch begun = new CountDownLatch(1);
        Thread reader = new Thread(() -> {
            begun.countDown();
            blocked.complete(assertThrows(IllegalStateException.class, b::read));
        });
        reader.start();
        begun.await();
        a.close();
        assertInstanceOf(
                IllegalStateException.class,
                assertThrows(CompletionException.class, ofBuffer::join).getCause());
        assertFalse(ofEvener.isDone());
        evener.close();
        assertInstanceOf(
                IllegalStateException.class,
                assertThrows(CompletionException.class, ofEvener::join).getCause());
        assertTrue(blocked.get(60, TimeUnit.SECONDS).getMessage().contains("closed"));
        assertThrows(IllegalStateException.class, b::readAsync);
        put(open, 1);
        put(other, 1);
    }

    @Test
    void itsEvenerMayBeClosedInItsCallback() throws Exception {
        Evener evener = discrete("0.0").open();
        ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
        ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
        JobFuture ignored = evener.submit(scale(a, b));
        a.readAsync()
                .thenAccept(scope -> {
                    evener.close();
                    scope.close();
                })
                .get(60, TimeUnit.SECONDS);
    }

    /** Whatever the scopes are at: each has its future ended, and all memory is freed once they are closed. */
    @Test
    void anEvenerMayBeClosedWhileScopesAreUnderWay() throws Exception {
        Map<NativeLedger.Kind, Long> before = NativeLedger.live();
        Random random = new Random(7);
        for (int i = 0; i < 30; i++) {
            Evener evener = discrete("0.0,0.1,jvm").open();
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N).mirror();
            JobFuture job = evener.submit(scale(a, b));
            if (random.nextBoolean()) {
                job.join();
            }
            List<CompletableFuture<Scope>> scopes = new ArrayList<>();
            for (int k = 0; k < 8; k++) {
                ManagedBuffer of = random.nextBoolean() ? a : b;
                scopes.add(random.nextBoolean() ? of.readAsync(k, N / 2) : of.updateAsync());
                CompletableFuture<Void> ignored = scopes.get(k).thenAccept(Scope::close);
                if (random.nextInt(4) == 0) {
                    of.discard();
                }
            }
            LockSupport.parkNanos(random.nextInt(2_000_000));
            evener.close();
            for (CompletableFuture<Scope> each : scopes) {
                Throwable failure = each.handle((scope, cause) -> cause).get(60, TimeUnit.SECONDS);
                assertTrue(
                        failure == null
                                || failure instanceof IllegalStateException
                                || failure instanceof DataLostException, // as the job was ended
                        () -> "ended with " + failure);
            }
            assertTrue(job.isDone());
        }
        assertEquals(before, NativeLedger.live());
    }

    @Test
    void itEndsWithTheReasonWhyTheContentIsLost() {
        try (Evener evener = discrete("0.0,jvm").open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
            Scope holds = a.read();
            JobFuture job = evener.submit(failing(a));
            CompletableFuture<Scope> read = a.readAsync();
            CompletableFuture<Scope> write = a.overwriteAsync();
            holds.close();
            assertThrows(CompletionException.class, job::join);
            CompletionException lost = assertThrows(CompletionException.class, read::join);
            assertInstanceOf(DataLostException.class, lost.getCause());
            put(write.join(), 6);
            assertEquals(6, content(a)[0]);
        }
    }
}
