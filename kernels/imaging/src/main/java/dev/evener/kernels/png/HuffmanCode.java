package dev.evener.kernels.png;

import java.util.Arrays;

/**
 * The Huffman code of one block of DEFLATE (RFC 1951) whose only distance is 1, as {@code codes.cl} makes it, too: for each literal, for each
 * length of a match and for the end of the block the bits to write, and the block's head. It makes one after the other, without new memory.
 * Not thread-safe.
 */
final class HuffmanCode {
    /** Literals, the end of the block, and the lengths up to 130. */
    static final int SYMBOLS = 281;
    /** Longest match: a segment. */
    static final int LONGEST = PngEncoder.SEGMENT_BYTES;
    /** Words of a block's table: for each symbol an {@link #entry}; then the number of the head's bits, and the head. */
    static final int WORDS = 512;

    static final int MATCHES = 256;
    static final int END = MATCHES + LONGEST - 2;
    static final int HEAD = END + 1;
    /** Longest code: of twelve bits, which costs next to nothing and bounds what a row may take. */
    static final int MOST_BITS = 12;

    /**
     * Rounds of the loops of {@code codes.cl}'s first work-item, beside those over rows: symbols are sorted with four for each, the tree, its lengths and codes
     * take some 50, matches of all lengths 13, the head 8.
     */
    static final int ROUNDS = 99 * SYMBOLS;

    static final int END_SYMBOL = 256;
    /** Of the code for lengths. */
    private static final int RUN_SYMBOLS = 19;
    /** In which order the lengths of the codes for lengths are written. */
    private static final int[] ORDER = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

    private final int[] counts = new int[SYMBOLS];
    private final int[] table = new int[WORDS];
    private final int[] lengths = new int[SYMBOLS + 1]; // the last one is the distance's
    private final int[] codes = new int[SYMBOLS];
    private final int[] runs = new int[SYMBOLS + 1]; // symbols of the lengths' own code, their extra bits from bit 8 on
    private final int[] runCounts = new int[RUN_SYMBOLS];
    private final int[] runLengths = new int[RUN_SYMBOLS];
    private final int[] runCodes = new int[RUN_SYMBOLS];
    private final int[] next = new int[MOST_BITS + 1]; // code of a length
    private final int[] leaves = new int[MOST_BITS + 2]; // at a depth
    private final long[] nodes = new long[SYMBOLS];
    private final long[] sorted = new long[SYMBOLS];
    private long pending;
    private int pendingBits;
    private int headBits;

    /** The symbol of a match of this length, 3 to 130. */
    static int symbol(int length) {
        if (length < 11) {
            return 254 + length;
        }
        int bits = extraBits(length);
        return 257 + 4 * (bits + 1) + ((length - 3) >>> bits & 3);
    }

    /** Extra bits of a match of this length. */
    static int extraBits(int length) {
        return length < 11 ? 0 : 29 - Integer.numberOfLeadingZeros(length - 3);
    }

    /** Bits to write, and their number in the lowest six bits, so that the sum of some entries has the sum of their numbers there. */
    private static int entry(int bits, int count) {
        return bits << 6 | count;
    }

    /** The bits of an entry. */
    static int bits(int entry) {
        return entry >>> 6;
    }

    /** Their number. */
    static int count(int entry) {
        return entry & 63;
    }

    /** {@link #WORDS} words of the code that was made last. */
    int[] table() {
        return table;
    }

    /**
     * Makes the code of a block of rows.
     *
     * @param sums how often each symbol occurs: the literals, then matches of all lengths
     * @return bytes of the block: its head, its symbols, its end, and an empty stored block, which begins on a byte after three bits
     */
    int block(int[] sums) {
        System.arraycopy(sums, 0, counts, 0, END_SYMBOL); // the literals
        Arrays.fill(counts, END_SYMBOL, counts.length, 0);
        counts[END_SYMBOL] = 1;
        for (int length = 3; length <= LONGEST; length++) {
            counts[symbol(length)] += sums[MATCHES + length - 3];
        }
        make();
        long bits = (long) table[HEAD] + count(table[END]) + 3;
        for (int i = 0; i < END; i++) {
            bits += (long) sums[i] * count(table[i]);
        }
        return (int) ((bits + 7) / 8 + 4);
    }

    private void make() {
        limitedLengths(counts, SYMBOLS, MOST_BITS, lengths);
        canonical(lengths, SYMBOLS, codes);
        for (int literal = 0; literal < 256; literal++) {
            table[literal] = entry(codes[literal], lengths[literal]);
        }
        for (int length = 3; length <= LONGEST; length++) {
            int symbol = symbol(length);
            int extra = extraBits(length);
            int bits = codes[symbol] | ((length - 3) & (1 << extra) - 1) << lengths[symbol]; // and distance 1: a zero
            table[MATCHES + length - 3] = entry(bits, lengths[symbol] + extra + 1);
        }
        table[END] = entry(codes[END_SYMBOL], lengths[END_SYMBOL]);
        head();
    }

    /** The block's head: that it is not the last one and has a code of its own, and the lengths of that code, coded themselves. */
    private void head() {
        int literals = SYMBOLS;
        while (lengths[literals - 1] == 0) {
            literals--;
        }
        lengths[literals] = 1; // the distance's follows
        int count = runLengths(literals + 1);
        Arrays.fill(runCounts, 0);
        for (int i = 0; i < count; i++) {
            runCounts[runs[i] & 0xff]++;
        }
        limitedLengths(runCounts, RUN_SYMBOLS, 7, runLengths);
        canonical(runLengths, RUN_SYMBOLS, runCodes);
        int kept = RUN_SYMBOLS;
        while (kept > 4 && runLengths[ORDER[kept - 1]] == 0) {
            kept--;
        }
        pending = 0;
        pendingBits = 0;
        headBits = 0;
        Arrays.fill(table, HEAD, WORDS, 0);
        put(0b100, 3);
        put(literals - 257, 5);
        put(0, 5);
        put(kept - 4, 4);
        for (int i = 0; i < kept; i++) {
            put(runLengths[ORDER[i]], 3);
        }
        for (int i = 0; i < count; i++) {
            int symbol = runs[i] & 0xff;
            put(runCodes[symbol], runLengths[symbol]);
            put(runs[i] >>> 8, symbol < 16 ? 0 : symbol == 16 ? 2 : symbol == 17 ? 3 : 7);
        }
        table[HEAD] = headBits;
        table[HEAD + 1 + headBits / 32] = (int) pending;
    }

    private void put(int bits, int count) {
        pending |= (long) bits << pendingBits;
        pendingBits += count;
        headBits += count;
        if (pendingBits >= 32) {
            table[HEAD + headBits / 32] = (int) pending;
            pending >>>= 32;
            pendingBits -= 32;
        }
    }

    /** Writes the lengths as symbols: 0 to 15 a length, 16 the one before 3 to 6 times, 17 and 18 zeros. Returns their number. */
    private int runLengths(int count) {
        int made = 0;
        for (int i = 0, end; i < count; i = end) {
            end = i + 1;
            while (end < count && lengths[end] == lengths[i]) {
                end++;
            }
            int left = end - i;
            if (lengths[i] == 0) {
                for (; left >= 11; left -= Math.min(left, 138)) {
                    runs[made++] = 18 | (Math.min(left, 138) - 11) << 8;
                }
                if (left >= 3) {
                    runs[made++] = 17 | (left - 3) << 8;
                    left = 0;
                }
            } else {
                runs[made++] = lengths[i];
                for (left--; left >= 3; left -= Math.min(left, 6)) {
                    runs[made++] = 16 | (Math.min(left, 6) - 3) << 8;
                }
            }
            for (; left > 0; left--) {
                runs[made++] = lengths[i];
            }
        }
        return made;
    }

    /**
     * Lengths of a code none of which is longer than {@code most} bits, 0 for symbols that do not occur; a single symbol gets one bit.
     * They are those of Huffman's code where these are short enough. Else rare symbols count as often as the longest code is worth, which
     * makes Huffman's code as good as fit and takes 0.02 % more bits than the best; of the few codes that are still too long each is
     * cut, and makes room by moving the deepest shorter one down a bit.
     */
    void limitedLengths(int[] counts, int symbols, int most, int[] lengths) {
        Arrays.fill(lengths, 0, symbols, 0);
        long sum = 0;
        int n = 0;
        for (int s = 0; s < symbols; s++) {
            if (counts[s] > 0) {
                sorted[n++] = (long) counts[s] << 16 | s;
                sum += counts[s];
            }
        }
        if (n == 1) {
            lengths[(int) sorted[0] & 0xffff] = 1;
            return;
        }
        Arrays.sort(sorted, 0, n); // by count, then by symbol
        leavesByDepth(n, 0, most);
        if (leaves[most + 1] > 0) {
            leavesByDepth(n, sum >>> most, most);
            leaves[most] += leaves[most + 1];
            int excess = -(1 << most); // of what codes claim, in codes of the longest length
            for (int depth = 1; depth <= most; depth++) {
                excess += leaves[depth] << (most - depth);
            }
            for (; excess > 0; excess--) {
                int depth = most - 1;
                while (leaves[depth] == 0) {
                    depth--;
                }
                leaves[depth]--;
                leaves[depth + 1] += 2; // itself, and one of the longest beside it
                leaves[most]--;
            }
        }
        for (int depth = most, i = 0; depth > 0; depth--) {
            for (int end = i + leaves[depth]; i < end; i++) {
                lengths[(int) sorted[i] & 0xffff] = depth;
            }
        }
    }

    /**
     * Finds how many leaves Huffman's tree has at each depth, those beyond {@code most} at the one behind it (Moffat and Katajainen, In-Place
     * Calculation of Minimum-Redundancy Codes, 1995).
     *
     * @param least what a leaf weighs at least
     */
    private void leavesByDepth(int n, long least, int most) {
        // The inner ones in the order in which they are made: their weights, then parents, then depths.
        for (int next = 0, node = 0, leaf = 0; next < n - 1; next++) {
            long weight = 0;
            for (int child = 0; child < 2; child++) {
                long own = leaf < n ? Math.max(least, sorted[leaf] >>> 16) : Long.MAX_VALUE;
                if (node == next || own <= nodes[node]) {
                    weight += own;
                    leaf++;
                } else {
                    weight += nodes[node];
                    nodes[node++] = next;
                }
            }
            nodes[next] = weight;
        }
        nodes[n - 2] = 0;
        for (int node = n - 3; node >= 0; node--) {
            nodes[node] = nodes[(int) nodes[node]] + 1;
        }
        Arrays.fill(leaves, 0);
        long open = 1; // places at a depth
        int node = n - 2;
        for (int depth = 0; open > 0; depth++) {
            int inner = 0;
            for (; node >= 0 && nodes[node] == depth; node--) {
                inner++;
            }
            leaves[Math.min(depth, most + 1)] += (int) (open - inner);
            open = 2L * inner;
        }
    }

    /** The codes that follow from their lengths, first bit lowest. */
    private void canonical(int[] lengths, int symbols, int[] codes) {
        Arrays.fill(next, 0);
        for (int s = 0; s < symbols; s++) {
            next[lengths[s]]++;
        }
        for (int bits = 1, code = 0; bits < next.length; bits++) {
            int count = next[bits];
            next[bits] = code << 1;
            code = next[bits] + count;
        }
        for (int s = 0; s < symbols; s++) {
            codes[s] = lengths[s] == 0 ? 0 : Integer.reverse(next[lengths[s]]++) >>> (32 - lengths[s]);
        }
    }
}
