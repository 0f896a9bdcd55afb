package dev.evener.internal.lane;

import dev.evener.DeviceInfo;
import dev.evener.internal.cl.ClCommands;
import dev.evener.internal.cl.ClFailure;
import dev.evener.internal.cl.DeviceBuffer;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.memory.ArgumentMemory;
import dev.evener.internal.memory.LaneMemory;
import dev.evener.internal.memory.Work;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A chunk in memory of its own, in which kernels find what was declared and nothing that the application has: what
 * they write elsewhere shows ({@link GuardedArgument}), and by runs with something else around what they were given,
 * what they read elsewhere. Where runs differ, further runs tell why. The first run of a kernel ({@link
 * FirstRunChunk}) and the checking mode are made of such runs.
 */
public abstract class GuardedChunk extends ChunkBinding {
    /** Equal runs after which results that differ are put down to something else than to a race. */
    private static final int EQUAL_RUNS = 5;

    protected final List<GuardedArgument> guarded = new ArrayList<>(); // of the present run
    protected Setting setting = Setting.USUAL;

    /**
     * What distinguishes a run of a chunk from others.
     *
     * @param otherCut whether its pieces begin at other units
     * @param groups the size of work-groups, where that is left open, as {@link Kernels#otherGroups} is told
     * @param around what kernels should not see
     * @param only the one argument of which that holds, while all others are as usual; -1 for all
     */
    public record Setting(boolean otherCut, int groups, Around around, int only) {
        public static final Setting USUAL = of(0);

        /** All as usual but for the size of groups. */
        public static Setting of(int groups) {
            return new Setting(false, groups, Around.NEIGHBOURS, -1);
        }

        Around around(int argument) {
            return only < 0 || only == argument ? around : USUAL.around;
        }
    }

    /** The first byte of a result that differs between two runs, and whether both left it as it was. */
    public record Difference(int argument, int at, boolean unwritten) {}

    /** @param memory for an argument, by its number */
    protected GuardedChunk(
            DeviceInfo info,
            Kernels kernels,
            ClCommands commands,
            LaneMemory lane,
            IntFunction<ArgumentMemory> memory) {
        super(info, kernels, commands, lane, PieceCut.of(0), false, memory);
    }

    /** Runs it once and waits for its results. */
    protected @Nullable ByteBuffer[] run(Work work, Setting next) {
        setting = next;
        kernels.otherGroups(next.groups);
        try {
            super.enqueue(work, true, true, null);
        } catch (ClFailure e) {
            if (next.groups == 0) {
                throw e;
            }
            kernels.otherGroups(0); // the kernel itself says how large its groups are
            super.enqueue(work, true, true, null);
        }
        super.await();
        @Nullable
        ByteBuffer[] results = new @Nullable ByteBuffer[work.phase().arguments().size()];
        guarded.forEach(each -> results[each.index()] = each.result());
        return results;
    }

    /** Most units of a piece, which is a chunk to the kernel. */
    protected abstract int piece();

    /** Whether kernels may write an argument, as far as their types tell. */
    protected boolean mayBeWritten(int argument) {
        return true;
    }

    @Override
    protected int cut(long traffic) {
        int piece = piece();
        guarded.clear();
        List<Argument> arguments = phase.arguments();
        for (int i = 0; i < arguments.size(); i++) {
            if (arguments.get(i) instanceof Argument.Buffer || arguments.get(i) instanceof Argument.Temporary) {
                GuardedArgument each = (GuardedArgument) argument(i);
                each.begin(phase, piece, setting.around(i), mayBeWritten(i));
                guarded.add(each);
            }
        }
        return piece;
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
        guarded.forEach(each -> each.check(pass));
        guarded.forEach(GuardedArgument::unmap);
    }

    /**
     * The first difference between two runs that is none of what a kernel may leave out; null if there is none.
     *
     * @param tellsUnwritten whether what neither run wrote is a difference
     */
    protected final @Nullable Difference difference(
            @Nullable ByteBuffer[] expected, @Nullable ByteBuffer[] found, boolean tellsUnwritten) {
        for (int i = 0; i < expected.length; i++) {
            for (int at = differs(expected[i], found[i], 0); at >= 0; at = differs(expected[i], found[i], at + 1)) {
                Argument.Buffer b = (Argument.Buffer) phase.arguments().get(i);
                boolean unwritten = !b.read()
                        && b.isWrittenInPlace()
                        && expected[i].get(at) == Around.NEIGHBOURS.poison(false)
                        && found[i].get(at) == Around.REPEATED.poison(false);
                boolean allowed = !tellsUnwritten
                        || (b.isSparse() && !(b.buffer().isHidden() && isCounted(b, at, expected[i + 1])));
                if (!unwritten || !allowed) {
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

    /**
     * Why a run differs, in words.
     *
     * @param tellsRaces whether work-items that race are a mistake, and what they do not write
     * @return null if they do, and it is none
     */
    protected final @Nullable String explained(
            Work work, Setting setting, boolean tellsRaces, @Nullable ByteBuffer[] expected, Difference difference) {
        for (int i = 0; i < EQUAL_RUNS; i++) {
            Difference race = difference(expected, run(work, Setting.USUAL), tellsRaces);
            if (race != null) {
                return tellsRaces
                        ? named(race) + ": equal runs have different results, first at " + place(race)
                                + "; work-items race, or something is used that was never set"
                        : null;
            }
        }
        String where = named(difference) + ": " + place(difference);
        Setting otherGroups = Setting.of(setting.groups == 0 ? Kernels.OTHER : setting.groups);
        if (difference(expected, run(work, otherGroups), tellsRaces) != null) {
            return where
                    + " is another in work-groups of another size; the size is left open, so nothing may depend on"
                    + " get_local_id, get_local_size, get_group_id or get_global_size: give the kernel a Variant with a"
                    + " group size, or do without them";
        }
        if (difference(expected, run(work, new Setting(false, 0, setting.around(), -1)), tellsRaces) == null) {
            return where
                    + " is another when the job is cut at other units; is an index within the chunk used for one within the"
                    + " job, which is chunkStart() more, is the edge of a chunk taken for the edge of the job, or do"
                    + " work-items race?";
        }
        for (int i = 0; i < work.phase().arguments().size(); i++) {
            Difference caused = difference(expected, run(work, new Setting(false, 0, setting.around(), i)), tellsRaces);
            if (caused != null) {
                return work.phase().describe(i) + ": the kernel reads "
                        + forbidden(work.phase().arguments().get(i)) + "; it shows in " + named(caused) + ", first at "
                        + place(caused) + " (unless work-items race)";
            }
        }
        return where + " depends on what lies outside of what the kernel was given, or work-items race";
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

    protected final String named(Difference difference) {
        return ((GuardedArgument) argument(difference.argument)).describe();
    }

    protected final String place(Difference difference) {
        return ((GuardedArgument) argument(difference.argument)).placeOfResult(difference.at);
    }
}
