package dev.evener;

import static dev.evener.Access.slice;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.event.RunEvent;
import dev.evener.policy.Policies;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs that are submitted together do what they do one after the other, as fewer jobs where that can be. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BatchTest {
    private static final int N = 1000;

    private final List<Integer> kernels =
            Collections.synchronizedList(new ArrayList<>()); // of each job that was submitted

    private EvenerBuilder builder() {
        return Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .policy(Policies.fixed(0.4, 0.6))
                .sharedMemory(false)
                .history(History.inMemory())
                .listener(event -> {
                    if (event instanceof RunEvent.Submitted job) {
                        kernels.add(job.kernels().size());
                    }
                });
    }

    /** Each element becomes its left neighbour's value times three, and {@code by} more. */
    private static JobBuilder step(DataBuffer in, DataBuffer out, int by) {
        return Job.named("step")
                .source("""
                        kernel void triple(global const int *in, global int *out, int by) {
                            size_t i = get_global_id(0);
                            out[i] = 3 * in[i == 0 ? 0 : i - 1] + by;
                        }
                        """)
                .units(N)
                .kernel("triple")
                .jobView()
                .reads(in, slice().halo(1, 0))
                .writes(out, slice())
                .scalar(by);
    }

    private static int[] stepped(int[] in, int by) {
        return IntStream.range(0, N).map(i -> 3 * in[Math.max(0, i - 1)] + by).toArray();
    }

    private static int[] first() {
        return IntStream.range(0, N).map(i -> i * i).toArray();
    }

    private static ManagedBuffer managed(Evener evener, int[] values) {
        ManagedBuffer buffer = evener.allocateManaged(ElementType.INT, N);
        buffer.overwrite(view -> view.ints().put(values));
        return buffer;
    }

    private static int[] content(ManagedBuffer buffer) {
        int[] all = new int[N];
        buffer.read(view -> view.ints().get(all));
        return all;
    }

    @Test
    void jobsThatFollowEachOtherAreOne() {
        try (Evener evener = builder().open()) {
            for (int count : new int[] {1, 2, 15, 16, 17, 40}) {
                kernels.clear();
                ManagedBuffer a = managed(evener, first());
                ManagedBuffer b = managed(evener, new int[N]);
                List<Job> jobs = new ArrayList<>();
                int[] expected = first();
                for (int i = 0; i < count; i++) {
                    jobs.add(step(i % 2 == 0 ? a : b, i % 2 == 0 ? b : a, i).build());
                    expected = stepped(expected, i);
                }
                List<Report> reports = evener.batch(jobs).join();
                assertArrayEquals(expected, content(count % 2 == 0 ? a : b), "of " + count);
                assertEquals((count + 15) / 16, reports.size());
                assertEquals(reports.size(), kernels.size());
                assertEquals(count, kernels.stream().mapToInt(i -> i).sum());
                a.close();
                b.close();
            }
        }
    }

    /** A host step in the first, the middle or the last job, and others on other data, keep their places. */
    @Test
    void whatCannotBeJoinedKeepsItsPlace() {
        try (Evener evener = builder().open()) {
            for (int at = 0; at < 5; at++) {
                ManagedBuffer a = managed(evener, first());
                ManagedBuffer b = managed(evener, new int[N]);
                List<Job> jobs = new ArrayList<>();
                List<Integer> seen = new ArrayList<>();
                int[] expected = first();
                for (int i = 0; i < 5; i++) {
                    ManagedBuffer to = i % 2 == 0 ? b : a;
                    JobBuilder job = step(i % 2 == 0 ? a : b, to, i);
                    expected = stepped(expected, i);
                    if (i == at) {
                        job.hostStep(host -> seen.add(host.read(to, N - 1, 1).getInt(0)), new DataBuffer[0]);
                        assertTrue(seen.isEmpty());
                    }
                    jobs.add(job.build());
                }
                int[] there = first();
                for (int i = 0; i <= at; i++) {
                    there = stepped(there, i);
                }
                List<Report> reports = evener.batch(jobs).join();
                assertEquals(List.of(there[N - 1]), seen);
                assertArrayEquals(expected, content(b));
                assertEquals(at == 0 || at == 4 ? 2 : 3, reports.size(), "the step after job " + at);
            }
        }
    }

    @Test
    void itEndsWithTheFirstThatFailsOnceAllHaveEnded() {
        Evener closed;
        try (Evener evener = builder().open()) {
            closed = evener;
            ManagedBuffer a = managed(evener, first());
            ManagedBuffer b = managed(evener, new int[N]);
            ManagedBuffer c = managed(evener, new int[N]);
            IllegalStateException one = new IllegalStateException("one");
            List<Job> jobs = List.of(
                    step(a, b, 0)
                            .hostStep(() -> {
                                throw one;
                            })
                            .build(),
                    step(a, c, 1)
                            .hostStep(() -> {
                                throw new IllegalStateException("other");
                            })
                            .build());
            CompletableFuture<List<Report>> batch = evener.batch(jobs);
            Throwable cause =
                    assertThrows(CompletionException.class, batch::join).getCause();
            assertSame(one, cause.getCause());
            assertEquals(List.of(), evener.batch(List.of()).join());
        }
        assertThrows(IllegalStateException.class, () -> closed.batch(List.of()));
    }

    @Test
    void cancellingItCancelsWhatHasNotEndedAndAFullQueueLeavesNothing() {
        CountDownLatch go = new CountDownLatch(1);
        try (Evener evener = builder().queueLimit(2).open()) {
            ManagedBuffer a = managed(evener, first());
            ManagedBuffer b = managed(evener, new int[N]);
            JobBuilder held = step(a, b, 0).hostStep(() -> {
                try {
                    go.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            Job slow = held.build();
            JobFuture before = evener.submit(slow);
            CompletableFuture<List<Report>> batch = evener.batch(List.of(slow));
            assertThrows(RejectedExecutionException.class, () -> evener.batch(List.of(slow, slow, slow)));
            assertFalse(batch.isDone());
            batch.cancel(true);
            go.countDown();
            before.join();
            assertTrue(evener.trySubmit(step(a, b, 7).build())
                    .map(CompletableFuture::join)
                    .isPresent());
            assertArrayEquals(stepped(first(), 7), content(b));
            assertEquals(Optional.empty(), Optional.of(evener.queue().length()).filter(n -> n > 0));
        }
    }
}
