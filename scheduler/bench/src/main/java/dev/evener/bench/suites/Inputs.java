package dev.evener.bench.suites;

import dev.evener.Variant;

/** What programs are given to work on; the same in each run. */
final class Inputs {
    private Inputs() {}

    /** A number from 0 up to 1 that looks like chance. */
    static double noise(int i) {
        return bits(i, 1 << 20) / (double) (1 << 20);
    }

    /** An integer from 0 up to a bound that looks like chance. */
    static int bits(int i, int bound) {
        long mixed = (i + 1) * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ mixed >>> 29) * 0xBF58476D1CE4E5B9L;
        return (int) ((mixed >>> 33) % bound);
    }

    /** The next multiple. */
    static int roundUp(int count, int multiple) {
        return (count + multiple - 1) / multiple * multiple;
    }

    /** A unit is a group of so many work-items. */
    static Variant group(int items) {
        return Variant.itemsPerUnit(items).withGroupSize(items);
    }
}
