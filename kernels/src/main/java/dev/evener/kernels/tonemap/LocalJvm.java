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
    static JvmKernel coefficients(FrameLayout layout, int radius) {
        int stride = layout.stride();
        return chunk -> {
            Filter filter = new Filter(chunk, 0, layout, radius, stride, 2);
            FloatBuffer out = chunk.buffer(2).asFloatBuffer();
            float[] sum = new float[stride];
            float[] squares = new float[stride];
            float share = share(radius);
            for (int unit = 0; unit < chunk.units(); unit++) {
                filter.momentsDown(unit);
                filter.sumAcross(0, sum);
                filter.sumAcross(1, squares);
                for (int x = 0; x < stride; x++) {
                    float mean = sum[x] * share;
                    float variance = squares[x] * share - mean * mean;
                    variance = variance > 0 ? variance : 0;
                    float a = variance / (variance + 1.0f);
                    sum[x] = a;
                    squares[x] = mean - a * mean;
                }
                int at = unit * LocalMapping.GUIDED_PLANES * stride;
                out.put(at, sum).put(at + stride, squares);
                out.put(at + 2 * stride, filter.own(unit, 0), 0, stride);
            }
        };
    }

    /** Argument 0 the frame, 1 what is filtered and the rows around the chunk's, 3 the pixels, 4 the parameters. */
    static JvmKernel map(ToneMapSettings settings, FrameLayout layout, PixelCoding coding, int radius, int words) {
        int stride = layout.stride();
        boolean guided = settings.operator() == Operator.GUIDED;
        return chunk -> {
            PixelCoding.Rows frame = coding.new Rows(chunk.buffer(0), stride);
            Filter filter = guided
                    ? new Filter(chunk, 1, layout, radius, LocalMapping.GUIDED_PLANES * stride, 2)
                    : new Filter(chunk, 1, layout, radius, stride, LocalMapping.SCALES);
            IntBuffer pixels = chunk.buffer(3).asIntBuffer();
            float[] parameters = new float[ToneMapParameters.COUNT];
            chunk.buffer(4).asFloatBuffer().get(0, parameters);
            float[] row = new float[3 * stride];
            PixelMapping pixel = new PixelMapping(settings, parameters, words);
            float[] scale = new float[stride];
            int[] out = new int[words * stride];
            for (int unit = 0; unit < chunk.units(); unit++) {
                if (guided) {
                    filter.guided(unit, parameters, scale);
                } else {
                    filter.reinhard(unit, parameters, scale);
                }
                PixelMath.sanitised(frame, unit, row);
                for (int x = 0; x < stride; x++) {
                    long mapped = pixel.scaled(row[x], row[stride + x], row[2 * stride + x], scale[x]);
                    PixelMath.put(out, x, words, mapped);
                }
                pixels.put(unit * out.length, out);
            }
        };
    }

    private static float share(int radius) {
        float n = 2 * radius + 1;
        return 1.0f / (n * n);
    }

    /** A view with a halo, filtered down its columns into lines, then along these. */
    private static final class Filter {
        private final FloatBuffer view;
        private final int start;
        private final int first;
        private final int width;
        private final int height;
        private final int stride;
        private final int radius;
        private final int pitch;
        private final float[] above;
        private final float[] below;
        private final float[][] lines;
        private final float[][] blurred;

        Filter(JvmKernel.Chunk chunk, int argument, FrameLayout layout, int radius, int pitch, int lines) {
            this.view = chunk.buffer(argument).asFloatBuffer();
            this.start = chunk.viewStart(argument);
            this.first = (int) chunk.firstUnit();
            this.width = layout.width();
            this.height = layout.height();
            this.stride = layout.stride();
            this.radius = radius;
            this.pitch = pitch;
            this.above = new float[stride];
            this.below = new float[stride];
            this.lines = new float[lines][radius + stride + radius];
            this.blurred = new float[lines][stride];
        }

        /** A plane of the row that is {@code by} below a unit of the chunk, or else of the one at the edge. */
        private float[] load(int unit, int by, int plane, float[] target) {
            int y = Math.min(Math.max(first + unit + by, 0), height - 1);
            view.get(start + (y - first) * pitch + plane * stride, target);
            return target;
        }

        /** The plane of the unit that follows those which are filtered, or the one plane. */
        float[] own(int unit, int plane) {
            return load(unit, 0, plane, above);
        }

        private void repeatEdges(float[] line) {
            Arrays.fill(line, 0, radius, line[radius]);
            Arrays.fill(line, radius + width, line.length, line[radius + width - 1]);
        }

        void momentsDown(int unit) {
            float[] sum = lines[0];
            float[] squares = lines[1];
            own(unit, 0);
            for (int x = 0; x < width; x++) {
                sum[radius + x] = above[x];
                squares[radius + x] = above[x] * above[x];
            }
            for (int by = 1; by <= radius; by++) {
                load(unit, -by, 0, above);
                load(unit, by, 0, below);
                for (int x = 0; x < width; x++) {
                    float a = above[x];
                    float b = below[x];
                    sum[radius + x] += a + b;
                    squares[radius + x] += a * a + b * b;
                }
            }
            repeatEdges(sum);
            repeatEdges(squares);
        }

        void sumAcross(int line, float[] out) {
            float[] in = lines[line];
            System.arraycopy(in, radius, out, 0, stride);
            for (int by = 1; by <= radius; by++) {
                for (int x = 0; x < stride; x++) {
                    out[x] += in[radius + x - by] + in[radius + x + by];
                }
            }
        }

        void guided(int unit, float[] parameters, float[] scale) {
            for (int plane = 0; plane < 2; plane++) {
                float[] sum = lines[plane];
                System.arraycopy(own(unit, plane), 0, sum, radius, width);
                for (int by = 1; by <= radius; by++) {
                    load(unit, -by, plane, above);
                    load(unit, by, plane, below);
                    for (int x = 0; x < width; x++) {
                        sum[radius + x] += above[x] + below[x];
                    }
                }
                repeatEdges(sum);
            }
            float share = share(radius);
            sumAcross(0, scale);
            sumAcross(1, below);
            own(unit, 2);
            for (int x = 0; x < stride; x++) {
                float base = (scale[x] * share) * above[x] + below[x] * share;
                scale[x] = parameters[0] * PixelMath.exp2(parameters[1] * (base + 2.4739313f));
            }
        }

        void reinhard(int unit, float[] parameters, float[] scale) {
            own(unit, 0);
            int weights = 1;
            for (int s = 0; s < lines.length; s++) {
                for (int x = 0; x < width; x++) {
                    lines[s][radius + x] = parameters[weights] * above[x];
                }
                weights += LocalMapping.radius(s) + 1;
            }
            int norms = weights;
            for (int by = 1; by <= radius; by++) {
                load(unit, -by, 0, above);
                load(unit, by, 0, below);
                weights = 1;
                for (int s = 0; s < lines.length; s++) {
                    int reach = LocalMapping.radius(s);
                    for (int x = 0; by <= reach && x < width; x++) {
                        lines[s][radius + x] += parameters[weights + by] * (above[x] + below[x]);
                    }
                    weights += reach + 1;
                }
            }
            for (float[] line : lines) {
                repeatEdges(line);
            }
            adapt(parameters, norms, scale);
        }

        private void adapt(float[] parameters, int norms, float[] scale) {
            int weights = 1;
            for (int s = 0; s < lines.length; s++) {
                float[] in = lines[s];
                float[] out = blurred[s];
                for (int x = 0; x < stride; x++) {
                    out[x] = parameters[weights] * in[radius + x];
                }
                int reach = LocalMapping.radius(s);
                for (int by = 1; by <= reach; by++) {
                    for (int x = 0; x < stride; x++) {
                        out[x] += parameters[weights + by] * (in[radius + x - by] + in[radius + x + by]);
                    }
                }
                weights += reach + 1;
            }
            for (int x = 0; x < stride; x++) {
                float adapted = blurred[0][x];
                float before = adapted;
                float quiet = 1;
                for (int s = 0; s + 1 < lines.length; s++) {
                    float centre = blurred[s][x];
                    float difference = centre - blurred[s + 1][x];
                    float activity = Math.max(difference, -difference) / (parameters[norms + s] + centre);
                    float share = 1.5f - 20.0f * activity;
                    share = share < 1 ? share : 1;
                    quiet *= share > 0 ? share : 0;
                    adapted += quiet * (centre - before);
                    before = centre;
                }
                scale[x] = parameters[0] / (1.0f + adapted);
            }
        }
    }
}
