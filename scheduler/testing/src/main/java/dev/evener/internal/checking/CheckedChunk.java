package dev.evener.internal.checking;

import dev.evener.DeviceInfo;
import dev.evener.internal.cl.ClCommands;
import dev.evener.internal.cl.ClContext;
import dev.evener.internal.cl.ClFailure;
import dev.evener.internal.cl.DeviceBuffer;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.lane.ChunkBinding;
import dev.evener.internal.lane.Kernels;
import dev.evener.internal.lane.PieceCut;
import dev.evener.internal.memory.ArgumentMemories;
import dev.evener.internal.memory.LaneMemory;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.run.ChunkTimes;
import dev.evener.internal.run.Granules;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A chunk of the checking mode: it is run several times, with other cuts, other work-groups and something else in all memory that its
 * kernels should not look at, and every run must have the same results, bit for bit. {@link GuardedArgument} finds what is written where
 * it should not be; here is found what should have been written or read and was not, and what should not have been read. Where runs
 * differ, further runs tell why.
 */
final class CheckedChunk extends ChunkBinding {
    private static final Logger LOG = LoggerFactory.getLogger(CheckedChunk.class);

    /**
     * What each chunk is run with after the first run. Poison around inputs comes late: a kernel that takes it for an index or
     * for a number of rounds may crash, but most such kernels are found out before, by values that come from their own input.
     */
    private static final List<Setting> RUNS = List.of(
            new Setting(false, 0, Around.REPEATED, -1),
            new Setting(true, 0, Around.POISON, -1),
            new Setting(false, Kernels.OTHER, Around.OTHER_POISON, -1));

    /** Equal runs after which results that differ are put down to something else than to a race. */
    private static final int EQUAL_RUNS = 5;

    private static final int LEAST_PIECES = 3;

    private final DeviceInfo info;
    private final Kernels kernels;
    private final ClCommands commands;
    private final List<GuardedArgument> guarded = new ArrayList<>(); // of the present run
    private Setting setting = Setting.USUAL;
    private boolean exactly; // whether guard zones are looked at after each kernel
    private boolean warned; // once is enough
    private final Set<String> known = new HashSet<>(); // halos that are read, or of which was told
    private long begun; // host times of all runs together
    private long ended;
    private long bytesIn; // of all runs
    private long bytesOut;

    /**
     * What distinguishes a run of a chunk from others.
     *
     * @param otherCut whether its pieces begin at other units
     * @param groups the size of work-groups, where that is left open, as {@link Kernels#otherGroups} is told
     * @param around what kernels should not see
     * @param only the one argument of which that holds, while all others are as usual; -1 for all
     */
    private record Setting(boolean otherCut, int groups, Around around, int only) {
        static final Setting USUAL = of(0);

        /** All as usual but for the size of groups. */
        static Setting of(int groups) {
            return new Setting(false, groups, Around.NEIGHBOURS, -1);
        }

        Around around(int argument) {
            return only < 0 || only == argument ? around : USUAL.around;
        }
    }

    /** The chunk to be run. */
    private record Work(JobSpec job, JobSpec.Phase phase, long firstUnit, long units) {}

    /** The first byte of a result that differs between two runs, and whether both left it as it was. */
    private record Difference(int argument, int at, boolean unwritten) {}

    CheckedChunk(ClContext context, DeviceInfo info, Kernels kernels, ClCommands commands, LaneMemory lane) {
        super(
                info,
                kernels,
                commands,
                lane,
                PieceCut.of(0),
                false,
                new ArgumentMemories(index -> new GuardedArgument(index, context, commands, info.alignmentBytes())));
        this.info = info;
        this.kernels = kernels;
        this.commands = commands;
    }

    @Override
    protected boolean enqueue(
            JobSpec job,
            JobSpec.Phase phase,
            long firstUnit,
            long units,
            boolean fenced,
            boolean exact,
            @Nullable ChunkBinding before) {
        Work work = new Work(job, phase, firstUnit, units);
        boolean done = false;
        bytesIn = 0;
        bytesOut = 0;
        begun = System.nanoTime();
        try {
            exactly = false;
            @Nullable ByteBuffer[] expected = run(work, Setting.USUAL);
            if (guarded.stream().anyMatch(each -> each.changedInZones() != GuardedArgument.NOWHERE)) {
                exactly = true; // which finds out the kernel and the place
                run(work, Setting.USUAL);
                throw LaneFailure.declaration(
                        "kernel " + phase.kernel() + " writes far outside of what it was given, in one of two equal"
                                + " runs; work-items race, or something is used that was never set");
            }
            List<Setting> runs = new ArrayList<>(RUNS);
            kernels.sizesToTry(phase).forEach(size -> runs.add(Setting.of(size)));
            for (Setting each : runs) {
                @Nullable ByteBuffer[] found = run(work, each);
                Difference difference = difference(expected, found);
                if (difference != null) {
                    throw difference.unwritten ? unwritten(difference) : explained(work, each, expected, difference);
                }
            }
            if (job.phases().stream()
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

    /** Says once of each halo that its outer half makes no difference, where that holds other values than the units themselves. */
    private void tellOfHalos(Work work, @Nullable ByteBuffer[] expected) {
        for (int i = 0; i < expected.length; i++) {
            if (work.phase.arguments().get(i) instanceof Argument.Buffer b && b.view() == Argument.View.AROUND) {
                tellOfHalo(work, expected, i, Around.LESS_BEFORE, b.layout().before());
                tellOfHalo(work, expected, i, Around.LESS_AFTER, b.layout().after());
            }
        }
    }

    private void tellOfHalo(Work work, @Nullable ByteBuffer[] expected, int argument, Around less, long halo) {
        String which = work.phase.describe(argument) + less;
        if (halo < 2 || known.contains(which)) {
            return;
        }
        boolean read = difference(expected, run(work, new Setting(false, 0, less, argument))) != null;
        if (read || guarded.stream().anyMatch(GuardedArgument::isLessened)) {
            known.add(which);
        }
        if (!read && known.contains(which)) {
            LOG.warn(
                    "job '{}': {}: the results do not depend on the outer half of the {} units that its halo has {} each chunk;"
                            + " a smaller halo moves less",
                    work.job.name(),
                    work.phase.describe(argument),
                    halo,
                    less == Around.LESS_BEFORE ? "before" : "behind");
        }
    }

    /** Runs it once and waits for its results. */
    private @Nullable ByteBuffer[] run(Work work, Setting next) {
        setting = next;
        kernels.otherGroups(next.groups);
        try {
            super.enqueue(work.job, work.phase, work.firstUnit, work.units, true, true, null);
        } catch (ClFailure e) {
            if (next.groups == 0) {
                throw e;
            }
            kernels.otherGroups(0); // the kernel itself says how large its groups are
            super.enqueue(work.job, work.phase, work.firstUnit, work.units, true, true, null);
        }
        super.await();
        bytesIn += commands.bytesIn();
        bytesOut += commands.bytesOut();
        @Nullable
        ByteBuffer[] results = new @Nullable ByteBuffer[work.phase.arguments().size()];
        guarded.forEach(each -> results[each.index()] = each.result());
        return results;
    }

    /** Into three pieces or more, which are chunks to the kernel: of an odd number of granules, or, in the other cut, of an even one. */
    @Override
    protected int cut(long traffic) {
        long granule = Granules.ofKernels(job, info.kind());
        long usual = (Math.max(1, units / granule / LEAST_PIECES) - 1) | 1;
        long other = Math.max(2, (usual - usual / 3) & ~1);
        int piece = Math.toIntExact(Math.min(units, (setting.otherCut() ? other : usual) * granule));
        guarded.clear();
        List<Argument> arguments = phase.arguments();
        for (int i = 0; i < arguments.size(); i++) {
            if (arguments.get(i) instanceof Argument.Buffer || arguments.get(i) instanceof Argument.Temporary) {
                GuardedArgument each = (GuardedArgument) argument(i);
                each.begin(phase, piece, setting.around(i));
                guarded.add(each);
            }
        }
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
        return piece;
    }

    /**
     * With what is around the units' parts as well, in which {@link GuardedArgument} then finds mistakes as in any
     * memory.
     */
    @Override
    protected boolean fillsImages() {
        return true;
    }

    @Override
    protected void reserveTemporary(int number, long bytes) {} // room is found when it is needed

    @Override
    protected DeviceBuffer placeTemporary(int index, int number, long bytes) {
        return ((GuardedArgument) argument(index)).placeTemporary(bytes);
    }

    @Override
    protected void passed(JobSpec.Pass pass) {
        guarded.forEach(GuardedArgument::fetchAll);
        commands.flush();
        commands.await();
        guarded.forEach(each -> each.check(pass, exactly));
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

    private @Nullable Difference difference(@Nullable ByteBuffer[] expected, @Nullable ByteBuffer[] found) {
        for (int i = 0; i < expected.length; i++) {
            for (int at = differs(expected[i], found[i], 0); at >= 0; at = differs(expected[i], found[i], at + 1)) {
                Argument.Buffer b = (Argument.Buffer) phase.arguments().get(i);
                boolean unwritten = !b.read()
                        && b.isWrittenInPlace()
                        && expected[i].get(at) == Around.NEIGHBOURS.poison(false)
                        && found[i].get(at) == Around.REPEATED.poison(false);
                if (!unwritten || !b.isSparse() || (b.buffer().isHidden() && isCounted(b, at, expected[i + 1]))) {
                    return new Difference(i, at, unwritten);
                }
            }
        }
        return null;
    }

    /** The first byte from one on that differs between two results; -1 if there is none, or no result. */
    private static int differs(@Nullable ByteBuffer one, @Nullable ByteBuffer other, int from) {
        int length = one == null ? 0 : one.capacity() - from;
        int at = length == 0 ? -1 : one.slice(from, length).mismatch(other.slice(from, length));
        return at < 0 ? at : from + at;
    }

    /** Whether a byte of the slots is among what its unit counted, if that is no more than there is. */
    private static boolean isCounted(Argument.Buffer slots, int at, ByteBuffer counts) {
        long perUnit = slots.bytesPerUnit();
        int count = counts.getInt((int) (at / perUnit) * Integer.BYTES);
        long counted = Integer.toUnsignedLong(count) * slots.buffer().type().bytes();
        return at % perUnit < counted && counted <= perUnit;
    }

    private LaneFailure unwritten(Difference difference) {
        boolean slots = ((Argument.Buffer) phase.arguments().get(difference.argument)).isSparse();
        return LaneFailure.declaration(named(difference) + ": the kernel does not write " + place(difference)
                + (slots
                        ? ", but counts it among what the unit appends"
                        : ", but all of its part is declared to be written; write it, or declare updates(...)"));
    }

    private LaneFailure explained(Work work, Setting setting, @Nullable ByteBuffer[] expected, Difference difference) {
        for (int i = 0; i < EQUAL_RUNS; i++) {
            Difference race = difference(expected, run(work, Setting.USUAL));
            if (race != null) {
                return LaneFailure.declaration(named(race) + ": equal runs have different results, first at "
                        + place(race) + "; work-items race, or something is used that was never set");
            }
        }
        if (difference(expected, run(work, Setting.of(setting.groups == 0 ? Kernels.OTHER : setting.groups))) != null) {
            return LaneFailure.declaration(named(difference) + ": " + place(difference)
                    + " is another in work-groups of another size; the size is left open, so nothing may depend on"
                    + " get_local_id, get_local_size, get_group_id or get_global_size: give the kernel a Variant with a"
                    + " group size, or do without them");
        }
        if (difference(expected, run(work, new Setting(false, 0, setting.around(), -1))) == null) {
            return LaneFailure.declaration(named(difference) + ": " + place(difference)
                    + " is another when the job is cut at other units; is an index within the chunk used for one within the"
                    + " job, which is chunkStart() more, is the edge of a chunk taken for the edge of the job, or do"
                    + " work-items race?");
        }
        for (int i = 0; i < work.phase.arguments().size(); i++) {
            Difference caused = difference(expected, run(work, new Setting(false, 0, setting.around(), i)));
            if (caused != null) {
                return LaneFailure.declaration(work.phase.describe(i) + ": the kernel reads "
                        + forbidden(work.phase.arguments().get(i)) + "; it shows in " + named(caused) + ", first at "
                        + place(caused) + " (unless work-items race)");
            }
        }
        return LaneFailure.declaration(named(difference) + ": " + place(difference)
                + " depends on what lies outside of what the kernel was given, or work-items race");
    }

    /** What a kernel may not read of an argument, and what to do about it. */
    private static String forbidden(Argument argument) {
        if (argument instanceof Argument.Buffer b) {
            if (b.view() == Argument.View.PARTIAL) {
                return "outside of the partial result";
            }
            if (!b.read()) {
                return "what it was declared to write only, before it was written or outside of the chunk's part; declare"
                        + " updates(...)";
            }
            return b.isSeenWhole()
                    ? "outside of the buffer"
                    : "outside of the chunk's part; declare a (larger) halo, or whole()";
        }
        return "a temporary before it was written, or outside of it";
    }

    private String named(Difference difference) {
        return ((GuardedArgument) argument(difference.argument)).describe();
    }

    private String place(Difference difference) {
        return ((GuardedArgument) argument(difference.argument)).placeOfResult(difference.at);
    }
}
