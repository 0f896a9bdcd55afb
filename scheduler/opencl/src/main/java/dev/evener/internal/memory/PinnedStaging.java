package dev.evener.internal.memory;

import dev.evener.internal.PageLocked;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Page-locked memory through which the pieces of an argument are sent from pageable memory and fetched into it: a block for each
 * set of the ring of pieces, kept and grown. Belongs to one lane's thread.
 */
final class PinnedStaging {
    private final @Nullable PageLocked source;
    private final Copier copier;
    private final Slot[] slots;

    /** What the piece that has a set goes through. */
    private static final class Slot {
        private PageLocked.@Nullable Block block; // null until it was needed
        private @Nullable ByteBuffer target; // where the piece is to be copied when it is done
        private int at;
        private int bytes;

        ByteBuffer memory() {
            return Objects.requireNonNull(block, "a piece without its page-locked memory")
                    .memory();
        }

        void giveBack() {
            if (block != null) {
                block.giveBack();
                block = null;
            }
        }
    }

    /** @param source where the memory comes from, or null for nowhere */
    PinnedStaging(@Nullable PageLocked source, Copier copier, int sets) {
        this.source = source;
        this.copier = copier;
        this.slots = new Slot[sets];
        for (int i = 0; i < sets; i++) {
            slots[i] = new Slot();
        }
    }

    /** Sees to it that the first few sets have so many bytes; false if there is no such memory, or not for so little. */
    boolean reserve(int sets, int bytes) {
        for (int i = 0; i < sets; i++) {
            Slot slot = slots[i];
            if (slot.block == null || slot.block.memory().capacity() < bytes) {
                slot.giveBack();
                slot.block = source == null ? null : source.take(bytes);
                if (slot.block == null) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Where bytes of a segment, from a place on, may be sent from: they are copied to a place in the set's memory. */
    ByteBuffer toSend(int set, ByteBuffer segment, long at, long place, long bytes) {
        ByteBuffer memory = slots[set].memory();
        copier.copy(segment, (int) at, memory, (int) place, (int) bytes);
        return memory;
    }

    /** Where bytes that belong at a place of a segment may be fetched to: they are copied there when the piece is done. */
    ByteBuffer toFetch(int set, ByteBuffer segment, long at, long bytes) {
        Slot slot = slots[set];
        slot.target = segment;
        slot.at = (int) at;
        slot.bytes = (int) bytes;
        return slot.memory();
    }

    /** Copies what the piece left that had a set. */
    void copyBack(int set) {
        Slot slot = slots[set];
        if (slot.target != null) {
            copier.copy(slot.memory(), 0, slot.target, slot.at, slot.bytes);
            slot.target = null;
        }
    }

    /** Forgets what was to be copied: the chunk is over. */
    void forget() {
        for (Slot slot : slots) {
            slot.target = null;
        }
    }

    void close() {
        for (Slot slot : slots) {
            slot.giveBack();
        }
    }

    /** Copies large pieces with the help of threads of its own: one core copies more slowly than a bus transfers. */
    static final class Copier implements AutoCloseable {
        /** Below, waking a helper takes longer than it saves. */
        private static final int WORTH_SHARING = 2 << 20;

        private static final int MOST_HELPERS = 2;

        private final int helpers;
        private final ExecutorService threads; // none of which is there before it is needed

        /** With as many helpers as so many cores can spare. */
        Copier(int cores) {
            helpers = Math.min(MOST_HELPERS, cores / 4);
            threads = Executors.newFixedThreadPool(Math.max(1, helpers), task -> {
                Thread thread = new Thread(task, "evener-copy");
                thread.setDaemon(true);
                return thread;
            });
        }

        /** Copies bytes; returns when that is done. */
        void copy(ByteBuffer from, int at, ByteBuffer to, int target, int bytes) {
            if (helpers == 0 || bytes < WORTH_SHARING) {
                to.put(target, from, at, bytes);
                return;
            }
            int part = bytes / (helpers + 1);
            CompletableFuture<?>[] parts = new CompletableFuture<?>[helpers];
            for (int i = 0; i < helpers; i++) {
                int skipped = i * part;
                parts[i] =
                        CompletableFuture.runAsync(() -> to.put(target + skipped, from, at + skipped, part), threads);
            }
            int own = helpers * part;
            to.put(target + own, from, at + own, bytes - own);
            CompletableFuture.allOf(parts).join(); // which no interrupt ends
        }

        @Override
        public void close() {
            threads.shutdown();
        }
    }
}
