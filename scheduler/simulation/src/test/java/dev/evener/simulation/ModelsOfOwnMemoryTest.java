package dev.evener.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.simulation.HandMadeJobs.Host;
import dev.evener.simulation.HandMadeJobs.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What was found on devices that have memory of their own, and could not be seen on those that work in the host's. */
class ModelsOfOwnMemoryTest {
    private static final Host HOST = new Host(10_000, 60_000, 20_000, 40_000, -1);

    /** At 50 GB/s, after 5 us. */
    private static long transfer(long bytes) {
        return 5000 + bytes / 50;
    }

    private static Work work(long kernel, long in, long out) {
        long transfer = transfer(in + out);
        return new Work(kernel, transfer, kernel + transfer, in, out);
    }

    @Test
    void oneChunkThatMovedNothingInTellsNothingOfWhatGoesIn() {
        HandMadeJobs jobs = new HandMadeJobs();
        for (int i = 1; i <= 30; i++) { // the second phase is sent but a few arguments
            long units = 40_000L * i;
            long sent = i == 7 ? 0 : 32;
            jobs.add(
                    List.of("reads", "writes"), units, HOST, work(9000, 24 * units, 2052), work(7000, sent, 8 * units));
        }
        Link link = jobs.fitted().link();
        assertEquals(5e10, link.bytesPerSecondIn(), 1e9);
        assertEquals(5e10, link.bytesPerSecondOut(), 1e9);
        assertEquals(5000, link.latencyNanos(), 500);
    }

    @Test
    void whatIsWhollyHiddenAndWhatIsLost() {
        HandMadeJobs jobs = new HandMadeJobs();
        for (int i = 1; i <= 30; i++) {
            long units = 1_000_000L * i;
            long transfer = transfer(4 * units);
            long kernel = units / 400;
            jobs.add(List.of("sum"), units, HOST, new Work(kernel, transfer, transfer + 45_000, 4 * units, 4));
        }
        DeviceModel found = jobs.fitted();
        assertEquals(1, found.link().overlap(), 0.01);
        assertEquals(45_000, found.kernels().get("sum").launch().gapNanos().median(), 500);
    }

    @Test
    void bothWaysAtOnceCountAsHidden() {
        HandMadeJobs jobs = new HandMadeJobs();
        for (int i = 1; i <= 30; i++) { // two thirds of the bytes go in: the rest goes out, and kernels run, meanwhile
            long units = 1_000_000L * i;
            long transfer = 12 * units / 50;
            jobs.add(
                    List.of("map"),
                    units,
                    HOST,
                    new Work(units / 50, transfer, transfer * 2 / 3, 8 * units, 4 * units));
        }
        DeviceModel found = jobs.fitted();
        assertEquals(1, found.link().overlap(), 0.01);
        assertEquals(0, found.kernels().get("map").launch().gapNanos().median(), 1000);
    }

    private static Sample sample(int job, double units, double beside, double kernel, double transfer) {
        return new Sample(
                job,
                "k",
                1,
                0,
                units,
                1e6,
                kernel,
                new Beside(1 - beside, beside),
                transfer,
                (long) (4 * units),
                0,
                kernel + transfer,
                0,
                0,
                0,
                -1,
                -1);
    }

    @Test
    void readingTimesIsNoLaunch() {
        Host host = new Host(10_000, 60_000, 20_000, 150_000, 35_000);
        HandMadeJobs jobs = new HandMadeJobs();
        for (int i = 0; i < 30; i++) {
            jobs.add(List.of("first", "last"), 1000, host, work(9000, 4000, 0), work(9000, 0, 4000));
        }
        DeviceModel found = jobs.fitted();
        assertEquals(Times.of(35_000), found.kernels().get("last").launch().noticeNanos());
        assertEquals(Times.of(115_000), found.kernels().get("last").launch().settleNanos());
        // In other phases times are read later, when others have been told.
        assertEquals(Times.of(150_000), found.kernels().get("first").launch().noticeNanos());
        assertEquals(Times.NONE, found.kernels().get("first").launch().settleNanos());
    }

    @Test
    void othersSlowWhatAChunkTakesInAll() {
        // Kernels are dearer in small chunks, which ran beside others; what takes the time is not.
        List<Sample> undisturbed = new ArrayList<>();
        List<Sample> slowed = new ArrayList<>();
        for (int i = 1; i <= 20; i++) {
            double part = 2e4 * i;
            undisturbed.add(sample(i, 1e6, 0, 1e5, 8e6));
            undisturbed.add(sample(i, part, 1, 0.15 * part, 8 * part));
            slowed.add(sample(i, 1e6, 0, 1e5, 8e6));
            slowed.add(sample(i, part, 1, 0.1 * part, 1.5 * 8 * part));
        }
        assertEquals(1, KernelFit.of(undisturbed).lines().get(1).slowdown(), 0.01);
        assertEquals(1.5, KernelFit.of(slowed).lines().get(1).slowdown(), 0.02);
    }

    @Test
    void theHostIsTakenAsItIsOnceItHasRunForAWhile() {
        HandMadeJobs jobs = new HandMadeJobs();
        for (int i = 0; i < 36; i++) {
            Host host = i < 12 ? new Host(300_000, 500_000, 90_000, 200_000, -1) : HOST;
            jobs.add(List.of("k"), i % 2 == 0 ? 1000 : 3000, host, work(9000, 4000, 0));
        }
        DeviceModel found = jobs.fitted();
        assertEquals(Times.of(60_000), found.wakeNanos());
        assertEquals(Times.of(40_000), found.kernels().get("k").launch().noticeNanos());
        assertEquals(20_000, found.kernels().get("k").launch().submitNanos().at(0.99), 100);
        assertEquals(
                Times.of(10_000),
                Models.fit(HandMadeJobs.devices(), jobs.events).planNanos("single"));
    }

    @Test
    void aFormWithFewerPhasesIsAModelOfItsOwn() {
        HandMadeJobs jobs = new HandMadeJobs();
        for (int i = 1; i <= 9; i++) { // one phase of two, and of the other nothing is known
            long units = 100_000L * i;
            jobs.add(List.of("totals", "tiles"), units, HOST, work(units / 4, 4 * units, 4 * units));
        }
        assertEquals(Set.of("job"), jobs.fitted().alone().keySet());
    }
}
