package dev.evener.internal;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.internal.data.Directory;
import dev.evener.internal.data.HostGate;
import dev.evener.internal.data.Label;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link DataBuffer} is to the runtime: where its content lies, its memory on the host, what devices hold for it, and who works
 * on it. Any thread.
 */
public abstract sealed class LogicalBuffer permits HostData, ManagedData, ShadowData {
    private final ElementType type;
    private final long elements;
    final Attachments attached = new Attachments();
    final Label label;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Directory directory;
    private final Supplier<Segments> allocator;
    private final Range all;
    private volatile @Nullable Segments memory; // null before the host needs it
    private volatile @Nullable Runnable onClose;
    private volatile boolean hidden;
    private int holders; // guarded by this
    private volatile int jobs; // and scopes, so far; written guarded by this
    private boolean released; // guarded by this
    private @Nullable Range hostWrites; // guarded by this

    /** With memory on the host, where its content is. */
    LogicalBuffer(ElementType type, Segments memory) {
        this.type = type;
        this.elements = memory.bytes() / type.bytes();
        this.memory = memory;
        this.label = new Label(elements, type.openClName());
        attached.lies(memory.blocks());
        this.allocator = () -> memory;
        this.directory = new Directory(memory.bytes(), true, new Gate(this));
        this.directory.isOf(label);
        memory.isOf(label);
        this.all = new Range(this, 0, elements);
    }

    /** Without content, and with memory on the host once it is needed there. */
    LogicalBuffer(ElementType type, long elements, Supplier<Segments> allocator) {
        this.type = type;
        this.elements = elements;
        this.allocator = allocator;
        this.label = new Label(elements, type.openClName());
        this.directory = new Directory(elements * type.bytes(), false, new Gate(this));
        this.directory.isOf(label);
        this.all = new Range(this, 0, elements);
    }

    /** The one implementation of a buffer, or the one of which a range is. */
    public static LogicalBuffer of(DataBuffer buffer) {
        return Range.of(buffer).buffer;
    }

    /**
     * Some of a buffer's elements, which jobs see as if they were a buffer; or all of them.
     *
     * @param first with which it begins, counted in elements
     */
    public record Range(LogicalBuffer buffer, long first, long elements) implements DataBuffer {
        /**
         * That of a buffer, which may be all of it.
         *
         * @throws IllegalArgumentException if somebody else made it
         */
        public static Range of(DataBuffer buffer) {
            if (Objects.requireNonNull(buffer, "buffer") instanceof Range range) {
                return range;
            }
            if (buffer instanceof LogicalBuffer whole) {
                return whole.all;
            }
            throw new IllegalArgumentException("a buffer of "
                    + buffer.getClass().getName() + " cannot be used; allocate one, or wrap memory, by an Evener");
        }

        @Override
        public Range range(long from, long count) {
            Objects.checkFromIndexSize(from, count, elements);
            long begin = (first + from) * type().bytes();
            if (!buffer.liesInOneSegment(begin, count * type().bytes())) {
                throw new IllegalArgumentException("the range of " + count + " elements from " + (first + from)
                        + " on lies in several segments of " + buffer.segmentBytes() / type().bytes()
                        + " elements; take the part in each of them by itself");
            }
            return new Range(buffer, first + from, count);
        }

        @Override
        public boolean equals(@Nullable Object other) { // plain code: what records have is made at each start
            return other instanceof Range its && its.buffer == buffer && its.first == first && its.elements == elements;
        }

        @Override
        public int hashCode() {
            return (buffer.hashCode() * 31 + Long.hashCode(first)) * 31 + Long.hashCode(elements);
        }

        /** Whether it is the whole buffer. */
        public boolean isAll() {
            return elements == buffer.elements;
        }

        /** Its first byte in the buffer. */
        public long from() {
            return first * type().bytes();
        }

        /** The byte of the buffer that is behind it. */
        public long to() {
            return from() + byteSize();
        }

        /** A view of it in native byte order. Only between {@link #hold} and {@link #letGo}, and in one segment. */
        public ByteBuffer part() {
            return buffer.part(from(), Math.toIntExact(byteSize()));
        }

        /**
         * Where its content lies on the host, or would: whoever works on any of that works on what this holds. One without elements has
         * the byte at its place, so that those who use it keep their order. Nowhere once the buffer's memory was let go.
         */
        public List<MemoryRange> memory() {
            return buffer.where(from(), Math.max(to(), from() + 1));
        }

        /** Whether all of another range is in this one. */
        public boolean contains(Range other) {
            return buffer == other.buffer && first <= other.first && other.first + other.elements <= first + elements;
        }

        /** Whether the two have an element of one buffer in common, or are the same. */
        public boolean meets(Range other) {
            return buffer == other.buffer
                    && (equals(other) || (first < other.first + other.elements && other.first < first + elements));
        }

        @Override
        public Range named(String name) {
            buffer.name(name);
            return this;
        }

        @Override
        public @Nullable String name() {
            return buffer.name();
        }

        @Override
        public boolean overlaps(DataBuffer other) {
            Range its = of(other);
            return buffer == its.buffer ? meets(its) : buffer.mayOverlap(its.buffer);
        }

        @Override
        public ElementType type() {
            return buffer.type;
        }

        @Override
        public long byteSize() {
            return elements * type().bytes();
        }

        @Override
        public int segmentCount() {
            return isAll() ? buffer.segmentCount() : 1;
        }

        @Override
        public long segmentBytes() {
            return isAll() ? buffer.segmentBytes() : Math.max(1, byteSize());
        }

        @Override
        public boolean isClosed() {
            return buffer.isClosed();
        }

        @Override
        public void close() {}

        /** What messages call it, as {@link LogicalBuffer#text}. */
        public String text() {
            return isAll()
                    ? buffer.text()
                    : "range of " + elements + " elements from " + first + " on of the " + buffer.text();
        }

        @Override
        public String toString() {
            return isAll() ? buffer.toString() : text();
        }
    }

    /** All of it. */
    public final Range all() {
        return all;
    }

    /** As {@link DataBuffer#range} says. */
    public final Range range(long first, long count) {
        return all.range(first, count);
    }

    /** As {@link DataBuffer#overlaps} says. */
    public final boolean overlaps(DataBuffer other) {
        return all.overlaps(other);
    }

    /** Its memory on the host. */
    final Segments memory() {
        Segments present = memory;
        return present != null ? present : allocate();
    }

    /** Whether the host has needed any of it. */
    final boolean hasMemory() {
        return memory != null;
    }

    private synchronized Segments allocate() {
        Segments present = memory;
        if (present == null) {
            if (released) {
                throw closedException();
            }
            present = allocator.get().isOf(label);
            memory = present;
            attached.lies(present.blocks());
        }
        return present;
    }

    /** Whether the application may look at it, and write it, at any time between jobs. What devices hold is trusted within one job only. */
    public abstract boolean hasHostViews();

    /** How many jobs have used it, or wait to, scopes included. */
    public int jobs() {
        return jobs;
    }

    /** Whether the host has what devices write as soon as they did. It then holds all that is not lost, whenever no job runs. */
    public abstract boolean isMirrored();

    /** Whether it will be when the turns of the host have come that were asked for by now. */
    public boolean willBeMirrored() {
        return isMirrored();
    }

    /** Makes it the runtime's own, of which no application knows; said before anybody else has the buffer. */
    public LogicalBuffer hide() {
        hidden = true;
        return this;
    }

    /** Whether it is the runtime's own. */
    public boolean isHidden() {
        return hidden;
    }

    /** Runs something when it is closed; said before anybody else has the buffer. */
    public void onClose(Runnable action) {
        this.onClose = action;
    }

    public final ElementType type() {
        return type;
    }

    public final long elements() {
        return elements;
    }

    public final long byteSize() {
        return elements * type.bytes();
    }

    /** How many segments it lies in. */
    public abstract int segmentCount();

    /** Bytes from the start of a segment to that of the next. */
    public abstract long segmentBytes();

    /** Whether it has page-locked memory on the host. */
    public final boolean isPageLocked() {
        Segments present = memory;
        return present != null && present.isPageLocked();
    }

    /** Whether jobs cannot write it. */
    public boolean isReadOnly() {
        return false;
    }

    /** Whether its memory is the application's, so that other buffers may lie over it. */
    public boolean isWrapped() {
        return false;
    }

    /** Whether {@link #close} was called. */
    public final boolean isClosed() {
        return closed.get();
    }

    /** Lets go of its memory, if need be when no job holds it any more. Idempotent. */
    public final void close() {
        if (closed.compareAndSet(false, true)) {
            Runnable action = onClose;
            if (action != null) {
                action.run();
            }
            closed();
            releaseUnlessHeld();
        }
    }

    /** It was closed just now. Once. */
    void closed() {}

    /** As {@link Range#memory} says; at least one byte. */
    List<MemoryRange> where(long from, long to) {
        return List.of(new MemoryRange(this, from, to)); // nobody else's
    }

    /** Whether its memory was let go, and may be another buffer's by now. */
    public final synchronized boolean gaveMemoryBack() {
        return released && !isWrapped();
    }

    /** Whether what is written to one of the two may be seen in the other. */
    public boolean mayOverlap(LogicalBuffer other) {
        return other == this;
    }

    /** A job that uses this buffer is submitted, or a scope opened. False, and no hold, if it is closed. */
    public synchronized boolean hold() {
        boolean open = !closed.get();
        holders += open ? 1 : 0;
        jobs += open ? 1 : 0;
        return open;
    }

    /** The same for who does something for those that hold it, or may: false if it is closed and nobody does. */
    final synchronized boolean keep() {
        boolean kept = !closed.get() || holders > 0;
        holders += kept ? 1 : 0;
        return kept;
    }

    /** Where directories get in. It does not keep the buffer: what devices hold for it refers to the directory. */
    private record Gate(WeakReference<LogicalBuffer> of) implements HostGate {
        Gate(LogicalBuffer of) {
            this(new WeakReference<>(of));
        }

        @Override
        public @Nullable Hold open() {
            LogicalBuffer present = of.get();
            return present != null && present.keep() ? present.new Kept() : null;
        }
    }

    private final class Kept implements HostGate.Hold {
        @Override
        public ByteBuffer part(long from, int length) {
            return LogicalBuffer.this.part(from, length);
        }

        @Override
        public void close() {
            letGo();
        }
    }

    /** Ends one {@link #hold} or {@link #keep}; nobody works on the buffer for that any more. */
    public synchronized void letGo() {
        holders--;
        releaseUnlessHeld();
    }

    private synchronized void releaseUnlessHeld() {
        if (holders == 0 && closed.get()) {
            attached.release();
            Segments present = released ? null : memory;
            released = true;
            if (present != null) {
                present.release();
                attached.lies(List.of());
            }
        }
    }

    /**
     * What {@code owner} holds for this buffer, made on first use and released after {@link #close}. Only between {@link #hold}
     * and {@link #letGo}.
     */
    public DeviceMemory attachment(Object owner, Function<LogicalBuffer, DeviceMemory> maker) {
        return attached.of(owner, this, maker);
    }

    /** A job that was to write bytes of it did not: whoever needs them is told so. */
    public void lose(long from, long to, String reason) {
        if (!hasHostViews()) {
            directory.lose(from, to, reason);
        }
    }

    /** The host takes its turn to write some of it, or to give it up. */
    public final synchronized void hostIsToWrite(Range range) {
        Range all = hostWrites == null ? range : hostWrites;
        if (!all.contains(range)) {
            long first = Math.min(all.first, range.first);
            all = new Range(this, first, Math.max(all.first + all.elements, range.first + range.elements) - first);
        }
        hostWrites = all;
    }

    /** What {@link #hostIsToWrite} told of since this was last asked, with all that is in between; null if it did not. */
    public final synchronized @Nullable Range takeHostWrites() {
        Range all = hostWrites;
        hostWrites = null;
        return all;
    }

    /** Where its content lies. */
    public Directory directory() {
        return directory;
    }

    /** A view of bytes {@code [offset, offset + length)}, of a closed buffer too. Only between {@link #hold} and {@link #letGo}. */
    public ByteBuffer part(long offset, int length) {
        return memory().get(offset, length);
    }

    /** A view of one segment, of a closed buffer too. Only between {@link #hold} and {@link #letGo}. */
    public ByteBuffer segment(int index) {
        return memory().get(index);
    }

    /** Whether so many bytes from a place on are in one view. */
    boolean liesInOneSegment(long offset, long length) {
        return length <= segmentBytes() - offset % segmentBytes();
    }

    /** What is done with a part of a range of bytes. */
    @FunctionalInterface
    public interface PartAction {
        /**
         * Works on one part.
         *
         * @param part a view of it, from 0 to its capacity, in native byte order
         * @param done bytes of the range before it
         */
        void run(ByteBuffer part, int done);
    }

    /**
     * Goes through bytes {@code [offset, offset + length)}, each part in one segment; elements never lie in two. Of a closed
     * buffer too, only between {@link #hold} and {@link #letGo}.
     */
    public void forEachPart(long offset, int length, PartAction action) {
        for (int done = 0; done < length; ) {
            long at = offset + done;
            int here = (int) Math.min(length - done, segmentBytes() - at % segmentBytes());
            action.run(memory().get(at, here), done);
            done += here;
        }
    }

    /** Throws {@link IllegalStateException} if it is closed. */
    public final void checkOpen() {
        if (closed.get()) {
            throw closedException();
        }
    }

    final IllegalStateException closedException() {
        return new IllegalStateException("this " + label + " is closed");
    }

    // ---- how it is called ----

    /** From now on it is called so in messages. */
    final void name(String name) {
        if (Objects.requireNonNull(name, "name").isBlank()) {
            throw new IllegalArgumentException("a buffer's name must not be blank");
        }
        label.name(name);
    }

    /** As the application calls it; null if it does not. */
    public final @Nullable String name() {
        return label.name();
    }

    /** The same for whoever counts what is moved. */
    public final Label label() {
        return label;
    }

    /** What messages call it, behind "a", "the" or "this": by its name, if it has one, type and length. */
    public final String text() {
        return label.toString();
    }

    @Override
    public String toString() {
        return text() + (isClosed() ? ", closed" : "");
    }

    /** What a device holds for a buffer. */
    @FunctionalInterface
    public interface DeviceMemory {
        /** Frees it. Called once, when nothing uses it any more. */
        void release();
    }
}
