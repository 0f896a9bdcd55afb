package dev.evener.internal.memory;

import dev.evener.internal.PageLocked;
import dev.evener.internal.HostMemory;
import dev.evener.internal.cl.ClCommands;
import dev.evener.internal.cl.ClFailure;
import dev.evener.internal.cl.ClQueue;
import dev.evener.internal.cl.DeviceBuffer;
import dev.evener.internal.recovery.LaneFailure.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a lane keeps on its device from chunk to chunk, for both that may be under way: these may use the same memory, since one
 * in-order queue has the commands of both. Only where a chunk's pieces overlap it has a ring of its own for them. A device that
 * works on host memory in place has temporaries alone. Belongs to one lane's thread.
 */
public final class LaneMemory implements AutoCloseable {
    /** Buffers of each argument in a ring: one piece is sent, one computed and one fetched. */
    public static final int SETS = 3;

    private final ContextMemory context;
    private final ClQueue queue;
    private final MemoryBudget budget;
    private final int alignment;
    private final @Nullable PageLocked pageLocked;
    private final KeptBuffers temporaries;
    private final KeptBuffers buffers;
    private final List<KeptBuffers> rings = new ArrayList<>();
    private final Runnable idle;
    private final DeviceCopies copies;
    private final PinnedStaging.Copier copier = new PinnedStaging.Copier(HostMemory.processors());

    /**
     * @param alignment where sub-buffers may begin
     * @param pageLocked through which pieces of pageable memory go, or null to send and fetch them as they are
     * @param idle waits until the device uses none of this
     */
    public LaneMemory(
            ContextMemory context,
            ClQueue queue,
            MemoryBudget budget,
            int alignment,
            @Nullable PageLocked pageLocked,
            Runnable idle) {
        this.context = context;
        this.queue = queue;
        this.budget = budget;
        this.alignment = Math.max(1, alignment);
        this.pageLocked = pageLocked;
        this.temporaries = new KeptBuffers(1, bytes -> allocate(bytes, context::allocateForDevice), idle);
        this.buffers = newBuffers(1, idle);
        this.idle = idle;
        this.copies = new DeviceCopies(this::allocateInPlace, budget.copies(), budget.largest());
    }

    private KeptBuffers newBuffers(int sets, Runnable whenIdle) {
        return new KeptBuffers(sets, bytes -> allocate(bytes, context::allocate), whenIdle);
    }

    /** Arguments for the chunks of these commands, by their number, that are sent to the device and fetched. */
    public IntFunction<ArgumentMemory> copiedBy(ClCommands commands) {
        KeptBuffers ring = newBuffers(SETS, idle);
        rings.add(ring);
        return index -> new CopiedArgument(index, commands, this, ring);
    }

    /** The memory of temporaries, by their number in the phase: the first of every phase is the same memory. */
    public KeptBuffers temporaries() {
        return temporaries;
    }

    /** For chunks whose pieces do not overlap, by the arguments' numbers. */
    KeptBuffers buffers() {
        return buffers;
    }

    DeviceCopies copies() {
        return copies;
    }

    int alignment() {
        return alignment;
    }

    PinnedStaging newStaging() {
        return new PinnedStaging(pageLocked, copier, SETS);
    }

    /** Bytes that device copies may take beside all else. */
    long roomForCopies() {
        long rest = budget.total() - buffers.bytes() - temporaries.bytes();
        for (KeptBuffers ring : rings) {
            rest -= ring.bytes();
        }
        return rest;
    }

    /** Frees what no chunk needs at present; false if there was nothing. Not during a chunk. */
    public boolean dropUnused() {
        boolean any = temporaries.drop();
        any |= copies.drop();
        any |= dropBuffers();
        return any;
    }

    private boolean dropBuffers() {
        boolean any = buffers.drop();
        for (KeptBuffers ring : rings) {
            any |= ring.drop();
        }
        return any;
    }

    /** The device failed: what it holds is in doubt. */
    public void distrust() {
        copies.forget();
    }

    /**
     * Memory of which kernels will see parts. NVIDIA's driver finds it a place at its first use; were that the use of a part,
     * the release of each part would move all of the memory (60 ms for 800 MB on an H200).
     */
    private DeviceBuffer allocateInPlace(long bytes) {
        DeviceBuffer buffer = context.allocate(bytes);
        try {
            queue.touch(buffer);
            return buffer;
        } catch (RuntimeException e) {
            buffer.release();
            throw e;
        }
    }

    private DeviceBuffer allocate(long bytes, LongFunction<DeviceBuffer> allocator) {
        copies.shrinkTo(roomForCopies() - bytes);
        try {
            return allocator.apply(bytes);
        } catch (ClFailure e) {
            if (e.kind() != Kind.MEMORY || !copies.drop()) {
                throw e;
            }
            return allocator.apply(bytes);
        }
    }

    @Override
    public void close() {
        copies.drop();
        dropBuffers();
        temporaries.drop();
        copier.close();
    }
}
