package dev.evener.frames.exr;

import java.util.Arrays;
import java.util.zip.DataFormatException;

/**
 * B44 and B44A: of halves, each 4 x 4 samples in 14 bytes, or in 3 if all are equal; other types as they are. A block has its first
 * sample, in an order in which bits grow with values, a shift, and 15 differences of six bits: down the first column, then to the
 * right of it. Source: Industrial Light &amp; Magic's compressor in OpenEXR's library.
 */
final class B44Decoder extends Codec {
    private static final String EARLY = "it ends within a channel";
    private static final int FLAT = 13; // a shift that cannot be

    /** What perceptually linear values were before they were compressed. */
    private static final char[] LOGARITHMS = Half.table(v -> v < 0 ? 0 : 8 * (float) Math.log(v));

    private final int[] samples = new int[16];

    @Override
    public void decode(byte[] coded, int length, Block block, byte[] out) throws DataFormatException {
        int at = 0;
        for (int c = 0; c < block.channels().size(); c++) {
            if (block.channels().get(c).type() == Channel.HALF) {
                at = halves(coded, at, length, block, c, out);
            } else {
                require(block.bytes(c) <= length - at, EARLY);
                at = block.fromPlane(c, coded, at, out);
            }
        }
    }

    private int halves(byte[] coded, int from, int length, Block block, int channel, byte[] out)
            throws DataFormatException {
        int columns = block.columns(channel);
        int[] starts = block.starts()[channel];
        boolean linear = block.channels().get(channel).linear();
        int at = from;
        for (int y = 0; y < starts.length; y += 4) {
            for (int x = 0; x < columns; x += 4) {
                require(length - at >= 3, EARLY);
                if ((coded[at + 2] & 0xff) >> 2 >= FLAT) {
                    Arrays.fill(samples, big(coded, at));
                    at += 3;
                } else {
                    require(length - at >= 14, EARLY);
                    differences(coded, at);
                    at += 14;
                }
                int across = Math.min(4, columns - x);
                for (int row = y; row < Math.min(y + 4, starts.length); row++) {
                    for (int i = 0; i < across; i++) {
                        int sample = samples[4 * (row - y) + i];
                        int bits = (sample & 0x8000) != 0 ? sample & 0x7fff : ~sample & 0xffff;
                        int to = starts[row] + Short.BYTES * (x + i);
                        Half.SHORTS.set(out, to, (short) (linear ? LOGARITHMS[bits] : bits));
                    }
                }
            }
        }
        return at;
    }

    private static int big(byte[] coded, int at) {
        return ((coded[at] & 0xff) << 8) | (coded[at + 1] & 0xff);
    }

    private void differences(byte[] coded, int at) {
        int shift = (coded[at + 2] & 0xff) >> 2;
        samples[0] = big(coded, at);
        for (int i = 1, bit = 22; i < 16; i++, bit += 6) {
            int first = at + Math.min(12, bit / 8); // of two bytes that have the difference
            int difference = big(coded, first) >> (10 + 8 * (first - at) - bit) & 0x3f;
            int place = i % 4 * 4 + i / 4;
            int before = i < 4 ? place - 4 : place - 1;
            samples[place] = (samples[before] + ((difference - 0x20) << shift)) & 0xffff;
        }
    }
}
