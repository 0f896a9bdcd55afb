package dev.evener.kernels.pipeline;

import static dev.evener.kernels.pipeline.Distribution.ALL;
import static dev.evener.kernels.pipeline.Distribution.NONE;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.DeviceKind;
import dev.evener.MadeUpDevices;
import dev.evener.Report;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Who takes the next item; {@link DistributedStreamTest} has whole streams. */
class DistributionTest {
    private long now;

    private static Distribution over(int devices) {
        return new Distribution(
                IntStream.range(0, devices)
                        .mapToObj(d -> MadeUpDevices.cpu("0." + d, "made up"))
                        .toList(),
                8);
    }

    private static Distribution overGpuAndCpu() {
        return new Distribution(
                List.of(MadeUpDevices.gpu("0.0", "made up", "gpu"), MadeUpDevices.cpu("0.1", "made up")), 8);
    }

    private static Distribution twoWithAnItemEach() {
        Distribution two = over(2);
        assertEquals(0, two.take(9));
        assertEquals(1, two.take(8));
        return two;
    }

    /** What devices had a part in. */
    private static Report took(long nanos, int... devices) {
        List<Report.DeviceUse> uses = IntStream.of(devices)
                .mapToObj(d -> new Report.DeviceUse("0." + d, "d", DeviceKind.CPU, 9, 1, 1, 1, 0, 1, 0, 0, 0, 0))
                .toList();
        return new Report("job", "single", 9, 0, 0, nanos, nanos, null, List.of(), null, uses);
    }

    private void done(Distribution distribution, int device, long nanos) {
        now += nanos;
        distribution.ended(device, took(nanos, device), now);
    }

    private void allDone(Distribution distribution, int... parts) {
        now += 10;
        distribution.ended(ALL, took(10, parts), now);
    }

    @Test
    void oneDeviceHasOneItemAndTheNext() {
        Distribution one = over(1);
        assertEquals(ALL, one.take(5));
        assertEquals(ALL, one.take(4));
        assertEquals(NONE, one.take(3));
        allDone(one, 0);
        assertEquals(ALL, one.take(3));
        assertEquals(NONE, one.take(2));
    }

    @Test
    void aGpuHasTwoItemsInTurnAndTheNext() {
        Distribution one = new Distribution(List.of(MadeUpDevices.gpu("0.0", "made up", "gpu")), 8);
        for (int i = 0; i < 3; i++) {
            assertEquals(ALL, one.take(5 - i));
        }
        assertEquals(NONE, one.take(2));
        Distribution two = overGpuAndCpu();
        int[] taken = new int[2];
        for (int i = 0; i < 5; i++) {
            taken[two.take(9 - i)]++;
        }
        assertEquals(3, taken[0]);
        assertEquals(2, taken[1]);
        assertEquals(NONE, two.take(4));
    }

    /** Each of two that a device works on in turn takes as long as both. */
    @Test
    void whatSharesADeviceDoesNotMakeItLookSlower() {
        Distribution two = overGpuAndCpu();
        for (int i = 0; i < 5; i++) {
            two.take(9);
        }
        for (int end : new int[] {10, 20}) { // the first item of each says nothing
            two.ended(0, took(20, 0), end);
        }
        for (int end : new int[] {25, 50}) {
            two.ended(1, took(25, 1), end);
        }
        assertEquals(0, two.take(9), "in 20 ns, with one in hand");
    }

    @Test
    void anItemThatIsAloneIsSplit() {
        Distribution two = over(2);
        assertEquals(ALL, two.take(1));
        assertEquals(0, two.take(1));
        assertEquals(1, two.take(1), "which has done nothing yet either");
        allDone(two, 0, 1);
        done(two, 0, 10);
        done(two, 1, 10);
        assertEquals(ALL, two.take(1));
    }

    @Test
    void equalDevicesHaveTwoEach() {
        Distribution two = over(2);
        int[] taken = new int[2];
        for (int i = 0; i < 4; i++) {
            taken[two.take(9 - i)]++;
        }
        assertEquals(2, taken[0]);
        assertEquals(2, taken[1]);
        assertEquals(NONE, two.take(5));
    }

    @Test
    void aSlowDeviceHasNothingThatTheFastOnesWouldHaveDoneSooner() {
        Distribution two = twoWithAnItemEach();
        assertEquals(0, two.take(7));
        assertEquals(1, two.take(6));
        for (int i = 0; i < 2; i++) {
            done(two, 0, 10);
            done(two, 1, 60);
        }
        assertEquals(0, two.take(3));
        assertEquals(0, two.take(2));
        assertEquals(NONE, two.take(3), "in 50 ns the other one has done all five");
        assertEquals(1, two.take(4));
    }

    @Test
    void whatFailedSaysNothingOfSpeed() {
        Distribution two = twoWithAnItemEach();
        two.ended(0, null, 1);
        done(two, 1, 100);
        assertEquals(0, two.take(2), "not known yet");
    }

    /** Of 40 large frames it had one: with its programs, and memory that it locked, it seemed to take ten times as long. */
    @Test
    void aFirstItemIsNotHeldAgainstADevice() {
        Distribution two = twoWithAnItemEach();
        done(two, 0, 100);
        done(two, 1, 1000);
        assertEquals(0, two.take(3));
        assertEquals(0, two.take(3));
        assertEquals(1, two.take(2), "though 0 would end it sooner");
        assertEquals(NONE, two.take(2), "one at a time");
        done(two, 1, 50);
        assertEquals(1, two.take(9), "it takes half as long as the other one");
        assertEquals(1, two.take(8));
    }

    @Test
    void aDeviceThatFailedGetsNothingBeforeItHasWorkedAgain() {
        Distribution three = over(3);
        assertEquals(0, three.take(9));
        three.failed(0);
        now += 5;
        three.ended(0, took(5, 1, 2), now); // by the others
        for (int i = 0; i < 4; i++) {
            assertEquals(1 + i % 2, three.take(9));
        }
        assertEquals(NONE, three.take(9));
        three.ended(1, took(5, 0, 1, 2), now);
        assertEquals(0, three.take(9));
        three.failed(0);
        three.failed(1);
        assertEquals(ALL, three.take(9), "so that what has recovered is found");
    }
}
