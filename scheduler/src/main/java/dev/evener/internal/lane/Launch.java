package dev.evener.internal.lane;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.Variant;
import dev.evener.internal.JobSpec;
import dev.evener.internal.cl.ClCommands;
import dev.evener.internal.cl.ClKernel;
import org.jspecify.annotations.Nullable;

/**
 * Launches kernels over chunks: how many work-items, and in which groups. Belongs to one lane's thread.
 *
 * <p>Where a variant leaves the group size open, a GPU's driver chooses. On a CPU the choice is made here, because PoCL
 * compiles a kernel anew for every group size it meets, which takes from 50 milliseconds to seconds, and its own choice
 * changes with the size of the chunk. Two sizes serve all chunks: {@link #GROUP}, and 1 for what is left over (less than a group
 * of a chunk; of each row it would be too much, see {@link #inRows}). Of each, PoCL
 * makes one form for launches from item 0 and one for others, and of the first one more for 65,535 items or more in a row.
 */
final class Launch {
    /**
     * Work-items of a group chosen here. PoCL 3.1 vectorises a plain kernel from 64 on; groups of 64 cost saxpy 6 % and, on data
     * in the cache, 30 % more than these, and 256 gain nothing.
     */
    private static final int GROUP = 128;

    /** Groups for each compute unit without which single items are spread more evenly. */
    private static final int GROUPS_PER_UNIT = 2;

    /** Fewest and most work-items of a group that divides a row. */
    private static final int SMALLEST = 64;

    private static final int LARGEST = 256;

    private final DeviceInfo device;
    private final boolean loopsEndEarly;
    private final ClCommands commands;
    private final long[] global = new long[1];
    private final long[] local = new long[1];
    private final long[] offset = new long[1];
    private final long[] offsetOfRows = new long[2];
    private final long[] globalOfRows = new long[2];
    private final long[] localOfRows = new long[] {0, 1};

    Launch(DeviceInfo device, boolean loopsEndEarly, ClCommands commands) {
        this.device = device;
        this.loopsEndEarly = loopsEndEarly;
        this.commands = commands;
    }

    /** Enqueues a kernel over a chunk. */
    void chunk(JobSpec job, Variant variant, ClKernel kernel, int units) {
        boolean open = variant.groupSize() == 0;
        boolean choose = open && device.kind() == DeviceKind.CPU;
        if (job.columns() > 0 && variant.groups() == 0) {
            long columns = variant.rowSize(job.columns());
            if (choose) {
                inRows(kernel, columns, units);
            } else {
                rows(kernel, 0, columns, units, variant.groupSize());
            }
        } else {
            // A cap would have each work-item loop over more units, for as many rounds as there are.
            long items = variant.globalSize(units, loopsEndEarly ? Integer.MAX_VALUE : device.computeUnits());
            if (choose) {
                inGroups(kernel, items);
            } else {
                items(kernel, 0, items, variant.groupSize());
            }
        }
    }

    /** The items of the second launch count on, so a kernel sees no difference but in {@code get_global_size}. */
    private void inGroups(ClKernel kernel, long items) {
        boolean enough = items >= (long) GROUP * GROUPS_PER_UNIT * device.computeUnits();
        long whole = enough ? items - items % GROUP : 0;
        if (whole > 0) {
            items(kernel, 0, whole, GROUP);
        }
        if (whole < items) {
            items(kernel, whole, items - whole, 1);
        }
    }

    /**
     * Groups within a row, in one launch where a group of a good size divides it, else in two: groups of {@link #GROUP}, and the
     * rest of each row as one group large enough to be vectorised. Single items would take up to ten times as long. The choice
     * does not depend on the number of rows, so that no chunk brings a size of its own.
     */
    private void inRows(ClKernel kernel, long columns, long rows) {
        long divisor = divisor(columns);
        if (divisor >= Math.min(SMALLEST, columns)) {
            rows(kernel, 0, columns, rows, divisor);
        } else {
            long rest = columns % GROUP < SMALLEST ? columns % GROUP + GROUP : columns % GROUP;
            rows(kernel, 0, columns - rest, rows, GROUP);
            rows(kernel, columns - rest, rest, rows, rest);
        }
    }

    /** The largest group that divides a row. */
    private static long divisor(long columns) {
        long group = Math.min(columns, LARGEST);
        while (columns % group != 0) {
            group--;
        }
        return group;
    }

    private void items(ClKernel kernel, long from, long items, long group) {
        offset[0] = from;
        global[0] = items;
        local[0] = group;
        commands.kernel(kernel, from == 0 ? null : offset, global, group(local));
    }

    private void rows(ClKernel kernel, long from, long columns, long rows, long group) {
        offsetOfRows[0] = from;
        globalOfRows[0] = columns;
        globalOfRows[1] = rows;
        localOfRows[0] = group;
        commands.kernel(kernel, from == 0 ? null : offsetOfRows, globalOfRows, group(localOfRows));
    }

    private static long @Nullable [] group(long[] sizes) {
        return sizes[0] == 0 ? null : sizes;
    }
}
