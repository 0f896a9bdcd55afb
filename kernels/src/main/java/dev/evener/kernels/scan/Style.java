package dev.evener.kernels.scan;

/** How a {@link SegmentedScan} scans a segment. Sums of integers are the same in every style. */
public enum Style {
    /**
     * In runs of 16 elements: on CPUs a work-item scans whole segments in vector registers, on other devices each work-item
     * of a group of 256 has a run. The best on every device known so far. Floats are added in the order of {@link Scan},
     * begun anew in every segment.
     */
    RUNS(0),

    /**
     * A group to a segment; every element adds its neighbours at distances 1, 2, 4, ... (Hillis and Steele 1986). {@code log2
     * g} additions for each element, with {@code g} work-items in a group.
     */
    NAIVE(1),

    /**
     * A group to a segment; a tree of sums up, prefixes down, with a gap in local memory after every 32 values against
     * bank conflicts (Blelloch 1990). About two additions for each element.
     */
    BLELLOCH(2),

    /**
     * A group to a segment, by OpenCL's {@code work_group_scan_exclusive_add}: for devices with OpenCL C 2.0, or 3.0 and
     * work-group collective functions. Not for floats, as OpenCL does not say in which order it adds.
     */
    COLLECTIVE(3);

    private final int number;

    Style(int number) {
        this.number = number;
    }

    /** As in segmented.cl. */
    int number() {
        return number;
    }
}
