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

    /** A device without items for so many times what one takes it has one again: what is known of it may be wrong by now. */
    private static final int LOOK = 16;

    /** The same for one that is known by its first item alone, for which it may have locked memory and set up more than programs. */
    private static final int SECOND_LOOK = 2;

    private final int[] inHand;
    private final long[] since; // when a device began what it is at
    private final long[] nanos;
    private final long[] items;
    private final long[] expected;
    private final boolean[] failed;
    private int split;

    Distribution(int devices) {
        inHand = new int[devices];
        since = new long[devices];
        nanos = new long[devices];
        items = new long[devices];
        expected = new long[devices];
        failed = new boolean[devices];
    }

    /**
     * Takes an item.
     *
     * @param waiting items that wait for the stage, this one included
     * @return the device's number, {@link #ALL} or {@link #NONE}
     */
    int take(int waiting, long now) {
        int underWay = split;
        int working = 0;
        for (int d = 0; d < inHand.length; d++) {
            underWay += inHand[d];
            working += failed[d] ? 0 : 1;
        }
        if (working <= 1 || (waiting == 1 && underWay == 0)) {
            if (split >= ROOM) {
                return NONE;
            }
            split++;
            return ALL;
        }
        int device = choose(waiting, now);
        if (device != NONE && inHand[device]++ == 0) {
            since[device] = now;
        }
        return device;
    }

    private int choose(int waiting, long now) {
        double work = waiting; // items that wait, and those of the devices before
        double rate = 0; // of those devices, items a nanosecond
        boolean[] seen = failed.clone();
        for (int next = soonest(seen); next >= 0; next = soonest(seen)) {
            seen[next] = true;
            boolean sooner = rate == 0 || end(next) <= work / rate;
            int idle = expected[next] == 0 && items[next] == 1 ? SECOND_LOOK : LOOK;
            boolean look = inHand[next] == 0 && now - since[next] >= idle * each(next);
            if (inHand[next] < ROOM && (sooner || look)) {
                return next;
            }
            work += inHand[next];
            rate += 1 / each(next);
        }
        return NONE;
    }

    /** Of those not seen, the one that would end an item first, or -1; one that has done nothing yet comes first, so that it is known soon. */
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

    /** A device has worked; what the model expects an item like the last one to take it, 0 if it does not know. */
    void worked(int device, long wallNanos) {
        expected[device] = wallNanos;
        failed[device] = false;
    }

    /** A device could not do its item, and gets no other before it has had a part in one of all devices. */
    void failed(int device) {
        failed[device] = true;
    }

    /** A device built programs for its item, which says nothing of the next one's time. */
    void built(int device, long buildNanos) {
        if (device != ALL) {
            since[device] += buildNanos;
        }
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
