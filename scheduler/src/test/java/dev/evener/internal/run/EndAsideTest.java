package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.DeviceKind;
import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.JobFuture;
import dev.evener.MadeUpBuffers;
import dev.evener.Report;
import dev.evener.event.RunEvent;
import dev.evener.internal.HostData;
import dev.evener.internal.HostMemory;
import dev.evener.internal.Segments;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.policy.Plan;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.policy.Snapshot;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the host does after a job's last chunk, while the lanes run the next job. */
class EndAsideTest extends TwoFakeLanes {
    private static final int UNITS = 100;

    private final CountDownLatch queued = new CountDownLatch(1); // behind the job whose chunks wait for that
    private final CountDownLatch nextRuns = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1); // of the host step
    private final HostBuffer written = MadeUpBuffers.of(ElementType.INT, UNITS);

    /** Chunks of other jobs than "next" wait until what follows is queued. */
    private void script(FakeLane lane) {
        lane.work = (job, phase, from, units, times) -> {
            if (job.name().equals("next")) {
                nextRuns.countDown();
            } else {
                await(job.name().equals("inner") ? goOn : queued);
            }
        };
    }

    private Job ending(Runnable step) {
        return builder("ending").hostStep(step, written).build();
    }

    private static JobBuilder builder(String name) {
        return Job.named(name).units(UNITS).kernel("k").jvm(c -> {});
    }

    private JobFuture start(Job job) {
        script(first);
        script(second);
        return dispatcher.submit(job, Policies.fixed(), history, null);
    }

    /** A job that ends with this step, and one that needs nothing of it, queued behind. */
    private List<CompletableFuture<Report>> run(Job ending) {
        List<CompletableFuture<Report>> both = new ArrayList<>();
        both.add(start(ending));
        both.add(submit(job("next", UNITS)));
        queued.countDown();
        return both;
    }

    @Test
    void theNextJobBeginsBeforeTheHostStepOfTheFormerEnds() throws Exception {
        for (CompletableFuture<Report> each : run(ending(() -> await(nextRuns)))) {
            assertEquals(List.of(), each.get(60, TimeUnit.SECONDS).failures());
        }
    }

    @Test
    void theNextJobBeginsBeforeResultsOfTheFormerAreFolded() throws Exception {
        FakeLane lane = new FakeLane("0.4");
        script(lane);
        List<String> threads = new CopyOnWriteArrayList<>();
        HostBuffer out = MadeUpBuffers.of(ElementType.INT, UNITS);
        HostBuffer count = MadeUpBuffers.of(ElementType.ULONG, 1);
        Job appending = builder("appending").appends(out, count, 1).build();
        ScratchPool scratch = new ScratchPool((type, elements, perUnit) -> MadeUpBuffers.of(type, elements));
        try (Dispatcher own = new Dispatcher(
                List.of(lane),
                history,
                scratch,
                Duration.ofSeconds(30),
                PATIENCE,
                List.of(event -> {
                    if (event instanceof RunEvent.PhaseEnded ended && ended.job() == 1) {
                        await(nextRuns); // a fold that takes long
                        threads.add(Thread.currentThread().getName());
                    } else if (event instanceof RunEvent.PhaseEnded) {
                        threads.add(Thread.currentThread().getName());
                    }
                }),
                Duration.ZERO)) {
            JobFuture former = own.submit(appending, Policies.fixed(), history, null);
            JobFuture next = own.submit(job("next", UNITS), Policies.fixed(), history, null);
            queued.countDown();
            former.get(60, TimeUnit.SECONDS);
            next.get(60, TimeUnit.SECONDS);
            own.submit(appending, Policies.fixed(), history, null).get(60, TimeUnit.SECONDS);
        }
        assertTrue(threads.remove("evener-fold"));
        assertEquals(List.of("evener-lane-0.4", "evener-lane-0.4"), threads, "where nothing waits, or is to be folded");
    }

    /** On a CPU that would take a core from the lane. */
    @ParameterizedTest
    @EnumSource(
            value = DeviceKind.class,
            names = {"CPU", "GPU"})
    void jobsAreStartedAsideOnlyWhileALaneHasAnother(DeviceKind kind) throws Exception {
        FakeLane lane = new FakeLane("0.4", kind);
        script(lane);
        Map<Long, String> planning = new ConcurrentHashMap<>(); // by units
        Policy policy = new Policy() {
            @Override
            public String name() {
                return "noting";
            }

            @Override
            public Plan plan(Snapshot snapshot) {
                planning.put(snapshot.granules(), Thread.currentThread().getName());
                return Policies.fixed().plan(snapshot);
            }
        };
        try (Dispatcher own =
                new Dispatcher(List.of(lane), history, ScratchPool.NONE, Duration.ofSeconds(30), PATIENCE)) {
            List<JobFuture> all = new ArrayList<>();
            for (int units : new int[] {UNITS, UNITS + 1, UNITS + 2}) { // two begin, and a third when one has ended
                all.add(own.submit(job("one", units), policy, history, null));
            }
            queued.countDown();
            for (JobFuture each : all) {
                each.get(60, TimeUnit.SECONDS);
            }
        }
        String expected = kind == DeviceKind.GPU ? "evener-start" : "evener-lane-0.4";
        assertEquals(expected, planning.get(UNITS + 2L), planning.toString());
    }

    /** Of the same buffer, and of the same memory in another one. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aJobThatUsesWhatAHostStepWritesWaitsForIt(boolean wrapped) throws Exception {
        ByteBuffer memory = HostMemory.allocate(UNITS * Integer.BYTES).order(ByteOrder.nativeOrder());
        HostBuffer result = wrapped ? wrap(memory) : written;
        CompletableFuture<Report> former = start(builder("ending")
                .hostStep(
                        () -> {
                            await(nextRuns);
                            await(goOn);
                        },
                        result)
                .build());
        CompletableFuture<Report> next = submit(job("next", UNITS));
        CompletableFuture<Report> reading = submit(builder("reading")
                .reads(wrapped ? wrap(memory) : written, Access.slice())
                .build());
        queued.countDown();
        next.get(60, TimeUnit.SECONDS);
        assertTrue(first.executed.stream().noneMatch(e -> e.job().equals("reading")), "its lanes are free");
        assertEquals(1, dispatcher.queue().length());
        goOn.countDown();
        former.get(60, TimeUnit.SECONDS);
        reading.get(60, TimeUnit.SECONDS);
    }

    private static HostBuffer wrap(ByteBuffer memory) {
        return new HostData(ElementType.INT, Segments.wrap(ElementType.INT, memory, Segments.Limits.ofHost()));
    }

    @Test
    void aHostStepThatDoesNotSayWhatItWritesComesBeforeLaterJobs() throws Exception {
        List<String> threads = new CopyOnWriteArrayList<>();
        Job job = builder("ending")
                .hostStep(() -> {
                    assertEquals(1, nextRuns.getCount());
                    threads.add(Thread.currentThread().getName());
                })
                .build();
        for (CompletableFuture<Report> each : run(job)) {
            each.get(60, TimeUnit.SECONDS);
        }
        assertTrue(threads.get(0).startsWith("evener-lane"), threads.get(0));
    }

    @Test
    void aHostStepAsideMayFail() throws Exception {
        List<CompletableFuture<Report>> both = run(ending(() -> {
            await(nextRuns);
            throw new IllegalStateException("no");
        }));
        assertEquals(
                "job 'ending': the host step after kernel k failed: java.lang.IllegalStateException: no",
                failureOf(both.get(0)).getMessage());
        both.get(1).get(60, TimeUnit.SECONDS);
    }

    @Test
    void aHostStepAsideCannotCloseItsRuntime() throws Exception {
        CompletableFuture<Report> closing =
                run(ending(dispatcher::requireNotOnLane)).get(0);
        assertTrue(failureOf(closing).getMessage().contains("cannot be closed from a host step"));
    }

    @Test
    void aHostStepAsideThatWaitsEndsItsJobInsteadOfHanging() throws Exception {
        CompletableFuture<Report> waiting =
                run(ending(() -> submit(job("inner", 2)).join())).get(0);
        assertTrue(failureOf(waiting).getMessage().contains("waiting for job 'inner' in a callback, host step"));
        goOn.countDown();
    }

    @Test
    void buffersOfACancelledJobAreReleasedWhenItsHostStepHasEnded() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        JobFuture former = start(ending(() -> {
            inside.countDown();
            await(goOn);
        }));
        CompletableFuture<Report> next = submit(job("next", UNITS));
        queued.countDown();
        await(inside);
        assertTrue(former.cancel(true));
        next.get(60, TimeUnit.SECONDS);
        assertFalse(former.released().isDone());
        goOn.countDown();
        former.released().get(60, TimeUnit.SECONDS);
        assertThrows(CancellationException.class, former::join);
    }

    @Test
    void aJobWhoseHostStepDoesNotReturnEndsSomeTimeAfterItsDeadline() throws Exception {
        Job job = builder("ending")
                .hostStep(() -> await(goOn), written)
                .deadline(Duration.ofMillis(500))
                .build();
        JobFuture former = start(job);
        CompletableFuture<Report> next = submit(job("next", UNITS));
        queued.countDown();
        assertTrue(failureOf(former).getMessage().contains("was not done after its deadline of 500 ms"));
        next.get(60, TimeUnit.SECONDS);
        goOn.countDown();
        former.released().get(60, TimeUnit.SECONDS);
    }

    @Test
    void closingWaitsForAHostStep() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        CountDownLatch begun = new CountDownLatch(1); // a step that has not begun is not done any more
        List<CompletableFuture<Report>> both = run(ending(() -> {
            begun.countDown();
            await(nextRuns);
            await(goOn);
            ended.set(true);
        }));
        both.get(1).get(60, TimeUnit.SECONDS);
        await(begun);
        Thread closer = new Thread(dispatcher::close);
        closer.start();
        while (closer.getState() != Thread.State.TIMED_WAITING) {
            Thread.sleep(1);
        }
        goOn.countDown();
        closer.join(60_000);
        assertTrue(ended.get());
        assertEquals(
                "job 'ending' was ended because its Evener was closed",
                failureOf(both.get(0)).getMessage());
    }

    /** Three for each lane; then a lane does it itself. */
    @Test
    void soManyHostStepsAreUnderWayAtOnce() throws Exception {
        List<String> threads = new CopyOnWriteArrayList<>();
        CountDownLatch seven = new CountDownLatch(7);
        List<CompletableFuture<Report>> all = new ArrayList<>();
        script(first);
        script(second);
        for (int i = 0; i < 7; i++) {
            HostBuffer own = MadeUpBuffers.of(ElementType.INT, UNITS);
            all.add(submit(builder("ending")
                    .hostStep(
                            () -> {
                                threads.add(Thread.currentThread().getName().substring(0, 11));
                                seven.countDown();
                                await(goOn);
                            },
                            own)
                    .build()));
        }
        all.add(submit(job("next", UNITS)));
        queued.countDown();
        await(seven);
        assertEquals(
                List.of(
                        "evener-fold",
                        "evener-fold",
                        "evener-fold",
                        "evener-fold",
                        "evener-fold",
                        "evener-fold",
                        "evener-lane"),
                threads.stream().sorted().toList());
        goOn.countDown();
        for (CompletableFuture<Report> each : all) {
            each.get(60, TimeUnit.SECONDS);
        }
    }
}
