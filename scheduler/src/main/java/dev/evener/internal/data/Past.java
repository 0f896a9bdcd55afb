package dev.evener.internal.data;

import dev.evener.Report.Cause;

/** What became of a buffer's bytes on one device, from which follows why they have to be sent there. Guarded by the directory. */
final class Past {
    private final RangeSet current;
    private final RangeSet writtenAnywhere;
    private final RangeSet written = new RangeSet(); // nobody has written these since the device did
    private final RangeSet known = new RangeSet(); // of which it has held some value
    private final RangeSet givenUp = new RangeSet(); // of which it has held the present one, and does no longer

    /**
     * @param current where the device holds the present value
     * @param writtenAnywhere what any device has written, and nobody since
     */
    Past(RangeSet current, RangeSet writtenAnywhere) {
        this.current = current;
        this.writtenAnywhere = writtenAnywhere;
    }

    /** The device holds the present value. */
    void holds(long from, long to) {
        known.add(from, to);
        givenUp.remove(from, to);
    }

    /** It has written them. */
    void wrote(long from, long to) {
        written.add(from, to);
        writtenAnywhere.add(from, to);
    }

    /** It has no memory for the present value any more. */
    void givesUp(long from, long to) {
        for (long at = current.presentFrom(from, to), end; at < to; at = current.presentFrom(end, to)) {
            end = current.missingFrom(at, to);
            givenUp.add(at, end);
        }
        current.remove(from, to);
    }

    /** Somebody writes them. */
    void isOutdated(long from, long to) {
        current.remove(from, to);
        written.remove(from, to);
        givenUp.remove(from, to);
    }

    /**
     * Counts the first bytes of some that are sent there, all for one cause.
     *
     * @param device its id
     * @return where they end
     */
    long count(String device, long from, long to, Traffic traffic) {
        long end = endOfRun(known, from, endOfRun(givenUp, from, to));
        end = endOfRun(written, from, endOfRun(writtenAnywhere, from, end));
        if (has(givenUp, from)) {
            traffic.sent(device, Cause.EVICTION, end - from);
        } else if (has(writtenAnywhere, from) && !has(written, from)) {
            traffic.sentFor(device, from, end);
        } else {
            traffic.sent(device, has(known, from) ? Cause.HOST : Cause.FIRST_USE, end - from);
        }
        return end;
    }

    /** Whether nothing depends on what others do to these bytes. */
    boolean isForgotten() {
        return current.isEmpty() && written.isEmpty() && givenUp.isEmpty();
    }

    private static boolean has(RangeSet set, long at) {
        return set.presentFrom(at, at + 1) == at;
    }

    /** Up to where all are in the set, or none, as the first byte is. */
    private static long endOfRun(RangeSet set, long from, long to) {
        long present = set.presentFrom(from, to);
        return present == from ? set.missingFrom(from, to) : present;
    }
}
