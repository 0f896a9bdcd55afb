package dev.evener.internal.lane;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.internal.JobSpec;
import dev.evener.internal.cl.ClCommands;
import dev.evener.internal.cl.ClContext;
import dev.evener.internal.cl.ClKernel;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.recovery.LaneFailure.Kind;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A lane's kernel objects, made when they are first needed and kept, and their launches over chunks: how many work-items, and in
 * which groups. Belongs to one lane's thread, but for {@link #tried}.
 *
 * <p>Where a variant leaves the group size open, a GPU's driver chooses. On a CPU the choice is made here, because PoCL
 * compiles a kernel anew for every group size it meets, which takes from 50 milliseconds to seconds, and its own choice
 * changes with the size of the chunk. Two sizes serve all chunks: {@link #GROUP}, and 1 for what is left over (less than a group
 * of a chunk; of each row it would be too much, see {@link #inRows}). Of each, PoCL
 * makes one form for launches from item 0 and one for others, and of the first one more for 65,535 items or more in a row.
 */
public final class Kernels implements AutoCloseable {
    /**
     * Work-items of a group chosen here. PoCL 3.1 vectorises a plain kernel from 64 on; groups of 64 cost saxpy 6 % and, on data
     * in the cache, 30 % more than these, and 256 gain nothing.
     */
    private static final int GROUP = 128;

    /** Groups for each compute unit without which single items are spread more evenly. */
    private static final int GROUPS_PER_UNIT = 2;

    /** Of a group of the checking mode where there would be single items. */
    private static final int OTHER_GROUP = 8;

    /** Fewest and most work-items of a group that divides a row. */
    private static final int SMALLEST = 64;

    private static final int LARGEST = 256;

    private final ClContext context;
    private final DeviceInfo info;
    private final boolean loopsEndEarly;
    private final Map<Key, ClKernel> kernels = new HashMap<>();
    private final Set<Key> tried = ConcurrentHashMap.newKeySet(); // that were built, or do not build
    private boolean otherGroups;

    // Of the launch being made.
    private final long[] global = new long[1];
    private final long[] local = new long[1];
    private final long[] offset = new long[1];
    private final long[] offsetOfRows = new long[2];
    private final long[] globalOfRows = new long[2];
    private final long[] localOfRows = new long[] {0, 1};

    private record Key(String digest, String options, String name) {}

    Kernels(ClContext context, DeviceInfo info, boolean loopsEndEarly) {
        this.context = context;
        this.info = info;
        this.loopsEndEarly = loopsEndEarly;
    }

    /**
     * The kernel of a pass.
     *
     * @throws LaneFailure if it cannot be built
     */
    ClKernel get(JobSpec.Phase phase, JobSpec.Pass pass) {
        KernelSource source = phase.source();
        if (source == null) {
            throw new LaneFailure(
                    Kind.DECLARATION,
                    "kernel " + pass.kernel() + " has no OpenCL source, which device " + info.id()
                            + " needs; give source(...) or select the JVM lane");
        }
        Key key = key(source, pass);
        ClKernel known = kernels.get(key);
        if (known == null) {
            try {
                known = context.kernel(source, key.options(), info, key.name());
                kernels.put(key, known);
            } finally {
                tried.add(key);
            }
        }
        return known;
    }

    private Key key(KernelSource source, JobSpec.Pass pass) {
        return new Key(source.digest(), pass.variant(info.kind()).options(), pass.kernel());
    }

    /** Whether the kernels of a phase were made, as far as they can be; any thread. */
    boolean tried(JobSpec.Phase phase) {
        KernelSource source = phase.source(); // without one there is nothing to build
        return source == null || phase.passes().stream().allMatch(pass -> tried.contains(key(source, pass)));
    }

    /** For the checking mode: whether groups have another size than usual, where that is left open. */
    public void otherGroups(boolean other) {
        otherGroups = other;
    }

    /** Enqueues a kernel over a chunk. */
    void launch(ClCommands commands, JobSpec job, JobSpec.Pass pass, ClKernel kernel, int units) {
        Variant variant = pass.variant(info.kind());
        boolean choose = variant.groupSize() == 0 && (otherGroups || info.kind() == DeviceKind.CPU);
        if (job.columns() > 0 && variant.groups() == 0) {
            long columns = variant.rowSize(job.columns());
            if (choose && !otherGroups) {
                inRows(commands, kernel, columns, units);
            } else {
                rows(commands, kernel, 0, columns, units, choose ? 1 : variant.groupSize());
            }
        } else {
            // A cap would have each work-item loop over more units, for as many rounds as there are.
            long items = variant.globalSize(units, loopsEndEarly ? Integer.MAX_VALUE : info.computeUnits());
            if (choose) {
                inGroups(commands, kernel, items);
            } else {
                items(commands, kernel, 0, items, variant.groupSize());
            }
        }
    }

    /** The items of the second launch count on, so a kernel sees no difference but in {@code get_global_size}. */
    private void inGroups(ClCommands commands, ClKernel kernel, long items) {
        boolean enough = items >= (long) GROUP * GROUPS_PER_UNIT * info.computeUnits();
        boolean single = otherGroups ? enough || info.kind() != DeviceKind.CPU : !enough;
        int group = single ? 1 : otherGroups ? OTHER_GROUP : GROUP;
        long whole = items - items % group;
        if (whole > 0) {
            items(commands, kernel, 0, whole, group);
        }
        if (whole < items) {
            items(commands, kernel, whole, items - whole, 1);
        }
    }

    /**
     * Groups within a row, in one launch where a group of a good size divides it, else in two: groups of {@link #GROUP}, and the
     * rest of each row as one group large enough to be vectorised. Single items would take up to ten times as long. The choice
     * does not depend on the number of rows, so that no chunk brings a size of its own.
     */
    private void inRows(ClCommands commands, ClKernel kernel, long columns, long rows) {
        long divisor = divisor(columns);
        if (divisor >= Math.min(SMALLEST, columns)) {
            rows(commands, kernel, 0, columns, rows, divisor);
        } else {
            long rest = columns % GROUP < SMALLEST ? columns % GROUP + GROUP : columns % GROUP;
            rows(commands, kernel, 0, columns - rest, rows, GROUP);
            rows(commands, kernel, columns - rest, rest, rows, rest);
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

    private void items(ClCommands commands, ClKernel kernel, long from, long items, long group) {
        offset[0] = from;
        global[0] = items;
        local[0] = group;
        commands.kernel(kernel, from == 0 ? null : offset, global, group(local));
    }

    private void rows(ClCommands commands, ClKernel kernel, long from, long columns, long rows, long group) {
        offsetOfRows[0] = from;
        globalOfRows[0] = columns;
        globalOfRows[1] = rows;
        localOfRows[0] = group;
        commands.kernel(kernel, from == 0 ? null : offsetOfRows, globalOfRows, group(localOfRows));
    }

    private static long @Nullable [] group(long[] sizes) {
        return sizes[0] == 0 ? null : sizes;
    }

    @Override
    public void close() {
        kernels.values().forEach(ClKernel::release);
        kernels.clear();
    }
}
