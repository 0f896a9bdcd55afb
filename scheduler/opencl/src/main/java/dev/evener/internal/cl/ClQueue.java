package dev.evener.internal.cl;

import dev.evener.EvenerException;
import dev.evener.internal.HostMemory;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.NativeLedger.Kind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;
import org.jocl.CL;
import org.jocl.cl_command_queue;
import org.jspecify.annotations.Nullable;

/** An in-order queue of one device. Any thread, one at a time. */
public final class ClQueue implements AutoCloseable {
    final cl_command_queue handle;
    private final ClContext context;
    private final ClDevice device;
    private final Kind kind;
    private final boolean timed;
    private @Nullable ClCommands own; // those of run

    /**
     * @param kind what it is counted as
     * @param timed whether the times of its commands are known, each of which takes the longer to enqueue then: on an H100 6 to 13 µs
     */
    @SuppressWarnings("deprecation") // the call that every platform from 1.1 on has
    ClQueue(ClContext context, ClDevice device, Kind kind, boolean timed) {
        this.context = context;
        this.device = device;
        this.kind = kind;
        this.timed = timed;
        long properties = timed ? CL.CL_QUEUE_PROFILING_ENABLE : 0;
        this.handle = Cl.make(
                kind,
                "creating a command queue",
                status -> CL.clCreateCommandQueue(context.handle, device.handle(), properties, status));
    }

    /** Whether the times of its commands are known. */
    boolean isTimed() {
        return timed;
    }

    /** Whether a transfer has to end before the next command is enqueued. */
    boolean blocks() {
        return device.needsBlockingTransfers();
    }

    /** Waits until it is empty, whatever state its commands end in. */
    public void drain() {
        Cl.succeeds(() -> CL.clFinish(handle));
    }

    @Override
    public void close() {
        NativeLedger.freed(kind);
        Cl.succeeds(() -> CL.clReleaseCommandQueue(handle));
    }

    /** Maps all of a buffer for reading and writing, and waits for that. */
    public ByteBuffer map(DeviceBuffer buffer) {
        long bytes = buffer.bytes();
        long flags = CL.CL_MAP_READ | CL.CL_MAP_WRITE;
        ByteBuffer mapped = Cl.make(
                "mapping " + bytes + " bytes",
                status -> CL.clEnqueueMapBuffer(handle, buffer.handle, true, flags, 0, bytes, 0, null, null, status));
        return mapped.order(ByteOrder.nativeOrder());
    }

    /** Ends one mapping, at the next {@link #drain}. */
    public void unmap(DeviceBuffer buffer, ByteBuffer mapped) {
        Cl.succeeds(() -> CL.clEnqueueUnmapMemObject(handle, buffer.handle, mapped, 0, null, null));
    }

    /** Copies between buffers and waits. */
    public void copy(DeviceBuffer from, DeviceBuffer to, long bytes) {
        Cl.check(
                "copying " + bytes + " bytes",
                () -> CL.clEnqueueCopyBuffer(handle, from.handle, to.handle, 0, 0, bytes, 0, null, null));
        Cl.check("waiting", () -> CL.clFinish(handle));
    }

    /** Runs some commands and waits until they are done. */
    public void run(Consumer<ClCommands> enqueue) {
        if (own == null) {
            own = new ClCommands(new ClQueues(this));
        }
        own.begin(false, true);
        try {
            enqueue.accept(own);
            own.flush();
            own.await();
        } catch (RuntimeException e) {
            drain();
            throw e;
        } finally {
            own.release();
        }
    }

    /** Has the device find a place for memory that nothing uses yet: writes to its first byte, and waits until that is done. */
    public void touch(DeviceBuffer buffer) {
        run(commands -> commands.send(buffer, 0, 1, ByteBuffer.allocateDirect(1), 0));
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
        try (DeviceBuffer buffer = context.allocate(HostMemory.PAGE)) {
            run(commands -> {
                commands.send(buffer, 0, HostMemory.PAGE, from, 0);
                commands.fetch(buffer, 0, HostMemory.PAGE, to, 0);
            });
        }
        if (!from.equals(to)) {
            throw new EvenerException("what was sent to the device did not come back");
        }
    }
}
