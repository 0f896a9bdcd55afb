package dev.evener;

import dev.evener.internal.ContentVersion;
import dev.evener.internal.DeviceMemory;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * Page-aligned host memory that every device of an {@link Evener} can work on: in place where the device shares host
 * memory, through transfers elsewhere. Made by {@link Evener#allocate}, or, over memory that there is already, by {@link
 * Evener#wrap}.
 *
 * <p>A buffer larger than one piece of memory may be lies in several <em>segments</em>: its content is seen through {@link
 * #segments} or {@link #bytes(long, int)}, it can be sliced among units, and every other access needs a smaller one.
 *
 * <p>Any thread may read and write the views between jobs; while a job that uses the buffer runs, what the job writes must
 * not be touched and what it reads must not be written. {@link #close} releases what devices hold for it, or, while a job
 * still works on it (a cancelled one may), has the end of that job release it; the memory itself lives as long as a view of
 * it is reachable, so a view kept too long is stale but never a crash. Where memory is {@linkplain #isPageLocked
 * page-locked}, a later buffer of the same Evener may take it over, and such a view then shows, and spoils, that one's content.
 */
public final class HostBuffer implements AutoCloseable {
    private final ElementType type;
    private final long elements;
    private final Segments memory;
    private final Runnable onClose;
    private final Map<Object, DeviceMemory> attachments = new ConcurrentHashMap<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final ContentVersion version = new ContentVersion();
    private volatile boolean keptOnDevices;
    private int holders; // guarded by this
    private boolean released; // guarded by this

    /** A buffer that no Evener closes, of as large segments as there may be. */
    HostBuffer(ElementType type, long elements, Runnable onClose) {
        this(type, elements, 1, Segments.Limits.ofHost(), onClose);
    }

    /** Ordinary memory. */
    HostBuffer(ElementType type, long elements, long elementsPerUnit, Segments.Limits limits, Runnable onClose) {
        this(type, Segments.allocate(type, elements, elementsPerUnit, limits, null), onClose);
    }

    /** A buffer over memory that there is already. */
    HostBuffer(ElementType type, Segments memory, Runnable onClose) {
        this.type = type;
        this.elements = memory.bytes() / type.bytes();
        this.onClose = onClose;
        this.memory = memory;
    }

    /** The type of its elements. */
    public ElementType type() {
        return type;
    }

    /** Number of elements. */
    public long elements() {
        return elements;
    }

    /** Size in bytes. */
    public long byteSize() {
        return memory.bytes();
    }

    /**
     * All of it, in native byte order, with a position and limit of its own.
     *
     * @throws EvenerException if it lies in several segments
     */
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

    /** All of it as floats; see {@link #bytes()}. */
    public FloatBuffer floats() {
        return bytes().asFloatBuffer();
    }

    /** All of it as 32-bit integers; see {@link #bytes()}. */
    public IntBuffer ints() {
        return bytes().asIntBuffer();
    }

    /**
     * Views of its segments in order, each in native byte order, with a position and limit of its own. All but the last hold
     * {@link #segmentBytes} bytes.
     */
    public List<ByteBuffer> segments() {
        checkOpen();
        List<ByteBuffer> views = new ArrayList<>(memory.count());
        for (int i = 0; i < memory.count(); i++) {
            views.add(memory.get(i));
        }
        return views;
    }

    /**
     * A view of bytes {@code [offset, offset + length)}, in native byte order.
     *
     * @throws IndexOutOfBoundsException if the buffer has no such bytes
     * @throws IllegalArgumentException if they do not lie in one segment
     */
    public ByteBuffer bytes(long offset, int length) {
        checkOpen();
        return memory.get(offset, length);
    }

    /** How many segments it lies in; 1 unless it is larger than one piece of memory may be. */
    public int segmentCount() {
        return memory.count();
    }

    /** Bytes from the start of a segment to that of the next: offset {@code o} lies in segment {@code o / segmentBytes}. */
    public long segmentBytes() {
        return memory.stride();
    }

    /**
     * From now on, devices with memory of their own may keep what they hold of this buffer from one job to the next, and the
     * caller promises to call {@link #hostChanged} whenever it has written to the buffer through a view, in a host step
     * too. Without this, what a device holds is trusted within one job only, and each job sends what it reads.
     *
     * @return this buffer
     */
    public HostBuffer keepOnDevices() {
        version.changed();
        keptOnDevices = true;
        return this;
    }

    /** Tells that the buffer was written to through a view: after the writes, and before the next job that reads it. */
    public void hostChanged() {
        version.changed();
    }

    /** Whether {@link #keepOnDevices} was called. */
    public boolean isKeptOnDevices() {
        return keptOnDevices;
    }

    /**
     * Whether its memory is page-locked, so that devices with memory of their own transfer from and to it at the full speed of
     * their bus.
     */
    public boolean isPageLocked() {
        return memory.isPageLocked();
    }

    /** Whether {@link #close} was called. */
    public boolean isClosed() {
        return closed.get();
    }

    /** Releases what devices hold for it, if need be when the jobs under way with it have ended. Idempotent. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            onClose.run();
            releaseUnlessHeld();
        }
    }

    /**
     * Whether this buffer and another one have memory in common, as memory that was brought to {@link Evener#wrap} may; true
     * for the buffer itself. For the runtime and for primitives, which write this one: unless a job is at work on it, a byte
     * of it may change for a moment. While one is, buffers that are not the same are taken to be apart.
     */
    public synchronized boolean overlaps(HostBuffer other) {
        return other == this || (holders == 0 && memory.overlaps(other.memory));
    }

    /** For the runtime: a job begins to work on this buffer. False, and no hold, if it is closed. */
    public synchronized boolean hold() {
        if (closed.get()) {
            return false;
        }
        holders++;
        return true;
    }

    /** For the runtime: ends one {@link #hold}; no lane works on the buffer for that job any more. */
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
     * For the runtime: what {@code owner} holds for this buffer, made on first use and released after {@link #close}. Only
     * between {@link #hold} and {@link #letGo}.
     */
    public DeviceMemory attachment(Object owner, Function<HostBuffer, DeviceMemory> maker) {
        DeviceMemory present = attachments.get(owner);
        return present != null ? present : attachments.computeIfAbsent(owner, o -> maker.apply(this));
    }

    /** For the runtime: when its content changed. */
    public ContentVersion version() {
        return version;
    }

    /** For the runtime: {@link #bytes(long, int)}, of a closed buffer too. Only between {@link #hold} and {@link #letGo}. */
    public ByteBuffer part(long offset, int length) {
        return memory.get(offset, length);
    }

    /** For the runtime: a view of one segment, of a closed buffer too. Only between {@link #hold} and {@link #letGo}. */
    public ByteBuffer segment(int index) {
        return memory.get(index);
    }

    private void checkOpen() {
        if (closed.get()) {
            throw new IllegalStateException("this buffer of " + elements + " " + type.openClName() + " is closed");
        }
    }
}
