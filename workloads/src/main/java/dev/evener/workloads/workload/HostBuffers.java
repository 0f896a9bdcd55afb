package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Buffers that are released together. Not thread-safe. */
final class HostBuffers implements AutoCloseable {
    /** Of workloads whose jobs only read their inputs. */
    static final Parameter<Boolean> RESIDENT =
            Parameter.flag("resident", "whether inputs stay on devices with memory of their own from job to job");

    /** What one buffer can hold, in 4-byte elements: 2 GiB less the pages that alignment takes. */
    static final long MOST_WORDS = (Integer.MAX_VALUE - 8192L) / 4;

    /** Bytes of a buffer that jobs only slice: what a machine may have as memory, rather than what an index can count. */
    private static final long MOST_SLICED = 1L << 40;

    /** What a buffer can hold of a type if jobs do nothing but slice it. */
    static long mostSliced(ElementType type) {
        return MOST_SLICED / type.bytes();
    }

    /** What a buffer in one piece can hold of a type. */
    static long most(ElementType type) {
        return MOST_WORDS * Integer.BYTES / type.bytes();
    }

    private static final int PAGE = 4096;

    private final Evener evener;
    private final List<HostBuffer> buffers = new ArrayList<>();

    private HostBuffers(Evener evener) {
        this.evener = evener;
    }

    /** What {@code maker} makes of new buffers, which it must own from then on; if it fails, they are released. */
    static <T> T ownedBy(Evener evener, Function<HostBuffers, T> maker) {
        HostBuffers buffers = new HostBuffers(evener);
        try {
            return maker.apply(buffers);
        } catch (RuntimeException | Error e) {
            buffers.close();
            throw e;
        }
    }

    HostBuffer allocate(ElementType type, long elements) {
        HostBuffer buffer = evener.allocate(type, elements);
        buffers.add(buffer);
        return buffer;
    }

    /** The data for an input, of so many elements. */
    HostBuffer input(Request request, int index, long elements) {
        ElementType type =
                request.workload().inputs(request.values()).get(index).type();
        HostBuffer buffer = allocate(type, elements);
        request.fill(index, buffer);
        boolean resident = request.workload().parameters().contains(RESIDENT) && request.get(RESIDENT);
        return resident ? buffer.keepOnDevices() : buffer;
    }

    /** A buffer over memory of the application's. */
    HostBuffer wrap(ElementType type, long elements) {
        int bytes = Math.toIntExact(elements * type.bytes());
        HostBuffer buffer = evener.wrap(
                type,
                ByteBuffer.allocateDirect(bytes + 2 * PAGE)
                        .alignedSlice(PAGE)
                        .limit(bytes)
                        .order(ByteOrder.nativeOrder()));
        buffers.add(buffer);
        return buffer;
    }

    /** A buffer that the caller releases. */
    HostBuffer temporary(ElementType type, long elements) {
        return evener.allocate(type, elements);
    }

    @Override
    public void close() {
        buffers.forEach(HostBuffer::close);
        buffers.clear();
    }
}
