package dev.evener.internal.data;

import java.util.ArrayList;
import java.util.List;

/** What of a buffer is being copied from devices to the host. Guarded by the directory. */
final class Fetches {
    /** Bytes that are being copied. */
    record Fetch(Directory.Holding holder, long from, long to) {}

    private final Directory lock;
    private final List<Fetch> all = new ArrayList<>();

    /** @param lock held in all calls */
    Fetches(Directory lock) {
        this.lock = lock;
    }

    Fetch begin(Directory.Holding holder, long from, long to) {
        Fetch fetch = new Fetch(holder, from, to);
        all.add(fetch);
        return fetch;
    }

    void end(Fetch fetch) {
        all.remove(fetch);
        lock.notifyAll();
    }

    /**
     * Lets go of the lock meanwhile: no bytes of the range are being copied to the host afterwards. What is may be an older value by now,
     * which must not come after the current one.
     */
    void await(long from, long to) {
        boolean interrupted = false;
        while (isUnderWay(from, to)) {
            try {
                lock.wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isUnderWay(long from, long to) {
        for (Fetch each : all) {
            if (each.from < to && from < each.to) {
                return true;
            }
        }
        return false;
    }
}
