package dev.evener.internal.run;

/**
 * What the lanes of a phase have shown of how fast they are, added up as they show it: a policy asks for each lane, and asking all lanes
 * each time would make a decision quadratic in their number. Any thread, which takes a lock only to show something; allocates nothing.
 */
final class LaneRates {
    // Written under the lock; what is known says that the others are there.
    private volatile int known;
    private volatile double factors;
    private final int[] ofClass; // by its number: which lane of it was seen that is the first, counted from the end

    LaneRates(int lanes) {
        ofClass = new int[lanes];
    }

    /**
     * A lane shows more, or begins.
     *
     * @param itsClass number of the class of devices that its own is of
     * @param was logarithm of what a unit takes it by what was expected, before; NaN if that was not known
     * @param is the same now
     */
    synchronized void show(int lane, int itsClass, double was, double is) {
        boolean begins = Double.isNaN(was);
        if (Double.isNaN(is)) {
            return;
        }
        factors += begins ? is : is - was;
        if (begins) {
            ofClass[itsClass] = Math.max(ofClass[itsClass], ofClass.length - lane);
            known++;
        }
    }

    /** Whether nanoseconds are known of any lane. */
    boolean known() {
        return known > 0;
    }

    /** How much slower than expected lanes are that were seen: the geometric mean, 1 if none was. */
    double slower() {
        int seen = known;
        return seen == 0 ? 1 : Math.exp(factors / seen);
    }

    /** The first lane of a class of devices that was seen; -1 if none was. */
    int first(int itsClass) {
        int last = known == 0 ? 0 : ofClass[itsClass];
        return last == 0 ? -1 : ofClass.length - last;
    }
}
