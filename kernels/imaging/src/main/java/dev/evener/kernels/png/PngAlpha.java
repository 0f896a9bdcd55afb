package dev.evener.kernels.png;

import dev.evener.kernels.png.PngEncoder.Colour;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.List;
import java.util.zip.Adler32;
import java.util.zip.Deflater;

/**
 * Writes pictures with alpha as PNG: compressed by the calling thread, with the JDK's DEFLATE, as devices code three
 * components only. Each row gets the filter (Sub, Up, Average or Paeth) whose bytes, taken as signed numbers, have the
 * least sum of magnitudes. Stateless; any thread.
 */
public final class PngAlpha {
    private static final int PIECE = 1 << 16;

    private PngAlpha() {}

    /**
     * Writes a file.
     *
     * @param colour what the samples are, of 8 or 16 bits
     * @param rows red, green, blue and alpha of each pixel, which colours were not multiplied by; rows without gaps, of
     *     16 bits the upper byte first
     * @param chunks what stands before the rows, as {@link PngEncoder#write} says
     */
    public static void write(
            WritableByteChannel out, Colour colour, int width, int height, ByteBuffer rows, List<byte[]> chunks)
            throws IOException {
        PngFile.writeAll(out, PngFile.head(8 * colour.words, true, width, height, chunks));
        int pixel = 4 * colour.words;
        int count = pixel * width;
        byte[] row = new byte[pixel + count]; // behind a pixel of zeros, as beyond the left edge
        byte[] above = new byte[pixel + count];
        byte[][] filtered = new byte[5][1 + count];
        ByteBuffer in = rows.duplicate();
        Adler32 adler = new Adler32();
        Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
        try {
            ByteBuffer piece = ByteBuffer.allocate(PIECE);
            for (int y = 0; y < height; y++) {
                in.get(row, pixel, count);
                byte[] best = filter(row, above, pixel, filtered);
                adler.update(best);
                deflater.setInput(best);
                boolean last = y == height - 1;
                while (deflater.deflate(piece, last ? Deflater.SYNC_FLUSH : Deflater.NO_FLUSH) > 0) {
                    put(out, piece);
                }
                byte[] other = above;
                above = row;
                row = other;
            }
        } finally {
            deflater.end();
        }
        PngFile.end(out, adler.getValue());
    }

    private static void put(WritableByteChannel out, ByteBuffer piece) throws IOException {
        piece.flip();
        PngFile.data(out, piece.remaining(), List.of(piece));
        piece.clear();
    }

    /** The row behind the number of its filter. */
    private static byte[] filter(byte[] row, byte[] above, int pixel, byte[][] filtered) {
        byte[] best = filtered[1];
        long least = Long.MAX_VALUE;
        for (int filter = 1; filter <= 4; filter++) {
            byte[] out = filtered[filter];
            out[0] = (byte) filter;
            long sum = 0;
            for (int i = pixel; i < row.length; i++) {
                int guess = PngJvm.predicted(filter, row[i - pixel] & 0xff, above[i] & 0xff, above[i - pixel] & 0xff);
                byte difference = (byte) (row[i] - guess);
                out[1 + i - pixel] = difference;
                sum += Math.abs(difference);
            }
            if (sum < least) {
                least = sum;
                best = out;
            }
        }
        return best;
    }
}
