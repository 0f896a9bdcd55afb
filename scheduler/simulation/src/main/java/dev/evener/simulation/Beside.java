package dev.evener.simulation;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which other devices were at work while a chunk ran, and how many of them on its memory, once that is known. For one
 * thread.
 */
final class Beside {
    private final Map<BitSet, Double> sets; // of the chunk's time, that in which these devices were at work
    private double[] parts; // of its time, by how many others were at work on its memory

    /** @param parts of its time, by how many others were at work */
    Beside(double... parts) {
        this.sets = Map.of();
        this.parts = parts;
    }

    /**
     * @param turns when others began to work or ended, as time, device and 1 or -1, within the chunk's time
     */
    Beside(long start, long end, List<long[]> turns) {
        Map<BitSet, Double> found = new HashMap<>();
        List<long[]> inOrder = new ArrayList<>(turns);
        inOrder.add(new long[] {end, 0, 0});
        inOrder.sort(Comparator.comparingLong(turn -> turn[0]));
        BitSet present = new BitSet();
        long at = start;
        for (long[] turn : inOrder) {
            if (turn[0] > at) {
                found.merge((BitSet) present.clone(), (double) (turn[0] - at) / (end - start), Double::sum);
                at = turn[0];
            }
            if (turn[2] != 0) {
                present.set((int) turn[1], turn[2] > 0);
            }
        }
        sets = found;
        BitSet all = new BitSet();
        turns.forEach(turn -> all.set((int) turn[1]));
        parts = parts(all);
    }

    /** Counts those that are on the same memory, as the chunk's device is. */
    void count(BitSet memory) {
        parts = parts(memory);
    }

    /** Parts of its time by how many of these others were at work. */
    double[] parts(BitSet memory) {
        double[] counted = new double[memory.cardinality() + 1];
        sets.forEach((set, part) -> {
            int others = 0;
            for (int i = set.nextSetBit(0); i >= 0; i = set.nextSetBit(i + 1)) {
                others += memory.get(i) ? 1 : 0;
            }
            counted[others] += part;
        });
        return sets.isEmpty() ? parts : counted;
    }

    /** Part of its time in which none of them was. */
    double alone() {
        return parts[0];
    }

    /** Which part of its time it would have taken alone, if each other slows it so many times. */
    double part(double slowdown) {
        return part(parts, slowdown);
    }

    static double part(double[] parts, double slowdown) {
        double part = 0;
        for (int others = 0; others < parts.length; others++) {
            part += parts[others] / KernelModel.slowed(slowdown, others);
        }
        return part;
    }
}
