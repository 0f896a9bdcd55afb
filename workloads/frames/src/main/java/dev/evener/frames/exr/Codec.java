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
    /** How chunks are compressed, in the order of the format's codes. */
    public enum Compression {
        NONE(1, 1),
        RLE(1, 64),
        ZIPS(1, 1100),
        ZIP(16, 1100),
        PIZ(32, 520),
        PXR24(16, 1500),
        B44(32, 11),
        B44A(32, 11),
        DWAA(32, 1 << 16),
        DWAB(256, 1 << 16);

        /** Rows of a chunk of scanlines. */
        public final int rows;

        /**
         * A byte stands for at most so many: for runs of 128 in two bytes, Deflate's limit (4/3 of it for 24 bits), 256 values in nine bits,
         * 16 halves in three bytes; a repeated byte of Deflate for 64 values and more.
         */
        public final int most;

        Compression(int rows, int most) {
            this.rows = rows;
            this.most = most;
        }
    }

    private final Inflater inflater = new Inflater();
    private final Compression compression;

    private Codec(Compression compression) {
        this.compression = compression;
    }

    Codec() {
        this(Compression.NONE);
    }

    /** One for a compression. */
    public static Codec of(Compression compression) {
        return switch (compression) {
            case NONE, RLE, ZIPS, ZIP, PXR24 -> new Codec(compression);
            case PIZ -> new PizDecoder();
            case B44, B44A -> new B44Decoder();
            case DWAA, DWAB -> new DwaDecoder();
        };
    }

    /** Decodes a chunk, the first {@code length} bytes, into a block's samples as {@link Block} says where they lie. */
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
        for (int c = 0; c < block.channels().size(); c++) {
            bytes += block.rows(c) * block.columns(c) * kept(block.channels().get(c));
        }
        byte[] planes = inflate(coded, 0, length, bytes);
        int at = 0;
        int to = 0;
        for (int y = block.top(); y - block.top() < block.height(); y++) {
            for (int c = 0; c < block.channels().size(); c++) {
                Channel channel = block.channels().get(c);
                int columns = y % channel.down() == 0 ? block.columns(c) : 0;
                int kept = kept(channel);
                int sum = 0;
                for (int x = 0; x < columns; x++, to += channel.bytes()) {
                    int difference = 0;
                    for (int plane = 0; plane < kept; plane++) {
                        difference = (difference << 8) | (planes[at + plane * columns + x] & 0xff);
                    }
                    sum += difference;
                    if (channel.type() == Channel.HALF) {
                        Half.SHORTS.set(out, to, (short) sum);
                    } else {
                        Half.INTS.set(out, to, kept == 3 ? sum << 8 : sum);
                    }
                }
                at += columns * kept;
            }
        }
    }

    private static int kept(Channel channel) {
        return channel.type() == Channel.FLOAT ? 3 : channel.bytes();
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
