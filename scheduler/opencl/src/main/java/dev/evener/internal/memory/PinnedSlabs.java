package dev.evener.internal.memory;

import dev.evener.internal.PageLocked.Block;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Large pieces of page-locked memory that small blocks share, since locking takes a driver call for each piece, whatever its size. A
 * block takes the first gap that is large enough; what was given back is a gap again at once, with those beside it. Any thread.
 *
 * <p>Blocks and views hold the slab's one buffer object, so that a slab that was let go of lives as long as they do.
 */
final class PinnedSlabs {
    /** Larger blocks have memory of their own: they would leave much of a slab unused. */
    static final int MOST_SHARED = 8 << 20;

    /** Blocks begin at multiples of it, which suits every device's base address. */
    private static final int UNIT = 64 << 10;

    /** The first slab's size. Each further one is twice as large as the one before, so that a process locks little more than it uses. */
    private static final int FIRST = 8 << 20;

    private static final int LARGEST = 64 << 20;

    private final IntFunction<@Nullable ByteBuffer> locked;
    private final long mostEmpty;

    /** Held while a slab is made, so that others wait for that one. Never taken inside this object's own lock. */
    private final Object growing = new Object();

    // Guarded by this.
    private final List<Slab> slabs = new ArrayList<>();
    private int next = FIRST;
    private boolean closed;

    /**
     * @param locked locks memory of so many bytes, from the start of a page on; null if there is none
     * @param mostEmpty bytes of slabs to keep that nobody uses
     */
    PinnedSlabs(IntFunction<@Nullable ByteBuffer> locked, long mostEmpty) {
        this.locked = locked;
        this.mostEmpty = mostEmpty;
    }

    /** @param abandoned those of the used units that nobody will give back */
    private record Slab(ByteBuffer memory, BitSet used, BitSet abandoned) {
        Slab(ByteBuffer memory) {
            this(memory, new BitSet(), new BitSet());
        }

        /** The first of so many units in a row that nobody has, which are then taken; -1 if there are none. */
        int take(int units) {
            int all = memory.capacity() / UNIT;
            for (int from = used.nextClearBit(0); from + units <= all; ) {
                int end = used.nextSetBit(from);
                if (end < 0 || end - from >= units) {
                    used.set(from, from + units);
                    return from;
                }
                from = used.nextClearBit(end);
            }
            return -1;
        }
    }

    private record Piece(PinnedSlabs from, Slab slab, int at, int units) implements Block {
        @Override
        public ByteBuffer memory() {
            return slab.memory().slice(at * UNIT, units * UNIT).order(ByteOrder.nativeOrder());
        }

        @Override
        public boolean isZero() {
            return false;
        }

        @Override
        public void giveBack() {
            from.giveBack(this);
        }

        @Override
        public void abandon() {
            from.abandon(this);
        }
    }

    /** A block of at least so many bytes, at most {@link #MOST_SHARED}; null if there is no memory for a slab. */
    @Nullable
    Block take(int bytes) {
        int units = Math.max(1, (bytes + UNIT - 1) / UNIT);
        Block found = find(units);
        if (found != null) {
            return found;
        }
        synchronized (growing) {
            found = find(units); // made meanwhile
            return found != null || !grow() ? found : find(units);
        }
    }

    private synchronized @Nullable Block find(int units) {
        for (Slab slab : slabs) {
            int at = slab.take(units);
            if (at >= 0) {
                return new Piece(this, slab, at, units);
            }
        }
        return null;
    }

    private boolean grow() {
        ByteBuffer memory = locked.apply(nextSize());
        return memory != null && add(new Slab(memory));
    }

    private synchronized int nextSize() {
        return next;
    }

    private synchronized boolean add(Slab slab) {
        next = Math.min(LARGEST, 2 * next);
        return !closed && slabs.add(slab);
    }

    private synchronized void giveBack(Piece piece) {
        piece.slab.used.clear(piece.at, piece.at + piece.units);
        dropAbandoned();
        long empty = slabs.stream()
                .filter(slab -> slab.used.isEmpty())
                .mapToLong(slab -> slab.memory.capacity())
                .sum();
        for (Iterator<Slab> it = slabs.iterator(); empty > mostEmpty && it.hasNext(); ) {
            Slab slab = it.next();
            if (slab.used.isEmpty()) {
                it.remove();
                empty -= slab.memory.capacity();
            }
        }
    }

    private synchronized void abandon(Piece piece) {
        piece.slab.abandoned.set(piece.at, piece.at + piece.units);
        dropAbandoned();
    }

    /** Lets go of those of which there is nothing left but what was abandoned. */
    private void dropAbandoned() {
        slabs.removeIf(slab -> !slab.abandoned.isEmpty() && slab.abandoned.equals(slab.used));
    }

    /** Lets go of those that nobody uses. */
    synchronized void dropEmpty() {
        slabs.removeIf(slab -> slab.used.isEmpty());
    }

    /** Lets go of all of them: what is in use is freed when no view of it is left. */
    synchronized void close() {
        closed = true;
        slabs.clear();
    }
}
