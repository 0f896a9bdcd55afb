package dev.evener.internal.memory;

import dev.evener.Report.Cause;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.LogicalBuffer.DeviceMemory;
import dev.evener.internal.cl.DeviceBuffer;
import dev.evener.internal.data.Directory;
import dev.evener.internal.data.Fetch;
import dev.evener.internal.data.Source;
import dev.evener.internal.data.Traffic;
import dev.evener.internal.job.Argument;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.recovery.LaneFailure.Kind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one device keeps of buffers between chunks, within a budget: the copy that was used longest ago gives way to a new one. What
 * only it holds goes to the host first. Of what finds no place, chunks are sent what they need.
 *
 * <p>All methods are for the lane's thread. What hangs on a buffer may be released, and fetched from, by any thread, so that the
 * books are kept under a lock; it is held for a few instructions, never during a call that may wait for the device.
 */
final class DeviceCopies {
    private static final Logger LOG = LoggerFactory.getLogger(DeviceCopies.class);

    /** Copies from the device while its lane does something else. Any thread. */
    interface Fetcher {
        /** Fetches bytes from a place on to the beginning of host memory, and waits for them. */
        void fetch(DeviceBuffer from, long at, long count, ByteBuffer to);
    }

    /**
     * Ranges of a buffer with copies of their own. Each is one more place in the buffer's directory, which is walked several times for each
     * chunk: beyond so many, that takes as long as it does to send a range again.
     */
    static final int MOST_RANGES = 64;

    private final String device;
    private final LongFunction<DeviceBuffer> allocator;
    private final Fetcher fetcher;
    private final long limit;
    private final long largest;
    private final Traffic evicted = new Traffic().because(Cause.EVICTION, false);
    private final Function<LogicalBuffer, DeviceMemory> maker = Copies::new; // one object, so that a look-up makes none

    // Guarded by this.
    private final List<DeviceCopy> live = new ArrayList<>();
    private long total;
    private long uses;

    /**
     * @param device its id
     * @param allocator makes a buffer of so many bytes on the device
     * @param fetcher for what others need and only the device holds
     * @param limit most bytes of all copies together
     * @param largest most bytes of one
     */
    DeviceCopies(String device, LongFunction<DeviceBuffer> allocator, Fetcher fetcher, long limit, long largest) {
        this.device = device;
        this.allocator = allocator;
        this.fetcher = fetcher;
        this.limit = limit;
        this.largest = largest;
    }

    /** Which elements a range has, without the buffer, which must not be kept. */
    private record Place(long first, long elements) {}

    /** The copies of one buffer, or of one of its ranges. */
    private final class Copies implements DeviceMemory, Source {
        private final DeviceCopy[] copies;
        private final long stride;
        private final Directory.Holding holding;

        /** Those that have copies of their own, the one used last behind the others. Guarded by the lock of all copies. */
        private final Map<Place, Copies> ranges = new LinkedHashMap<>(4, 0.75f, true);

        Copies(LogicalBuffer host) {
            this(host.all());
        }

        Copies(LogicalBuffer.Range of) {
            copies = new DeviceCopy[of.segmentCount()];
            stride = of.segmentBytes();
            holding = of.buffer().directory().newHolding(device, this);
            for (int i = 0; i < copies.length; i++) {
                long from = of.from() + i * stride;
                copies[i] = new DeviceCopy(of.buffer(), from, Math.min(stride, of.to() - from), holding);
            }
        }

        private DeviceCopy at(long place) {
            return copies[(int) ((place - copies[0].origin) / stride)];
        }

        /** The copies of a range; null if there are none. For the lane's thread, as is what follows. */
        @Nullable
        Copies of(LogicalBuffer.Range range) {
            synchronized (DeviceCopies.this) {
                return ranges.get(new Place(range.first(), range.elements()));
            }
        }

        /** The same, made if there are none. Those of the range that was used longest ago give way if there are many. */
        Copies made(LogicalBuffer.Range range) {
            Copies present = of(range);
            if (present == null) {
                for (Copies oldest = tooMany(); oldest != null; oldest = tooMany()) {
                    oldest.copies[0].evacuate(evicted);
                    doom(oldest.copies[0]);
                    oldest.holding.close();
                }
                present = new Copies(range);
                synchronized (DeviceCopies.this) {
                    ranges.put(new Place(range.first(), range.elements()), present);
                }
            }
            return present;
        }

        /** If one more would be too many, takes away the one that was used longest ago, unless all are in use. */
        private @Nullable Copies tooMany() {
            synchronized (DeviceCopies.this) {
                for (Iterator<Copies> all = ranges.values().iterator();
                        ranges.size() >= MOST_RANGES && all.hasNext(); ) {
                    Copies oldest = all.next();
                    if (oldest.copies[0].pins == 0) {
                        all.remove();
                        return oldest;
                    }
                }
                return null;
            }
        }

        @Override
        public boolean fetch(Fetch what) {
            for (long at = what.from(), end; at < what.to(); at = end) {
                DeviceCopy copy = at(at);
                end = Math.min(what.to(), copy.end());
                if (!pinPresent(copy)) {
                    return false;
                }
                try {
                    fetcher.fetch(copy.buffer(), at - copy.origin, end - at, what.target(at, end - at));
                } finally {
                    unpin(copy);
                }
            }
            return true;
        }

        @Override
        public void release() {
            for (DeviceCopy copy : copies) {
                doom(copy);
            }
            List<Copies> apart;
            synchronized (DeviceCopies.this) {
                apart = List.copyOf(ranges.values());
            }
            apart.forEach(Copies::release);
        }
    }

    /**
     * The copy of a segment, pinned until {@link #unpin}; null if it finds no place.
     *
     * @param room bytes of the device's memory that copies may take at present, if that is less than their limit
     * @param pins where it is noted for {@link #unpin}
     */
    @Nullable
    DeviceCopy pin(LogicalBuffer host, int segment, long room, List<DeviceCopy> pins) {
        return pin(copies(host).copies[segment], room, pins);
    }

    /** The same of a copy that a range has for itself. */
    @Nullable
    DeviceCopy pin(LogicalBuffer.Range apart, long room, List<DeviceCopy> pins) {
        return pin(copies(apart.buffer()).made(apart).copies[0], room, pins);
    }

    private Copies copies(LogicalBuffer host) {
        return (Copies) host.attachment(this, maker);
    }

    private @Nullable DeviceCopy pin(DeviceCopy copy, long room, List<DeviceCopy> pins) {
        if (copy.buffer == null && !allocate(copy, Math.min(limit, room))) {
            return null;
        }
        synchronized (this) {
            copy.lastUse = ++uses;
            copy.pins++;
        }
        pins.add(copy);
        return copy;
    }

    /**
     * Whether all that a chunk sees or writes of a buffer is in copies, of which it needs no parts: those of two jobs may overlap, and
     * one would wait for the other to be freed ({@link DeviceCopy.Part}).
     *
     * @param apart whether its range has a copy for itself
     * @param part whether kernels see what is asked for as a part of it, unless it is all
     */
    boolean isThere(Argument.Buffer of, long from, long to, boolean apart, boolean part) {
        Copies its = apart ? copies(of.buffer()).of(of.range()) : copies(of.buffer());
        if (its == null) {
            return false;
        }
        for (long at = from, end; at < to; at = end) {
            DeviceCopy copy = its.at(at);
            end = Math.min(to, copy.end());
            if (copy.buffer == null
                    || (part && end - at < copy.bytes)
                    || (of.read() && copy.holding.missingFrom(at, end) < end)) {
                return false;
            }
        }
        return true;
    }

    private boolean allocate(DeviceCopy copy, long most) {
        if (copy.bytes == 0 || copy.bytes > largest || !makeRoom(copy.bytes, most)) {
            return false;
        }
        DeviceBuffer mem;
        try {
            mem = inWhatIsLeft(() -> allocator.apply(copy.bytes));
        } catch (LaneFailure e) {
            if (e.kind() == Kind.MEMORY) {
                return false;
            }
            throw e;
        }
        synchronized (this) {
            copy.buffer = mem;
            live.add(copy);
            total += copy.bytes;
        }
        return true;
    }

    /**
     * Makes something on the device, without unused copies if there is no room: the device may have less to give than
     * the budget says.
     */
    DeviceBuffer inWhatIsLeft(Supplier<DeviceBuffer> maker) {
        try {
            return maker.get();
        } catch (LaneFailure e) {
            if (e.kind() != Kind.MEMORY || !drop()) {
                throw e;
            }
            return maker.get();
        }
    }

    /** Moves what was fetched from copies that gave way to others to the books of a chunk. */
    void countEvicted(Traffic chunk) {
        chunk.take(evicted);
    }

    private synchronized boolean pinPresent(DeviceCopy copy) {
        boolean present = copy.buffer != null;
        copy.pins += present ? 1 : 0;
        return present;
    }

    /** Ends the use of copies that a chunk has pinned. */
    void unpin(List<DeviceCopy> pins) {
        pins.forEach(this::unpin);
        pins.clear();
    }

    private void unpin(DeviceCopy copy) {
        boolean doomed;
        synchronized (this) {
            copy.pins--;
            doomed = copy.doomed;
        }
        if (doomed) {
            free(copy);
        }
    }

    /** Drops those used longest ago until no more than {@code most} bytes are taken. */
    void shrinkTo(long most) {
        makeRoom(0, most);
    }

    /** Drops all that are not in use; false if there was none. */
    boolean drop() {
        boolean any = false;
        for (DeviceCopy oldest = oldest(); oldest != null; oldest = oldest()) {
            giveUp(oldest);
            any = true;
        }
        return any;
    }

    /**
     * The device has failed: whatever is used next is sent again. What only it holds is fetched if it still answers.
     *
     * @param reason why the rest is lost
     */
    void forget(String reason) {
        List<DeviceCopy> all;
        synchronized (this) {
            all = List.copyOf(live);
        }
        for (DeviceCopy copy : all) {
            try {
                copy.evacuate(new Traffic());
            } catch (RuntimeException e) {
                LOG.debug("what the device held could not be fetched", e);
            }
            copy.holding.forget(copy.origin, copy.end(), reason);
        }
    }

    private boolean makeRoom(long bytes, long most) {
        while (taken() + bytes > most) {
            DeviceCopy oldest = oldest();
            if (oldest == null) {
                return false;
            }
            giveUp(oldest);
        }
        return true;
    }

    private synchronized long taken() {
        return total;
    }

    private synchronized @Nullable DeviceCopy oldest() {
        DeviceCopy oldest = null;
        for (DeviceCopy copy : live) {
            if (copy.pins == 0 && (oldest == null || copy.lastUse < oldest.lastUse)) {
                oldest = copy;
            }
        }
        return oldest;
    }

    /** Its host buffer is closed; any thread. */
    private void doom(DeviceCopy copy) {
        synchronized (this) {
            copy.doomed = true;
        }
        free(copy);
    }

    /** Frees its memory; the host has what it held first. */
    private void giveUp(DeviceCopy copy) {
        copy.evacuate(evicted);
        free(copy);
    }

    /** Takes it off the books, unless it is pinned, and frees its memory, if it has any. */
    private void free(DeviceCopy copy) {
        DeviceBuffer mem;
        synchronized (this) {
            mem = copy.pins > 0 ? null : copy.buffer;
            if (mem != null) {
                copy.buffer = null;
                live.remove(copy);
                total -= copy.bytes;
            }
        }
        if (mem != null) {
            copy.holding.givesUp(copy.origin, copy.end());
            copy.freeParts();
            mem.close();
        }
    }
}
