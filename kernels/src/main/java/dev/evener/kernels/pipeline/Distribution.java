package dev.evener.kernels.pipeline;

import dev.evener.DeviceInfo;
import dev.evener.Report;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which devices a stage uses, and which of them takes the next item whole. Guarded by the schedule.
 *
 * <p><b>The next item</b> goes to the device that ends it first, if it has room; to another one only if it is done before the faster ones
 * would be through with all that waits, since items leave a stage in order. While all devices are in use, an item that is alone is split.
 *
 * <p><b>The devices in use.</b> Devices share cores, memory and a bus with one another and with the host's stages, so one more may slow the
 * stream down, which no time of a device by itself shows. So what counts is measured: the work per second through the stage. A stream
 * begins with all devices. Between two stretches of items it has a look at how fast it is without the slowest one, or with one that is not
 * in use. By how much looks are ahead (the logarithm of a ratio) is added up, from zero again where they are behind (Page's cumulative sum,
 * 1954); when that is clearly more than stretches differ by, it stays so. What looks cost is measured too, and limited.
 *
 * <p><b>Work.</b> Items differ: that of one is the mean time of all with about as many units, in relation to the mean of all.
 */
final class Distribution {
    /** No device has room. */
    static final int NONE = -2;
    /** All devices together. */
    static final int ALL = -1;

    private static final int SPLIT = 2; // items of all devices: one under way and the one that they find next
    private static final int STRETCH = 16; // items: fewer vary more; with more, streams of some hundreds learn nothing
    private static final double COST = 0.02; // of a stream's work, that looks may cost: those that lose are rare
    private static final double AHEAD = 3; // mean differences of two stretches, by which looks win or lose
    private static final int MEMORY = 8; // items or stretches: of a mean, the last so many count most

    private static final class Device {
        final String id;
        final int room; // items in hand at most
        boolean used = true;
        boolean failed; // and has not worked since
        int inHand;
        int known; // items that its pace is known by; the first, for which it may make much ready, until the second
        double pace = Double.MIN_NORMAL; // nanoseconds for an item; if none is known, it comes first
        double ahead; // looks without it if it is used, else with it
        double last; // when it ended the last one
        long look; // items before the last look

        Device(DeviceInfo device) {
            id = device.id();
            room = PipelineBuilder.itemsAtOnce(device);
        }

        /** When it would end an item after those that it has. */
        double end() {
            return pace * (inHand + 1);
        }

        boolean takesItems() {
            return used && !failed;
        }
    }

    private final Device[] devices;
    private final int slots;
    private int split; // items in hand of all devices

    private final double[] nanosOf = new double[Long.SIZE + 1]; // by the magnitude of an item's units
    private final long[] itemsOf = new long[Long.SIZE + 1];
    private double nanos;
    private long items;

    private double since; // when the devices in use changed
    private int ended; // items from then on
    private double work; // likewise
    private double from; // when the stretch began
    private double before; // work until then
    private int stretches;
    private double rate = Double.NEGATIVE_INFINITY; // logarithm of the work per nanosecond, but for looks
    private double last; // that of the last stretch
    private double difference = 0.1; // of two stretches; so much as long as none was seen

    private @Nullable Device look; // that the stream is without, or with, to see how fast it is
    private double lost = 1; // items not done because of looks; from 1 on, so that stretches are known before the first
    private double losing = Double.NEGATIVE_INFINITY; // likewise, because of the one that has just ended

    /**
     * Over these devices.
     *
     * @param slots items under way at most: when so many have ended, none is left that met other devices in use
     */
    Distribution(List<DeviceInfo> devices, int slots) {
        this.devices = devices.stream().map(Device::new).toArray(Device[]::new);
        this.slots = slots;
    }

    /**
     * Takes an item.
     *
     * @param waiting items that wait for the stage, this one included
     * @return the device's number, {@link #ALL} or {@link #NONE}
     */
    int take(int waiting) {
        int underWay = split;
        int working = 0;
        boolean all = true;
        for (Device device : devices) {
            underWay += device.inHand;
            working += device.failed ? 0 : 1;
            all &= device.used;
        }
        if (working <= 1 || (all && waiting == 1 && underWay == 0)) {
            boolean room = split < (devices.length == 1 ? devices[0].room : SPLIT);
            split += room ? 1 : 0;
            return room ? ALL : NONE;
        }
        int best = NONE;
        for (int d = 0; d < devices.length; d++) {
            Device device = devices[d];
            boolean unsure = device.known <= 1 && device.inHand == 0;
            if (device.takesItems()
                    && device.inHand < device.room
                    && (unsure || isInTime(device, waiting))
                    && (best == NONE || device.end() < devices[best].end())) {
                best = d;
            }
        }
        if (best != NONE) {
            devices[best].inHand++;
        }
        return best;
    }

    /** Whether a device would end an item before the faster ones are through with what they have and what waits. */
    private boolean isInTime(Device device, int waiting) {
        double toDo = waiting;
        double speed = 0;
        for (Device other : devices) {
            if (other.takesItems() && other.end() < device.end()) {
                toDo += other.inHand;
                speed += 1 / other.pace;
            }
        }
        return device.end() * speed <= toDo;
    }

    /** A device could not do its item, and gets no other before it has had a part in one of all devices. Till then, all others are used. */
    void failed(int device) {
        devices[device].failed = true;
        for (Device each : devices) {
            each.used = true;
        }
        look = null;
    }

    /**
     * An item has left its device, or all.
     *
     * @param report null if it was not done
     * @param now nanoseconds in which there were items
     */
    void ended(int device, @Nullable Report report, long now) {
        if (device == ALL) {
            split--;
        } else {
            devices[device].inHand--;
        }
        if (report == null) {
            return;
        }
        long took = Math.max(1, report.wallNanos());
        if (device != ALL && !devices[device].failed) {
            Device by = devices[device];
            // Of items that shared it, the time between two ends.
            double pace = Math.min((double) took, Math.max(1, now - by.last));
            by.last = now;
            by.known++;
            by.pace += (pace - by.pace) / Math.min(Math.max(1, by.known - 1), MEMORY);
        }
        for (Device each : devices) {
            each.failed &= report.devices().stream()
                    .noneMatch(use -> use.units() > 0 && use.id().equals(each.id));
        }
        int magnitude = Long.SIZE - Long.numberOfLeadingZeros(report.units());
        nanosOf[magnitude] += took;
        nanos += took;
        items++;
        work += nanosOf[magnitude] / ++itemsOf[magnitude] * items / nanos;
        ended++;
        double behind = (now - since) * Math.exp(rate) - work; // items
        if (ended == slots) {
            if (look == null) { // the one before costs no more; if much more than one takes, something stood still
                lost += Math.min(Math.max(0, losing + behind), slots + STRETCH);
                losing = Double.NEGATIVE_INFINITY;
            }
            begin(now);
        } else if (ended == slots + STRETCH || (look != null && isLost(behind))) {
            end(Math.log((work - before) / Math.max(1, now - from)), behind, now);
        }
    }

    /** Whether a look is behind by more items than chance puts a stretch: it ends then, so that it costs no more. */
    private boolean isLost(double behind) {
        return behind > AHEAD * difference * STRETCH;
    }

    private void begin(long now) {
        from = now;
        before = work;
        ended = slots;
    }

    /** Ends a stretch, or a look. */
    private void end(double measured, double behind, long now) {
        if (look == null) {
            if (stretches++ > 0) {
                difference += (Math.abs(measured - last) - difference) / Math.min(stretches, MEMORY);
            }
            rate = stretches == 1 ? measured : (rate + measured) / 2;
            last = measured;
            begin(now);
            look = lost <= COST * items ? candidate() : null;
            if (look != null) {
                look.look = items;
                change(look, now);
            }
            return;
        }
        look.ahead = isLost(behind) ? 0 : Math.max(0, look.ahead + measured - rate);
        if (look.ahead > AHEAD * difference) {
            look.ahead = 0;
            rate = measured;
            last = measured;
            begin(now);
        } else {
            losing = behind;
            change(look, now);
        }
        look = null;
    }

    /** What to look without or with, which was not for longest: the slowest device in use unless it is the only one, or one that is not. */
    private @Nullable Device candidate() {
        List<Device> used = Arrays.stream(devices)
                .filter(Device::takesItems)
                .sorted(Comparator.comparingDouble(device -> -device.pace))
                .toList();
        return Arrays.stream(devices)
                .filter(device -> !device.failed && (!device.used || (used.size() > 1 && device == used.get(0))))
                .min(Comparator.comparingLong(device -> device.look))
                .orElse(null);
    }

    /** Uses a device from now on, which may have changed since it was used last, or no longer. */
    private void change(Device device, long now) {
        device.used = !device.used;
        device.known = Math.min(device.known, 1);
        since = now;
        work = 0;
        begin(now);
        ended = 0;
    }
}
