package dev.evener.frames.exr;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.DataFormatException;

/**
 * Huffman's code with runs for 16-bit values, as PIZ and DWA have it. One thread.
 *
 * <p>First come the first and the last symbol that has a code (the last stands for a run), a number that is not needed, the bits of
 * coded data and another such number; then the codes' lengths, six bits each, of which 59 to 62 stand for 2 to 5 symbols without a
 * code, and 63 for as many as eight more bits say, and 6; then the data. Codes are canonical, longer ones less than shorter ones.
 */
final class Huffman {
    private static final VarHandle BIG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int SYMBOLS = (1 << 16) + 1;
    private static final int HEADER = 20; // bytes
    private static final int QUICK = 12; // bits that the table of codes is looked up by
    private static final int LONGEST = 56; // more cannot come of as few values as a chunk has
    private static final String EARLY = "its codes end early";

    private final int[] used = new int[SYMBOLS]; // symbols that have a code, and its length
    private final int[] table = new int[1 << QUICK];
    private final int[] symbols = new int[SYMBOLS];
    private final long[] firstCode = new long[LONGEST + 1];
    private final int[] firstSymbol = new int[LONGEST + 2];

    private byte[] in = {};
    private int at;
    private int end;
    private long bits;
    private int held;

    /** Decodes exactly so many values. */
    void decode(byte[] coded, int from, int length, char[] values, int count) throws DataFormatException {
        Codec.require(length >= HEADER, EARLY);
        int first = (int) Half.INTS.get(coded, from);
        int run = (int) Half.INTS.get(coded, from + 4);
        long dataBits = (int) Half.INTS.get(coded, from + 12) & 0xffffffffL;
        in = coded;
        at = from + HEADER;
        end = from + length;
        Codec.require(first >= 0 && run >= first && run < SYMBOLS, "its codes are those of " + first + " to " + run);
        codes(first, run);
        Codec.require(dataBits <= 8L * (end - at), EARLY);
        end = at + (int) ((dataBits + 7) / 8);
        bits = 0;
        held = 0;
        for (int done = 0; done < count; ) {
            fill();
            int found = table[(int) (bits >>> (Long.SIZE - QUICK))];
            int symbol = found == 0 ? rare() : found >> 6;
            drop(found & 63); // 0 if it was rare
            if (symbol != run) {
                values[done++] = (char) symbol;
                continue;
            }
            int more = (int) take(8);
            Codec.require(done > 0 && more <= count - done, "a run of values does not fit");
            Arrays.fill(values, done, done + more, values[done - 1]);
            done += more;
        }
    }

    /** Reads the lengths of the codes of these symbols, and makes the codes. */
    private void codes(int first, int last) throws DataFormatException {
        int known = 0;
        int[] counts = new int[LONGEST + 1];
        bits = 0;
        held = 0;
        for (int symbol = first; symbol <= last; symbol++) {
            int length = (int) take(6);
            if (length >= 59) {
                symbol += (length == 63 ? (int) take(8) + 6 : length - 57) - 1;
                Codec.require(symbol <= last, "there are more codes than symbols");
            } else if (length > 0) {
                Codec.require(length <= LONGEST, "a code is too long");
                used[known++] = (symbol << 6) | length;
                counts[length]++;
            }
        }
        at -= held / 8; // data begins with the next byte
        long code = 0;
        for (int length = LONGEST; length > 0; length--) {
            firstCode[length] = code;
            code += counts[length];
            Codec.require(code <= 1L << length, "there are more codes of a length than can be");
            code >>= 1;
        }
        for (int length = 1; length <= LONGEST; length++) {
            firstSymbol[length + 1] = firstSymbol[length] + counts[length];
        }
        Arrays.fill(table, 0);
        int[] next = Arrays.copyOf(firstSymbol, LONGEST + 1);
        for (int i = 0; i < known; i++) {
            int length = used[i] & 63;
            int place = next[length]++;
            symbols[place] = used[i] >> 6;
            if (length <= QUICK) {
                int from = (int) (firstCode[length] + place - firstSymbol[length]) << (QUICK - length);
                Arrays.fill(table, from, from + (1 << (QUICK - length)), used[i]);
            }
        }
    }

    /** The next symbol, whose code is longer than those in the table. */
    private int rare() throws DataFormatException {
        for (int length = QUICK + 1; length <= LONGEST; length++) {
            long place = (bits >>> (Long.SIZE - length)) - firstCode[length];
            if (place >= 0 && place < firstSymbol[length + 1] - firstSymbol[length]) {
                drop(length);
                return symbols[firstSymbol[length] + (int) place];
            }
        }
        throw new DataFormatException("there is no such code");
    }

    private long take(int count) throws DataFormatException {
        fill();
        long taken = bits >>> (Long.SIZE - count);
        drop(count);
        return taken;
    }

    /** Holds 56 bits at least, or what there is and zeros. */
    private void fill() {
        if (end - at >= Long.BYTES) {
            bits |= (long) BIG.get(in, at) >>> held;
            int bytes = (Long.SIZE - 1 - held) / 8;
            at += bytes;
            held += 8 * bytes;
            return;
        }
        while (held <= Long.SIZE - 8 && at < end) {
            bits |= (in[at++] & 0xffL) << (Long.SIZE - 8 - held);
            held += 8;
        }
    }

    private void drop(int count) throws DataFormatException {
        Codec.require(count <= held, EARLY);
        bits <<= count;
        held -= count;
    }
}
