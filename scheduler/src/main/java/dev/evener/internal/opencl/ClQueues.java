package dev.evener.internal.opencl;

import java.util.List;
import org.jocl.cl_command_queue;
import org.jocl.cl_context;
import org.jocl.cl_device_id;

/**
 * A lane's in-order queues: one for kernels and, on a device that transfers while it computes, one for each direction of
 * transfers; else all three are the same. Belongs to one lane's thread.
 */
final class ClQueues {
    private final cl_command_queue upload;
    private final cl_command_queue kernels;
    private final cl_command_queue download;

    private final boolean overlap;

    private ClQueues(cl_command_queue upload, cl_command_queue kernels, cl_command_queue download, boolean overlap) {
        this.upload = upload;
        this.kernels = kernels;
        this.download = download;
        this.overlap = overlap;
    }

    /** One for everything. */
    static ClQueues one(cl_command_queue queue) {
        return new ClQueues(queue, queue, queue, false);
    }

    /** A queue that there is, for kernels, and one more for each direction of transfers. */
    static ClQueues three(cl_command_queue kernels, cl_context context, cl_device_id device) {
        cl_command_queue upload = Cl.createQueue(context, device);
        try {
            return new ClQueues(upload, kernels, Cl.createQueue(context, device), true);
        } catch (ClFailure e) {
            Cl.release(upload);
            throw e;
        }
    }

    cl_command_queue upload() {
        return upload;
    }

    cl_command_queue kernels() {
        return kernels;
    }

    cl_command_queue download() {
        return download;
    }

    /** Whether transfers have queues of their own. */
    boolean overlap() {
        return overlap;
    }

    /** Each of them once. */
    List<cl_command_queue> all() {
        return overlap ? List.of(upload, kernels, download) : List.of(kernels);
    }

    /**
     * Waits until all are empty, whatever state their commands end in. In this order, as kernels wait for what is sent, and
     * what is fetched waits for kernels: what is waited for has been flushed then.
     */
    void drain() {
        all().forEach(Cl::drain);
    }

    void release() {
        all().forEach(Cl::release);
    }
}
