package dev.evener.internal.memory;

import dev.evener.Report.Cause;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.cl.ClCommands;
import dev.evener.internal.cl.DeviceBuffer;
import dev.evener.internal.fold.Merge;
import dev.evener.internal.job.Argument.View;
import dev.evener.internal.job.JobBuffers;
import dev.evener.internal.job.JobSpec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A buffer on a device with memory of its own. One that may be seen again has a {@link DeviceCopy} there: a chunk sends what the
 * copy lacks, works on a part of it, and fetches what it wrote. Any other goes through a chunk buffer, kept and grown: filled
 * before the first kernel and fetched after the last.
 *
 * <p>Where the chunk's pieces overlap each has one of a ring of chunk buffers, which no other chunk uses. What all pieces have in
 * common, such as whole buffers and the partial results that they add to in turn, is sent with the first and fetched with the last.
 */
final class CopiedArgument extends DeviceArgument {
    private final LaneMemory.Pool ring;
    private LaneMemory.Pool buffers; // the chunk's: the lane's or the ring
    private final List<DeviceCopy.Part> parts = new ArrayList<>();
    private @Nullable DeviceCopy copy; // where the chunk's part is; null where that goes through chunk buffers

    // Of the present piece, what it writes to a copy, if to any.
    private @Nullable DeviceCopy spoilt;
    private long spoiltFrom;
    private long spoiltTo;

    // What is to be fetched, if anything.
    private @Nullable DeviceBuffer fetched;
    private long fetchedBytes;
    private @Nullable ByteBuffer target;
    private long targetAt;

    /** @param ring for pieces that overlap */
    CopiedArgument(int index, ClCommands commands, LaneMemory lane, LaneMemory.Pool ring) {
        super(index, commands, lane);
        this.ring = ring;
        this.buffers = ring;
    }

    @Override
    protected void find(JobSpec job, JobSpec.Phase phase, boolean fenced) {
        View view = argument().view();
        staysThere = view != View.PARTIAL;
        if (view == View.PARTIAL) {
            return;
        }
        LogicalBuffer host = argument().buffer();
        since = host.directory().writes();
        boolean slice = view == View.OWN;
        boolean whole = view == View.ALL;
        boolean keeps = whole || JobBuffers.areSeenAgain(job, host); // all chunks see a whole
        long end = origin + bytes;
        DeviceCopy its = !keeps
                ? null
                : phase.liesApart(index, lane.alignment())
                        ? lane.copies().pin(argument().range(), lane.roomForCopies(), pins)
                        : lane.copies().pin(host, (int) (origin / host.segmentBytes()), lane.roomForCopies(), pins);
        if (slice && its != null && (origin - its.origin) % lane.alignment() != 0) {
            its = null; // granules see to it that this does not happen
        }
        copy = its;
        long lacks = its == null ? bytes : its.missing(origin - its.origin, end - its.origin);
        incomplete = its != null && its.hasManyParts();
        staysThere = its != null
                && (!argument().read() || lacks == 0)
                && (!argument().written() || (!fenced && staysInCopy()));
        boolean updatesFenced = fenced && argument().written(); // the copy is spoilt, though the chunk may not count
        if (argument().read()) {
            lane.bringToHost(host, origin, bytes, updatesFenced ? null : its, traffic(updatesFenced));
        }
        if (slice && argument().written() && its == null && !fenced) { // it is fetched to where it belongs
            lane.hostWrites(host, origin, end);
        }
        if (whole) { // which goes ahead of the first piece
            incomplete |= its != null && lacks > 0;
        } else if (argument().read()) {
            traffic += its == null || slice ? lacks : 0;
        }
        if (slice && argument().written() && (fenced || !staysInCopy())) {
            traffic += bytes;
        }
        if (slice && argument().written() && fenced) {
            stage();
        }
    }

    /** Whether what the chunk writes is not fetched: nobody needs it on the host yet. */
    private boolean staysInCopy() {
        return copy != null && staysWritten();
    }

    @Override
    protected void reserve(long most, int sets, boolean cut) {
        buffers = sets > 1 ? ring : lane.buffers();
        boolean halo = argument().view() == View.AROUND;
        boolean slice = argument().view() == View.OWN;
        if (copy == null) {
            for (int i = 0; i < (slice || halo ? sets : 1); i++) {
                buffers.ensure(index, i, halo ? most + lane.alignment() : most);
            }
        }
        if (cut && slice && traffic > 0 && !argument().buffer().isPageLocked()) {
            throughPinned = staging.reserve(sets, Math.toIntExact(most));
        }
    }

    @Override
    public DeviceBuffer place(long firstUnit, int units, int set, boolean first) {
        View view = argument().view();
        if (view == View.PARTIAL) {
            return reduce(first);
        }
        long from = argument().seenFrom(firstUnit);
        long count = argument().seenBytes(firstUnit, units);
        if (view == View.OWN) {
            return slice(from, count, set);
        }
        DeviceCopy its = copy;
        if (its != null) {
            if (first) { // for all pieces: the views of neighbours overlap, and what kernels see must not be sent to
                sendMissing(its, origin - its.origin, origin - its.origin + bytes, its.buffer(), 0, -1, 0);
            }
            return its.buffer();
        }
        boolean halo = view == View.AROUND;
        long start = halo ? viewOrigin(from) : from;
        DeviceBuffer buffer = buffers.ensure(index, halo ? set : 0, from - start + count);
        if (halo || (first && count > 0)) {
            LogicalBuffer host = argument().buffer();
            int segment = (int) (from / host.segmentBytes());
            commands.send(buffer, from - start, count, host.segment(segment), from % host.segmentBytes());
            countUnkept(count);
        }
        return buffer;
    }

    private DeviceBuffer slice(long from, long count, int set) {
        LogicalBuffer host = argument().buffer();
        int segment = (int) (from / host.segmentBytes());
        long within = from % host.segmentBytes();
        DeviceCopy its = copy;
        long in = its == null ? 0 : from - its.origin;
        DeviceBuffer buffer = its != null ? part(its, in, count) : buffers.ensure(index, set, count);
        int window = throughPinned ? set : -1;
        if (argument().read() && its != null) {
            sendMissing(its, in, in + count, buffer, in, window, in);
        } else if (argument().read()) {
            send(buffer, 0, host.segment(segment), within, count, window, 0);
            countUnkept(count);
        }
        if (!argument().written()) {
            return buffer;
        }
        spoilt = its;
        spoiltFrom = in;
        spoiltTo = in + count;
        if (isStaged()) {
            fetchLater(buffer, count, own(Math.toIntExact(bytes)), from - origin);
        } else if (staysInCopy()) {
            return buffer;
        } else if (throughPinned) {
            fetchLater(buffer, count, staging.toFetch(set, host.segment(segment), within, count), 0);
        } else {
            fetchLater(buffer, count, host.segment(segment), within);
        }
        return buffer;
    }

    /**
     * The part of a copy that a kernel sees, from an aligned place on. Slices are sent to it and fetched from it too, since
     * of overlapping pieces each may only touch what is its own.
     */
    private DeviceBuffer part(DeviceCopy of, long within, long count) {
        if (within == 0 && count == of.bytes) {
            return of.buffer();
        }
        DeviceCopy.Part part = of.part(within, count);
        parts.add(part);
        return part.buffer;
    }

    private DeviceBuffer reduce(boolean first) {
        DeviceBuffer buffer = buffers.ensure(index, 0, bytes);
        if (first) { // later pieces add to what those before them left there
            ByteBuffer partial = own((int) bytes);
            Merge.begin(partial, argument());
            if (bytes > 0) {
                commands.send(buffer, 0, bytes, partial, 0);
                commands.traffic().sent(lane.device(), Cause.REDUCTION, bytes);
                fetchLater(buffer, bytes, partial, 0);
            }
        }
        return buffer;
    }

    @Override
    public void launched() {
        DeviceCopy its = spoilt;
        if (its != null) {
            its.spoils(spoiltFrom, spoiltTo);
            spoilt = null;
        }
    }

    private void fetchLater(DeviceBuffer buffer, long count, ByteBuffer to, long at) {
        fetched = buffer;
        fetchedBytes = count;
        target = to;
        targetAt = at;
    }

    @Override
    public void fetch(boolean last) {
        DeviceBuffer buffer = fetched;
        ByteBuffer to = target;
        if (buffer != null && to != null && (last || argument().view() != View.PARTIAL)) {
            fetched = null;
            target = null;
            commands.fetch(buffer, 0, fetchedBytes, to, targetAt);
            Cause cause = argument().view() == View.PARTIAL ? Cause.REDUCTION : Cause.RESULT;
            commands.traffic().fetched(lane.device(), cause, fetchedBytes);
        }
    }

    /** Bytes were sent for this chunk alone: there was no room for more, or the host may write them before the next job. */
    private void countUnkept(long count) {
        Cause cause = argument().buffer().hasHostViews() ? Cause.HOST : Cause.EVICTION;
        commands.traffic().sent(lane.device(), cause, count);
    }

    /**
     * Of a copy all is seen: parts would overlap those of the neighbours, and each wait for the next to be freed
     * ({@link DeviceCopy.Part}). What is sent for the chunk lies as it would on an aligned place.
     */
    @Override
    protected long viewOrigin(long seen) {
        DeviceCopy its = copy;
        return its != null ? its.origin : seen - seen % lane.alignment();
    }

    // ---- the end of a chunk ----

    @Override
    protected boolean isThere(JobSpec.Phase phase) {
        boolean apart = phase.liesApart(index, lane.alignment());
        return argument().view() != View.PARTIAL && lane.copies().isThere(argument(), origin, origin + bytes, apart);
    }

    @Override
    protected void learn(boolean written, boolean staged, boolean spoilt) {
        DeviceCopy its = copy;
        long in = its == null ? 0 : origin - its.origin;
        if (its != null && spoilt) {
            its.spoils(in, in + bytes);
        } else if (its != null && written) {
            its.wrote(in, in + bytes, staged || !staysInCopy());
        } else if (written && argument().view() != View.PARTIAL) {
            argument().buffer().directory().hostWrote(origin, origin + bytes); // to where it was fetched
        } else if (its != null) {
            its.received(in, in + bytes, since);
        }
    }

    @Override
    public void release() {
        parts.forEach(DeviceCopy.Part::release);
        parts.clear();
        copy = null;
        super.release();
        spoilt = null;
        fetched = null;
        target = null;
    }
}
