package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(900)
class HandOverTest {
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() throws InterruptedException {
        threads.shutdownNow();
        assertTrue(threads.awaitTermination(120, TimeUnit.SECONDS), "a thread still waits");
    }

    @Test
    void firstInFirstOut() throws InterruptedException {
        HandOver<Integer> queue = new HandOver<>(3);
        assertEquals(4, queue.capacity());
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < 4; i++) {
                assertTrue(queue.put(i));
            }
            for (int i = 0; i < 4; i++) {
                assertEquals(i, queue.take());
            }
        }
    }

    @Test
    void putWaitsWhileFull() throws Exception {
        HandOver<Integer> queue = new HandOver<>(2);
        queue.put(1);
        queue.put(2);
        Future<Boolean> third = threads.submit(() -> queue.put(3));
        Thread.sleep(50);
        assertFalse(third.isDone());
        assertEquals(1, queue.take());
        assertTrue(third.get());
    }

    @Test
    void takeWaitsWhileEmptyAndCloseDrains() throws Exception {
        HandOver<Integer> queue = new HandOver<>(2);
        Future<Integer> first = threads.submit(queue::take);
        Thread.sleep(50);
        assertFalse(first.isDone());
        queue.put(1);
        assertEquals(1, first.get());
        queue.put(2);
        queue.close();
        queue.close();
        assertFalse(queue.put(3));
        assertEquals(2, queue.take());
        assertNull(queue.take());
        assertNull(queue.take());
    }

    @Test
    void closeEndsEveryWait() throws Exception {
        HandOver<Integer> full = new HandOver<>(2);
        full.put(1);
        full.put(2);
        HandOver<Integer> empty = new HandOver<>(2);
        List<Future<Boolean>> putters = new ArrayList<>();
        List<Future<Integer>> takers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            putters.add(threads.submit(() -> full.put(9)));
            takers.add(threads.submit(empty::take));
        }
        Thread.sleep(50);
        full.close();
        empty.close();
        for (int i = 0; i < 3; i++) {
            assertFalse(putters.get(i).get());
            assertNull(takers.get(i).get());
        }
    }

    @Test
    void failureEndsEveryWaitWithItsCause() throws Exception {
        HandOver<Integer> queue = new HandOver<>(2);
        Future<Integer> taker = threads.submit(queue::take);
        Thread.sleep(50);
        IllegalStateException cause = new IllegalStateException("first");
        queue.fail(cause);
        queue.fail(new IllegalStateException("second"));
        ExecutionException e = assertThrows(ExecutionException.class, taker::get);
        assertSame(cause, e.getCause().getCause());
        assertSame(
                cause,
                assertThrows(CompletionException.class, () -> queue.put(1)).getCause());
        assertSame(cause, assertThrows(CompletionException.class, queue::take).getCause());
    }

    @Test
    void interruptsEndAWait() throws Exception {
        HandOver<Integer> queue = new HandOver<>(2);
        Taker taker = new Taker(queue);
        taker.start();
        taker.interrupt();
        taker.join();
        assertTrue(taker.interrupted);
        queue.put(7);
        assertEquals(7, queue.take());
    }

    /** An item that comes at the same time as the interrupt is the taker's or stays there. */
    @Test
    void interruptsLoseNothing() throws Exception {
        HandOver<Integer> queue = new HandOver<>(2);
        for (int round = 0; round < 500; round++) {
            Taker taker = new Taker(queue);
            taker.start();
            if (round % 2 == 0) {
                while (taker.getState() != Thread.State.WAITING) {
                    Thread.onSpinWait();
                }
            }
            taker.interrupt();
            queue.put(round);
            taker.join();
            assertEquals(round, taker.interrupted ? queue.take() : taker.taken);
        }
    }

    /** Takes one item, or is interrupted. */
    private static final class Taker extends Thread {
        private final HandOver<Integer> queue;
        private volatile boolean interrupted;
        private volatile Integer taken;

        Taker(HandOver<Integer> queue) {
            this.queue = queue;
        }

        @Override
        public void run() {
            try {
                taken = queue.take();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }

    /** Closing while putters and takers are at it: every accepted item is taken once, no refused one is. */
    @Test
    void nothingIsLostOrDoubledWhenClosed() throws Exception {
        for (int round = 0; round < 2000; round++) {
            HandOver<Integer> queue = new HandOver<>(1 + round % 5);
            AtomicInteger accepted = new AtomicInteger();
            int items = 40;
            BitSet taken = new BitSet();
            List<Future<?>> all = new ArrayList<>();
            int closer = round % items;
            for (int p = 0; p < 3; p++) {
                int putter = p;
                all.add(threads.submit((Callable<Void>) () -> {
                    for (int i = 0; i < items; i++) {
                        if (putter == 0 && i == closer) {
                            queue.close();
                        }
                        if (queue.put(putter * items + i)) {
                            accepted.incrementAndGet();
                        }
                    }
                    return null;
                }));
            }
            for (int t = 0; t < 3; t++) {
                all.add(threads.submit((Callable<Void>) () -> {
                    for (Integer item = queue.take(); item != null; item = queue.take()) {
                        synchronized (taken) {
                            assertFalse(taken.get(item), "taken twice");
                            taken.set(item);
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
            assertEquals(accepted.get(), taken.cardinality(), "round " + round);
        }
    }

    /** A slow ping-pong over tiny queues, where every lost wake-up would hang. */
    @Test
    void noWakeUpIsLost() throws Exception {
        HandOver<Integer> there = new HandOver<>(1);
        HandOver<Integer> back = new HandOver<>(1);
        int items = 50_000;
        List<Future<?>> echoes = new ArrayList<>();
        for (int t = 0; t < 2; t++) {
            echoes.add(threads.submit((Callable<Void>) () -> {
                for (Integer item = there.take(); item != null; item = there.take()) {
                    back.put(item);
                }
                return null;
            }));
        }
        Future<Long> sum = threads.submit(() -> {
            long total = 0;
            for (int i = 0; i < items; i++) {
                total += back.take();
            }
            return total;
        });
        for (int i = 0; i < items; i++) {
            there.put(i);
        }
        assertEquals(items * (items - 1L) / 2, sum.get());
        there.close();
        for (Future<?> echo : echoes) {
            echo.get();
        }
    }

    @Test
    void failingWhileEverybodyIsAtItEndsEverybody() throws Exception {
        for (int round = 0; round < 500; round++) {
            HandOver<Integer> queue = new HandOver<>(2);
            List<Future<?>> all = new ArrayList<>();
            for (int t = 0; t < 2; t++) {
                all.add(threads.submit((Callable<Void>) () -> {
                    while (true) {
                        queue.put(1);
                    }
                }));
                all.add(threads.submit((Callable<Void>) () -> {
                    while (true) {
                        queue.take();
                    }
                }));
            }
            queue.fail(new IllegalStateException("enough"));
            for (Future<?> one : all) {
                ExecutionException e = assertThrows(ExecutionException.class, one::get);
                assertEquals("enough", e.getCause().getCause().getMessage());
            }
        }
    }
}
