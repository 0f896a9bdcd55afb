package dev.evener.internal.memory;

import dev.evener.internal.HostMemory;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.LogicalBuffer.DeviceMemory;
import dev.evener.internal.cl.ClContext;
import dev.evener.internal.cl.ClDevice;
import dev.evener.internal.cl.ClFailure;
import dev.evener.internal.cl.ClQueue;
import dev.evener.internal.cl.DeviceBuffer;
import dev.evener.internal.recovery.LaneFailure;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The host memory that the lanes of one context work on: buffers in place, and page-locked memory. Thread-safe. Freed, with the
 * context, when the last of its users lets go of it.
 */
public class ContextMemory {
    private static final Logger LOG = LoggerFactory.getLogger(ContextMemory.class);

    private final ClContext context;
    private int users; // guarded by this
    private @Nullable PinnedMemory pinned; // guarded by this

    /** Whether sub-buffers of host memory are refused by the context, or better not tried. */
    private volatile boolean sparesSubBuffers;

    /** Whether a buffer over a part of a segment was seen to work in place; by any of the lanes. */
    private volatile boolean takesParts;

    /** @param context closed by the last user */
    public ContextMemory(ClContext context) {
        this.context = context;
    }

    public ClContext context() {
        return context;
    }

    /** One more lane uses it. */
    public synchronized void retain() {
        users++;
    }

    /** One lane fewer. */
    public synchronized void release() {
        if (--users == 0) {
            if (pinned != null) {
                pinned.close();
            }
            context.close();
        }
    }

    /**
     * Page-locked memory for the context's devices with memory of their own.
     *
     * @param device one of them
     * @param least fewest bytes for which locking pays
     */
    public synchronized PinnedMemory pinned(ClDevice device, long least) {
        if (pinned == null) {
            pinned = new PinnedMemory(context, device, least);
        }
        return pinned;
    }

    /** Memory of a device's own. */
    protected DeviceBuffer allocate(long bytes) {
        return context.allocate(bytes);
    }

    // ---- in place ----

    /** A segment of the buffer as the context sees it, in place. Only for lanes whose device shares host memory. */
    public DeviceBuffer inPlace(LogicalBuffer buffer, int segment, ClDevice device) {
        Wrapped wrapped = (Wrapped) buffer.attachment(this, host -> wrap(host, device));
        return wrapped.segments().get(segment);
    }

    /** The buffer's one segment in place, as an object of this device's own. */
    DeviceBuffer inPlaceFor(ClDevice device, LogicalBuffer buffer) {
        return ((Wrapped) buffer.attachment(new OfDevice(this, device), host -> wrap(host, device)))
                .segments()
                .get(0);
    }

    private Wrapped wrap(LogicalBuffer host, ClDevice device) {
        List<DeviceBuffer> segments = new ArrayList<>(host.segmentCount());
        List<ByteBuffer> memory = new ArrayList<>(host.segmentCount());
        try {
            for (int i = 0; i < host.segmentCount(); i++) {
                memory.add(host.segment(i));
                segments.add(wrap(host, memory.get(i), device));
            }
            return new Wrapped(segments, memory);
        } catch (RuntimeException e) {
            segments.forEach(DeviceBuffer::close);
            throw e;
        }
    }

    private DeviceBuffer wrap(LogicalBuffer host, ByteBuffer memory, ClDevice device) {
        // Of whole pages, which the host allocates, but for memory that the application brought.
        long bytes = Math.min(HostMemory.padded(memory.limit()), memory.capacity());
        long largest = device.info().maxAllocationBytes();
        if (largest > 0 && bytes > largest) {
            // Only for a buffer of another Evener: this one's are cut to suit its devices.
            throw LaneFailure.declaration(
                    "a segment of the " + host.text() + " has " + bytes + " bytes, more than device "
                            + device.id() + " takes in one allocation (" + largest
                            + "); allocate it with the Evener that runs the job");
        }
        return over(memory, 0, bytes);
    }

    private record OfDevice(ContextMemory context, ClDevice device) {}

    /** @param memory which must not be freed before the segments are */
    private record Wrapped(List<DeviceBuffer> segments, List<ByteBuffer> memory) implements DeviceMemory {
        @Override
        public void release() {
            segments.forEach(DeviceBuffer::close);
        }
    }

    /**
     * A part of a segment in place: a sub-buffer, or a buffer over the part alone where the context is better spared sub-buffers of
     * host memory. PoCL has every device of a context find a place for the segment of such a sub-buffer, which its CUDA driver may
     * refuse; that is no failure of the device that the part is for, but leaves a segment that no command may use any more.
     *
     * @param within where the part begins
     * @return null if the context refuses that too, so that the lane has to use memory of its own
     */
    @Nullable
    DeviceBuffer part(LogicalBuffer buffer, int segment, ClDevice device, long within, long bytes) {
        if (!sparesSubBuffers) {
            try {
                return subBuffer(inPlace(buffer, segment, device), within, bytes);
            } catch (ClFailure e) {
                sparesSubBuffers = true;
                LOG.debug("the context refuses sub-buffers of host memory: {}", e.getMessage());
            }
        }
        try {
            return takesParts ? over(buffer.segment(segment), within, bytes) : null;
        } catch (ClFailure e) {
            takesParts = false;
            LOG.debug("the context refuses buffers over parts of host memory: {}", e.getMessage());
            return null;
        }
    }

    /** A sub-buffer of host memory. */
    protected DeviceBuffer subBuffer(DeviceBuffer all, long within, long bytes) {
        return all.part(within, bytes);
    }

    /** A buffer over host memory from a place on. */
    protected DeviceBuffer over(ByteBuffer memory, long from, long bytes) {
        return context.over(memory, from, bytes);
    }

    /**
     * Whether a device really works on host memory in place, as a whole and in parts: what the host writes after a buffer was made
     * must be what the device reads, and what the device writes must be what the host reads, with no map or transfer in between.
     * Tried out, because a platform may report unified memory and keep copies all the same, or refuse some buffers. Where a device
     * with memory of its own is in the context, parts are buffers of their own if that works: it then has no part in them.
     */
    public boolean sharesHostMemory(ClDevice device, ClQueue queue) {
        if (!device.info().sharesHostMemory() || !worksInPlace(queue, 0, false)) {
            return false;
        }
        int at = Math.max(device.info().alignmentBytes(), HostMemory.PAGE);
        takesParts = worksInPlace(queue, at, false);
        boolean joinsDiscrete =
                context.devices().stream().anyMatch(d -> !d.info().sharesHostMemory());
        sparesSubBuffers |= (joinsDiscrete && takesParts) || !worksInPlace(queue, at, true);
        return takesParts || !sparesSubBuffers;
    }

    /** Has the device copy from one page of host memory to another, both at this place of their memory, perhaps as sub-buffers. */
    private boolean worksInPlace(ClQueue queue, int at, boolean inSubBuffers) {
        Deque<DeviceBuffer> made = new ArrayDeque<>(); // the last one first
        ByteBuffer from = HostMemory.allocate(at + HostMemory.PAGE);
        ByteBuffer to = HostMemory.allocate(at + HostMemory.PAGE);
        try {
            DeviceBuffer source = page(from, at, inSubBuffers, made);
            DeviceBuffer target = page(to, at, inSubBuffers, made);
            for (int round = 1; round <= 2; round++) { // twice: a copy made at first use would pass once
                for (int i = 0; i < HostMemory.PAGE; i += Integer.BYTES) {
                    from.putInt(at + i, round * 1_000_003 + i);
                }
                queue.copy(source, target, HostMemory.PAGE);
                if (!from.equals(to)) {
                    return false;
                }
            }
            return true;
        } catch (ClFailure e) {
            return false;
        } finally {
            made.forEach(DeviceBuffer::close);
        }
    }

    private DeviceBuffer page(ByteBuffer memory, int at, boolean inSubBuffer, Deque<DeviceBuffer> made) {
        made.push(inSubBuffer ? over(memory, 0, at + HostMemory.PAGE) : over(memory, at, HostMemory.PAGE));
        if (inSubBuffer) {
            made.push(subBuffer(made.peek(), at, HostMemory.PAGE));
        }
        return made.peek();
    }
}
