package dev.evener;

import java.util.List;

/**
 * How a device can be opened in parts (OpenCL calls it device fission).
 *
 * @param maxParts how many parts it may be split into at most; 0 if it cannot be split
 * @param byCounts whether into parts of any number of compute units, such as {@code 0.0:8+8}
 * @param numaNodes the compute units of each of its NUMA nodes, for {@code 0.0:numa}; empty if it cannot be split by them
 */
public record Partitioning(int maxParts, boolean byCounts, List<Integer> numaNodes) {
    /** That of a device which can only be opened whole. */
    public static final Partitioning NONE = new Partitioning(0, false, List.of());

    public Partitioning {
        numaNodes = List.copyOf(numaNodes);
    }
}
