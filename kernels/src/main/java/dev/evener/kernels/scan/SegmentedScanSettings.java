package dev.evener.kernels.scan;

/**
 * How a {@link SegmentedScan} is done.
 *
 * @param groupSize work-items in a group: a power of two from {@value #SMALLEST} to {@value #LARGEST}. {@link Style#RUNS}
 *     has groups of its own and ignores it.
 */
public record SegmentedScanSettings(Style style, int groupSize) {
    /** Least work-items in a group. */
    public static final int SMALLEST = 8;

    /** Most work-items in a group. */
    public static final int LARGEST = 256;

    /**
     * Checks the group size.
     *
     * @throws IllegalArgumentException if it is out of range or no power of two
     */
    public SegmentedScanSettings {
        if (groupSize < SMALLEST || groupSize > LARGEST || Integer.bitCount(groupSize) != 1) {
            throw new IllegalArgumentException(
                    "a group size of " + groupSize + "; give a power of two from " + SMALLEST + " to " + LARGEST);
        }
    }

    /** The best known way on every device. */
    public static SegmentedScanSettings best() {
        return new SegmentedScanSettings(Style.RUNS, LARGEST);
    }
}
