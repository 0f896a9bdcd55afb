package dev.evener.iteration;

import static dev.evener.Access.slice;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access.Reduction;
import dev.evener.DataBuffer;
import dev.evener.DataLostException;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerBuilder;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.ManagedBuffer;
import dev.evener.Report;
import dev.evener.event.RunEvent;
import dev.evener.internal.NativeLedger;
import dev.evener.policy.Policies;
import java.nio.ReadOnlyBufferException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Steps that are run again and again, on two devices taken for discrete ones. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IterationTest {
    static final int N = 1 << 10;
    static final String SOURCE = """
            kernel void grow(global const int *in, ulong start, global int *out, ulong first) {
                size_t i = get_global_id(0), at = first + i;
                out[i] = in[start + i] + (at > 0 && in[start + i - 1] > in[start + i] ? 1 : 0);
            }
            kernel void least(global const int *in, global int *least) {
                atomic_min(least, in[get_global_id(0)]);
            }
            """;

    private final Map<NativeLedger.Kind, Long> before = NativeLedger.live();

    @AfterEach
    void nothingLeaks() {
        assertEquals(before, NativeLedger.live());
    }

    static EvenerBuilder discrete() {
        return Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .policy(Policies.fixed(0.5, 0.5))
                .sharedMemory(false)
                .history(History.inMemory());
    }

    static ManagedBuffer ints(Evener evener, int... values) {
        ManagedBuffer buffer = evener.allocateManaged(ElementType.INT, values.length);
        try (ManagedBuffer.Scope scope = buffer.overwrite()) {
            scope.ints().put(values);
        }
        return buffer;
    }

    static int[] content(ManagedBuffer buffer) {
        int[] all = new int[(int) buffer.elements()];
        try (ManagedBuffer.Scope scope = buffer.read()) {
            scope.ints().get(all);
        }
        return all;
    }

    /** What is less than its left neighbour becomes one more. */
    static Job grow(DataBuffer in, DataBuffer out) {
        return growing("grow", in, out).build();
    }

    private static JobBuilder growing(String name, DataBuffer in, DataBuffer out) {
        return Job.named(name)
                .source(SOURCE)
                .units(N)
                .kernel("grow")
                .reads(in, slice().halo(1, 0))
                .viewStart(in)
                .writes(out, slice())
                .chunkStart();
    }

    static Job least(DataBuffer in, DataBuffer least) {
        return Job.named("least")
                .source(SOURCE)
                .units(N)
                .kernel("least")
                .reads(in, slice())
                .reduces(least, Reduction.MIN)
                .build();
    }

    static int[] first() {
        int[] values = new int[N];
        values[0] = 1000;
        return values;
    }

    static int[] after(long steps) {
        int[] now = first();
        for (long s = 0; s < steps; s++) {
            int[] in = now;
            now = IntStream.range(0, N)
                    .map(i -> in[i] + (i > 0 && in[i - 1] > in[i] ? 1 : 0))
                    .toArray();
        }
        return now;
    }

    // ---- so many steps ----

    /** Also where several steps are one job, which is submitted as a whole. */
    @Test
    void noMoreStepsAreUnderWayThanMayBe() {
        for (int ahead : new int[] {3, 16, 20, 32}) {
            Map<Long, Integer> steps = new HashMap<>();
            int[] most = new int[2]; // of all jobs under way, of one
            try (Evener evener = discrete()
                            .listener(event -> {
                                synchronized (steps) {
                                    if (event instanceof RunEvent.Submitted job) {
                                        steps.put(job.job(), job.kernels().size());
                                        most[1] =
                                                Math.max(most[1], job.kernels().size());
                                    } else if (event instanceof RunEvent.Ended job) {
                                        steps.remove(job.job());
                                    }
                                    int all = steps.values().stream()
                                            .mapToInt(Integer::intValue)
                                            .sum();
                                    most[0] = Math.max(most[0], all);
                                }
                            })
                            .open();
                    ManagedBuffer a = ints(evener, first());
                    ManagedBuffer b = ints(evener, new int[N])) {
                Iteration.of(grow(a, b))
                        .rotating(a, b)
                        .ahead(ahead)
                        .run(evener, 120)
                        .join();
                assertArrayEquals(after(120), content(a));
            }
            assertTrue(most[0] <= ahead, most[0] + " under way of " + ahead);
            assertEquals(ahead < 16 ? 1 : 16, most[1], "steps of a job with " + ahead);
        }
    }

    @Test
    void stepsAreRunWithBuffersThatSwap() {
        try (Evener evener = discrete().open()) {
            for (int steps : new int[] {1, 2, 101}) {
                ManagedBuffer now = ints(evener, first());
                ManagedBuffer next = ints(evener, new int[N]);
                Iteration.Result done = Iteration.of(grow(now, next))
                        .rotating(now, next)
                        .run(evener, steps)
                        .join();
                assertEquals(new Iteration.Result(steps, false, 0, null, done.places()), done);
                assertSame(steps % 2 == 1 ? next : now, done.at(now));
                assertSame(steps % 2 == 1 ? now : next, done.at(next));
                assertArrayEquals(after(steps), content(done.at(now)));
            }
        }
    }

    /** Steps that look two steps back, beside two buffers that swap: chains are of twelve steps, twice two times three. */
    @Test
    void threeBuffersMayRotateBesideTwoThatSwap() {
        for (long steps : new long[] {1, 2, 3, 11, 12, 13, 40, 100}) {
            Map<Integer, Integer> lengths = new HashMap<>(); // of jobs, by their phases
            try (Evener evener = discrete()
                    .listener(event -> {
                        if (event instanceof RunEvent.Submitted job) {
                            lengths.merge(job.kernels().size(), 1, Integer::sum);
                        }
                    })
                    .open()) {
                ManagedBuffer before = ints(evener, first());
                ManagedBuffer now = ints(evener, after(1));
                ManagedBuffer next = ints(evener, new int[N]);
                ManagedBuffer one = ints(evener, first());
                ManagedBuffer other = ints(evener, new int[N]);
                Job wave = Job.named("wave")
                        .source("""
                                kernel void wave(
                                        global const int *before, ulong start, global const int *now, global int *next) {
                                    size_t i = get_global_id(0);
                                    next[i] = now[i] + (before[start + i] ^ 5);
                                }
                                """)
                        .units(N)
                        .kernel("wave")
                        .reads(before, slice().halo(0, 0))
                        .viewStart(before)
                        .reads(now, slice())
                        .writes(next, slice())
                        .build();
                Iteration.Result done = Iteration.of(wave, grow(one, other))
                        .rotating(before, now, next)
                        .rotating(one, other)
                        .run(evener, steps)
                        .join();
                assertArrayEquals(after(steps), content(done.at(one)));
                int[] earlier = first();
                int[] last = after(1);
                for (long s = 0; s < steps; s++) {
                    int[] a = earlier;
                    int[] b = last;
                    earlier = b;
                    last = IntStream.range(0, N).map(i -> b[i] + (a[i] ^ 5)).toArray();
                }
                assertArrayEquals(earlier, content(done.at(before)));
                assertArrayEquals(last, content(done.at(now)));
                List<ManagedBuffer> all = List.of(before, now, next);
                for (int i = 0; i < 3; i++) {
                    assertSame(all.get((int) ((i + steps) % 3)), done.at(all.get(i)));
                }
            }
            int chains =
                    (int) (Math.max(0, steps - 6) / 12); // the first job is submitted alone, so the first six steps are
            assertEquals(chains, lengths.getOrDefault(24, 0), "chains of " + steps);
            assertEquals((int) (steps - 12L * chains) * 2, lengths.get(1), "steps alone of " + steps);
        }
    }

    /** One for each job, in the order of the steps; what a consumer throws ends the iteration. */
    @Test
    void eachJobIsReported() {
        try (Evener evener = discrete().open()) {
            ManagedBuffer a = ints(evener, first());
            ManagedBuffer b = ints(evener, new int[N]);
            ManagedBuffer sum = ints(evener, 0);
            for (int ahead : new int[] {1, 32}) {
                List<Report> reports = new ArrayList<>();
                Iteration step = Iteration.of(grow(a, b)).rotating(a, b).ahead(ahead);
                step.onReport(reports::add).run(evener, 35).join();
                assertEquals(ahead == 1 ? 35 : 2 + 3, reports.size());
                assertTrue(reports.stream().allMatch(r -> r.units() == N), reports::toString);

                List<String> names = new ArrayList<>();
                Iteration.of(grow(a, b), least(b, sum))
                        .rotating(a, b)
                        .ahead(ahead)
                        .until(sum, 3, values -> false)
                        .onReport(report -> names.add(report.workload()))
                        .run(evener, 4)
                        .join();
                assertEquals(List.of("grow", "least", "grow", "least", "grow", "least", "grow", "least"), names);

                CompletableFuture<?> failing = step.onReport(report -> {
                            throw new IllegalStateException("enough");
                        })
                        .run(evener, 1000);
                Throwable cause =
                        assertThrows(CompletionException.class, failing::join).getCause();
                assertEquals("enough", cause.getMessage());
            }
        }
    }

    @Test
    void noStepIsNoJob() {
        List<RunEvent> heard = new ArrayList<>();
        try (Evener evener = discrete().listener(heard::add).open()) {
            ManagedBuffer now = ints(evener, first());
            Iteration nothing = Iteration.of(grow(now, ints(evener, new int[N])));
            assertEquals(0, nothing.run(evener, 0).join().steps());
            assertThrows(IllegalArgumentException.class, () -> nothing.run(evener, -1));
        }
        assertEquals(List.of(), heard);
    }

    @Test
    void aStepWithoutBuffersThatSwapIsTheSameEachTime() {
        try (Evener evener = discrete().open()) {
            ManagedBuffer a = ints(evener, first());
            ManagedBuffer b = ints(evener, new int[N]);
            Iteration.of(grow(a, b), grow(b, a)).run(evener, 7).join();
            assertArrayEquals(after(14), content(a));
        }
    }

    // ---- until ----

    @Test
    void itStopsWhenTheConditionHolds() {
        try (Evener evener = discrete().open()) {
            for (int ahead : new int[] {1, 3, 32}) {
                ManagedBuffer now = ints(evener, first());
                ManagedBuffer next = ints(evener, new int[N]);
                ManagedBuffer sum = ints(evener, 0);
                List<Integer> seen = new ArrayList<>(); // in order, by one thread at a time
                Iteration.Result done = Iteration.of(grow(now, next), least(next, sum))
                        .rotating(now, next)
                        .ahead(ahead)
                        .until(sum, 5, values -> {
                            seen.add(values.getInt());
                            assertThrows(ReadOnlyBufferException.class, () -> values.putInt(0, 1));
                            return seen.size() == 4;
                        })
                        .run(evener, 1000)
                        .join();
                assertTrue(done.met());
                assertEquals(20, done.readAfter());
                assertTrue(done.steps() >= 20 && done.steps() < 20 + ahead, done.toString());
                assertEquals(List.of(least(5), least(10), least(15), least(20)), seen);
                assertEquals(least(20), done.values().getInt(0));
                assertArrayEquals(after(done.steps()), content(done.at(now)));
            }
        }
    }

    static int least(long steps) {
        return IntStream.of(after(steps)).min().getAsInt();
    }

    @Test
    void theConditionIsAskedAfterTheLastStepToo() {
        try (Evener evener = discrete().open()) {
            ManagedBuffer now = ints(evener, first());
            ManagedBuffer next = ints(evener, new int[N]);
            ManagedBuffer sum = ints(evener, 0);
            Iteration step = Iteration.of(grow(now, next), least(next, sum)).rotating(now, next);
            Iteration.Result done =
                    step.until(sum, 4, values -> false).run(evener, 10).join();
            assertEquals(10, done.steps());
            assertEquals(10, done.readAfter());
            assertFalse(done.met());
            assertTrue(
                    step.until(sum, 100, values -> true).run(evener, 3).join().met());
            assertNull(step.run(evener, 3).join().values());
        }
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        try (Evener evener = discrete().open()) {
            ManagedBuffer a = ints(evener, first());
            ManagedBuffer b = ints(evener, new int[N]);
            ManagedBuffer c = ints(evener, new int[N]);
            assertThrows(IllegalArgumentException.class, Iteration::of);
            Iteration step = Iteration.of(grow(a, b));
            assertThrows(IllegalArgumentException.class, () -> step.ahead(0));
            assertThrows(IllegalArgumentException.class, () -> step.rotating(a, c));
            assertThrows(IllegalArgumentException.class, () -> step.rotating(a, a));
            assertThrows(
                    IllegalArgumentException.class, () -> step.rotating(a, b).rotating(b, a));
            assertThrows(IllegalArgumentException.class, () -> step.rotating(a));
            assertThrows(NullPointerException.class, () -> step.rotating(a, null));
            assertThrows(IllegalArgumentException.class, () -> step.until(a, 0, values -> true));
            assertThrows(IllegalArgumentException.class, () -> step.until(c, 1, values -> true));
            assertThrows(
                    IllegalArgumentException.class, () -> step.rotating(a, b).until(a, 1, values -> true));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> step.until(b, 1, values -> true).rotating(a, b));
        }
    }

    // ---- how many are submitted ----

    @Test
    void onlySoManyStepsAreSubmittedAhead() throws Exception {
        AtomicInteger open = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch go = new CountDownLatch(1);
        try (Evener evener = discrete()
                .listener(event -> {
                    if (event instanceof RunEvent.Submitted) {
                        most.accumulateAndGet(open.incrementAndGet(), Math::max);
                    } else if (event instanceof RunEvent.Ended) {
                        open.decrementAndGet();
                    }
                })
                .open()) {
            ManagedBuffer a = ints(evener, first());
            ManagedBuffer b = ints(evener, new int[N]);
            Job held = growing("held", a, b).hostStep(host -> await(go), b).build();
            CompletableFuture<Iteration.Result> result =
                    Iteration.of(held).rotating(a, b).ahead(5).run(evener, 200);
            while (open.get() < 5) {
                Thread.onSpinWait();
            }
            Thread.sleep(50); // for more to come, if they did
            assertEquals(5, open.get());
            assertFalse(result.isDone());
            go.countDown();
            assertEquals(200, result.join().steps());
            assertArrayEquals(after(200), content(a));
        }
        assertTrue(most.get() <= 5, most.toString());
    }

    static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aFullQueueIsWaitedForWhileAStepIsUnderWay() {
        CountDownLatch go = new CountDownLatch(1);
        try (Evener evener = discrete().queueLimit(2).open()) {
            ManagedBuffer a = ints(evener, first());
            ManagedBuffer b = ints(evener, new int[N]);
            ManagedBuffer sum = ints(evener, 0);
            Iteration step =
                    Iteration.of(grow(a, b), least(b, sum)).rotating(a, b).until(sum, 3, values -> false);
            assertEquals(50, step.run(evener, 50).join().steps());
            assertArrayEquals(after(50), content(a));
            ManagedBuffer d = ints(evener, new int[N]);
            Job blocking = Job.named("blocking")
                    .source(SOURCE)
                    .units(N)
                    .kernel("least")
                    .reads(d, slice())
                    .reduces(sum, Reduction.MIN)
                    .hostStep(host -> await(go), sum)
                    .build();
            CompletableFuture<?> first = evener.submit(blocking);
            while (evener.queue().length() > 0) {
                Thread.onSpinWait();
            }
            CompletableFuture<?> second = evener.submit(blocking);
            CompletableFuture<?> third = evener.submit(blocking);
            assertThrows(RejectedExecutionException.class, () -> step.run(evener, 1));
            go.countDown();
            CompletableFuture.allOf(first, second, third).join();
        }
    }

    // ---- how it fails ----

    @Test
    void aStepThatFailsEndsItWithTheFirstCause() {
        AtomicInteger steps = new AtomicInteger();
        try (Evener evener = discrete().open()) {
            ManagedBuffer a = ints(evener, first());
            ManagedBuffer b = ints(evener, new int[N]);
            Job failing = growing("failing", a, b)
                    .hostStep(
                            host -> {
                                if (steps.incrementAndGet() == 7) {
                                    throw new IllegalStateException("the seventh");
                                }
                            },
                            b)
                    .build();
            CompletableFuture<Iteration.Result> result =
                    Iteration.of(failing).rotating(a, b).run(evener, 1000);
            CompletionException e = assertThrows(CompletionException.class, result::join);
            assertSame(
                    EvenerException.ApplicationFailedException.class,
                    e.getCause().getClass());
            assertTrue(e.getMessage().contains("the seventh"), e.getMessage());
            assertEquals(7, steps.get(), "the others need what it was to write");
            assertThrows(DataLostException.class, b::read);
            e = assertThrows(
                    CompletionException.class,
                    () -> Iteration.of(grow(b, a)).run(evener, 3).join());
            assertTrue(e.getCause() instanceof EvenerException, e.toString());
        }
    }

    @Test
    void aConditionThatThrowsEndsIt() {
        try (Evener evener = discrete().open()) {
            ManagedBuffer a = ints(evener, first());
            ManagedBuffer b = ints(evener, new int[N]);
            ManagedBuffer sum = ints(evener, 0);
            CompletableFuture<Iteration.Result> result = Iteration.of(grow(a, b), least(b, sum))
                    .until(sum, 2, values -> values.getInt(4) > 0)
                    .run(evener, 100);
            CompletionException e = assertThrows(CompletionException.class, result::join);
            assertTrue(e.getCause() instanceof IndexOutOfBoundsException, e.toString());
            assertEquals(0, evener.queue().length());
        }
    }

    @Test
    void cancellingItStopsTheSteps() {
        CountDownLatch go = new CountDownLatch(1);
        try (Evener evener = discrete().open()) {
            ManagedBuffer a = ints(evener, first());
            ManagedBuffer b = ints(evener, new int[N]);
            Job step = growing("step", a, b).hostStep(host -> await(go), b).build();
            CompletableFuture<Iteration.Result> result =
                    Iteration.of(step).rotating(a, b).run(evener, 1_000_000);
            assertTrue(result.cancel(true));
            go.countDown();
            assertThrows(CancellationException.class, result::join);
            try (ManagedBuffer.Scope scope = a.overwrite()) { // behind all that were submitted
                scope.ints().put(first());
            }
            assertEquals(0, evener.queue().length());
            Iteration.of(grow(a, b)).run(evener, 1).join();
            assertArrayEquals(after(1), content(b));
        }
    }

    @Test
    void closingTheEvenerEndsIt() {
        Evener evener = discrete().open();
        ManagedBuffer a = ints(evener, first());
        ManagedBuffer b = ints(evener, new int[N]);
        Iteration step = Iteration.of(grow(a, b)).rotating(a, b);
        CompletableFuture<Iteration.Result> result = step.run(evener, 1_000_000);
        evener.close();
        CompletionException e = assertThrows(CompletionException.class, result::join);
        assertTrue(e.getMessage().contains("closed"), e.getMessage());
        assertThrows(IllegalStateException.class, () -> step.run(evener, 1));

        Evener drained = discrete().open();
        a = ints(drained, first());
        b = ints(drained, new int[N]);
        CompletableFuture<Iteration.Result> ended = Iteration.of(grow(a, b)).run(drained, 1_000_000);
        assertTrue(drained.close(Duration.ofMinutes(1)), "those that were submitted end, and no others follow");
        e = assertThrows(CompletionException.class, ended::join);
        assertTrue(e.getMessage().contains("closed"), e.getMessage());
    }

    @Test
    void itMustNotBeWaitedForInACallback() {
        try (Evener evener = discrete().open()) {
            ManagedBuffer a = ints(evener, first());
            ManagedBuffer b = ints(evener, new int[N]);
            Iteration step = Iteration.of(grow(a, b)).rotating(a, b);
            CompletionException e = assertThrows(
                    CompletionException.class,
                    () -> evener.submit(grow(a, b))
                            .thenApply(report -> step.run(evener, 100).join())
                            .join());
            assertTrue(e.getCause() instanceof IllegalStateException, e.toString());
            long steps = evener.submit(grow(a, b))
                    .thenCompose(report -> step.run(evener, 100))
                    .thenCompose(done -> step.run(evener, 100))
                    .join()
                    .steps();
            assertEquals(100, steps);
        }
    }
}
