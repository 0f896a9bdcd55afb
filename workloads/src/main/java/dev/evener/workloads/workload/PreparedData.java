package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.HostBuffer;

/** What prepared workloads have in common: they know what was asked for, and own buffers. Not thread-safe. */
abstract class PreparedData implements PreparedWorkload {
    private final HostBuffers buffers;
    private final Request request;

    PreparedData(HostBuffers buffers, Request request) {
        this.buffers = buffers;
        this.request = request;
    }

    final Request request() {
        return request;
    }

    /** Where a primitive's buffers come from, so that they are released with the others. */
    final HostBuffers buffers() {
        return buffers;
    }

    final HostBuffer allocate(ElementType type, long elements) {
        return buffers.allocate(type, elements);
    }

    /** The input of this number, filled. */
    final HostBuffer input(int index, long elements) {
        return buffers.input(request, index, elements);
    }

    @Override
    public void close() {
        buffers.close();
    }
}
