package dev.evener.internal.memory;

import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.cl.ClDevice;
import dev.evener.internal.cl.DeviceBuffer;
import dev.evener.internal.fold.Merge;
import dev.evener.internal.job.Argument.View;
import dev.evener.internal.job.JobSpec;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A buffer on a device that shares host memory: a part of the host's own memory, nothing is moved. A part that the context
 * refuses goes through memory of the lane's own, as in a fenced chunk. Chunks are not cut into pieces.
 */
public final class InPlaceArgument extends ArgumentMemory {
    private final ContextMemory context;
    private final ClDevice device;
    private final int alignment;
    private boolean fenced;
    private boolean full; // seen from the start of the buffer
    private @Nullable DeviceBuffer part;

    private @Nullable DeviceBuffer over; // the argument's own memory

    /** @param device one of the context that shares host memory */
    public InPlaceArgument(int index, ContextMemory context, ClDevice device) {
        super(index);
        this.context = context;
        this.device = device;
        this.alignment = Math.max(
                1, Math.max(device.info().alignmentBytes(), device.info().cacheLineBytes()));
    }

    @Override
    protected boolean startsWithRange(JobSpec.Phase phase) {
        return phase.seesJob();
    }

    @Override
    protected boolean find(JobSpec job, JobSpec.Phase phase, boolean fencedChunk, boolean behindOwn) {
        fenced = fencedChunk;
        full = phase.seesJob();
        return true;
    }

    @Override
    public DeviceBuffer place(long firstUnit, int units, int set, boolean first) {
        LogicalBuffer host = argument().buffer();
        if (argument().view() == View.PARTIAL) {
            DeviceBuffer partial = overOwn();
            Merge.begin(own((int) bytes), argument());
            return partial;
        }
        if (full && argument().range().isAll() && !(fenced && argument().written())) {
            // Of what lanes write each has an object of its own: no two queues write one.
            return argument().written() ? context.inPlaceFor(this.device, host) : context.inPlace(host, 0, device);
        } else if (full) {
            return throughOwn(host);
        }
        return argument().view() == View.AROUND ? context.inPlace(host, segment(host), device) : part(host);
    }

    private int segment(LogicalBuffer host) {
        return (int) (origin / host.segmentBytes());
    }

    /** What a slice or a range begins and ends with; a range that others may work beside has a line of the cache to itself, or is copied. */
    private DeviceBuffer part(LogicalBuffer host) {
        if (fenced && argument().written()) {
            return throughOwn(host);
        }
        int segment = segment(host);
        long within = origin % host.segmentBytes();
        long end = Math.min(host.segmentBytes(), host.byteSize() - origin + within);
        if (within == 0 && bytes == end) {
            return context.inPlace(host, segment, device);
        }
        if (within % alignment != 0
                || (argument().written() && (within + bytes) % alignment != 0 && within + bytes < end)) {
            return throughOwn(host);
        }
        part = context.part(host, segment, device, within, bytes);
        return part == null ? throughOwn(host) : part;
    }

    private DeviceBuffer throughOwn(LogicalBuffer host) {
        DeviceBuffer memory = overOwn();
        for (int p = 0; p < argument().pieces() && argument().read(); p++) {
            long from = argument().seenFrom(p, firstUnit, units);
            int count = (int) (argument().seenTo(p, firstUnit, units) - from);
            own((int) bytes).put((int) (from - origin), host.part(from, count), 0, count);
        }
        if (argument().written()) {
            stage();
        }
        return memory;
    }

    private DeviceBuffer overOwn() {
        ByteBuffer memory = own((int) bytes);
        if (over == null || over.bytes() < memory.capacity()) { // it has grown
            releaseOwn();
            over = context.over(memory, 0, memory.capacity()); // whole pages
        }
        return over;
    }

    private void releaseOwn() {
        DeviceBuffer.free(over);
        over = null;
    }

    /** The view is a whole segment: a sub-buffer would have to begin on an aligned unit. */
    @Override
    protected long viewOrigin(long seen) {
        return full
                ? argument().range().from()
                : seen - seen % argument().buffer().segmentBytes();
    }

    @Override
    public void release() {
        super.release();
        DeviceBuffer.free(part);
        part = null;
    }

    @Override
    public void close() {
        super.close();
        releaseOwn();
    }
}
