package dev.evener.kernels.scan;

import dev.evener.JvmKernel;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;

/** The Java form of segmented.cl: integers in a loop, floats in the order of each style. */
record SegmentedJvm(ScanKind kind, int length, SegmentedScanSettings settings, ScanValues values) {

    void scan(JvmKernel.Chunk chunk) {
        ByteBuffer in = chunk.buffer(0);
        ByteBuffer out = chunk.buffer(1);
        for (int segment = 0; segment < chunk.units(); segment++) {
            int first = segment * length;
            if (values.floatingSum()) {
                floats(in.asFloatBuffer(), out.asFloatBuffer(), first);
            } else {
                integers(in.asIntBuffer(), out.asIntBuffer(), first);
            }
        }
    }

    private void integers(IntBuffer in, IntBuffer out, int first) {
        int sum = 0;
        for (int i = first; i < first + length; i++) {
            int before = sum;
            sum += in.get(i);
            out.put(i, kind == ScanKind.INCLUSIVE ? sum : before);
        }
    }

    private void floats(FloatBuffer in, FloatBuffer out, int first) {
        if (settings.style() == Style.RUNS) {
            runs(in, out, first);
        } else {
            boolean naive = settings.style() == Style.NAIVE;
            int step = naive ? settings.groupSize() : 2 * settings.groupSize();
            float carry = 0;
            for (int at = 0; at < length; at += step) {
                float[] x = new float[step];
                int count = Math.min(step, length - at);
                in.get(first + at, x, 0, count);
                float[] y = new float[step];
                float total = naive ? naive(x, y) : blelloch(x, y);
                for (int i = 0; i < count; i++) {
                    y[i] = FloatTiles.canonical(carry + y[i]);
                }
                out.put(first + at, y, 0, count);
                carry += total;
            }
        }
    }

    private void runs(FloatBuffer in, FloatBuffer out, int first) {
        float rows = 0;
        float tiles = 0;
        for (int at = 0; at < length; at += Tiles.TILE) {
            if (at % (Tiles.TILE * Tiles.RUN) == 0) {
                rows += tiles;
                tiles = 0;
            }
            int count = Math.min(Tiles.TILE, length - at);
            float[] x = FloatTiles.load(in, first + at, count);
            float[] y = new float[x.length];
            float total = FloatTiles.scan(x, y, count, rows + tiles, kind);
            out.put(first + at, y, 0, count);
            tiles += total;
        }
    }

    /** Prefixes of a step, from 0; returns its total. */
    private float naive(float[] x, float[] y) {
        float[] from = x;
        for (int distance = 1; distance < x.length; distance *= 2) {
            float[] to = from.clone();
            for (int i = distance; i < x.length; i++) {
                to[i] = from[i] + from[i - distance];
            }
            from = to;
        }
        if (kind == ScanKind.INCLUSIVE) {
            System.arraycopy(from, 0, y, 0, x.length);
        } else {
            System.arraycopy(from, 0, y, 1, x.length - 1);
        }
        return from[x.length - 1];
    }

    /** Prefixes of a step, from 0; returns its total. */
    private float blelloch(float[] x, float[] y) {
        float[] tree = x.clone();
        for (int distance = 1; distance < x.length; distance *= 2) {
            for (int right = 2 * distance - 1; right < x.length; right += 2 * distance) {
                tree[right] += tree[right - distance];
            }
        }
        float total = tree[x.length - 1];
        tree[x.length - 1] = 0;
        for (int distance = x.length / 2; distance > 0; distance /= 2) {
            for (int right = 2 * distance - 1; right < x.length; right += 2 * distance) {
                float left = tree[right - distance];
                tree[right - distance] = tree[right];
                tree[right] += left;
            }
        }
        for (int i = 0; i < x.length; i++) {
            y[i] = kind == ScanKind.INCLUSIVE ? tree[i] + x[i] : tree[i];
        }
        return total;
    }
}
