package dev.evener.internal.memory;

import dev.evener.Report.Cause;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.PageLocked;
import dev.evener.internal.cl.ClCommands;
import dev.evener.internal.cl.DeviceBuffer;
import dev.evener.internal.data.Directory;
import dev.evener.internal.data.Traffic;
import dev.evener.internal.fold.Merge;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.Argument.View;
import dev.evener.internal.job.JobBuffers;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.recovery.LaneFailure;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A buffer on a device with memory of its own, of which a chunk has one of two things.
 *
 * <p><em>A view</em> of the device's {@link DeviceCopy}: of a slice a part, of all else the whole copy. The chunk sends what the copy lacks
 * of its pieces, and what it writes stays there, or is fetched beside. Kernels in the job's view see the buffer from its start, and so
 * always have a view.
 *
 * <p><em>A slot</em>, a buffer of the lane's that is kept and grown: filled before the first kernel and fetched after the last. It is for
 * partial results, for buffers that nobody sees again, and for those whose copy finds no room. Where the chunk's pieces overlap each has
 * one of a ring of slots, which no other chunk uses; what all pieces have in common is sent with the first and fetched with the last.
 */
final class CopiedArgument extends ArgumentMemory {
    private final ClCommands commands;
    private final LaneMemory lane;
    private final PinnedStaging staging;
    private final LaneMemory.Pool ring;
    private PageLocked.@Nullable Block ownBlock;

    // Of the chunk under way.
    private boolean fromStart; // kernels see it in the job's view
    private @Nullable DeviceCopy copy; // null if it has a slot
    private long since; // how often the buffer had been written when the chunk began
    private long traffic;
    private boolean incomplete; // see isIncomplete
    private boolean staysThere;
    private boolean ahead; // what is sent to the copy need not wait for the chunk under way, which does not use it
    private boolean throughPinned;
    private boolean sends; // anything that the copy lacks
    private boolean anyOrder; // of its pieces
    private final List<long[]> edges =
            new ArrayList<>(); // from and to in the buffer, of what is fetched for other devices
    private LaneMemory.Pool slots; // the lane's or the ring
    private long[] sent = new long[1]; // of each of the buffer's pieces, up to where the copy was sent it
    private final List<DeviceCopy> pins = new ArrayList<>();
    private final List<DeviceCopy.Part> parts = new ArrayList<>();

    // The chunk's piece that was placed last; no buffer if nothing of it is to be fetched or spoilt any more.
    private @Nullable DeviceBuffer placed;
    private long placedFrom; // where in the job's buffer that begins
    private long placedUnit;
    private int placedUnits;
    private int placedSet;

    /** @param ring slots for pieces that overlap */
    CopiedArgument(int index, ClCommands commands, LaneMemory lane, LaneMemory.Pool ring) {
        super(index);
        this.commands = commands;
        this.lane = lane;
        this.staging = lane.newStaging();
        this.ring = ring;
        this.slots = ring;
    }

    /** What kernels see of it in the chunk's view, and so how its memory is placed. */
    private View view() {
        View view = argument().view();
        return fromStart && view != View.PARTIAL ? View.ALL : view;
    }

    /** Page-locked, however little it is: a driver ends a chunk 60 to 130 µs later that fetches anything to other memory. */
    @Override
    protected ByteBuffer allocate(int size) {
        giveOwnBack();
        PageLocked.Block block = lane.takeLocked(size);
        ownBlock = block;
        return block == null ? super.allocate(size) : block.memory();
    }

    private void giveOwnBack() {
        PageLocked.Block before = ownBlock;
        ownBlock = null;
        if (before != null) {
            before.giveBack();
        }
    }

    // ---- a chunk begins ----

    @Override
    protected boolean find(JobSpec job, JobSpec.Phase phase, boolean fenced, boolean behindOwn) {
        Argument.Buffer b = argument();
        fromStart = phase.seesJob();
        View view = view();
        staysThere = view != View.PARTIAL;
        if (view == View.PARTIAL) {
            return true;
        }
        LogicalBuffer host = b.buffer();
        since = host.directory().changes();
        copy = copy(job, phase);
        if (copy == null && behindOwn) { // what is fetched from the device itself may not be there yet
            return false;
        }
        staysThere = copy != null;
        incomplete = copy != null && view == View.OWN && copy.hasManyParts();
        ahead = copy != null && commands.mayOvertake() && copy.pins == 1; // this chunk alone has it
        boolean spoilt = fenced && b.written(); // a copy is, though the chunk may not count
        Traffic books = traffic(spoilt);
        for (int p = 0; p < b.pieces() && b.read(); p++) {
            long from = b.seenFrom(p, firstUnit, units);
            long to = b.seenTo(p, firstUnit, units);
            long lacks = copy == null ? to - from : copy.missing(from, to);
            lane.bringToHost(host, from, to, spoilt ? null : copy, books);
            boolean ofAll = b.bytesPerUnit() == 0 || p >= b.ownPieces(); // which goes ahead of the first piece
            incomplete |= ofAll && copy != null && lacks > 0 && !ahead; // or it would be sent twice
            traffic += ofAll ? 0 : lacks;
            staysThere &= lacks == 0;
            sends |= lacks > 0;
        }
        if (spoilt) {
            stage();
        }
        if (b.written() && !staysInCopy()) {
            staysThere = false;
            traffic += b.bytesPerUnit() * units;
            if (copy == null && !fenced) { // it is fetched to where it belongs
                lane.hostWrites(host, origin, origin + bytes);
            }
        }
        sent = sent.length < b.pieces() ? new long[b.pieces()] : sent;
        Arrays.fill(sent, 0);
        return true;
    }

    /** The device's copy of what kernels see; null if there is none. */
    private @Nullable DeviceCopy copy(JobSpec job, JobSpec.Phase phase) {
        Argument.Buffer b = argument();
        LogicalBuffer host = b.buffer();
        if (!fromStart
                && view() != View.ALL
                && !JobBuffers.areSeenAgain(job, host)) { // all chunks see what all units do
            return null;
        }
        DeviceCopy its = phase.liesApart(index, lane.alignment())
                ? lane.copies().pin(b.range(), lane.roomForCopies(), pins)
                : lane.copies().pin(host, segment(origin), lane.roomForCopies(), pins);
        if (its == null && fromStart && b.range().byteSize() > 0) {
            throw new LaneFailure(
                    LaneFailure.Kind.MEMORY,
                    phase.describe(index) + ": device " + lane.device() + " has no room for all "
                            + b.range().byteSize()
                            + " bytes of the buffer, which the job's view needs; chunkView() needs room for chunks alone");
        }
        // Granules see to it that a slice begins on an aligned place.
        return its != null && view() == View.OWN && (origin - its.origin) % lane.alignment() != 0 ? null : its;
    }

    /** Whether what the chunk writes is not fetched: nobody needs it on the host yet. */
    private boolean staysInCopy() {
        return copy != null && !isStaged() && !argument().buffer().isMirrored();
    }

    /** The books of the chunk, for what is moved of this argument. */
    private Traffic books() {
        return commands.traffic().of(argument().buffer().label());
    }

    /** The same, for what is moved because it needs this argument, or the host does. */
    private Traffic traffic(boolean forHost) {
        Traffic books = books();
        return forHost ? books.because(Cause.HOST, false) : argument().countIn(books, firstUnit, units);
    }

    @Override
    public long traffic() {
        return traffic;
    }

    @Override
    public boolean isIncomplete() {
        return incomplete;
    }

    @Override
    public boolean keepsWritten() {
        return !argument().written() || staysInCopy();
    }

    @Override
    public boolean stays() {
        return staysThere;
    }

    @Override
    public boolean takesAnyOrder() { // a part of a copy shows no more than one piece
        return copy != null && keepsWritten() && !throughPinned && !(sends && view() == View.OWN);
    }

    @Override
    public void anyOrder() {
        anyOrder = true;
    }

    @Override
    public void fetchEdge() {
        Argument.Buffer b = argument();
        DeviceBuffer buffer = placed;
        if (buffer != null && b.written()) {
            b.eachWritten(placedUnit, placedUnits, (from, to) -> {
                if (b.read() && b.buffer().directory().missing(null, from, to) < to - from) {
                    return; // what it updates is there, for whoever has to do that again
                }
                commands.fetch(buffer, from - placedFrom, to - from, host(from), inSegment(from));
                books().fetched(lane.device(), Cause.HALO, to - from);
                edges.add(new long[] {from, to});
            });
        }
    }

    @Override
    public void edgesFetched() {
        DeviceCopy its = copy;
        for (int i = 0; i < edges.size() && its != null; i++) {
            its.holding.fetched(edges.get(i)[0], edges.get(i)[1]);
        }
        edges.clear();
    }

    @Override
    protected boolean isThere(JobSpec.Phase phase) {
        Argument.Buffer b = argument();
        boolean there = b.view() != View.PARTIAL;
        boolean apart = phase.liesApart(index, lane.alignment());
        boolean part = !phase.seesJob() && b.view() == View.OWN;
        for (int p = 0; p < b.pieces() && there; p++) {
            long from = b.seenFrom(p, firstUnit, units);
            there = lane.copies().isThere(b, from, b.seenTo(p, firstUnit, units), apart, part);
        }
        return there;
    }

    @Override
    protected void reserve(long most, int sets, boolean cut) {
        slots = sets > 1 ? ring : lane.buffers();
        View view = view();
        if (copy == null) {
            for (int i = 0; i < (view == View.OWN || view == View.AROUND ? sets : 1); i++) {
                slots.ensure(index, i, view == View.AROUND ? most + lane.alignment() : most);
            }
        }
        boolean inOne = argument().pieces() == 1 && (copy != null || view == View.OWN);
        if (cut && inOne && traffic > 0 && !argument().buffer().isPageLocked()) {
            throughPinned = staging.reserve(sets, Math.toIntExact(most));
        }
    }

    // ---- its pieces ----

    @Override
    public DeviceBuffer place(long first, int here, int set, boolean begins) {
        placedUnit = first;
        placedUnits = here;
        placedSet = set;
        DeviceCopy its = copy;
        if (view() == View.PARTIAL) {
            placed = partial(begins);
        } else if (its == null) {
            placed = slot(begins);
        } else {
            placed = view(its);
        }
        return placed;
    }

    private DeviceBuffer partial(boolean begins) {
        DeviceBuffer buffer = slots.ensure(index, 0, bytes);
        if (begins && bytes > 0) { // later pieces add to what those before them left there
            ByteBuffer partial = own((int) bytes);
            Merge.begin(partial, argument());
            commands.send(buffer, 0, bytes, partial, 0);
            books().sent(lane.device(), Cause.REDUCTION, bytes);
        }
        return buffer;
    }

    private DeviceBuffer slot(boolean begins) {
        Argument.Buffer b = argument();
        boolean all = view() == View.ALL;
        long from = b.seenFrom(placedUnit);
        long count = b.seenBytes(placedUnit, placedUnits);
        placedFrom = view() == View.AROUND ? viewOrigin(from) : from;
        DeviceBuffer buffer = slots.ensure(index, all ? 0 : placedSet, from - placedFrom + count);
        if (b.read() && count > 0 && (begins || !all)) {
            send(buffer, from - placedFrom, host(from), inSegment(from), count, from);
            // There was no room for more, or the host may write them before the next job.
            Cause cause = b.buffer().hasHostViews() ? Cause.HOST : Cause.EVICTION;
            books().sent(lane.device(), cause, count);
        }
        return buffer;
    }

    private DeviceBuffer view(DeviceCopy its) {
        Argument.Buffer b = argument();
        placedFrom = its.origin;
        DeviceBuffer buffer = its.buffer();
        if (view() == View.OWN) { // of overlapping pieces each may only touch what is its own
            placedFrom = b.seenFrom(placedUnit);
            buffer = part(its, placedFrom - its.origin, b.seenBytes(placedUnit, placedUnits));
        }
        long first = anyOrder ? firstUnit : placedUnit;
        long count = anyOrder ? units : placedUnits;
        for (int p = 0; p < b.pieces() && b.read() && !(anyOrder && (view() == View.OWN || sent[p] > 0)); p++) {
            long from = b.seenFrom(p, first, count);
            long to = b.seenTo(p, first, count);
            sendMissing(its, Math.max(from, sent[p]), to, buffer, from);
            sent[p] = Math.max(sent[p], to);
        }
        return buffer;
    }

    /** The part of a copy that a kernel sees, from an aligned place on. */
    private DeviceBuffer part(DeviceCopy of, long within, long count) {
        if (within == 0 && count == of.bytes) {
            return of.buffer();
        }
        DeviceCopy.Part part = of.part(within, count);
        parts.add(part);
        return part.buffer;
    }

    /**
     * Sends the bytes of {@code [from, to)} of the buffer that a copy does not hold, of a piece that begins at a
     * place in that.
     */
    private void sendMissing(DeviceCopy its, long from, long to, DeviceBuffer buffer, long piece) {
        Directory.Holding holding = its.holding;
        boolean together = its.hasManyGaps(from, to);
        for (long gap = holding.missingFrom(from, to), end; gap < to; gap = holding.missingFrom(end, to)) {
            end = its.endOfGap(gap, to, together);
            send(buffer, gap - placedFrom, host(gap), inSegment(gap), end - gap, piece);
            holding.count(gap, end, traffic(false));
        }
    }

    /** Sends bytes of host memory to a place in a buffer, through page-locked memory in which the present piece begins at one in the job's. */
    private void send(DeviceBuffer buffer, long offset, ByteBuffer memory, long at, long count, long piece) {
        long place = throughPinned ? offset + placedFrom - piece : at;
        ByteBuffer from = throughPinned ? staging.toSend(placedSet, memory, at, place, count) : memory;
        commands.send(buffer, offset, count, from, place, ahead);
    }

    /** The host's memory of the segment in which a byte is, which a buffer that the host never sees takes here. The chunk's job holds it. */
    private ByteBuffer host(long at) {
        return argument().buffer().segment(segment(at));
    }

    private int segment(long at) {
        return bytes == 0 ? 0 : (int) (at / argument().buffer().segmentBytes());
    }

    private long inSegment(long at) {
        return at % argument().buffer().segmentBytes();
    }

    @Override
    public void launched() {
        DeviceCopy its = copy;
        if (its != null && argument().written()) { // what the chunk writes is no copy any more
            argument().eachWritten(placedUnit, placedUnits, its.holding::spoils);
        }
    }

    @Override
    public void fetch(boolean last) {
        Argument.Buffer b = argument();
        DeviceBuffer buffer = placed;
        if (buffer == null) {
            return;
        } else if (view() == View.PARTIAL) {
            if (last && bytes > 0) {
                commands.fetch(buffer, 0, bytes, partial(), 0);
                books().fetched(lane.device(), Cause.REDUCTION, bytes);
            }
            return;
        }
        placed = null;
        for (int p = 0; p < b.ownPieces() && b.written() && !staysInCopy(); p++) {
            long from = b.seenFrom(p, placedUnit, placedUnits);
            long count = b.seenTo(p, placedUnit, placedUnits) - from;
            long in = from - placedFrom;
            if (count == 0) {
                continue; // of which OpenCL has no transfers
            }
            if (isStaged()) {
                commands.fetch(buffer, in, count, own(Math.toIntExact(bytes)), from - origin);
            } else if (throughPinned) {
                ByteBuffer locked = staging.toFetch(placedSet, host(from), inSegment(from), count);
                commands.fetch(buffer, in, count, locked, 0);
            } else {
                commands.fetch(buffer, in, count, host(from), inSegment(from));
            }
            books().fetched(lane.device(), Cause.RESULT, count);
        }
    }

    /** Of a copy all is seen: parts would overlap those of the neighbours, and each wait for the next to be freed. */
    @Override
    protected long viewOrigin(long seen) {
        DeviceCopy its = copy;
        return its != null ? its.origin : seen - seen % lane.alignment();
    }

    @Override
    public void pieceDone(int set) {
        staging.copyBack(set);
    }

    // ---- the end of a chunk ----

    @Override
    public void done() {
        if (!argument().written()) {
            received(0);
        }
    }

    @Override
    public void commit() {
        Argument.Buffer b = argument();
        DeviceCopy its = copy;
        boolean fetched = isStaged() || b.buffer().isMirrored();
        if (isStaged()) { // until it is committed
            b.eachWritten(firstUnit, units, b.buffer().directory()::hostWrites);
        }
        super.commit();
        if (b.written() && its != null) {
            b.eachWritten(firstUnit, units, (from, to) -> its.holding.wrote(from, to, fetched));
            received(b.ownPieces()); // what it was sent beside what it wrote
        } else if (b.written() && view() != View.PARTIAL) {
            b.eachWritten(firstUnit, units, b.buffer().directory()::hostWrote); // to where it was fetched
        }
    }

    /** The copy of the chunk's part holds these pieces now. */
    private void received(int firstPiece) {
        Argument.Buffer b = argument();
        for (int p = firstPiece; p < b.pieces() && copy != null; p++) {
            copy.holding.received(b.seenFrom(p, firstUnit, units), b.seenTo(p, firstUnit, units), since);
        }
    }

    /** What it wrote there, it wrote to no purpose. */
    @Override
    public void takeBack() {
        Argument.Buffer b = argument();
        for (int p = 0; p < b.ownPieces() && b.written() && copy != null; p++) {
            copy.holding.spoils(b.seenFrom(p, firstUnit, units), b.seenTo(p, firstUnit, units));
        }
    }

    @Override
    public void release() {
        super.release();
        parts.forEach(DeviceCopy.Part::release);
        parts.clear();
        lane.copies().unpin(pins);
        staging.forget();
        copy = null;
        placed = null;
        throughPinned = false;
        sends = false;
        anyOrder = false;
        edges.clear();
        incomplete = false;
        traffic = 0;
    }

    @Override
    public void close() {
        super.close();
        staging.close();
        giveOwnBack();
    }
}
