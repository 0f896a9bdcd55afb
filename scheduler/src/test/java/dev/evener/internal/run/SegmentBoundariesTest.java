package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.api.Test;

/** Where bounds between lanes go that lie beside the end of a segment. */
class SegmentBoundariesTest {
    private static final double LAUNCH = 100;

    /** On lanes on which a granule takes 10 ns and a chunk 100 ns, so that ten granules are worth a chunk; seams every 100. */
    private static int[] attracted(int... bounds) {
        int lanes = bounds.length - 1;
        double[] granule = new double[lanes];
        double[] launch = new double[lanes];
        for (int i = 0; i < lanes; i++) {
            granule[i] = 10;
            launch[i] = LAUNCH;
        }
        SegmentBoundaries.attract(bounds, 100, granule, launch);
        return bounds;
    }

    @Test
    void aBoundGoesToTheSeamBesideIt() {
        assertArrayEquals(new int[] {0, 400, 800}, attracted(0, 390, 800));
        assertArrayEquals(new int[] {0, 400, 800}, attracted(0, 410, 800));
        assertArrayEquals(new int[] {0, 400, 800}, attracted(0, 400, 800));
        assertArrayEquals(new int[] {0, 300, 700, 1050}, attracted(0, 305, 698, 1050));
    }

    @Test
    void aBoundStaysWhereMovingItWouldCostMoreThanAChunk() {
        assertArrayEquals(new int[] {0, 389, 800}, attracted(0, 389, 800));
        assertArrayEquals(new int[] {0, 411, 800}, attracted(0, 411, 800));
        int[] bounds = {0, 399, 800};
        SegmentBoundaries.attract(
                bounds, 100, new double[] {1, 1000}, new double[] {LAUNCH, LAUNCH}); // the slower lane's time counts
        assertArrayEquals(new int[] {0, 399, 800}, bounds);
    }

    @Test
    void noLaneLosesAllItHasNorGetsWhatItWasNotGiven() {
        assertArrayEquals(new int[] {0, 5, 800}, attracted(0, 5, 800));
        assertArrayEquals(new int[] {0, 395, 400, 800}, attracted(0, 395, 398, 800));
        assertArrayEquals(new int[] {0, 798, 800}, attracted(0, 798, 800));
        assertArrayEquals(new int[] {0, 400, 400, 400, 800}, attracted(0, 397, 397, 397, 800));
        assertArrayEquals(new int[] {0, 0, 800}, attracted(0, 0, 800));
        assertArrayEquals(new int[] {0, 800, 800}, attracted(0, 800, 800));
        assertArrayEquals(new int[] {0, 0, 400, 800}, attracted(0, 0, 395, 800));
    }

    @Test
    void whereNothingIsKnownNothingMoves() {
        int[] bounds = {0, 399, 800};
        SegmentBoundaries.attract(bounds, 100, new double[] {10, 0}, new double[] {LAUNCH, LAUNCH});
        assertArrayEquals(new int[] {0, 399, 800}, bounds);
        SegmentBoundaries.attract(bounds, 100, new double[] {10, 10}, new double[] {0, 0});
        assertArrayEquals(new int[] {0, 399, 800}, bounds);
    }

    @Test
    void oneLaneThatHasAChunkLessIsEnough() {
        for (double[] launch : new double[][] {{LAUNCH, 0}, {0, LAUNCH}}) {
            int[] bounds = {0, 390, 800};
            SegmentBoundaries.attract(bounds, 100, new double[] {10, 10}, launch);
            assertArrayEquals(new int[] {0, 400, 800}, bounds);
        }
    }
}
