package dev.evener.kernels.png;

import dev.evener.JvmKernel;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;

/** The Java form of {@code png.cpu.cl}: row after row. Stateless, so that several threads may run it at once. */
record PngJvm(int width, int stride) {
    /** Arguments of the second phase: the kernel that measures has twelve, the one that packs follows. */
    private static final int TABLES = 2;

    private static final int CODES = 3;
    private static final int SLOTS = 15;

    /** Takes symbols. */
    private interface Sink {
        void put(int symbol);
    }

    /** The picture as a chunk sees it. */
    private final class Rows {
        final ByteBuffer pixels;
        final int view;
        final long first;
        final byte[] differences = new byte[3 * width];

        Rows(JvmKernel.Chunk chunk) {
            pixels = chunk.buffer(0);
            view = chunk.viewStart(0);
            first = chunk.firstUnit();
        }

        private int at(int row, int x, int channel) {
            return x < 0 || first + row < 0 ? 0 : pixels.get(4 * (view + row * stride + x) + channel) & 0xff;
        }

        /** Filters a row; returns the sum of the bytes' magnitudes. */
        long filter(int row, int filter) {
            long sum = 0;
            for (int x = 0; x < width; x++) {
                for (int channel = 0; channel < 3; channel++) {
                    int left = at(row, x - 1, channel);
                    int up = at(row - 1, x, channel);
                    int predicted = switch (filter) {
                        case 1 -> left;
                        case 2 -> up;
                        case 3 -> (left + up) / 2;
                        default -> paeth(left, up, at(row - 1, x - 1, channel));
                    };
                    byte difference = (byte) (at(row, x, channel) - predicted);
                    differences[3 * x + channel] = difference;
                    sum += Math.abs(difference);
                }
            }
            return sum;
        }

        /** The symbols of a row that was filtered so. */
        void symbols(int filter, Sink sink) {
            sink.put(filter);
            for (int from = 0; from < differences.length; from += PngEncoder.SEGMENT_BYTES) {
                int end = Math.min(differences.length, from + PngEncoder.SEGMENT_BYTES);
                for (int i = from, length; i < end; i += length) {
                    byte last = i == 0 ? (byte) filter : differences[i - 1];
                    length = 0;
                    while (i + length < end && differences[i + length] == last) {
                        length++;
                    }
                    sink.put(length < 3 ? differences[i] & 0xff : HuffmanCode.MATCHES + length - 3);
                    length = length < 3 ? 1 : length;
                }
            }
        }

        private static int paeth(int left, int up, int before) {
            int toLeft = Math.abs(up - before);
            int toUp = Math.abs(left - before);
            int toBefore = Math.abs(left + up - 2 * before);
            return toLeft <= toUp && toLeft <= toBefore ? left : toUp <= toBefore ? up : before;
        }
    }

    /** The first phase: chooses filters and counts symbols. */
    void filter(JvmKernel.Chunk chunk) {
        Rows rows = new Rows(chunk);
        ByteBuffer filters = chunk.buffer(1);
        IntBuffer tables = chunk.buffer(TABLES).asIntBuffer();
        for (int row = 0; row < chunk.units(); row++) {
            int best = 1;
            long least = rows.filter(row, 1);
            for (int filter = 2; filter <= 4; filter++) {
                long sum = rows.filter(row, filter);
                best = sum < least ? filter : best;
                least = Math.min(least, sum);
            }
            rows.filter(row, best);
            filters.put(row, (byte) best);
            int[] table = new int[PngEncoder.TABLE];
            rows.symbols(best, symbol -> table[symbol]++);
            long sum = best;
            long weighted = best;
            for (byte each : rows.differences) {
                sum += each & 0xff;
                weighted += sum;
            }
            table[PngEncoder.SUM] = (int) (sum % PngEncoder.ADLER);
            table[PngEncoder.WEIGHTED] = (int) (weighted % PngEncoder.ADLER);
            tables.put(row * table.length, table);
        }
    }

    /** A block's bits, and in which row its bytes begin. */
    private static final class Bits {
        private final byte[] bytes;
        private long held;
        private int pending;
        private int size;

        Bits(int most) {
            bytes = new byte[most];
        }

        void put(int code) {
            put(code & 0xffffff, code >>> 24);
        }

        void put(int value, int count) {
            held |= Integer.toUnsignedLong(value) << pending;
            for (pending += count; pending >= 8; pending -= 8) {
                bytes[size++] = (byte) held;
                held >>>= 8;
            }
        }

        /** Bytes that were begun. */
        int begun() {
            return size + (pending > 0 ? 1 : 0);
        }
    }

    /** The second phase: a block after the other. */
    void pack(JvmKernel.Chunk chunk) {
        Rows rows = new Rows(chunk);
        ByteBuffer filters = chunk.buffer(1);
        IntBuffer all = chunk.buffer(CODES).asIntBuffer();
        ByteBuffer slots = chunk.buffer(SLOTS);
        ByteBuffer counts = chunk.buffer(SLOTS + 1);
        int most = (int) PngEncoder.mostBytesOfRow(width);
        for (int from = 0; from < chunk.units(); from += PngEncoder.STRIP) {
            int end = Math.min(chunk.units(), from + PngEncoder.STRIP);
            int[] codes = new int[HuffmanCode.WORDS];
            all.get((int) ((chunk.firstUnit() + from) / PngEncoder.STRIP) * codes.length, codes);
            Bits bits = new Bits(most * (end - from));
            int[] begun = new int[end - from + 1];
            int head = codes[HuffmanCode.HEAD];
            for (int i = 0; i < head; i += 32) {
                bits.put(codes[HuffmanCode.HEAD + 1 + i / 32], Math.min(32, head - i));
            }
            for (int row = from; row < end; row++) {
                int filter = filters.get(row);
                rows.filter(row, filter);
                rows.symbols(filter, symbol -> bits.put(codes[symbol]));
                begun[row - from + 1] = bits.begun();
            }
            bits.put(codes[HuffmanCode.END]);
            bits.put(0, 3);
            bits.put(0, -bits.pending & 7);
            bits.put(0xffff0000, 32);
            begun[end - from] = bits.size;
            for (int row = from; row < end; row++) {
                int first = begun[row - from];
                int count = begun[row - from + 1] - first;
                slots.put(row * most, bits.bytes, first, count);
                counts.putInt(4 * row, count);
            }
        }
    }
}
