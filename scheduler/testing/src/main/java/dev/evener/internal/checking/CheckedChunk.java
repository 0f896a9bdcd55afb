package dev.evener.internal.checking;

import dev.evener.DeviceInfo;
import dev.evener.internal.cl.ClCommands;
import dev.evener.internal.cl.ClContext;
import dev.evener.internal.job.Argument;
import dev.evener.internal.lane.Around;
import dev.evener.internal.lane.ChunkBinding;
import dev.evener.internal.lane.GuardedArgument;
import dev.evener.internal.lane.GuardedChunk;
import dev.evener.internal.lane.Kernels;
import dev.evener.internal.memory.LaneMemory;
import dev.evener.internal.memory.Work;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.run.ChunkTimes;
import dev.evener.internal.run.Granules;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A chunk of the checking mode: it is run several times, with other cuts, other work-groups and something else in all memory that its
 * kernels should not look at, and every run must have the same results, bit for bit. {@link GuardedArgument} finds what is written where
 * it should not be; here is found what should have been written or read and was not, and what should not have been read. Where runs
 * differ, further runs tell why.
 */
final class CheckedChunk extends GuardedChunk {
    private static final Logger LOG = LoggerFactory.getLogger(CheckedChunk.class);

    /**
     * What each chunk is run with after the first run. Poison around inputs comes late: a kernel that takes it for an index or
     * for a number of rounds may crash, but most such kernels are found out before, by values that come from their own input.
     */
    private static final List<Setting> RUNS = List.of(
            new Setting(false, 0, Around.REPEATED, -1),
            new Setting(true, 0, Around.POISON, -1),
            new Setting(false, Kernels.OTHER, Around.OTHER_POISON, -1));

    private static final int LEAST_PIECES = 3;

    private boolean warned; // once is enough
    private final Set<String> known = new HashSet<>(); // halos that are read, or of which was told
    private long begun; // host times of all runs together
    private long ended;
    private long bytesIn;
    private long bytesOut;

    CheckedChunk(ClContext context, DeviceInfo info, Kernels kernels, ClCommands commands, LaneMemory lane) {
        super(
                info,
                kernels,
                commands,
                lane,
                index -> new CheckedArgument(index, context, commands, info.alignmentBytes()));
    }

    @Override
    protected boolean enqueue(Work work, boolean fenced, boolean exact, @Nullable ChunkBinding before) {
        boolean done = false;
        bytesIn = 0;
        bytesOut = 0;
        begun = System.nanoTime();
        try {
            @Nullable ByteBuffer[] expected = run(work, Setting.USUAL);
            if (findsFar()) {
                run(work, Setting.USUAL);
                throw LaneFailure.declaration("kernel " + work.phase().kernel()
                        + " writes far outside of what it was given, in one of two equal"
                        + " runs; work-items race, or something is used that was never set");
            }
            List<Setting> runs = new ArrayList<>(RUNS);
            kernels.sizesToTry(work.phase()).forEach(size -> runs.add(Setting.of(size)));
            for (Setting each : runs) {
                @Nullable ByteBuffer[] found = run(work, each);
                Difference difference = difference(expected, found, true);
                if (difference != null) {
                    throw LaneFailure.declaration(
                            difference.unwritten()
                                    ? unwritten(difference)
                                    : explained(work, each, true, expected, difference));
                }
            }
            if (work.job().phases().stream()
                    .allMatch(each -> each.hostStep() == null
                            && each.arguments().stream()
                                    .noneMatch(a -> a instanceof Argument.Buffer b && b.written()))) {
                throw LaneFailure.declaration("the job writes nothing, so that nobody sees what its kernels do; declare"
                        + " writes(...), updates(...), reduces(...) or appends(...)");
            }
            tellOfHalos(work, expected);
            guarded.forEach(each -> each.keep(expected[each.index()]));
            ended = System.nanoTime();
            done = true;
            return true;
        } finally {
            guarded.forEach(GuardedArgument::free);
            if (!done) {
                release();
            }
        }
    }

    @Override
    protected @Nullable ByteBuffer[] run(Work work, Setting next) {
        @Nullable ByteBuffer[] results = super.run(work, next);
        bytesIn += commands.bytesIn();
        bytesOut += commands.bytesOut();
        return results;
    }

    /**
     * Whether anything changed far away from what kernels were given; then runs tell from now on which kernel did so,
     * and where.
     */
    private boolean findsFar() {
        boolean found = checked().anyMatch(CheckedArgument::isChangedInZones);
        if (found) {
            checked().forEach(CheckedArgument::lookFarAway);
        }
        return found;
    }

    private Stream<CheckedArgument> checked() {
        return guarded.stream().map(CheckedArgument.class::cast);
    }

    private String unwritten(Difference difference) {
        boolean slots = ((Argument.Buffer) phase.arguments().get(difference.argument())).isSparse();
        return named(difference) + ": the kernel does not write " + place(difference)
                + (slots
                        ? ", but counts it among what the unit appends"
                        : ", but all of its part is declared to be written; write it, or declare updates(...)");
    }

    /** Says once of each halo that its outer half makes no difference, where that holds other values than the units themselves. */
    private void tellOfHalos(Work work, @Nullable ByteBuffer[] expected) {
        for (int i = 0; i < expected.length; i++) {
            if (work.phase().arguments().get(i) instanceof Argument.Buffer b && b.view() == Argument.View.AROUND) {
                tellOfHalo(work, expected, i, Around.LESS_BEFORE, b.layout().before());
                tellOfHalo(work, expected, i, Around.LESS_AFTER, b.layout().after());
            }
        }
    }

    private void tellOfHalo(Work work, @Nullable ByteBuffer[] expected, int argument, Around less, long halo) {
        String which = work.phase().describe(argument) + less;
        if (halo < 2 || known.contains(which)) {
            return;
        }
        boolean read = difference(expected, run(work, new Setting(false, 0, less, argument)), true) != null;
        if (read || checked().anyMatch(CheckedArgument::isLessened)) {
            known.add(which);
        }
        if (!read && known.contains(which)) {
            LOG.warn(
                    "job '{}': {}: the results do not depend on the outer half of the {} units that its halo has {} each chunk;"
                            + " a smaller halo moves less",
                    work.job().name(),
                    work.phase().describe(argument),
                    halo,
                    less == Around.LESS_BEFORE ? "before" : "behind");
        }
    }

    /** Into three pieces or more, which are chunks to the kernel: of an odd number of granules, or, in the other cut, of an even one. */
    @Override
    protected int piece() {
        long granule = Granules.ofKernels(job, info.kind());
        long usual = (Math.max(1, units / granule / LEAST_PIECES) - 1) | 1;
        long other = Math.max(2, (usual - usual / 3) & ~1);
        if (!warned && units / granule < LEAST_PIECES) {
            warned = true;
            LOG.warn(
                    "job '{}': device {} has {} units, too few for {} chunks of {} units; mistakes at the edges of chunks"
                            + " may be missed: check the kernel with more units",
                    job.name(),
                    info.id(),
                    units,
                    LEAST_PIECES,
                    granule);
        }
        return Math.toIntExact(Math.min(units, (setting.otherCut() ? other : usual) * granule));
    }

    /** All of them: {@link GuardedArgument} then finds mistakes there as in any memory. */
    @Override
    protected long partsAround(Argument.Buffer image) {
        return image.layout().bytes();
    }

    /** What all runs took and moved, with the checking between them. */
    @Override
    protected void settle(ChunkTimes times) {
        super.settle(times);
        times.submitted = begun;
        times.start = begun;
        times.end = ended;
        times.kernelNanos = ended - begun;
        times.transferNanos = 0;
        times.bytesIn = bytesIn;
        times.bytesOut = bytesOut;
    }
}
