package dev.evener.kernels.png;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.List;
import java.util.zip.CRC32;

/**
 * What a PNG file has around its compressed rows: a {@link #head}, chunks of {@link #data} with
 * DEFLATE blocks that end at a byte, and an {@link #end}. Stateless.
 */
final class PngFile {
    /** What a chunk of data is called, as a number. */
    static final int IDAT = 0x49444154;

    private static final int IHDR = 0x49484452;
    private static final int IEND = 0x49454e44;
    private static final int TYPE = 4; // bytes

    /** Bytes of a chunk beside its data. */
    static final int CHUNK_BYTES = 12;

    static final int END_BYTES = 18 + 12;

    private static final byte[] SIGNATURE = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    private static final byte[] ZLIB_HEAD = {0x78, 0x01};
    private static final long ADLER = 65521;

    private PngFile() {}

    /** Bytes of signature, size, these chunks, and the head of zlib's stream. */
    static int beginBytes(List<byte[]> chunks) {
        return 8
                + 25
                + chunks.stream().mapToInt(c -> CHUNK_BYTES - TYPE + c.length).sum()
                + 14;
    }

    /** What stands before the data. */
    static ByteBuffer head(int bits, boolean alpha, int width, int height, List<byte[]> chunks) {
        ByteBuffer head = ByteBuffer.allocate(beginBytes(chunks)).put(SIGNATURE);
        // RGB or RGBA; the last three zeros are the only methods there are, and no interlacing.
        chunk(
                head,
                ByteBuffer.allocate(TYPE + 13)
                        .putInt(IHDR)
                        .putInt(width)
                        .putInt(height)
                        .put(new byte[] {(byte) bits, (byte) (alpha ? 6 : 2), 0, 0, 0})
                        .array());
        chunks.forEach(each -> chunk(head, each));
        chunk(head, ByteBuffer.allocate(TYPE + 2).putInt(IDAT).put(ZLIB_HEAD).array());
        return head.flip();
    }

    /** Writes a chunk of data, of so many bytes in these parts. */
    static void data(WritableByteChannel out, int size, List<ByteBuffer> parts) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(2 * Integer.BYTES).putInt(size).putInt(IDAT);
        CRC32 crc = new CRC32();
        crc.update(head.array(), Integer.BYTES, Integer.BYTES);
        writeAll(out, head.flip());
        for (ByteBuffer part : parts) {
            crc.update(part.duplicate());
            writeAll(out, part);
        }
        writeAll(
                out,
                ByteBuffer.allocate(Integer.BYTES).putInt((int) crc.getValue()).flip());
    }

    /**
     * Writes what stands behind the data.
     *
     * @param adler the Adler-32 check sum of all rows
     */
    static void end(WritableByteChannel out, long adler) throws IOException {
        ByteBuffer tail = ByteBuffer.allocate(END_BYTES);
        // An empty last block (a fixed Huffman code's end) closes the stream that the data left open.
        chunk(
                tail,
                ByteBuffer.allocate(TYPE + 6)
                        .putInt(IDAT)
                        .putShort((short) 0x0300)
                        .putInt((int) adler)
                        .array());
        chunk(tail, ByteBuffer.allocate(TYPE).putInt(IEND).array());
        writeAll(out, tail.flip());
    }

    /** Writes all that is left in a buffer. */
    static void writeAll(WritableByteChannel out, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            out.write(bytes);
        }
    }

    /**
     * The Adler-32 check sum of two pieces one behind the other, from theirs (RFC 1950).
     *
     * @param bytes of the second
     */
    static long append(long first, long second, long bytes) {
        long low = first & 0xffff;
        long newLow = (low + (second & 0xffff) + ADLER - 1) % ADLER;
        long newHigh = ((first >>> 16) + (second >>> 16) + bytes % ADLER * (low + ADLER - 1)) % ADLER;
        return newHigh << 16 | newLow;
    }

    /** Its type and its data are one. */
    private static void chunk(ByteBuffer out, byte[] typed) {
        CRC32 crc = new CRC32();
        crc.update(typed);
        out.putInt(typed.length - TYPE).put(typed).putInt((int) crc.getValue());
    }
}
