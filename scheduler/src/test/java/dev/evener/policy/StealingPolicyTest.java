package dev.evener.policy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Equal shares and the chunks taken from them. */
class StealingPolicyTest {
    private final Policy stealing = Policies.stealing();

    @Test
    void sharesAreEqualWhateverTheSpeeds() {
        Snapshot snapshot = new Snapshot(
                100,
                1,
                List.of(
                        new Snapshot.LaneView("a", 1000, new Snapshot.Cost(0, 1, 9)),
                        new Snapshot.LaneView("b", 1, Snapshot.Cost.UNKNOWN)),
                Experience.NONE);
        assertEquals(Plan.Sharing.STEALING, stealing.plan(snapshot).sharing());
        assertArrayEquals(new long[] {50, 50}, stealing.plan(snapshot).shares());
    }

    @Test
    void chunksHalveTheRangeDownToWhatIsWorthALaunch() {
        Numbers p = Numbers.of(new long[] {1000, 1000}, 1000, 1000).launching(2000);
        assertEquals(500, stealing.chunk(p, 0));
        p.left[0] = 70;
        assertEquals(40, stealing.chunk(p, 0));
        p.left[0] = 59; // would leave less than half a floor
        assertEquals(59, stealing.chunk(p, 0));
    }

    @Test
    void aLaneOfUnknownSpeedBeginsWithAProbe() {
        Numbers p = Numbers.of(new long[] {3200, 20}, 0, 0);
        assertEquals(100, stealing.chunk(p, 0));
        assertEquals(1, stealing.chunk(p, 1));
    }

    @Test
    void aNumberOfChunksGivesEqualOnes() {
        Numbers p = Numbers.of(new long[] {50, 50}, 1, 1000);
        assertEquals(4, Policies.stealing(32).chunk(p, 0));
        assertEquals(4, Policies.stealing(32).chunk(p, 1));
        assertThrows(IllegalArgumentException.class, () -> Policies.stealing(-3));
    }
}
