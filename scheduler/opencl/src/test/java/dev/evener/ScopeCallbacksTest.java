package dev.evener;

import static dev.evener.ManagedBufferTest.N;
import static dev.evener.ManagedBufferTest.discrete;
import static dev.evener.ManagedBufferTest.scale;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ManagedBuffer.Scope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Scopes that are closed by those who open them, whatever is done in them and becomes of its result. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ScopeCallbacksTest {
    private final Evener evener = discrete("0.0,jvm").open();
    private final ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
    private final ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
    private final List<Scope> seen = new ArrayList<>();

    @AfterEach
    void allAreClosed() throws Exception {
        for (ManagedBuffer each : List.of(a, b)) {
            each.updateAsync(view -> {}).get(60, TimeUnit.SECONDS); // nobody has it
        }
        for (Scope each : seen) {
            assertThrows(IllegalStateException.class, each::bytes);
        }
        evener.close();
    }

    private <T> T see(Scope view, T value) {
        synchronized (seen) {
            seen.add(view);
        }
        return value;
    }

    @Test
    void theyHaveTheirTurnsAndGiveResults() {
        a.update(view -> see(view, view).ints().put(0, 5).put(N - 1, 7));
        JobFuture ignored = evener.submit(scale(a, b));
        int first = b.read(view -> see(view, view).ints().get(0));
        assertEquals(16, first);
        b.update(N - 2, 2, view -> {
            see(view, view);
            view.ints().put(0, view.ints().get(1) + 1);
        });
        int changed = b.read(N - 2, 1, view -> see(view, view.ints().get(0)));
        assertEquals(23, changed);
        assertNull(b.read(view -> null));
        a.update(1, 2, view -> see(view, view).ints().put(0, 8).put(1, 9));
        assertEquals(
                List.of(8, 9),
                a.read(1, 2, view -> List.of(view.ints().get(0), view.ints().get(1))));
        assertThrows(NullPointerException.class, () -> a.read((ManagedBuffer.Reader<Object, RuntimeException>) null));
        assertThrows(NullPointerException.class, () -> a.updateAsync(null));
    }

    @Test
    void whatTheyThrowIsThrownAndTheyAreClosed() {
        IOException checked = new IOException("the disk is full");
        assertSame(
                checked,
                assertThrows(
                        IOException.class,
                        () -> a.read(view -> {
                            see(view, view);
                            throw checked;
                        })));
        assertSame(
                checked,
                assertThrows(
                        IOException.class,
                        () -> a.update(view -> {
                            see(view, view).ints().put(0, 3);
                            throw checked;
                        })));
        int written = a.read(view -> view.ints().get(0));
        assertEquals(3, written);
        StackOverflowError error = new StackOverflowError();
        assertSame(
                error,
                assertThrows(
                        StackOverflowError.class,
                        () -> a.update(0, 1, view -> {
                            see(view, view);
                            throw error;
                        })));
        for (CompletableFuture<?> each : List.of(
                a.readAsync(view -> see(view, fail(checked))), a.updateAsync(0, 2, view -> see(view, fail(checked))))) {
            ExecutionException failed = assertThrows(ExecutionException.class, each::get);
            assertSame(checked, failed.getCause());
        }
    }

    private static Object fail(IOException with) throws IOException {
        throw with;
    }

    @Test
    void asFuturesTheyRunOnTheThreadOfScopesAtTheirPlaceInTheOrder() throws Exception {
        CompletableFuture<String> thread =
                a.readAsync(view -> see(view, Thread.currentThread().getName()));
        assertEquals("evener-scopes", thread.get(), "and never on the thread that asks");
        CompletableFuture<Void> written =
                a.updateAsync(view -> see(view, view).ints().put(0, 1));
        JobFuture job = evener.submit(scale(a, b));
        CompletableFuture<Void> updated = b.updateAsync(
                0, 1, view -> see(view, view).ints().put(0, view.ints().get(0) + 1));
        CompletableFuture<Integer> read =
                b.readAsync(0, 1, view -> see(view, view.ints().get(0)));
        assertEquals(5, read.get());
        assertTrue(written.isDone() && updated.isDone());
        job.get();
    }

    /** Before their turn they change nothing and are not called; in the middle of it they are done with; and none stays open. */
    @Test
    void oneThatIsCancelledOrWhoseDerivedFutureIsStaysOpenNowhere() throws Exception {
        AtomicInteger called = new AtomicInteger();
        Scope holds = a.read();
        CompletableFuture<Void> early = a.updateAsync(view -> called.incrementAndGet());
        JobFuture behind = evener.submit(scale(b, a));
        assertTrue(early.cancel(false));
        CompletableFuture<Integer> late = a.readAsync(view -> view.ints().get(0));
        CompletableFuture<Integer> derived = late.thenApply(value -> value + 1);
        assertTrue(derived.cancel(false));
        holds.close();
        behind.get();
        assertEquals(1, late.get(), "it goes on without what was derived from it");
        assertEquals(0, called.get());
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<Void> running = a.updateAsync(view -> {
            inside.countDown();
            see(view, view).ints().put(0, 4);
            goOn.await();
        });
        inside.await();
        assertTrue(running.cancel(false));
        CompletableFuture<Integer> next = a.readAsync(view -> view.ints().get(0));
        assertFalse(next.isDone(), "the scope is open while somebody is at work in it");
        goOn.countDown();
        assertEquals(4, next.get());
        assertThrows(CancellationException.class, running::get);
        for (int i = 0; i < 200; i++) { // wherever it is at that moment
            CompletableFuture<Void> one = a.updateAsync(view -> see(view, view).ints());
            CompletableFuture<Void> of = one.thenRun(() -> {});
            Thread.onSpinWait();
            (i % 2 == 0 ? one : of).cancel(false);
        }
    }

    @Test
    void aClosedBufferEndsThemToo() {
        ManagedBuffer gone = evener.allocateManaged(ElementType.INT, 4);
        Scope holds = gone.update();
        CompletableFuture<Integer> read = gone.readAsync(view -> 1);
        gone.close();
        CompletionException ended = assertThrows(CompletionException.class, read::join);
        assertEquals(IllegalStateException.class, ended.getCause().getClass());
        assertThrows(IllegalStateException.class, () -> gone.readAsync(view -> 1));
        holds.close();
    }
}
