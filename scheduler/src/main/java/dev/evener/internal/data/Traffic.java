package dev.evener.internal.data;

import dev.evener.Report.Cause;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that were sent to devices and fetched from them, by device and cause, and by device and named buffer: for a chunk, what a lane gave up, a host step, or all of
 * a job. One thread at a time; used again it allocates nothing.
 */
public final class Traffic {
    private static final Cause[] CAUSES = Cause.values();

    // Lists of their own once there is something: most jobs move nothing.
    private List<String> devices = List.of(); // their ids
    private List<long[]> counts = List.of(); // of each: sent by cause, then fetched by cause

    // Of buffers that have a name: bytes that were moved, by device.
    private List<Named> named = List.of();
    private int names; // how many of these count
    private @Nullable String of; // what is moved

    // Who reads: why bytes are moved that another device wrote.
    private Cause own = Cause.HOST;
    private Cause around = Cause.HOST;
    private long ownFrom;
    private long ownTo;
    private boolean stays; // what is moved
    private long once; // bytes that were sent, and stay

    /** How many bytes of a buffer. One is used again for another. */
    private static final class Named {
        private String device = "";
        private String buffer = "";
        private long bytes;
    }

    /** What is moved from now on is of this buffer; null for none that has a name. */
    public Traffic of(@Nullable Label buffer) {
        of = buffer == null ? null : buffer.name();
        return this;
    }

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
            if (of != null) {
                move(device, of, bytes);
            }
        }
    }

    private void move(String device, String buffer, long bytes) {
        int at = 0;
        while (at < names
                && !(named.get(at).device.equals(device) && named.get(at).buffer.equals(buffer))) {
            at++;
        }
        if (at == named.size()) {
            named = at == 0 ? new ArrayList<>() : named;
            named.add(new Named());
        }
        Named its = named.get(at);
        if (at == names) {
            names++;
            its.device = device;
            its.buffer = buffer;
            its.bytes = 0;
        }
        its.bytes += bytes;
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
        for (int i = 0; i < other.names; i++) {
            Named its = other.named.get(i);
            move(its.device, its.buffer, its.bytes);
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
        names = 0;
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

    /** What was sent to a device and fetched from it, by the name of the buffer; buffers without one are left out. */
    public Map<String, Long> moved(String device) {
        Map<String, Long> all = names == 0 ? Map.of() : new TreeMap<>();
        for (int i = 0; i < names; i++) {
            if (named.get(i).device.equals(device)) {
                all.put(named.get(i).buffer, named.get(i).bytes);
            }
        }
        return all;
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
