package dev.evener.bench.suites;

import static dev.evener.Access.columns;
import static dev.evener.Access.slice;
import static dev.evener.Access.whole;
import static dev.evener.image.ImageFormat.RGBA_UNORM8;
import static dev.evener.image.ImageFormat.R_UNORM8;

import dev.evener.Access.Reduction;
import dev.evener.HostBuffer;
import dev.evener.image.Image;
import dev.evener.image.ImageFormat;
import java.util.List;

/**
 * FFmpeg's video filters with image kernels. Not among them: unsharp's kernel for whole images, which reads outside of them without saying what
 * shall be there; deshake and tonemap, whose texts the program completes when it runs.
 */
@SuppressWarnings("NarrowCalculation") // sizes are small
final class Ffmpeg {
    private static final String SUITE = "FFmpeg";
    private static final String FOLDER = "ffmpeg/libavfilter/opencl/";

    private final Run run;
    private final int width;
    private final int height;
    private final Image<HostBuffer> in;

    private Ffmpeg(Run run, String file) {
        this.run = run;
        width = run.pick(64, 93, 320);
        height = run.pick(48, 71, 240);
        run.file(FOLDER + file);
        in = picture("in");
    }

    private Image<HostBuffer> picture(String name) {
        return run.picture(name, RGBA_UNORM8, width, height);
    }

    /** A kernel of the usual kind: a work-item for each pixel of what it writes. */
    private Declared over(String kernel, Image<HostBuffer> out) {
        return run.kernel(kernel).range(out.width(), out.height());
    }

    static List<Program> programs() {
        return List.of(
                new Program(SUITE, "avgblur", run -> new Ffmpeg(run, "avgblur.cl").avgblur()),
                new Program(SUITE, "colorkey", run -> new Ffmpeg(run, "colorkey.cl").colorkey()),
                new Program(SUITE, "convolution", run -> new Ffmpeg(run, "convolution.cl").convolution()),
                new Program(SUITE, "neighbor", run -> new Ffmpeg(run, "neighbor.cl").neighbor()),
                new Program(SUITE, "overlay", run -> new Ffmpeg(run, "overlay.cl").overlay()),
                new Program(SUITE, "pad", run -> new Ffmpeg(run, "pad.cl").pad()),
                new Program(SUITE, "remap", run -> new Ffmpeg(run, "remap.cl").remap()),
                new Program(SUITE, "transpose", run -> new Ffmpeg(run, "transpose.cl").transpose()),
                new Program(SUITE, "unsharp", run -> new Ffmpeg(run, "unsharp.cl").unsharp()),
                new Program(SUITE, "xfade", run -> new Ffmpeg(run, "xfade.cl").xfade()),
                new Program(SUITE, "nlmeans", run -> new Ffmpeg(run, "nlmeans.cl").nlmeans()));
    }

    private void avgblur() {
        Image<HostBuffer> rows = picture("rows");
        Image<HostBuffer> out = picture("out");
        over("avgblur_horiz", rows)
                .writes(rows, slice())
                .reads(in, slice())
                .scalar(3)
                .run();
        over("avgblur_vert", out)
                .writes(out, slice())
                .reads(rows, slice().halo(5, 5))
                .scalar(5)
                .run();
    }

    private void colorkey() {
        Image<HostBuffer> blended = picture("blended");
        Image<HostBuffer> out = picture("out");
        over("colorkey_blend", blended)
                .reads(in, slice())
                .writes(blended, slice())
                .vector(0.2f, 0.8f, 0.3f, 1f)
                .scalar(0.3f, 0.5f)
                .run();
        over("colorkey", out)
                .reads(blended, slice())
                .writes(out, slice())
                .vector(0.2f, 0.8f, 0.3f, 1f)
                .scalar(0.3f)
                .run();
    }

    private void convolution() {
        HostBuffer matrix = run.floats("matrix", 25, Inputs::noise);
        Image<HostBuffer> convolved = picture("convolved");
        over("convolution_global", convolved)
                .writes(convolved, slice())
                .reads(in, slice().halo(2, 2))
                .scalar(5)
                .reads(matrix, whole())
                .scalar(0.08f, 0.01f)
                .run();
        for (String each : List.of("sobel", "prewitt", "roberts")) {
            Image<HostBuffer> out = picture(each);
            over(each + "_global", out)
                    .writes(out, slice())
                    .reads(in, slice().halo(1, 1))
                    .scalar(0.25f, 0.1f)
                    .run();
        }
    }

    private void neighbor() {
        HostBuffer around = run.ints("coord", 9, i -> i == 4 || i == 6 ? 0 : 1);
        for (String each : List.of("erosion", "dilation")) {
            Image<HostBuffer> out = picture(each);
            over(each + "_global", out)
                    .writes(out, slice())
                    .reads(in, slice().halo(1, 1))
                    .scalar(0.4f)
                    .reads(around, whole())
                    .run();
        }
    }

    /** What is laid over begins somewhere in the picture, so any row of it may meet any unit. */
    private void overlay() {
        int x = 7;
        int y = 5;
        Image<HostBuffer> above = run.picture("above", RGBA_UNORM8, width / 2, height / 2);
        Image<HostBuffer> alpha = run.picture("alpha", R_UNORM8, width / 2, height / 2);
        for (String each : List.of("no_alpha", "internal_alpha", "external_alpha")) {
            Image<HostBuffer> out = picture(each);
            Declared job = over("overlay_" + each, out)
                    .writes(out, slice())
                    .reads(in, slice())
                    .reads(above, whole());
            if (each.equals("external_alpha")) {
                job.reads(alpha, whole());
            }
            job.scalar(x, y);
            if (each.equals("external_alpha")) {
                job.scalar(1, 1);
            }
            job.run();
        }
    }

    private void pad() {
        Image<HostBuffer> out = run.picture("out", RGBA_UNORM8, width + 20, height + 14);
        over("pad", out)
                .reads(in, whole())
                .writes(out, slice())
                .vector(0.5f, 0.25f, 0.75f, 1f)
                .vector(9, 6)
                .run();
    }

    private void remap() {
        ImageFormat format = new ImageFormat(ImageFormat.Channels.R, ImageFormat.Type.UNORM_INT16);
        Image<HostBuffer> xs = places("x", format, width);
        Image<HostBuffer> ys = places("y", format, height);
        for (String each : List.of("near", "linear")) {
            Image<HostBuffer> out = picture(each);
            over("remap_" + each, out)
                    .writes(out, slice())
                    .reads(in, whole())
                    .reads(xs, slice())
                    .reads(ys, slice())
                    .vector(0.5f, 0.5f, 0.5f, 1f)
                    .run();
        }
    }

    /** Where each pixel comes from, mostly within the picture but for its edge. */
    private Image<HostBuffer> places(String name, ImageFormat format, int size) {
        int seed = name.charAt(0);
        HostBuffer bytes =
                run.octets(name, 2 * width * height, i -> i % 2 == 0 ? 1 + Inputs.bits(i + seed, size - 2) : 0);
        return Image.of(bytes, format, width, height);
    }

    private void transpose() {
        Image<HostBuffer> out = run.picture("out", RGBA_UNORM8, height, width);
        over("transpose", out).writes(out, slice()).reads(in, whole()).scalar(1).run();
    }

    /** A group reads eight pixels around its sixteen rows. */
    private void unsharp() {
        HostBuffer weights = run.floats("weights", 13, i -> 1 / 13.0);
        Image<HostBuffer> out = picture("out");
        over("unsharp_local", out)
                .groupSize(16, 16)
                .writes(out, slice())
                .reads(in, slice().halo(8, 8))
                .scalar(13, 13, 1.5f)
                .reads(weights, whole())
                .reads(weights, whole())
                .run();
    }

    private void xfade() {
        Image<HostBuffer> other = picture("other");
        for (String each : List.of("fade", "wipeleft", "wiperight", "wipeup", "wipedown")) {
            Image<HostBuffer> out = picture(each);
            over(each, out)
                    .writes(out, slice())
                    .reads(in, slice())
                    .reads(other, slice())
                    .scalar(0.4f)
                    .run();
        }
        for (String each : List.of("slidedown", "slideup", "slideleft", "slideright")) {
            boolean acrossRows = each.endsWith("down") || each.endsWith("up");
            Image<HostBuffer> out = picture(each);
            over(each, out)
                    .writes(out, slice())
                    .reads(in, acrossRows ? whole() : slice())
                    .reads(other, acrossRows ? whole() : slice())
                    .scalar(0.4f)
                    .run();
        }
    }

    private void nlmeans() {
        int p = 3;
        int[] dx = {-2, 1, 0, 2};
        int[] dy = {1, -2, 2, 0};
        Image<HostBuffer> grey = run.picture("grey", R_UNORM8, width, height);
        Image<HostBuffer> out = run.picture("out", R_UNORM8, width, height);
        HostBuffer integral = run.ints("integral", 4 * width * height, i -> 0);
        HostBuffer overflow = run.ints("overflow", 1, i -> 0);
        HostBuffer sum = run.floats("sum", width * height, i -> 0);
        HostBuffer weight = run.floats("weight", width * height, i -> 0);
        run.kernel("horiz_sum")
                .units(height)
                .writes(integral, slice(4 * width))
                .reads(grey, slice().halo(2, 2))
                .scalar(width, height)
                .vector(dx)
                .vector(dy)
                .run();
        run.kernel("vert_sum")
                .units(width)
                .updates(integral, columns(4L * width).perUnit(4))
                .accumulates(overflow, Reduction.SUM)
                .scalar(width, height)
                .run();
        run.kernel("weight_accum")
                .range(width, height)
                .updates(sum, slice(width))
                .updates(weight, slice(width))
                .reads(integral, slice(4 * width).halo(p, p))
                .reads(grey, slice().halo(2, 2))
                .scalar(width, height, p, 3f)
                .vector(dx)
                .vector(dy)
                .run();
        over("average", out)
                .writes(out, slice())
                .reads(grey, slice())
                .reads(sum, slice(width))
                .reads(weight, slice(width))
                .run();
    }
}
