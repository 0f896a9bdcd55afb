package dev.evener.workloads.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.event.RunEvent;
import dev.evener.event.RunListener;
import dev.evener.frames.FrameException;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.record.Recording;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.suite.Workloads;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Jobs that were under way at once are so again, and others are not. */
class ReplayerTest {
    private static final DeviceSelector DEVICES = DeviceSelector.parse("0.0,0.1");
    private static final long ITEMS = 4096;

    /** Long enough for a submission that should not come; it is not waited for where one comes. */
    private static final Duration SHORT = Duration.ofMillis(300);

    private static final Duration LONG = Duration.ofMinutes(5);

    /** A workload that updates its data in place, in one phase. */
    private static Recording.Task saxpy(long seed) {
        return new Recording.Task("run", "saxpy", DEVICES.toString(), ITEMS, "uniform", seed, Map.of(), List.of());
    }

    private static Recording.Request request(
            long number, Recording.Task task, long at, boolean fresh, Recording.@Nullable Digest result) {
        return new Recording.Request(number, task, at, "static:0.5,0.5", fresh, number, result);
    }

    /** Each job ended so long after it arrived. */
    private static Recording recording(long nanos, Recording.Request... requests) {
        List<DeviceInfo> devices = Evener.select(DEVICES);
        List<RunEvent> events = new ArrayList<>();
        for (Recording.Request request : requests) {
            events.add(new RunEvent.Submitted(
                    request.at(), request.job(), "saxpy", "static", ITEMS, 64, List.of("saxpy"), List.of(0, 1)));
        }
        for (Recording.Request request : requests) {
            events.add(new RunEvent.Ended(request.at() + nanos, request.job(), 0, 1000, null));
        }
        Recording.Header header =
                new Recording.Header(null, Instant.EPOCH, new Recording.Machine("os", "cpu", 1, 0, "jvm"));
        return new Recording(header, List.of(new Recording.Run(0, devices, List.of(requests), events)), true);
    }

    /** What the first job on fresh data computes. */
    private static Recording.Digest first(Recording.Task task) {
        try (Evener evener = evener(event -> {});
                PreparedWorkload prepared = Workloads.named(task.workload())
                        .prepare(evener, Request.synthetic(Workloads.named("saxpy"), ITEMS, task.seed()))) {
            prepared.reset();
            evener.submit(prepared.job()).join();
            return Digests.of(prepared.output());
        }
    }

    private static Evener evener(RunListener listener) {
        return Evener.builder()
                .devices(DEVICES)
                .history(History.inMemory())
                .listener(listener)
                .open();
    }

    /**
     * Holds the first job on its device until the second one is submitted, or so long; and notes who was submitted and who
     * ended.
     */
    private static final class Gate implements RunListener {
        private final Duration patience;
        private final CountDownLatch second = new CountDownLatch(1);
        private final List<String> order = new ArrayList<>();

        Gate(Duration patience) {
            this.patience = patience;
        }

        @Override
        public void heard(RunEvent event) {
            if (event instanceof RunEvent.Submitted s) {
                note("+" + s.job());
                if (s.job() == 2) {
                    second.countDown();
                }
            } else if (event instanceof RunEvent.Ended e) {
                note("-" + e.job());
            } else if (event instanceof RunEvent.Chunk c && c.job() == 1) {
                try {
                    second.await(patience.toNanos(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        private synchronized void note(String what) {
            order.add(what);
        }

        synchronized List<String> order() {
            return List.copyOf(order);
        }
    }

    private static List<Replayed> replay(Recording recording, ArrivalRate rate, Gate gate) {
        Replayer.check(recording);
        return new Replayer(
                        recording,
                        new Replayer.Options(
                                selector -> evener(gate),
                                evener -> Tuning.defaults(),
                                null,
                                null,
                                rate,
                                (task, selector) -> JobLog.none(),
                                text -> {}))
                .run()
                .jobs();
    }

    private static void same(List<Replayed> replayed) {
        assertTrue(replayed.stream().allMatch(each -> Boolean.TRUE.equals(each.same())), replayed::toString);
    }

    @Test
    void jobsThatWereUnderWayAtOnceAreSoAgain() {
        Recording.Task one = saxpy(1);
        Recording.Task other = saxpy(2);
        Recording recording =
                recording(50, request(1, one, 0, true, first(one)), request(2, other, 10, true, first(other)));
        Gate gate = new Gate(LONG);
        List<Replayed> replayed = replay(recording, ArrivalRate.RECORDED, gate);
        assertEquals(List.of("+1", "+2", "-1", "-2"), gate.order());
        same(replayed);
        for (Replayed each : replayed) {
            assertEquals(50, Objects.requireNonNull(each.then()).responseNanos());
            assertTrue(each.now().responseNanos() >= each.now().wallNanos(), replayed::toString);
        }
        // The second waited for the first, whose time is no part of its wall time.
        Replayed.Outcome waited = replayed.get(1).now();
        assertTrue(waited.responseNanos() > waited.wallNanos(), replayed::toString);
    }

    @Test
    void jobsThatBeginWithTheSameFreshDataHaveCopiesOfTheirOwn() {
        Recording.Task task = saxpy(3);
        Recording.Digest result = first(task);
        Gate gate = new Gate(LONG);
        same(replay(
                recording(50, request(1, task, 0, true, result), request(2, task, 10, true, result)),
                ArrivalRate.RECORDED,
                gate));
        assertEquals(List.of("+1", "+2", "-1", "-2"), gate.order());
    }

    @Test
    void jobsThatCameOneAfterAnotherDoSoAtAnySpeed() {
        Recording.Task one = saxpy(1);
        Recording recording = recording(50, request(1, one, 0, true, null), request(2, saxpy(2), 50, true, null));
        for (double speed : List.of(1.0, 1e6)) {
            Gate gate = new Gate(SHORT);
            replay(recording, new ArrivalRate(speed), gate);
            assertEquals(List.of("+1", "-1", "+2", "-2"), gate.order());
        }
    }

    @Test
    void asSoonAsPossibleIsOneAfterAnother() {
        Gate gate = new Gate(SHORT);
        replay(
                recording(50, request(1, saxpy(1), 0, true, null), request(2, saxpy(2), 10, true, null)),
                ArrivalRate.ASAP,
                gate);
        assertEquals(List.of("+1", "-1", "+2", "-2"), gate.order());
    }

    /** The second job works on what the first one left, which is to be compared first. */
    @Test
    void aResultIsCheckedBeforeItIsOverwritten() {
        Recording.Task task = saxpy(4);
        Gate gate = new Gate(SHORT);
        List<Replayed> replayed = replay(
                recording(50, request(1, task, 0, true, first(task)), request(2, task, 10, false, null)),
                ArrivalRate.RECORDED,
                gate);
        assertEquals(List.of("+1", "-1", "+2", "-2"), gate.order());
        assertEquals(true, replayed.get(0).same());
        assertNull(replayed.get(1).same());
    }

    @Test
    void memoryIsBounded() throws FrameException {
        try (Evener evener = evener(event -> {});
                TaskRunner runner = new TaskRunner(evener, Tuning.defaults(), 1, task -> JobLog.none())) {
            TaskRunner.Flight one = prepared(runner, saxpy(1), true);
            assertNull(runner.prepare(saxpy(2), true, false), "there is no room for another");
            assertNull(runner.prepare(saxpy(1), true, false), "nor for the same once more");
            TaskRunner.Flight same = prepared(runner, saxpy(1), false);
            assertTrue(one.shares(same), "but for what the first left");
            runner.end(one);
            assertNull(runner.prepare(saxpy(2), true, false), "as long as anybody has it");
            runner.end(same);
            runner.end(prepared(runner, saxpy(2), true)); // so the first was dropped
            assertFalse(one.shares(prepared(runner, saxpy(1), false)));
        }
    }

    private static TaskRunner.Flight prepared(TaskRunner runner, Recording.Task task, boolean fresh)
            throws FrameException {
        return Objects.requireNonNull(runner.prepare(task, fresh, false), "there is room");
    }

    @Test
    void jobsWithoutARequestAreLeftOut() {
        Recording all = recording(50, request(1, saxpy(1), 0, true, null), request(2, saxpy(2), 50, true, null));
        Recording.Run run = all.runs().get(0);
        Recording some = new Recording(
                all.header(),
                List.of(new Recording.Run(0, run.devices(), run.requests().subList(1, 2), run.events())),
                true);
        assertEquals(Map.of(), Replayer.leftOut(all));
        assertEquals(Map.of("saxpy", 1L), Replayer.leftOut(some));
        assertEquals("1 of saxpy", Replayer.left(Replayer.leftOut(some)));
    }
}
