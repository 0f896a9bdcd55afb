package dev.evener.internal.lane;

import dev.evener.Access;
import dev.evener.internal.JobSpec;
import dev.evener.internal.JobSpec.Argument;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.cl.ClCommands;
import dev.evener.internal.cl.ClContext;
import dev.evener.internal.cl.DeviceBuffer;
import dev.evener.internal.fold.Merge;
import dev.evener.internal.memory.ArgumentMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A buffer, or a temporary, of a chunk whose kernels are checked: in each piece memory of its own, with a guard zone before and
 * one behind it, in which a kernel finds exactly what was declared. After each kernel all of it is fetched, and guards and inputs must
 * be as they were. {@link CheckedChunk} compares the {@linkplain #result results} of several runs.
 */
final class GuardedArgument extends ArgumentMemory {
    /**
     * Bytes of a guard zone, at least, and at most beyond that. A zone is as large as mistakes are: in front there is room for an
     * index from which the chunk's start was taken once too often, behind for all of the buffer.
     */
    private static final int LEAST = 4096;

    private static final long MOST = 32 << 20;

    /** What memory holds that a kernel should not see. */
    enum Around {
        /** Around inputs their neighbours, as in the job's buffer. */
        NEIGHBOURS,
        /** Around inputs their own content once more: other values than the neighbours, but fit for an index if those are. */
        REPEATED,
        POISON,
        OTHER_POISON;

        /** What everything is filled with that is no input. As a float or an integer one is negative, the other positive. */
        byte poison(boolean temporary) {
            boolean other = this == REPEATED || this == OTHER_POISON;
            return (byte) (temporary ? other ? 0x47 : 0xC9 : other ? 0x5A : 0xDB);
        }
    }

    private final ClContext context;
    private final ClCommands commands;
    private final int alignment;

    // Of the present run.
    private JobSpec.@Nullable Phase phase;
    private Around around = Around.NEIGHBOURS;
    private @Nullable ByteBuffer result; // what it wrote
    private @Nullable ByteBuffer kept; // what the chunk computes

    // Of the present piece: place of the given bytes in the job's buffer, bytes of the zone before them, how many are
    // given.
    private long from;
    private int front;
    private int length;
    private ByteBuffer sent = ByteBuffer.allocateDirect(0); // all of the memory as it is sent; kept for later pieces
    private ByteBuffer got = ByteBuffer.allocateDirect(0); // the same as it was fetched
    private @Nullable DeviceBuffer all;
    private @Nullable DeviceBuffer view;

    /** @param alignment where sub-buffers may begin */
    GuardedArgument(int index, ClContext context, ClCommands commands, int alignment) {
        super(index);
        this.context = context;
        this.commands = commands;
        this.alignment = Math.max(1, alignment);
    }

    // ---- a run ----

    @Override
    protected void find(JobSpec job, boolean fenced) {}

    /** A run of the chunk begins, with this around what its kernels should see. */
    void begin(JobSpec.Phase of, Around what) {
        phase = of;
        around = what;
        result = null;
        if (declared() instanceof Argument.Buffer b && b.written()) {
            result = ByteBuffer.allocate(size(bytes)).order(ByteOrder.nativeOrder());
            if (b.access() instanceof Access.Reduce r) {
                Merge.fillIdentity(result, b.buffer().type(), r.operation());
            }
        }
    }

    /** What the last run wrote; null if none writes it. */
    @Nullable
    ByteBuffer result() {
        return result;
    }

    /** This is what the chunk computes. */
    void keep(@Nullable ByteBuffer computed) {
        kept = computed;
    }

    @Override
    public void commit() {
        if (kept != null && declared() instanceof Argument.Buffer b && !(b.access() instanceof Access.Reduce)) {
            b.buffer().part(origin, kept.capacity()).put(0, kept, 0, kept.capacity());
        }
    }

    @Override
    public ByteBuffer partial() {
        return kept == null ? super.partial() : kept;
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
        return place(
                b.seenFrom(firstUnit), b.seenBytes(firstUnit, units), b.buffer().byteSize(), b.bytesPerUnit());
    }

    /** The same for a temporary. */
    DeviceBuffer placeTemporary(long given) {
        return place(0, given, given, 0);
    }

    private DeviceBuffer place(long at, long given, long whole, long perUnit) {
        free();
        from = at;
        long before = Math.min(MOST, at + 2 * perUnit) + LEAST;
        front = (int) ((before + alignment - 1) / alignment * alignment);
        length = size(given);
        int total = size(front + Math.max(1, given) + Math.min(MOST, whole) + LEAST);
        sent = image(sent, total);
        got = image(got, total);
        all = context.allocate(total);
        fill(0, total, around.poison(declared() instanceof Argument.Temporary));
        if (declared() instanceof Argument.Buffer b) {
            fillIn(b);
        }
        commands.send(all, 0, total, sent, 0);
        view = all.part(front, Math.max(1, length));
        return view;
    }

    /** What a kernel is given of a buffer, and what is around an input. */
    private void fillIn(Argument.Buffer b) {
        LogicalBuffer host = b.buffer();
        if (b.access() instanceof Access.Slice s && s.isSparse()) {
            fill(front, end(), (byte) 0); // the same in all runs
        }
        if (b.access() instanceof Access.Reduce r) {
            Merge.fillIdentity(given(sent), host.type(), r.operation());
        } else if (b.read() && length > 0) {
            ByteBuffer segment = host.segment((int) (from / host.segmentBytes()));
            int within = (int) (from % host.segmentBytes());
            sent.put(front, segment, within, length);
            if (around == Around.REPEATED) {
                fill(0, front, segment.slice(within, length), 0);
                fill(end(), sent.limit(), segment.slice(within, length), 0);
            } else if (around == Around.NEIGHBOURS) {
                fill(0, front, segment, within - front);
                fill(end(), sent.limit(), segment, within + length);
            }
        }
    }

    private void fill(int begin, int end, byte value) {
        fill(begin, end, ByteBuffer.wrap(new byte[] {value}), 0);
    }

    /** Fills {@code [begin, end)} with a source's bytes from one on, which begin anew where it ends. */
    private void fill(int begin, int end, ByteBuffer source, int first) {
        int period = Math.min(end - begin, source.limit());
        int start = Math.floorMod(first, source.limit());
        int head = Math.min(period, source.limit() - start);
        sent.put(begin, source, start, head);
        sent.put(begin + head, source, 0, period - head);
        for (int at = begin + period; at < end; ) {
            int some = Math.min(end - at, at - begin);
            sent.put(at, sent, begin, some);
            at += some;
        }
    }

    private static ByteBuffer image(ByteBuffer present, int size) {
        return (present.capacity() < size ? ByteBuffer.allocateDirect(size) : present).limit(size);
    }

    private int size(long count) {
        if (count > Integer.MAX_VALUE - LEAST) {
            throw CheckedChunk.refused(describe() + " is too large for the checking mode, with " + count
                    + " bytes: check the kernel on less data");
        }
        return (int) count;
    }

    /** Fetches all of it, after a kernel. */
    void fetchAll() {
        commands.fetch(all, 0, got.limit(), got, 0);
    }

    /** Adds the piece to the result. */
    @Override
    public void fetch(boolean last) {
        if (result != null && argument().access() instanceof Access.Reduce r) {
            Merge.into(result, given(got), argument().buffer().type(), r.operation());
        } else if (result != null) {
            result.put((int) (from - origin), got, front, length);
        }
    }

    private ByteBuffer given(ByteBuffer image) {
        return image.slice(front, length).order(ByteOrder.nativeOrder());
    }

    private int end() {
        return front + length;
    }

    private void free() {
        DeviceBuffer.free(view);
        DeviceBuffer.free(all);
        view = null;
        all = null;
    }

    @Override
    public void release() {
        super.release();
        free();
    }

    // ---- mistakes ----

    /** @throws dev.evener.internal.recovery.LaneFailure if the kernel of a pass changed what it must not */
    void check(JobSpec.Pass pass) {
        int changed = mismatch(0, front);
        changed = changed >= 0 ? changed : mismatch(end(), sent.limit());
        if (changed >= 0) {
            String extent = length == 0 ? "which is nothing" : placed(from) + " to " + placed(from + length - 1);
            throw CheckedChunk.refused(named(pass) + ": the kernel writes outside of what it was given, " + extent
                    + ", first at " + placed(from + changed - front));
        }
        changed = declared() instanceof Argument.Buffer b && !b.written() ? mismatch(front, end()) : -1;
        if (changed >= 0) {
            throw CheckedChunk.refused(named(pass) + ": the kernel changes " + placed(from + changed - front)
                    + ", but the buffer is declared to be read only; declare what is changed with updates(...)");
        }
    }

    /** The first byte between two places that is not as it was sent, or -1. */
    private int mismatch(int begin, int end) {
        int at = sent.slice(begin, end - begin).mismatch(got.slice(begin, end - begin));
        return at < 0 ? at : begin + at;
    }

    /** The argument as the kernel of a pass is given it; as the first that is, if it is not, which wrote there all the same. */
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

    /** How messages name a byte of the result. */
    String placeOfResult(int at) {
        return placed(origin + at);
    }

    /** How messages name a byte of the argument: by its unit, where units have parts of their own. */
    private String placed(long at) {
        if (declared() instanceof Argument.Temporary t) {
            return "element " + Math.floorDiv(at, t.memory().type().bytes());
        }
        Argument.Buffer b = (Argument.Buffer) declared();
        int size = b.buffer().type().bytes();
        long perUnit = b.bytesPerUnit();
        if (perUnit == 0) {
            return "element " + Math.floorDiv(at, size);
        }
        String unit = "unit " + Math.floorDiv(at, perUnit);
        return perUnit == size ? unit : unit + " (its element " + Math.floorMod(at, perUnit) / size + ")";
    }

    private Argument declared() {
        return phase.arguments().get(index);
    }
}
