package dev.evener.bench.suites;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;
import static dev.evener.image.ImageFormat.RGBA_FLOAT;
import static dev.evener.image.ImageFormat.R_FLOAT;

import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.image.Image;
import dev.evener.image.ImageFormat;
import java.util.ArrayList;
import java.util.List;

/**
 * Modules of darktable, from raw pixels to the mix of blurred and sharp ones: each a sequence of kernels over images, many with a tile of rows in
 * local memory. The groups are smaller than darktable's, so that small images have several.
 */
@SuppressWarnings("NarrowCalculation") // sizes are small
final class Darktable {
    private static final String SUITE = "darktable";
    private static final String FOLDER = "darktable/data/kernels/";
    private static final int GROUP = 16;
    private static final int BAYER = 0x94949494; // of the four colours of a sensor, as darktable has it

    private final Run run;
    private final int width;
    private final int height;

    private Darktable(Run run, String file) {
        this.run = run;
        width = run.pick(64, 93, 256);
        height = run.pick(64, 75, 192);
        run.file(FOLDER + file);
    }

    private Image<HostBuffer> rgb(String name) {
        return run.picture(name, RGBA_FLOAT, width, height);
    }

    private Image<HostBuffer> grey(String name) {
        return run.picture(name, R_FLOAT, width, height);
    }

    private Declared over(String kernel) {
        return run.kernel(kernel).range(width, height);
    }

    private interface Module {
        void run(Darktable its);
    }

    private static Program program(String name, Module module) {
        return new Program(SUITE, name, run -> module.run(new Darktable(run, name + ".cl")));
    }

    static List<Program> programs() {
        return List.of(
                program("basic", Darktable::basic),
                program("demosaic_ppg", Darktable::demosaic),
                program("demosaic_other", Darktable::passthrough),
                program("hazeremoval", Darktable::haze),
                program("soften", Darktable::soften),
                program("sharpen", Darktable::sharpen),
                program("highpass", Darktable::highpass),
                program("bloom", Darktable::bloom),
                program("blurs", Darktable::blurs),
                program("bspline", Darktable::bspline),
                program("atrous", Darktable::atrous),
                program("negadoctor", Darktable::negative),
                program("guided_filter", Darktable::guided),
                program("locallaplacian", Darktable::laplacian),
                program("diffuse", Darktable::diffuse));
    }

    /** Raw pixels of 16 bits to floats, and what is done to each pixel by itself. */
    private void basic() {
        ImageFormat sixteen = new ImageFormat(ImageFormat.Channels.R, ImageFormat.Type.UNSIGNED_INT16);
        int top = 4; // rows of the sensor that are not shown
        Image<HostBuffer> raw = Image.of(
                run.octets("raw", 2 * (width + 6) * (height + top), i -> Inputs.bits(i, 256)),
                sixteen,
                width + 6,
                height + top);
        Image<HostBuffer> mosaic = grey("mosaic");
        HostBuffer black = run.floats("sub", 4, i -> 100 + i);
        HostBuffer range = run.floats("div", 4, i -> 65_000 - i);
        over("rawprepare_1f")
                .reads(raw, slice().from(top))
                .writes(mosaic, slice())
                .scalar(width, height, 3, top)
                .reads(black, whole())
                .reads(range, whole())
                .scalar(0, 0)
                .run();
        Image<HostBuffer> balanced = grey("balanced");
        HostBuffer coefficients = run.floats("coeffs", 4, i -> 1 + 0.25 * i);
        HostBuffer xtrans = run.octets("xtrans", 36, i -> i % 3);
        over("whitebalance_1f")
                .reads(mosaic, slice())
                .writes(balanced, slice())
                .scalar(width, height)
                .reads(coefficients, whole())
                .scalar(BAYER, 0, 0)
                .reads(xtrans, whole())
                .run();
        Image<HostBuffer> clipped = grey("clipped");
        over("highlights_1f_lch_bayer")
                .reads(balanced, slice().halo(1, 1))
                .writes(clipped, slice())
                .scalar(width, height, 0.9f, 0, 0, BAYER)
                .run();
        Image<HostBuffer> in = rgb("in");
        Image<HostBuffer> exposed = rgb("exposed");
        over("exposure")
                .reads(in, slice())
                .writes(exposed, slice())
                .scalar(width, height, 0.01f, 1.7f)
                .run();
        Image<HostBuffer> inverted = rgb("inverted");
        over("invert_4f")
                .reads(exposed, slice())
                .writes(inverted, slice())
                .scalar(width, height)
                .reads(coefficients, whole())
                .scalar(BAYER, 0, 0)
                .run();
        Image<HostBuffer> blurred = rgb("blurred");
        over("box_blur_5x5")
                .reads(inverted, slice().halo(2, 2))
                .writes(blurred, slice())
                .scalar(width, height)
                .run();
    }

    /** Bytes of a tile with a border, for each group of 16 by 8. */
    private static long tile(int border, int bytes) {
        return (GROUP + 2L * border) * (GROUP / 2 + 2L * border) * bytes / Float.BYTES;
    }

    private void demosaic() {
        Image<HostBuffer> in = grey("in");
        Image<HostBuffer> greens = grey("greens");
        over("green_equilibration_lavg")
                .groupSize(GROUP, GROUP / 2)
                .reads(in, slice().halo(2, 2))
                .writes(greens, slice())
                .scalar(width, height, BAYER, 0, 0, 0.3f)
                .local(ElementType.FLOAT, tile(2, Float.BYTES))
                .run();
        Image<HostBuffer> scaled = grey("scaled");
        over("green_equilibration_favg_apply")
                .reads(greens, slice())
                .writes(scaled, slice())
                .scalar(width, height, BAYER, 0, 0, 1.1f)
                .run();
        Image<HostBuffer> median = grey("median");
        over("pre_median")
                .groupSize(GROUP, GROUP / 2)
                .reads(scaled, slice().halo(2, 2))
                .writes(median, slice())
                .scalar(width, height, BAYER, 0.2f)
                .local(ElementType.FLOAT, tile(2, Float.BYTES))
                .run();
        Image<HostBuffer> green = rgb("green");
        over("ppg_demosaic_green")
                .groupSize(GROUP, GROUP / 2)
                .reads(median, slice().halo(3, 3))
                .updates(green, slice()) // all but its border
                .scalar(width, height, BAYER)
                .local(ElementType.FLOAT, tile(3, Float.BYTES))
                .run();
        over("border_interpolate")
                .reads(median, slice().halo(1, 1))
                .updates(green, slice())
                .scalar(width, height, BAYER, 3)
                .run();
        Image<HostBuffer> rgb = rgb("rgb");
        over("ppg_demosaic_redblue")
                .groupSize(GROUP, GROUP / 2)
                .reads(green, slice().halo(1, 1))
                .writes(rgb, slice())
                .scalar(width, height, BAYER)
                .local(ElementType.FLOAT, tile(1, 4 * Float.BYTES))
                .run();
        Image<HostBuffer> smooth = rgb("smooth");
        over("color_smoothing")
                .groupSize(GROUP, GROUP / 2)
                .reads(rgb, slice().halo(1, 1))
                .writes(smooth, slice())
                .scalar(width, height)
                .local(ElementType.FLOAT, tile(1, 4 * Float.BYTES))
                .run();
    }

    private void passthrough() {
        Image<HostBuffer> in = grey("in");
        HostBuffer xtrans = run.octets("xtrans", 36, i -> i % 3);
        Image<HostBuffer> colour = rgb("colour");
        over("passthrough_color")
                .reads(in, slice())
                .writes(colour, slice())
                .scalar(width, height, 0, 0, 9)
                .reads(xtrans, whole())
                .run();
        Image<HostBuffer> small = run.picture("small", RGBA_FLOAT, width / 2, height / 2);
        run.kernel("clip_and_zoom_demosaic_passthrough_monochrome")
                .range(width / 2, height / 2)
                .reads(in, whole())
                .writes(small, slice())
                .scalar(width / 2, height / 2, 0, 0, width, height, 0.5f, BAYER)
                .run();
    }

    /** Of the boxes' kernels, one work-item has a row, or a column: an image is not cut along columns. */
    private void haze() {
        Image<HostBuffer> in = rgb("in");
        Image<HostBuffer> map = grey("map");
        over("hazeremoval_transision_map")
                .scalar(width, height)
                .reads(in, slice())
                .writes(map, slice())
                .scalar(0.7f, 0.9f, 0.8f, 0.85f)
                .run();
        Image<HostBuffer> last = map;
        for (String each : List.of("min", "max")) {
            Image<HostBuffer> rows = grey(each + " of rows");
            Image<HostBuffer> box = grey(each);
            run.kernel("hazeremoval_box_" + each + "_x")
                    .range(1, height)
                    .scalar(width, height)
                    .reads(last, slice())
                    .writes(rows, slice())
                    .scalar(3)
                    .run();
            run.kernel("hazeremoval_box_" + each + "_y")
                    .range(width, 1)
                    .undivided()
                    .scalar(width, height)
                    .reads(rows, whole())
                    .writes(box, whole())
                    .scalar(3)
                    .run();
            last = box;
        }
        Image<HostBuffer> out = rgb("out");
        over("hazeremoval_dehaze")
                .scalar(width, height)
                .reads(in, slice())
                .reads(last, slice())
                .writes(out, slice())
                .scalar(0.1f, 0.9f, 0.8f, 0.85f)
                .run();
    }

    /** A blur over rows and one over columns, each with a tile in local memory; weights are given unless it is a box's. */
    private void blur(String prefix, Image<HostBuffer> in, Image<HostBuffer> out, int channels, boolean weighted) {
        int radius = 5;
        HostBuffer weights = run.floats(prefix + " weights", 2 * radius + 1, i -> 0.05 + 0.01 * i);
        Image<HostBuffer> rows = run.picture(prefix + " rows", in.shape().format(), in.width(), in.height());
        for (boolean down : List.of(false, true)) {
            Declared job = over(prefix + (down ? "_vblur" : "_hblur"))
                    .groupSize(down ? 1 : GROUP, down ? GROUP : 1)
                    .reads(down ? rows : in, down ? slice().halo(radius, radius) : slice())
                    .writes(down ? out : rows, slice());
            if (weighted) {
                job.reads(weights, whole());
            }
            job.scalar(radius, width, height, GROUP)
                    .local(ElementType.FLOAT, (long) channels * (GROUP + 2 * radius))
                    .run();
        }
    }

    private void soften() {
        Image<HostBuffer> in = rgb("in");
        Image<HostBuffer> over = rgb("over");
        over("soften_overexposed")
                .reads(in, slice())
                .writes(over, slice())
                .scalar(width, height, 1.2f, 1.4f)
                .run();
        Image<HostBuffer> blurred = rgb("blurred");
        blur("soften", over, blurred, 4, true);
        Image<HostBuffer> out = rgb("out");
        mix("soften_mix", in, blurred, out, width, height, 0.4f);
    }

    private void sharpen() {
        Image<HostBuffer> in = rgb("in");
        Image<HostBuffer> blurred = rgb("blurred");
        blur("sharpen", in, blurred, 1, true);
        mix("sharpen_mix", in, blurred, rgb("out"), width, height, 0.5f, 0.1f);
    }

    private void highpass() {
        Image<HostBuffer> in = rgb("in");
        Image<HostBuffer> inverted = rgb("inverted");
        over("highpass_invert")
                .reads(in, slice())
                .writes(inverted, slice())
                .scalar(width, height)
                .run();
        Image<HostBuffer> blurred = rgb("blurred");
        blur("highpass", inverted, blurred, 1, true);
        mix("highpass_mix", in, blurred, rgb("out"), width, height, 1.5f);
    }

    private void bloom() {
        Image<HostBuffer> in = rgb("in");
        Image<HostBuffer> lights = grey("lights");
        over("bloom_threshold")
                .reads(in, slice())
                .writes(lights, slice())
                .scalar(width, height, 100f, 60f)
                .run();
        Image<HostBuffer> blurred = grey("blurred");
        blur("bloom", lights, blurred, 1, false);
        mix("bloom_mix", in, blurred, rgb("out"), width, height);
    }

    private void mix(
            String kernel, Image<HostBuffer> a, Image<HostBuffer> b, Image<HostBuffer> out, Number... scalars) {
        over(kernel)
                .reads(a, slice())
                .reads(b, slice())
                .writes(out, slice())
                .scalar(scalars)
                .run();
    }

    private void blurs() {
        Image<HostBuffer> kernel = run.picture("kern", R_FLOAT, 7, 7);
        over("convolve")
                .reads(rgb("in"), slice().halo(3, 3))
                .reads(kernel, whole())
                .writes(rgb("out"), slice())
                .scalar(width, height, 3)
                .run();
    }

    private void bspline() {
        Image<HostBuffer> in = rgb("in");
        Image<HostBuffer> columns = rgb("columns");
        int mult = 4; // the distance of the two pixels on either side
        over("blur_2D_Bspline_vertical")
                .reads(in, slice().halo(2L * mult, 2L * mult))
                .writes(columns, slice())
                .scalar(width, height, mult)
                .run();
        Image<HostBuffer> low = rgb("low");
        over("blur_2D_Bspline_horizontal")
                .reads(columns, slice())
                .writes(low, slice())
                .scalar(width, height, mult)
                .run();
        mix("wavelets_detail_level", in, low, rgb("high"), width, height);
    }

    private void atrous() {
        Image<HostBuffer> in = rgb("in");
        Image<HostBuffer> coarse = rgb("coarse");
        Image<HostBuffer> detail = rgb("detail");
        HostBuffer filter = run.floats("filter", 25, i -> 0.04);
        over("eaw_decompose")
                .reads(in, slice().halo(8, 8))
                .writes(coarse, slice())
                .writes(detail, slice())
                .scalar(width, height, 2, 0.5f)
                .reads(filter, whole())
                .run();
        over("eaw_synthesize")
                .writes(rgb("out"), slice())
                .reads(coarse, slice())
                .reads(detail, slice())
                .scalar(width, height, 0.01f, 0.02f, 0.03f, 0f, 1.5f, 1.25f, 1f, 1f)
                .run();
    }

    private void negative() {
        over("negadoctor")
                .reads(rgb("in"), slice())
                .writes(rgb("out"), slice())
                .scalar(width, height)
                .vector(1.1f, 0.5f, 0.3f, 1f)
                .vector(0.7f, 0.8f, 0.9f, 1f)
                .vector(0.1f, 0.2f, 0.3f, 1f)
                .scalar(0.9f, 0.07f, 4f, 0.75f, 0.25f)
                .run();
    }

    private void guided() {
        Image<HostBuffer> guide = rgb("guide");
        Image<HostBuffer> image = grey("image");
        List<Image<HostBuffer>> split = greys("r", "g", "b");
        all(over("guided_filter_split_rgb_image").scalar(width, height).reads(guide, slice()), split, true)
                .scalar(0.9f)
                .run();
        Image<HostBuffer> rows = grey("rows");
        Image<HostBuffer> mean = grey("mean");
        run.kernel("guided_filter_box_mean_x")
                .range(1, height)
                .scalar(width, height)
                .reads(image, slice())
                .writes(rows, slice())
                .scalar(4)
                .run();
        run.kernel("guided_filter_box_mean_y")
                .range(width, 1)
                .undivided()
                .scalar(width, height)
                .reads(rows, whole())
                .writes(mean, whole())
                .scalar(4)
                .run();
        List<Image<HostBuffer>> covariances = greys("cov r", "cov g", "cov b");
        all(
                        over("guided_filter_covariances")
                                .scalar(width, height)
                                .reads(guide, slice())
                                .reads(image, slice()),
                        covariances,
                        true)
                .scalar(0.9f)
                .run();
        List<Image<HostBuffer>> variances = greys("rr", "rg", "rb", "gg", "gb", "bb");
        all(over("guided_filter_variances").scalar(width, height).reads(guide, slice()), variances, true)
                .scalar(0.9f)
                .run();
        Image<HostBuffer> updated = grey("updated");
        over("guided_filter_update_covariance")
                .scalar(width, height)
                .reads(variances.get(0), slice())
                .writes(updated, slice())
                .reads(split.get(0), slice())
                .reads(split.get(1), slice())
                .scalar(0.01f)
                .run();
        List<Image<HostBuffer>> solution = greys("a r", "a g", "a b", "b of all");
        Declared solve = over("guided_filter_solve").scalar(width, height).reads(mean, slice());
        all(all(all(solve, split, false), covariances, false), variances, false);
        all(solve, solution, true).run();
        all(over("guided_filter_generate_result").scalar(width, height).reads(guide, slice()), solution, false)
                .writes(grey("out"), slice())
                .scalar(0.9f, 0f, 1f)
                .run();
    }

    private List<Image<HostBuffer>> greys(String... names) {
        List<Image<HostBuffer>> all = new ArrayList<>();
        for (String each : names) {
            all.add(grey(each));
        }
        return all;
    }

    private static Declared all(Declared job, List<Image<HostBuffer>> images, boolean write) {
        Access own = slice();
        images.forEach(each -> {
            if (write) {
                job.writes(each, own);
            } else {
                job.reads(each, own);
            }
        });
        return job;
    }

    /** A level of a pyramid: which rows of the larger image belong to one of the smaller, and which to its edges, are not the same. */
    private void laplacian() {
        int border = 4;
        Image<HostBuffer> in = rgb("in");
        int wide = width + 2 * border;
        int high = height + 2 * border;
        Image<HostBuffer> padded = run.picture("padded", R_FLOAT, wide, high);
        run.kernel("pad_input")
                .range(wide, high)
                .reads(in, whole())
                .writes(padded, slice())
                .scalar(width, height, border, wide, high)
                .run();
        Image<HostBuffer> coarse = run.picture("coarse", R_FLOAT, (wide + 1) / 2, (high + 1) / 2);
        run.kernel("gauss_reduce")
                .range(coarse.width(), coarse.height())
                .reads(padded, whole())
                .writes(coarse, slice())
                .scalar(coarse.width(), coarse.height())
                .run();
        Image<HostBuffer> fine = run.picture("fine", R_FLOAT, wide, high);
        run.kernel("gauss_expand")
                .range(wide, high)
                .reads(coarse, whole())
                .writes(fine, slice())
                .scalar(wide, high)
                .run();
    }

    private void diffuse() {
        ImageFormat bytes = new ImageFormat(ImageFormat.Channels.R, ImageFormat.Type.UNSIGNED_INT8);
        Image<HostBuffer> in = rgb("in");
        Image<HostBuffer> mask = run.picture("mask", bytes, width, height);
        over("build_mask")
                .reads(in, slice())
                .writes(mask, slice())
                .scalar(0.8f, width, height)
                .run();
        over("inpaint_mask")
                .writes(rgb("out"), slice())
                .reads(in, slice())
                .reads(mask, slice())
                .scalar(width, height)
                .run();
    }
}
