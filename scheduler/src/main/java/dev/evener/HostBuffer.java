package dev.evener;

import dev.evener.internal.DeviceMemory;
import dev.evener.internal.Pages;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * Page-aligned host memory that every device of an {@link Evener} can work on: in place where the device shares host
 * memory, through transfers elsewhere. Made by {@link Evener#allocate}.
 *
 * <p>Any thread may read and write the views between jobs; while a job that uses the buffer runs, what the job writes must
 * not be touched and what it reads must not be written. {@link #close} releases what devices hold for it, or, while a job
 * still works on it (a cancelled one may), has the end of that job release it; the memory itself lives as long as a view of
 * it is reachable, so a view kept too long is stale but never a crash.
 */
public final class HostBuffer implements AutoCloseable {
    private final ElementType type;
    private final long elements;
    private final ByteBuffer memory;
    private final Runnable onClose;
    private final Map<Object, DeviceMemory> attachments = new ConcurrentHashMap<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private int holders; // guarded by this

    HostBuffer(ElementType type, long elements, Runnable onClose) {
        if (elements < 0) {
            throw new IllegalArgumentException("a buffer cannot have " + elements + " elements");
        }
        if (elements > (Integer.MAX_VALUE - 2L * Pages.SIZE) / type.bytes()) {
            throw new EvenerException("a buffer of " + elements + " " + type.openClName()
                    + " exceeds the 2 GiB that one" + " buffer can hold; use several buffers");
        }
        this.type = type;
        this.elements = elements;
        this.onClose = onClose;
        int bytes = (int) (elements * type.bytes());
        try {
            this.memory = Pages.allocate(bytes);
        } catch (OutOfMemoryError e) {
            throw new EvenerException(
                    "no host memory for a buffer of " + bytes
                            + " bytes; close other buffers or start Java with a larger" + " -XX:MaxDirectMemorySize",
                    e);
        }
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
        return elements * type.bytes();
    }

    /** All of it, in native byte order, with a position and limit of its own. */
    public ByteBuffer bytes() {
        checkOpen();
        return memory.duplicate().order(ByteOrder.nativeOrder());
    }

    /** All of it as floats. */
    public FloatBuffer floats() {
        return bytes().asFloatBuffer();
    }

    /** All of it as 32-bit integers. */
    public IntBuffer ints() {
        return bytes().asIntBuffer();
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
        }
    }

    /**
     * For the runtime: what {@code owner} holds for this buffer, made on first use and released after {@link #close}. Only
     * between {@link #hold} and {@link #letGo}.
     */
    public DeviceMemory attachment(Object owner, Function<ByteBuffer, DeviceMemory> maker) {
        DeviceMemory present = attachments.get(owner);
        return present != null ? present : attachments.computeIfAbsent(owner, o -> maker.apply(bytes()));
    }

    private void checkOpen() {
        if (closed.get()) {
            throw new IllegalStateException("this buffer of " + elements + " " + type.openClName() + " is closed");
        }
    }
}
