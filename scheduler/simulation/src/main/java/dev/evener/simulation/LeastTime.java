package dev.evener.simulation;

import java.util.Arrays;

/** Times by number, of which it finds the least: at once, and changes one in steps of the logarithm of how many there are. For one thread. */
final class LeastTime {
    private final int leaves; // a power of two
    private final long[] least; // of a binary tree's nodes, the root at 1, the leaves behind all others

    /** So many, all of them {@link Long#MAX_VALUE}. */
    LeastTime(int count) {
        leaves = Math.max(1, Integer.highestOneBit(Math.max(1, 2 * count - 1)));
        least = new long[2 * leaves];
        Arrays.fill(least, Long.MAX_VALUE);
    }

    long get(int number) {
        return least[leaves + number];
    }

    void set(int number, long time) {
        int node = leaves + number;
        least[node] = time;
        for (node /= 2; node > 0; node /= 2) {
            least[node] = Math.min(least[2 * node], least[2 * node + 1]);
        }
    }

    /** The lowest number of those with the least time. */
    int first() {
        int node = 1;
        while (node < leaves) {
            node = least[2 * node] <= least[2 * node + 1] ? 2 * node : 2 * node + 1;
        }
        return node - leaves;
    }
}
