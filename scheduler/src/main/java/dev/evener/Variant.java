package dev.evener;

import java.util.Objects;

/**
 * How one class of devices builds and launches a kernel: preprocessor options and the number of work-items per unit. All
 * variants of a kernel have the same signature.
 *
 * <p>A launch over {@code n} units has {@code ceil(n * itemsPerUnit / unitsPerItem)} work-items, rounded up to whole
 * groups when a group size is set, and capped at {@code groupsPerComputeUnit} groups per compute unit when that is set.
 * A kernel whose launch may be rounded up takes the chunk's units as an argument ({@link JobBuilder#chunkUnits()}) and
 * guards against the excess; one whose launch may be capped loops over its units with the global size as the step. Over a
 * {@linkplain JobBuilder#range two-dimensional range} there is one work-item for each column of a row. With {@link
 * #groups} the launch has that many groups, in one dimension, whatever the units: for a kernel that works on all of the
 * chunk and divides it among its groups itself.
 *
 * @param options build options for this class, such as {@code -D GROUP=256}; may be empty
 * @param itemsPerUnit work-items for each unit, at least 1
 * @param unitsPerItem units for each work-item, at least 1
 * @param groupSize work-items in a group; 0 leaves the choice open and keeps the number of work-items exact (a chunk may
 *     then be launched in two parts: {@code get_global_id} counts on, {@code get_global_size} is the part's)
 * @param groupsPerComputeUnit most groups for each compute unit of the device; 0 for no cap
 * @param groups number of groups whatever the units; 0 if the units decide
 * @param rounds most rounds that the loops of one work-item take, all of them together, inner ones each time; 0 if that is
 *     not known. A device whose driver ends loops early, as its self-test has shown, refuses a kernel that may take more. Such
 *     a driver may count one round more for each time a loop ends, and one for a loop in a branch that is not taken.
 */
public record Variant(
        String options,
        int itemsPerUnit,
        int unitsPerItem,
        int groupSize,
        int groupsPerComputeUnit,
        int groups,
        long rounds) {

    private static final Variant PLAIN = new Variant("", 1, 1, 0, 0, 0, 0);

    public Variant {
        Objects.requireNonNull(options, "options");
        if (itemsPerUnit < 1
                || unitsPerItem < 1
                || groupSize < 0
                || groupsPerComputeUnit < 0
                || groups < 0
                || rounds < 0) {
            throw new IllegalArgumentException("variant out of range: " + itemsPerUnit + " items per unit, "
                    + unitsPerItem + " units per item, group size " + groupSize + ", " + groupsPerComputeUnit
                    + " groups per compute unit, " + groups + " groups, " + rounds + " rounds");
        }
        if (groupsPerComputeUnit > 0 && groupSize == 0) {
            throw new IllegalArgumentException("a cap on groups needs a group size");
        }
        if (groups > 0 && (groupSize == 0 || itemsPerUnit != 1 || unitsPerItem != 1 || groupsPerComputeUnit > 0)) {
            throw new IllegalArgumentException(
                    "a launch of " + groups + " groups whatever the units needs a group size, and"
                            + " nothing that goes by units or compute units");
        }
    }

    /** One work-item per unit, no options, group size left open. */
    public static Variant plain() {
        return PLAIN;
    }

    /** The same launch with these build options. */
    public Variant withOptions(String newOptions) {
        return new Variant(newOptions, itemsPerUnit, unitsPerItem, groupSize, groupsPerComputeUnit, groups, rounds);
    }

    /** The same launch in groups of this size. */
    public Variant withGroupSize(int size) {
        return new Variant(options, itemsPerUnit, unitsPerItem, size, groupsPerComputeUnit, groups, rounds);
    }

    /** The same launch, with loops of at most so many rounds in each work-item. */
    public Variant withRounds(long most) {
        return new Variant(options, itemsPerUnit, unitsPerItem, groupSize, groupsPerComputeUnit, groups, most);
    }

    /** So many work-items for each unit, group size left open. */
    public static Variant itemsPerUnit(int items) {
        return new Variant("", items, 1, 0, 0, 0, 0);
    }

    /** So many units for each work-item, group size left open. */
    public static Variant unitsPerItem(int units) {
        return new Variant("", 1, units, 0, 0, 0, 0);
    }

    /** The same work-items for so many units instead of one. */
    public Variant withUnitsPerItem(int units) {
        return new Variant(options, itemsPerUnit, units, groupSize, groupsPerComputeUnit, groups, rounds);
    }

    /** The same launch with at most this many groups for each compute unit of the device. */
    public Variant withGroupsPerComputeUnit(int groups) {
        return new Variant(options, itemsPerUnit, unitsPerItem, groupSize, groups, this.groups, rounds);
    }

    /**
     * So many groups, whatever the units of the chunk, of one work-item unless {@link #withGroupSize} says otherwise.
     *
     * @param groups at least 1
     */
    public static Variant groups(int groups) {
        if (groups < 1) {
            throw new IllegalArgumentException("groups(" + groups + "): there must be at least 1");
        }
        return new Variant("", 1, 1, 1, 0, groups, 0);
    }

    /**
     * Work-items of a launch over a one-dimensional range.
     *
     * @param units units of the chunk
     * @param computeUnits compute units of the device
     */
    public long globalSize(long units, int computeUnits) {
        if (groups > 0) {
            return (long) groups * groupSize;
        }
        long items = ceilDiv(Math.multiplyExact(units, (long) itemsPerUnit), unitsPerItem);
        if (groupSize == 0) {
            return items;
        }
        long needed = ceilDiv(items, groupSize);
        if (groupsPerComputeUnit > 0) {
            needed = Math.min(needed, (long) groupsPerComputeUnit * computeUnits);
        }
        return needed * groupSize;
    }

    private static long ceilDiv(long a, long b) {
        return (a + b - 1) / b; // Math.ceilDiv is newer than Java 17
    }
}
