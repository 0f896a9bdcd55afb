package dev.evener.frames.exr;

import java.util.Arrays;
import java.util.zip.DataFormatException;

/**
 * PIZ: 16-bit values, numbered in the order of those that occur, through a wavelet in two dimensions, then {@link Huffman}'s code. Each
 * step is undone exactly, by integers. A chunk begins with a bitmap of the values that occur: its first and its last byte that is not
 * 0, and those between; then comes the length of the rest.
 */
final class PizDecoder extends Codec {
    private static final int VALUES = 1 << 16;
    private static final String EARLY = "it ends early";

    private final Huffman huffman = new Huffman();
    private final char[] occurring = new char[VALUES];
    private char[] values = {};

    @Override
    public void decode(byte[] coded, int length, Block block, byte[] out) throws DataFormatException {
        int first = word(coded, 0, length);
        int last = word(coded, 2, length);
        require(last < VALUES / 8, "its values go up to " + 8 * last);
        int at = 4;
        int largest = 0; // the number of the largest value; 0 is always among them
        require(last < first || last - first + 5 <= length - at, EARLY);
        for (int i = first; i <= last; i++) {
            for (int set = coded[at++] & (i == 0 ? 0xfe : 0xff); set != 0; set &= set - 1) {
                occurring[++largest] = (char) (8 * i + Integer.numberOfTrailingZeros(set));
            }
        }
        Arrays.fill(occurring, largest + 1, VALUES, '\0');
        int rest = word(coded, at, length) | (word(coded, at + 2, length) << 16);
        at += Integer.BYTES;
        require(rest >= 0 && rest <= length - at, "its codes have " + rest + " bytes of " + (length - at));
        int count = block.bytes() / Short.BYTES;
        values = values.length < count ? new char[count] : values;
        huffman.decode(coded, at, rest, values, count);
        int from = 0;
        for (int c = 0; c < block.starts().length; c++) {
            int words = block.channels().get(c).bytes() / Short.BYTES;
            int columns = block.columns(c);
            for (int word = 0; word < words; word++) {
                wavelet(from + word, words, columns, block.rows(c), largest < 1 << 14);
            }
            for (int to : block.starts()[c]) {
                for (int i = 0; i < words * columns; i++, to += Short.BYTES) {
                    Half.SHORTS.set(out, to, (short) occurring[values[from++]]);
                }
            }
        }
    }

    private static int word(byte[] coded, int at, int length) throws DataFormatException {
        require(length - at >= 2, EARLY);
        return (short) Half.SHORTS.get(coded, at) & 0xffff;
    }

    /** Undoes the wavelet of a plane in which a value follows {@code step} after the one before, from coarse to fine. */
    private void wavelet(int start, int step, int width, int rows, boolean small) {
        int down = step * width;
        int span = Integer.highestOneBit(Math.min(width, rows));
        for (int half = span / 2; half > 0; span = half, half /= 2) {
            int y = 0;
            for (; y + span <= rows; y += span) {
                int here = start + y * down;
                for (int x = 0; x + span <= width; x += span, here += span * step) {
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
