package dev.evener.internal.cl;

import dev.evener.EvenerException;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.NativeLedger.Kind;
import dev.evener.internal.HostMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jocl.CL;
import org.jocl.Pointer;
import org.jocl.cl_command_queue;
import org.jocl.cl_event;
import org.jspecify.annotations.Nullable;

/** An in-order queue of one device. Any thread, one at a time. */
public final class ClQueue {
    private static final int TRIAL_BYTES = 4 << 20;

    final cl_command_queue handle;
    private final ClContext context;
    private final ClDevice device;
    private final boolean pageLocking;

    @SuppressWarnings("deprecation") // the call that every platform from 1.1 on has
    ClQueue(ClContext context, ClDevice device, boolean pageLocking) {
        this.context = context;
        this.device = device;
        this.pageLocking = pageLocking;
        long properties = pageLocking ? 0 : CL.CL_QUEUE_PROFILING_ENABLE;
        this.handle = Cl.make(
                "creating a command queue",
                status -> CL.clCreateCommandQueue(context.handle, device.handle(), properties, status));
        if (pageLocking) {
            NativeLedger.pageLocked(1);
        } else {
            NativeLedger.made(Kind.QUEUE);
        }
    }

    /** Whether a transfer has to end before the next command is enqueued. */
    boolean blocks() {
        return device.needsBlockingTransfers();
    }

    /** Waits until it is empty, whatever state its commands end in. */
    public void drain() {
        Cl.succeeds(() -> CL.clFinish(handle));
    }

    /** Frees it. */
    public void release() {
        if (pageLocking) {
            NativeLedger.pageLocked(-1);
        } else {
            NativeLedger.freed(Kind.QUEUE);
        }
        Cl.succeeds(() -> CL.clReleaseCommandQueue(handle));
    }

    /** Maps all of a buffer for reading, and for writing too if asked for, and waits for that. */
    public ByteBuffer map(DeviceBuffer buffer, boolean write, long bytes) {
        long flags = CL.CL_MAP_READ | (write ? CL.CL_MAP_WRITE : 0);
        ByteBuffer mapped = Cl.make(
                "mapping " + bytes + " bytes",
                status -> CL.clEnqueueMapBuffer(handle, buffer.handle, true, flags, 0, bytes, 0, null, null, status));
        return mapped.order(ByteOrder.nativeOrder());
    }

    /** Ends one mapping, at the next {@link #drain}. */
    public void unmap(DeviceBuffer buffer, ByteBuffer mapped) {
        Cl.succeeds(() -> CL.clEnqueueUnmapMemObject(handle, buffer.handle, mapped, 0, null, null));
    }

    /** Copies between buffers and waits; whether the command had ended when the call that enqueued it returned. */
    public boolean copy(DeviceBuffer from, DeviceBuffer to, long bytes) {
        cl_event event = new cl_event();
        int[] status = new int[1];
        Cl.check(
                "copying " + bytes + " bytes",
                () -> CL.clEnqueueCopyBuffer(handle, from.handle, to.handle, 0, 0, bytes, 0, null, event));
        Cl.check(
                "asking for a command's status",
                () -> CL.clGetEventInfo(
                        event, CL.CL_EVENT_COMMAND_EXECUTION_STATUS, Integer.BYTES, Pointer.to(status), null));
        Cl.check("waiting", () -> CL.clFinish(handle));
        Cl.check("releasing an event", () -> CL.clReleaseEvent(event));
        return status[0] == CL.CL_COMPLETE;
    }

    /**
     * Whether the driver runs commands inside the enqueue call, in the calling thread: a copy of some size is then over when the
     * call returns, without a flush. It may be over by chance too, where this thread was held up meanwhile; hardly three times.
     */
    public boolean runsInEnqueue() {
        DeviceBuffer from = null;
        DeviceBuffer to = null;
        try {
            from = context.allocate(TRIAL_BYTES);
            to = context.allocate(TRIAL_BYTES);
            boolean over = true;
            for (int trial = 0; trial < 3 && over; trial++) {
                over = copy(from, to, TRIAL_BYTES);
            }
            return over;
        } catch (ClFailure e) {
            return false;
        } finally {
            release(from);
            release(to);
        }
    }

    private static void release(@Nullable DeviceBuffer buffer) {
        if (buffer != null) {
            buffer.release();
        }
    }

    /** Has the device find a place for memory that nothing uses yet: writes to its first byte, and waits until that is done. */
    public void touch(DeviceBuffer buffer) {
        ClCommands commands = new ClCommands(new ClQueues(this));
        try {
            commands.send(buffer, 0, 1, ByteBuffer.allocateDirect(1), 0);
            commands.flush();
            commands.await();
        } finally {
            commands.release();
        }
    }

    /**
     * Tries the queue out: what is sent must come back.
     *
     * @throws EvenerException if it does not
     */
    public void probe() {
        ByteBuffer from = HostMemory.allocate(HostMemory.PAGE);
        ByteBuffer to = HostMemory.allocate(HostMemory.PAGE);
        for (int i = 0; i < HostMemory.PAGE; i += Integer.BYTES) {
            from.putInt(i, 31 * i + 7);
        }
        DeviceBuffer buffer = context.allocate(HostMemory.PAGE);
        ClCommands commands = new ClCommands(new ClQueues(this));
        try {
            commands.send(buffer, 0, HostMemory.PAGE, from, 0);
            commands.fetch(buffer, 0, HostMemory.PAGE, to, 0);
            commands.flush();
            commands.await();
        } finally {
            drain();
            commands.release();
            buffer.release();
        }
        if (!from.equals(to)) {
            throw new EvenerException("what was sent to the device did not come back");
        }
    }
}
