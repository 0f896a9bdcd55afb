package dev.evener;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.EvenerException.ApplicationFailedException;
import dev.evener.EvenerException.BuildFailedException;
import dev.evener.EvenerException.JobException;
import dev.evener.EvenerException.JobRejectedException;
import dev.evener.internal.NativeLedger;
import dev.evener.policy.Plan;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a managed buffer holds after a job that failed before anything of it began, or whose results found no room: what it held. It was
 * lost, whatever the failure. Those submitted before the failure was known, which count on the job, are told all the same.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KeptContentTest {
    private static final int N = 4096;
    private static final String SOURCE = """
            __kernel void bump(__global int *data) { data[get_global_id(0)] += 1; }
            __kernel void over(__global const int *in, __global int *out) {
                out[get_global_id(0)] = in[get_global_id(0)];
            }
            __kernel void odd(__global const int *in, __global int *slots, __global uint *counts) {
                size_t i = get_global_id(0);
                slots[i] = in[i];
                counts[i] = in[i] & 1;
            }
            """;

    private final Map<NativeLedger.Kind, Long> before = NativeLedger.live();

    @AfterEach
    void nothingLeaks() {
        assertEquals(before, NativeLedger.live());
    }

    /** Throws where it is told to. */
    private record Moody(boolean plans) implements Policy {
        @Override
        public String name() {
            return "moody";
        }

        @Override
        public Plan plan(Snapshot snapshot) {
            if (!plans) {
                throw new IllegalStateException("not today");
            }
            return Policies.fixed().plan(snapshot);
        }

        @Override
        public long chunk(Progress progress, int lane) {
            throw new IllegalStateException("not today");
        }
    }

    /** Of memory of its own, on the host's memory, and in Java. */
    private static Evener open(String place) {
        return Evener.builder()
                .devices(DeviceSelector.parse(place.equals("jvm") ? "jvm" : "0.0"))
                .sharedMemory(!place.equals("own"))
                .history(History.inMemory())
                .open();
    }

    /** On the device, if that has memory of its own, and nowhere else. */
    private static ManagedBuffer odds(Evener evener) {
        ManagedBuffer made = evener.allocateManaged(ElementType.INT, N);
        try (ManagedBuffer.Scope scope = made.update()) {
            scope.ints().put(IntStream.range(0, N).toArray());
        }
        evener.submit(bump(made).build()).join();
        return made;
    }

    private static int[] bumped() {
        return IntStream.rangeClosed(1, N).toArray();
    }

    private static int[] content(ManagedBuffer of) {
        try (ManagedBuffer.Scope scope = of.read()) {
            int[] values = new int[(int) of.elements()];
            scope.ints().get(values);
            return values;
        }
    }

    private static JobBuilder bump(DataBuffer data) {
        return Job.named("bump")
                .source(SOURCE)
                .units(N)
                .kernel("bump")
                .updates(data, Access.slice())
                .jvm(c -> {
                    for (int i = 0; i < c.units(); i++) {
                        c.buffer(0).putInt(4 * i, c.buffer(0).getInt(4 * i) + 1);
                    }
                });
    }

    private static JobBuilder over(DataBuffer in, DataBuffer out) {
        return Job.named("over")
                .source(SOURCE)
                .units(N)
                .kernel("over")
                .reads(in, Access.slice())
                .writes(out, Access.slice())
                .jvm(c -> c.buffer(1).put(c.buffer(0)));
    }

    private static <T extends JobException> T failureOf(Class<T> type, CompletableFuture<?> future) {
        Throwable cause = assertThrows(CompletionException.class, future::join).getCause();
        return type.cast(assertInstanceOf(type, cause, cause::toString));
    }

    @ParameterizedTest
    @ValueSource(strings = {"own", "in place", "jvm"})
    void ofAJobWhosePolicyThrows(String place) {
        for (Policy moody : new Policy[] {new Moody(false), new Moody(true)}) {
            try (Evener evener = open(place)) {
                ManagedBuffer data = odds(evener);
                ManagedBuffer out = odds(evener);
                for (Job job : new Job[] {bump(data).build(), over(data, out).build()}) {
                    ApplicationFailedException failure =
                            failureOf(ApplicationFailedException.class, evener.submit(job, moody));
                    assertEquals(
                            "job '" + job.name() + "': policy moody failed: java.lang.IllegalStateException: not today",
                            failure.getMessage());
                    assertFalse(failure.retryCanHelp());
                    assertInstanceOf(IllegalStateException.class, failure.getCause());
                }
                assertArrayEquals(bumped(), content(data));
                assertArrayEquals(bumped(), content(out));
                assertTrue(evener.health().quarantined().isEmpty());
            }
        }
    }

    /** It ended as a device's failure, with the device quarantined, where that has memory of its own. */
    @ParameterizedTest
    @ValueSource(strings = {"own", "in place"})
    void ofAJobWhoseGroupIsTooLarge(String place) {
        try (Evener evener = open(place)) {
            ManagedBuffer data = odds(evener);
            failureOf(
                    BuildFailedException.class,
                    evener.submit(bump(data).groupSize(1 << 20).build()));
            assertArrayEquals(bumped(), content(data));
            assertTrue(evener.health().quarantined().isEmpty(), evener.health()::toString);
        }
    }

    /** Each end said that another attempt could help. */
    @Test
    void ofAJobThatCanNeverFit() {
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0"))
                .sharedMemory(false)
                .mirrorBytes(1000)
                .history(History.inMemory())
                .open()) {
            ManagedBuffer data = odds(evener);
            JobRejectedException failure = failureOf(
                    JobRejectedException.class,
                    evener.submit(bump(data).jobView().build()));
            assertTrue(
                    failure.getMessage()
                            .contains("needs 16384 bytes, and device 0.0 has 1000 for copies of whole buffers"),
                    failure::getMessage);
            ManagedBuffer count = evener.allocateManaged(ElementType.ULONG, 1);
            failure = failureOf(
                    JobRejectedException.class,
                    evener.submit(Job.named("much")
                            .source(SOURCE)
                            .units(1 << 20)
                            .kernel("odd")
                            .reads(evener.allocateManaged(ElementType.INT, 1 << 20), Access.slice())
                            .appends(data, count, 1 << 26)
                            .build()));
            assertTrue(failure.getMessage().contains("needs host memory for 1048576 units"), failure::getMessage);
            assertArrayEquals(bumped(), content(data));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"own", "in place", "jvm"})
    void ofResultsThatFindNoRoom(String place) {
        try (Evener evener = open(place)) {
            ManagedBuffer in = odds(evener);
            ManagedBuffer out = evener.allocateManaged(ElementType.INT, N / 4);
            ManagedBuffer count = evener.allocateManaged(ElementType.UINT, 1);
            ManagedBuffer much = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer number = evener.allocateManaged(ElementType.UINT, 1);
            ManagedBuffer after = odds(evener);
            try (ManagedBuffer.Scope scope = out.update()) {
                scope.ints().put(0, 77);
            }
            Job odd = Job.named("odd")
                    .source(SOURCE)
                    .units(N)
                    .kernel("odd")
                    .reads(in, Access.slice())
                    .appends(out, count, 1)
                    .jvm(c -> {
                        for (int i = 0; i < c.units(); i++) {
                            int value = c.buffer(0).getInt(4 * i);
                            c.buffer(1).putInt(4 * i, value);
                            c.buffer(2).putInt(4 * i, value & 1);
                        }
                    })
                    .build();
            ManagedBuffer.Scope holds = in.update(0, 1); // so that what counts on it is submitted before it fails
            JobFuture fails = evener.submit(odd);
            JobFuture counts = evener.submit(Job.named("counts")
                    .units(1)
                    .kernel("k")
                    .reads(count, Access.whole())
                    .writes(number, Access.slice())
                    .jvm(c -> {
                        throw new AssertionError("run on a count of what is not there");
                    })
                    .build());
            holds.close();
            JobRejectedException failure = failureOf(JobRejectedException.class, fails);
            assertTrue(failure.getMessage().contains("2048 elements were appended, but the buffer holds 1024"));
            failureOf(DataLostException.class, counts);
            assertArrayEquals(new int[] {N / 2}, content(count), "which says what is needed");
            assertEquals(77, content(out)[0]);
            evener.submit(odd.swap(out, much)).join();
            assertEquals(N - 1, content(much)[N / 2 - 1]);
            assertArrayEquals(bumped(), content(after));
        }
    }

    /**
     * Under a limit of time a kernel writes to memory of its own, which is let go if it fails or does not end. What another device alone
     * held of the buffer was given up when it began, and lost without a reason.
     */
    @ParameterizedTest
    @ValueSource(strings = {"throws", "hangs"})
    void ofAJobThatWasToWriteItOnTheHostAndKeptNothing(String how) {
        CountDownLatch ends = new CountDownLatch(1);
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0,jvm"))
                .sharedMemory(false)
                .history(History.inMemory())
                .open()) {
            ManagedBuffer data = odds(evener);
            evener.submit(bump(data).devices(DeviceSelector.parse("0.0")).build())
                    .join(); // which has it alone
            Job over = Job.named("over")
                    .units(N)
                    .kernel("over")
                    .writes(data, Access.slice())
                    .chunkDeadline(Duration.ofMillis(how.equals("hangs") ? 50 : 60_000))
                    .jvm(c -> {
                        c.buffer(0).putInt(0, 77);
                        if (how.equals("throws")) {
                            throw new IllegalStateException("not today");
                        }
                        boolean ignored = awaited(ends);
                    })
                    .build();
            failureOf(JobException.class, evener.submit(over, Policies.single(1)));
            assertArrayEquals(IntStream.range(2, N + 2).toArray(), content(data));
            ends.countDown();
        }
    }

    private static boolean awaited(CountDownLatch latch) {
        try {
            return latch.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What is asked for in between and writes nothing itself took the news away. */
    @ParameterizedTest
    @ValueSource(strings = {"mirror", "write", "cancelled overwrite", "unseen overwrite", "overwrite", "discard"})
    void behindWhatWritesNothingItIsMissedAllTheSame(String between) {
        try (Evener evener = open("jvm")) {
            ManagedBuffer in = odds(evener);
            ManagedBuffer data = odds(evener);
            ManagedBuffer out = odds(evener);
            ManagedBuffer.Scope holds = in.update(0, 1);
            JobFuture fails = evener.submit(over(in, data).build());
            CompletableFuture<?> asked = switch (between) {
                case "write" -> data.updateAsync(view -> view.ints().put(0, 7));
                case "overwrite" -> data.overwriteAsync(view -> view.ints().put(new int[N]));
                case "unseen overwrite" -> data.overwriteAsync(view -> {});
                case "cancelled overwrite" -> data.overwriteAsync();
                default -> CompletableFuture.completedFuture(null);
            };
            if (between.equals("mirror")) {
                data.mirror();
            } else if (between.equals("discard")) {
                data.discard();
            } else if (between.startsWith("cancelled")) {
                assertTrue(asked.cancel(false));
            }
            JobFuture counts = evener.submit(over(data, out).build());
            assertTrue(fails.cancel(false));
            holds.close();
            if (between.equals("overwrite") || between.equals("discard")) {
                counts.join();
                assertArrayEquals(new int[N], content(out));
            } else {
                failureOf(DataLostException.class, counts);
                assertArrayEquals(bumped(), content(out));
            }
            if (between.equals("write")) {
                assertInstanceOf(
                        DataLostException.class,
                        assertThrows(CompletionException.class, asked::join).getCause());
            }
        }
    }
}
