package dev.evener.internal.memory;

import dev.evener.internal.PageLocked;
import dev.evener.internal.cl.ClCommands;
import dev.evener.internal.cl.DeviceBuffer;
import dev.evener.internal.data.Traffic;
import dev.evener.internal.job.Argument;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A buffer on a device with memory of its own: what there is in common whether kernels see a part of it or all. */
abstract class DeviceArgument extends ArgumentMemory {
    protected final ClCommands commands;
    protected final LaneMemory lane;
    protected final PinnedStaging staging;
    protected final List<DeviceCopy> pins = new ArrayList<>();

    // Of the chunk under way.
    protected long since; // how often the buffer had been written when it began
    protected long traffic;
    protected boolean incomplete; // see isIncomplete
    protected boolean staysThere;
    protected boolean throughPinned;

    private PageLocked.@Nullable Block ownBlock;

    DeviceArgument(int index, ClCommands commands, LaneMemory lane) {
        super(index);
        this.commands = commands;
        this.lane = lane;
        this.staging = lane.newStaging();
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

    @Override
    public long traffic() {
        return traffic;
    }

    @Override
    public boolean isIncomplete() {
        return incomplete;
    }

    @Override
    public boolean stays() {
        return staysThere;
    }

    /** The host's memory of what a copy is of, which a buffer that the host never sees takes here. The chunk's job holds it. */
    protected final ByteBuffer host(DeviceCopy copy) {
        return argument().buffer().part(copy.origin, Math.toIntExact(copy.bytes));
    }

    /** Whether what the chunk writes to a copy is not fetched: nobody needs it on the host yet. */
    protected final boolean staysWritten() {
        return !isStaged() && !argument().buffer().isMirrored();
    }

    /** The books of the chunk, for what is moved because it needs this argument, or the host does. */
    protected final Traffic traffic(boolean forHost) {
        return forHost ? commands.traffic().forHost() : argument().countIn(commands.traffic(), firstUnit, units);
    }

    /**
     * Sends the bytes of {@code [from, to)} of a copy's range that it does not hold.
     *
     * @param buffer all of the copy, or the part of it that begins at {@code base}
     * @param window the set of the page-locked memory for a part that the bytes must go through, or -1
     * @param start where that memory begins
     */
    protected final void sendMissing(
            DeviceCopy copy, long from, long to, DeviceBuffer buffer, long base, int window, long start) {
        boolean together = copy.hasManyGaps(from, to);
        for (long gap = copy.missingFrom(from, to), end; gap < to; gap = copy.missingFrom(end, to)) {
            end = copy.endOfGap(gap, to, together);
            send(buffer, gap - base, host(copy), gap, end - gap, window, gap - start);
            copy.count(gap, end, traffic(false));
        }
    }

    /**
     * Sends bytes of host memory.
     *
     * @param offset where they go in the buffer
     * @param place where they go in the window
     */
    protected final void send(
            DeviceBuffer buffer, long offset, ByteBuffer memory, long at, long count, int window, long place) {
        if (window < 0) {
            commands.send(buffer, offset, count, memory, at);
        } else {
            commands.send(buffer, offset, count, staging.toSend(window, memory, at, place, count), place);
        }
    }

    // ---- the end of a chunk ----

    @Override
    public void pieceDone(int set) {
        staging.copyBack(set);
    }

    @Override
    public void done() {
        if (!argument().written()) {
            learn(false, false, false);
        }
    }

    @Override
    public void commit() {
        Argument.Buffer b = argument();
        boolean staged = isStaged(); // until it is committed
        if (staged) {
            b.eachWritten(firstUnit, units, b.buffer().directory()::hostWrites);
        }
        super.commit();
        if (b.written()) {
            learn(true, staged, false);
        }
    }

    @Override
    public void takeBack() {
        if (argument().written()) {
            learn(true, false, true);
        }
    }

    /**
     * Tells what the copies of the chunk's part hold now, and where it wrote.
     *
     * @param staged whether what was written went through a memory of the chunk's own on the host
     * @param spoilt whether it was written to no purpose
     */
    protected abstract void learn(boolean written, boolean staged, boolean spoilt);

    @Override
    public void release() {
        super.release();
        lane.copies().unpin(pins);
        staging.forget();
        throughPinned = false;
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
