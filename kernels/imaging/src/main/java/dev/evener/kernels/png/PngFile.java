package dev.evener.kernels.png;

import dev.evener.kernels.png.PngEncoder.Colour;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * What a PNG file has around its compressed rows: a {@link #begin}, chunks of {@link #data} with
 * DEFLATE blocks that end at a byte, and an {@link #end}. Stateless.
 */
final class PngFile {
    /** What a chunk of data is called, as a number. */
    static final int IDAT = 0x49444154;

    /** Bytes of a chunk beside its data. */
    static final int CHUNK_BYTES = 12;

    static final int END_BYTES = 18 + 12;

    private static final byte[] SIGNATURE = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    private static final byte[] ZLIB_HEAD = {0x78, 0x01};
    private static final long ADLER = 65521;

    private PngFile() {}

    /** Bytes of signature, size, colour space, and the head of zlib's stream. */
    static int beginBytes(Colour colour) {
        return 8 + 25 + CHUNK_BYTES + colour.meaning().length + 14;
    }

    /** Writes what stands before the data. */
    static void begin(
            WritableByteChannel out, Colour colour, boolean alpha, int width, int height, Map<String, byte[]> chunks)
            throws IOException {
        int more = chunks.values().stream()
                .mapToInt(data -> CHUNK_BYTES + data.length)
                .sum();
        ByteBuffer head = ByteBuffer.allocate(beginBytes(colour) + more).put(SIGNATURE);
        // RGB or RGBA; the last three zeros are the only methods there are, and no interlacing.
        chunk(
                head,
                "IHDR",
                ByteBuffer.allocate(13)
                        .putInt(width)
                        .putInt(height)
                        .put(new byte[] {(byte) (8 * colour.words), (byte) (alpha ? 6 : 2), 0, 0, 0})
                        .array());
        chunk(head, colour.chunk(), colour.meaning());
        chunks.forEach((type, data) -> chunk(head, type, data));
        chunk(head, "IDAT", ZLIB_HEAD);
        writeAll(out, head.flip());
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
                "IDAT",
                ByteBuffer.allocate(6)
                        .put((byte) 3)
                        .put((byte) 0)
                        .putInt((int) adler)
                        .array());
        chunk(tail, "IEND", new byte[0]);
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

    private static void chunk(ByteBuffer out, String type, byte[] data) {
        byte[] name = type.getBytes(StandardCharsets.US_ASCII);
        CRC32 crc = new CRC32();
        crc.update(name);
        crc.update(data);
        out.putInt(data.length).put(name).put(data).putInt((int) crc.getValue());
    }
}
