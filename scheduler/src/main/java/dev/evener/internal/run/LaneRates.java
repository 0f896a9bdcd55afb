package dev.evener.internal.run;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.DoubleAdder;

/**
 * What the lanes of a phase have shown of how fast they are, added up as they show it: a policy asks for each lane, and asking all lanes
 * each time would make a decision quadratic in their number. Any thread; without a lock, and allocates nothing.
 */
final class LaneRates {
    private final AtomicInteger known = new AtomicInteger();
    private final DoubleAdder factors = new DoubleAdder();
    private final AtomicIntegerArray
            ofClass; // by its number: which lane of it was seen that is the first, counted from the end

    LaneRates(int lanes) {
        ofClass = new AtomicIntegerArray(lanes);
    }

    /**
     * A lane shows more, or begins.
     *
     * @param itsClass number of the class of devices that its own is of
     * @param was logarithm of what a unit takes it by what was expected, before; NaN if that was not known
     * @param is the same now
     */
    void show(int lane, int itsClass, double was, double is) {
        boolean begins = Double.isNaN(was);
        if (Double.isNaN(is)) {
            return;
        }
        factors.add(begins ? is : is - was);
        if (begins) {
            ofClass.accumulateAndGet(itsClass, ofClass.length() - lane, Math::max);
            known.incrementAndGet();
        }
    }

    /** Whether nanoseconds are known of any lane. */
    boolean known() {
        return known.get() > 0;
    }

    /** How much slower than expected lanes are that were seen: the geometric mean, 1 if none was. */
    double slower() {
        int seen = known.get();
        return seen == 0 ? 1 : Math.exp(factors.sum() / seen);
    }

    /** The first lane of a class of devices that was seen; -1 if none was. */
    int first(int itsClass) {
        int last = ofClass.get(itsClass);
        return last == 0 ? -1 : ofClass.length() - last;
    }
}
