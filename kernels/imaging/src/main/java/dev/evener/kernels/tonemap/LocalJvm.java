package dev.evener.kernels.tonemap;

import dev.evener.JvmKernel;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.Arrays;

/** The Java form of {@code local.cl}: arguments in the kernels' order, the same bits. Stateless; units are rows. */
final class LocalJvm {
    private static final float FLOOR = 0x1p-20f;

    private LocalJvm() {}

    /** Argument 0 the frame, 1 the plane, 2 the parameters. */
    static JvmKernel luminance(Operator operator, PixelCoding coding, int stride) {
        return chunk -> {
            PixelCoding.Rows frame = coding.new Rows(chunk.buffer(0), stride);
            FloatBuffer plane = chunk.buffer(1).asFloatBuffer();
            float exposure = chunk.buffer(2).asFloatBuffer().get(0);
            float[] row = new float[3 * stride];
            float[] out = new float[stride];
            for (int unit = 0; unit < chunk.units(); unit++) {
                PixelMath.sanitised(frame, unit, row);
                for (int x = 0; x < stride; x++) {
                    float exposed = exposure * PixelMath.luminance(row[x], row[stride + x], row[2 * stride + x]);
                    out[x] = operator == Operator.GUIDED ? PixelMath.log2(exposed > FLOOR ? exposed : FLOOR) : exposed;
                }
                plane.put(unit * stride, out);
            }
        };
    }

    /** Argument 0 the plane and the rows around the chunk's, 2 the coefficients. */
    static JvmKernel coefficients(ToneMapSettings settings, FrameLayout layout, int radius) {
        int stride = layout.stride();
        return chunk -> {
            Filter filter = new Filter(chunk, 0, settings, layout, radius, stride);
            FloatBuffer out = chunk.buffer(2).asFloatBuffer();
            float[] a = new float[stride];
            float[] b = new float[stride];
            for (int unit = 0; unit < chunk.units(); unit++) {
                filter.sums(unit, 0, false, a);
                filter.sums(unit, 0, true, b);
                for (int x = 0; x < stride; x++) {
                    float mean = a[x] * filter.share;
                    float variance = b[x] * filter.share - mean * mean;
                    variance = variance > 0 ? variance : 0;
                    a[x] = variance / (variance + 1.0f);
                    b[x] = mean - a[x] * mean;
                }
                int at = unit * LocalMapping.GUIDED_PLANES * stride;
                out.put(at, a).put(at + stride, b).put(at + 2 * stride, filter.row(unit, 0, a));
            }
        };
    }

    /** Argument 0 the frame, 1 what is filtered and the rows around the chunk's, 3 the pixels, 4 the parameters. */
    static JvmKernel map(ToneMapSettings settings, FrameLayout layout, PixelCoding coding, int radius, int words) {
        int stride = layout.stride();
        boolean guided = settings.operator() == Operator.GUIDED;
        int pitch = guided ? LocalMapping.GUIDED_PLANES * stride : stride;
        return chunk -> {
            PixelCoding.Rows frame = coding.new Rows(chunk.buffer(0), stride);
            Filter filter = new Filter(chunk, 1, settings, layout, radius, pitch);
            IntBuffer pixels = chunk.buffer(3).asIntBuffer();
            float[] parameters = new float[ToneMapParameters.COUNT];
            chunk.buffer(4).asFloatBuffer().get(0, parameters);
            float[] row = new float[3 * stride];
            PixelMapping pixel = new PixelMapping(settings, parameters, words);
            float[][] around = new float[guided ? LocalMapping.GUIDED_PLANES : LocalMapping.SCALES][stride];
            float[] own = new float[stride];
            int[] out = new int[words * stride];
            for (int unit = 0; unit < chunk.units(); unit++) {
                if (guided) {
                    filter.sums(unit, 0, false, around[0]);
                    filter.sums(unit, 1, false, around[1]);
                    filter.row(unit, 2, around[2]);
                } else {
                    filter.row(unit, 0, own);
                    for (int scale = 0, at = 1; scale < around.length; at += LocalMapping.radius(scale++) + 1) {
                        filter.sums(unit, 0, false, parameters, at, LocalMapping.radius(scale), around[scale]);
                    }
                }
                PixelMath.sanitised(frame, unit, row);
                for (int x = 0; x < stride; x++) {
                    float scale = guided
                            ? guided(around, x, filter.share, parameters)
                            : adapted(own[x], around, x, parameters);
                    PixelMath.put(out, x, words, pixel.scaled(row[x], row[stride + x], row[2 * stride + x], scale));
                }
                pixels.put(unit * out.length, out);
            }
        };
    }

    private static float guided(float[][] sums, int x, float share, float[] parameters) {
        float base = (sums[0][x] * share) * sums[2][x] + sums[1][x] * share;
        return parameters[0] * PixelMath.exp2(parameters[1] * (base + parameters[2]));
    }

    private static float shareOf(float centre, float surround, float norm) {
        float difference = centre - surround;
        float share = 1.5f - 20.0f * (Math.max(difference, -difference) / (norm + centre));
        share = share < 1 ? share : 1;
        return share > 0 ? share : 0;
    }

    private static float adapted(float own, float[][] blurred, int x, float[] parameters) {
        float before = blurred[0][x];
        float norm = 2.56f * parameters[LocalMapping.NORMS];
        boolean leaks = Math.max(own - before, before - own) * 40.0f > norm + own;
        float quiet = leaks ? shareOf(own, before, norm) : 1;
        float adapted = leaks ? own + quiet * (before - own) : before;
        for (int s = 0; s + 1 < blurred.length; s++) {
            float centre = blurred[s][x];
            quiet *= shareOf(centre, blurred[s + 1][x], parameters[LocalMapping.NORMS + s]);
            adapted += quiet * (centre - before);
            before = centre;
        }
        return parameters[0] / (1.0f + adapted);
    }

    /** A view with a halo, filtered down its columns into a line, then along this. */
    private static final class Filter {
        private final FloatBuffer view;
        private final int start;
        private final int first;
        private final FrameLayout layout;
        private final boolean wrap;
        private final int radius;
        private final int pitch;
        private final float[] ones;
        private final float[] above;
        private final float[] below;
        private final float[] line;

        /** Of a square window a pixel's. */
        final float share;

        Filter(
                JvmKernel.Chunk chunk,
                int argument,
                ToneMapSettings settings,
                FrameLayout layout,
                int radius,
                int pitch) {
            this.view = chunk.buffer(argument).asFloatBuffer();
            this.start = chunk.viewStart(argument);
            this.first = (int) chunk.firstUnit();
            this.layout = layout;
            this.wrap = settings.wrap();
            this.radius = radius;
            this.pitch = pitch;
            this.ones = new float[radius + 1];
            Arrays.fill(ones, 1);
            this.above = new float[layout.stride()];
            this.below = new float[layout.stride()];
            this.line = new float[radius + layout.stride() + radius];
            float n = 2 * radius + 1;
            this.share = 1.0f / (n * n);
        }

        /** A plane of the row of a unit of the chunk, or else of the one at the edge. */
        float[] row(int unit, int plane, float[] target) {
            int y = Math.min(Math.max(first + unit, 0), layout.height() - 1);
            view.get(start + (y - first) * pitch + plane * layout.stride(), target);
            return target;
        }

        /** Sums of a plane, or of its squares, over the square windows around the pixels of a row. */
        void sums(int unit, int plane, boolean squared, float[] out) {
            sums(unit, plane, squared, ones, 0, radius, out);
        }

        /** The same with weights from the middle outwards, the first of which is {@code weights[at]}. */
        void sums(int unit, int plane, boolean squared, float[] weights, int at, int reach, float[] out) {
            int width = layout.width();
            row(unit, plane, above);
            for (int x = 0; x < width; x++) {
                line[radius + x] = weights[at] * (squared ? above[x] * above[x] : above[x]);
            }
            for (int by = 1; by <= reach; by++) {
                row(unit - by, plane, above);
                row(unit + by, plane, below);
                float weight = weights[at + by];
                for (int x = 0; x < width; x++) {
                    float a = above[x];
                    float b = below[x];
                    line[radius + x] += weight * (squared ? a * a + b * b : a + b);
                }
            }
            for (int x = -reach; x < out.length + reach; x = x == -1 ? width : x + 1) {
                line[radius + x] = line[radius + (wrap ? Math.floorMod(x, width) : x < 0 ? 0 : width - 1)];
            }
            for (int x = 0; x < out.length; x++) {
                out[x] = weights[at] * line[radius + x];
            }
            for (int by = 1; by <= reach; by++) {
                float weight = weights[at + by];
                for (int x = 0; x < out.length; x++) {
                    out[x] += weight * (line[radius + x - by] + line[radius + x + by]);
                }
            }
        }
    }
}
