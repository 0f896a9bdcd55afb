package dev.evener.frames;

import dev.evener.kernels.png.PngFile;
import dev.evener.kernels.tonemap.FrameLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.Adler32;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * A run of pixels, filtered and compressed by itself into one IDAT chunk. Its deflate blocks end at a byte, so that the
 * chunks of one picture put together are one stream. Reused from picture to picture; one thread at a time.
 */
final class PngStrip {
    /** Pixels in a strip: enough to make the flush and the chunk negligible, little enough to occupy several cores. */
    static final int PIXELS = 1 << 16;

    private static final int CHUNK_HEAD = 8;
    private static final byte SUB = 1;

    private final byte[] raw = new byte[4 * PIXELS];
    private final byte[] words = new byte[4 * 4096];
    private final Deflater deflater = new Deflater(1, true);
    private byte[] chunk = new byte[CHUNK_HEAD + raw.length + raw.length / 64 + 64];
    private int chunkBytes;
    private int rawBytes;
    private long adler;

    /** Encodes the pixels from {@code from} to {@code to}, counted row by row without padding. */
    void encode(ByteBuffer pixels, FrameLayout size, long from, long to) {
        rawBytes = filter(pixels, size, from, to);
        Adler32 sum = new Adler32();
        sum.update(raw, 0, rawBytes);
        adler = sum.getValue();
        compress();
        int data = chunkBytes - CHUNK_HEAD;
        ByteBuffer head = ByteBuffer.wrap(chunk).putInt(data).putInt(PngFile.IDAT);
        CRC32 crc = new CRC32();
        crc.update(chunk, Integer.BYTES, Integer.BYTES + data);
        head.putInt(chunkBytes, (int) crc.getValue());
        chunkBytes += Integer.BYTES;
    }

    /** RGBA to RGB, each byte less the one a pixel to its left; a row starts with the filter's number. */
    private int filter(ByteBuffer pixels, FrameLayout size, long from, long to) {
        int width = size.width();
        int out = 0;
        int row = (int) (from / width);
        int column = (int) (from % width);
        long left = to - from;
        byte red = 0;
        byte green = 0;
        byte blue = 0;
        if (column > 0) {
            int before = Integer.BYTES * (row * size.stride() + column - 1);
            red = pixels.get(before);
            green = pixels.get(before + 1);
            blue = pixels.get(before + 2);
        }
        while (left > 0) {
            if (column == 0) {
                raw[out++] = SUB;
                red = 0;
                green = 0;
                blue = 0;
            }
            int count = (int) Math.min(Math.min(left, width - column), words.length / Integer.BYTES);
            pixels.get(Integer.BYTES * (row * size.stride() + column), words, 0, Integer.BYTES * count);
            for (int i = 0; i < Integer.BYTES * count; i += Integer.BYTES) {
                raw[out] = (byte) (words[i] - red);
                raw[out + 1] = (byte) (words[i + 1] - green);
                raw[out + 2] = (byte) (words[i + 2] - blue);
                red = words[i];
                green = words[i + 1];
                blue = words[i + 2];
                out += 3;
            }
            left -= count;
            column += count;
            if (column == width) {
                column = 0;
                row++;
            }
        }
        return out;
    }

    private void compress() {
        int zeros = 0;
        for (int i = 0; i < rawBytes; i++) {
            zeros += raw[i] == 0 ? 1 : 0;
        }
        // Entropy coding alone gets no byte below one bit; where the picture is flat, matches are far better and fast
        // too.
        deflater.reset();
        deflater.setStrategy(zeros > rawBytes / 2 ? Deflater.DEFAULT_STRATEGY : Deflater.HUFFMAN_ONLY);
        deflater.setInput(raw, 0, rawBytes);
        chunkBytes = CHUNK_HEAD;
        int idle = 0;
        // A call may yield nothing while it applies a new strategy; two in a row mean that the flush is complete.
        while (idle < 2) {
            int room = chunk.length - Integer.BYTES - chunkBytes;
            int made = deflater.deflate(chunk, chunkBytes, room, Deflater.SYNC_FLUSH);
            chunkBytes += made;
            if (made == room) {
                chunk = Arrays.copyOf(chunk, 2 * chunk.length);
            }
            idle = made == 0 && deflater.needsInput() ? idle + 1 : 0;
        }
    }

    /** The whole chunk: length, type, data, check sum. */
    ByteBuffer chunk() {
        return ByteBuffer.wrap(chunk, 0, chunkBytes);
    }

    /** The check sum of a stream that had {@code sum} and goes on with this strip. */
    long append(long sum) {
        return PngFile.append(sum, adler, rawBytes);
    }

    /** Frees the compressor's native memory. */
    void end() {
        deflater.end();
    }
}
