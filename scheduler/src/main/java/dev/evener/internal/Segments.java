package dev.evener.internal;

import dev.evener.DeviceInfo;
import dev.evener.ElementType;
import dev.evener.EvenerException;
import dev.evener.internal.data.Label;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one {@link LogicalBuffer}: one piece, or, beyond what a {@link ByteBuffer} or a device takes, several of equal
 * size (the last may be shorter), each page-aligned memory of its own. Any thread; {@link #release} ends its use.
 */
public final class Segments {
    /** Zeros are copied from here; small enough to stay in a core's cache. */
    private Label of = new Label(0, "bytes");

    private final int count;

    private final boolean pageLocked;
    private volatile List<PageLocked.Block> blocks;
    private volatile List<ByteBuffer> memory; // empty when it was released
    private volatile List<MemoryRange> ranges; // likewise
    private final long[] addresses; // of the pieces
    private final long bytes;
    private final long stride;
    private final boolean foreign;
    private final boolean readOnly;

    /**
     * How large the pieces may be.
     *
     * @param single most bytes of a buffer that stays in one piece
     * @param each most bytes of each piece of a larger one, at most {@code single}
     * @param line of what memory of the caller's must be a multiple, in bytes
     */
    public record Limits(long single, long each, int line) {
        /** GPUs that share the host's memory are known to take memory that ends within a line of the cache as a copy. */
        private static final int LINE = 64;

        private static final long LARGEST = Integer.MAX_VALUE - 2L * HostMemory.PAGE;
        private static final long DEFAULT = 1L << 30;

        /** For buffers on these devices; those that work in place must take a piece as one allocation. */
        public static Limits of(List<DeviceInfo> devices) {
            long single = LARGEST;
            int line = 1;
            for (DeviceInfo device : devices) {
                if (device.sharesHostMemory() && !device.kind().isHostProcessor()) {
                    line = Math.max(LINE, device.cacheLineBytes());
                }
                if (device.sharesHostMemory() && device.maxAllocationBytes() > 0) {
                    single = Math.min(single, device.maxAllocationBytes() / HostMemory.PAGE * HostMemory.PAGE);
                }
            }
            return new Limits(single, Math.min(DEFAULT, single), line);
        }

        /** For buffers that no device works on in place. */
        public static Limits ofHost() {
            return of(List.of());
        }

        /** Pieces of at most this many bytes, whole buffers included. */
        public Limits atMost(long limit) {
            return new Limits(Math.min(single, limit), Math.min(each, limit), line);
        }
    }

    private Segments(List<ByteBuffer> memory, List<PageLocked.Block> blocks, long bytes, long stride, boolean foreign) {
        this.count = memory.size();
        this.pageLocked = !blocks.isEmpty();
        this.blocks = List.copyOf(blocks);
        this.memory = List.copyOf(memory);
        this.addresses = memory.stream().mapToLong(MemoryRange::address).toArray();
        List<MemoryRange> all = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            all.addAll(MemoryRange.onHost(addresses[i], memory.get(i).limit()));
        }
        this.ranges = List.copyOf(all);
        this.bytes = bytes;
        this.stride = stride;
        this.foreign = foreign;
        this.readOnly = memory.get(0).isReadOnly();
    }

    /**
     * New memory, all zero.
     *
     * @param elementsPerUnit what no boundary between two pieces may cut, at least 1
     * @param pageLocked where it comes from if it can, or null for ordinary memory
     */
    public static Segments allocate(
            ElementType type, long elements, long elementsPerUnit, Limits limits, @Nullable PageLocked pageLocked) {
        long stride = stride(type, elements, elementsPerUnit, limits);
        String what = text(type, elements);
        long bytes = elements * type.bytes();
        boolean isLarge = bytes > limits.single() && bytes > HostMemory.directLimit();
        if (isLarge && bytes > HostMemory.physical()) { // before millions of pieces are listed
            throw new EvenerException(noMemory(what, bytes));
        }
        List<Integer> lengths = new ArrayList<>();
        long at = 0;
        do {
            lengths.add((int) Math.min(stride, bytes - at));
            at += lengths.get(lengths.size() - 1);
        } while (at < bytes);
        List<PageLocked.Block> blocks = pageLocked == null ? List.of() : locked(lengths, pageLocked);
        List<ByteBuffer> memory = new ArrayList<>();
        if (!blocks.isEmpty()) {
            for (int i = 0; i < blocks.size(); i++) {
                memory.add(cleared(blocks.get(i), lengths.get(i)));
            }
            return new Segments(memory, blocks, bytes, stride, false);
        }
        if (isLarge) {
            throw new EvenerException(noMemory(what, bytes));
        }
        try {
            lengths.forEach(length -> memory.add(HostMemory.allocate(length)));
        } catch (OutOfMemoryError e) {
            throw new EvenerException(noMemory(what, bytes), e);
        }
        return new Segments(memory, List.of(), bytes, stride, false);
    }

    /** A page-locked block for each length, or none at all. */
    private static List<PageLocked.Block> locked(List<Integer> lengths, PageLocked from) {
        List<PageLocked.Block> blocks = new ArrayList<>();
        for (int length : lengths) {
            PageLocked.Block block = from.take(length);
            if (block == null) {
                blocks.forEach(PageLocked.Block::giveBack);
                return List.of();
            }
            blocks.add(block);
        }
        return blocks;
    }

    /** The first bytes of a block as {@link HostMemory#allocate} would give them: of whole pages, and zero. */
    private static ByteBuffer cleared(PageLocked.Block block, int bytes) {
        int padded = Math.toIntExact(HostMemory.padded(bytes));
        ByteBuffer piece = block.memory().limit(padded).slice().order(ByteOrder.nativeOrder());
        if (!block.isZero()) {
            HostMemory.clear(piece);
        }
        return piece.limit(bytes);
    }

    /**
     * Memory of the caller's, in one piece.
     *
     * @throws IllegalArgumentException if devices could not work on it in place; the message says what could be
     */
    public static Segments wrap(ElementType type, ByteBuffer memory, Limits limits) {
        int bytes = memory.remaining();
        String what = "memory of " + bytes + " bytes to be used as " + type.openClName();
        if (!memory.isDirect()) {
            throw new IllegalArgumentException(
                    what + " lies on the heap, where the garbage collector moves it about; take a"
                            + " direct ByteBuffer, or allocate(type, elements) and copy");
        }
        String order = HostMemory.otherOrder(memory);
        if (order != null) {
            throw new IllegalArgumentException(what + " " + order);
        }
        if (bytes % type.bytes() != 0) {
            throw new IllegalArgumentException(what + " does not hold whole elements of " + type.bytes()
                    + " bytes; set the limit at the end of one");
        }
        int off = memory.alignmentOffset(memory.position(), HostMemory.PAGE);
        if (off != 0 && bytes > 0) {
            throw new IllegalArgumentException(what + " begins " + off + " bytes behind a multiple of "
                    + HostMemory.PAGE
                    + ", but devices work in place only from such a multiple on; take"
                    + " ByteBuffer.allocateDirect(bytes + " + 2 * HostMemory.PAGE + ").alignedSlice(" + HostMemory.PAGE
                    + ").limit(bytes)");
        }
        if (bytes > limits.single()) {
            throw new IllegalArgumentException(what + " is more than a device takes in one piece (" + limits.single()
                    + " bytes); take allocate(type, elements), whose buffers may lie in several");
        }
        if (bytes % limits.line() != 0) {
            throw new IllegalArgumentException(what + " does not end at a multiple of " + limits.line()
                    + " bytes, without which a GPU here would work on a copy of it; make it longer");
        }
        // Of nothing, no device can make a buffer.
        ByteBuffer piece = bytes == 0 ? HostMemory.allocate(0) : memory.slice().order(ByteOrder.nativeOrder());
        return new Segments(List.of(piece), List.of(), bytes, Math.max(1, bytes), true);
    }

    private static String text(ElementType type, long elements) {
        return "a buffer of " + elements + " " + type.openClName();
    }

    private static String noMemory(String what, long bytes) {
        return "no host memory for " + what + " (" + bytes
                + " bytes); close other buffers or start Java with a larger -XX:MaxDirectMemorySize";
    }

    /**
     * Bytes from the start of one piece to that of the next. A power of two of units, so that nearly every granule divides
     * it and pieces of buffers with units of different sizes end at common units.
     */
    static long stride(ElementType type, long elements, long elementsPerUnit, Limits limits) {
        String what = text(type, elements);
        if (elements < 0) {
            throw new IllegalArgumentException("a buffer cannot have " + elements + " elements");
        }
        if (elementsPerUnit < 1) {
            throw new IllegalArgumentException(
                    what + " cannot have " + elementsPerUnit + " elements per unit; there must be at least 1");
        }
        if (elements > (Long.MAX_VALUE >> 4) / type.bytes()) {
            throw new EvenerException(what + " is larger than any memory");
        }
        long bytes = elements * type.bytes();
        if (bytes <= limits.single()) {
            return Math.max(1, bytes);
        }
        if (elementsPerUnit > limits.each() / type.bytes()) {
            throw new EvenerException(what + " needs several pieces of memory, and one unit of " + elementsPerUnit
                    + " elements does not fit a piece of at most " + limits.each() + " bytes; make units smaller");
        }
        long unit = elementsPerUnit * type.bytes();
        return unit * Long.highestOneBit(limits.each() / unit);
    }

    /**
     * Whether some of this memory is some of the other's. Memory that was allocated here overlaps nothing but what was made
     * from a view of it, which is one piece.
     */
    boolean overlaps(Segments other) {
        if (foreign || other.foreign) {
            for (MemoryRange one : ranges) {
                for (MemoryRange each : other.ranges) {
                    if (one.overlaps(each)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** Where bytes {@code [from, to)} lie, which are all or in one piece, and at least one; nowhere once it was released. */
    List<MemoryRange> where(long from, long to) {
        List<MemoryRange> all = ranges;
        if (all.isEmpty() || (from == 0 && to == bytes)) {
            return all;
        }
        int index = (int) Math.min(from / stride, count - 1);
        return MemoryRange.onHost(addresses[index] + from - index * stride, to - from);
    }

    public int count() {
        return count;
    }

    /** Whether it is the caller's, who let nobody write it. */
    boolean isReadOnly() {
        return readOnly;
    }

    /** Whether it is the caller's. */
    boolean isForeign() {
        return foreign;
    }

    /** Whether devices transfer from and to it at their full speed. */
    boolean isPageLocked() {
        return pageLocked;
    }

    /**
     * Lets go of the memory, which then lives as long as views of it, or, if it was page-locked, becomes another buffer's.
     * Once.
     */
    void release() {
        List<PageLocked.Block> given = blocks;
        memory = List.of();
        ranges = List.of();
        blocks = List.of();
        given.forEach(PageLocked.Block::giveBack);
    }

    /** Where it is page-locked. */
    List<PageLocked.Block> blocks() {
        return blocks;
    }

    private ByteBuffer piece(int index) {
        List<ByteBuffer> present = memory;
        if (present.isEmpty()) {
            throw new IllegalStateException("this " + of + " is closed");
        }
        return present.get(index);
    }

    /** Which buffer's it is; said before anybody else has the buffer. */
    Segments isOf(Label buffer) {
        of = buffer;
        return this;
    }

    public long bytes() {
        return bytes;
    }

    long stride() {
        return stride;
    }

    /** A view of one piece, in native byte order, with a position and limit of its own. */
    ByteBuffer get(int index) {
        return piece(index).duplicate().order(ByteOrder.nativeOrder());
    }

    /** A view of bytes {@code [offset, offset + length)}, which must lie in one piece. */
    ByteBuffer get(long offset, int length) {
        if (offset < 0 || length < 0 || offset > bytes - length) {
            throw new IndexOutOfBoundsException(
                    "bytes " + offset + " to " + (offset + length) + " of the " + of + ", which has " + bytes);
        }
        // An empty view at the very end lies in the last piece.
        int index = (int) Math.min(offset / stride, count - 1);
        long within = offset - index * stride;
        ByteBuffer piece = piece(index);
        if (within + length > piece.limit()) {
            throw new IllegalArgumentException("bytes " + offset + " to " + (offset + length)
                    + " do not lie in one segment of the " + of + ", each of which has " + stride + " bytes; take "
                    + (piece.limit() - within) + " bytes from here and the rest from " + (index + 1) * stride);
        }
        return piece.slice((int) within, length).order(ByteOrder.nativeOrder());
    }
}
