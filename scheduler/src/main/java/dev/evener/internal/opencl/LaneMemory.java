package dev.evener.internal.opencl;

import dev.evener.internal.recovery.LaneFailure.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.jocl.cl_mem;

/**
 * What a lane keeps on a device with memory of its own, from chunk to chunk and for both that may be under way: these may use
 * the same memory, since one in-order queue has the commands of both. Only where a chunk's pieces overlap it has a ring of its own
 * for them. Belongs to one lane's thread.
 */
final class LaneMemory implements AutoCloseable {
    private final ClGroup group;
    private final ClCommands commands;
    private final MemoryBudget budget;
    private final Temporaries temporaries;
    private final ChunkBuffers buffers;
    private final List<ChunkBuffers> rings = new ArrayList<>();
    private final Runnable idle;
    private final Mirrors mirrors;

    /**
     * @param idle waits until the device uses none of this
     */
    LaneMemory(ClGroup group, ClCommands commands, MemoryBudget budget, Runnable idle) {
        this.group = group;
        this.commands = commands;
        this.budget = budget;
        this.temporaries = new Temporaries(bytes -> allocate(bytes, group::allocateForDevice), idle);
        this.buffers = new ChunkBuffers(1, bytes -> allocate(bytes, group::allocate), idle);
        this.idle = idle;
        this.mirrors = new Mirrors(this::allocateInPlace, budget.mirrors(), budget.largest());
    }

    Temporaries temporaries() {
        return temporaries;
    }

    ChunkBuffers buffers() {
        return buffers;
    }

    /** One more ring of so many sets, freed with all else. */
    ChunkBuffers newRing(int sets) {
        ChunkBuffers ring = new ChunkBuffers(sets, bytes -> allocate(bytes, group::allocate), idle);
        rings.add(ring);
        return ring;
    }

    Mirrors mirrors() {
        return mirrors;
    }

    /** Bytes that mirrors may take beside all else. */
    long roomForMirrors() {
        long rest = budget.total() - buffers.bytes() - temporaries.bytes();
        for (ChunkBuffers ring : rings) {
            rest -= ring.bytes();
        }
        return rest;
    }

    /** Frees what no chunk needs at present; false if there was nothing. Not during a chunk. */
    boolean dropUnused() {
        boolean any = temporaries.drop();
        any |= mirrors.drop();
        any |= dropBuffers();
        return any;
    }

    private boolean dropBuffers() {
        boolean any = buffers.drop();
        for (ChunkBuffers ring : rings) {
            any |= ring.drop();
        }
        return any;
    }

    /**
     * Memory of which kernels will see parts. NVIDIA's driver finds it a place at its first use; were that the use of a part,
     * the release of each part would move all of the memory (60 ms for 800 MB on an H200).
     */
    private cl_mem allocateInPlace(long bytes) {
        cl_mem mem = group.allocate(bytes);
        try {
            commands.touch(mem);
            return mem;
        } catch (RuntimeException e) {
            Cl.release(mem);
            throw e;
        }
    }

    private cl_mem allocate(long bytes, LongFunction<cl_mem> allocator) {
        mirrors.shrinkTo(roomForMirrors() - bytes);
        try {
            return allocator.apply(bytes);
        } catch (ClFailure e) {
            if (e.kind() != Kind.MEMORY || !mirrors.drop()) {
                throw e;
            }
            return allocator.apply(bytes);
        }
    }

    @Override
    public void close() {
        mirrors.close();
        dropBuffers();
        temporaries.drop();
    }
}
