package dev.evener.kernels.png;

import dev.evener.JvmKernel;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.Arrays;

/** The Java form of {@code png.cpu.cl}: row after row. Stateless, so that several threads may run it at once. */
record PngJvm(int width, int stride, int words, int height) {
    /** Arguments: those of the kernel that packs follow eight, four and ten. */
    private static final int CODED = 8 + 4 + 10 + 4;

    /** Bytes of a pixel: as many zeros are to the left of a row. */
    private int left() {
        return 3 * words;
    }

    /** The picture as a chunk sees it, one row of which is at hand. */
    private final class Rows {
        private final IntBuffer pixels;
        private final int view;
        private final long first;
        private final int left = left();
        private final int[] row = new int[width];
        private byte[] present = new byte[left + 3 * width];
        private byte[] above = new byte[left + 3 * width];
        private int at = Integer.MIN_VALUE; // the row that is present

        /** What the filter left of the row. */
        final byte[] differences = new byte[3 * width];

        /** The row's symbols, the filter's number first. */
        final int[] symbols = new int[1 + 3 * width];

        Rows(JvmKernel.Chunk chunk) {
            pixels = chunk.buffer(0).asIntBuffer();
            view = chunk.viewStart(0);
            first = chunk.firstUnit();
        }

        /** Goes to a row. */
        void go(int row) {
            byte[] before = above;
            above = present;
            present = before;
            if ((first + row) % height == 0) {
                Arrays.fill(above, (byte) 0);
            } else if (at != row - 1) {
                load(row - 1, above);
            }
            load(row, present);
            at = row;
        }

        private void load(int number, byte[] bytes) {
            pixels.get(view + number * stride, row);
            for (int x = 0, i = left; x < width; x++, i += 3) {
                int word = row[x];
                bytes[i] = (byte) word;
                bytes[i + 1] = (byte) (word >> 8);
                bytes[i + 2] = (byte) (word >> 16);
            }
        }

        /** The filter whose bytes have the least sum of magnitudes in every other segment. */
        int best() {
            byte[] own = present;
            byte[] up = above;
            long sub = 0;
            long over = 0;
            long average = 0;
            long paeth = 0;
            for (int from = left; from < own.length; from += 2 * PngEncoder.SEGMENT_BYTES) {
                for (int i = from; i < Math.min(own.length, from + PngEncoder.SEGMENT_BYTES); i++) {
                    int a = own[i - left] & 0xff;
                    int b = up[i] & 0xff;
                    sub += Math.abs((byte) (own[i] - a));
                    over += Math.abs((byte) (own[i] - b));
                    average += Math.abs((byte) (own[i] - (a + b) / 2));
                    paeth += Math.abs((byte) (own[i] - paeth(a, b, up[i - left] & 0xff)));
                }
            }
            int best = over < sub ? 2 : 1;
            long least = Math.min(sub, over);
            best = average < least ? 3 : best;
            return paeth < Math.min(least, average) ? 4 : best;
        }

        /** Filters the row so, and finds its symbols; returns their number. */
        int code(int filter) {
            byte[] own = present;
            byte[] up = above;
            for (int i = left; i < own.length; i++) {
                int predicted = predicted(filter, own[i - left] & 0xff, up[i] & 0xff, up[i - left] & 0xff);
                differences[i - left] = (byte) (own[i] - predicted);
            }
            symbols[0] = filter;
            int count = 1;
            byte last = (byte) filter;
            for (int i = 0, end = 0; i < differences.length; ) {
                end = i == end ? Math.min(differences.length, end + PngEncoder.SEGMENT_BYTES) : end;
                int run = i;
                while (run < end && differences[run] == last) {
                    run++;
                }
                if (run - i >= PngEncoder.LEAST) {
                    symbols[count++] = HuffmanCode.MATCHES + run - i - 3;
                    i = run;
                } else {
                    last = differences[i++];
                    symbols[count++] = last & 0xff;
                }
            }
            return count;
        }
    }

    /** What a filter (1 Sub, 2 Up, 3 Average, 4 Paeth) takes a byte for, by those to the left, above, and above to the left. */
    static int predicted(int filter, int left, int up, int before) {
        return switch (filter) {
            case 1 -> left;
            case 2 -> up;
            case 3 -> (left + up) / 2;
            default -> paeth(left, up, before);
        };
    }

    private static int paeth(int left, int up, int before) {
        int toLeft = Math.abs(up - before);
        int toUp = Math.abs(left - before);
        int toBefore = Math.abs(left + up - 2 * before);
        return toLeft <= toUp && toLeft <= toBefore ? left : toUp <= toBefore ? up : before;
    }

    /** A block's bits. */
    private static final class Bits {
        private final byte[] bytes;
        private long held;
        private int pending;
        private int size;

        Bits(int most) {
            bytes = new byte[most];
        }

        /** The codes of so many symbols. */
        void put(int[] symbols, int count, int[] codes) {
            long bits = held;
            int used = pending;
            int end = size;
            for (int i = 0; i < count; i++) {
                int code = codes[symbols[i]];
                bits |= (long) HuffmanCode.bits(code) << used;
                used += HuffmanCode.count(code);
                while (used >= 8) {
                    bytes[end++] = (byte) bits;
                    bits >>>= 8;
                    used -= 8;
                }
            }
            held = bits;
            pending = used;
            size = end;
        }

        void put(int value, int count) {
            held |= Integer.toUnsignedLong(value) << pending;
            for (pending += count; pending >= 8; pending -= 8) {
                bytes[size++] = (byte) held;
                held >>>= 8;
            }
        }
    }

    /** A block after the other. */
    void code(JvmKernel.Chunk chunk) {
        Rows rows = new Rows(chunk);
        ByteBuffer coded = chunk.buffer(CODED);
        IntBuffer about = chunk.buffer(CODED + 1).asIntBuffer();
        HuffmanCode code = new HuffmanCode();
        int[] filters = new int[PngEncoder.STRIP];
        int[] sums = new int[PngEncoder.TABLE];
        int place = 0;
        for (int from = 0; from < chunk.units(); from += PngEncoder.STRIP) {
            int end = Math.min(chunk.units(), from + PngEncoder.STRIP);
            Arrays.fill(sums, 0);
            for (int row = from; row < end; row++) {
                rows.go(row);
                int best = rows.best();
                filters[row - from] = best;
                int count = rows.code(best);
                for (int i = 0; i < count; i++) {
                    sums[rows.symbols[i]]++;
                }
                long sum = best;
                long weighted = best;
                for (byte each : rows.differences) {
                    sum += each & 0xff;
                    weighted += sum;
                }
                about.put(4 * row, (int) chunk.firstUnit());
                about.put(4 * row + 1, (int) (sum % PngEncoder.ADLER));
                about.put(4 * row + 2, (int) (weighted % PngEncoder.ADLER));
                about.put(4 * row + 3, 0);
            }
            int size = code.block(sums);
            about.put(4 * from + 3, size);
            int[] codes = code.table();
            Bits bits = new Bits(size);
            int head = codes[HuffmanCode.HEAD];
            for (int i = 0; i < head; i += 32) {
                bits.put(codes[HuffmanCode.HEAD + 1 + i / 32], Math.min(32, head - i));
            }
            for (int row = from; row < end; row++) {
                rows.go(row);
                bits.put(rows.symbols, rows.code(filters[row - from]), codes);
            }
            int last = codes[HuffmanCode.END];
            bits.put(HuffmanCode.bits(last), HuffmanCode.count(last));
            bits.put(0, 3);
            bits.put(0, -bits.pending & 7);
            bits.put(0xffff0000, 32);
            coded.put(place, bits.bytes, 0, bits.size);
            place += bits.size;
        }
    }
}
