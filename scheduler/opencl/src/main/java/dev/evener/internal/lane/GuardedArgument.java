package dev.evener.internal.lane;

import dev.evener.Access;
import dev.evener.internal.cl.ClCommands;
import dev.evener.internal.cl.ClContext;
import dev.evener.internal.cl.DeviceBuffer;
import dev.evener.internal.fold.Merge;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.Argument.View;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.memory.ArgumentMemory;
import dev.evener.internal.recovery.LaneFailure;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A buffer, or a temporary, of a chunk whose kernels are checked: memory of its own, in which a kernel finds exactly
 * what was declared. The margins next to that are filled with each piece: after each kernel they, and inputs, must be
 * as they were. A first run and the checking mode differ in how much of them there is and how it is filled and found.
 * It also compares the {@linkplain #result results} of several runs.
 */
public abstract class GuardedArgument extends ArgumentMemory {
    /** There is no such place. */
    protected static final long NOWHERE = Long.MAX_VALUE;

    /** Bytes of a margin, at least. */
    private static final int LEAST = 4096;

    protected final ClContext context;
    protected final ClCommands commands;
    private final int alignment;
    private final long mostMargin;

    // Of the present run.
    protected boolean watched = true; // whether it may change at all
    protected Around around = Around.NEIGHBOURS;
    private int piece; // most units of one
    private JobSpec.@Nullable Phase phase;
    private @Nullable ByteBuffer result; // what it wrote

    // The memory: bytes of the margin in front, and of both margins with what is between them.
    protected @Nullable DeviceBuffer all;
    protected int front;
    protected int between;

    // Of the present piece: place of the given bytes in the job's buffer, how many are given; its units.
    protected long pieceUnit;
    protected int pieceUnits;
    private long from;
    private int length;
    protected ByteBuffer sent = ByteBuffer.allocateDirect(0); // kept for later pieces: what the memory was filled with
    protected int low; // from here on,
    protected int high; // up to here
    private @Nullable DeviceBuffer view;

    /**
     * @param alignment where sub-buffers may begin
     * @param mostMargin bytes of a margin, at most and beyond {@link #LEAST}. One is as large as the buffer, as usual
     *     mistakes are: in front there is room for an index from which the chunk's start was taken once too often,
     *     behind for all of the buffer
     */
    protected GuardedArgument(int index, ClContext context, ClCommands commands, int alignment, long mostMargin) {
        super(index);
        this.context = context;
        this.commands = commands;
        this.alignment = Math.max(Long.BYTES, alignment);
        this.mostMargin = mostMargin;
    }

    /**
     * Memory of {@link #between} bytes, or more.
     *
     * @param whole bytes of the buffer
     */
    protected abstract DeviceBuffer allocate(long whole);

    /** Fills it, before a kernel; where in it the margin in front begins. */
    protected abstract int fill();

    /** What it holds after a kernel. */
    protected abstract ByteBuffer held();

    /** The first byte that changed further away than margins are looked at. */
    protected abstract long changedFarAway();

    // ---- a run ----

    @Override
    protected boolean find(JobSpec job, JobSpec.Phase of, boolean fenced, boolean behindOwn) {
        return true;
    }

    /** A run of the chunk begins, in pieces of so many units at most, with this around what its kernels should see. */
    protected void begin(JobSpec.Phase of, int units, Around what, boolean mayChange) {
        watched = mayChange;
        phase = of;
        piece = units;
        around = what;
        result = null;
        if (declared() instanceof Argument.Buffer b && b.written()) {
            result = ByteBuffer.allocate(size(bytes)).order(ByteOrder.nativeOrder());
            if (b.reduction() != null) {
                Merge.fillIdentity(result, b.buffer().type(), b.reduction().operation());
            }
        }
    }

    /** What the last run wrote; null if none writes it. */
    @Nullable
    ByteBuffer result() {
        return result;
    }

    /** This is what the chunk computes. */
    public void keep(@Nullable ByteBuffer computed) {
        if (computed != null) {
            own(computed);
            if (argument().view() != View.PARTIAL) {
                stage();
            }
        }
    }

    // ---- a piece ----

    /** The kernel is given what it may see and no more. */
    @Override
    protected long viewOrigin(long seen) {
        return seen;
    }

    @Override
    public DeviceBuffer place(long firstUnit, int units, int set, boolean first) {
        Argument.Buffer b = argument();
        pieceUnit = firstUnit;
        pieceUnits = units;
        if (seesAll(b)) {
            length = size(b.range().byteSize());
            return place(b.range().from(), b.range().byteSize(), b.range().byteSize());
        }
        length = size(b.seenBytes(firstUnit, units));
        return place(
                b.seenFrom(firstUnit),
                b.bytesAlways() + piece * b.bytesPerUnit(),
                b.range().byteSize());
    }

    /** Whether kernels are given all of the buffer, in which only what units need has its values. */
    protected final boolean seesAll(Argument.Buffer b) {
        return phase.seesJob() && b.view() != View.PARTIAL;
    }

    /** Where a piece of what units need begins, and where it ends, in the memory. */
    protected final int begin(Argument.Buffer b, int p) {
        return front + (int) (seesAll(b) ? b.seenFrom(p, pieceUnit, pieceUnits) - from : 0);
    }

    protected final int end(Argument.Buffer b, int p) {
        return seesAll(b) ? front + (int) (b.seenTo(p, pieceUnit, pieceUnits) - from) : end();
    }

    DeviceBuffer placeTemporary(long given) {
        length = size(given);
        long most = Math.max(given, ((Argument.Temporary) declared()).memory().bytes(piece));
        return place(0, most, most);
    }

    /** @param most bytes that are given to any piece */
    private DeviceBuffer place(long at, long most, long whole) {
        from = at;
        long margin = (Math.min(mostMargin, whole) + LEAST + alignment - 1) / alignment * alignment;
        int needed = size(margin + (most / Long.BYTES + 1) * Long.BYTES + margin);
        if (all == null || between < needed) {
            free();
            front = (int) margin;
            between = needed;
            all = allocate(whole);
        }
        int start = fill();
        DeviceBuffer.free(view);
        view = all.part(start + front, Math.max(1, length));
        return view;
    }

    /** What a kernel is given, and what is around that: all between two places, of which the first is {@link #low}. */
    protected void fillIn(ByteBuffer target) {
        Argument.Buffer b = declared() instanceof Argument.Buffer its ? its : null;
        boolean read = b != null && b.read() && b.view() != View.PARTIAL && length > 0;
        ByteBuffer poison = ByteBuffer.wrap(new byte[] {around.poison(b == null)});
        if (!read) {
            Around.fill(target, 0, target.limit(), poison, 0);
        } else {
            ByteBuffer segment = b.buffer().segment((int) (from / b.buffer().segmentBytes()));
            int shift = (int) (from % b.buffer().segmentBytes()) - front; // from places in the memory to those in it
            int begin = begin(b, 0);
            int count = end(b, 0) - begin;
            if (around.isNear()) {
                Around.fill(target, 0, target.limit(), segment, shift + low);
            } else if (around == Around.REPEATED && count > 0) {
                int first = begin == front ? low - front : 0;
                Around.fill(target, 0, target.limit(), segment.slice(shift + begin, count), first);
            } else {
                Around.fill(target, 0, target.limit(), poison, 0);
            }
            for (int p = 0; p < b.pieces(); p++) {
                target.put(begin(b, p) - low, segment, shift + begin(b, p), end(b, p) - begin(b, p));
            }
        }
        if (b != null && b.view() == View.PARTIAL) {
            Merge.begin(target.slice(front - low, length).order(ByteOrder.nativeOrder()), b);
        }
    }

    protected static ByteBuffer image(ByteBuffer present, int size) {
        return (present.capacity() < size ? ByteBuffer.allocateDirect(size) : present)
                .limit(size)
                .order(ByteOrder.nativeOrder());
    }

    private int size(long count) {
        if (count < 0 || count > Integer.MAX_VALUE - LEAST) {
            throw LaneFailure.declaration(describe() + " is too large for the checking mode, with " + count
                    + " bytes: check the kernel on less data");
        }
        return (int) count;
    }

    /** Fetches all of it, after a kernel. */
    protected void fetchAll() {}

    /** Nobody looks at it any more, before a kernel. */
    protected void unmap() {}

    @Override
    public void fetch(boolean last) {
        Access.Reduce reduction = argument().reduction();
        if (result != null && reduction != null) {
            ByteBuffer partial = held().slice(front, length).order(ByteOrder.nativeOrder());
            Merge.into(result, partial, argument().buffer().type(), reduction.operation());
        } else if (result != null) {
            Argument.Buffer b = argument();
            for (int p = 0; p < b.ownPieces(); p++) {
                int first = (int) (from + begin(b, p) - front - origin);
                result.put(first, held(), begin(b, p), end(b, p) - begin(b, p));
            }
        }
    }

    protected final int end() {
        return front + length;
    }

    /** Frees the memory, when all runs of the chunk have ended. */
    public void free() {
        DeviceBuffer.free(view);
        DeviceBuffer.free(all);
        view = null;
        all = null;
    }

    // ---- mistakes ----

    /** @throws LaneFailure if the kernel of a pass changed what it must not */
    void check(JobSpec.Pass pass) {
        if (!watched) {
            return;
        }
        boolean parts = declared() instanceof Argument.Buffer b && seesAll(b) && b.written();
        long inside = declared() instanceof Argument.Buffer b && !b.written() ? mismatch(front, end()) : NOWHERE;
        long outside = parts ? besideParts() : Math.min(mismatch(0, front), mismatch(end(), between));
        outside = outside == NOWHERE ? changedFarAway() : outside;
        if (outside != NOWHERE) {
            long first = from + (parts ? begin(argument(), 0) - front : 0);
            long last = from + (parts ? end(argument(), 0) - front : length) - 1;
            String of = parts && argument().ownPieces() > 1
                    ? "the parts of units " + pieceUnit + " to " + (pieceUnit + pieceUnits - 1)
                    : placed(first) + " to " + placed(last);
            String extent = length == 0 ? "which is nothing" : of;
            throw LaneFailure.declaration(named(pass) + ": the kernel writes outside of what it was given, " + extent
                    + ", first at " + placed(from + outside - front) + (parts ? ofOthers(outside) : ""));
        }
        if (inside != NOWHERE) {
            throw LaneFailure.declaration(named(pass) + ": the kernel changes " + placed(from + inside - front)
                    + ", but the buffer is declared to be read only; declare what is changed with updates(...)");
        }
    }

    /** What to do where a place in the buffer is another unit's. */
    private String ofOthers(long outside) {
        long within = from + outside - front - argument().range().from();
        return within < 0 || within >= argument().range().byteSize()
                ? ", outside of the buffer"
                : "; declare what a unit writes, or granule(n) where n units write one another's parts";
    }

    /** The first byte that changed where the units have no part of their own. */
    private long besideParts() {
        Argument.Buffer b = argument();
        int at = 0;
        for (int p = 0; p < b.ownPieces(); p++) {
            long found = mismatch(at, Math.max(at, begin(b, p)));
            if (found != NOWHERE) {
                return found;
            }
            at = Math.max(at, end(b, p));
        }
        return mismatch(at, between);
    }

    /** The first byte between two places that is not as it was sent. */
    protected long mismatch(int first, int last) {
        int begin = Math.max(first, low);
        int end = Math.min(last, high);
        int at = begin < end ? sent.slice(begin - low, end - begin).mismatch(held().slice(begin, end - begin)) : -1;
        return at < 0 ? NOWHERE : begin + at;
    }

    /**
     * The argument as the kernel of a pass is given it; as the first that is, if it is not, which wrote there all the
     * same.
     */
    private String named(JobSpec.Pass pass) {
        for (int i = pass.firstArgument(); i < pass.endArgument(); i++) {
            if (i == index || (phase.arguments().get(i) instanceof Argument.Again again && again.argument() == index)) {
                return phase.describe(i);
            }
        }
        return describe() + ", while kernel " + pass.kernel() + " ran";
    }

    String describe() {
        return phase.describe(index);
    }

    String placeOfResult(int at) {
        return placed(origin + at);
    }

    /** How messages name a byte of the argument: by its unit, where units have parts of their own. */
    private String placed(long at) {
        if (declared() instanceof Argument.Temporary t) {
            return "element " + Math.floorDiv(at, t.memory().type().bytes());
        }
        Argument.Buffer b = (Argument.Buffer) declared();
        long within = at - b.range().from();
        int size = b.buffer().type().bytes();
        long perUnit = b.layout().slices() == null ? b.bytesPerUnit() : 0;
        if (perUnit == 0 || b.view() == View.ALL) {
            return "element " + Math.floorDiv(within, size);
        }
        String unit = "unit " + Math.floorDiv(within, perUnit);
        return perUnit == size ? unit : unit + " (its element " + Math.floorMod(within, perUnit) / size + ")";
    }

    protected final Argument declared() {
        return phase.arguments().get(index);
    }
}
