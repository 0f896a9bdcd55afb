package dev.evener.internal.opencl;

import dev.evener.internal.PageLocked;
import dev.evener.internal.Processors;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jocl.Pointer;
import org.jspecify.annotations.Nullable;

/**
 * Page-locked memory through which the pieces of a chunk are sent from pageable memory and fetched into it: of each argument
 * a block for each set of the ring of pieces. Belongs to one lane's thread.
 */
final class PinnedStaging implements AutoCloseable {
    private final @Nullable PageLocked source;
    private final int sets;
    private final HostCopier copier = new HostCopier(Processors.count());
    private final List<CopyBack> copyBacks = new ArrayList<>();

    /** What is to be copied to pageable memory when the piece that has a set is done. */
    private record CopyBack(int set, ByteBuffer from, ByteBuffer to, int target, int bytes) {}

    /**
     * @param source where the memory comes from, or null to send and fetch pieces as they are
     * @param sets how many sets the ring has
     */
    PinnedStaging(@Nullable PageLocked source, int sets) {
        this.source = source;
        this.sets = sets;
    }

    /** Those of one argument, kept and grown. */
    final class Blocks {
        /** Null until it was needed. */
        private final PageLocked.@Nullable Block[] blocks = new PageLocked.@Nullable Block[sets];

        /** Sees to it that the first few sets have so many bytes; false if there is no such memory, or not for so little. */
        boolean reserve(int first, int bytes) {
            for (int i = 0; i < first; i++) {
                PageLocked.Block block = blocks[i];
                if (block == null || block.memory().capacity() < bytes) {
                    giveBack(i);
                    blocks[i] = source == null ? null : source.take(bytes);
                    if (blocks[i] == null) {
                        return false;
                    }
                }
            }
            return true;
        }

        /** The memory that a set has, for a piece that sees a pageable segment from a place on. */
        Window window(ByteBuffer segment, long from, int set) {
            PageLocked.Block block = blocks[set];
            if (block == null) {
                throw new IllegalStateException("a piece without its page-locked memory");
            }
            return new Window(segment, from, set, block.memory());
        }

        private void giveBack(int set) {
            PageLocked.Block block = blocks[set];
            if (block != null) {
                blocks[set] = null;
                block.giveBack();
            }
        }

        void giveBack() {
            for (int i = 0; i < sets; i++) {
                giveBack(i);
            }
        }
    }

    /** Page-locked memory of a set that stands for the part of a pageable segment that a piece sees. */
    final class Window {
        private final ByteBuffer segment;
        private final long from;
        private final int set;
        private final ByteBuffer memory;

        private Window(ByteBuffer segment, long from, int set, ByteBuffer memory) {
            this.segment = segment;
            this.from = from;
            this.set = set;
            this.memory = memory;
        }

        /** Where bytes of the segment, from {@code at} on, may be sent from: they are copied. */
        Pointer toSend(long at, long bytes) {
            copier.copy(segment, (int) at, memory, (int) (at - from), (int) bytes);
            return Pointer.to(memory).withByteOffset(at - from);
        }

        /** Where the first bytes of the piece may be fetched to: they are copied to the segment when the piece is done. */
        Pointer toFetch(long bytes) {
            copyBacks.add(new CopyBack(set, memory, segment, (int) from, (int) bytes));
            return Pointer.to(memory);
        }
    }

    /** Copies what the piece left that had a set. */
    void copyBack(int set) {
        for (int i = 0; i < copyBacks.size(); i++) {
            CopyBack each = copyBacks.get(i);
            if (each.set() == set) {
                copier.copy(each.from(), 0, each.to(), each.target(), each.bytes());
            }
        }
        copyBacks.removeIf(each -> each.set() == set);
    }

    /** Forgets what was to be copied: the chunk is over. */
    void forget() {
        copyBacks.clear();
    }

    /** Ends the threads that help copying. */
    @Override
    public void close() {
        copier.close();
    }
}
