package dev.evener.internal.recovery;

import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobBuffers;
import dev.evener.internal.job.JobSpec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * What a chunk is about to overwrite in place, saved so that a failed chunk can be run again, here or elsewhere, on the data
 * it began with. Belongs to one lane's thread; its memory is kept and grown, so that chunks allocate nothing.
 */
public final class Undo {
    private static final int LEAST = 1 << 16;
    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    /** Most bytes that are saved of one chunk, of two in flight: a copy of a whole share would double a large job's memory. */
    private static final int MOST = 1 << 27;

    private final IntFunction<ByteBuffer> allocator;
    private final List<ByteBuffer> originals = new ArrayList<>();
    private ByteBuffer memory = NONE;

    public Undo() {
        this(ByteBuffer::allocateDirect);
    }

    /** @param allocator makes memory of so many bytes */
    public Undo(IntFunction<ByteBuffer> allocator) {
        this.allocator = allocator;
    }

    /**
     * Saves the chunk's part of every buffer that the phase updates; forgets what was saved before.
     *
     * @throws LaneFailure if there is no memory for it; nothing is saved then
     */
    public void save(JobSpec.Phase phase, long firstUnit, long units) {
        try {
            trySave(phase, firstUnit, units);
        } catch (Throwable e) { // nothing was overwritten, and restore() would put an earlier chunk's data in its place
            forget();
            throw e;
        }
    }

    private void trySave(JobSpec.Phase phase, long firstUnit, long units) {
        originals.clear();
        long bytes = 0;
        for (Argument.Buffer b : phase.buffers()) {
            if (b.isUpdated()) {
                for (int p = 0; p < b.ownPieces(); p++) {
                    long from = b.seenFrom(p, firstUnit, units);
                    int length = Math.toIntExact(b.seenTo(p, firstUnit, units) - from);
                    originals.add(b.buffer().part(from, length));
                    bytes += length;
                }
            }
        }
        if (memory.capacity() < bytes) {
            memory = grown(phase, bytes);
        }
        int at = 0;
        for (ByteBuffer part : originals) {
            memory.put(at, part, 0, part.capacity());
            at += part.capacity();
        }
    }

    private ByteBuffer grown(JobSpec.Phase phase, long bytes) {
        try {
            memory = NONE; // so that the old memory may make room for the new
            return allocator.apply(Math.toIntExact(Math.max(LEAST, bytes)));
        } catch (OutOfMemoryError | ArithmeticException e) {
            throw new LaneFailure(
                    LaneFailure.Kind.MEMORY,
                    "no host memory to protect the " + bytes + " bytes that a chunk updates in place, of the "
                            + JobBuffers.updated(phase),
                    e);
        }
    }

    /** Whether something is saved. */
    public boolean holds() {
        return !originals.isEmpty();
    }

    /** Puts back what was saved. */
    public void restore() {
        int at = 0;
        for (ByteBuffer part : originals) {
            part.put(0, memory, at, part.capacity());
            at += part.capacity();
        }
        forget();
    }

    /** Lets go of the buffers. */
    public void forget() {
        originals.clear();
    }

    /** The most units of a phase that a chunk may have so that what it updates can be saved; at least 1. */
    public static long mostUnits(JobSpec.Phase phase) {
        long perUnit = phase.buffers().stream()
                .mapToLong(b -> b.isUpdated() ? b.bytesPerUnit() : 0)
                .sum();
        return perUnit == 0 ? Long.MAX_VALUE : Math.max(1, MOST / perUnit);
    }

    /** Whether a phase updates anything in place. */
    public static boolean updates(JobSpec.Phase phase) {
        return phase.any(Argument.Buffer::isUpdated);
    }
}
