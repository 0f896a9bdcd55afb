package dev.evener.frames;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.ManagedBuffer;
import dev.evener.kernels.Allocator;
import dev.evener.kernels.OwnBuffer;
import dev.evener.kernels.tonemap.FrameLayout;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * The buffers of frames under way, used again, and within a budget: whoever would exceed it waits, unless its frame is the oldest
 * that has not left the devices. That one never waits for another, so that a frame is processed however large it is. Any thread.
 */
final class BufferPool implements AutoCloseable {
    private final Evener evener;
    private final Allocator memory;
    private final PictureFormat format;

    // All guarded by this.
    private long budget;
    private final ArrayDeque<Buffers> free = new ArrayDeque<>(); // the last ones given back first
    private final TreeSet<Long> ahead = new TreeSet<>();
    private long bytes; // of all buffers, free or not
    private boolean stopped;

    BufferPool(FrameStreamBuilder options) {
        this.evener = options.evener;
        this.memory = options.memory;
        this.format = options.format;
        this.budget = options.budget;
    }

    /** What one frame needs. Used by one thread at a time. */
    final class Buffers {
        private final OwnBuffer<ManagedBuffer> frame = new OwnBuffer<>(evener::allocateManaged);
        private final OwnBuffer<ManagedBuffer> pixels = new OwnBuffer<>(evener::allocateManaged);
        private final OwnBuffer<DataBuffer> coded =
                new OwnBuffer<>(format.isPng() ? evener::allocateManaged : memory::allocate);
        private final long[] reserved = new long[3]; // bytes of each

        /** Bytes to allocate for these needs; what is smaller than needed is replaced. */
        private long growth(long[] needed) {
            long sum = 0;
            for (int i = 0; i < needed.length; i++) {
                sum += Math.max(0, needed[i] - reserved[i]);
            }
            return sum;
        }

        private void reserve(long[] needed) {
            for (int i = 0; i < needed.length; i++) {
                reserved[i] = Math.max(reserved[i], needed[i]);
            }
        }

        private long total() {
            return reserved[0] + reserved[1] + reserved[2];
        }

        /** The frame's pixels as its file has them; to be asked for no more elements than were taken. */
        ManagedBuffer frame(FrameFile file) {
            return LoadedFrame.of(file, frame);
        }

        /** The picture, which stays where it was made. */
        ManagedBuffer pixels(FrameLayout layout) {
            return pixels.atLeast(ElementType.UINT, format.pixelWords(layout));
        }

        /** The picture as its file will have it: of PNG where it was made, as only the file's bytes are fetched. */
        DataBuffer coded(FrameLayout layout) {
            return coded.atLeast(ElementType.UBYTE, format.mostBytes(layout));
        }

        private void close() {
            bytes -= total();
            try (frame;
                    pixels) {
                coded.close();
            }
        }
    }

    /** So many bytes of the budget are used elsewhere. */
    synchronized void reserve(long used) {
        budget -= used;
    }

    /** A frame with a higher number than those before is on its way. */
    synchronized void begin(long frame) {
        ahead.add(frame);
    }

    /** A frame has left the devices, or failed: the next one is the oldest. */
    synchronized void passed(long frame) {
        if (ahead.remove(frame)) {
            notifyAll();
        }
    }

    /**
     * Room for a frame, to be given back. Memory is allocated when its buffers are asked for, by the caller's thread.
     *
     * @param frameBytes of the frame's own pixels, 0 if they are elsewhere
     * @throws CancellationException if the pool is stopped
     */
    synchronized Buffers take(long frameBytes, FrameLayout layout, long frame) throws InterruptedException {
        long[] needed = {frameBytes, format.pixelWords(layout) * Integer.BYTES, format.mostBytes(layout)};
        while (true) {
            if (stopped) {
                throw new CancellationException();
            }
            Buffers best = best(needed);
            long growth = best.growth(needed);
            for (Iterator<Buffers> others = free.descendingIterator(); bytes + growth > budget && others.hasNext(); ) {
                Buffers other = others.next();
                if (other != best) {
                    others.remove();
                    other.close();
                }
            }
            if (bytes + growth <= budget || ahead.first() == frame) {
                free.remove(best);
                best.reserve(needed);
                bytes += growth;
                return best;
            }
            wait();
        }
    }

    /** Those free that have to grow least; new ones if there are none. */
    private Buffers best(long[] needed) {
        Buffers best = null;
        for (Buffers each : free) {
            if (best == null || each.growth(needed) < best.growth(needed)) {
                best = each;
            }
        }
        return best == null ? new Buffers() : best;
    }

    /** The buffers, if there are any, have no user any more. */
    synchronized void giveBack(@Nullable Buffers buffers) {
        if (buffers != null && bytes > budget) {
            buffers.close();
        } else if (buffers != null) {
            free.addFirst(buffers);
        }
        notifyAll();
    }

    /** Nobody waits any longer. */
    synchronized void stop() {
        stopped = true;
        notifyAll();
    }

    /** Frees those that were given back. */
    @Override
    public synchronized void close() {
        free.forEach(Buffers::close);
        free.clear();
    }
}
