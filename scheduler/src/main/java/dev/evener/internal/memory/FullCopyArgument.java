package dev.evener.internal.memory;

import dev.evener.Report.Cause;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.cl.ClCommands;
import dev.evener.internal.cl.DeviceBuffer;
import dev.evener.internal.data.Traffic;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.recovery.LaneFailure;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A buffer that kernels see from its own start, on a device with memory of its own: a {@link DeviceCopy} of all of it, of which the
 * pieces hold their values that chunks need. Pieces of a chunk may overlap in time, as each is sent what none before it was, and
 * fetched what it wrote.
 */
final class FullCopyArgument extends DeviceArgument {
    private @Nullable DeviceCopy copy; // of the chunk under way
    private long[] sent = new long[1]; // of each piece of the buffer, up to where this chunk has sent it

    // The chunk's piece that is to be fetched, if anything.
    private long fetchedUnit;
    private long fetchedUnits;
    private int fetchedSet;

    FullCopyArgument(int index, ClCommands commands, LaneMemory lane) {
        super(index, commands, lane);
    }

    @Override
    protected void find(JobSpec job, JobSpec.Phase phase, boolean fenced) {
        Argument.Buffer b = argument();
        LogicalBuffer host = b.buffer();
        since = host.directory().writes();
        DeviceCopy its = b.range().isAll()
                ? lane.copies().pin(host, 0, lane.roomForCopies(), pins)
                : lane.copies().pin(b.range(), lane.roomForCopies(), pins);
        if (its == null) {
            throw new LaneFailure(
                    LaneFailure.Kind.MEMORY,
                    phase.describe(index) + ": device " + lane.device() + " has no room for all "
                            + b.range().byteSize()
                            + " bytes of the buffer, which the job's view needs; chunkView() needs room for chunks alone");
        }
        copy = its;
        boolean spoiltIfFenced = fenced && b.written();
        staysThere = !spoiltIfFenced;
        Traffic books = traffic(spoiltIfFenced);
        for (int p = 0; p < b.pieces(); p++) {
            long from = b.seenFrom(p, firstUnit);
            long to = b.seenTo(p, firstUnit, units);
            if (b.read()) {
                DeviceCopy.bringToHost(host, from, to - from, spoiltIfFenced ? null : its, books);
                long missing = its.missing(from - its.origin, to - its.origin);
                boolean ofAll = b.bytesPerUnit() == 0 || p >= b.ownPieces(); // which goes ahead of the first piece
                incomplete |= ofAll && missing > 0;
                traffic += ofAll ? 0 : missing;
                staysThere &= missing == 0;
            }
        }
        if (spoiltIfFenced) {
            stage();
        }
        if (b.written() && !staysWritten()) {
            staysThere = false;
            traffic += b.bytesPerUnit() * units;
        }
        sent = sent.length < b.pieces() ? new long[b.pieces()] : sent;
        Arrays.fill(sent, 0);
    }

    @Override
    protected void reserve(long most, int sets, boolean cut) {
        boolean inOne = argument().pieces() == 1 && traffic > 0;
        if (cut && inOne && !argument().buffer().isPageLocked()) {
            throughPinned = staging.reserve(sets, Math.toIntExact(most));
        }
    }

    @Override
    public DeviceBuffer place(long first, int here, int set, boolean begins) {
        Argument.Buffer b = argument();
        DeviceCopy its = Objects.requireNonNull(copy);
        for (int p = 0; p < b.pieces(); p++) {
            long from = b.seenFrom(p, first) - its.origin;
            long to = b.seenTo(p, first, here) - its.origin;
            if (b.read()) {
                sendMissing(its, Math.max(from, sent[p]), to, its.buffer(), 0, throughPinned ? set : -1, from);
                sent[p] = Math.max(sent[p], to);
            }
        }
        if (b.written()) { // what the chunk is about to write is no copy
            b.eachWritten(first, here, (from, to) -> its.spoils(from - its.origin, to - its.origin));
        }
        if (b.written() && !staysWritten()) {
            fetchedUnit = first;
            fetchedUnits = here;
            fetchedSet = set;
        }
        return its.buffer();
    }

    @Override
    public void fetch(boolean last) {
        Argument.Buffer b = argument();
        DeviceCopy its = Objects.requireNonNull(copy);
        for (int p = 0; p < b.ownPieces() && fetchedUnits > 0; p++) {
            long from = b.seenFrom(p, fetchedUnit);
            long count = b.seenTo(p, fetchedUnit, fetchedUnits) - from;
            long in = from - its.origin;
            if (isStaged()) {
                commands.fetch(its.buffer(), in, count, own(Math.toIntExact(bytes)), from - origin);
            } else if (throughPinned) {
                commands.fetch(its.buffer(), in, count, staging.toFetch(fetchedSet, host(its), in, count), 0);
            } else {
                commands.fetch(its.buffer(), in, count, host(its), in);
            }
            commands.traffic().fetched(lane.device(), Cause.RESULT, count);
        }
        fetchedUnits = 0;
    }

    /** Kernels see it from its start. */
    @Override
    protected long viewOrigin(long seen) {
        return argument().range().from();
    }

    // ---- the end of a chunk ----

    @Override
    protected boolean isThere(JobSpec.Phase phase) {
        Argument.Buffer b = argument();
        boolean there = true;
        for (int p = 0; p < b.pieces() && there; p++) {
            there = lane.copies()
                    .isThere(
                            b,
                            b.seenFrom(p, firstUnit),
                            b.seenTo(p, firstUnit, units),
                            !b.range().isAll());
        }
        return there;
    }

    @Override
    protected void learn(boolean written, boolean staged, boolean spoilt) {
        Argument.Buffer b = argument();
        DeviceCopy its = Objects.requireNonNull(copy);
        if (written && !spoilt) {
            boolean fetched = staged || b.buffer().isMirrored();
            b.eachWritten(firstUnit, units, (from, to) -> its.wrote(from - its.origin, to - its.origin, fetched));
        }
        // Of what it wrote, only what it was sent beside.
        for (int p = written && !spoilt ? b.ownPieces() : 0; p < (spoilt ? b.ownPieces() : b.pieces()); p++) {
            long from = b.seenFrom(p, firstUnit) - its.origin;
            long to = b.seenTo(p, firstUnit, units) - its.origin;
            if (spoilt) {
                its.spoils(from, to);
            } else {
                its.received(from, to, since);
            }
        }
    }

    @Override
    public void release() {
        super.release();
        copy = null;
        fetchedUnits = 0;
    }
}
