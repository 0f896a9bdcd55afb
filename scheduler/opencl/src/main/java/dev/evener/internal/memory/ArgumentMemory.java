package dev.evener.internal.memory;

import dev.evener.internal.HostMemory;
import dev.evener.internal.cl.DeviceBuffer;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where the chunk under way has one of its buffers: one object for each argument of a phase, used again for later
 * chunks. A chunk finds what there is of the buffer on the device, reserves memory for all of its pieces, has each
 * piece placed and fetched, and lets go when it has ended. Belongs to one lane's thread.
 *
 * <p><b>What a buffer becomes.</b> On a device that shares host memory a slice is a sub-buffer of that, a slice with a
 * halo and all that units see whole the wrapped buffer; on another what its copy lacks is sent, and what is written
 * stays there or is fetched. A reduction of integers is a partial of the lane's own, filled with the identity before
 * each chunk and folded after it, so that a lost chunk leaves no trace; floats and appended results are slices of
 * hidden host memory. In the job's view a device that shares host memory has an object over the whole buffer, one for
 * each lane that writes, and another a copy of full length of which the declared pieces move. In a context with a
 * discrete device each chunk gets buffers over its parts alone, since PoCL's CUDA driver refuses sub-buffers of host
 * memory.
 *
 * <p><b>Budget.</b> Three quarters of a device's memory, at most half of it for copies and a quarter for one chunk's
 * slices. When an allocation fails all the same, copies are dropped; then the chunk comes back smaller. A chunk that
 * moves 32 MiB or more is cut into pieces that follow one another through three in-order queues, for upload, kernels
 * and download; all memory is found before the first is enqueued. What is page-locked was mapped once and is pooled,
 * small blocks as parts of larger ones; what is not goes through locked blocks. Everything native is owned by a lane,
 * a context or a buffer, released in OpenCL's order, and counted.
 */
public abstract class ArgumentMemory {
    protected final int index;
    private Argument.@Nullable Buffer argument;

    /** The chunk's part of the buffer, in bytes; memory of the chunk's own holds that. */
    protected long origin;

    /** Its units. */
    protected long firstUnit;

    protected long units;

    protected long bytes;

    /** Host memory in which a chunk has a partial result, or what it writes while that must not reach the job's buffer. */
    private @Nullable ByteBuffer own;

    /** Whether that is to be copied to the job's buffer once the chunk counts. */
    private boolean staged;

    /** @param index number of the argument in its phase */
    protected ArgumentMemory(int index) {
        this.index = index;
    }

    /** Number of the argument in its phase. */
    public final int index() {
        return index;
    }

    /** Where the chunk's first unit begins in the view through which a kernel sees a slice with a halo, in elements. */
    public final long viewStart(long firstUnit) {
        Argument.Buffer b = argument();
        return (b.range().from() + firstUnit * b.bytesPerUnit() - viewOrigin(b.seenFrom(firstUnit)))
                / b.buffer().type().bytes();
    }

    /**
     * Where in the buffer, in bytes, that view begins.
     *
     * @param seen the first byte that it must show
     */
    protected abstract long viewOrigin(long seen);

    // ---- a chunk ----

    /**
     * Begins a chunk: looks up what there is of the buffer on the device.
     *
     * @param fenced whether what the chunk writes must stay in the lane's own memory until {@link #commit}
     * @param onlyThere whether nothing may be brought there for it
     * @param behindOwn whether chunks of the device that are taken for done are under way, of phases before
     * @return false if something would have to be
     */
    public final boolean find(Work work, Argument.Buffer of, boolean fenced, boolean onlyThere, boolean behindOwn) {
        JobSpec.Phase phase = work.phase();
        argument = of;
        staged = false;
        firstUnit = work.firstUnit();
        units = work.units();
        origin = startsWithRange(phase) ? of.range().from() : of.seenFrom(firstUnit);
        bytes = startsWithRange(phase) ? of.range().byteSize() : of.seenBytes(firstUnit, units);
        if (onlyThere && !isThere(phase)) {
            return false;
        }
        return find(work.job(), phase, fenced, behindOwn);
    }

    /** Whether its part of the buffer begins with that, so that kernels see it from there; only what units need of it counts. */
    protected boolean startsWithRange(JobSpec.Phase phase) {
        return false;
    }

    /** The rest of {@link #find}. */
    protected abstract boolean find(JobSpec job, JobSpec.Phase phase, boolean fenced, boolean behindOwn);

    /** Bytes that the chunk moves piece by piece. */
    public long traffic() {
        return 0;
    }

    /** Whether the chunk waits for the one under way: what all chunks of the phase see is to be sent with it, or parts are to be freed. */
    public boolean isIncomplete() {
        return false;
    }

    /**
     * Makes room in all pieces: once something runs, memory must not be wanting.
     *
     * @param piece most units of a piece
     * @param sets how many pieces are under way at once
     * @param cut whether the chunk is cut for the sake of what it moves
     */
    public final void reserve(long firstUnit, long units, int piece, int sets, boolean cut) {
        Argument.Buffer b = argument();
        boolean equal = piece < units && b.layout().slices() == null;
        long most = equal ? b.bytesAlways() + piece * b.bytesPerUnit() : b.seenBytes(firstUnit, units);
        reserve(most, sets, cut);
    }

    /** The rest of {@link #reserve}: most bytes that a piece sees or writes. */
    protected void reserve(long most, int sets, boolean cut) {}

    /**
     * The memory that kernels see in a piece: of a slice its part, of one with a halo a view, of what all units see everything, of a
     * reduction a partial that was filled with the operation's identity. What is missing there is sent.
     *
     * @param set which of the pieces under way at once
     * @param first whether it is the chunk's first piece
     */
    public abstract DeviceBuffer place(long firstUnit, int units, int set, boolean first);

    /** A kernel of the present piece was enqueued: what the piece writes is no copy of anything from now on. Not before, as it may fail. */
    public void launched() {}

    /**
     * Enqueues what must come back after the kernels of the present piece.
     *
     * @param last whether this is the chunk's last piece
     */
    public void fetch(boolean last) {}

    /** Whether pieces may be run in any order, as all that the chunk sees has its place on the device, which what it writes does not leave. */
    public boolean takesAnyOrder() {
        return false;
    }

    /** They will: what is missing is sent with the first. */
    public void anyOrder() {}

    /** Enqueues a copy to the host of what the present piece writes, for other devices. */
    public void fetchEdge() {}

    /** What was to be copied for them is on the host. The chunk was committed. */
    public void edgesFetched() {}

    /** The device is done with the piece that had a set. */
    public void pieceDone(int set) {}

    /** The device has done all of the chunk. */
    public void done() {}

    /** The chunk counts: what it wrote is, or now becomes, the content of the job's buffer. */
    public void commit() {
        Argument.Buffer b = argument();
        for (int p = 0; p < b.ownPieces() && staged; p++) {
            long from = b.seenFrom(p, firstUnit, units);
            int size = Math.toIntExact(b.seenTo(p, firstUnit, units) - from);
            b.buffer().part(from, size).put(0, own, Math.toIntExact(from - origin), size);
        }
        staged = false;
    }

    /** Whether all that the chunk sees is on the device, and room for what it writes. */
    protected boolean isThere(JobSpec.Phase phase) {
        return false;
    }

    /** Whether nothing moved or moves for the chunk, and what it writes stays on the device. */
    public boolean stays() {
        return false;
    }

    /** Whether what the chunk writes stays on the device, whatever moved for it. */
    public boolean keepsWritten() {
        return false;
    }

    /** What was committed is not the content of the job's buffer after all. */
    public void takeBack() {}

    /** The host's view of a partial once the chunk is done. */
    public ByteBuffer partial() {
        if (own == null) {
            throw new IllegalStateException("argument " + index + " is no reduction");
        }
        return own;
    }

    /** Ends a chunk, and frees what only that needed. */
    public void release() {
        argument = null; // through which a closed buffer's memory would stay reachable
    }

    public void close() {
        release();
    }

    /** That of the chunk under way. */
    protected final Argument.Buffer argument() {
        return Objects.requireNonNull(argument, "no chunk was begun");
    }

    // ---- memory of its own ----

    /** Host memory of at least so many bytes, limited to those. */
    protected final ByteBuffer own(int size) {
        if (own == null || own.capacity() < size) {
            own = allocate(size);
        }
        return own.limit(size);
    }

    /** What the chunk computes is there: in place of memory of that. */
    protected final void own(ByteBuffer computed) {
        own = computed;
    }

    /** Memory for that, in place of what was taken before. */
    protected ByteBuffer allocate(int size) {
        return HostMemory.allocate(size);
    }

    /** What the chunk writes goes to that memory, and to the job's buffer with {@link #commit}. */
    protected final void stage() {
        staged = true;
    }

    /** Whether {@link #stage} was called for the chunk. */
    protected final boolean isStaged() {
        return staged;
    }
}
