package dev.evener.frames;

import java.util.Arrays;
import java.util.List;
import java.util.zip.DataFormatException;

/**
 * OpenEXR's PIZ: 16-bit values, numbered in the order of those that occur, through a wavelet in two dimensions, then Huffman's
 * code with runs. Each step is undone exactly, by integers. One thread.
 *
 * <p>A chunk begins with a bitmap of the values that occur: its first and its last byte that is not 0, and those between. Then
 * follow the length of the rest, the first and the last symbol that has a code (the last stands for a run), a number that is not
 * needed, the bits of coded data and another such number; the codes' lengths, six bits each, of which 59 to 62 stand for 2 to 5
 * symbols without a code, and 63 for as many as eight more bits say, and 6; and the data. Codes are canonical, and longer ones are
 * less than shorter ones.
 */
final class PizDecoder {
    private static final int VALUES = 1 << 16;
    private static final int QUICK = 14; // bits that the table of codes is looked up by
    private static final int LONGEST = 56; // more cannot come of as few values as a chunk has
    private static final int FIRST_GAP = 59;
    private static final int LONG_GAP = 63;

    private final List<ExrReader.Channel> channels;
    private final int width;
    private final char[] values;
    private final char[] occurring = new char[VALUES];
    private final byte[] lengths = new byte[VALUES + 1];
    private final int[] table = new int[1 << QUICK];
    private final int[] symbols = new int[VALUES + 1];
    private final long[] firstCode = new long[LONGEST + 1];
    private final int[] firstSymbol = new int[LONGEST + 2];

    private byte[] in = new byte[0];
    private int at;
    private int end;
    private long bits;
    private int held;

    /** One for chunks of up to so many rows. */
    PizDecoder(List<ExrReader.Channel> channels, int width, int rows) {
        this.channels = channels;
        this.width = width;
        int bytes = channels.stream().mapToInt(ExrReader.Channel::bytes).sum();
        this.values = new char[bytes / 2 * width * rows];
    }

    /** Decodes a chunk into rows, in each one channel after another, little-endian. */
    void decode(byte[] coded, int length, int rows, byte[] out) throws DataFormatException {
        in = coded;
        at = 0;
        end = length;
        int largest = bitmap();
        int rest = integer(4);
        if (rest < 0 || rest > end - at) {
            throw new DataFormatException("its codes have " + rest + " bytes of " + (end - at));
        }
        end = at + rest;
        int count = 0;
        for (ExrReader.Channel channel : channels) {
            count += channel.bytes() / 2 * width * rows;
        }
        values(count);
        int start = 0;
        for (ExrReader.Channel channel : channels) {
            int words = channel.bytes() / 2;
            for (int word = 0; word < words; word++) {
                wavelet(start + word, words, rows, largest < 1 << 14);
            }
            start += words * width * rows;
        }
        for (int row = 0, to = 0; row < rows; row++) {
            int from = 0;
            for (ExrReader.Channel channel : channels) {
                int words = channel.bytes() / 2 * width;
                for (int i = 0; i < words; i++, to += 2) {
                    char value = occurring[values[from + row * words + i]];
                    out[to] = (byte) value;
                    out[to + 1] = (byte) (value >> 8);
                }
                from += words * rows;
            }
        }
    }

    private int integer(int bytes) throws DataFormatException {
        if (end - at < bytes) {
            throw new DataFormatException("it ends early");
        }
        int value = 0;
        for (int i = 0; i < bytes; i++) {
            value |= (in[at++] & 0xff) << (8 * i);
        }
        return value;
    }

    /** Finds the values that occur, 0 always among them, and returns the number of the last. */
    private int bitmap() throws DataFormatException {
        int first = integer(2);
        int last = integer(2);
        if (last >= VALUES / 8) {
            throw new DataFormatException("its values go up to " + 8 * last);
        }
        int number = 1; // value 0
        for (int i = first; i <= last; i++) {
            for (int set = integer(1) & (i == 0 ? 0xfe : 0xff); set != 0; set &= set - 1) {
                occurring[number++] = (char) (8 * i + Integer.numberOfTrailingZeros(set));
            }
        }
        Arrays.fill(occurring, number, VALUES, '\0');
        return number - 1;
    }

    private void values(int count) throws DataFormatException {
        int first = integer(4);
        int run = integer(4);
        integer(4);
        long dataBits = integer(4) & 0xffffffffL;
        integer(4);
        if (first < 0 || run < first || run > VALUES) {
            throw new DataFormatException("its codes are those of " + first + " to " + run);
        }
        codes(first, run);
        if (dataBits > 8L * (end - at)) {
            throw new DataFormatException("its codes have " + dataBits + " bits of " + 8L * (end - at));
        }
        end = at + (int) ((dataBits + 7) / 8);
        bits = 0;
        held = 0;
        for (int done = 0; done < count; ) {
            int symbol = symbol();
            if (symbol != run) {
                values[done++] = (char) symbol;
                continue;
            }
            int more = (int) take(8);
            if (done == 0 || more > count - done) {
                throw new DataFormatException("a run of " + more + " values does not fit");
            }
            Arrays.fill(values, done, done + more, values[done - 1]);
            done += more;
        }
    }

    /** Reads the lengths of the codes of these symbols, and makes the codes. */
    private void codes(int first, int last) throws DataFormatException {
        Arrays.fill(lengths, (byte) 0);
        int[] counts = new int[LONGEST + 1];
        bits = 0;
        held = 0;
        for (int symbol = first; symbol <= last; symbol++) {
            int length = (int) take(6);
            if (length >= FIRST_GAP) {
                symbol += (length == LONG_GAP ? (int) take(8) + 6 : length - FIRST_GAP + 2) - 1;
                if (symbol > last) {
                    throw new DataFormatException("there are more codes than symbols");
                }
            } else if (length > LONGEST) {
                throw new DataFormatException("a code has " + length + " bits");
            } else if (length > 0) {
                lengths[symbol] = (byte) length;
                counts[length]++;
            }
        }
        at -= held / 8; // data begins with the next byte
        long code = 0;
        for (int length = LONGEST; length > 0; length--) {
            firstCode[length] = code;
            code += counts[length];
            if (code > 1L << length) {
                throw new DataFormatException("there are more codes of " + length + " bits than can be");
            }
            code >>= 1;
        }
        for (int length = 1; length <= LONGEST; length++) {
            firstSymbol[length + 1] = firstSymbol[length] + counts[length];
        }
        Arrays.fill(table, 0);
        int[] next = Arrays.copyOf(firstSymbol, LONGEST + 1);
        for (int symbol = first; symbol <= last; symbol++) {
            int length = lengths[symbol];
            if (length > 0) {
                int place = next[length]++;
                symbols[place] = symbol;
                if (length <= QUICK) {
                    int from = (int) (firstCode[length] + place - firstSymbol[length]) << (QUICK - length);
                    Arrays.fill(table, from, from + (1 << (QUICK - length)), (symbol << 6) | length);
                }
            }
        }
    }

    private int symbol() throws DataFormatException {
        fill();
        int found = table[(int) (bits >>> (Long.SIZE - QUICK))];
        if (found != 0) {
            drop(found & 63);
            return found >> 6;
        }
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

    /** Holds 57 bits at least, or what there is and zeros. */
    private void fill() {
        while (held <= Long.SIZE - 8 && at < end) {
            bits |= (in[at++] & 0xffL) << (Long.SIZE - 8 - held);
            held += 8;
        }
    }

    private void drop(int count) throws DataFormatException {
        if (count > held) {
            throw new DataFormatException("its codes end early");
        }
        bits <<= count;
        held -= count;
    }

    /** Undoes the wavelet of a plane in which a value follows {@code step} after the one before, from coarse to fine. */
    private void wavelet(int start, int step, int rows, boolean small) {
        int down = step * width;
        int span = Integer.highestOneBit(Math.min(width, rows));
        for (int half = span / 2; half > 0; span = half, half /= 2) {
            int y = 0;
            for (; y + span <= rows; y += span) {
                int here = start + y * down;
                int x = 0;
                for (; x + span <= width; x += span, here += span * step) {
                    int right = here + half * step;
                    int below = here + half * down;
                    join(here, below, small);
                    join(right, below + half * step, small);
                    join(here, right, small);
                    join(below, below + half * step, small);
                }
                if ((width & half) != 0) {
                    join(here, here + half * down, small);
                }
            }
            if ((rows & half) != 0) {
                int here = start + y * down;
                for (int x = 0; x + span <= width; x += span, here += span * step) {
                    join(here, here + half * step, small);
                }
            }
        }
    }

    /** Makes two values of their mean and difference: signed where 14 bits hold them, else modulo 2^16. */
    private void join(int low, int high, boolean small) {
        if (small) {
            int difference = (short) values[high];
            int a = (short) values[low] + (difference & 1) + (difference >> 1);
            values[low] = (char) a;
            values[high] = (char) (a - difference);
        } else {
            int b = values[low] - (values[high] >> 1);
            values[low] = (char) (values[high] + b - 0x8000);
            values[high] = (char) b;
        }
    }
}
