package dev.evener;

/**
 * How one class of devices builds and launches a kernel: preprocessor options and the number of work-items per unit. All
 * variants of a kernel have the same signature.
 *
 * <p>A launch over {@code n} units has {@code ceil(n * itemsPerUnit / unitsPerItem)} work-items, rounded up to whole
 * groups when a group size is set, and capped at {@code groupsPerComputeUnit} groups per compute unit when that is set.
 * A kernel whose launch may be rounded up takes the chunk's units as an argument ({@link Job.Builder#chunkUnits()}) and
 * guards against the excess; one whose launch may be capped loops over its units with the global size as the step. Over a
 * {@linkplain Job.Builder#range two-dimensional range} there is one work-item for each column of a row.
 *
 * @param options build options for this class, such as {@code -D GROUP=256}; may be empty
 * @param itemsPerUnit work-items for each unit, at least 1
 * @param unitsPerItem units for each work-item, at least 1
 * @param groupSize work-items in a group; 0 leaves the choice open and keeps the number of work-items exact (a chunk may
 *     then be launched in two parts: {@code get_global_id} counts on, {@code get_global_size} is the part's)
 * @param groupsPerComputeUnit most groups for each compute unit of the device; 0 for no cap
 */
public record Variant(String options, int itemsPerUnit, int unitsPerItem, int groupSize, int groupsPerComputeUnit) {

    private static final Variant PLAIN = new Variant("", 1, 1, 0, 0);

    public Variant {
        if (itemsPerUnit < 1 || unitsPerItem < 1 || groupSize < 0 || groupsPerComputeUnit < 0) {
            throw new IllegalArgumentException("variant out of range: " + itemsPerUnit + " items per unit, "
                    + unitsPerItem + " units per item, group size " + groupSize + ", " + groupsPerComputeUnit
                    + " groups per compute unit");
        }
        if (groupsPerComputeUnit > 0 && groupSize == 0) {
            throw new IllegalArgumentException("a cap on groups needs a group size");
        }
    }

    /** One work-item per unit, no options, group size left open. */
    public static Variant plain() {
        return PLAIN;
    }

    /** The same launch with these build options. */
    public Variant withOptions(String newOptions) {
        return new Variant(newOptions, itemsPerUnit, unitsPerItem, groupSize, groupsPerComputeUnit);
    }

    /** Several work-items for each unit, in groups of the given size. */
    public static Variant itemsPerUnit(int items, int groupSize) {
        return new Variant("", items, 1, groupSize, 0);
    }

    /** Several units for each work-item, in groups of the given size. */
    public static Variant unitsPerItem(int units, int groupSize) {
        return new Variant("", 1, units, groupSize, 0);
    }

    /** The same launch with at most this many groups for each compute unit of the device. */
    public Variant withGroupsPerComputeUnit(int groups) {
        return new Variant(options, itemsPerUnit, unitsPerItem, groupSize, groups);
    }

    /** Work-items along a row of a two-dimensional range with that many columns: rounded up to whole groups. */
    public long rowSize(long columns) {
        return groupSize == 0 ? columns : ceilDiv(columns, groupSize) * groupSize;
    }

    /**
     * Work-items of a launch over a one-dimensional range.
     *
     * @param units units of the chunk
     * @param computeUnits compute units of the device
     */
    public long globalSize(long units, int computeUnits) {
        long items = ceilDiv(Math.multiplyExact(units, (long) itemsPerUnit), unitsPerItem);
        if (groupSize == 0) {
            return items;
        }
        long groups = ceilDiv(items, groupSize);
        if (groupsPerComputeUnit > 0) {
            groups = Math.min(groups, (long) groupsPerComputeUnit * computeUnits);
        }
        return groups * groupSize;
    }

    private static long ceilDiv(long a, long b) {
        return (a + b - 1) / b; // Math.ceilDiv is newer than Java 17
    }
}
