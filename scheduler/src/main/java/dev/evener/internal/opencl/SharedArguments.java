package dev.evener.internal.opencl;

import dev.evener.Reduction;
import dev.evener.internal.JobSpec;
import dev.evener.internal.ManagedBuffer;
import dev.evener.internal.Pages;
import dev.evener.internal.fold.Merge;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jocl.cl_mem;
import org.jspecify.annotations.Nullable;

/**
 * Arguments on a device that shares host memory: parts of the host's own memory, nothing is moved. A part that the context
 * refuses goes through memory of the lane's own, as in a fenced chunk.
 */
final class SharedArguments extends ClArguments {
    private final ClGroup group;
    private final ClDevice device;
    private final List<cl_mem> parts = new ArrayList<>();
    private final List<@Nullable Own> owned = new ArrayList<>();
    private final List<Staged> staged = new ArrayList<>();
    private final int[] status = new int[1];

    /** The lane's own memory for an argument position: a partial result, what a fenced chunk writes, or a part in its place. */
    private record Own(ByteBuffer memory, cl_mem mem) {}

    /** Where results that are not in place go once the chunk is committed. */
    private record Staged(ByteBuffer from, ByteBuffer to) {}

    SharedArguments(ClGroup group, ClDevice device, Temporaries temporaries) {
        super(temporaries);
        this.group = group;
        this.device = device;
    }

    @Override
    cl_mem slice(int index, JobSpec.Argument.Buffer argument, long origin, long bytes) {
        ManagedBuffer host = argument.buffer();
        if (fenced() && argument.written()) {
            return stage(index, argument, origin, bytes);
        }
        int segment = (int) (origin / host.segmentBytes());
        long within = origin % host.segmentBytes();
        if (within == 0 && bytes == Math.min(host.segmentBytes(), host.byteSize() - origin)) {
            return group.inPlace(host, segment, device);
        }
        cl_mem part = group.part(host, segment, device, within, bytes, status);
        if (part == null) {
            return stage(index, argument, origin, bytes);
        }
        parts.add(part);
        return part;
    }

    /** The view is the whole buffer: a sub-buffer would have to begin on an aligned unit. */
    @Override
    long viewOrigin(int index, long origin) {
        return 0;
    }

    @Override
    cl_mem halo(int index, JobSpec.Argument.Buffer argument, long origin, long bytes) {
        return whole(index, argument);
    }

    @Override
    cl_mem whole(int index, JobSpec.Argument.Buffer argument) {
        return group.inPlace(argument.buffer(), 0, device);
    }

    @Override
    cl_mem reduce(int index, JobSpec.Argument.Buffer argument, Reduction operation) {
        ManagedBuffer host = argument.buffer();
        int bytes = (int) host.byteSize();
        Own partial = own(index, bytes);
        Merge.fillIdentity(partial.memory(), host.type(), operation);
        return partial.mem();
    }

    private cl_mem stage(int index, JobSpec.Argument.Buffer argument, long origin, long bytes) {
        Own own = own(index, (int) bytes);
        ByteBuffer host = argument.buffer().part(origin, (int) bytes);
        if (argument.read()) {
            own.memory().put(0, host, 0, (int) bytes);
        }
        if (argument.written()) {
            staged.add(new Staged(own.memory(), host));
        }
        return own.mem();
    }

    private Own own(int index, int bytes) {
        while (owned.size() <= index) {
            owned.add(null);
        }
        Own own = owned.get(index);
        if (own == null || own.memory().capacity() < bytes) {
            if (own != null) {
                owned.set(index, null);
                Cl.release(own.mem());
            }
            own = allocate(bytes);
            owned.set(index, own);
        }
        own.memory().limit(bytes);
        return own;
    }

    private Own allocate(int bytes) {
        ByteBuffer memory = Pages.allocate(bytes);
        return new Own(memory, group.over(memory, 0, Pages.padded(bytes)));
    }

    @Override
    void commit() {
        for (Staged each : staged) {
            each.to().put(0, each.from(), 0, each.to().capacity());
        }
        staged.clear();
    }

    @Override
    void fetch(boolean last) {}

    @Override
    ByteBuffer partial(int index) {
        Own partial = owned.get(index);
        if (partial == null) {
            throw new IllegalStateException("argument " + index + " is no reduction");
        }
        return partial.memory();
    }

    @Override
    void release() {
        parts.forEach(Cl::release);
        parts.clear();
        staged.clear();
    }

    @Override
    void close() {
        super.close();
        for (Own own : owned) {
            if (own != null) {
                Cl.release(own.mem());
            }
        }
        owned.clear();
    }
}
