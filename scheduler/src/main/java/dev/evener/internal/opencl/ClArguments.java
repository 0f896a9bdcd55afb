package dev.evener.internal.opencl;

import dev.evener.Reduction;
import dev.evener.internal.JobSpec;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jocl.Pointer;
import org.jocl.Sizeof;
import org.jocl.cl_kernel;
import org.jocl.cl_mem;
import org.jspecify.annotations.Nullable;

/**
 * Finds the memory that kernels see as their arguments, for one chunk at a time; a lane has two, for as many chunks under way.
 * Arguments are numbered through the phase. Belongs to one lane's thread. {@link #release} after each chunk frees what only that
 * chunk needed; {@link #close} frees the rest, but for what the lane keeps for both.
 */
abstract class ClArguments {
    private final ByteBuffer scalar = ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());
    private final Pointer scalarPointer = Pointer.to(scalar);

    private final Temporaries temporaries;

    private @Nullable JobSpec job;
    private boolean fenced;
    long bytesIn;
    long bytesOut;

    /** @param temporaries the lane's */
    ClArguments(Temporaries temporaries) {
        this.temporaries = temporaries;
    }

    /** Begins a chunk. */
    final void begin(JobSpec chunksJob, boolean fencedChunk) {
        job = chunksJob;
        fenced = fencedChunk;
    }

    /** The present chunk's job. */
    final JobSpec job() {
        JobSpec present = job;
        if (present == null) {
            throw new IllegalStateException("no chunk was begun");
        }
        return present;
    }

    /** Ends a chunk: its job, and with it the job's buffers, are let go. */
    final void end() {
        job = null;
        release();
    }

    /**
     * Looks up what there is of a buffer on the device, for the whole chunk; before {@link #cut}.
     *
     * @param origin first byte that the chunk sees or writes
     * @param bytes how many
     */
    void find(int index, JobSpec.Argument.Buffer argument, long origin, long bytes) {}

    /** The most units of a piece in which the chunk is best run: all of them if it should not be cut, and no seam does. */
    int cut(JobSpec.Phase phase, long firstUnit, long units) {
        return Math.toIntExact(units);
    }

    /**
     * Makes room for a buffer in all pieces, after {@link #cut}: once something runs, memory must not be wanting.
     *
     * @param most bytes of it that a piece sees or writes at most
     */
    void reserve(int index, JobSpec.Argument.Buffer argument, long most) {}

    /** Whether what all chunks of the phase see is to be sent with this one; after {@link #reserve}. */
    boolean isIncomplete() {
        return false;
    }

    /** Whether the next piece would have to wait for one that is under way. */
    boolean isFull() {
        return false;
    }

    /** Begins the next piece of the chunk, when there is room for it. */
    void nextPiece() {}

    /** A kernel of the present piece was enqueued. */
    void passed(JobSpec.Phase phase, JobSpec.Pass pass) {}

    /** Ends the present piece: all its commands were enqueued. */
    void endPiece() {}

    /** Whether what the chunk writes must stay in the lane's own memory until {@link #commit}. */
    final boolean fenced() {
        return fenced;
    }

    /** The device has done all of the chunk. */
    void done() {}

    /** The chunk counts: what it wrote is, or now becomes, the content of the job's buffers. */
    abstract void commit();

    /** Frees what no chunk needs at present; false if there was nothing. Not during a chunk. */
    boolean dropUnused() {
        return temporaries.drop();
    }

    /** The device failed: what it holds is in doubt. */
    void distrust() {}

    /** Bytes {@code [origin, origin + bytes)} of a buffer. */
    abstract cl_mem slice(int index, JobSpec.Argument.Buffer argument, long origin, long bytes);

    /**
     * Where in the buffer, in bytes, the view begins through which a kernel sees a slice with a halo.
     *
     * @param origin of what it must see
     */
    abstract long viewOrigin(int index, long origin);

    /** A view of the buffer, for reading, that begins at {@link #viewOrigin} and holds these bytes. */
    abstract cl_mem halo(int index, JobSpec.Argument.Buffer argument, long origin, long bytes);

    /** All of a buffer, for reading. */
    abstract cl_mem whole(int index, JobSpec.Argument.Buffer argument);

    /** A partial filled with the operation's identity. */
    abstract cl_mem reduce(int index, JobSpec.Argument.Buffer argument, Reduction operation);

    /**
     * Memory of the chunk's own, of undefined content.
     *
     * @param number which of the phase's temporaries, from 0
     */
    cl_mem temporary(int number, long bytes) {
        return temporaries.get(number, bytes);
    }

    /**
     * Enqueues what must come back after the kernels of the present piece.
     *
     * @param last whether this is the chunk's last piece
     */
    abstract void fetch(boolean last);

    /** The host's view of a partial once the chunk is done. */
    abstract ByteBuffer partial(int index);

    /** Sent to the device for the chunk. */
    final long bytesIn() {
        return bytesIn;
    }

    /** Fetched from it. */
    final long bytesOut() {
        return bytesOut;
    }

    /** Frees what only the last chunk needed. */
    abstract void release();

    void close() {
        release();
    }

    /** Binds a scalar; the runtime copies it during the call. */
    final void scalar(cl_kernel kernel, int index, Number value) {
        if (value instanceof Integer i) {
            scalar(kernel, index, i.intValue());
        } else if (value instanceof Float f) {
            scalar.putFloat(0, f);
            Cl.setArg(kernel, index, Float.BYTES, scalarPointer);
        } else if (value instanceof Double d) {
            scalar.putDouble(0, d);
            Cl.setArg(kernel, index, Double.BYTES, scalarPointer);
        } else {
            scalar(kernel, index, value.longValue());
        }
    }

    final void scalar(cl_kernel kernel, int index, int value) {
        scalar.putInt(0, value);
        Cl.setArg(kernel, index, Integer.BYTES, scalarPointer);
    }

    final void scalar(cl_kernel kernel, int index, long value) {
        scalar.putLong(0, value);
        Cl.setArg(kernel, index, Long.BYTES, scalarPointer);
    }

    static void buffer(cl_kernel kernel, int index, cl_mem mem) {
        Cl.setArg(kernel, index, Sizeof.cl_mem, Pointer.to(mem));
    }
}
