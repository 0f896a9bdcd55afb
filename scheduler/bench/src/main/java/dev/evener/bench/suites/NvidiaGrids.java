package dev.evener.bench.suites;

import static dev.evener.Access.columns;
import static dev.evener.Access.slice;
import static dev.evener.Access.whole;
import static dev.evener.bench.suites.Inputs.noise;
import static dev.evener.bench.suites.Inputs.roundUp;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.KernelSource;
import java.nio.ByteBuffer;
import java.util.List;

/** NVIDIA's samples: pictures, grids, particles. */
@SuppressWarnings("NarrowCalculation") // sizes are small
final class NvidiaGrids {
    private static final String SUITE = Nvidia.SUITE;
    private static final String FOLDER = Nvidia.FOLDER;

    private NvidiaGrids() {}

    static List<Program> programs() {
        return List.of(
                new Program(SUITE, "oclConvolutionSeparable", NvidiaGrids::convolution),
                new Program(SUITE, "oclFDTD3d", NvidiaGrids::fdtd),
                new Program(SUITE, "oclMedianFilter", run -> filter(run, "Median")),
                new Program(SUITE, "oclSobelFilter", run -> filter(run, "Sobel")),
                new Program(SUITE, "oclBoxFilter", NvidiaGrids::boxFilter),
                new Program(SUITE, "oclRecursiveGaussian", NvidiaGrids::recursiveGaussian),
                new Program(SUITE, "oclPostprocessGL", NvidiaGrids::postprocess),
                new Program(SUITE, "oclParticles", NvidiaGrids::particles));
    }

    /** A picture of a word a pixel. */
    private static HostBuffer picture(Run run, String name, int pixels) {
        return run.ints(name, pixels, i -> Inputs.bits(i, 1 << 24));
    }

    /** A picture of four bytes a pixel. */
    private static HostBuffer pixels(Run run, String name, int pixels) {
        HostBuffer made = run.buffer(name, ElementType.UBYTE, 4 * pixels);
        for (int i = 0; i < pixels; i++) {
            Run.bytes(made).putInt(4 * i, Inputs.bits(i, 1 << 24));
        }
        return made;
    }

    /** Compilers of today refuse the function for a size_t. */
    private static KernelSource withMul24(KernelSource text) {
        return text.withMacro("mul24(a, b)", "((a) * (b))");
    }

    private static void convolution(Run run) {
        int width = run.pick(64, 192, 320);
        int height = run.pick(32, 96, 256);
        run.source(run.file(FOLDER + "oclConvolutionSeparable/ConvolutionSeparable.cl")
                .withOptions("-D KERNEL_RADIUS=8 -D ROWS_BLOCKDIM_X=16 -D COLUMNS_BLOCKDIM_X=16 -D ROWS_BLOCKDIM_Y=4"
                        + " -D COLUMNS_BLOCKDIM_Y=8 -D ROWS_RESULT_STEPS=4 -D COLUMNS_RESULT_STEPS=4"
                        + " -D ROWS_HALO_STEPS=1 -D COLUMNS_HALO_STEPS=1"));
        HostBuffer weights = run.floats("c_Kernel", 17, Inputs::noise);
        HostBuffer in = run.floats("d_Input", width * height, i -> noise(-i));
        HostBuffer rows = run.floats("d_Buffer", width * height, i -> 0);
        HostBuffer out = run.floats("d_Output", width * height, i -> 0);
        run.kernel("convolutionRows")
                .range(width / 4, height)
                .jobView()
                .groupSize(16, 4)
                .writes(rows, slice(width))
                .reads(in, slice(width))
                .reads(weights, whole())
                .scalar(width, height, width)
                .run();
        run.kernel("convolutionColumns") // in which a work-item has 4 rows, among those of its group
                .range(width, height / 4)
                .jobView()
                .groupSize(16, 8)
                .writes(out, slice(4 * width))
                .reads(rows, slice(4 * width).halo(2, 2))
                .reads(weights, whole())
                .scalar(width, height, width)
                .run();
    }

    private static void fdtd(Run run) {
        int radius = 4;
        int x = run.pick(32, 40, 64);
        int y = run.pick(16, 24, 64);
        int z = run.pick(4, 5, 16);
        int row = x + 2 * radius;
        int plane = row * (y + 2 * radius);
        run.source(run.file(FOLDER + "oclFDTD3d/FDTD3d.cl")
                .withOptions("-DRADIUS=4 -DMAXWORKX=32 -DMAXWORKY=8 -cl-fast-relaxed-math"));
        HostBuffer one = run.floats("one", plane * (z + 2 * radius), Inputs::noise);
        HostBuffer other = run.floats("other", plane * (z + 2 * radius), Inputs::noise);
        HostBuffer weights = run.floats("coeff", radius + 1, i -> 0.1);
        for (int step = 0; step < 3; step++) {
            run.kernel("FiniteDifferences") // which goes through all planes, so that rows are cut
                    .range(x, y)
                    .groupSize(32, 8)
                    .updates(
                            step % 2 == 0 ? other : one,
                            slice(row).planes(z + 2 * radius).from(radius * row))
                    .reads(
                            step % 2 == 0 ? one : other,
                            slice(row).planes(z + 2 * radius).from(radius * row).halo(radius, radius))
                    .reads(weights, whole())
                    .scalar(x, y, z, 0)
                    .run();
        }
    }

    private static void filter(Run run, String kind) {
        int width = run.pick(32, 80, 160);
        int height = run.pick(16, 44, 200);
        run.source(withMul24(run.file(FOLDER + "ocl" + kind + "Filter/" + kind + "Filter.cl")));
        HostBuffer in = pixels(run, "uc4Source", width * height);
        HostBuffer out = run.ints("uiDest", width * height, i -> 0);
        Declared kernel = run.kernel("ck" + kind)
                .range(width, height)
                .jobView()
                .groupSize(16, 4)
                .reads(in, slice(4 * width).halo(1, 1))
                .writes(out, slice(width))
                .local(ElementType.UBYTE, 4 * 18 * 6)
                .scalar(18, width, height);
        if (kind.equals("Sobel")) {
            kernel.scalar(80f);
        }
        kernel.run();
    }

    private static void boxFilter(Run run) {
        int width = run.pick(64, 150, 256);
        int height = run.pick(32, 45, 200);
        int radius = 7;
        int each = 64; // pixels of a group
        int group = 16 + each + radius; // with those beside, of which the left ones are aligned
        run.source(run.file(FOLDER + "oclBoxFilter/BoxFilter.cl").withOptions("-DUSELMEM"));
        HostBuffer in = pixels(run, "uc4Source", width * height);
        HostBuffer rows = run.ints("rows", width * height, i -> 0);
        HostBuffer out = run.ints("out", width * height, i -> 0);
        float scale = 1.0f / (2 * radius + 1);
        run.kernel("BoxRowsLmem")
                .range(roundUp(width, each) / each * group, height)
                .jobView()
                .groupSize(group, 1)
                .reads(in, slice(4 * width))
                .writes(rows, slice(width))
                .local(ElementType.UBYTE, 4 * group)
                .scalar(width, height, radius, 16, scale, each)
                .run();
        run.kernel("BoxColumns")
                .units(width)
                .reads(rows, columns(width))
                .writes(out, columns(width))
                .scalar(width, height, radius, scale)
                .run();
    }

    private static void recursiveGaussian(Run run) {
        int width = run.pick(32, 77, 256);
        int height = run.pick(24, 61, 200);
        run.source(withMul24(run.file(FOLDER + "oclRecursiveGaussian/RecursiveGaussian.cl")));
        HostBuffer in = picture(run, "uiDataIn", width * height);
        HostBuffer simple = run.ints("simple", width * height, i -> 0);
        HostBuffer blurred = run.ints("blurred", width * height, i -> 0);
        HostBuffer turned = run.ints("turned", width * height, i -> 0);
        run.kernel("SimpleRecursiveRGBA")
                .units(width)
                .groupSize(32)
                .reads(in, columns(width))
                .writes(simple, columns(width))
                .scalar(width, height, 0.3f)
                .run();
        Declared gauss = run.kernel("RecursiveGaussianRGBA")
                .units(width)
                .groupSize(32)
                .reads(in, columns(width))
                .writes(blurred, columns(width))
                .scalar(width, height);
        for (float weight : new float[] {0.11f, 0.05f, 0.06f, -0.01f, -1.2f, 0.36f, 0.5f, 0.5f}) {
            gauss.scalar(weight);
        }
        gauss.run();
        run.kernel("Transpose")
                .range(width, height)
                .jobView()
                .groupSize(16, 16)
                .reads(blurred, slice(width))
                .writes(turned, columns(height))
                .scalar(width, height)
                .local(ElementType.INT, 16 * 17)
                .run();
    }

    private static void postprocess(Run run) {
        int width = run.pick(32, 80, 160);
        int height = run.pick(16, 48, 192);
        int radius = 3;
        run.file(FOLDER + "oclPostprocessGL/postprocessGL.cl");
        HostBuffer in = picture(run, "g_data", width * height);
        HostBuffer out = run.ints("g_odata", width * height, i -> 0);
        run.kernel("postprocess")
                .range(width, height)
                .jobView()
                .groupSize(16, 16)
                .reads(in, slice(width).halo(radius, radius))
                .writes(out, slice(width))
                .scalar(width, height, 16 + 2 * radius, radius, 0.8f, 4.0f)
                .local(ElementType.INT, (16 + 2 * radius) * (16 + 2 * radius))
                .run();
    }

    /** What a step of the simulation does; the order of cells, which a sort finds there, is that of the input here. */
    private static void particles(Run run) {
        int n = run.pick(500, 1777, 8000);
        int cells = 8 * 8 * 8;
        run.file(FOLDER + "oclParticles/Particles.cl");
        HostBuffer at = run.floats("d_Pos", 4 * n, i -> 2 * noise(i) - 1);
        HostBuffer speed = run.floats("d_Vel", 4 * n, i -> noise(-i) - 0.5);
        HostBuffer hash = run.ints("d_Hash", n, i -> 0);
        HostBuffer index = run.ints("d_Index", n, i -> 0);
        HostBuffer sorted = run.ints("sorted", n, i -> (int) ((long) i * cells / n));
        HostBuffer start = run.ints("d_CellStart", cells, i -> 0);
        HostBuffer end = run.ints("d_CellEnd", cells, i -> 0);
        HostBuffer orderedAt = run.floats("d_ReorderedPos", 4 * n, i -> 0);
        HostBuffer orderedSpeed = run.floats("d_ReorderedVel", 4 * n, i -> 0);
        HostBuffer parameters = run.buffer("params", ElementType.BYTE, 4 * 26);
        ByteBuffer bytes = Run.bytes(parameters);
        for (float each : new float[] {-1.2f, -0.8f, 0.8f, 0.2f, 0, -0.0003f, 0, 1.0f, 1 / 64f}) {
            bytes.putFloat(each);
        }
        bytes.putInt(8).putInt(8).putInt(8).putInt(cells);
        for (float each : new float[] {-1, -1, -1, 0.25f, 0.25f, 0.25f}) {
            bytes.putFloat(each);
        }
        bytes.putInt(n).putInt(32);
        for (float each : new float[] {0.5f, 0.02f, 0.1f, 0, -0.5f}) {
            bytes.putFloat(each);
        }
        run.kernel("integrate")
                .units(n)
                .groupSize(64)
                .updates(at, slice(4))
                .updates(speed, slice(4))
                .reads(parameters, whole())
                .scalar(0.5f, n)
                .run();
        run.kernel("calcHash")
                .units(n)
                .groupSize(64)
                .writes(hash, slice(1))
                .writes(index, slice(1))
                .reads(at, slice(4))
                .reads(parameters, whole())
                .scalar(n)
                .run();
        run.kernel("Memset")
                .units(cells)
                .groupSize(64)
                .writes(start, slice(1))
                .scalar(-1, cells)
                .run();
        run.kernel("findCellBoundsAndReorder") // which writes to the cells of its particles, whose number only it knows
                .units(n)
                .undivided()
                .groupSize(64)
                .updates(start, whole())
                .updates(end, whole())
                .writes(orderedAt, whole())
                .writes(orderedSpeed, whole())
                .reads(sorted, whole())
                .reads(index, whole())
                .reads(at, whole())
                .reads(speed, whole())
                .local(ElementType.INT, 65)
                .scalar(n)
                .run();
        run.kernel("collide") // which writes to its particle's place before the sort
                .units(n)
                .undivided()
                .groupSize(64)
                .updates(speed, whole())
                .reads(orderedAt, whole())
                .reads(orderedSpeed, whole())
                .reads(index, whole())
                .reads(start, whole())
                .reads(end, whole())
                .reads(parameters, whole())
                .scalar(n)
                .run();
    }
}
