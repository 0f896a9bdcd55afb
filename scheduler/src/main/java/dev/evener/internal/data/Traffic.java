package dev.evener.internal.data;

import dev.evener.Report.Cause;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Bytes that were sent to devices and fetched from them, by device and cause: for a chunk, what a lane gave up, a host step, or all of
 * a job. One thread at a time; used again it allocates nothing.
 */
public final class Traffic {
    private static final Cause[] CAUSES = Cause.values();

    // Lists of their own once there is something: most jobs move nothing.
    private List<String> devices = List.of(); // their ids
    private List<long[]> counts = List.of(); // of each: sent by cause, then fetched by cause

    // Who reads: why bytes are moved that another device wrote.
    private Cause own = Cause.HOST;
    private Cause around = Cause.HOST;
    private long ownFrom;
    private long ownTo;
    private boolean stays; // what is moved
    private long once; // bytes that were sent, and stay

    /**
     * What is moved from now on is for the host, to make room, or for chunks that each see all of a buffer, as the
     * cause says.
     */
    public Traffic because(Cause why, boolean stay) {
        return forReader(stay, why, why, 0, 0);
    }

    /** What is moved from now on is for a chunk whose units have these bytes of a buffer as their own part. */
    public Traffic forChunk(boolean stay, long from, long to) {
        return forReader(stay, Cause.SHARE, Cause.HALO, from, to);
    }

    private Traffic forReader(boolean stay, Cause inside, Cause outside, long from, long to) {
        stays = stay;
        own = inside;
        around = outside;
        ownFrom = from;
        ownTo = to;
        return this;
    }

    /** Bytes were sent. */
    public void sent(String device, Cause cause, long bytes) {
        count(device, index(cause), bytes);
        once += stays && (cause == Cause.FIRST_USE || cause == Cause.SHARE) ? bytes : 0;
    }

    /** Bytes were fetched. */
    public void fetched(String device, Cause cause, long bytes) {
        count(device, CAUSES.length + index(cause), bytes);
    }

    /**
     * Bytes that were sent to devices which hold them from then on, so that the next job on the same data need not wait
     * for them.
     */
    public long once() {
        return once;
    }

    /** These bytes of a buffer, which another device wrote, were sent for the reader. */
    void sentFor(String device, long from, long to) {
        long inside = inside(from, to);
        sent(device, own, inside);
        sent(device, around, to - from - inside);
    }

    /** These bytes of a buffer were fetched for the reader. */
    void fetchedFor(String device, long from, long to) {
        long inside = inside(from, to);
        fetched(device, own, inside);
        fetched(device, around, to - from - inside);
    }

    private long inside(long from, long to) {
        return Math.max(0, Math.min(to, ownTo) - Math.max(from, ownFrom));
    }

    @SuppressWarnings("EnumOrdinal") // of counts that nobody keeps
    private static int index(Cause cause) {
        return cause.ordinal();
    }

    private void count(String device, int index, long bytes) {
        if (bytes > 0) {
            of(device)[index] += bytes;
        }
    }

    private long[] of(String device) {
        int at = devices.indexOf(device);
        if (at < 0) {
            if (devices.isEmpty()) {
                devices = new ArrayList<>();
                counts = new ArrayList<>();
            }
            at = devices.size();
            devices.add(device);
            counts.add(new long[2 * CAUSES.length]);
        }
        return counts.get(at);
    }

    /** Adds what another has counted. */
    public void add(Traffic other) {
        for (int i = 0; i < other.devices.size(); i++) {
            long[] to = of(other.devices.get(i));
            long[] from = other.counts.get(i);
            for (int each = 0; each < to.length; each++) {
                to[each] += from[each];
            }
        }
        once += other.once;
    }

    /** Adds what another has counted, which forgets it. */
    public void take(Traffic other) {
        add(other);
        other.reset();
    }

    /** Forgets what was counted. */
    public void reset() {
        for (int i = 0; i < counts.size(); i++) {
            Arrays.fill(counts.get(i), 0);
        }
        once = 0;
    }

    /** What a device was sent; causes without any are left out. */
    public Map<Cause, Long> sent(String device) {
        return byCause(device, 0);
    }

    /** What was fetched from a device; causes without any are left out. */
    public Map<Cause, Long> fetched(String device) {
        return byCause(device, CAUSES.length);
    }

    private Map<Cause, Long> byCause(String device, int first) {
        int at = devices.indexOf(device);
        if (at < 0) {
            return Map.of();
        }
        Map<Cause, Long> all = new EnumMap<>(Cause.class);
        for (Cause cause : CAUSES) {
            long bytes = counts.get(at)[first + index(cause)];
            if (bytes > 0) {
                all.put(cause, bytes);
            }
        }
        return all;
    }
}
