package dev.evener.internal.opencl;

import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.Reduction;
import dev.evener.internal.run.Merge;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jocl.CL;
import org.jocl.Pointer;
import org.jocl.cl_kernel;
import org.jocl.cl_mem;
import org.jspecify.annotations.Nullable;

/**
 * Arguments on a device with memory of its own: a chunk buffer for each argument position, kept and grown, filled before
 * the kernel and fetched after it.
 */
final class CopiedArguments extends ClArguments {
    private final ClGroup group;
    private final ClCommands commands;
    private final List<Slot> slots = new ArrayList<>();
    private final List<Fetch> fetches = new ArrayList<>();
    private final List<Staged> staged = new ArrayList<>();
    private long bytesIn;
    private long bytesOut;

    /** What stands at one argument position. */
    private static final class Slot {
        @Nullable
        cl_mem mem;

        long capacity;

        @Nullable
        ByteBuffer partial;

        @Nullable
        ByteBuffer staging;
    }

    private record Fetch(cl_mem mem, long bytes, Pointer target) {}

    /** Where a fenced chunk's results go once it is committed. */
    private record Staged(ByteBuffer from, ByteBuffer to) {}

    CopiedArguments(ClGroup group, ClCommands commands) {
        this.group = group;
        this.commands = commands;
    }

    @Override
    void slice(cl_kernel kernel, int index, Job.Argument.Buffer argument, long origin, long bytes) {
        cl_mem mem = ensure(index, bytes);
        HostBuffer buffer = argument.buffer();
        Pointer host = Pointer.to(buffer.segment((int) (origin / buffer.segmentBytes())))
                .withByteOffset(origin % buffer.segmentBytes());
        if (argument.read()) {
            send(mem, bytes, host);
        }
        if (argument.written()) {
            Pointer target = fenced() ? stage(index, argument.buffer().bytes(origin, (int) bytes)) : host;
            fetches.add(new Fetch(mem, bytes, target));
        }
        buffer(kernel, index, mem);
    }

    private Pointer stage(int index, ByteBuffer target) {
        Slot slot = slots.get(index);
        ByteBuffer staging = slot.staging;
        if (staging == null || staging.capacity() < target.capacity()) {
            staging = ByteBuffer.allocateDirect(target.capacity());
            slot.staging = staging;
        }
        staged.add(new Staged(staging, target));
        return Pointer.to(staging);
    }

    @Override
    void commit() {
        for (Staged each : staged) {
            each.to().put(0, each.from(), 0, each.to().capacity());
        }
        staged.clear();
    }

    @Override
    long viewOrigin(long origin) {
        return origin;
    }

    @Override
    void halo(cl_kernel kernel, int index, Job.Argument.Buffer argument, long origin, long bytes) {
        slice(kernel, index, argument, origin, bytes);
    }

    @Override
    void whole(cl_kernel kernel, int index, Job.Argument.Buffer argument) {
        long bytes = argument.buffer().byteSize();
        cl_mem mem = ensure(index, bytes);
        if (bytes > 0) {
            send(mem, bytes, Pointer.to(argument.buffer().segment(0)));
        }
        buffer(kernel, index, mem);
    }

    @Override
    void reduce(cl_kernel kernel, int index, Job.Argument.Buffer argument, Reduction operation) {
        int bytes = (int) argument.buffer().byteSize();
        cl_mem mem = ensure(index, bytes);
        Slot slot = slots.get(index);
        ByteBuffer partial = slot.partial;
        if (partial == null || partial.capacity() < bytes) {
            partial = ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
            slot.partial = partial;
        }
        partial.limit(bytes);
        Merge.fillIdentity(partial, argument.buffer().type(), operation);
        if (bytes > 0) {
            Pointer host = Pointer.to(partial);
            send(mem, bytes, host);
            fetches.add(new Fetch(mem, bytes, host));
        }
        buffer(kernel, index, mem);
    }

    @Override
    void fetch() {
        for (Fetch fetch : fetches) {
            commands.fetch(fetch.mem(), fetch.bytes(), fetch.target());
            bytesOut += fetch.bytes();
        }
    }

    @Override
    ByteBuffer partial(int index) {
        ByteBuffer partial = slots.get(index).partial;
        if (partial == null) {
            throw new IllegalStateException("argument " + index + " is no reduction");
        }
        return partial;
    }

    @Override
    long bytesIn() {
        return bytesIn;
    }

    @Override
    long bytesOut() {
        return bytesOut;
    }

    @Override
    void release() {
        fetches.clear();
        staged.clear();
        bytesIn = 0;
        bytesOut = 0;
    }

    @Override
    void close() {
        release();
        for (Slot slot : slots) {
            if (slot.mem != null) {
                Cl.release(slot.mem);
            }
        }
        slots.clear();
    }

    private void send(cl_mem mem, long bytes, Pointer host) {
        commands.send(mem, bytes, host);
        bytesIn += bytes;
    }

    private cl_mem ensure(int index, long bytes) {
        while (slots.size() <= index) {
            slots.add(new Slot());
        }
        Slot slot = slots.get(index);
        cl_mem mem = slot.mem;
        if (mem == null || slot.capacity < bytes) {
            if (mem != null) {
                slot.mem = null;
                Cl.release(mem);
            }
            mem = Cl.createBuffer(group.context(), CL.CL_MEM_READ_WRITE, Math.max(1, bytes), null);
            slot.mem = mem;
            slot.capacity = bytes;
        }
        return mem;
    }
}
