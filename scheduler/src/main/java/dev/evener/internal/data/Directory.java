package dev.evener.internal.data;

import java.util.ArrayList;
import java.util.List;

/**
 * Which places hold the current value of each byte of a buffer. Places are the host's memory, which all lanes that work in place
 * share, and the memory of each device that has its own. What is written is current where it was written, and nowhere else; what is
 * copied is current at both ends. So nobody has to be told that something changed, and nothing needs to be moved before it is read.
 *
 * <p>The rule that makes it right: jobs that touch the same buffer, one of them writing, never run at the same time
 * ({@code internal.run.Accesses}), and of one job no two lanes touch a byte that one of them writes. So while a job runs, what it
 * reads changes nowhere, and a copy that was made is a copy of the current value.
 *
 * <p>Any thread. A lock of the buffer's own guards the books for some instructions, never while bytes are moved; a buffer that lies
 * on the host alone takes none.
 */
public final class Directory {
    private final long bytes;
    private final RangeSet host = new RangeSet();
    private final List<Holding> devices = new ArrayList<>(); // those with something, guarded by this
    private volatile boolean onHostAlone; // all of it on the host, and nothing elsewhere
    private long writes; // guarded by this

    /** What the memory of a device holds of a buffer. */
    public static final class Holding {
        private final Directory directory;
        private final RangeSet current = new RangeSet(); // guarded by the directory

        private Holding(Directory directory) {
            this.directory = directory;
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

        /** The device is about to write over these bytes, or has memory no more: they are no copy. */
        public void spoils(long from, long to) {
            synchronized (directory) {
                current.remove(from, to);
            }
        }

        /**
         * Bytes have been copied there, which are the current ones unless the buffer was written meanwhile: a lane that hung comes
         * back late from a job that others have ended.
         *
         * @param since what {@link Directory#writes} said before
         */
        public void received(long from, long to, long since) {
            synchronized (directory) {
                if (directory.writes == since) {
                    directory.holds(this, from, to);
                }
            }
        }

        /** The device has written these bytes, and no place else holds them now. */
        public void wrote(long from, long to) {
            synchronized (directory) {
                directory.writes++;
                directory.host.remove(from, to);
                directory.devices.forEach(each -> each.current.remove(from, to));
                directory.holds(this, from, to);
            }
        }

        /** What it held is gone or in doubt. */
        public void forget() {
            spoils(0, directory.bytes);
        }

        @Override
        public String toString() {
            synchronized (directory) {
                return current.toString();
            }
        }
    }

    /** Of a buffer whose content lies on the host. */
    public Directory(long bytes) {
        this.bytes = bytes;
        host.add(0, bytes);
        onHostAlone = true;
    }

    /** Of the memory of one more device, which holds nothing yet. */
    public Holding newHolding() {
        return new Holding(this);
    }

    private void holds(Holding device, long from, long to) {
        if (!devices.contains(device)) {
            devices.add(device);
        }
        onHostAlone = false;
        device.current.add(from, to);
    }

    /** How often it was written, for {@link Holding#received}; asked before anything is copied. */
    public synchronized long writes() {
        return writes;
    }

    /** These bytes were written on the host. */
    public void hostWrote(long from, long to) {
        if (onHostAlone) {
            return;
        }
        synchronized (this) {
            writes++;
            host.add(from, to);
            devices.forEach(each -> each.current.remove(from, to));
            if (from == 0 && to == bytes) {
                devices.clear();
                onHostAlone = true;
            }
        }
    }

    /** All of it may have been written on the host. */
    public void hostWrote() {
        hostWrote(0, bytes);
    }

    /** The current bytes have been copied to the host. */
    public synchronized void hostReceived(long from, long to) {
        host.add(from, to);
    }
}
