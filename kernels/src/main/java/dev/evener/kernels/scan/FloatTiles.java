package dev.evener.kernels.scan;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import org.jspecify.annotations.Nullable;

/** Sums of floats, added in the order that scan.cl lays down. */
final class FloatTiles extends Tiles {

    FloatTiles(ScanValues values) {
        super(values);
    }

    @Override
    void total(ByteBuffer in, int first, ByteBuffer totals, int tile) {
        float[] x = load(in.asFloatBuffer(), first, TILE);
        float blocks = 0;
        for (int block = 0; block < TILE; block += RUN * RUN) {
            float runs = 0;
            for (int run = block; run < block + RUN * RUN; run += RUN) {
                prefixes(x, run);
                runs += x[run + RUN - 1];
            }
            blocks += runs;
        }
        totals.putFloat(tile * Float.BYTES, blocks);
    }

    @Override
    void scan(ByteBuffer in, ByteBuffer out, int first, int count, ByteBuffer carries, int tile, ScanKind kind) {
        float[] x = load(in.asFloatBuffer(), first, count);
        float[] y = new float[x.length];
        scan(x, y, count, carries.getFloat(tile * Float.BYTES), kind);
        out.asFloatBuffer().put(first, y, 0, count);
    }

    /** The results {@code y} of a tile or less; returns its total. Destroys {@code x}, which is padded to whole runs. */
    static float scan(float[] x, float[] y, int count, float carry, ScanKind kind) {
        float blocks = 0;
        for (int block = 0; block < count; block += RUN * RUN) {
            float base = carry + blocks;
            float runs = 0;
            for (int run = block; run < Math.min(count, block + RUN * RUN); run += RUN) {
                prefixes(x, run);
                float before = base + runs;
                for (int i = 0; i < RUN; i++) {
                    y[run + i] = canonical(before + prefix(x, run, i, kind));
                }
                runs += x[run + RUN - 1];
            }
            blocks += runs;
        }
        return blocks;
    }

    @Override
    void carries(ByteBuffer totals, int tiles, @Nullable ByteBuffer carry) {
        FloatBuffer sums = totals.asFloatBuffer();
        float rows = carry == null ? 0 : carry.getFloat(0);
        float inRow = 0;
        for (int tile = 0; tile <= tiles; tile++) {
            if (tile % RUN == 0) {
                rows += inRow;
                inRow = 0;
            }
            float total = tile < tiles ? sums.get(tile) : 0;
            sums.put(tile, rows + inRow);
            inRow += total;
        }
    }

    @Override
    void rows(ByteBuffer totals, ByteBuffer rows, int count) {
        for (int row = 0; row < count; row++) {
            float inRow = 0;
            for (int tile = row * RUN; tile < (row + 1) * RUN; tile++) {
                inRow += totals.getFloat(tile * Float.BYTES);
            }
            rows.putFloat(row * Float.BYTES, canonical(inRow));
        }
    }

    @Override
    void before(ByteBuffer rows, int count) {
        float sum = 0;
        for (int row = 0; row < count; row++) {
            float total = rows.getFloat(row * Float.BYTES);
            rows.putFloat(row * Float.BYTES, canonical(sum));
            sum += total;
        }
    }

    private static float prefix(float[] x, int run, int i, ScanKind kind) {
        if (kind == ScanKind.INCLUSIVE) {
            return x[run + i];
        }
        return i == 0 ? 0 : x[run + i - 1];
    }

    /** Inclusive prefixes of a run, in place. */
    static void prefixes(float[] x, int run) {
        for (int half = 1; half < RUN; half *= 2) {
            for (int i = half; i < RUN; i++) {
                if ((i & half) != 0) {
                    x[run + i] += x[run + (i & -half) - 1];
                }
            }
        }
    }

    /** Every NaN becomes the same one. */
    static float canonical(float sum) {
        return Float.isNaN(sum) ? Float.NaN : sum;
    }

    /** So many elements, and zeros up to a whole run. */
    static float[] load(FloatBuffer in, int first, int count) {
        float[] x = new float[(count + RUN - 1) / RUN * RUN];
        in.get(first, x, 0, count);
        return x;
    }
}
