package dev.evener.kernels.png;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.PriorityQueue;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Codes are complete, within their limit, and as short as Huffman's where that needs no more bits. */
class HuffmanCodeTest {

    /** The bits that Huffman's code takes, and its longest code. */
    private static long[] huffman(int[] counts) {
        PriorityQueue<long[]> trees = new PriorityQueue<>((a, b) ->
                Long.compare(a[0], b[0]) != 0 ? Long.compare(a[0], b[0]) : Long.compare(a[1], b[1])); // weight, depth
        Arrays.stream(counts).filter(count -> count > 0).forEach(count -> trees.add(new long[] {count, 0}));
        long bits = 0;
        while (trees.size() > 1) {
            long[] a = trees.remove();
            long[] b = trees.remove();
            bits += a[0] + b[0];
            trees.add(new long[] {a[0] + b[0], Math.max(a[1], b[1]) + 1});
        }
        return new long[] {bits, trees.remove()[1]};
    }

    @Test
    void codesAreCompleteAndOptimal() {
        Random random = new Random(3);
        int optimal = 0;
        for (int round = 0; round < 300; round++) {
            int symbols = 2 + random.nextInt(280);
            int[] counts = new int[symbols];
            for (int s = 0; s < symbols; s++) {
                counts[s] = random.nextInt(3) == 0 ? 0 : 1 + (int) Math.exp(random.nextDouble() * (round % 14));
            }
            counts[0]++;
            counts[1]++;
            int[] lengths = new int[symbols];
            new HuffmanCode().limitedLengths(counts, symbols, 12, lengths);
            double space = 0;
            long bits = 0;
            for (int s = 0; s < symbols; s++) {
                assertEquals(counts[s] > 0, lengths[s] > 0);
                assertTrue(lengths[s] <= 12);
                space += lengths[s] > 0 ? Math.scalb(1.0, -lengths[s]) : 0;
                bits += (long) counts[s] * lengths[s];
            }
            assertEquals(1, space);
            long[] best = huffman(counts);
            assertTrue(bits >= best[0]);
            assertTrue(bits <= best[0] * 1.05, bits + " instead of " + best[0]);
            if (best[1] <= 12) {
                assertEquals(best[0], bits);
                optimal++;
            }
        }
        assertTrue(optimal > 100, optimal + " codes needed no limit");
    }

    /** What pictures have room for, whatever the counts: powers, few frequent symbols, many rare ones. */
    @Test
    void noBlockTakesMoreThanNineBitsForASymbol() {
        Random random = new Random(5);
        int[] counts = new int[HuffmanCode.SYMBOLS];
        int[] lengths = new int[HuffmanCode.SYMBOLS];
        for (int round = 0; round < 2000; round++) {
            int frequent = random.nextInt(HuffmanCode.SYMBOLS);
            double base = 1 + random.nextDouble();
            long sum = 0;
            for (int s = 0; s < counts.length; s++) {
                counts[s] = 1 + (int) (s < frequent ? Math.pow(base, random.nextInt(25)) : random.nextInt(3));
                sum += counts[s];
            }
            new HuffmanCode().limitedLengths(counts, counts.length, HuffmanCode.MOST_BITS, lengths);
            long bits = 0;
            for (int s = 0; s < counts.length; s++) {
                bits += (long) counts[s] * lengths[s];
            }
            assertTrue(bits <= 9 * sum, () -> Arrays.toString(counts));
        }
    }

    /** RFC 1951, 3.2.5. */
    @Test
    void lengthsHaveTheSymbolsOfTheStandard() {
        int[] symbols = {257, 258, 264, 265, 265, 266, 268, 269, 272, 273, 276, 277, 277, 278};
        int[] lengths = {3, 4, 10, 11, 12, 13, 18, 19, 34, 35, 66, 67, 82, 96};
        int[] extra = {0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 4};
        assertArrayEquals(
                symbols, Arrays.stream(lengths).map(HuffmanCode::symbol).toArray());
        assertArrayEquals(
                extra, Arrays.stream(lengths).map(HuffmanCode::extraBits).toArray());
    }
}
