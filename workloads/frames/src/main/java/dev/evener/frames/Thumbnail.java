package dev.evener.frames;

import dev.evener.kernels.tonemap.FrameLayout;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a frame shows, whatever its light: some rows of it, averaged in a grid of cells. Two frames are alike where
 * the logarithms of neighbouring cells differ alike in both: a lamp that goes on over a part of the frame moves cells
 * together and leaves what it shines on, and what it does not, as it was; another scene differs in all places.
 * Immutable.
 */
final class Thumbnail {
    private static final int CELLS = 24; // a side
    private static final int ROWS = 2; // of the frame for each of cells
    private static final int STEPS = 256; // of a stop
    private static final double DARKEST = 0x1p-22; // as of what is metered

    /**
     * Of cells' logarithms, in stops squared: what nobody sees, a hundredth of the luminance, and what everybody
     * does, a fifteenth.
     */
    private static final double INVISIBLE = 0.015 * 0.015;

    private static final double VISIBLE = 0.1 * 0.1;

    private final short[] stops = new short[CELLS * CELLS];

    /**
     * Looks at a frame.
     *
     * @param rows gives a row coded as {@link FrameFile#coding} says, to be used until the next one is asked for
     */
    Thumbnail(FrameFile file, IntFunction<ByteBuffer> rows) {
        int width = file.size().width();
        FrameLayout line = new FrameLayout(width, 1);
        FloatBuffer floats = FloatBuffer.allocate(line.floats());
        float[] planar = floats.array();
        int stride = line.stride();
        double[] sums = new double[CELLS];
        for (int row = 0; row < CELLS; row++) {
            Arrays.fill(sums, 0);
            for (int k = 0; k < ROWS; k++) {
                long middle = (2L * (ROWS * row + k) + 1) * file.size().height() / (2 * ROWS * CELLS);
                file.coding().expand(line, rows.apply((int) middle), floats);
                for (int cell = 0; cell < CELLS; cell++) {
                    int from = (int) ((long) cell * width / CELLS);
                    int to = Math.max(from + 1, (int) ((cell + 1L) * width / CELLS));
                    double sum = 0;
                    for (int x = from; x < to; x++) {
                        double y = 0.2126 * planar[x] + 0.7152 * planar[stride + x] + 0.0722 * planar[2 * stride + x];
                        sum += y > 0 ? Math.min(y, 0x1p40) : 0; // nor what is no number
                    }
                    sums[cell] += sum / (ROWS * (to - from));
                }
            }
            for (int cell = 0; cell < CELLS; cell++) {
                double log2 = StrictMath.log(Math.max(DARKEST, sums[cell])) / StrictMath.log(2);
                stops[row * CELLS + cell] = (short) Math.round(STEPS * log2);
            }
        }
    }

    /**
     * How much of what both show is alike at its place, 0 to 1. Each cell counts by how much it differs from those
     * around, as long as that is hardly visible; the edge of a light, however bright, counts no more than others, and
     * where it is in one alone not at all.
     */
    double likeness(Thumbnail other) {
        double alike = 0;
        double all = 0;
        for (int row = 1; row < CELLS - 1; row++) {
            for (int column = 1; column < CELLS - 1; column++) {
                int at = row * CELLS + column;
                double mine = variance(at, stops, null);
                double others = variance(at, other.stops, null);
                double weight = Math.sqrt(Math.min(VISIBLE, Math.min(mine, others)) + INVISIBLE);
                all += weight;
                // Where neither has anything, they are alike; else they correlate by three quarters.
                alike += variance(at, stops, other.stops) <= (mine + others) / 4 + INVISIBLE ? weight : 0;
            }
        }
        return alike / all;
    }

    /** Of a cell and the eight around it, or of their differences to others, in stops squared. */
    private static double variance(int middle, short[] cells, short @Nullable [] others) {
        long sum = 0;
        long squares = 0;
        for (int i = 0; i < 9; i++) {
            int at = middle + (i / 3 - 1) * CELLS + i % 3 - 1;
            int value = cells[at] - (others == null ? 0 : others[at]);
            sum += value;
            squares += (long) value * value;
        }
        return (squares / 9.0 - sum * sum / 81.0) / (STEPS * STEPS);
    }
}
