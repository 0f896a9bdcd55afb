package dev.evener.internal.opencl;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.Job;
import dev.evener.Variant;
import org.jocl.cl_kernel;
import org.jspecify.annotations.Nullable;

/**
 * Launches kernels over chunks: how many work-items, and in which groups. Belongs to one lane's thread.
 *
 * <p>Where a variant leaves the group size open, a GPU's driver chooses. On a CPU the choice is made here, because PoCL
 * compiles a kernel anew for every group size it meets, which takes from 50 milliseconds to seconds, and its own choice
 * changes with the size of the chunk.
 */
final class ClLaunch {
    /** Most work-items of a group chosen here; every CPU device takes as many, and more gains nothing. */
    private static final int LARGEST = 256;

    /** Groups for each compute unit that a group should leave, so that the compute units finish together. */
    private static final int GROUPS_PER_UNIT = 4;

    private final DeviceInfo device;
    private final ClCommands commands;
    private final long[] global = new long[1];
    private final long[] local = new long[1];
    private final long[] offset = new long[1];
    private final long[] globalOfRows = new long[2];
    private final long[] localOfRows = new long[] {0, 1};

    ClLaunch(DeviceInfo device, ClCommands commands) {
        this.device = device;
        this.commands = commands;
    }

    /** Enqueues a kernel over a chunk. */
    void chunk(Job job, Variant variant, cl_kernel kernel, int units) {
        boolean open = variant.groupSize() == 0;
        boolean choose = open && device.kind() == DeviceKind.CPU;
        if (job.columns() > 0 && variant.groups() == 0) {
            long columns = variant.rowSize(job.columns());
            rows(kernel, columns, units, choose ? divisor(columns) : variant.groupSize());
        } else {
            long items = variant.globalSize(units, device.computeUnits());
            if (choose) {
                inTwoParts(kernel, items);
            } else {
                items(kernel, 0, items, variant.groupSize());
            }
        }
    }

    /**
     * Groups of a power of two, then what is left over in smaller ones: of all chunk sizes, a handful of group sizes. The
     * items count on, so a kernel sees no difference but in {@code get_global_size}.
     */
    private void inTwoParts(cl_kernel kernel, long items) {
        long each = items / GROUPS_PER_UNIT / device.computeUnits();
        long group = Math.min(LARGEST, Math.max(1, Long.highestOneBit(each)));
        long rest = items % group;
        if (items > rest) {
            items(kernel, 0, items - rest, group);
        }
        if (rest > 0) {
            items(kernel, items - rest, rest, Long.lowestOneBit(rest));
        }
    }

    /** The largest group that divides a row: a choice that does not depend on the number of rows. */
    private static long divisor(long columns) {
        long group = Math.min(columns, LARGEST);
        while (columns % group != 0) {
            group--;
        }
        return group;
    }

    private void items(cl_kernel kernel, long from, long items, long group) {
        offset[0] = from;
        global[0] = items;
        local[0] = group;
        commands.kernel(kernel, from == 0 ? null : offset, global, group(local));
    }

    private void rows(cl_kernel kernel, long columns, long rows, long group) {
        globalOfRows[0] = columns;
        globalOfRows[1] = rows;
        localOfRows[0] = group;
        commands.kernel(kernel, null, globalOfRows, group(localOfRows));
    }

    private static long @Nullable [] group(long[] sizes) {
        return sizes[0] == 0 ? null : sizes;
    }
}
