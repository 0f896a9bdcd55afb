package dev.evener.internal.lane;

import dev.evener.Access;
import dev.evener.internal.HostMemory;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.cl.ClCommands;
import dev.evener.internal.cl.ClContext;
import dev.evener.internal.cl.ClDevice;
import dev.evener.internal.cl.ClQueue;
import dev.evener.internal.cl.DeviceBuffer;
import dev.evener.internal.fold.Merge;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.Argument.View;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.job.Layout;
import dev.evener.internal.memory.ArgumentMemory;
import dev.evener.internal.memory.ContextMemory;
import dev.evener.internal.recovery.LaneFailure;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A buffer, or a temporary, of a chunk whose kernels are checked: memory of its own, in which a kernel finds exactly
 * what was declared. The margins next to that are sent and fetched with each piece: after each kernel they, and
 * inputs, must be as they were. Where they are small there are guard zones beyond them, which are looked at when
 * {@link CheckedChunk} asks. It also compares the {@linkplain #result results} of several runs.
 */
public final class GuardedArgument extends ArgumentMemory {
    /**
     * Bytes of a margin, at least, and at most beyond that. A margin is as large as usual mistakes are: in front
     * there is room for an index from which the chunk's start was taken once too often, behind for all of the buffer.
     */
    private static final int LEAST = 4096;

    private static final long MOST = 32 << 20;

    /** The same in a first run, where it takes no time. */
    private static final long ROOM = 256 << 20;

    /**
     * Bytes around what units have of a buffer that are filled in a first run: as many as they have, but within these
     * bounds, and those of two units; all beyond them is zero.
     */
    static final int NEAR = 64 << 10;

    private static final int MOST_NEAR = 4 * NEAR;

    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(NEAR);

    /**
     * Bytes of a margin and the zone beyond it, at least. Each megabyte that is looked at costs a chunk a millisecond
     * or so.
     */
    private static final int REACH = 4 << 20;

    /** Bytes on either side of that at which a first run looks, in which a JVM that has just begun is slow. */
    private static final int FAR = 128 << 10;

    /**
     * It looks further away where units would write that take the buffer for another number of arrays, or are fewer
     * than a stride assumes: whole, half, third to a forty-eighth parts of the buffer away.
     */
    private static final int PARTS = 48;

    /** Bytes at each such place, at most. */
    private static final int SOME = 1024;

    /** Of smaller memory C libraries may give what was used before; of larger the system gives new pages, of zeros. */
    private static final int FRESH = 33 << 20;

    /** There is no such place. */
    static final long NOWHERE = Long.MAX_VALUE;

    private final ClContext context;
    private final ClCommands commands;
    private final int alignment;
    private final @Nullable Host host; // null where margins are large, and zones are looked at
    private boolean isMapped; // what was fetched is the memory itself
    private long step; // of a first run, between places that are looked at far away,
    private int reach; // up to here
    private int zerosFrom; // what is zero there for certain, beside what units have
    private int zerosTo;

    // Of the present run.
    private boolean watched = true; // whether it may change at all
    private int piece; // most units of one
    private JobSpec.@Nullable Phase phase;
    private Around around = Around.NEIGHBOURS;
    private boolean lessened;
    private @Nullable ByteBuffer result; // what it wrote
    private @Nullable ByteBuffer kept; // what the chunk computes

    // The memory: bytes of each guard zone, of the margin in front, from zone to zone; what is in the zones.
    private @Nullable DeviceBuffer all;
    private int zone;
    private int front;
    private int between;
    private long filled;

    // Of the present piece: place of the given bytes in the job's buffer, how many are given; its units.
    private long from;
    private int length;
    private long pieceUnit;
    private int pieceUnits;
    private ByteBuffer sent =
            ByteBuffer.allocateDirect(0); // what was sent, kept for later pieces: all between the zones,
    private int low; // or, of a first run, from here on,
    private int high; // up to here
    private int first; // where what units have begins and ends
    private int last;
    private ByteBuffer got = ByteBuffer.allocateDirect(0); // what was fetched; of a first run the memory, while mapped
    private @Nullable DeviceBuffer view;

    /** How a device that works on the host's memory finds a job's buffers there, and the host the device's. */
    public record Host(ContextMemory context, ClDevice device, ClQueue queue) {}

    /**
     * @param alignment where sub-buffers may begin
     * @param host for a first run, which takes less time, however large buffers are: of the memory, which is the
     *     driver's, only what is near the units' parts is ever written, so that the rest are pages that the system has
     *     not given yet; and what kernels cannot write is the job's own. Null for margins as large as usual mistakes
     *     are, and zones beyond them that may be looked at
     */
    GuardedArgument(int index, ClContext context, ClCommands commands, int alignment, @Nullable Host host) {
        super(index);
        this.context = context;
        this.commands = commands;
        this.alignment = Math.max(Long.BYTES, alignment);
        this.host = host;
    }

    // ---- a run ----

    @Override
    protected boolean find(JobSpec job, JobSpec.Phase of, boolean fenced, boolean behindOwn) {
        return true;
    }

    /** A run of the chunk begins, in pieces of so many units at most, with this around what its kernels should see. */
    void begin(JobSpec.Phase of, int units, Around what, boolean mayChange) {
        watched = mayChange;
        phase = of;
        piece = units;
        around = what;
        lessened = false;
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
        kept = computed;
    }

    @Override
    public void commit() {
        if (kept != null && declared() instanceof Argument.Buffer b && b.view() != View.PARTIAL) {
            for (int p = 0; p < b.ownPieces(); p++) {
                long at = b.seenFrom(p, firstUnit, units);
                int count = (int) (b.seenTo(p, firstUnit, units) - at);
                b.buffer().part(at, count).put(0, kept, (int) (at - origin), count);
            }
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
        pieceUnit = firstUnit;
        pieceUnits = units;
        boolean asItIs = b.isSeenWhole() || (seesAll(b) && around.isNear());
        if (host != null && !watched && b.range().isAll() && asItIs) {
            return host.context.inPlace(b.buffer(), 0, host.device);
        }
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
    private boolean seesAll(Argument.Buffer b) {
        return phase.seesJob() && b.view() != View.PARTIAL;
    }

    /** Where a piece of what units need begins, and where it ends, in the memory between the zones. */
    private int begin(Argument.Buffer b, int p) {
        return front + (int) (seesAll(b) ? b.seenFrom(p, pieceUnit, pieceUnits) - from : 0);
    }

    private int end(Argument.Buffer b, int p) {
        return seesAll(b) ? front + (int) (b.seenTo(p, pieceUnit, pieceUnits) - from) : end();
    }

    DeviceBuffer placeTemporary(long given) {
        length = size(given);
        long most = Math.max(given, ((Argument.Temporary) declared()).memory().bytes(piece));
        return place(0, most, most);
    }

    /** Memory for as much and its margins, unless there is enough. */
    private void makeRoom(long most, long whole) {
        long margin = (Math.min(host == null ? MOST : ROOM, whole) + LEAST + alignment - 1) / alignment * alignment;
        int needed = size(margin + (most / Long.BYTES + 1) * Long.BYTES + margin);
        if (all == null || between < needed) {
            free();
            front = (int) margin;
            between = needed;
            if (host == null) {
                zone = (int) Math.max(0, REACH - margin);
                got = image(got, Math.max(between, zone));
                all = context.allocate((long) zone + between + zone);
            } else {
                reach = between; // a buffer and its margins, of which the rest is no part
                between = Math.max(between, FRESH);
                all = context.allocate(between);
                step = Math.max(HostMemory.PAGE, whole / PARTS);
                low = 0;
                high = 0;
                zerosTo = 0;
            }
            filled = 0;
        }
    }

    /** @param most bytes that are given to any piece */
    private DeviceBuffer place(long at, long most, long whole) {
        from = at;
        makeRoom(most, whole);
        if (zone > 0 && filled != around.zone()) {
            filled = around.zone();
            ByteBuffer one = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
            Around.fill(got, 0, zone, one.putLong(0, filled), 0);
            commands.send(all, 0, zone, got, 0);
            commands.send(all, zone + between, zone, got, 0);
        }
        findEnds();
        if (host == null) {
            high = between;
        } else {
            int near = near();
            int lowBefore = low;
            int highBefore = high;
            low = Math.max(0, first - near);
            high = (int) Math.min(between, (long) last + near);
            clear(lowBefore, Math.min(highBefore, low)); // what no byte of this run covers
            clear(Math.max(lowBefore, high), highBefore);
        }
        if (host != null && watched && (zerosTo == 0 || zerosFrom != farFrom() || zerosTo != farTo())) {
            zerosFrom = farFrom();
            zerosTo = farTo();
            clear(zerosFrom, low);
            clear(high, zerosTo);
            long ignored = atDistance((begin, end) -> {
                clear(begin, end);
                return NOWHERE;
            });
        }
        if (host != null && !watched) { // of what cannot change nobody has to know later what was there
            fillIn(mapped().slice(low, high - low).order(ByteOrder.nativeOrder()));
        } else {
            sent = image(sent, high - low);
            fillIn(sent);
        }
        if (host == null) {
            commands.send(all, zone, between, sent, 0);
        } else if (watched) {
            mapped().put(low, sent, 0, sent.limit());
        }
        unmap();
        DeviceBuffer.free(view);
        view = all.part(zone + front, Math.max(1, length));
        return view;
    }

    /** Where a first run looks for what changed. */
    private int farFrom() {
        return Math.max(0, low - FAR);
    }

    private int farTo() {
        return (int) Math.min(between, (long) high + FAR);
    }

    /** The first of a few places far from what units have of which something is found. */
    private long atDistance(Place find) {
        int count = Math.min(SOME, last - first);
        long found = NOWHERE;
        for (long at = first % step; count > 0 && at + count <= reach && found == NOWHERE; at += step) {
            boolean far = at + count <= farFrom() || at >= farTo();
            found = far ? find.in((int) at, (int) at + count) : NOWHERE;
        }
        return found;
    }

    @FunctionalInterface
    private interface Place {
        long in(int begin, int end);
    }

    /** Makes zero what is not, so that pages which nobody has written stay so. */
    private void clear(int begin, int end) {
        got = mapped();
        for (int at = begin; at < end; at += NEAR) {
            int count = Math.min(NEAR, end - at);
            if (nonZero(at, at + count) != NOWHERE) {
                got.put(at, ZEROS, 0, count);
            }
        }
    }

    /** The memory of a first run, of which no kernel may be under way. */
    private ByteBuffer mapped() {
        if (host != null && !isMapped) {
            got = host.queue.map(all, between);
            isMapped = true;
        }
        return got;
    }

    /** Gives it back to the device, before a kernel. */
    void unmap() {
        if (host != null && isMapped) {
            host.queue.unmap(all, got);
            isMapped = false;
        }
    }

    /** Where what units have of a buffer begins in the memory, and where it ends. */
    private void findEnds() {
        boolean parts = declared() instanceof Argument.Buffer b && seesAll(b);
        first = parts ? end() : front;
        last = parts ? front : end();
        for (int p = 0; parts && p < argument().pieces(); p++) {
            first = Math.min(first, begin(argument(), p));
            last = Math.max(last, end(argument(), p));
        }
    }

    /** Bytes on either side of that which a first run fills. */
    private int near() {
        boolean parts = declared() instanceof Argument.Buffer b && b.bytesPerUnit() > 0;
        long unit = parts ? argument().bytesPerUnit() : 0;
        long own = parts ? pieceUnits * unit : last - first;
        return (int) Math.min(MOST, Math.max(2 * unit, Math.max(NEAR, Math.min(own, MOST_NEAR))));
    }

    /** All of it, or of a first run what is near: what a kernel is given, and what is around that. */
    private void fillIn(ByteBuffer target) {
        Argument.Buffer b = declared() instanceof Argument.Buffer its ? its : null;
        boolean read = b != null && b.read() && b.view() != View.PARTIAL && length > 0;
        boolean covers = read && (around.isNear() || (around == Around.REPEATED && end(b, 0) > begin(b, 0)));
        if (!covers) {
            byte poison = around.poison(b == null);
            Around.fill(target, 0, target.limit(), ByteBuffer.wrap(new byte[] {poison}), 0);
        }
        if (b != null) {
            fillIn(target, b);
        }
    }

    /** What a kernel is given of a buffer, and what is around an input. */
    private void fillIn(ByteBuffer target, Argument.Buffer b) {
        LogicalBuffer buffer = b.buffer();
        if (b.view() == View.PARTIAL) {
            Merge.begin(target.slice(front - low, length).order(ByteOrder.nativeOrder()), b);
        } else if (b.read() && length > 0) {
            ByteBuffer segment = buffer.segment((int) (from / buffer.segmentBytes()));
            int within = (int) (from % buffer.segmentBytes());
            if (around.isNear()) {
                Around.fill(target, 0, target.limit(), segment, within - front + low);
            } else if (around == Around.REPEATED && end(b, 0) > begin(b, 0)) {
                ByteBuffer own = segment.slice(within + begin(b, 0) - front, end(b, 0) - begin(b, 0));
                Around.fill(target, 0, target.limit(), own, begin(b, 0) == front ? low - front : 0);
            }
            for (int p = 0; p < b.pieces(); p++) {
                target.put(begin(b, p) - low, segment, within + begin(b, p) - front, end(b, p) - begin(b, p));
            }
            if (b.view() == View.AROUND && (around == Around.LESS_BEFORE || around == Around.LESS_AFTER)) {
                lessen(b, around == Around.LESS_BEFORE);
            }
        }
    }

    /** Replaces the outer half of a halo by values of the units themselves, which are fit for an index if those are. */
    private void lessen(Argument.Buffer b, boolean before) {
        Layout its = b.layout();
        long unit = b.bytesPerUnit();
        int own = begin(b, 0) + (int) (b.range().from() + pieceUnit * unit - b.seenFrom(0, pieceUnit, pieceUnits));
        int ownEnd = (int) Math.min(end(b, 0), own + pieceUnits * unit);
        long kept = before ? its.before() - its.before() / 2 : its.after() - its.after() / 2;
        int inner = (int) (unit * Math.min(kept, (before ? own - begin(b, 0) : end(b, 0) - ownEnd) / unit));
        int first = before ? begin(b, 0) : ownEnd + inner;
        int count = before ? own - inner - first : end(b, 0) - first;
        ByteBuffer usual = ByteBuffer.allocate(count).put(0, sent, first, count);
        Around.fill(
                sent,
                first,
                first + count,
                sent.duplicate().position(own).limit(ownEnd).slice(),
                0);
        lessened |= !usual.equals(sent.slice(first, count));
    }

    /** Whether the present run replaced anything by {@link Around#LESS_BEFORE} or {@link Around#LESS_AFTER}. */
    public boolean isLessened() {
        return lessened;
    }

    private static ByteBuffer image(ByteBuffer present, int size) {
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
    void fetchAll() {
        if (host == null) {
            commands.fetch(all, zone, between, got, 0);
        }
    }

    @Override
    public void fetch(boolean last) {
        Access.Reduce reduction = argument().reduction();
        if (result != null && reduction != null) {
            Merge.into(result, given(mapped()), argument().buffer().type(), reduction.operation());
        } else if (result != null) {
            Argument.Buffer b = argument();
            for (int p = 0; p < b.ownPieces(); p++) {
                int first = (int) (from + begin(b, p) - front - origin);
                result.put(first, mapped(), begin(b, p), end(b, p) - begin(b, p));
            }
        }
    }

    private ByteBuffer given(ByteBuffer image) {
        return image.slice(front, length).order(ByteOrder.nativeOrder());
    }

    private int end() {
        return front + length;
    }

    /** Frees the memory, when all runs of the chunk have ended. */
    public void free() {
        unmap();
        DeviceBuffer.free(view);
        DeviceBuffer.free(all);
        view = null;
        all = null;
        if (host != null) { // there will hardly be another
            sent = ByteBuffer.allocateDirect(0);
            got = sent;
        }
    }

    // ---- mistakes ----

    /**
     * @param exactly whether to look at the guard zones too, which takes long
     * @throws LaneFailure if the kernel of a pass changed what it must not
     */
    void check(JobSpec.Pass pass, boolean exactly) {
        if (!watched) {
            return;
        }
        got = mapped();
        boolean parts = declared() instanceof Argument.Buffer b && seesAll(b) && b.written();
        long inside = declared() instanceof Argument.Buffer b && !b.written() ? mismatch(front, end()) : NOWHERE;
        long outside = parts ? besideParts() : Math.min(mismatch(0, front), mismatch(end(), between));
        if (outside == NOWHERE && host != null && around.isNear()) {
            outside = atDistance(this::nonZero);
        }
        outside = outside == NOWHERE && exactly ? changedInZones() : outside;
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

    /** The first byte between two places that is not as it was sent, or no zero where nothing was. */
    private long mismatch(int first, int last) {
        int begin = host == null ? first : Math.max(first, farFrom());
        int end = host == null ? last : Math.min(last, farTo());
        boolean looks = around.isNear(); // what is far is known from the run before
        long found = looks ? nonZero(begin, Math.min(end, low)) : NOWHERE;
        int from = Math.max(begin, low);
        int to = Math.min(end, high);
        if (found == NOWHERE && from < to) {
            int at = sent.slice(from - low, to - from).mismatch(got.slice(from, to - from));
            found = at < 0 ? NOWHERE : from + at;
        }
        return found != NOWHERE || !looks ? found : nonZero(Math.max(begin, high), end);
    }

    private long nonZero(int begin, int end) {
        for (int at = begin; at < end; at += NEAR) {
            int count = Math.min(NEAR, end - at);
            int found = ZEROS.slice(0, count).mismatch(got.slice(at, count));
            if (found >= 0) {
                return (long) at + found;
            }
        }
        return NOWHERE;
    }

    /** The first byte of the guard zones that is not as it was when the run began, counted like those between them. */
    long changedInZones() {
        return Math.min(changedInZone(0), changedInZone(zone + between));
    }

    private long changedInZone(int begin) {
        int same = zone - Long.BYTES;
        if (same < 0) {
            return NOWHERE;
        }
        commands.fetch(all, begin, zone, got, 0);
        commands.flush();
        commands.await();
        // All numbers are as they were if the first one is, and every other is like the one before it.
        int at = got.getLong(0) != filled ? -Long.BYTES : got.slice(0, same).mismatch(got.slice(Long.BYTES, same));
        return at == -1 ? NOWHERE : begin - zone + Long.BYTES + at;
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

    private Argument declared() {
        return phase.arguments().get(index);
    }
}
