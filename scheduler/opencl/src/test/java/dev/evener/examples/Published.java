package dev.evener.examples;

import static dev.evener.Access.columns;
import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.Access.Reduction;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.image.Image;

/** Kernels as they stand in a thousand programs, not one line of which was written for Evener, in twelve shapes. */
final class Published {
    static final KernelSource SOURCE = KernelSource.of("published", """
            __kernel void square(__global const float *x, __global float *y) {
                int i = get_global_id(0);
                y[i] = x[i] * x[i];
            }

            __kernel void saxpy(__global const float *x, __global float *y, float a, int n) {
                int i = get_global_id(0);
                if (i < n) y[i] += a * x[i];
            }

            __kernel void scale(__global float *x, float by, int n) {
                for (int i = get_global_id(0); i < n; i += get_global_size(0)) x[i] *= by;
            }

            __kernel void heat(__global const float *now, __global float *next, int width, int height) {
                int x = get_global_id(0) + 1, y = get_global_id(1) + 1;
                if (x >= width - 1 || y >= height - 1) return;
                int i = y * width + x;
                next[i] = now[i] + 0.25f * (now[i - width] + now[i + width] + now[i - 1] + now[i + 1] - 4 * now[i]);
            }

            __kernel void gather(__global const float *table, __global const int *index, __global float *out, int n) {
                int i = get_global_id(0);
                if (i < n) out[i] = table[index[i]];
            }

            __kernel void block_sums(__global const int *x, __global int *sums, __local int *tile, int n) {
                int l = get_local_id(0), i = get_global_id(0);
                tile[l] = i < n ? x[i] : 0;
                for (int s = get_local_size(0) / 2; s > 0; s /= 2) {
                    barrier(CLK_LOCAL_MEM_FENCE);
                    if (l < s) tile[l] += tile[l + s];
                }
                if (l == 0) sums[get_group_id(0)] = tile[0];
            }

            __kernel void column_means(__global const float *a, __global float *means, int width, int height) {
                int c = get_global_id(0);
                if (c >= width) return;
                float sum = 0;
                for (int r = 0; r < height; r++) sum += a[r * width + c];
                means[c] = sum / height;
            }

            __kernel void invert(__global const uchar *rgb, __global uchar *out, int pixels) {
                int i = get_global_id(0);
                if (i >= pixels) return;
                for (int plane = 0; plane < 3; plane++) out[plane * pixels + i] = 255 - rgb[plane * pixels + i];
            }

            __kernel void butterfly(__global int *x, int distance, int pairs) {
                int i = get_global_id(0);
                if (i >= pairs) return;
                int low = i / distance * 2 * distance + i % distance, a = x[low], b = x[low + distance];
                x[low] = a + b;
                x[low + distance] = a - b;
            }

            __kernel void eliminate(__global float *a, int n, int k) {
                int col = get_global_id(0), row = get_global_id(1);
                if (row <= k || row >= n || col <= k || col >= n) return;
                a[row * n + col] -= a[row * n + k] / a[k * n + k] * a[k * n + col];
            }

            __kernel void histogram(__global const uchar *x, __global int *bins, int n) {
                int i = get_global_id(0);
                if (i < n) atomic_inc(&bins[x[i]]);
            }

            __kernel void permute(__global const float *x, __global const int *to, __global float *y, int n) {
                int i = get_global_id(0);
                if (i < n) y[to[i]] = x[i];
            }
            """);

    static final KernelSource IMAGES = KernelSource.of("images", """
            __constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

            __kernel void sharpen(__read_only image2d_t in, __write_only image2d_t out) {
                int2 p = (int2)(get_global_id(0), get_global_id(1));
                float4 around = read_imagef(in, edge, p + (int2)(-1, 0)) + read_imagef(in, edge, p + (int2)(1, 0))
                        + read_imagef(in, edge, p + (int2)(0, -1)) + read_imagef(in, edge, p + (int2)(0, 1));
                write_imagef(out, p, 5 * read_imagef(in, edge, p) - around);
            }
            """);

    private Published() {}

    // region map
    static Job square(HostBuffer x, HostBuffer y) {
        return Job.named("square")
                .source(SOURCE)
                .units(x.elements())
                .kernel("square")
                .reads(x, slice())
                .writes(y, slice())
                .build();
    }
    // endregion

    static Job saxpy(float a, HostBuffer x, HostBuffer y, int n) {
        return Job.named("saxpy")
                .source(SOURCE)
                // region guard
                .units(n)
                .kernel("saxpy")
                .groupSize(64) // the range is rounded up to whole groups, against which the kernel guards
                .reads(x, slice())
                .updates(y, slice())
                .scalar(a)
                .scalar(n)
                // endregion
                .build();
    }

    static Job scale(HostBuffer x, float by, int n) {
        return Job.named("scale")
                .source(SOURCE)
                // region stride
                .units(n) // one work-item for each element, so that the loop takes one round
                .jobView()
                .kernel("scale")
                .updates(x, slice())
                .scalar(by)
                .scalar(n)
                // endregion
                .build();
    }

    static Job heat(HostBuffer now, HostBuffer next, int width, int height) {
        return Job.named("heat")
                .source(SOURCE)
                // region stencil
                .range(width - 2, height - 2) // of the interior, whose rows are the units
                .kernel("heat")
                .reads(now, slice(width).from(width).halo(1, 1))
                .updates(next, slice(width).from(width)) // of each row the first and last element stay as they are
                .scalar(width)
                .scalar(height)
                // endregion
                .build();
    }

    static Job gather(HostBuffer table, HostBuffer index, HostBuffer out, int n) {
        return Job.named("gather")
                .source(SOURCE)
                // region gather
                .units(n)
                .kernel("gather")
                .reads(table, whole())
                .reads(index, slice())
                .writes(out, slice())
                .scalar(n)
                // endregion
                .build();
    }

    static Job blockSums(HostBuffer x, HostBuffer sums, int n) {
        return Job.named("block sums")
                .source(SOURCE)
                // region tiles
                .units((n + 127) / 128) // a unit is a group, which has one result
                .jobView()
                .kernel("block_sums")
                .variant(Variant.itemsPerUnit(128).withGroupSize(128))
                .reads(x, slice(128))
                .writes(sums, slice(1))
                .local(ElementType.INT, group -> group)
                .scalar(n)
                // endregion
                .build();
    }

    static Job columnMeans(HostBuffer a, HostBuffer means, int width, int height) {
        return Job.named("column means")
                .source(SOURCE)
                // region columns
                .units(width)
                .kernel("column_means")
                .reads(a, columns(width))
                .writes(means, slice())
                .scalar(width)
                .scalar(height)
                // endregion
                .build();
    }

    static Job invert(HostBuffer rgb, HostBuffer out, int pixels) {
        return Job.named("invert")
                .source(SOURCE)
                // region planes
                .units(pixels)
                .kernel("invert")
                .reads(rgb, slice().planes(3))
                .writes(out, slice().planes(3))
                .scalar(pixels)
                // endregion
                .build();
    }

    static Job butterfly(HostBuffer x, int distance, int pairs) {
        return Job.named("butterfly")
                .source(SOURCE)
                .units(pairs)
                .kernel("butterfly")
                .updates(x, slice().planes(2).blocksOf(distance))
                .scalar(distance, pairs)
                .build();
    }

    static Job eliminate(HostBuffer a, int n, int k) {
        return Job.named("eliminate")
                .source(SOURCE)
                // region pivot
                .range(n, n)
                .kernel("eliminate")
                .updates(a, slice(n).alsoReads((long) k * n, n)) // its own row, and the pivot's
                .scalar(n)
                .scalar(k)
                // endregion
                .build();
    }

    static Job histogram(HostBuffer x, HostBuffer bins, int n) {
        return Job.named("histogram")
                .source(SOURCE)
                // region histogram
                .units(n)
                .kernel("histogram")
                .reads(x, slice())
                .accumulates(bins, Reduction.SUM)
                .scalar(n)
                // endregion
                .build();
    }

    static Job permute(HostBuffer x, HostBuffer to, HostBuffer y, int n) {
        return Job.named("permute")
                .source(SOURCE)
                // region scatter
                .units(n)
                .undivided()
                .kernel("permute")
                .reads(x, whole())
                .reads(to, whole())
                .writes(y, whole())
                .scalar(n)
                // endregion
                .build();
    }

    static Job sharpen(Image<?> in, Image<?> out) {
        return Job.named("sharpen")
                .source(IMAGES)
                // region images
                .range(in.width(), in.height()) // of which a row is a unit
                .kernel("sharpen")
                .reads(in, slice().halo(1, 1)) // its own row, and one on either side
                .writes(out, slice())
                // endregion
                .build();
    }

    /** Runs a job on a few thousand elements in the mode that finds out what a declaration got wrong. */
    static void check(float a, float[] x, float[] y) {
        try (Evener evener =
                Evener.builder().devices(DeviceSelector.parse("cpu")).checked().open()) {
            HostBuffer ins = evener.allocate(ElementType.FLOAT, x.length);
            HostBuffer outs = evener.allocate(ElementType.FLOAT, x.length);
            ins.floats().put(x);
            outs.floats().put(y);
            evener.submit(saxpy(a, ins, outs, x.length)).join(); // fails with the kernel, the argument and the place
        }
    }
}
