package dev.evener.internal.opencl;

import dev.evener.Access;
import dev.evener.DeviceInfo;
import dev.evener.Reduction;
import dev.evener.internal.JobSpec;
import dev.evener.internal.ManagedBuffer;
import dev.evener.internal.PageLocked;
import dev.evener.internal.fold.Merge;
import dev.evener.internal.run.Seams;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jocl.Pointer;
import org.jocl.cl_event;
import org.jocl.cl_mem;
import org.jspecify.annotations.Nullable;

/**
 * Arguments on a device with memory of its own. A buffer that may be seen again has a {@link Mirror} there: a chunk sends
 * what the mirror lacks, works on a part of it, and fetches what it wrote. Any other goes through a chunk buffer, one for
 * each argument position, kept and grown: filled before the first kernel and fetched after the last.
 *
 * <p>A chunk may be run in pieces that overlap. Each piece then has one of a ring of {@link #SETS} sets of chunk buffers, which no
 * other chunk uses, and begins when the piece that had the set before is done: that bounds what is under way. What all pieces have in common,
 * such as whole buffers and the partial results that they add to in turn, is sent with the first and fetched with the last.
 */
final class CopiedArguments extends ClArguments {
    /** Most gaps of a mirror that are sent one by one: many transfers of little take longer than one of all between them. */
    private static final int MOST_GAPS = 8;

    /** One piece is sent, one computed and one fetched. */
    static final int SETS = 3;

    private final ClCommands commands;
    private final LaneMemory kept;
    private final DeviceInfo device;
    private final PieceCut pieceCut;
    private final int alignment;
    private final Mirrors mirrors;
    private final ChunkBuffers ring;
    private ChunkBuffers buffers; // the chunk's: the lane's or the ring
    private final List<Mirror> pins = new ArrayList<>();
    private final List<Use> uses = new ArrayList<>();
    private final List<cl_mem> subBuffers = new ArrayList<>();
    private final List<Fetch> fetches = new ArrayList<>();
    private final List<Fetch> lastFetches = new ArrayList<>();
    private final PinnedStaging staging;
    private final List<Staged> staged = new ArrayList<>();
    private final List<Mirrored> mirrored = new ArrayList<>();
    private final @Nullable cl_event[] ends = new @Nullable cl_event[SETS];
    private final int[] status = new int[1];
    /** Whether the chunk is cut for the sake of what it moves. */
    private boolean manyTransfers;
    /** Whether it sends what the chunks after it find there. */
    private boolean sendsWhole;

    private int sets = 1;
    private int set;
    private boolean first;
    private long traffic;

    /** What the chunk does at one argument position, and memory of the host that is kept for it. */
    private final class Use {
        /** Of what is no slice; null if it goes through chunk buffers. */
        @Nullable
        Mirror mirror;

        /** Of the chunk's part of a slice, of each segment in which it lies; null if that goes through chunk buffers. */
        final List<@Nullable Mirror> mirrors = new ArrayList<>();

        /** In a fenced chunk, where the results go at first. */
        @Nullable
        Pointer results;

        /** The chunk's part of the buffer, in bytes. */
        long origin;

        long bytes;

        final PinnedStaging.Blocks pinned = staging.new Blocks();

        /** Whether the chunk's pieces go through these. */
        boolean throughPinned;

        @Nullable
        ByteBuffer partial;

        /** Kept for {@link #results}. */
        @Nullable
        ByteBuffer fenced;
    }

    private record Fetch(cl_mem mem, long offset, long bytes, Pointer target) {}

    /** Where a fenced chunk's results go once it is committed. */
    private record Staged(ByteBuffer from, ByteBuffer to) {}

    /** What a mirror will hold of a segment: after a read when the chunk is done, after a write once it counts. */
    private record Mirrored(Mirror mirror, long from, long to, boolean written) {}

    /**
     * @param kept what the lane keeps on its device
     * @param pageLocked through which pieces of pageable memory go, or null to send and fetch them as they are
     */
    CopiedArguments(
            ClCommands commands,
            LaneMemory kept,
            DeviceInfo device,
            PieceCut pieceCut,
            @Nullable PageLocked pageLocked) {
        super(kept.temporaries());
        this.commands = commands;
        this.kept = kept;
        this.device = device;
        this.pieceCut = pieceCut;
        this.staging = new PinnedStaging(pageLocked, SETS);
        this.alignment = Math.max(1, device.alignmentBytes()); // where sub-buffers may begin
        this.mirrors = kept.mirrors();
        this.ring = kept.newRing(SETS);
        this.buffers = kept.buffers();
    }

    @Override
    void find(int index, JobSpec.Argument.Buffer argument, long origin, long bytes) {
        ManagedBuffer host = argument.buffer();
        Use use = use(index);
        use.mirror = null;
        use.mirrors.clear();
        use.results = null;
        use.origin = origin;
        use.bytes = bytes;
        if (argument.access() instanceof Access.Slice) {
            findSlice(use, argument, origin, bytes);
        } else if (!(argument.access() instanceof Access.Reduce)) {
            boolean whole = !(argument.access() instanceof Access.Halo);
            use.mirror = whole || reused(host)
                    ? mirrors.pin(host, 0, kept.roomForMirrors(), pins)
                    : null; // all chunks see a whole
            if (use.mirror != null) { // what is missing goes ahead of the first piece
                mirrored.add(new Mirrored(use.mirror, origin, origin + bytes, argument.written()));
                sendsWhole |= whole && use.mirror.held.missingFrom(origin, origin + bytes) < origin + bytes;
            } else if (argument.read() && !whole) {
                traffic += bytes;
            }
        }
    }

    private void findSlice(Use use, JobSpec.Argument.Buffer argument, long origin, long bytes) {
        ManagedBuffer host = argument.buffer();
        boolean reused = reused(host);
        for (long at = origin, here; at < origin + bytes; at += here) {
            long within = at % host.segmentBytes();
            here = Math.min(origin + bytes - at, host.segmentBytes() - within);
            Mirror mirror =
                    reused ? mirrors.pin(host, (int) (at / host.segmentBytes()), kept.roomForMirrors(), pins) : null;
            if (mirror != null && within % alignment != 0) {
                // Granules see to it that this does not happen; should it, the mirror must not keep what changes
                // elsewhere.
                mirror.held.overwrites(within, within + here);
                mirror = null;
            }
            use.mirrors.add(mirror);
            if (mirror != null) {
                mirrored.add(new Mirrored(mirror, within, within + here, argument.written()));
            }
            if (argument.read()) {
                traffic += mirror == null ? here : missing(mirror, within, within + here);
            }
        }
        if (argument.written()) {
            traffic += bytes;
            if (fenced()) {
                use.results = stage(use, host, origin, bytes);
            }
        }
    }

    @Override
    int cut(JobSpec.Phase phase, long firstUnit, long units) {
        long piece = commands.canOverlap() ? pieceCut.units(job(), phase, device, units, traffic) : units;
        manyTransfers = piece < units;
        long pieces = (units - 1) / piece + 1;
        long toSeam = Seams.toNext(phase, firstUnit);
        if (toSeam < units) {
            // No part between two seams is longer than one that begins at unit 0, where a segment of each buffer does.
            long longest = Math.min(Seams.toNext(phase, 0), Math.max(toSeam, units - toSeam));
            piece = Math.min(piece, longest);
            pieces++;
        }
        sets = (int) Math.min(SETS, pieces);
        buffers = sets > 1 ? ring : kept.buffers();
        set = -1;
        first = true;
        return Math.toIntExact(piece);
    }

    @Override
    void reserve(int index, JobSpec.Argument.Buffer argument, long most) {
        if (argument.access() instanceof Access.Reduce) {
            buffers.ensure(index, 0, most);
        } else if (argument.access() instanceof Access.Slice) {
            for (int i = 0; i < sets && use(index).mirrors.contains(null); i++) {
                buffers.ensure(index, i, most);
            }
        } else if (use(index).mirror == null) {
            boolean halo = argument.access() instanceof Access.Halo;
            for (int i = 0; i < (halo ? sets : 1); i++) {
                buffers.ensure(index, i, halo ? most + alignment : most);
            }
        }
        if (manyTransfers
                && argument.access() instanceof Access.Slice
                && !argument.buffer().isPageLocked()) {
            use(index).throughPinned = use(index).pinned.reserve(sets, Math.toIntExact(most));
        }
    }

    @Override
    boolean isIncomplete() {
        return sendsWhole;
    }

    @Override
    boolean isFull() {
        return ends[(set + 1) % sets] != null;
    }

    @Override
    void nextPiece() {
        first = set < 0;
        set = (set + 1) % sets;
        cl_event end = ends[set];
        if (end != null) {
            commands.await(end);
            ends[set] = null;
            staging.copyBack(set);
        }
    }

    @Override
    void endPiece() {
        ends[set] = commands.last();
    }

    @Override
    cl_mem slice(int index, JobSpec.Argument.Buffer argument, long origin, long bytes) {
        ManagedBuffer host = argument.buffer();
        Use use = use(index);
        int segment = (int) (origin / host.segmentBytes());
        long within = origin % host.segmentBytes();
        Mirror mirror = use.mirrors.get(segment - (int) (use.origin / host.segmentBytes()));
        PinnedStaging.Window window = use.throughPinned ? use.pinned.window(host.segment(segment), within, set) : null;
        cl_mem mem = mirror != null ? part(mirror, within, bytes) : buffers.ensure(index, set, bytes);
        Pointer place = mirror != null
                ? mirror.host.withByteOffset(within)
                : Pointer.to(host.segment(segment)).withByteOffset(within);
        if (argument.read() && mirror != null) {
            sendMissing(mirror, within, within + bytes, mem, within, window);
        } else if (argument.read()) {
            send(mem, 0, bytes, window == null ? place : window.toSend(within, bytes));
        }
        if (!argument.written()) {
            return mem;
        }
        if (mirror != null) {
            mirror.held.overwrites(within, within + bytes);
        }
        Pointer target = place;
        if (use.results != null) {
            target = use.results.withByteOffset(origin - use.origin);
        } else if (window != null) {
            target = window.toFetch(bytes);
        }
        fetches.add(new Fetch(mem, 0, bytes, target));
        return mem;
    }

    /**
     * The part of a mirror that a kernel sees, from an aligned place on. Slices are sent to it and fetched from it too, since
     * of overlapping pieces each may only touch what is its own.
     */
    private cl_mem part(Mirror mirror, long within, long bytes) {
        if (within == 0 && bytes == mirror.bytes) {
            return mirror.mem();
        }
        cl_mem part = Cl.createSubBuffer(mirror.mem(), within, bytes, status);
        subBuffers.add(part);
        return part;
    }

    private static long missing(Mirror mirror, long from, long to) {
        long missing = 0;
        for (long gap = mirror.held.missingFrom(from, to); gap < to; ) {
            long end = mirror.held.presentFrom(gap, to);
            missing += end - gap;
            gap = mirror.held.missingFrom(end, to);
        }
        return missing;
    }

    /**
     * Sends the bytes of {@code [from, to)} of a segment that its mirror does not hold.
     *
     * @param target all of the mirror, or the part of it that begins at {@code base}
     * @param window what the bytes must go through, if anything
     */
    private void sendMissing(
            Mirror mirror, long from, long to, cl_mem target, long base, PinnedStaging.@Nullable Window window) {
        int gaps = 0;
        long begin = mirror.held.missingFrom(from, to);
        long last = begin;
        for (long gap = begin; gap < to; gap = mirror.held.missingFrom(last, to)) {
            last = mirror.held.presentFrom(gap, to);
            gaps++;
        }
        if (gaps > MOST_GAPS) {
            sendGap(mirror, begin, last, target, base, window);
            return;
        }
        for (long gap = begin; gap < to; ) {
            long end = mirror.held.presentFrom(gap, to);
            sendGap(mirror, gap, end, target, base, window);
            gap = mirror.held.missingFrom(end, to);
        }
    }

    private void sendGap(
            Mirror mirror, long gap, long end, cl_mem target, long base, PinnedStaging.@Nullable Window window) {
        Pointer place = window == null ? mirror.host.withByteOffset(gap) : window.toSend(gap, end - gap);
        send(target, gap - base, end - gap, place);
    }

    private Pointer stage(Use use, ManagedBuffer host, long origin, long bytes) {
        ByteBuffer target = host.part(origin, Math.toIntExact(bytes));
        ByteBuffer fenced = use.fenced;
        if (fenced == null || fenced.capacity() < target.capacity()) {
            fenced = ByteBuffer.allocateDirect(target.capacity());
            use.fenced = fenced;
        }
        staged.add(new Staged(fenced, target));
        return Pointer.to(fenced);
    }

    @Override
    void done() {
        for (int i = 0; i < sets; i++) { // those of the last pieces, in their order
            set = (set + 1) % sets;
            staging.copyBack(set);
        }
        for (Mirrored each : mirrored) {
            if (!each.written()) {
                each.mirror().held.received(each.from(), each.to());
            }
        }
    }

    @Override
    void commit() {
        for (Staged each : staged) {
            each.to().put(0, each.from(), 0, each.to().capacity());
        }
        staged.clear();
        for (Mirrored each : mirrored) {
            if (each.written()) {
                each.mirror().held.wrote(each.from(), each.to());
            }
        }
        mirrored.clear();
    }

    /**
     * Of a mirror all is seen, since parts of it that overlap would be: NVIDIA's driver crashes the process when such are
     * released in the order in which they were made (docs/known-issues.md). What is sent for the chunk lies as it would on
     * an aligned place.
     */
    @Override
    long viewOrigin(int index, long origin) {
        return use(index).mirror != null ? 0 : origin - origin % alignment;
    }

    @Override
    cl_mem halo(int index, JobSpec.Argument.Buffer argument, long origin, long bytes) {
        Mirror mirror = use(index).mirror;
        if (mirror != null) {
            if (first) { // for all pieces: the views of neighbours overlap, and what kernels see must not be sent to
                long from = use(index).origin;
                sendMissing(mirror, from, from + use(index).bytes, mirror.mem(), 0, null);
            }
            return mirror.mem();
        }
        long view = viewOrigin(index, origin);
        cl_mem mem = buffers.ensure(index, set, origin - view + bytes);
        send(mem, origin - view, bytes, Pointer.to(argument.buffer().segment(0)).withByteOffset(origin));
        return mem;
    }

    @Override
    cl_mem whole(int index, JobSpec.Argument.Buffer argument) {
        long bytes = argument.buffer().byteSize();
        Mirror mirror = use(index).mirror;
        cl_mem mem = mirror != null ? mirror.mem() : buffers.ensure(index, 0, bytes);
        if (first && mirror != null) {
            sendMissing(mirror, 0, bytes, mem, 0, null);
        } else if (first && bytes > 0) {
            send(mem, 0, bytes, Pointer.to(argument.buffer().segment(0)));
        }
        return mem;
    }

    @Override
    cl_mem reduce(int index, JobSpec.Argument.Buffer argument, Reduction operation) {
        int bytes = (int) argument.buffer().byteSize();
        cl_mem mem = buffers.ensure(index, 0, bytes);
        if (!first) {
            return mem; // pieces add to what those before them left there
        }
        Use use = use(index);
        ByteBuffer partial = use.partial;
        if (partial == null || partial.capacity() < bytes) {
            partial = ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
            use.partial = partial;
        }
        partial.limit(bytes);
        Merge.fillIdentity(partial, argument.buffer().type(), operation);
        if (bytes > 0) {
            Pointer host = Pointer.to(partial);
            send(mem, 0, bytes, host);
            lastFetches.add(new Fetch(mem, 0, bytes, host));
        }
        return mem;
    }

    @Override
    void fetch(boolean last) {
        fetch(fetches);
        if (last) {
            fetch(lastFetches);
        }
    }

    private void fetch(List<Fetch> due) {
        for (Fetch fetch : due) {
            commands.fetch(fetch.mem(), fetch.offset(), fetch.bytes(), fetch.target());
            bytesOut += fetch.bytes();
        }
        due.clear();
    }

    @Override
    ByteBuffer partial(int index) {
        ByteBuffer partial = use(index).partial;
        if (partial == null) {
            throw new IllegalStateException("argument " + index + " is no reduction");
        }
        return partial;
    }

    @Override
    void release() {
        for (int i = subBuffers.size() - 1; i >= 0; i--) { // the last one first, as slices may overlap too (viewOrigin)
            Cl.release(subBuffers.get(i));
        }
        subBuffers.clear();
        fetches.clear();
        lastFetches.clear();
        staged.clear();
        mirrored.clear();
        mirrors.unpin(pins);
        for (int i = 0; i < uses.size(); i++) {
            uses.get(i).mirror = null; // through which a closed buffer's memory would stay reachable
            uses.get(i).mirrors.clear();
            uses.get(i).results = null;
            uses.get(i).throughPinned = false;
        }
        staging.forget();
        Arrays.fill(ends, null);
        sendsWhole = false;
        traffic = 0;
        bytesIn = 0;
        bytesOut = 0;
    }

    @Override
    boolean dropUnused() {
        return kept.dropUnused();
    }

    @Override
    void distrust() {
        mirrors.forget();
    }

    @Override
    void close() {
        super.close();
        for (Use use : uses) {
            use.pinned.giveBack();
        }
        uses.clear();
        staging.close();
    }

    /** Whether a later chunk may find this buffer's content useful that one brings: in another phase, or in another job. */
    private boolean reused(ManagedBuffer host) {
        if (host.isKeptOnDevices()) {
            return true;
        }
        int phases = 0;
        for (JobSpec.Phase phase : job().phases()) {
            for (JobSpec.Argument argument : phase.arguments()) {
                if (argument instanceof JobSpec.Argument.Buffer b && b.buffer() == host) {
                    phases++;
                    break;
                }
            }
        }
        return phases > 1;
    }

    private void send(cl_mem mem, long offset, long bytes, Pointer host) {
        commands.send(mem, offset, bytes, host);
        bytesIn += bytes;
    }

    private Use use(int index) {
        while (uses.size() <= index) {
            uses.add(new Use());
        }
        return uses.get(index);
    }
}
