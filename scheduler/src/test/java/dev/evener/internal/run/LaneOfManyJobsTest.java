package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.MadeUpBuffers;
import dev.evener.Report;
import dev.evener.internal.HostData;
import dev.evener.policy.Plan;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Lanes that several jobs have called: what one of them leaves to the others, and for how long. */
class LaneOfManyJobsTest extends TwoFakeLanes {
    private static final DeviceSelector FIRST = DeviceSelector.ids(List.of("0.0"));
    private static final DeviceSelector SECOND = DeviceSelector.ids(List.of("0.1"));

    private final CountDownLatch goOn = new CountDownLatch(1);
    private final CountDownLatch inside = new CountDownLatch(1);

    private static JobBuilder builder(String name, long units) {
        return Job.named(name).units(units).kernel(name).jvm(c -> {});
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void until(BooleanSupplier condition) {
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30); !condition.getAsBoolean(); pause(1)) {
            assertTrue(System.nanoTime() < end, "it never came");
        }
    }

    /** Granule by granule, with thefts. */
    private static Policy thieves(long... shares) {
        return new Policy() {
            @Override
            public String name() {
                return "thieves";
            }

            @Override
            public Plan plan(Snapshot snapshot) {
                return Plan.of(Plan.Sharing.STEALING, shares);
            }

            @Override
            public long chunk(Progress progress, int lane) {
                return 1;
            }
        };
    }

    /** Its wait was taken for the job's, as if that had not begun. */
    @Test
    void theLaneThatBuiltLastIsTheFirstToCome() throws Exception {
        first.build = () -> await(inside);
        second.build = () -> {};
        first.work = (job, phase, from, units, times) -> pause(300);
        second.work = (job, phase, from, units, times) -> {
            if (job.name().equals("other")) {
                inside.countDown();
                await(goOn);
            }
        };
        CompletableFuture<Report> built = submit(job("built", 100));
        until(() -> second.built.contains("k"));
        CompletableFuture<Report> other =
                submit(builder("other", 1).devices(SECOND).build());
        await(inside);
        until(() -> first.executed.size() == 1);
        pause(300);
        goOn.countDown();
        Report report = built.get(60, TimeUnit.SECONDS);
        assertTrue(report.wallNanos() >= TimeUnit.MILLISECONDS.toNanos(300), report::toString);
        other.get(60, TimeUnit.SECONDS);
    }

    /** A job of both lanes that is forgotten with what its kernel holds. */
    private static Job forgettable(List<WeakReference<Object>> all) {
        Object kept = new Object();
        all.add(new WeakReference<>(kept));
        return Job.named("both")
                .units(5)
                .kernel("k")
                .jvm(c -> Objects.requireNonNull(kept))
                .build();
    }

    private static void untilForgotten(WeakReference<Object> reference) {
        until(() -> {
            System.gc();
            pause(20);
            return reference.get() == null;
        });
    }

    /** Each was kept for as long as the lane never had nothing to do. */
    @Test
    void aLaneThatIsAlwaysBusyForgetsJobsThatItLeft() throws Exception {
        AtomicInteger chunks = new AtomicInteger();
        first.work = (job, phase, from, units, times) -> {
            pause(job.name().equals("busy") ? 1 : 60);
            chunks.addAndGet(job.name().equals("busy") ? 1 : 0);
        };
        CountDownLatch[] goOn = new CountDownLatch[3];
        AtomicInteger round = new AtomicInteger();
        AtomicInteger taken = new AtomicInteger();
        second.work = (job, phase, from, units, times) -> {
            if (taken.incrementAndGet() <= 2) {
                pause(20); // three times as fast, so that no theft pays
            } else {
                await(goOn[round.get()]);
            }
        };
        List<WeakReference<Object>> jobs = new ArrayList<>();
        CompletableFuture<Report> before = null;
        for (int i = 0; i < goOn.length; i++) {
            goOn[i] = new CountDownLatch(1);
            round.set(i);
            taken.set(0);
            CompletableFuture<Report> both = submit(forgettable(jobs), thieves(1, 4));
            CompletableFuture<Report> busy =
                    submit(builder("busy", 1_000_000).devices(FIRST).build(), thieves(1_000_000));
            int seen = chunks.get();
            if (before != null) {
                before.cancel(false);
            }
            until(() -> chunks.get() > seen + 3);
            goOn[i].countDown();
            both.get(60, TimeUnit.SECONDS);
            before = busy;
        }
        untilForgotten(jobs.get(0));
        assertTrue(before.cancel(false));
    }

    /** Its visits to them were due for as long as a more urgent job went on. */
    @Test
    void aLaneForgetsJobsThatEndedBeforeItCame() throws Exception {
        first.work = (job, phase, from, units, times) -> pause(1);
        second.work = (job, phase, from, units, times) -> pause(2);
        CompletableFuture<Report> busy =
                submit(builder("busy", 1_000_000).devices(FIRST).build(), thieves(1_000_000));
        List<WeakReference<Object>> jobs = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            submit(forgettable(jobs), thieves(1, 4)).get(60, TimeUnit.SECONDS);
        }
        untilForgotten(jobs.get(0));
        assertTrue(busy.cancel(false));
    }

    private CompletableFuture<Report> submit(Job job, Policy policy) {
        return dispatcher.submit(job, policy, history, null);
    }

    /** What was too little to be worth a launch was left to it for as long as it took. */
    @Test
    void whatALaneDoesNotComeToIsTakenOver() throws Exception {
        first.work = (job, phase, from, units, times) -> pause(1);
        second.work = (job, phase, from, units, times) -> {
            inside.countDown();
            await(goOn);
        };
        CompletableFuture<Report> other =
                submit(builder("other", 1).devices(SECOND).build());
        await(inside);
        Report report = submit(job("both", 10), thieves(5, 5)).get(30, TimeUnit.SECONDS);
        assertEquals(10, report.devices().get(0).units());
        goOn.countDown();
        other.get(60, TimeUnit.SECONDS);
    }

    /** A lane that had hung came to it in the meantime, and wrote to buffers that were let go. */
    @Test
    void aLaneThatComesAllTheSameIsWaitedForByTheBuffers() throws Exception {
        AtomicBoolean released = new AtomicBoolean();
        HostData buffer = MadeUpBuffers.of(ElementType.INT, 10);
        HostData shared = MadeUpBuffers.of(ElementType.INT, 1);
        CountDownLatch letGo = new CountDownLatch(1);
        CountDownLatch back = new CountDownLatch(1);
        first.work = (job, phase, from, units, times) -> {
            if (job.name().equals("hangs")) {
                await(back);
            } else if (job.name().equals("called")) {
                buffer.attachment(this, memory -> () -> released.set(true));
                inside.countDown();
                await(goOn);
            }
        };
        second.work = (job, phase, from, units, times) -> await(letGo);
        // What the others read, so that they start together, by the lane that ends it.
        CompletableFuture<Report> before = submit(builder("before", 1)
                .devices(SECOND)
                .writes(shared, Access.slice())
                .build());
        CompletableFuture<Report> hangs =
                dispatcher.submit(after(shared, "hangs", 1).build(), Policies.fixed(), history, Duration.ofMillis(100));
        CompletableFuture<Report> called = submit(
                after(shared, "called", 10).writes(buffer, Access.slice()).build(),
                planning(() -> until(hangs::isDone))); // it is cut, and not called yet
        CompletableFuture<Report> last =
                submit(after(shared, "last", 1).devices(SECOND).build(), planning(() -> {
                    back.countDown();
                    await(inside); // only then is the job told that its lane is gone
                }));
        letGo.countDown();
        before.get(60, TimeUnit.SECONDS);
        failureOf(called);
        buffer.close();
        pause(50);
        assertFalse(released.get(), "the lane still writes to it");
        goOn.countDown();
        until(released::get);
        last.handle((report, failure) -> null).get(60, TimeUnit.SECONDS);
    }

    private static JobBuilder after(HostData data, String name, long units) {
        return builder(name, units).devices(FIRST).reads(data, Access.whole());
    }

    private static Policy planning(Runnable first) {
        return new Policy() {
            @Override
            public String name() {
                return "slow";
            }

            @Override
            public Plan plan(Snapshot snapshot) {
                first.run();
                return Plan.of(Plan.Sharing.FIXED, snapshot.granules());
            }

            @Override
            public long chunk(Progress progress, int lane) {
                return progress.remaining(lane);
            }
        };
    }

    /** It began while the other was in a host step, and the lane went on with that one's next phase in its own. */
    @Test
    void aJobThatDoesNotSayWhatItsStepWritesWaitsForOthersThatComeBackToItsLane() throws Exception {
        Job other = builder("other", 10)
                .devices(FIRST)
                .hostStep(
                        () -> {
                            inside.countDown();
                            await(goOn);
                        },
                        MadeUpBuffers.of(ElementType.INT, 1))
                .kernel("b")
                .jvm(c -> {})
                .build();
        Job silent = builder("silent", 10).devices(FIRST).hostStep(() -> {}).build();
        CountDownLatch submitted = new CountDownLatch(1);
        first.prepare = () -> await(submitted);
        CompletableFuture<Report> one = submit(other);
        CompletableFuture<Report> two = submit(silent);
        submitted.countDown();
        await(inside);
        pause(50);
        assertEquals(1, dispatcher.queue().length());
        goOn.countDown();
        one.get(60, TimeUnit.SECONDS);
        two.get(60, TimeUnit.SECONDS);
        assertEquals(
                List.of("other", "b", "silent"),
                first.executed.stream().map(FakeLane.Executed::kernel).toList());
    }

    /** It was left out of all jobs for several devices for as long as those for it alone came without a gap. */
    @Test
    void aLaneThatIsAlwaysBusyIsTriedOut() throws Exception {
        AtomicBoolean broken = new AtomicBoolean(true);
        AtomicBoolean probed = new AtomicBoolean();
        first.probe = () -> probed.set(true);
        first.work = (job, phase, from, units, times) -> {
            if (broken.getAndSet(false)) {
                throw new IllegalStateException("it is broken");
            }
            pause(2);
        };
        failureOf(submit(builder("fails", 1).devices(FIRST).build()));
        List<CompletableFuture<Report>> all = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            all.add(submit(builder("busy", 1).devices(FIRST).build()));
        }
        for (CompletableFuture<Report> each : all.subList(0, 400)) {
            each.get(60, TimeUnit.SECONDS);
        }
        assertTrue(probed.get());
        for (CompletableFuture<Report> each : all) {
            each.get(60, TimeUnit.SECONDS);
        }
    }
}
