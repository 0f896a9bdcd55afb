package dev.evener.kernels.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Job;
import dev.evener.Report;
import dev.evener.kernels.pipeline.Schedule.Item;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which item may go on, whatever order its stages end in, and what the stream waited for, on a clock of the test's. */
class ScheduleTest {
    private static final Report DONE =
            new Report("job", "single", 1, 1, 0, 0, null, 0, 0, 1, 1, null, List.of(), null, List.of());

    private final List<Item<Integer>> items = new ArrayList<>();
    private long now;
    private Schedule<Integer> schedule = new Schedule<>(List.of(), List.of(), List.of(), true, () -> now);

    private void open(List<Stage<Integer>> stages) throws InterruptedException {
        open(stages, true);
    }

    private void open(List<Stage<Integer>> stages, boolean inOrder) throws InterruptedException {
        schedule = new Schedule<>(stages, List.of(0, 1, 2, 3), List.of(), inOrder, () -> now);
        items.clear();
        for (int i = 0; i < 4; i++) {
            items.add(schedule.add(schedule.acquire()));
        }
    }

    private static Stage<Integer> devices(String name) {
        return devices(name, 1, 2);
    }

    private static Stage<Integer> devices(String name, int workers, int atOnce) {
        return new Stage.OnDevices<>(
                name, null, workers, atOnce, false, slot -> Job.named("none").build());
    }

    private static Stage<Integer> host(String name, int threads) {
        return new Stage.OnHost<>(name, threads, (slot, reports) -> {}, Runnable::run);
    }

    @BeforeEach
    void fourItemsForTwoDeviceStages() throws InterruptedException {
        open(List.of(devices("first"), devices("second")));
    }

    private void assertDue(Integer... slots) {
        assertEquals(
                List.of(slots),
                schedule.due(true).stream().map(item -> item.slot).toList());
        assertEquals(List.of(), schedule.due(true));
    }

    private void done(int item) {
        assertTrue(schedule.ended(items.get(item), true, DONE, 0));
    }

    private void through(int item) {
        assertFalse(schedule.ended(items.get(item), true, DONE, 0));
    }

    private void failed(int item) {
        assertFalse(schedule.ended(items.get(item), false, null, 0));
    }

    @Test
    void twoJobsOfAStageAtOnce() {
        assertDue(0, 1);
        done(0);
        assertDue(0, 2);
        through(0);
        assertDue();
        done(1);
        done(2);
        assertDue(1, 2, 3);
    }

    @Test
    void asManyJobsOfADistributedStageAsItsDevicesWant() throws InterruptedException {
        open(List.of(devices("work", 2, 3), host("write", 1)));
        assertDue(0, 1, 2);
        now += 10;
        done(1);
        assertDue(3); // and 1 after 0
        now += 100; // three for two devices: one waits
        schedule.due(true);
        assertEquals(List.of(110L, 0L), held());
    }

    @Test
    void noneOvertakesAnother() {
        assertDue(0, 1);
        done(1);
        assertDue(2); // and not 1, before 0
        done(0);
        assertDue(0, 1, 3);
        through(1);
        through(0);
    }

    /** A frame whose memory took long held up those that were read, and their memory with them. */
    @Test
    void anUnorderedOneIsOvertaken() throws InterruptedException {
        open(List.of(host("read", 3), devices("work"), host("write", 1)), false);
        assertDue(0, 1, 2);
        done(2);
        assertDue(2, 3); // the place to read in as well
        done(1);
        done(3);
        assertDue(1); // of those that wait the first
        done(2);
        assertDue(2, 3);
        done(0);
        done(1);
        assertDue(0); // and the only thread that writes has another
        through(2);
        assertDue(1);
    }

    /** The last ones of a stream were split, at the price of bringing their parts together, as no others came behind. */
    @Test
    void thoseThatShareAStageWithAnItemAreCounted() throws InterruptedException {
        open(List.of(host("read", 3), devices("work", 2, 4), host("write", 1)));
        assertDue(0, 1, 2);
        done(0);
        assertDue(0, 3);
        assertEquals(3, schedule.beside(items.get(0)));
        done(1);
        done(2);
        done(3);
        assertDue(1, 2, 3);
        done(0);
        done(1);
        assertEquals(1, schedule.beside(items.get(3)));
        done(2);
        assertEquals(0, schedule.beside(items.get(3)));
    }

    @Test
    void thoseThatEndAreNoObstacle() {
        assertDue(0, 1);
        done(1);
        assertTrue(schedule.cancel(items.get(2)), "it waits");
        assertFalse(schedule.cancel(items.get(0)), "it is under way");
        assertDue(3);
        failed(0);
        assertDue(1);
        done(3);
        assertDue(3);
        through(3);
        failed(1);
    }

    @Test
    void aHostStageHasAPlaceForEachThread() throws InterruptedException {
        open(List.of(host("read", 3), devices("work"), host("write", 1)));
        assertDue(0, 1, 2);
        done(2);
        done(1);
        assertDue(3);
        done(0);
        assertDue(0, 1);
        done(1);
        done(0);
        assertDue(0, 2);
        through(0);
        assertDue(1);
    }

    @Test
    void thoseForTheHostAreNamedAlone() throws InterruptedException {
        open(List.of(host("read", 1), devices("work"), host("write", 1)));
        assertDue(0);
        done(0);
        assertEquals(1, schedule.due(false).size(), "to be read, and not that for a device");
        assertDue(0);
        done(0);
        done(1);
        assertEquals(2, schedule.due(false).size());
        assertDue(1);
    }

    @Test
    void slotsAreFreeAndItemsCountedWhenTheyLeave() {
        assertNull(schedule.tryAcquire());
        now = 7;
        assertDue(0, 1);
        failed(0);
        assertNull(schedule.leave(items.get(0), false));
        assertEquals(0, schedule.tryAcquire());
        done(1);
        assertDue(1, 2, 3);
        through(1);
        now = 9;
        ItemReport report = schedule.leave(items.get(1), true);
        assertEquals(new ItemReport(1, 9, List.of(DONE, DONE)), report);
        assertEquals(1, schedule.report().items());
        assertEquals(1, schedule.report().failed());
        assertEquals(9, schedule.report().wallNanos());
        assertFalse(schedule.cancel(items.get(1)), "too late");
        assertEquals(0, schedule.report().items());
        assertEquals(2, schedule.report().failed());
    }

    private List<Long> held() {
        return schedule.report().stages().stream()
                .map(PipelineReport.StageUse::heldNanos)
                .toList();
    }

    /** Which stage the stream waited for: the last with a queue; without any, the first that works. */
    @Test
    void everyMomentIsOfOneStage() throws InterruptedException {
        open(List.of(host("read", 1), devices("work"), host("write", 1)));
        schedule.due(true);
        now += 10; // the source waits for the reader
        done(0);
        schedule.due(true);
        now += 100; // the reader has a queue, devices have none
        assertEquals(List.of(110L, 0L, 0L), ended(1));
        schedule.due(true);
        now += 1000; // two jobs are submitted, one of which waits
        assertEquals(List.of(110L, 1000L, 0L), ended(0));
        schedule.due(true);
        done(2);
        schedule.due(true);
        now += 10_000; // devices have a queue and the writer has none
        assertEquals(List.of(110L, 11_000L, 0L), ended(1));
        now += 100_000; // now it has one
        assertEquals(List.of(110L, 11_000L, 100_000L), leaving(0));
        schedule.due(true);
        now += 1_000_000; // each works and none has a queue, so the first
        assertEquals(List.of(1_000_110L, 11_000L, 100_000L), ended(3));
        assertEquals("read", schedule.report().bottleneck().name());
    }

    private List<Long> ended(int item) {
        done(item);
        return held();
    }

    private List<Long> leaving(int item) {
        through(item);
        return held();
    }
}
