package dev.evener.kernels.png;

import java.nio.IntBuffer;
import java.util.Arrays;

/** The code of one block after the other, from what its rows count. Not thread-safe. */
final class BlockCode {
    private final HuffmanCode code = new HuffmanCode();
    private final int[] row = new int[PngEncoder.TABLE];
    private final int[] sums = new int[PngEncoder.TABLE];
    private final int[] counts = new int[HuffmanCode.SYMBOLS];
    private final int[] table = new int[HuffmanCode.WORDS];

    /**
     * Makes the code.
     *
     * @param rows the tables of all rows
     * @param from the block's first row
     * @param to behind its last one
     * @param all takes the table in the block's place
     * @return bytes of the block: its head, its symbols, its end, and an empty stored block, which begins on a byte after three bits
     */
    long make(IntBuffer rows, int from, int to, IntBuffer all) {
        Arrays.fill(sums, 0);
        for (int r = from; r < to; r++) {
            rows.get(r * row.length, row);
            add(row, sums);
        }
        count();
        code.make(counts, table);
        all.put(from / PngEncoder.STRIP * table.length, table);
        long bits = (long) table[HuffmanCode.HEAD] + HuffmanCode.count(table[HuffmanCode.END]) + 3;
        for (int i = 0; i < HuffmanCode.END; i++) {
            bits += (long) sums[i] * HuffmanCode.count(table[i]);
        }
        return (bits + 7) / 8 + 4;
    }

    /** By itself, as the JVM compiles what is called often sooner than what takes long. */
    private static void add(int[] row, int[] sums) {
        for (int i = 0; i < row.length; i++) {
            sums[i] += row[i];
        }
    }

    /** How often each of DEFLATE's symbols occurs, the block's end included. */
    private void count() {
        System.arraycopy(sums, 0, counts, 0, HuffmanCode.END_SYMBOL); // the literals
        Arrays.fill(counts, HuffmanCode.END_SYMBOL, counts.length, 0);
        counts[HuffmanCode.END_SYMBOL] = 1;
        for (int length = 3; length <= HuffmanCode.LONGEST; length++) {
            counts[HuffmanCode.symbol(length)] += sums[HuffmanCode.MATCHES + length - 3];
        }
    }
}
