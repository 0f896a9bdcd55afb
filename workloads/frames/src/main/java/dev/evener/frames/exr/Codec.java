package dev.evener.frames.exr;

import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Undoes a compression, chunk by chunk. Keeps its working memory, which grows with the largest chunk. One thread. By itself it is that of
 * uncompressed, RLE, ZIPS and ZIP (differences of bytes, of which every other one comes later), and PXR24 (in each row of a channel the
 * differences of samples, of floats but the last eight bits, the bytes of equal weight together). Source: OpenEXR's library.
 */
public class Codec implements AutoCloseable {
    private final Inflater inflater = new Inflater();
    private final Compression compression;

    private Codec(Compression compression) {
        this.compression = compression;
    }

    Codec() {
        this(Compression.NONE);
    }

    /**
     * One for a compression.
     *
     * @param wanted of each channel of the part, whether its samples matter; those of others may be anything
     */
    public static Codec of(Compression compression, boolean[] wanted) {
        return switch (compression) {
            case NONE, RLE, ZIPS, ZIP, PXR24 -> new Codec(compression);
            case PIZ -> new PizDecoder(wanted);
            case B44, B44A -> new B44Decoder();
            case DWAA, DWAB -> new DwaDecoder(wanted);
        };
    }

    /**
     * Decodes a chunk.
     *
     * @param coded its bytes, from 0 on
     * @param length how many
     * @param out takes the block's samples as {@link Block} says, from 0 on
     * @throws DataFormatException if it is damaged
     */
    public void decode(byte[] coded, int length, Block block, byte[] out) throws DataFormatException {
        switch (compression) {
            case NONE -> requireAll(length, block.bytes());
            case RLE -> restore(runs(coded, length, block.bytes()), out);
            case PXR24 -> pxr24(coded, length, block, out);
            default -> restore(inflate(coded, 0, length, block.bytes()), out);
        }
    }

    private void pxr24(byte[] coded, int length, Block block, byte[] out) throws DataFormatException {
        int bytes = 0;
        for (int c = 0; c < block.channels.size(); c++) {
            bytes += block.rows(c) * block.columns(c) * kept(block.channels.get(c));
        }
        byte[] planes = inflate(coded, 0, length, bytes);
        int[] row = new int[block.channels.size()];
        int at = 0;
        for (int y = 0; y < block.height; y++) {
            for (int c = 0; c < row.length; c++) {
                Channel channel = block.channels.get(c);
                if ((block.top + y) % channel.down() == 0) {
                    int columns = block.columns(c);
                    row(planes, at, columns, kept(channel), channel.bytes(), out, block.starts[c][row[c]++]);
                    at += columns * kept(channel);
                }
            }
        }
    }

    private static int kept(Channel channel) {
        return channel.type() == Channel.FLOAT ? 3 : channel.bytes();
    }

    private static void row(byte[] planes, int from, int columns, int kept, int bytes, byte[] out, int to) {
        int sum = 0;
        for (int x = 0; x < columns; x++, to += bytes) {
            int difference = 0;
            for (int plane = 0; plane < kept; plane++) {
                difference = difference << 8 | planes[from + plane * columns + x] & 0xff;
            }
            sum += difference;
            if (bytes == Short.BYTES) {
                Half.SHORTS.set(out, to, (short) sum);
            } else {
                Half.INTS.set(out, to, sum << 8 * (bytes - kept));
            }
        }
    }

    static void require(boolean holds, String otherwise) throws DataFormatException {
        if (!holds) {
            throw new DataFormatException(otherwise);
        }
    }

    private static void requireAll(int done, int count) throws DataFormatException {
        require(done == count, "it ends after " + done + " bytes of " + count);
    }

    /** Inflates to exactly so many bytes. */
    final byte[] inflate(byte[] coded, int from, int length, int count) throws DataFormatException {
        byte[] out = new byte[count];
        inflater.reset();
        inflater.setInput(coded, from, length);
        int done = 0;
        for (int now = 1; now > 0 && done < count; done += now) {
            now = inflater.inflate(out, done, count - done);
        }
        requireAll(done, count);
        return out;
    }

    /** A count below 0 is that of bytes as they are; another is one less than how often the next byte comes. */
    static byte[] runs(byte[] coded, int length, int most) throws DataFormatException {
        byte[] out = new byte[most];
        int done = 0;
        for (int at = 0; at < length; ) {
            int count = coded[at] < 0 ? -coded[at] : coded[at] + 1;
            int taken = coded[at] < 0 ? count : 1;
            require(count <= most - done && taken < length - at, "a run of bytes does not fit");
            if (coded[at] < 0) {
                System.arraycopy(coded, at + 1, out, done, count);
            } else {
                Arrays.fill(out, done, done + count, coded[at + 1]);
            }
            at += 1 + taken;
            done += count;
        }
        requireAll(done, most);
        return out;
    }

    /** Adds up differences, 128 for none, and takes bytes by turns from the first and from the second half. */
    static void restore(byte[] differences, byte[] out) {
        int half = (differences.length + 1) / 2;
        int sum = 128;
        for (int i = 0; i < differences.length; i++) {
            sum += differences[i] - 128;
            out[i < half ? 2 * i : 2 * (i - half) + 1] = (byte) sum;
        }
    }

    @Override
    public void close() {
        inflater.end();
    }
}
