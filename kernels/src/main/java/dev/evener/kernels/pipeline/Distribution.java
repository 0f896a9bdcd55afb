package dev.evener.kernels.pipeline;

/**
 * Which device takes the next item of a stage whole. The one that ends it first takes it, if it has room; another one only if it is done
 * before the faster ones would be through with all that waits, since items leave a stage in order. An item that is alone is split over all.
 *
 * <p>How long a device takes is what the model expects of it, once it has met such an item there; before, the mean of what its items
 * took. Guarded by the schedule.
 */
final class Distribution {
    /** No device has room. */
    static final int NONE = -2;
    /** All devices together. */
    static final int ALL = -1;

    /** Jobs of a device: one that runs and one that it finds when that has ended. */
    private static final int ROOM = 2;

    private final int[] inHand;
    private final long[] since; // when a device began what it is at
    private final long[] nanos;
    private final long[] items;
    private final long[] expected;
    private int split;

    Distribution(int devices) {
        inHand = new int[devices];
        since = new long[devices];
        nanos = new long[devices];
        items = new long[devices];
        expected = new long[devices];
    }

    /**
     * Takes an item.
     *
     * @param waiting items that wait for the stage, this one included
     * @return the device's number, {@link #ALL} or {@link #NONE}
     */
    int take(int waiting, long now) {
        int underWay = split;
        for (int each : inHand) {
            underWay += each;
        }
        if (inHand.length == 1 || (waiting == 1 && underWay == 0)) {
            if (split >= ROOM) {
                return NONE;
            }
            split++;
            return ALL;
        }
        int device = choose(waiting);
        if (device != NONE && inHand[device]++ == 0) {
            since[device] = now;
        }
        return device;
    }

    private int choose(int waiting) {
        double work = waiting; // items that wait, and those of the devices before
        double rate = 0; // of those devices, items a nanosecond
        boolean[] seen = new boolean[inHand.length];
        for (int i = 0; i < inHand.length; i++) {
            int next = soonest(seen);
            seen[next] = true;
            if (inHand[next] < ROOM && (rate == 0 || end(next) <= work / rate)) {
                return next;
            }
            work += inHand[next];
            rate += 1 / each(next);
        }
        return NONE;
    }

    /** Of those not seen, the one that would end an item first; one that has done nothing yet comes first, so that it is known soon. */
    private int soonest(boolean[] seen) {
        int best = -1;
        for (int d = 0; d < seen.length; d++) {
            if (!seen[d] && (best < 0 || end(d) < end(best))) {
                best = d;
            }
        }
        return best;
    }

    private double end(int device) {
        return each(device) * (inHand[device] + 1);
    }

    /** Nanoseconds an item takes a device, as far as is known. */
    private double each(int device) {
        if (expected[device] > 0) {
            return expected[device];
        }
        return items[device] == 0 ? Double.MIN_NORMAL : (double) nanos[device] / items[device];
    }

    /** What the model expects an item like the last one to take a device. */
    void expect(int device, long wallNanos) {
        expected[device] = wallNanos;
    }

    /** An item has left its device, or all. */
    void ended(int device, boolean well, long now) {
        if (device == ALL) {
            split--;
            return;
        }
        inHand[device]--;
        if (well) {
            nanos[device] += Math.max(1, now - since[device]);
            items[device]++;
        }
        since[device] = now;
    }
}
