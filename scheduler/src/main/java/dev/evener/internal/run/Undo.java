package dev.evener.internal.run;

import dev.evener.Access;
import dev.evener.Job;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * What a chunk is about to overwrite in place, saved so that a failed chunk can be run again, here or elsewhere, on the data
 * it began with. Belongs to one lane's thread; its memory is kept and grown, so that chunks allocate nothing.
 */
final class Undo {
    private static final int LEAST = 1 << 16;

    private final IntFunction<ByteBuffer> allocator;
    private final List<ByteBuffer> originals = new ArrayList<>();
    private ByteBuffer memory = ByteBuffer.allocate(0);

    Undo() {
        this(ByteBuffer::allocateDirect);
    }

    /** @param allocator makes memory of so many bytes */
    Undo(IntFunction<ByteBuffer> allocator) {
        this.allocator = allocator;
    }

    /**
     * Saves the chunk's part of every buffer that the phase updates; forgets what was saved before.
     *
     * @throws LaneFailure if there is no memory for it; nothing is saved then
     */
    void save(Job.Phase phase, long firstUnit, int units) {
        boolean saved = false;
        try {
            trySave(phase, firstUnit, units);
            saved = true;
        } catch (OutOfMemoryError e) {
            throw new LaneFailure(
                    LaneFailure.Kind.MEMORY, "there is no host memory to protect what a chunk updates in place", e);
        } finally {
            if (!saved) {
                forget(); // else restore() would put an earlier chunk's data in their place
            }
        }
    }

    private void trySave(Job.Phase phase, long firstUnit, int units) {
        originals.clear();
        long bytes = 0;
        for (Job.Argument argument : phase.arguments()) {
            if (argument instanceof Job.Argument.Buffer b
                    && b.read()
                    && b.written()
                    && b.access() instanceof Access.Slice s) {
                long perUnit = s.elementsPerUnit() * b.buffer().type().bytes();
                ByteBuffer part = b.buffer().bytes(firstUnit * perUnit, Math.toIntExact(units * perUnit));
                originals.add(part);
                bytes += part.capacity();
            }
        }
        if (bytes > Integer.MAX_VALUE) {
            throw new LaneFailure(
                    LaneFailure.Kind.MEMORY,
                    "a chunk updates " + bytes + " bytes in place, too many to protect at once");
        }
        if (memory.capacity() < bytes) {
            memory = allocator.apply((int) Math.max(LEAST, bytes));
        }
        int at = 0;
        for (ByteBuffer part : originals) {
            memory.put(at, part, 0, part.capacity());
            at += part.capacity();
        }
    }

    /** Puts back what was saved. */
    void restore() {
        int at = 0;
        for (ByteBuffer part : originals) {
            part.put(0, memory, at, part.capacity());
            at += part.capacity();
        }
        forget();
    }

    /** Lets go of the buffers. */
    void forget() {
        originals.clear();
    }

    /** Whether a phase updates anything in place. */
    static boolean updates(Job.Phase phase) {
        return phase.arguments().stream()
                .anyMatch(a -> a instanceof Job.Argument.Buffer b
                        && b.read()
                        && b.written()
                        && b.access() instanceof Access.Slice);
    }
}
