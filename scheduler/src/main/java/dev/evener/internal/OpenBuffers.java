package dev.evener.internal;

import dev.evener.DeviceInfo;
import dev.evener.ElementType;
import dev.evener.EvenerException;
import dev.evener.internal.data.Label;
import java.lang.ref.Cleaner.Cleanable;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The buffers of one Evener that are not closed. They are closed with it; one that nothing refers to any more is freed before.
 * Any thread.
 *
 * <p>An application that leaves its buffers to the garbage collector keeps memory for longer than it needs to, so that it is told, once, where
 * it made one of them. No stack is walked before the first was found; from then on that of every buffer is kept until one of these is found.
 */
public final class OpenBuffers {
    private static final Logger LOG = LoggerFactory.getLogger(OpenBuffers.class);
    private static final AtomicBoolean TOLD = new AtomicBoolean();
    private static volatile boolean tracing;

    private final Set<Entry> open = ConcurrentHashMap.newKeySet();
    private final Segments.Limits limits;
    private final @Nullable PageLocked pageLocked;
    private final boolean checked;
    private final long mostManaged; // bytes of one that may lie anywhere

    /**
     * @param devices where managed ones may lie, too
     * @param pageLocked where their memory on the host comes from if it can; null for ordinary memory
     * @param checked whether they are of the checking mode
     */
    public OpenBuffers(
            List<DeviceInfo> devices, Segments.Limits limits, @Nullable PageLocked pageLocked, boolean checked) {
        long most = HostMemory.most();
        for (DeviceInfo device : devices) { // once each, wherever that is; a few more bytes do no harm
            most += Math.min(device.sharesHostMemory() ? 0 : device.memoryBytes(), Long.MAX_VALUE - most);
        }
        this.mostManaged = most;
        this.limits = limits;
        this.pageLocked = pageLocked;
        this.checked = checked;
    }

    /** One that is not closed. */
    private final class Entry implements Runnable {
        private final WeakReference<LogicalBuffer> buffer;
        private final Attachments attached;
        private final Label what;
        private final @Nullable Throwable made;

        Entry(LogicalBuffer of) {
            buffer = new WeakReference<>(of);
            attached = of.attached;
            what = of.label;
            made = tracing ? new Throwable("it was made here") : null;
        }

        /** Nothing refers to the buffer any more, or it was closed. */
        @Override
        public void run() {
            if (open.contains(this)) {
                attached.abandon();
                open.remove(this); // after that, as close() does not wait for what is not there
                tell();
            }
        }

        private void tell() {
            if (made == null) {
                tracing = !TOLD.get();
            } else if (TOLD.compareAndSet(false, true)) {
                tracing = false;
                LOG.warn(
                        "a {} was not closed, and nothing refers to it any more: its memory was freed later than it could have been;"
                                + " close buffers when they are not needed any more",
                        what,
                        made);
            }
        }
    }

    /** A new one, to be added. */
    public HostData allocate(ElementType type, long elements, long elementsPerUnit) {
        return new HostData(type, Segments.allocate(type, elements, elementsPerUnit, limits, pageLocked), checked);
    }

    /** The same of memory that is never page-locked. */
    public HostData allocateUnlocked(ElementType type, long elements) {
        return new HostData(type, Segments.allocate(type, elements, 1, limits, null), checked);
    }

    /** The same of the caller's memory. */
    public HostData wrap(ElementType type, ByteBuffer memory) {
        return new HostData(type, Segments.wrap(type, memory, limits), checked);
    }

    /** The same of one that stays where it is written. */
    public ManagedData allocateManaged(ElementType type, long elements, long elementsPerUnit, ManagedData.Turns turns) {
        ManagedData made = new ManagedData(type, elements, elementsPerUnit, limits, pageLocked, turns, checked);
        if (made.byteSize() > mostManaged) {
            throw new EvenerException("a buffer of " + elements + " " + type.openClName() + " (" + made.byteSize()
                    + " bytes) is larger than the memory of the host and of all devices together, " + mostManaged
                    + " bytes");
        }
        return made;
    }

    /**
     * Adds one that was made just now.
     *
     * @param owner what the buffer keeps from being collected; null for nothing
     */
    public <B extends LogicalBuffer> B add(B buffer, @Nullable Object owner) {
        Entry entry = new Entry(buffer);
        Cleanable cleanable = HostMemory.CLEANER.register(buffer, entry);
        buffer.onClose(() -> {
            try {
                open.remove(entry);
                cleanable.clean(); // which finds that it was closed
            } finally {
                Reference.reachabilityFence(owner);
            }
        });
        open.add(entry);
        return buffer;
    }

    /** Closes all of them. */
    public void close() {
        for (Entry entry : open) {
            LogicalBuffer buffer = entry.buffer.get();
            if (buffer != null) {
                buffer.close();
            } else {
                entry.attached.abandon();
            }
        }
    }
}
