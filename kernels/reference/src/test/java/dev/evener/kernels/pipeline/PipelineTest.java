package dev.evener.kernels.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.kernels.TestBed;
import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.Snapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a pipeline promises, on two devices of one context. */
@Timeout(600)
class PipelineTest {
    private static final DeviceSelector A = DeviceSelector.parse("0.0");
    private static final DeviceSelector B = DeviceSelector.parse("0.1");

    private Evener evener;

    @BeforeEach
    void open() {
        evener = TestBed.open("0.0,0.1");
    }

    @AfterEach
    void close() {
        evener.close();
    }

    private PipelineBuilder<TestSlot> slots(int count) {
        return Pipeline.over(evener, count, () -> new TestSlot(evener));
    }

    private Pipeline<TestSlot> plain(int count) {
        return slots(count)
                .stage("first", A, TestSlot::first)
                .stage("second", B, TestSlot::second)
                .host("check", 1, (slot, reports) -> slot.check())
                .open();
    }

    private static Throwable cause(CompletableFuture<?> future) {
        return assertThrows(CompletionException.class, future::join).getCause();
    }

    @Test
    void itemsGoThroughAllStages() throws InterruptedException {
        List<CompletableFuture<ItemReport>> all = new ArrayList<>();
        List<Integer> consumed = Collections.synchronizedList(new ArrayList<>());
        PipelineReport report;
        try (Pipeline<TestSlot> pipeline = slots(3).stage("first", A, TestSlot::first)
                .stage("second", B, TestSlot::second)
                .host("check", 3, (slot, reports) -> {
                    assertEquals(2, reports.size());
                    slot.check();
                })
                .host("sink", 1, (slot, reports) -> consumed.add(slot.number))
                .open()) {
            for (int i = 0; i < 50; i++) {
                all.add(pipeline.submit(pipeline.acquire().fill(i)));
            }
            CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new)).join();
            report = pipeline.report();
        }
        assertEquals(IntStream.range(0, 50).boxed().toList(), consumed, "consumed in order");
        for (int i = 0; i < 50; i++) {
            ItemReport item = all.get(i).join();
            assertEquals(i, item.item());
            assertEquals(
                    List.of("first", "second"),
                    item.stages().stream().map(s -> s.workload()).toList());
            assertEquals(
                    List.of("0.0"),
                    item.stages().get(0).devices().stream().map(d -> d.id()).toList());
            assertTrue(item.latencyNanos() > 0);
        }
        assertEquals(50, report.items());
        assertEquals(0, report.failed());
        assertTrue(report.itemsPerSecond() > 0 && report.meanLatencyNanos() <= report.maxLatencyNanos());
        assertEquals(4, report.stages().size());
        assertEquals(
                List.of("0.0"), List.copyOf(report.stages().get(0).busyNanos().keySet()));
        assertEquals(
                List.of("0.1"), List.copyOf(report.stages().get(1).busyNanos().keySet()));
        for (PipelineReport.StageUse stage : report.stages()) {
            assertEquals(50, stage.jobs());
            assertTrue(stage.wallNanos() > 0 && stage.heldNanos() >= 0, stage::toString);
        }
        assertEquals(
                List.of(0, 0, 3, 1),
                report.stages().stream().map(PipelineReport.StageUse::threads).toList());
        long held = report.stages().stream()
                .mapToLong(PipelineReport.StageUse::heldNanos)
                .sum();
        assertTrue(held > 0 && held <= report.wallNanos(), held + " of " + report.wallNanos());
        assertEquals(50L, report.toMap().get("items"));
    }

    /** Streams whose readers were slower than devices had each frame split, and its parts brought together, as none waited for lanes. */
    @Test
    void policiesHearOfOtherItemsThatShareAStage() throws InterruptedException {
        assertEquals(
                List.of(2, 1, 0),
                comingSeen((stages, policy) ->
                        stages.distributed("work", TestSlot::first).policy(policy)));
        assertEquals(
                List.of(0, 0, 0),
                comingSeen((stages, policy) ->
                        stages.stage("work", TestSlot::first).policy(policy)),
                "one item after the other");
    }

    /** How many others each of three items' policy sees coming, where the next one is read when it has left the devices. */
    private List<Integer> comingSeen(BiFunction<PipelineBuilder<TestSlot>, Policy, PipelineBuilder<TestSlot>> stage)
            throws InterruptedException {
        Map<Long, Integer> seen = new ConcurrentSkipListMap<>();
        Policy policy = new Policy() {
            @Override
            public String name() {
                return "first lane";
            }

            @Override
            public Plan plan(Snapshot snapshot) {
                seen.putIfAbsent(snapshot.job(), snapshot.coming());
                return Plan.of(Plan.Sharing.FIXED, new long[] {snapshot.granules(), 0});
            }
        };
        List<CountDownLatch> begin =
                IntStream.range(0, 4).mapToObj(i -> new CountDownLatch(1)).toList();
        PipelineBuilder<TestSlot> reading = slots(3).host(
                        "read", 1, (slot, reports) -> begin.get(slot.number).await());
        List<CompletableFuture<ItemReport>> all = new ArrayList<>();
        try (Pipeline<TestSlot> pipeline = stage.apply(reading, policy)
                .host("next", 1, (slot, reports) -> begin.get(slot.number + 1).countDown())
                .open()) {
            for (int i = 0; i < 3; i++) {
                all.add(pipeline.submit(pipeline.acquire().fill(i)));
            }
            begin.get(0).countDown();
            all.forEach(CompletableFuture::join);
        }
        seen.remove(0L); // planned ahead, for nobody
        return List.copyOf(seen.values());
    }

    /** Each stage's host step waits for the other's, of another item: possible only if both run at once. */
    @Test
    void stagesOnDifferentDevicesWorkAtTheSameTime() throws InterruptedException {
        CyclicBarrier both = new CyclicBarrier(2);
        try (Pipeline<TestSlot> pipeline = slots(3).stage(
                        "first", A, slot -> slot.first(() -> meet(both, slot.number > 0)))
                .stage("second", B, slot -> slot.second(() -> meet(both, slot.number < 9)))
                .host("check", 1, (slot, reports) -> slot.check())
                .open()) {
            List<CompletableFuture<ItemReport>> all = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                all.add(pipeline.submit(pipeline.acquire().fill(i)));
            }
            all.forEach(CompletableFuture::join);
        }
    }

    private static void meet(CyclicBarrier barrier, boolean wanted) {
        if (wanted) {
            try {
                barrier.await(300, TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new IllegalStateException("the other stage does not work", e);
            }
        }
    }

    /** Making the first jobs took 0.3 s, in which readers had nothing to do: whoever made them alone gave out items. */
    @Test
    void theHostGoesOnWhileAJobIsMade() throws InterruptedException {
        CountDownLatch third = new CountDownLatch(1);
        AtomicBoolean read = new AtomicBoolean();
        try (Pipeline<TestSlot> pipeline = slots(3).host("read", 2, (slot, reports) -> {
                    if (slot.number == 2) {
                        third.countDown();
                    }
                })
                .stage("work", slot -> {
                    try {
                        read.set(slot.number > 0 ? read.get() : third.await(30, TimeUnit.SECONDS));
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return slot.first();
                })
                .open()) {
            List<CompletableFuture<ItemReport>> all = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                all.add(pipeline.submit(pipeline.acquire().fill(i)));
            }
            all.forEach(CompletableFuture::join);
        }
        assertTrue(read.get());
    }

    @Test
    void thereAreOnlySoManySlots() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        try (Pipeline<TestSlot> pipeline =
                slots(2).stage("first", slot -> slot.first(() -> await(go))).open()) {
            CompletableFuture<ItemReport> one = submit(pipeline, 1);
            CompletableFuture<ItemReport> two = submit(pipeline, 2);
            assertNull(pipeline.tryAcquire());
            AtomicReference<TestSlot> third = new AtomicReference<>();
            Thread waiting = new Thread(() -> {
                try {
                    third.set(pipeline.acquire());
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            waiting.start();
            Thread.sleep(50);
            assertNull(third.get());
            go.countDown();
            waiting.join();
            one.join();
            two.join();
            assertNotNull(third.get());
            pipeline.release(third.get());
            assertNotNull(pipeline.tryAcquire());
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(300, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static CompletableFuture<ItemReport> submit(Pipeline<TestSlot> pipeline, int number)
            throws InterruptedException {
        return pipeline.submit(pipeline.acquire().fill(number));
    }

    @Test
    void anItemThatFailsFreesItsSlotAndTheOthersGoOn() throws InterruptedException {
        try (Pipeline<TestSlot> pipeline = slots(2).stage("first", A, slot -> {
                    if (slot.number % 5 == 1) {
                        throw new IllegalArgumentException("no job for " + slot.number);
                    }
                    return slot.first();
                })
                .stage(
                        "second",
                        B,
                        slot -> slot.second(() -> {
                            if (slot.number % 5 == 2) {
                                throw new IllegalStateException("no end of " + slot.number);
                            }
                        }))
                .host("third", 2, (slot, reports) -> {
                    slot.check();
                    if (slot.number % 5 == 3) {
                        throw new IOException("no use for " + slot.number);
                    }
                })
                .open()) {
            List<CompletableFuture<ItemReport>> all = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                all.add(submit(pipeline, i));
            }
            for (int i = 0; i < 40; i++) {
                CompletableFuture<ItemReport> future = all.get(i);
                switch (i % 5) {
                    case 1 -> {
                        EvenerException e = assertInstanceOf(EvenerException.class, cause(future));
                        assertTrue(
                                e.getMessage().startsWith("stage 'first': ")
                                        && e.getMessage().contains("no job for " + i),
                                e::getMessage);
                    }
                    case 2 -> {
                        EvenerException e = assertInstanceOf(EvenerException.class, cause(future));
                        assertTrue(e.getMessage().startsWith("stage 'second': job 'second'"), e::getMessage);
                    }
                    case 3 -> {
                        EvenerException e = assertInstanceOf(EvenerException.class, cause(future));
                        assertEquals("stage 'third': java.io.IOException: no use for " + i, e.getMessage());
                        assertInstanceOf(IOException.class, e.getCause());
                    }
                    default -> assertEquals(i, future.join().item());
                }
            }
            assertEquals(16, pipeline.report().items());
            assertEquals(24, pipeline.report().failed());
            assertNotNull(pipeline.tryAcquire());
            assertNotNull(pipeline.tryAcquire());
        }
    }

    /** Two threads work at once, each on an item of its own; a third item waits. */
    @Test
    void aHostStageWorksOnAsManyItemsAsItHasThreads() throws InterruptedException {
        CyclicBarrier both = new CyclicBarrier(2);
        List<String> threads = Collections.synchronizedList(new ArrayList<>());
        try (Pipeline<TestSlot> pipeline = slots(4).host("read", 2, (slot, reports) -> {
                    threads.add(Thread.currentThread().getName());
                    meet(both, true);
                })
                .stage("first", TestSlot::first)
                .stage("second", TestSlot::second)
                .host("check", 1, (slot, reports) -> slot.check())
                .open()) {
            List<CompletableFuture<ItemReport>> all = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                all.add(submit(pipeline, i));
            }
            all.forEach(CompletableFuture::join);
        }
        assertEquals(10, threads.size());
        assertEquals(Set.of("evener-read-1", "evener-read-2"), Set.copyOf(threads));
    }

    @Test
    void cancellingAllEndsThemAndRefusesMore() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (Pipeline<TestSlot> pipeline = slots(3).host("read", 1, (slot, reports) -> {
                    begun.countDown();
                    await(go);
                })
                .stage("first", A, TestSlot::first)
                .open()) {
            List<CompletableFuture<ItemReport>> all = List.of(submit(pipeline, 0), submit(pipeline, 1));
            await(begun);
            pipeline.cancel();
            all.forEach(future -> assertThrows(CancellationException.class, future::join));
            assertThrows(IllegalStateException.class, pipeline::acquire);
            go.countDown();
            pipeline.drain();
            assertEquals(2, pipeline.report().failed());
        }
    }

    @Test
    void aWaitingItemIsCancelledAtOnceAndARunningOneBetweenChunks() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        List<Integer> second = Collections.synchronizedList(new ArrayList<>());
        try (Pipeline<TestSlot> pipeline = slots(4).stage(
                        "first",
                        A,
                        slot -> slot.first(() -> {
                            begun.countDown();
                            await(go);
                        }))
                .stage("second", B, slot -> {
                    second.add(slot.number);
                    return slot.second();
                })
                .open()) {
            List<CompletableFuture<ItemReport>> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) { // one runs, one is submitted, two wait
                all.add(submit(pipeline, i));
            }
            await(begun);
            assertNull(pipeline.tryAcquire());
            assertTrue(all.get(2).cancel(true));
            TestSlot free = pipeline.tryAcquire();
            assertNotNull(free, "nobody uses the slot of an item that waits");
            assertTrue(all.get(0).cancel(true));
            assertTrue(all.get(1).cancel(true));
            Thread.sleep(50);
            assertNull(pipeline.tryAcquire(), "the device is still at it");
            go.countDown();
            assertEquals(3, all.get(3).join().item());
            assertThrows(CancellationException.class, all.get(0)::join);
            pipeline.release(free);
            for (int i = 0; i < 4; i++) {
                pipeline.acquire();
            }
            assertEquals(List.of(3), second);
            assertEquals(3, pipeline.report().failed());
        }
    }

    @Test
    void closingWaitsForWhatIsUnderWay() throws InterruptedException {
        List<TestSlot> made = Collections.synchronizedList(new ArrayList<>());
        List<CompletableFuture<ItemReport>> all = new ArrayList<>();
        Pipeline<TestSlot> pipeline = Pipeline.over(evener, 3, () -> {
                    TestSlot slot = new TestSlot(evener);
                    made.add(slot);
                    return slot;
                })
                .stage("first", A, TestSlot::first)
                .stage("second", B, TestSlot::second)
                .open();
        for (int i = 0; i < 3; i++) {
            TestSlot slot = pipeline.acquire().fill(i);
            slot.firstRounds = 20_000;
            all.add(pipeline.submit(slot));
        }
        AtomicReference<Throwable> waiting = new AtomicReference<>();
        CountDownLatch starting = new CountDownLatch(1);
        Thread waiter = new Thread(() -> {
            try {
                starting.countDown();
                while (true) {
                    pipeline.acquire(); // and never gives it back
                }
            } catch (Throwable e) {
                waiting.set(e);
            }
        });
        waiter.start();
        await(starting);
        pipeline.close();
        pipeline.close();
        waiter.join();
        assertInstanceOf(IllegalStateException.class, waiting.get());
        all.forEach(future -> assertTrue(future.isDone() && !future.isCompletedExceptionally()));
        made.forEach(slot -> assertTrue(slot.closed));
        assertEquals(
                "this pipeline is closed",
                assertThrows(IllegalStateException.class, pipeline::acquire).getMessage());
        assertThrows(IllegalStateException.class, pipeline::tryAcquire);
    }

    @Test
    void anInterruptedClosingCancels() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Pipeline<TestSlot> pipeline = slots(2).stage(
                        "first",
                        A,
                        slot -> slot.first(() -> {
                            begun.countDown();
                            await(go);
                        }))
                .stage("second", B, TestSlot::second)
                .open();
        CompletableFuture<ItemReport> future = submit(pipeline, 1);
        await(begun);
        AtomicReference<Boolean> interrupted = new AtomicReference<>();
        Thread closer = new Thread(() -> {
            pipeline.close();
            interrupted.set(Thread.interrupted());
        });
        closer.start();
        closer.interrupt();
        assertThrows(CancellationException.class, future::join);
        go.countDown();
        closer.join();
        assertEquals(true, interrupted.get());
    }

    @Test
    void anEvenerThatIsClosedEndsAllItems() throws InterruptedException {
        try (Pipeline<TestSlot> pipeline = plain(3)) {
            TestSlot held = pipeline.acquire().fill(9);
            CompletableFuture<ItemReport> one = submit(pipeline, 1);
            one.join();
            evener.close();
            assertInstanceOf(EvenerException.class, cause(pipeline.submit(held)));
        }
    }

    @Test
    void whatWouldWaitForItselfIsRefused() throws InterruptedException {
        List<Throwable> refused = Collections.synchronizedList(new ArrayList<>());
        AtomicReference<CompletableFuture<ItemReport>> next = new AtomicReference<>();
        AtomicReference<Pipeline<TestSlot>> self = new AtomicReference<>();
        CountDownLatch chained = new CountDownLatch(1); // or what follows the item would run in this thread
        try (Pipeline<TestSlot> pipeline = slots(2).stage("first", A, TestSlot::first)
                .host("last", 1, (slot, reports) -> {
                    if (slot.number == 1) {
                        await(chained);
                        Pipeline<TestSlot> mine = self.get();
                        refused.add(assertThrows(IllegalStateException.class, mine::acquire));
                        refused.add(assertThrows(IllegalStateException.class, mine::close));
                        refused.add(assertThrows(IllegalStateException.class, mine::drain));
                        TestSlot other = mine.tryAcquire();
                        assertNotNull(other);
                        next.set(mine.submit(other.fill(2)));
                    }
                })
                .open()) {
            self.set(pipeline);
            CompletableFuture<Void> all = submit(pipeline, 1)
                    .thenRun(() -> refused.add(assertThrows(IllegalStateException.class, pipeline::acquire)));
            chained.countDown();
            all.join();
            assertEquals(1, next.get().join().item());
            assertEquals(4, refused.size());
            assertTrue(refused.get(0).getMessage().contains("tryAcquire"), refused::toString);
        }
    }

    @Test
    void wrongUseIsRefused() throws InterruptedException {
        assertThrows(IllegalArgumentException.class, () -> slots(0));
        assertThrows(IllegalArgumentException.class, () -> slots(1).open());
        assertThrows(
                IllegalArgumentException.class,
                () -> slots(1).stage("a", TestSlot::first).stage("a", TestSlot::second));
        assertTrue(assertThrows(
                        EvenerException.class,
                        () -> slots(1).stage("a", DeviceSelector.parse("7.7"), TestSlot::first)
                                .open())
                .getMessage()
                .contains("7.7"));
        try (TestSlot slot = new TestSlot(evener)) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> Pipeline.over(evener, List.of(slot, slot))
                            .stage("a", TestSlot::first)
                            .open());
            assertThrows(
                    IllegalArgumentException.class,
                    () -> Pipeline.over(evener, List.<TestSlot>of())
                            .stage("a", TestSlot::first)
                            .open());
            try (Pipeline<TestSlot> pipeline = Pipeline.over(evener, List.of(slot))
                    .stage("a", TestSlot::first)
                    .open()) {
                assertThrows(IllegalArgumentException.class, () -> pipeline.submit(slot));
                assertThrows(IllegalArgumentException.class, () -> pipeline.release(slot));
                assertSame(slot, pipeline.acquire());
                pipeline.submit(slot.fill(1)).join();
                assertThrows(IllegalArgumentException.class, () -> pipeline.submit(slot));
            }
            assertTrue(!slot.closed, "it is the caller's");
        }
    }

    @Test
    void slotsThatCannotAllBeMadeAreClosed() {
        List<TestSlot> made = new ArrayList<>();
        PipelineBuilder<TestSlot> builder = Pipeline.over(evener, 3, () -> {
            if (made.size() == 2) {
                throw new EvenerException("no memory");
            }
            made.add(new TestSlot(evener));
            return made.get(made.size() - 1);
        });
        assertThrows(
                EvenerException.class, () -> builder.stage("a", TestSlot::first).open());
        made.forEach(slot -> assertTrue(slot.closed));
    }
}
