package dev.evener;

import static dev.evener.Access.columns;
import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.Access.Reduction;
import dev.evener.NaiveDeclarations.Memory;
import dev.evener.NaiveDeclarations.Naive;
import dev.evener.NaiveDeclarations.Told;
import dev.evener.image.Image;
import dev.evener.image.ImageFormat;
import dev.evener.image.Sampler;
import java.util.ArrayList;
import java.util.List;

/** More {@link NaiveDeclarations}: data that are taken for another shape, and images. */
final class NaiveShapes {
    private static final int N = NaiveDeclarations.N;
    private static final int W = NaiveDeclarations.WIDTH;

    private static final String SOURCE = """
            constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
            kernel void star(global const int *in, global int *out, int w, int h, int d) {
                int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), i = (z * h + y) * w + x;
                out[i] = in[i] + (z > 0 ? in[i - w * h] : 0) + (z < d - 1 ? in[i + w * h] : 0);
            }
            kernel void forward(global const int *x, global int *y, int n) {
                int i = get_global_id(0); y[i] = x[i] - (i > 0 ? x[i - 1] : 0);
            }
            kernel void around(global const int *x, global int *y, int n) {
                int i = get_global_id(0); y[i] = x[i] - x[(i + 1) % n];
            }
            kernel void window(global const int *x, global int *y, int n, int k) {
                int i = get_global_id(0), s = 0; for (int j = 0; j < k && i + j < n; j++) s += x[i + j]; y[i] = s;
            }
            kernel void prefix(global const int *x, global int *y) {
                int i = get_global_id(0), s = 0; for (int j = 0; j <= i; j++) s += x[j]; y[i] = s;
            }
            kernel void interleaved3(global const int *x, global int *y) {
                int i = get_global_id(0); for (int k = 0; k < 3; k++) y[3 * i + k] = x[3 * i + 2 - k];
            }
            kernel void soa(global const int *x, global int *y, int n) {
                int i = get_global_id(0); y[i] = x[i] + x[n + i] + x[2 * n + i];
            }
            kernel void row_sums(global const int *x, global int *y, int w) {
                int r = get_global_id(0), s = 0; for (int c = 0; c < w; c++) s += x[r * w + c]; y[r] = s;
            }
            kernel void pitched(global const int *x, global int *y, int w, int pitch) {
                int c = get_global_id(0), r = get_global_id(1); y[r * w + c] = x[r * pitch + c];
            }
            kernel void swapped(global const int *x, global int *y, int h) {
                int r = get_global_id(0), c = get_global_id(1); y[r * h + c] = x[r * h + c];
            }
            kernel void halves(global int *x, int n) {
                int i = get_global_id(0); int t = x[i]; x[i] = x[n - 1 - i]; x[n - 1 - i] = t;
            }
            kernel void butterfly(global int *x, int d) {
                int i = get_global_id(0), lo = i / d * 2 * d + i % d; int a = x[lo], b = x[lo + d]; x[lo] = a + b;
                x[lo + d] = a - b;
            }
            kernel void pivot(global int *a, int n, int k) {
                int c = get_global_id(0), r = get_global_id(1); if (r > k) a[r * n + c] -= a[k * n + c];
            }
            kernel void rows_of(global const int *begins, global int *v) {
                int r = get_global_id(0); for (int j = begins[r]; j < begins[r + 1]; j++) v[j] += r;
            }
            kernel void partial(global const int *x, global int *sums) {
                int i = get_global_id(0); atomic_add(&sums[i / 256], x[i]);
            }
            kernel void compact(global const int *x, global int *y, global int *count) {
                int i = get_global_id(0); if (x[i] & 1) y[atomic_inc(count)] = x[i];
            }
            kernel void from_one(global const int *x, global int *y, int n) {
                int i = get_global_id(0) + 1; y[i] = x[i - 1] + x[i];
            }
            kernel void quads(global const float4 *x, global float *y) {
                int i = get_global_id(0); y[i] = dot(x[i], (float4) 1);
            }
            kernel void eights(global const uchar *x, global uchar *y) {
                int i = get_global_id(0); vstore8(vload8(i, x), i, y);
            }
            kernel void halfs(global const half *x, global float *y) {
                int i = get_global_id(0); y[i] = vload_half(i, x);
            }
            kernel void by_double(global double *y) { y[get_global_id(0)] *= 2; }
            kernel void ranked(global const int *x, global int *y, int n) {
                int i = get_global_id(0), r = 0;
                for (int j = 0; j < n; j++) r += x[j] < x[i] || (x[j] == x[i] && j < i); y[r] = x[i];
            }
            kernel void list(global const int *next, global int *dist) {
                int i = get_global_id(0); dist[i] += dist[next[i]];
            }
            kernel void soften(read_only image2d_t in, write_only image2d_t out) {
                int2 p = (int2)(get_global_id(0), get_global_id(1));
                write_imagef(out, p, 0.5f * (read_imagef(in, edge, p - (int2)(0, 1)) + read_imagef(in, edge, p + (int2)(0, 1))));
            }
            kernel void flip(read_only image2d_t in, write_only image2d_t out) {
                int2 p = (int2)(get_global_id(0), get_global_id(1));
                write_imagef(out, (int2)(p.x, get_image_height(out) - 1 - p.y), read_imagef(in, edge, p));
            }
            kernel void turn(read_only image2d_t in, write_only image2d_t out) {
                int2 p = (int2)(get_global_id(0), get_global_id(1));
                write_imagef(out, p.yx, read_imagef(in, edge, p));
            }
            kernel void below(read_only image2d_t in, write_only image2d_t out) {
                int2 p = (int2)(get_global_id(0), get_global_id(1));
                write_imagef(out, p + (int2)(0, 1), read_imagef(in, edge, p));
            }
            kernel void mirrored(read_only image2d_t in, global float *out) {
                int2 p = (int2)(get_global_id(0), get_global_id(1));
                out[p.y * 64 + p.x] = read_imagef(in, edge, (int2)(p.x, get_image_height(in) - 1 - p.y)).x;
            }
            kernel void sampled(read_only image2d_t in, write_only image2d_t out, sampler_t s) {
                int2 p = (int2)(get_global_id(0), get_global_id(1));
                write_imagef(out, p, read_imagef(in, s, convert_float2(p)));
            }
            kernel void bytes_image(read_only image2d_t in, write_only image2d_t out) {
                int2 p = (int2)(get_global_id(0), get_global_id(1));
                write_imageui(out, p, read_imageui(in, edge, p));
            }
            """;

    private NaiveShapes() {}

    private static JobBuilder units(long units, String kernel) {
        return Job.named("naive").source(SOURCE).units(units).kernel(kernel);
    }

    private static JobBuilder range(long width, long rows, String kernel) {
        return Job.named("naive").source(SOURCE).range(width, rows).kernel(kernel);
    }

    private static Image<HostBuffer> image(Memory memory) {
        return Image.of(memory.floats(), ImageFormat.R_FLOAT, W, W);
    }

    /** Where rows of about four elements begin. */
    private static HostBuffer begins(Memory memory) {
        HostBuffer made = memory.of(ElementType.INT, N / 4 + 1);
        for (int i = 0; i <= N / 4; i++) {
            made.ints().put(i, 4 * i + (i % 3 == 0 || i == N / 4 ? 0 : 1));
        }
        return made;
    }

    static List<Naive> all() {
        List<Naive> all = new ArrayList<>();
        all.add(new Naive(
                "another shape",
                "3-D star without halo",
                Told.FIRST_RUN,
                "",
                m -> Job.named("naive")
                        .source(SOURCE)
                        .range(16, 16, 16)
                        .kernel("star")
                        .reads(m.ints(), slice(256))
                        .writes(m.ints(), slice(256))
                        .scalar(16, 16, 16)));
        all.add(new Naive(
                "another shape",
                "halo on the wrong side",
                Told.FIRST_RUN,
                "",
                m -> units(N, "forward")
                        .reads(m.ints(), slice().halo(0, 1))
                        .writes(m.ints(), slice())
                        .scalar(N)));
        all.add(new Naive(
                "another shape",
                "around the end with a halo",
                Told.FIRST_RUN,
                "",
                m -> units(N, "around")
                        .reads(m.ints(), slice().halo(0, 1))
                        .writes(m.ints(), slice())
                        .scalar(N)));
        all.add(new Naive(
                "another shape",
                "a window with half its halo",
                Told.FIRST_RUN,
                "",
                m -> units(N, "window")
                        .reads(m.ints(), slice().halo(0, 8))
                        .writes(m.ints(), slice())
                        .scalar(N, 16)));
        all.add(new Naive(
                "another shape",
                "a prefix by slices",
                Told.FIRST_RUN,
                "",
                m -> units(N, "prefix").reads(m.ints(), slice()).writes(m.ints(), slice())));
        all.add(new Naive(
                "another shape",
                "interleaved as planes",
                Told.FIRST_RUN,
                "",
                m -> units(N / 4, "interleaved3")
                        .reads(m.ints(3 * N / 4), slice().planes(3))
                        .writes(m.ints(3 * N / 4), slice().planes(3))));
        all.add(new Naive(
                "another shape",
                "planes as interleaved",
                Told.FIRST_RUN,
                "",
                m -> units(N / 4, "soa")
                        .reads(m.ints(3 * N / 4), slice(3))
                        .writes(m.ints(N / 4), slice())
                        .scalar(N / 4)));
        all.add(new Naive(
                "another shape",
                "rows as columns",
                Told.FIRST_RUN,
                "",
                m -> units(W, "row_sums")
                        .reads(m.ints(), columns(W))
                        .writes(m.ints(W), slice())
                        .scalar(W)));
        all.add(new Naive(
                "another shape",
                "a pitch left out",
                Told.FIRST_RUN,
                "",
                m -> range(48, 64, "pitched")
                        .reads(m.ints(), slice(48))
                        .writes(m.ints(48 * 64), slice(48))
                        .scalar(48, 64)));
        all.add(new Naive(
                "another shape",
                "rows along the first dimension",
                Told.FIRST_RUN,
                "",
                m -> range(64, 64, "swapped")
                        .reads(m.ints(), slice(64))
                        .writes(m.ints(), slice(64))
                        .scalar(64)));
        all.add(new Naive(
                "another shape",
                "both ends as a slice",
                Told.FIRST_RUN,
                "",
                m -> units(N / 2, "halves").updates(m.ints(), slice(2)).scalar(N)));
        all.add(new Naive(
                "another shape",
                "blocks of another distance",
                Told.FIRST_RUN,
                "",
                m -> units(N / 2, "butterfly")
                        .updates(m.ints(), slice().planes(2).blocksOf(32))
                        .scalar(16)));
        all.add(new Naive(
                "another shape",
                "blocks of one array",
                Told.FIRST_RUN,
                "",
                m -> units(N / 2, "butterfly")
                        .updates(m.ints(), slice().planes(2))
                        .scalar(16)));
        all.add(new Naive(
                "another shape",
                "another pivot",
                Told.FIRST_RUN,
                "",
                m -> range(W, W, "pivot")
                        .updates(m.ints(), slice(W).alsoReads(2 * W, W))
                        .scalar(W, 3)));
        all.add(new Naive(
                "another shape",
                "offsets as a slice",
                Told.FIRST_RUN,
                "",
                m -> units(N / 4, "rows_of").reads(begins(m), whole()).updates(m.ints(), slice(4))));
        all.add(new Naive(
                "another shape",
                "partial sums as slices",
                Told.FIRST_RUN,
                "",
                m -> units(N, "partial").reads(m.ints(), slice()).updates(m.ints(), slice())));
        all.add(new Naive(
                "another shape",
                "a compaction into slices",
                Told.FIRST_RUN,
                "",
                m -> units(N, "compact")
                        .reads(m.ints(), slice())
                        .updates(m.ints(), slice())
                        .accumulates(m.ints(1), Reduction.SUM)));
        all.add(new Naive(
                "another shape",
                "an index from one",
                Told.FIRST_RUN,
                "",
                m -> units(N - 1, "from_one")
                        .reads(m.ints(), slice(1).halo(0, 1))
                        .updates(m.ints(), slice(1))
                        .scalar(N)));
        all.add(new Naive(
                "another shape",
                "quads of floats as floats",
                Told.REFUSED,
                "give slice(4)",
                m -> units(N / 4, "quads")
                        .reads(m.floats(), slice(1))
                        .writes(m.of(ElementType.FLOAT, N / 4), slice())));
        all.add(new Naive(
                "another shape",
                "eight bytes as one",
                Told.NOBODY,
                "zeros hide zeros",
                m -> units(N / 8, "eights").reads(m.bytes(), slice(1)).updates(m.bytes(), slice(1))));
        all.add(new Naive(
                "another shape",
                "halfs as floats",
                Told.REFUSED,
                "half*",
                m -> units(N, "halfs").reads(m.floats(), slice()).writes(m.floats(), slice())));
        all.add(new Naive(
                "another shape",
                "doubles as floats",
                Told.REFUSED,
                "double*",
                m -> units(N, "by_double").updates(m.floats(), slice())));
        all.add(new Naive(
                "another shape",
                "a rank as a slice",
                Told.FIRST_RUN,
                "",
                m -> units(N, "ranked")
                        .reads(m.ints(), whole())
                        .writes(m.ints(), slice())
                        .scalar(N)));
        all.add(new Naive(
                "another shape",
                "a list by slices",
                Told.FIRST_RUN,
                "",
                m -> units(N, "list").reads(m.indices(), slice()).updates(m.ints(), slice())));
        all.add(new Naive(
                "another shape",
                "scalars of another order",
                Told.FIRST_RUN,
                "",
                m -> range(48, 64, "pitched")
                        .reads(m.ints(), slice(64))
                        .writes(m.ints(48 * 64), slice(48))
                        .scalar(64, 48)));
        all.add(new Naive(
                "an image",
                "rows around left out",
                Told.FIRST_RUN,
                "",
                m -> range(W, W, "soften").reads(image(m), slice()).writes(image(m), slice())));
        all.add(new Naive(
                "an image",
                "a row on one side",
                Told.FIRST_RUN,
                "",
                m -> range(W, W, "soften").reads(image(m), slice().halo(1, 0)).writes(image(m), slice())));
        all.add(new Naive(
                "an image",
                "upside down",
                Told.FIRST_RUN,
                "",
                m -> range(W, W, "flip").reads(image(m), slice()).writes(image(m), slice())));
        all.add(new Naive(
                "an image",
                "transposed",
                Told.FIRST_RUN,
                "",
                m -> range(W, W, "turn").reads(image(m), slice()).writes(image(m), slice())));
        all.add(new Naive(
                "an image",
                "a row further",
                Told.FIRST_RUN,
                "",
                m -> range(W, W, "below").reads(image(m), slice()).updates(image(m), slice())));
        all.add(new Naive(
                "an image",
                "mirrored reads",
                Told.FIRST_RUN,
                "",
                m -> range(W, W, "mirrored").reads(image(m), slice()).writes(m.floats(), slice(W))));
        all.add(new Naive(
                "an image",
                "a pixel a unit",
                Told.REFUSED,
                "cut between rows",
                m -> units(N, "soften").reads(image(m), slice()).writes(image(m), slice())));
        all.add(new Naive(
                "an image",
                "no sampler",
                Told.REFUSED,
                "is no sampler_t",
                m -> range(W, W, "sampled")
                        .reads(image(m), slice())
                        .writes(image(m), slice())
                        .scalar(0)));
        all.add(new Naive(
                "an image",
                "normalized coordinates",
                Told.NOBODY,
                "a sampler of other coordinates",
                m -> range(W, W, "sampled")
                        .reads(image(m), slice())
                        .writes(image(m), slice())
                        .sampler(Sampler.nearest().withNormalized())));
        all.add(new Naive(
                "an image",
                "a buffer",
                Told.REFUSED,
                "is no image2d_t",
                m -> range(W, W, "soften").reads(m.floats(), slice(W)).writes(m.floats(), slice(W))));
        all.add(new Naive(
                "an image",
                "floats read as integers",
                Told.NOBODY,
                "an image of another format",
                m -> range(W, W, "bytes_image").reads(image(m), slice()).writes(image(m), slice())));
        all.add(new Naive(
                "an image",
                "in and out",
                Told.REFUSED,
                "read_only",
                m -> range(W, W, "soften").writes(image(m), slice()).reads(image(m), slice().halo(1, 1))));
        return all;
    }
}
