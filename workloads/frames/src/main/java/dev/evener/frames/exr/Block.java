package dev.evener.frames.exr;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The pixels of a chunk, and where their samples lie when nothing is compressed: rows from the top, in each one channel after
 * another, of which those are left out that have no sample in the row. Immutable; any thread.
 *
 * @param starts of each channel, where each of its rows starts
 */
@SuppressWarnings("ArrayRecordComponent") // read in the innermost loops, never written after it was made
public record Block(List<Channel> channels, int left, int top, int width, int height, int[][] starts) {
    static Block of(List<Channel> channels, int left, int top, int width, int height) {
        Block block = new Block(channels, left, top, width, height, new int[channels.size()][]);
        int at = 0;
        int[] row = new int[channels.size()];
        for (int y = top; y - top < height; y++) {
            for (int c = 0; c < row.length; c++) {
                int down = channels.get(c).down();
                if (y == top) {
                    long last = Math.floorDiv(top + height - 1L, down);
                    block.starts[c] = new int[(int) (last - Math.floorDiv(top - 1L, down))];
                }
                if (y % down == 0) {
                    block.starts[c][row[c]++] = at;
                    at += block.columns(c) * channels.get(c).bytes();
                }
            }
        }
        return block;
    }

    int rows(int channel) {
        return starts[channel].length;
    }

    int columns(int channel) {
        return width / channels.get(channel).across();
    }

    int bytes(int channel) {
        return rows(channel) * columns(channel) * channels.get(channel).bytes();
    }

    /** Of all samples. */
    public int bytes() {
        return IntStream.range(0, starts.length).map(this::bytes).sum();
    }

    /** Takes samples that lie row after row from a place on, and returns where they end. */
    int fromPlane(int channel, byte[] plane, int from, byte[] out) {
        int length = columns(channel) * channels.get(channel).bytes();
        for (int start : starts[channel]) {
            System.arraycopy(plane, from, out, start, length);
            from += length;
        }
        return from;
    }
}
