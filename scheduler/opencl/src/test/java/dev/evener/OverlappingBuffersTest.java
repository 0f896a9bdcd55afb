package dev.evener;

import static dev.evener.Access.slice;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access.Reduction;
import dev.evener.policy.Policies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Buffers wrapped over one memory: a job that writes what another of its buffers sees is refused each time, and finding that
 * out neither writes the memory nor asks whether a job is at work on it.
 */
class OverlappingBuffersTest {
    private static final int BUILDS = LongTests.orAll(20_000, 1_000_000); // at least, in two threads
    private static final int JOBS = 20; // at least, beside them
    private static final int PAGE = 4096;
    private static final int N = 4096;
    private static final int PATTERN = 0x5A5A5A5A;
    private static final VarHandle INTS = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final KernelSource SOURCE = KernelSource.of("overlapping", """
            __kernel void look(__global const int *pattern, __global int *counters, __global int *wrong) {
                size_t i = get_global_id(0);
                counters[i]++;
                if (pattern[i] != 0x5A5A5A5A) atomic_inc(wrong);
            }
            """);

    /** The application's memory, each part of it seen by two buffers that are a page apart, and one part by none but its own. */
    private final ByteBuffer memory = ByteBuffer.allocateDirect(3 * Integer.BYTES * N + 2 * PAGE)
            .alignedSlice(PAGE)
            .order(ByteOrder.nativeOrder());

    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong jobs = new AtomicLong();

    private ByteBuffer part(int number, int from) {
        return memory.slice(Integer.BYTES * N * number + from, Integer.BYTES * N - from)
                .order(ByteOrder.nativeOrder());
    }

    private static Job copy(HostBuffer from, HostBuffer to) {
        return Job.named("copy")
                .units(PAGE / Integer.BYTES)
                .kernel("copy")
                .jvm(chunk -> {})
                .reads(from, slice(1))
                .writes(to, slice(1))
                .build();
    }

    private void refuse(HostBuffer from, HostBuffer to) {
        try {
            copy(from, to);
            accepted.incrementAndGet();
        } catch (EvenerException e) {
            assertTrue(e.getMessage().contains("lie over each other in memory"), e.getMessage());
            refused.incrementAndGet();
        }
    }

    private static Job look(HostBuffer pattern, HostBuffer counters, HostBuffer wrong) {
        return Job.named("look")
                .source(SOURCE)
                .units(N)
                .kernel("look")
                .reads(pattern, slice())
                .updates(counters, slice())
                .reduces(wrong, Reduction.SUM)
                .jvm(chunk -> {
                    IntBuffer counted = chunk.buffer(1).asIntBuffer();
                    int differ = 0;
                    for (int i = 0; i < chunk.units(); i++) {
                        counted.put(i, counted.get(i) + 1);
                        differ += chunk.buffer(0).getInt(4 * i) == PATTERN ? 0 : 1;
                    }
                    chunk.buffer(2).putInt(0, chunk.buffer(2).getInt(0) + differ);
                })
                .build();
    }

    /** How often an int was seen to differ at the starts of pages, where an overlap begins, until something has ended. */
    private long changes(CompletableFuture<?> end) {
        long changes = 0;
        while (!end.isDone()) {
            for (int at = 0; at < Integer.BYTES * N; at += PAGE) {
                changes += (int) INTS.getVolatile(memory, at) == PATTERN ? 0 : 1;
            }
        }
        return changes;
    }

    @Test
    void buildingJobsBesideRunningOnesWritesNoMemory() {
        for (int i = 0; i < N; i++) {
            memory.putInt(4 * i, PATTERN);
            memory.putInt(4 * (2 * N + i), PATTERN);
        }
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0,jvm"))
                .policy(Policies.fixed())
                .history(History.inMemory())
                .open()) {
            HostBuffer pattern = evener.wrap(ElementType.INT, part(0, 0));
            HostBuffer patternAgain = evener.wrap(ElementType.INT, part(0, PAGE));
            HostBuffer counters = evener.wrap(ElementType.INT, part(1, 0));
            HostBuffer countersAgain = evener.wrap(ElementType.INT, part(1, PAGE));
            HostBuffer apart = evener.wrap(ElementType.INT, part(2, 0));
            HostBuffer wrong = evener.allocate(ElementType.INT, 1);
            Runnable builds = () -> {
                for (int i = 0; i < BUILDS / 10 || jobs.get() < JOBS; i++) {
                    refuse(pattern, patternAgain);
                    refuse(patternAgain, pattern);
                    refuse(counters, countersAgain);
                    refuse(countersAgain, counters);
                    copy(pattern, apart);
                }
            };
            Job job = look(pattern, counters, wrong);
            evener.prepare(job).join();
            CompletableFuture<Void> built =
                    CompletableFuture.allOf(CompletableFuture.runAsync(builds), CompletableFuture.runAsync(builds));
            CompletableFuture<Long> changes = new CompletableFuture<>();
            new Thread(() -> changes.complete(changes(built)), "watcher").start();
            long wrongResults = 0;
            while (!built.isDone()) {
                evener.submit(job).orTimeout(2, TimeUnit.MINUTES).join(); // for one that hangs
                wrongResults += wrong.ints().get(0);
                jobs.incrementAndGet();
            }
            built.join();

            long lost = 0;
            for (int i = 0; i < N; i++) {
                lost += memory.getInt(4 * (N + i)) == jobs.get() ? 0 : 1;
                assertEquals(PATTERN, memory.getInt(4 * i), "left changed at " + i);
                assertEquals(PATTERN, memory.getInt(4 * (2 * N + i)), "left changed at " + i);
            }
            long countersLost = lost;
            long seenByJobs = wrongResults;
            String among = " among " + (accepted.get() + refused.get()) + " beside " + jobs + " jobs";
            assertAll(
                    () -> assertEquals(0, accepted.get(), () -> "forbidden jobs accepted" + among),
                    () -> assertEquals(0, seenByJobs, () -> "changed ints seen by jobs" + among),
                    () -> assertEquals(0, changes.join(), () -> "changed ints seen by the application" + among),
                    () -> assertEquals(0, countersLost, () -> "counters with a wrong sum" + among));
        }
    }

    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES) // for one that hangs
    void whatAJobIsAtWorkOnIsComparedToo() throws InterruptedException {
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("jvm"))
                .history(History.inMemory())
                .open()) {
            HostBuffer whole = evener.wrap(ElementType.INT, part(0, 0));
            HostBuffer end = evener.wrap(ElementType.INT, part(0, PAGE));
            HostBuffer other = evener.wrap(ElementType.INT, part(1, 0));
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch seen = new CountDownLatch(1);
            JobFuture running = evener.submit(Job.named("holds")
                    .units(1)
                    .kernel("holds")
                    .jvm(chunk -> {
                        begun.countDown();
                        try {
                            seen.await();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    })
                    .updates(whole, slice(1))
                    .build());
            begun.await();
            try {
                assertTrue(whole.overlaps(end) && end.overlaps(whole));
                assertFalse(whole.overlaps(other) || other.overlaps(whole));
                assertThrows(EvenerException.class, () -> copy(end, whole));
                assertThrows(EvenerException.class, () -> copy(whole, end));
                copy(other, end);
            } finally {
                seen.countDown();
            }
            running.join();
        }
    }

    /** Only those were told that saw it through the same buffer; others worked on what was not written. */
    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES) // for one that hangs
    void aJobIsToldWhatAnEarlierOneDidNotWriteThroughAnotherBuffer() {
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("jvm"))
                .history(History.inMemory())
                .open()) {
            HostBuffer whole = evener.wrap(ElementType.INT, part(0, 0));
            HostBuffer end = evener.wrap(ElementType.INT, part(0, PAGE));
            HostBuffer other = evener.wrap(ElementType.INT, part(1, 0));
            int page = PAGE / Integer.BYTES;
            CompletableFuture<Void> gate = new CompletableFuture<>();
            for (boolean meets : new boolean[] {true, false}) {
                Job waits = Job.named("fails")
                        .units(page)
                        .kernel("fails")
                        .jvm(chunk -> {})
                        .writes(whole.range(meets ? page : 0, page), slice())
                        .build();
                JobFuture fails = evener.submitAfter(waits, gate);
                JobFuture reads = evener.submit(copy(end, other));
                if (!meets) {
                    reads.join(); // which does not wait
                }
                assertTrue(fails.cancel(false));
                if (meets) {
                    CompletionException told = assertThrows(CompletionException.class, reads::join);
                    assertTrue(told.getCause() instanceof DataLostException, told::toString);
                    assertTrue(told.getMessage().contains("job 'fails' was cancelled"), told::getMessage);
                }
            }
        }
    }

    @Test
    void aViewOfAnAllocatedBufferOverlapsThatBufferAlone() {
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("jvm"))
                .history(History.inMemory())
                .segmentBytes(PAGE)
                .open()) {
            HostBuffer segments = evener.allocate(ElementType.INT, 1000 * 1024);
            HostBuffer other = evener.allocate(ElementType.INT, 1000 * 1024);
            assertEquals(1000, segments.segmentCount());
            HostBuffer view = evener.wrap(ElementType.INT, segments.segments().get(900));
            ByteBuffer own = part(0, 0).limit(PAGE);
            assertTrue(view.overlaps(segments) && segments.overlaps(view));
            assertFalse(view.overlaps(other) || other.overlaps(view) || segments.overlaps(other));
            assertThrows(EvenerException.class, () -> copy(segments, view));
            HostBuffer nothing =
                    evener.wrap(ElementType.INT, own.duplicate().limit(0).order(ByteOrder.nativeOrder()));
            assertTrue(nothing.overlaps(nothing));
            assertFalse(nothing.overlaps(evener.wrap(ElementType.INT, own)));
            segments.close();
            assertFalse(view.overlaps(segments) || segments.overlaps(view), "closed");
        }
    }
}
