package dev.evener.kernels.png;

import java.util.Arrays;

/** The code of one block after the other, from how often its rows have each symbol. Not thread-safe. */
final class BlockCode {
    private final HuffmanCode code = new HuffmanCode();
    private final int[] counts = new int[HuffmanCode.SYMBOLS];

    /** As {@link HuffmanCode#make} leaves it. */
    final int[] table = new int[HuffmanCode.WORDS];

    /**
     * Makes the code.
     *
     * @param sums how often each symbol occurs
     * @return bytes of the block: its head, its symbols, its end, and an empty stored block, which begins on a byte after three bits
     */
    int make(int[] sums) {
        System.arraycopy(sums, 0, counts, 0, HuffmanCode.END_SYMBOL); // the literals
        Arrays.fill(counts, HuffmanCode.END_SYMBOL, counts.length, 0);
        counts[HuffmanCode.END_SYMBOL] = 1;
        for (int length = 3; length <= HuffmanCode.LONGEST; length++) {
            counts[HuffmanCode.symbol(length)] += sums[HuffmanCode.MATCHES + length - 3];
        }
        code.make(counts, table);
        long bits = (long) table[HuffmanCode.HEAD] + HuffmanCode.count(table[HuffmanCode.END]) + 3;
        for (int i = 0; i < HuffmanCode.END; i++) {
            bits += (long) sums[i] * HuffmanCode.count(table[i]);
        }
        return (int) ((bits + 7) / 8 + 4);
    }
}
