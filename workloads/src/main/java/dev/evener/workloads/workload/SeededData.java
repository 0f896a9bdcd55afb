package dev.evener.workloads.workload;

import java.nio.FloatBuffer;
import java.nio.IntBuffer;

/**
 * Numbers from a seed and a position, by the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
 * number generators", 2014): the same on every machine, and any of them can be computed by itself. Stateless.
 */
final class SeededData {
    private static final long GOLDEN = 0x9e3779b97f4a7c15L;

    private SeededData() {}

    /** 64 random bits. */
    static long bits(long seed, long position) {
        long z = seed + (position + 1) * GOLDEN;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }

    /** A float in [0, 1), one of 2^24. */
    static float unit(long seed, long position) {
        return (bits(seed, position) >>> 40) * 0x1p-24f;
    }

    /** Fills with floats in [0, 1). */
    static void floats(FloatBuffer target, long seed) {
        for (int i = 0; i < target.capacity(); i++) {
            target.put(i, unit(seed, i));
        }
    }

    /** Fills with any 32-bit integers. */
    static void ints(IntBuffer target, long seed) {
        for (int i = 0; i < target.capacity(); i++) {
            target.put(i, (int) bits(seed, i));
        }
    }
}
