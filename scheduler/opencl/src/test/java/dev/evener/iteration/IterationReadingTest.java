package dev.evener.iteration;

import static dev.evener.Access.slice;
import static dev.evener.iteration.IterationTest.N;
import static dev.evener.iteration.IterationTest.SOURCE;
import static dev.evener.iteration.IterationTest.after;
import static dev.evener.iteration.IterationTest.await;
import static dev.evener.iteration.IterationTest.content;
import static dev.evener.iteration.IterationTest.discrete;
import static dev.evener.iteration.IterationTest.first;
import static dev.evener.iteration.IterationTest.grow;
import static dev.evener.iteration.IterationTest.ints;
import static dev.evener.iteration.IterationTest.least;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access.Reduction;
import dev.evener.DataBuffer;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.ManagedBuffer;
import dev.evener.event.RunEvent;
import dev.evener.internal.NativeLedger;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the host reads between steps, on two devices taken for discrete ones, and when an iteration with it ends. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IterationReadingTest {
    private static final String COPY = """
            kernel void copy(global const int *in, global int *out) {
                size_t i = get_global_id(0);
                out[i] = in[i];
            }
            """;

    private final Map<NativeLedger.Kind, Long> before = NativeLedger.live();

    @AfterEach
    void nothingLeaks() {
        assertEquals(before, NativeLedger.live());
    }

    private static Job copy(DataBuffer in, DataBuffer out) {
        return Job.named("copy")
                .source(COPY)
                .units(N)
                .kernel("copy")
                .reads(in, slice())
                .writes(out, slice())
                .build();
    }

    private static int[] inside(ByteBuffer values) {
        int[] all = new int[N];
        values.asIntBuffer().get(all);
        return all;
    }

    /** Each device has half of what is read, and the next step writes it again. */
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 3", "4, 1", "32, 1", "32, 3"})
    void whatTwoDevicesWroteIsReadAfterTheStepThatWroteIt(int ahead, int every) {
        AtomicInteger asked = new AtomicInteger();
        try (Evener evener = discrete().open()) {
            ManagedBuffer now = ints(evener, first());
            ManagedBuffer next = ints(evener, new int[N]);
            ManagedBuffer seen = ints(evener, new int[N]);
            Iteration.Result done = Iteration.of(grow(now, next), copy(next, seen))
                    .rotating(now, next)
                    .ahead(ahead)
                    .until(seen, every, values -> {
                        int steps = Math.min(50, every * asked.incrementAndGet());
                        assertArrayEquals(after(steps), inside(values));
                        return false;
                    })
                    .run(evener, 50)
                    .join();
            assertEquals(50, done.readAfter());
            assertEquals((50 + every - 1) / every, asked.get());
            assertArrayEquals(after(50), inside(done.values()));
            assertArrayEquals(after(50), content(now));
            assertArrayEquals(after(50), content(seen));
        }
    }

    /** A buffer that is updated in place, and one pair that swaps beside another. */
    @Test
    void whatAStepReadsAndWritesIsReadBetweenTwoSteps() {
        AtomicInteger asked = new AtomicInteger();
        try (Evener evener = discrete().open()) {
            ManagedBuffer seen = ints(evener, first());
            ManagedBuffer a = ints(evener, new int[N]);
            ManagedBuffer b = ints(evener, new int[N]);
            Iteration.Result done = Iteration.of(grow(seen, a), copy(a, seen), copy(seen, b))
                    .rotating(a, b)
                    .until(seen, 1, values -> {
                        assertArrayEquals(after(asked.incrementAndGet()), inside(values));
                        return asked.get() == 20;
                    })
                    .run(evener, 100)
                    .join();
            assertTrue(done.met());
            assertEquals(20, done.readAfter());
            assertArrayEquals(after(done.steps()), content(seen));
            assertArrayEquals(after(done.steps()), content(b));
        }
    }

    @Test
    void aReadingIsNoJob() {
        ConcurrentLinkedQueue<RunEvent> heard = new ConcurrentLinkedQueue<>();
        try (Evener evener = discrete().listener(heard::add).open()) {
            ManagedBuffer a = ints(evener, first());
            ManagedBuffer b = ints(evener, new int[N]);
            ManagedBuffer sum = ints(evener, 0);
            Iteration.of(grow(a, b), least(b, sum))
                    .until(sum, 1, values -> false)
                    .run(evener, 9)
                    .join();
        }
        assertEquals(
                18, heard.stream().filter(RunEvent.Submitted.class::isInstance).count());
    }

    @Test
    void whereItEndsAScopeMayBeOpened() {
        try (Evener evener = discrete().open()) {
            ManagedBuffer a = ints(evener, first());
            ManagedBuffer b = ints(evener, new int[N]);
            ManagedBuffer sum = ints(evener, 0);
            int[] last = Iteration.of(grow(a, b), least(b, sum))
                    .rotating(a, b)
                    .until(sum, 1, values -> content(sum)[0] < 0) // as in a callback of a job
                    .ahead(1)
                    .run(evener, 10)
                    .thenApply(done -> content(a))
                    .join();
            assertArrayEquals(after(10), last);
        }
    }

    @Test
    void manyStepsAhead() {
        try (Evener evener = discrete().open()) {
            ManagedBuffer a = ints(evener, first());
            ManagedBuffer b = ints(evener, new int[N]);
            ManagedBuffer sum = ints(evener, 0);
            Iteration.Result done = Iteration.of(grow(a, b), least(b, sum))
                    .rotating(a, b)
                    .ahead(2000)
                    .until(sum, 100, values -> false)
                    .run(evener, 2000)
                    .join();
            assertEquals(2000, done.readAfter());
            assertArrayEquals(after(2000), content(a));
        }
    }

    // ---- how it ends ----

    private static JobBuilder ending(DataBuffer in, DataBuffer sum, Runnable step) {
        return Job.named("ending")
                .source(SOURCE)
                .units(N)
                .kernel("least")
                .reads(in, slice())
                .reduces(sum, Reduction.MIN)
                .hostStep(host -> step.run(), sum);
    }

    @Test
    void aLostResultIsTheFailureOfTheStepThatWasToWriteIt() {
        AtomicInteger steps = new AtomicInteger();
        AtomicInteger asked = new AtomicInteger();
        try (Evener evener = discrete().open()) {
            ManagedBuffer a = ints(evener, first());
            ManagedBuffer sum = ints(evener, 0);
            Job failing = ending(a, sum, () -> {
                        if (steps.incrementAndGet() == 3) {
                            throw new IllegalStateException("the third");
                        }
                    })
                    .build();
            CompletableFuture<Iteration.Result> result = Iteration.of(failing)
                    .until(sum, 1, values -> asked.incrementAndGet() < 0)
                    .run(evener, 100);
            CompletionException e = assertThrows(CompletionException.class, result::join);
            assertSame(
                    EvenerException.ApplicationFailedException.class,
                    e.getCause().getClass());
            assertTrue(e.getMessage().contains("the third"), e.getMessage());
            assertEquals(2, asked.get());
            sum.overwrite().close(); // no reading keeps it
        }
    }

    @Test
    void afterAFailureItEndsWhenNoStepTouchesItsBuffers() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        try (Evener evener = discrete()
                .listener(event -> {
                    if (event instanceof RunEvent.Ended) {
                        ended.countDown();
                    }
                })
                .open()) {
            ManagedBuffer a = ints(evener, first());
            ManagedBuffer sum = ints(evener, 0);
            Job late = ending(a, sum, () -> await(go))
                    .deadline(Duration.ofSeconds(1))
                    .build();
            evener.prepare(late).join(); // or its time may be over before its step
            CompletableFuture<Iteration.Result> result = Iteration.of(late).run(evener, 1);
            ended.await();
            Thread.sleep(100); // for it to end, if it did
            assertFalse(result.isDone(), "its host step is still at work");
            go.countDown();
            CompletionException e = assertThrows(CompletionException.class, result::join);
            assertTrue(e.getMessage().contains("deadline of 1000 ms"), e.getMessage());
        }
    }

    @Test
    void cancellingItGivesTheTurnOfAReadingBack() {
        CountDownLatch go = new CountDownLatch(1);
        try (Evener evener = discrete().open()) {
            ManagedBuffer a = ints(evener, first());
            ManagedBuffer sum = ints(evener, 0);
            CompletableFuture<Iteration.Result> result = Iteration.of(
                            ending(a, sum, () -> await(go)).build())
                    .until(sum, 1, values -> true)
                    .run(evener, 100);
            assertTrue(result.cancel(true));
            go.countDown();
            assertThrows(CancellationException.class, result::join);
            try (ManagedBuffer.Scope scope = sum.overwrite()) {
                scope.ints().put(7);
            }
            assertEquals(7, content(sum)[0]);
            assertEquals(0, evener.queue().length());
        }
    }

    @Test
    void closingTheEvenerOrTheResultEndsItWithReadingsUnderWay() throws Exception {
        for (boolean whole : new boolean[] {true, false}) {
            CountDownLatch under = new CountDownLatch(5);
            Evener evener = discrete().open();
            ManagedBuffer a = ints(evener, first());
            ManagedBuffer b = ints(evener, new int[N]);
            ManagedBuffer sum = ints(evener, 0);
            CompletableFuture<Iteration.Result> result = Iteration.of(grow(a, b), least(b, sum))
                    .rotating(a, b)
                    .until(sum, 1, values -> {
                        under.countDown();
                        return false;
                    })
                    .run(evener, 1_000_000);
            under.await();
            if (!whole) {
                sum.close();
                assertThrows(CompletionException.class, result::join);
            }
            evener.close();
            CompletionException e = assertThrows(CompletionException.class, result::join);
            assertTrue(e.getMessage().contains("closed"), List.of(whole, e).toString());
        }
    }
}
