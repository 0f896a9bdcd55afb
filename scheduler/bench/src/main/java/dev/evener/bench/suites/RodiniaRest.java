package dev.evener.bench.suites;

import static dev.evener.Access.columns;
import static dev.evener.Access.slice;
import static dev.evener.Access.slices;
import static dev.evener.Access.whole;
import static dev.evener.bench.suites.Inputs.group;
import static dev.evener.bench.suites.Rodinia.FOLDER;
import static dev.evener.bench.suites.Rodinia.any;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Variant;
import java.nio.IntBuffer;
import java.util.List;

/** Rodinia's backprop, dwt2d, myocyte and leukocyte. */
@SuppressWarnings("NarrowCalculation") // sizes are small
final class RodiniaRest {
    private RodiniaRest() {}

    static List<Program> programs() {
        return List.of(
                new Program("Rodinia", "backprop", RodiniaRest::backprop),
                new Program("Rodinia", "dwt2d", RodiniaRest::wavelets),
                new Program("Rodinia", "myocyte", RodiniaRest::myocyte),
                new Program("Rodinia", "leukocyte", RodiniaRest::leukocyte));
    }

    private static void backprop(Run run) {
        int hidden = 16;
        int in = run.pick(32, 80 * 16, 4096);
        int width = hidden + 1;
        run.file(FOLDER + "backprop/backprop_kernel.cl");
        HostBuffer input = run.floats("input", in + 1, i -> any(i, 100) * 0.01);
        HostBuffer weights = run.floats("weights", (in + 1) * width, i -> any(i, 100) * 0.01 - 0.5);
        HostBuffer output = run.floats("output", width, i -> 0);
        run.kernel("bpnn_layerforward_ocl")
                .range(hidden, in)
                .groupSize(hidden, hidden)
                .reads(input, slice(1).from(1))
                .reads(output, whole())
                .updates(weights, slice(width).from(width))
                .writes(run.floats("sums", in, i -> 0), slice(1))
                .local(ElementType.FLOAT, hidden)
                .local(ElementType.FLOAT, hidden * hidden)
                .scalar(in, hidden)
                .run();
        // The first group writes the first row, which is no unit's, beside its own.
        run.kernel("bpnn_adjust_weights_ocl")
                .range(hidden, in)
                .undivided()
                .groupSize(hidden, hidden)
                .reads(run.floats("delta", width, i -> any(i, 100) * 0.01), whole())
                .scalar(hidden)
                .reads(input, whole())
                .scalar(in)
                .updates(weights, whole())
                .updates(run.floats("before", (in + 1) * width, i -> any(i, 100) * 0.001), whole())
                .run();
    }

    private static void wavelets(Run run) {
        int width = run.pick(64, 132, 256);
        int height = run.pick(96, 112, 192);
        int pixels = width * height;
        run.file(FOLDER + "dwt2d/com_dwt.cl");
        HostBuffer picture = run.buffer("picture", ElementType.UBYTE, (pixels + 255L) / 256 * 256 * 3);
        for (int i = 0; i < 3 * pixels; i++) {
            Run.bytes(picture).put(i, (byte) any(i, 256));
        }
        HostBuffer[] colors = new HostBuffer[3];
        for (int k = 0; k < 3; k++) {
            colors[k] = run.ints("color" + k, pixels, i -> 0);
        }
        run.kernel("c_CopySrcToComponents")
                .units(pixels)
                .jobView()
                .groupSize(256)
                .writes(colors[0], slice(1))
                .writes(colors[1], slice(1))
                .writes(colors[2], slice(1))
                .reads(picture, slice(3))
                .scalar(pixels)
                .run();
        for (int k = 0; k < 3; k++) {
            HostBuffer out = run.ints("out" + k, pixels, i -> 0);
            transform(run, colors[k], out, width, height);
            IntBuffer low = out.ints().limit(pixels / 4);
            colors[k].put(0, low);
            transform(run, colors[k], out, width / 2, height / 2);
        }
    }

    /** A unit is a group's rows; a quarter of the numbers goes to each of four bands, which lie one behind the other. */
    private static void transform(Run run, HostBuffer in, HostBuffer out, int width, int height) {
        int window = 8;
        int steps = (height + 15 * window - 1) / (15 * window);
        int rows = window * steps;
        run.kernel("cl_fdwt53Kernel")
                .range(width, height / rows)
                .jobView()
                .groupSize(64, 1)
                .reads(
                        in.range(0, (long) width * height),
                        slice((long) width * rows).halo(1, 1))
                .writes(
                        out.range(0, (long) width * height),
                        slice((long) width * rows / 4).planes(4))
                .scalar(width, height, steps, 64, window)
                .run();
    }

    /** Two groups, of which each has one work-item do half of a cell's equations. */
    private static void myocyte(Run run) {
        run.file(FOLDER + "myocyte/kernel/kernel_gpu_opencl.cl");
        int seed = run.size;
        HostBuffer before = run.floats("before", 91, i -> any(i + seed, 100) * 0.002 + 0.1);
        HostBuffer after = run.floats("after", 91, i -> 0);
        HostBuffer parameters = run.floats("parameters", 18, i -> any(i, 100) * 0.01 + 0.1);
        HostBuffer common = run.floats("common", 3, i -> 0);
        for (int time = 0; time < 3; time++) {
            run.kernel("kernel_gpu_opencl")
                    .units(4)
                    .undivided()
                    .groupSize(2)
                    .scalar(time)
                    .reads(before, whole())
                    .updates(after, whole())
                    .reads(parameters, whole())
                    .updates(common, whole())
                    .run();
        }
    }

    /** Built without images, as its host code can be. */
    private static void leukocyte(Run run) {
        int border = 22;
        int points = 150;
        int width = run.pick(76, 101, 172);
        int height = run.pick(70, 79, 120);
        int innerWidth = width - 2 * border;
        int innerHeight = height - 2 * border;
        int element = 25; // rows and columns of what it is dilated with
        run.file(FOLDER + "leukocyte/find_ellipse_kernel.cl");
        HostBuffer gicov = run.floats("gicov", width * height, i -> 0);
        run.kernel("GICOV_kernel")
                .units(innerHeight)
                .jobView()
                .variant(Variant.itemsPerUnit(innerWidth).withGroupSize(256))
                .scalar(width)
                .reads(run.floats("gradX", width * height, i -> any(i, 100) * 0.02 - 1), whole())
                .reads(run.floats("gradY", width * height, i -> any(i + 7, 100) * 0.02 - 1), whole())
                .reads(run.floats("sine", points, i -> Math.sin(Math.PI * 2 * i / points)), whole())
                .reads(run.floats("cosine", points, i -> Math.cos(Math.PI * 2 * i / points)), whole())
                .reads(run.ints("tX", 7 * points, i -> any(i, 41) - 20), whole())
                .reads(run.ints("tY", 7 * points, i -> any(i + 7, 41) - 20), whole())
                .updates(gicov, slice(width).from((long) border * width))
                .scalar(innerWidth, innerHeight)
                .run();
        // Transposes what it finds.
        run.kernel("dilate_kernel")
                .units(height)
                .jobView()
                .variant(Variant.itemsPerUnit(width).withGroupSize(176))
                .scalar(width, height, element, element)
                .reads(run.floats("element", element * element, i -> any(i, 3)), whole())
                .reads(gicov, slice(width).halo(element / 2, element / 2))
                .writes(run.floats("dilated", width * height, i -> 0), columns(height))
                .run();
        int cells = run.pick(2, 3, 5);
        HostBuffer rows = run.ints("m", cells, i -> 41 - 2 * i);
        HostBuffer columns = run.ints("n", cells, i -> 81 - 3 * i);
        HostBuffer offsets = run.ints("offsets", cells + 1, i -> 0);
        int all = 0;
        for (int i = 0; i < cells; i++) {
            all += rows.ints().get(i) * columns.ints().get(i);
            offsets.ints().put(i + 1, all);
        }
        run.file(FOLDER + "leukocyte/track_ellipse_kernel.cl");
        run.kernel("IMGVF_kernel")
                .units(cells)
                .jobView()
                .variant(group(256))
                .updates(run.floats("IMGVF", all, i -> any(i, 100) * 0.01), slices(offsets.ints()))
                .reads(run.floats("I", all, i -> any(i, 100) * 0.01), slices(offsets.ints()))
                .reads(offsets, slice(1))
                .reads(rows, slice(1))
                .reads(columns, slice(1))
                .scalar(1f, 0.5f, 0.01f, 4, 1e-4f)
                .run();
    }
}
