package dev.evener.internal;

import dev.evener.ElementType;
import dev.evener.EvenerException;
import dev.evener.HostBuffer;
import dev.evener.internal.data.Directory;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link HostBuffer} is to the runtime: its memory, what devices hold for it, who works on it, and when it changed. Any
 * thread.
 */
public final class ManagedBuffer implements HostBuffer {
    private final ElementType type;
    private final long elements;
    private final Segments memory;
    private final Map<Object, DeviceMemory> attachments = new ConcurrentHashMap<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Directory directory;
    private volatile @Nullable Runnable onClose;
    private volatile boolean keptOnDevices;
    private int holders; // guarded by this
    private boolean released; // guarded by this

    public ManagedBuffer(ElementType type, Segments memory) {
        this.type = type;
        this.elements = memory.bytes() / type.bytes();
        this.memory = memory;
        this.directory = new Directory(memory.bytes());
    }

    /** The one implementation of a buffer. */
    public static ManagedBuffer of(HostBuffer buffer) {
        return (ManagedBuffer) buffer;
    }

    /** Runs something when it is closed; said before anybody else has the buffer. */
    public ManagedBuffer onClose(Runnable action) {
        this.onClose = action;
        return this;
    }

    @Override
    public ElementType type() {
        return type;
    }

    @Override
    public long elements() {
        return elements;
    }

    @Override
    public long byteSize() {
        return memory.bytes();
    }

    @Override
    public ByteBuffer bytes() {
        checkOpen();
        if (memory.count() > 1) {
            throw new EvenerException(
                    "this buffer of " + elements + " " + type.openClName() + " lies in " + memory.count()
                            + " segments of " + memory.stride()
                            + " bytes, not in one view; use segments(), or bytes(offset, length)"
                            + " for a part within one of them");
        }
        return memory.get(0);
    }

    @Override
    public ByteBuffer bytes(long offset, int length) {
        checkOpen();
        return memory.get(offset, length);
    }

    @Override
    public List<ByteBuffer> segments() {
        checkOpen();
        return IntStream.range(0, memory.count()).mapToObj(memory::get).toList();
    }

    @Override
    public void put(long element, Buffer source) {
        copy(element, source, true);
        directory.hostWrote();
    }

    @Override
    public void get(long element, Buffer target) {
        copy(element, target, false);
    }

    private void copy(long element, Buffer other, boolean in) {
        checkOpen();
        int width = width(other);
        if (width != 1 && width != type.bytes()) {
            throw new IllegalArgumentException("elements of " + type.openClName() + " have " + type.bytes()
                    + " bytes each; they are copied from and to a ByteBuffer, or one of numbers of that width, not a "
                    + other.getClass().getSuperclass().getSimpleName());
        }
        int count = other.remaining();
        long first = element * type.bytes();
        Objects.checkFromIndexSize(first, (long) count * width, byteSize());
        for (int done = 0; done < count; ) {
            long at = first + (long) done * width;
            int here = (int) Math.min(count - done, (segmentBytes() - at % segmentBytes()) / width);
            copy(memory.get(at, here * width), other, other.position() + done, here, in);
            done += here;
        }
        other.position(other.limit());
    }

    private static int width(Buffer of) {
        return of instanceof ByteBuffer
                ? 1
                : of instanceof ShortBuffer
                        ? 2
                        : of instanceof IntBuffer || of instanceof FloatBuffer
                                ? 4
                                : of instanceof LongBuffer || of instanceof DoubleBuffer ? 8 : 0;
    }

    private static void copy(ByteBuffer part, Buffer other, int at, int count, boolean in) {
        if (other instanceof ByteBuffer b) {
            Object ignored = in ? part.put(0, b, at, count) : b.put(at, part, 0, count);
        } else if (other instanceof ShortBuffer b) {
            ShortBuffer own = part.asShortBuffer();
            Object ignored = in ? own.put(0, b, at, count) : b.put(at, own, 0, count);
        } else if (other instanceof IntBuffer b) {
            IntBuffer own = part.asIntBuffer();
            Object ignored = in ? own.put(0, b, at, count) : b.put(at, own, 0, count);
        } else if (other instanceof FloatBuffer b) {
            FloatBuffer own = part.asFloatBuffer();
            Object ignored = in ? own.put(0, b, at, count) : b.put(at, own, 0, count);
        } else if (other instanceof LongBuffer b) {
            LongBuffer own = part.asLongBuffer();
            Object ignored = in ? own.put(0, b, at, count) : b.put(at, own, 0, count);
        } else if (other instanceof DoubleBuffer b) {
            DoubleBuffer own = part.asDoubleBuffer();
            Object ignored = in ? own.put(0, b, at, count) : b.put(at, own, 0, count);
        }
    }

    @Override
    public int segmentCount() {
        return memory.count();
    }

    @Override
    public long segmentBytes() {
        return memory.stride();
    }

    @Override
    public ManagedBuffer keepOnDevices() {
        directory.hostWrote();
        keptOnDevices = true;
        return this;
    }

    @Override
    public void hostChanged() {
        directory.hostWrote();
    }

    @Override
    public boolean isKeptOnDevices() {
        return keptOnDevices;
    }

    @Override
    public boolean isPageLocked() {
        return memory.isPageLocked();
    }

    @Override
    public boolean isReadOnly() {
        return memory.isReadOnly();
    }

    /** Whether its memory is the application's, so that other buffers may lie over it. */
    public boolean isWrapped() {
        return memory.isForeign();
    }

    @Override
    public boolean isClosed() {
        return closed.get();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            Runnable action = onClose;
            if (action != null) {
                action.run();
            }
            releaseUnlessHeld();
        }
    }

    @Override
    public boolean overlaps(HostBuffer other) {
        return mayOverlap(of(other));
    }

    /** Whether what is written to one of the two may be seen in the other. */
    public boolean mayOverlap(ManagedBuffer other) {
        return other == this || memory.overlaps(other.memory);
    }

    /** A job begins to work on this buffer. False, and no hold, if it is closed. */
    public synchronized boolean hold() {
        if (closed.get()) {
            return false;
        }
        holders++;
        return true;
    }

    /** Ends one {@link #hold}; no lane works on the buffer for that job any more. */
    public synchronized void letGo() {
        holders--;
        if (closed.get()) {
            releaseUnlessHeld();
        }
    }

    private synchronized void releaseUnlessHeld() {
        if (holders == 0) {
            attachments.values().forEach(DeviceMemory::release);
            attachments.clear();
            if (!released) {
                released = true;
                memory.release();
            }
        }
    }

    /**
     * What {@code owner} holds for this buffer, made on first use and released after {@link #close}. Only between {@link #hold}
     * and {@link #letGo}.
     */
    public DeviceMemory attachment(Object owner, Function<ManagedBuffer, DeviceMemory> maker) {
        DeviceMemory present = attachments.get(owner);
        return present != null ? present : attachments.computeIfAbsent(owner, o -> maker.apply(this));
    }

    /** Where its content lies. */
    public Directory directory() {
        return directory;
    }

    /** {@link #bytes(long, int)}, of a closed buffer too. Only between {@link #hold} and {@link #letGo}. */
    public ByteBuffer part(long offset, int length) {
        return memory.get(offset, length);
    }

    /** A view of one segment, of a closed buffer too. Only between {@link #hold} and {@link #letGo}. */
    public ByteBuffer segment(int index) {
        return memory.get(index);
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
            action.run(memory.get(at, here), done);
            done += here;
        }
    }

    private void checkOpen() {
        if (closed.get()) {
            throw new IllegalStateException("this buffer of " + elements + " " + type.openClName() + " is closed");
        }
    }

    /** What a device holds for a buffer. */
    @FunctionalInterface
    public interface DeviceMemory {
        /** Frees it. Called once, when nothing uses it any more. */
        void release();
    }
}
