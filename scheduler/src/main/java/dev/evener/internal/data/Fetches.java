package dev.evener.internal.data;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What of a buffer is being copied from devices to the host. Guarded by the directory. */
final class Fetches {
    private final Directory lock;
    private final List<Fetch> all = new ArrayList<>();

    /** @param lock held in all calls */
    Fetches(Directory lock) {
        this.lock = lock;
    }

    /**
     * A fetch that is under way from now on.
     *
     * @param hold open until {@link #end}
     * @param elsewhere where the bytes go if not to the buffer's memory
     */
    Fetch begin(Directory.Holding holder, long from, long to, HostGate.Hold hold, @Nullable ByteBuffer elsewhere) {
        Fetch fetch = new Fetch(holder, from, to, hold, elsewhere);
        all.add(fetch);
        return fetch;
    }

    void end(Fetch fetch) {
        fetch.ends();
        all.remove(fetch);
        lock.notifyAll();
    }

    /**
     * Lets go of the lock meanwhile: no bytes of the range are being copied afterwards. What is may be an older value by now, which must
     * not come after the current one, or lie in memory that is about to be given up.
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
            if (each.from() < to && from < each.to()) {
                return true;
            }
        }
        return false;
    }
}
