package dev.evener.internal.memory;

import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.cl.DeviceBuffer;
import dev.evener.internal.data.Directory;
import dev.evener.internal.data.Traffic;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A device's copy of one segment of a buffer, or of a range, as large as that, so that what is where in the one is there in the
 * other. What is final is for the lane's thread; the rest is guarded by the lock
 * of {@link DeviceCopies}.
 */
final class DeviceCopy {
    /** Most gaps that are sent one by one: many transfers of little take longer than one of all between them that the host has. */
    private static final int MOST_GAPS = 8;

    /** So many parts are kept at most; where chunks have as many, the next one waits until all are freed. */
    private static final int MOST_PARTS = 64;

    final Directory.Holding holding;
    private final Directory directory; // not the buffer: a device does not keep what nobody else refers to
    final long origin; // in the buffer
    final long bytes;

    @Nullable
    DeviceBuffer buffer; // null while the device has no memory for it

    int pins; // how often chunks under way use it
    boolean doomed; // to be freed when it is no longer pinned
    long lastUse;

    private final List<Part> parts = new ArrayList<>(); // the last made last

    DeviceCopy(LogicalBuffer of, long origin, long bytes, Directory.Holding holding) {
        this.directory = of.directory();
        this.origin = origin;
        this.bytes = bytes;
        this.holding = holding;
    }

    // What it holds, in bytes of the buffer, as the directory has it.

    /** How many bytes it lacks. */
    long missing(long from, long to) {
        long missing = 0;
        for (long gap = holding.missingFrom(from, to), end; gap < to; gap = holding.missingFrom(end, to)) {
            end = holding.presentFrom(gap, to);
            missing += end - gap;
        }
        return missing;
    }

    boolean hasManyGaps(long from, long to) {
        int gaps = 0;
        for (long gap = holding.missingFrom(from, to); gap < to; gaps++) {
            gap = holding.missingFrom(holding.presentFrom(gap, to), to);
        }
        return gaps > MOST_GAPS;
    }

    /**
     * Where a gap ends.
     *
     * @param together whether later gaps count as its part, with what is between them, unless the device alone has that
     */
    long endOfGap(long gap, long to, boolean together) {
        long end = holding.presentFrom(gap, to);
        for (long next = holding.missingFrom(end, to); together && next < to; next = holding.missingFrom(end, to)) {
            if (!directory.isOnHost(end, next)) {
                return end;
            }
            end = holding.presentFrom(next, to);
        }
        return end;
    }

    /** Has the host hold what it lacks, which is to be sent from there. Counts that. */
    void bringToHost(long from, long to, Traffic traffic) {
        for (long gap = holding.missingFrom(from, to), end; gap < to; gap = holding.missingFrom(end, to)) {
            end = holding.presentFrom(gap, to);
            directory.bringToHost(gap, end, traffic);
        }
    }

    /** Has the host hold what it alone does. Counts that. */
    void evacuate(Traffic traffic) {
        holding.evacuate(origin, end(), traffic);
    }

    /** Where in the buffer it ends. */
    long end() {
        return origin + bytes;
    }

    /** Its memory, while it is pinned. */
    DeviceBuffer buffer() {
        return Objects.requireNonNull(buffer, "a device copy without memory");
    }

    // ---- parts ----

    /**
     * What chunks see of a copy: a sub-buffer, which is kept for the next chunk that sees the same. NVIDIA's driver crashes the process when of
     * two that overlap the one made first is released first (docs/known-issues.md), as they are where two jobs read one buffer, or one reads
     * two ranges of it. So a part is freed when no chunk has it and none that was made later and overlaps it is left. On the lane's thread.
     */
    final class Part {
        final DeviceBuffer buffer;
        private final long from;
        private final long to;
        private int users = 1;

        private Part(DeviceBuffer buffer, long from, long to) {
            this.buffer = buffer;
            this.from = from;
            this.to = to;
        }

        /** Of a chunk that had it. */
        void release() {
            users--;
        }

        private boolean liesUnderAnother(int place) {
            for (int i = place + 1; i < parts.size(); i++) {
                Part later = parts.get(i);
                if (from < later.to && later.from < to) {
                    return true;
                }
            }
            return false;
        }
    }

    Part part(long from, long count) {
        for (int i = parts.size() - 1; i >= 0; i--) {
            Part its = parts.get(i);
            if (its.from == from && its.to == from + count) {
                its.users++;
                return its;
            }
        }
        if (parts.size() >= MOST_PARTS) {
            freeParts();
        }
        Part made = new Part(buffer().part(from, count), from, from + count);
        parts.add(made);
        return made;
    }

    /** Frees those that no chunk has, as far as the order of their release allows. Of a copy that is not pinned, all: then on any thread. */
    void freeParts() {
        for (int i = parts.size() - 1; i >= 0; i--) {
            Part each = parts.get(i);
            if (each.users == 0 && !each.liesUnderAnother(i)) {
                parts.remove(i);
                each.buffer.close();
            }
        }
    }

    /** Whether so many parts wait to be freed that a chunk is better begun when none is under way. */
    boolean hasManyParts() {
        if (parts.size() >= MOST_PARTS) {
            freeParts();
        }
        return parts.size() >= MOST_PARTS;
    }
}
