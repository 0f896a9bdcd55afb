package dev.evener.frames.exr;

import dev.evener.frames.exr.Part.Window;
import org.jspecify.annotations.Nullable;

/**
 * Takes the samples of chunks to where they stand in the frame, which is the display window: what lies outside of it is left out, what
 * it has beyond the data stays as it is. A sample that is there for several pixels counts for all, but for {@link Chroma}. One thread.
 */
public final class Placement {
    /** Takes rows of a colour. */
    @FunctionalInterface
    public interface Rows {
        /**
         * Takes the first {@code count} values into a row of the frame, from a column on; colours are 0 to 2, alpha is
         * 3.
         */
        void put(int colour, int row, int column, int count, float[] values);
    }

    private final Layer layer;
    private final Window data;
    private final Window display;
    private final boolean alpha;
    private final Rows rows;
    private final float[] values;
    private final @Nullable Chroma chroma;

    /**
     * Of a layer of a part whose display window is a frame's size.
     *
     * @param alpha whether the layer's is taken
     */
    public Placement(Part part, Layer layer, boolean alpha, Rows rows) {
        this.alpha = alpha;
        this.layer = layer;
        this.data = part.data();
        this.display = part.display();
        this.rows = rows;
        this.values = new float[(int) display.width()];
        this.chroma = layer.chroma() ? new Chroma(part, rows) : null;
    }

    /** Takes a chunk. */
    public void put(Block block, byte[] raw) {
        for (int colour = 0; colour < (alpha ? 4 : 3); colour++) {
            int c = colour == 3 ? layer.alpha() : layer.channels().get(colour);
            if (c < 0 || (colour > 0 && c == layer.channels().get(0))) {
                continue; // of grey, the first colour is put for all
            }
            int down = block.channels().get(c).down();
            int first = -Math.floorDiv(-block.top(), down) * down;
            for (int row = 0; row < block.rows(c); row++) {
                if (chroma == null || colour == 3) {
                    row(block, c, first + row * down, block.starts()[c][row], raw, colour);
                } else {
                    chroma.take(colour, block, c, first + row * down, block.starts()[c][row], raw);
                }
            }
        }
    }

    private void row(Block block, int c, int y, int start, byte[] raw, int colour) {
        Channel channel = block.channels().get(c);
        long left = Math.max(block.left(), display.left());
        long right = Math.min((long) block.left() + block.width(), display.right() + 1L);
        long bottom = Math.min((long) y + channel.down(), Math.min(data.bottom(), display.bottom()) + 1L);
        if (left >= right) {
            return;
        }
        int count = (int) (right - left);
        convert(channel, raw, start, (int) (left - block.left()), count);
        int last = c == layer.channels().get(1) && c == layer.channels().get(0) ? 2 : colour;
        for (long to = Math.max(y, display.top()); to < bottom; to++) {
            for (int plane = colour; plane <= last; plane++) {
                rows.put(plane, (int) (to - display.top()), (int) (left - display.left()), count, values);
            }
        }
    }

    private void convert(Channel channel, byte[] raw, int start, int skipped, int count) {
        int type = channel.type();
        int bytes = channel.bytes();
        int across = channel.across();
        for (int i = 0; i < count && type == Channel.HALF && across == 1; i++) {
            values[i] = Half.toFloat((short) Half.SHORTS.get(raw, start + 2 * (skipped + i)));
        }
        for (int i = 0; i < count && (type != Channel.HALF || across > 1); i++) {
            int sample = across == 1 ? skipped + i : (skipped + i) / across;
            values[i] = value(type, raw, start + sample * bytes);
        }
    }

    /** A sample of any type. */
    static float value(int type, byte[] raw, int at) {
        return switch (type) {
            case Channel.HALF -> Half.toFloat((short) Half.SHORTS.get(raw, at));
            case Channel.FLOAT -> Float.intBitsToFloat((int) Half.INTS.get(raw, at));
            default -> (int) Half.INTS.get(raw, at) & 0xffffffffL;
        };
    }

    /** All chunks were put. */
    public void finish() {
        if (chroma != null) {
            chroma.finish();
        }
    }
}
