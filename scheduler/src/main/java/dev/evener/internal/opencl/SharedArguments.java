package dev.evener.internal.opencl;

import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.Reduction;
import dev.evener.internal.Pages;
import dev.evener.internal.run.Merge;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jocl.CL;
import org.jocl.Pointer;
import org.jocl.cl_kernel;
import org.jocl.cl_mem;
import org.jspecify.annotations.Nullable;

/** Arguments on a device that shares host memory: sub-buffers of the host's own memory, nothing is moved. */
final class SharedArguments extends ClArguments {
    private final ClGroup group;
    private final ClDevice device;
    private final List<cl_mem> subBuffers = new ArrayList<>();
    private final List<@Nullable Partial> partials = new ArrayList<>();
    private final int[] status = new int[1];

    private record Partial(ByteBuffer memory, cl_mem mem) {}

    SharedArguments(ClGroup group, ClDevice device) {
        this.group = group;
        this.device = device;
    }

    @Override
    void slice(cl_kernel kernel, int index, Job.Argument.Buffer argument, long origin, long bytes) {
        HostBuffer host = argument.buffer();
        int segment = (int) (origin / host.segmentBytes());
        long within = origin % host.segmentBytes();
        cl_mem all = group.inPlace(host, segment, device);
        if (within == 0 && bytes == Math.min(host.segmentBytes(), host.byteSize() - origin)) {
            buffer(kernel, index, all);
            return;
        }
        cl_mem part = Cl.createSubBuffer(all, within, bytes, status);
        subBuffers.add(part);
        buffer(kernel, index, part);
    }

    /** The view is the whole buffer: a sub-buffer would have to begin on an aligned unit. */
    @Override
    long viewOrigin(long origin) {
        return 0;
    }

    @Override
    void halo(cl_kernel kernel, int index, Job.Argument.Buffer argument, long origin, long bytes) {
        whole(kernel, index, argument);
    }

    @Override
    void whole(cl_kernel kernel, int index, Job.Argument.Buffer argument) {
        buffer(kernel, index, group.inPlace(argument.buffer(), 0, device));
    }

    @Override
    void reduce(cl_kernel kernel, int index, Job.Argument.Buffer argument, Reduction operation) {
        HostBuffer host = argument.buffer();
        int bytes = (int) host.byteSize();
        while (partials.size() <= index) {
            partials.add(null);
        }
        Partial partial = partials.get(index);
        if (partial == null || partial.memory().capacity() < bytes) {
            if (partial != null) {
                partials.set(index, null);
                Cl.release(partial.mem());
            }
            partial = allocate(bytes);
            partials.set(index, partial);
        }
        partial.memory().limit(bytes);
        Merge.fillIdentity(partial.memory(), host.type(), operation);
        buffer(kernel, index, partial.mem());
    }

    private Partial allocate(int bytes) {
        ByteBuffer memory = Pages.allocate(bytes);
        return new Partial(
                memory,
                Cl.createBuffer(
                        group.context(),
                        CL.CL_MEM_READ_WRITE | CL.CL_MEM_USE_HOST_PTR,
                        Pages.padded(bytes),
                        Pointer.to(memory)));
    }

    @Override
    void fetch() {}

    @Override
    ByteBuffer partial(int index) {
        Partial partial = partials.get(index);
        if (partial == null) {
            throw new IllegalStateException("argument " + index + " is no reduction");
        }
        return partial.memory();
    }

    @Override
    long bytesIn() {
        return 0;
    }

    @Override
    long bytesOut() {
        return 0;
    }

    @Override
    void release() {
        subBuffers.forEach(Cl::release);
        subBuffers.clear();
    }

    @Override
    void close() {
        release();
        for (Partial partial : partials) {
            if (partial != null) {
                Cl.release(partial.mem());
            }
        }
        partials.clear();
    }
}
