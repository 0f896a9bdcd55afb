package dev.evener.internal.data;

import dev.evener.DataLostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which places hold the current value of each byte of a buffer. Places are the host's memory, which all lanes that work in place
 * share, and the memory of each device that has its own. What is written is current where it was written, and nowhere else; what is
 * copied is current at both ends. So nobody has to be told that something changed, and nothing needs to be moved before it is read.
 * What was never written is zero: a place beside those, from which nothing is moved, holds it.
 *
 * <p>The rule that makes it right: jobs that touch the same bytes, one of them writing, never run at the same time
 * ({@code internal.order.Accesses}), and of one job no two lanes touch a byte that one of them writes. So while a job runs, what it
 * reads changes nowhere, and a copy that was made is a copy of the current value.
 *
 * <p>Any thread. A lock of the buffer's own guards the books for some instructions, never while bytes are moved; a buffer that lies
 * on the host alone takes none.
 */
public final class Directory {
    private final long bytes;
    private Label of = new Label(0, "bytes"); // of the buffer whose it is
    private final HostGate gate;
    private final AtomicLong changes = new AtomicLong(); // of its content, wherever
    private volatile boolean onHostAlone; // all of it on the host, and nothing elsewhere

    // Guarded by this.
    private final RangeSet host = new RangeSet();
    private final RangeSet written = new RangeSet(); // nobody has written these since a device did
    private final List<Holding> devices = new ArrayList<>(); // those with something
    private Holding zeros = new Holding(this, "", fetch -> true); // what was never written
    private final Fetches fetches = new Fetches(this); // under way
    private final Losses losses = new Losses(); // why what nobody holds is lost

    /** What the memory of a device holds of a buffer. */
    public static final class Holding {
        private final Directory directory;
        private final String device; // its id
        private final String underWay; // there, as the reason why something is lost
        private final Source source;

        // Guarded by the directory.
        private final RangeSet current = new RangeSet();
        private final Past past;

        private Holding(Directory directory, String device, Source source) {
            this.directory = directory;
            this.device = device;
            this.underWay = "a kernel that was to write it was under way on device " + device;
            this.source = source;
            this.past = new Past(current, directory.written);
        }

        /** Counts bytes that are sent there, by why they are not there yet. */
        public void count(long from, long to, Traffic traffic) {
            synchronized (directory) {
                traffic.of(directory.of);
                for (long at = from, end; at < to; at = end) {
                    end = past.count(device, at, to, traffic);
                }
            }
        }

        /** The first byte of {@code [from, to)} that is not current there, or {@code to}. */
        public long missingFrom(long from, long to) {
            synchronized (directory) {
                return current.missingFrom(from, to);
            }
        }

        /** The first byte of {@code [from, to)} that is, or {@code to}. */
        public long presentFrom(long from, long to) {
            synchronized (directory) {
                return current.presentFrom(from, to);
            }
        }

        /** The device has no memory for these bytes any more. */
        public void givesUp(long from, long to) {
            synchronized (directory) {
                past.givesUp(from, to);
                leaveIfForgotten();
            }
        }

        /** There is no copy there any more, nor will be. */
        public void close() {
            synchronized (directory) {
                directory.devices.remove(this);
            }
        }

        /**
         * The device is about to write over these bytes: they are no copy. What nobody else holds is lost if it never says that it
         * {@linkplain #wrote has}, as one that hung, and begins when its job has ended without it.
         */
        public void spoils(long from, long to) {
            synchronized (directory) {
                current.forEach(from, to, (at, end) -> directory.losses.add(at, end, underWay));
                current.remove(from, to);
                leaveIfForgotten();
            }
        }

        private void leaveIfForgotten() {
            if (past.isForgotten()) {
                directory.devices.remove(this);
            }
        }

        /**
         * Bytes have been copied there, which are the current ones unless the buffer was written meanwhile: a lane that hung comes
         * back late from a job that others have ended.
         *
         * @param since what {@link Directory#changes} said before
         */
        public void received(long from, long to, long since) {
            synchronized (directory) {
                directory.onHostAlone = false; // first: who writes to it either sees that, or is seen here
                if (directory.changes.get() == since) {
                    directory.holds(this, from, to);
                }
            }
        }

        /**
         * The device has written these bytes, and no place else holds them now but the host, if they were fetched. Whoever writes says
         * so once, when it counts: there is no moment in which an older value is taken for the current one.
         *
         * @param fetched whether they are in the host's memory too
         */
        public void wrote(long from, long to, boolean fetched) {
            directory.changes.incrementAndGet();
            synchronized (directory) {
                if (fetched) {
                    directory.host.add(from, to);
                } else {
                    directory.host.remove(from, to);
                }
                directory.outdate(from, to);
                directory.holds(this, from, to);
                directory.losses.remove(from, to);
                past.wrote(from, to);
            }
        }

        /** What the device holds of these bytes has been copied to the host by who wrote them, whose job holds the buffer. */
        public void fetched(long from, long to) {
            synchronized (directory) {
                current.forEach(from, to, directory.host::add);
            }
        }

        /**
         * Has the host hold what the device does of these bytes, so that it can give them up, and waits for those who copy any of it. What
         * the host or another device writes meanwhile is none of it any more. Of a buffer that nobody can look at, nothing is fetched.
         */
        public void evacuate(long from, long to, Traffic traffic) {
            try (HostGate.Hold hold = directory.gate.open()) {
                for (long at = from; hold != null && at < to; ) {
                    Fetch fetch;
                    synchronized (directory) {
                        directory.fetches.await(at, to);
                        at = current.presentFrom(at, to);
                        long end = current.missingFrom(at, to);
                        at = directory.host.missingFrom(at, end);
                        fetch = at < end ? begin(at, directory.host.presentFrom(at, end), hold, null) : null;
                        at = fetch == null ? end : fetch.to();
                    }
                    if (fetch != null && !directory.run(fetch)) {
                        return; // the device has no memory for it any more
                    } else if (fetch != null) {
                        traffic.of(directory.of).fetchedFor(device, fetch.from(), fetch.to());
                    }
                }
                synchronized (directory) { // of what the host has, nothing more is copied from here, nor elsewhere
                    directory.fetches.await(from, to);
                }
            }
        }

        private Fetch begin(long from, long to, HostGate.Hold hold, @Nullable ByteBuffer elsewhere) {
            return directory.fetches.begin(this, from, to, hold, elsewhere);
        }

        /**
         * What it held of these bytes is gone.
         *
         * @param reason why what nobody else holds is lost
         */
        public void forget(long from, long to, String reason) {
            synchronized (directory) {
                current.forEach(from, to, (at, end) -> directory.losses.add(at, end, reason));
                current.remove(from, to);
                leaveIfForgotten();
            }
        }

        @Override
        public String toString() {
            synchronized (directory) {
                return current.toString();
            }
        }
    }

    /**
     * @param onHost whether all of it lies on the host; else it was never written, and is zero, as the host's memory is then
     * @param gate to its memory there
     */
    public Directory(long bytes, boolean onHost, HostGate gate) {
        this.bytes = bytes;
        this.gate = gate;
        if (onHost) {
            hostWrote(0, bytes);
        } else {
            holds(zeros, 0, bytes);
        }
    }

    /** Which buffer's it is; said before anybody else has the directory. */
    public void isOf(Label buffer) {
        of = buffer;
    }

    /** Of the memory of one more device, which has this id and holds nothing yet. */
    public Holding newHolding(String device, Source source) {
        return new Holding(this, device, source);
    }

    private void holds(Holding device, long from, long to) {
        if (!devices.contains(device)) {
            devices.add(device);
        }
        onHostAlone = false;
        device.current.add(from, to);
        device.past.holds(from, to);
    }

    /** With the lock held: somebody writes these bytes, or they are lost. */
    private void outdate(long from, long to) {
        devices.forEach(each -> each.past.isOutdated(from, to));
        written.remove(from, to);
    }

    /**
     * Grows whenever any of it is about to be written, or was, by whomever that tells: while it is what it was, so is
     * the content, unless
     * an application writes through views of its own.
     */
    public long changes() {
        return changes.get();
    }

    /**
     * The host is about to write over these bytes, of which it has what it needs: devices hold them no more, so that nothing older is
     * copied over what it writes. Copies that are under way are waited for.
     */
    public void hostWrites(long from, long to) {
        changes.incrementAndGet();
        if (onHostAlone) {
            return;
        }
        synchronized (this) {
            outdate(from, to);
            fetches.await(from, to);
        }
    }

    /** These bytes were written on the host. */
    public void hostWrote(long from, long to) {
        changes.incrementAndGet();
        if (onHostAlone) {
            return;
        }
        synchronized (this) {
            host.add(from, to);
            outdate(from, to);
            if (from == 0 && to == bytes) {
                devices.clear();
                onHostAlone = true;
            }
        }
    }

    /** Whether the host holds all of these bytes. */
    public boolean isOnHost(long from, long to) {
        if (onHostAlone) {
            return true;
        }
        synchronized (this) {
            return host.missingFrom(from, to) == to;
        }
    }

    /** How many of these bytes would have to be brought to a device or, if that is null, to the host. */
    public synchronized long missing(@Nullable String device, long from, long to) {
        List<RangeSet> there = new ArrayList<>(device == null ? List.of(host) : List.of());
        for (Holding each : devices) { // or no device: what was never written
            there.addAll(each.device.isEmpty() || each.device.equals(device) ? List.of(each.current) : List.of());
        }
        return RangeSet.missing(there, from, to);
    }

    /**
     * Has the host hold these bytes, fetching what it lacks from the devices that hold it.
     *
     * @param traffic where that is counted
     * @return how many bytes were fetched
     * @throws DataLostException if some are lost; it says which, and why
     * @throws IllegalStateException if the buffer is closed and nobody holds it
     */
    public long bringToHost(long from, long to, Traffic traffic) {
        if (isOnHost(from, to)) {
            return 0;
        }
        try (HostGate.Hold hold = gate.open()) {
            if (hold == null) {
                throw new IllegalStateException("this " + of + " is closed");
            }
            return bringToHost(from, to, traffic, hold);
        }
    }

    private long bringToHost(long from, long to, Traffic traffic, HostGate.Hold hold) {
        long moved = 0;
        for (long at = from; !onHostAlone && at < to; ) {
            Fetch fetch = null;
            synchronized (this) {
                at = host.missingFrom(at, to);
                fetches.await(at, to);
                at = host.missingFrom(at, to);
                long end = host.presentFrom(at, to);
                Holding holder = holder(at);
                if (at < end && holder == null) {
                    requireNotLost(at, end);
                }
                if (at < end && holder != null) {
                    fetch = holder.begin(at, Math.min(end, holder.current.missingFrom(at, end)), hold, null);
                } else {
                    at = end;
                }
            }
            if (fetch != null && run(fetch) && !fetch.holder.device.isEmpty()) {
                moved += fetch.to() - fetch.from();
                traffic.of(of).fetchedFor(fetch.holder.device, fetch.from(), fetch.to());
            } // else it has been given up meanwhile; what the host still lacks is looked for again
        }
        return moved;
    }

    /**
     * Copies these bytes to other memory than the buffer's on the host, which holds no more afterwards; false unless devices hold all of
     * them, and the host none. Not while anybody writes them.
     */
    public boolean copy(long from, long to, ByteBuffer target, Traffic traffic) {
        try (HostGate.Hold hold = gate.open()) {
            for (long at = from; at < to; ) {
                Fetch fetch;
                synchronized (this) {
                    boolean elsewhere = hold != null && !onHostAlone && host.presentFrom(from, to) >= to;
                    Holding holder = elsewhere ? holder(at) : null;
                    if (hold == null || holder == null || holder.device.isEmpty()) {
                        return false;
                    }
                    long end = holder.current.missingFrom(at, to);
                    fetch = holder.begin(at, end, hold, target.slice((int) (at - from), (int) (end - at)));
                }
                if (!run(fetch)) {
                    return false;
                }
                traffic.of(of).fetchedFor(fetch.holder.device, at, fetch.to());
                at = fetch.to();
            }
            return true;
        }
    }

    /** Has the host hold all that is held anywhere, and counts that. What a device does not give up any more is lost. */
    public void bringAllToHost(Traffic traffic) {
        List<Holding> holders;
        synchronized (this) {
            holders = List.copyOf(devices);
        }
        for (Holding each : holders) {
            try {
                each.evacuate(0, bytes, traffic);
            } catch (RuntimeException e) {
                each.forget(0, bytes, "the device that alone held them did not give them up: " + e.getMessage());
            }
        }
    }

    /**
     * Copies to the host, which then holds what is still the current value, unless it goes elsewhere; false if the device has no memory for
     * it any more.
     */
    private boolean run(Fetch fetch) {
        boolean copied = false;
        try {
            copied = fetch.holder.source.fetch(fetch);
        } finally {
            synchronized (this) {
                fetches.end(fetch);
                if (copied && !fetch.goesElsewhere()) {
                    fetch.holder.current.forEach(fetch.from(), fetch.to(), host::add);
                }
            }
        }
        return copied;
    }

    private @Nullable Holding holder(long at) {
        Predicate<Holding> holds = each -> each.current.presentFrom(at, at + 1) == at;
        return devices.stream().filter(holds).findFirst().orElse(null);
    }

    /**
     * Does nothing if each of these bytes is held somewhere.
     *
     * @throws DataLostException that says which are lost, and why
     */
    public synchronized void requireNotLost(long from, long to) {
        for (long at = from; !onHostAlone && at < to; ) {
            long end = host.missingFrom(at, to);
            for (Holding each : devices) {
                end = Math.max(end, each.current.missingFrom(at, to));
            }
            if (end == at) {
                throw new DataLostException("bytes from " + at + " on of the " + of, losses.reason(at));
            }
            at = end;
        }
    }

    /** Why these bytes are lost if nobody holds them from now on. */
    public synchronized void explainLoss(long from, long to, String reason) {
        losses.add(from, to, reason);
    }

    /** These bytes are lost. */
    public synchronized void lose(long from, long to, String reason) {
        changes.incrementAndGet();
        host.remove(from, to);
        outdate(from, to);
        onHostAlone = false;
        losses.add(from, to, reason);
    }

    /**
     * All of it counts as never written. Not while anybody reads or writes it.
     *
     * @param clearing makes bytes of the host's memory, which may hold anything by now, zero, once they are needed there
     */
    public synchronized void discard(Source clearing) {
        lose(0, bytes, "");
        losses.clear();
        devices.clear();
        zeros = new Holding(this, "", clearing);
        holds(zeros, 0, bytes);
    }
}
