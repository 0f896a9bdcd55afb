package dev.evener.frames.exr;

import java.util.List;

/**
 * The pixels of a chunk, and where their samples lie when nothing is compressed: rows from the top, in each one channel after
 * another, of which those are left out that have no sample in the row. Immutable; any thread.
 */
public final class Block {
    final List<Channel> channels;
    final int left;
    final int top;
    final int width;
    final int height;

    /** Of each channel, where each of its rows starts. */
    final int[][] starts;

    private final int bytes;

    Block(List<Channel> channels, int left, int top, int width, int height) {
        this.channels = channels;
        this.left = left;
        this.top = top;
        this.width = width;
        this.height = height;
        this.starts = new int[channels.size()][];
        int at = 0;
        int[] row = new int[starts.length];
        for (int y = 0; y < height; y++) {
            for (int c = 0; c < starts.length; c++) {
                int down = channels.get(c).down();
                if (y == 0) {
                    starts[c] = new int[(int) (Math.floorDiv(top + height - 1L, down) - Math.floorDiv(top - 1L, down))];
                }
                if ((top + y) % down == 0) {
                    starts[c][row[c]++] = at;
                    at += columns(c) * channels.get(c).bytes();
                }
            }
        }
        this.bytes = at;
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
        return bytes;
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
