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

    /** Of each segment in which the chunk's part lies; null where that goes through chunk buffers. */
    private final List<@Nullable DeviceCopy> copies = new ArrayList<>();

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
        boolean apart = phase.liesApart(index, lane.alignment());
        for (long at = origin, here; at < origin + bytes; at += here) {
            long within = at % host.segmentBytes();
            here = Math.min(origin + bytes - at, host.segmentBytes() - within);
            DeviceCopy copy = !keeps
                    ? null
                    : apart
                            ? lane.copies().pin(argument().range(), lane.roomForCopies(), pins)
                            : lane.copies().pin(host, (int) (at / host.segmentBytes()), lane.roomForCopies(), pins);
            if (slice && copy != null && (at - copy.origin) % lane.alignment() != 0) {
                copy = null; // granules see to it that this does not happen
            }
            long in = copy == null ? 0 : at - copy.origin;
            copies.add(copy);
            incomplete |= copy != null && copy.hasManyParts();
            staysThere &= copy != null
                    && (!argument().read() || copy.missingFrom(in, in + here) >= in + here)
                    && (!argument().written() || (!fenced && stays(copy)));
            boolean updatesFenced =
                    fenced && argument().written(); // the copy is spoilt, though the chunk may not count
            if (argument().read()) {
                lane.bringToHost(host, at, here, updatesFenced ? null : copy, traffic(updatesFenced));
            }
            if (slice && argument().written() && copy == null && !fenced) { // it is fetched to where it belongs
                lane.hostWrites(host, at, at + here);
            }
            if (whole) { // which goes ahead of the first piece
                incomplete |= copy != null && copy.missingFrom(in, in + here) < in + here;
            } else if (argument().read()) {
                traffic += copy == null ? here : slice ? copy.missing(in, in + here) : 0;
            }
            if (slice && argument().written() && (fenced || !stays(copy))) {
                traffic += here;
            }
        }
        if (slice && argument().written() && fenced) {
            stage();
        }
    }

    /** Whether what a chunk writes to this copy is not fetched: nobody needs it on the host yet. */
    private boolean stays(@Nullable DeviceCopy copy) {
        return copy != null && staysWritten();
    }

    @Override
    protected void reserve(long most, int sets, boolean cut) {
        buffers = sets > 1 ? ring : lane.buffers();
        boolean halo = argument().view() == View.AROUND;
        boolean slice = argument().view() == View.OWN;
        if (copies.isEmpty() || copies.contains(null)) {
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
        DeviceCopy copy = onlyCopy();
        if (copy != null) {
            if (first) { // for all pieces: the views of neighbours overlap, and what kernels see must not be sent to
                sendMissing(copy, origin - copy.origin, origin - copy.origin + bytes, copy.buffer(), 0, -1, 0);
            }
            return copy.buffer();
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
        DeviceCopy copy = copies.get(segment - (int) (origin / host.segmentBytes()));
        long in = copy == null ? 0 : from - copy.origin;
        DeviceBuffer buffer = copy != null ? part(copy, in, count) : buffers.ensure(index, set, count);
        int window = throughPinned ? set : -1;
        if (argument().read() && copy != null) {
            sendMissing(copy, in, in + count, buffer, in, window, in);
        } else if (argument().read()) {
            send(buffer, 0, host.segment(segment), within, count, window, 0);
            countUnkept(count);
        }
        if (!argument().written()) {
            return buffer;
        }
        spoilt = copy;
        spoiltFrom = in;
        spoiltTo = in + count;
        if (isStaged()) {
            fetchLater(buffer, count, own(Math.toIntExact(bytes)), from - origin);
        } else if (stays(copy)) {
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
    private DeviceBuffer part(DeviceCopy copy, long within, long count) {
        if (within == 0 && count == copy.bytes) {
            return copy.buffer();
        }
        DeviceCopy.Part part = copy.part(within, count);
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
        DeviceCopy copy = spoilt;
        if (copy != null) {
            copy.spoils(spoiltFrom, spoiltTo);
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

    // ---- what a copy lacks ----

    private @Nullable DeviceCopy onlyCopy() {
        return copies.isEmpty() ? null : copies.get(0);
    }

    /**
     * Of a copy all is seen: parts would overlap those of the neighbours, and each wait for the next to be freed
     * ({@link DeviceCopy.Part}). What is sent for the chunk lies as it would on an aligned place.
     */
    @Override
    protected long viewOrigin(long seen) {
        DeviceCopy copy = onlyCopy();
        return copy != null ? copy.origin : seen - seen % lane.alignment();
    }

    // ---- the end of a chunk ----

    @Override
    protected boolean isThere(JobSpec.Phase phase) {
        boolean apart = phase.liesApart(index, lane.alignment());
        return argument().view() != View.PARTIAL && lane.copies().isThere(argument(), origin, origin + bytes, apart);
    }

    @Override
    protected void learn(boolean written, boolean staged, boolean spoilt) {
        long segment = argument().buffer().segmentBytes();
        int i = 0;
        for (long at = origin, here; at < origin + bytes && i < copies.size(); at += here) {
            here = Math.min(origin + bytes - at, segment - at % segment);
            DeviceCopy copy = copies.get(i++);
            long in = copy == null ? 0 : at - copy.origin;
            if (copy != null && spoilt) {
                copy.spoils(in, in + here);
            } else if (copy != null && written) {
                copy.wrote(in, in + here, staged || !stays(copy));
            } else if (written) {
                argument().buffer().directory().hostWrote(at, at + here); // to where it was fetched
            } else if (copy != null) {
                copy.received(in, in + here, since);
            }
        }
    }

    @Override
    public void release() {
        parts.forEach(DeviceCopy.Part::release);
        parts.clear();
        copies.clear();
        super.release();
        spoilt = null;
        fetched = null;
        target = null;
    }
}
