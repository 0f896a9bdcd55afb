package dev.evener.bench.suites;

import static dev.evener.Access.columns;
import static dev.evener.Access.slice;
import static dev.evener.Access.whole;
import static dev.evener.bench.suites.Inputs.group;
import static dev.evener.bench.suites.Inputs.noise;

import dev.evener.Access.Reduction;
import dev.evener.ElementType;
import dev.evener.HostBuffer;
import java.util.List;

/** Parboil's programs, in their plain OpenCL form. */
@SuppressWarnings("NarrowCalculation") // sizes are small
final class Parboil {
    private static final String SUITE = "Parboil";
    private static final String FOLDER = "Parboil/benchmarks/";

    private Parboil() {}

    static List<Program> programs() {
        return List.of(
                new Program(SUITE, "sgemm", Parboil::sgemm),
                new Program(SUITE, "spmv", Parboil::spmv),
                new Program(SUITE, "stencil", Parboil::stencil),
                new Program(SUITE, "cutcp", Parboil::cutcp),
                new Program(SUITE, "mri-q", Parboil::mriQ),
                new Program(SUITE, "tpacf", Parboil::tpacf),
                new Program(SUITE, "imghisto", Parboil::imgHisto),
                new Program(SUITE, "histo", Parboil::histo),
                new Program(SUITE, "lbm", Parboil::lbm),
                new Program(SUITE, "sad", Parboil::sad),
                new Program(SUITE, "fft", Parboil::fft),
                new Program(SUITE, "bfs", Parboil::bfs));
    }

    private static void sgemm(Run run) {
        int m = 16 * run.pick(3, 7, 16);
        int n = 16 * run.pick(2, 5, 13);
        int k = run.pick(32, 71, 200);
        run.file(FOLDER + "sgemm/src/opencl_base/kernel.cl");
        HostBuffer a = run.floats("A", m * k, Inputs::noise);
        HostBuffer b = run.floats("B", n * k, i -> noise(-i));
        HostBuffer c = run.floats("C", m * n, i -> noise(3 * i));
        run.kernel("mysgemmNT")
                .range(m, n)
                .groupSize(16, 16)
                .reads(a, whole())
                .scalar(m)
                .reads(b, columns(n))
                .scalar(n)
                .updates(c, slice(m))
                .scalar(m, k, 1.0f, 0.5f)
                .run();
    }

    private static void spmv(Run run) {
        int n = run.pick(320, 1111, 8000);
        int longest = 9;
        int padded = Inputs.roundUp(n, 32);
        run.file(FOLDER + "spmv/src/opencl_base/kernel.cl");
        HostBuffer out = run.floats("dst_vector", n, i -> 0);
        HostBuffer data = run.floats("d_data", longest * padded, Inputs::noise);
        HostBuffer index = run.ints("d_index", longest * padded, i -> Inputs.bits(i, n));
        HostBuffer order = run.ints("d_perm", n, i -> n - 1 - i);
        HostBuffer in = run.floats("x_vec", n, i -> noise(-i));
        HostBuffer begins = run.ints("jds_ptr_int", longest, i -> i * padded);
        HostBuffer depth = run.ints("sh_zcnt_int", padded / 32, i -> longest - i * longest / (padded / 32));
        run.kernel("spmv_jds_naive") // which writes each row's sum to where the row was before it was sorted
                .units(n)
                .undivided()
                .groupSize(192)
                .writes(out, whole())
                .reads(data, whole())
                .reads(index, whole())
                .reads(order, whole())
                .reads(in, whole())
                .scalar(n)
                .reads(begins, whole())
                .reads(depth, whole())
                .run();
    }

    private static void stencil(Run run) {
        int x = run.pick(34, 45, 130);
        int y = run.pick(10, 19, 34);
        int z = run.pick(6, 11, 34);
        run.file(FOLDER + "stencil/src/opencl_base/kernel.cl");
        HostBuffer[] grids = {run.floats("A0", x * y * z, Inputs::noise), run.floats("Anext", x * y * z, Inputs::noise)
        };
        for (int step = 0; step < 4; step++) {
            run.kernel("naive_kernel")
                    .range(x - 2, y - 2, z - 2)
                    .groupSize(32, 1, 1)
                    .scalar(1 / 6f, 1 / 36f)
                    .reads(grids[step % 2], slice(x * y).from(x * y).halo(1, 1))
                    .updates(grids[1 - step % 2], slice(x * y).from(x * y))
                    .scalar(x, y, z)
                    .run();
        }
    }

    /** Regions of 8 points in each direction, each as large as a bin of 8 atoms; a launch for each plane of them. */
    private static void cutcp(Run run) {
        int width = run.pick(2, 3, 4);
        int height = run.pick(3, 5, 8);
        int planes = run.pick(2, 2, 3);
        int binsX = width + 2; // one more on each side
        int binsY = height + 2;
        run.file(FOLDER + "cutcp/src/opencl_base/kernel.cl");
        HostBuffer bins = run.floats(
                "binBase",
                32 * binsX * binsY * (planes + 2),
                i -> i % 4 == 3 ? noise(i) - 0.5 : 4 * axis(i, binsX, binsY));
        HostBuffer lattice = run.floats("regionZero", 512 * width * height * planes, i -> 0);
        HostBuffer count = run.ints("NbrListLen", 1, i -> 27);
        HostBuffer near = run.ints("NbrList", 4 * 27, i -> i % 4 == 3 ? 0 : i / 4 / (int) Math.pow(3, i % 4) % 3 - 1);
        for (int z = 0; z < planes; z++) {
            run.kernel("opencl_cutoff_potential_lattice")
                    .range(4 * 8 * width, 8 * height, 2)
                    .along(1)
                    .groupSize(8, 8, 2)
                    .scalar(binsX, binsY)
                    .reads(bins, whole())
                    .scalar(8 * ((binsY + 1) * binsX + 1), 0.5f, 16.0f, 1 / 16.0f)
                    .writes(lattice, slice(64 * width).from(z * 512 * width * height))
                    .scalar(z)
                    .reads(count, whole())
                    .reads(near, whole())
                    .run();
        }
    }

    /** A place within its bin along the axis of this number. */
    private static double axis(int i, int binsX, int binsY) {
        int bin = i / 32;
        int at = i % 4 == 0 ? bin % binsX : i % 4 == 1 ? bin / binsX % binsY : bin / (binsX * binsY);
        return at - 1 + noise(i);
    }

    private static void mriQ(Run run) {
        int samples = run.pick(300, 777, 1500);
        int n = 256 * run.pick(2, 3, 8);
        int each = 1024; // samples of a launch
        run.file(FOLDER + "mri-q/src/opencl_base/kernels.cl");
        HostBuffer real = run.floats("phiR", samples, Inputs::noise);
        HostBuffer imaginary = run.floats("phiI", samples, i -> noise(-i));
        HostBuffer size = run.floats("phiMag", samples, i -> 0);
        run.kernel("ComputePhiMag_GPU")
                .units(samples)
                .groupSize(256)
                .reads(real, slice(1))
                .reads(imaginary, slice(1))
                .writes(size, slice(1))
                .scalar(samples)
                .run();
        HostBuffer[] at = new HostBuffer[3];
        for (int i = 0; i < 3; i++) {
            int axis = i;
            at[i] = run.floats("xyz" + i, n, j -> noise(3 * j + axis));
        }
        HostBuffer qr = run.floats("Qr", n, i -> 0);
        HostBuffer qi = run.floats("Qi", n, i -> 0);
        for (int from = 0; from < samples; from += each) {
            int first = from;
            HostBuffer values = run.floats("ck" + from, 4 * each, i -> noise(i + first));
            run.kernel("ComputeQ_GPU")
                    .units(n)
                    .jobView()
                    .groupSize(256)
                    .scalar(samples, from)
                    .reads(at[0], slice(1))
                    .reads(at[1], slice(1))
                    .reads(at[2], slice(1))
                    .updates(qr, slice(1))
                    .updates(qi, slice(1))
                    .reads(values, whole())
                    .run();
        }
    }

    private static void tpacf(Run run) {
        int sets = run.pick(3, 6, 10);
        int points = run.pick(100, 301, 400);
        run.file(FOLDER + "tpacf/src/opencl_base/kernel.cl");
        HostBuffer histograms = run.ints("histograms", 20 * (2 * sets + 1), i -> 0);
        HostBuffer data = run.floats("all_x_data", 3 * points * (sets + 1), i -> 1.1 * noise(i) - 0.5);
        HostBuffer bounds = run.floats("dev_binb", 21, i -> 1 - 0.1 * i);
        run.kernel("gen_hists")
                .units(2 * sets + 1)
                .jobView()
                .variant(group(256))
                .writes(histograms, slice(20))
                .reads(data, whole())
                .reads(bounds, whole())
                .scalar(sets, points)
                .run();
    }

    private static void imgHisto(Run run) {
        int groups = run.pick(4, 15, 30);
        int n = run.pick(5000, 33_333, 200_000);
        int bins = 256;
        run.file(FOLDER + "imghisto/src/opencl_base/kernel.cl");
        HostBuffer histogram = run.ints("histo", bins, i -> 0);
        HostBuffer data = run.ints("data", n, i -> Inputs.bits(i, 4096));
        run.kernel("histo_R_per_block_kernel")
                .units(groups)
                .jobView()
                .variant(group(256))
                .accumulates(histogram, Reduction.SUM)
                .reads(data, whole())
                .local(ElementType.INT, bins)
                .scalar(n, bins)
                .run();
    }

    private static void histo(Run run) {
        int width = run.pick(64, 99, 300);
        int height = run.pick(20, 51, 200);
        int bins = run.pick(32, 77, 200);
        run.file(FOLDER + "histo/src/opencl_naive/histo_intermediates.cl");
        HostBuffer in = run.ints("input", width * height, i -> Inputs.bits(i, bins * bins) * Inputs.bits(-i, 4) / 4);
        HostBuffer counts = run.ints("global_subhisto", bins * bins, i -> 0);
        HostBuffer out = run.buffer("final_histo", ElementType.UBYTE, bins * bins);
        run.kernel("histo_intermediates_kernel") // which stops to count where it sees 255: no sum of what devices count
                .units(64 * height)
                .undivided()
                .groupSize(64)
                .reads(in, whole())
                .scalar(width)
                .updates(counts, whole())
                .run();
        run.file(FOLDER + "histo/src/opencl_naive/histo_final.cl");
        run.kernel("histo_final_kernel")
                .units(bins * bins)
                .jobView()
                .groupSize(256)
                .scalar(bins, bins)
                .reads(counts, slice(1))
                .writes(out, slice(1))
                .run();
    }

    /** Its header sets the width and height of planes, but their number stands in the host alone. */
    private static void lbm(Run run) {
        int x = 120;
        int y = 120;
        int z = run.pick(3, 5, 8);
        int plane = 20 * 128 * y;
        run.file(FOLDER + "lbm/src/opencl_base/kernel.cl");
        HostBuffer[] grids = new HostBuffer[2];
        for (int i = 0; i < 2; i++) {
            grids[i] = run.floats("grid" + i, plane * (z + 4), j -> weight(j % 20) * (1 + 0.1 * noise(j)));
            for (int cell = 0; cell < plane * (z + 4) / 20; cell++) {
                int at = cell % (plane / 20);
                boolean border = at % 128 == 0 || at % 128 == x - 1 || at / 128 == 0 || at / 128 == y - 1;
                Run.bytes(grids[i]).putInt(4 * (20 * cell + 19), border ? 1 : cell % 31 == 0 ? 2 : 0);
            }
        }
        for (int step = 0; step < 2; step++) {
            run.kernel("performStreamCollide_kernel")
                    .range(x * y, z)
                    .groupSize(x, 1) // above the first row of a plane lies the last but one plane
                    .reads(grids[step % 2], slice(plane).from(2 * plane).halo(2, 2))
                    .updates(grids[1 - step % 2], slice(plane).from(2 * plane))
                    .run();
        }
    }

    private static double weight(int entry) {
        return entry == 0 ? 1 / 3.0 : entry < 7 ? 1 / 18.0 : 1 / 36.0;
    }

    private static void sad(Run run) {
        int width = run.pick(2, 3, 4); // in blocks of 16 pixels
        int height = run.pick(2, 3, 5);
        int padded = 1096;
        int blocks = width * height;
        run.file(FOLDER + "sad/src/opencl_base/kernel.cl");
        HostBuffer sums = run.buffer("blk_sad", ElementType.USHORT, 41L * padded * blocks);
        HostBuffer frame = pixels(run, "frame", 256 * blocks, 1);
        HostBuffer reference = pixels(run, "img_ref", 256 * blocks, -1);
        run.kernel("mb_sad_calc") // four rows of groups have a row of blocks
                .range(61 * 4 * width, 4 * height)
                .granule(4)
                .groupSize(61, 1)
                .updates(sums, slice(4L * width * padded).from(25L * blocks * padded))
                .reads(frame, whole())
                .scalar(width, height)
                .reads(reference, whole())
                .run();
        run.kernel("larger_sad_calc_8") // which has parts of four sizes in one buffer
                .range(32 * width, 4 * height)
                .undivided()
                .groupSize(32, 4)
                .updates(sums, whole())
                .scalar(width, height)
                .run();
        run.kernel("larger_sad_calc_16")
                .range(32 * width, height)
                .undivided()
                .groupSize(32, 1)
                .updates(sums, whole())
                .scalar(width, height)
                .run();
    }

    private static HostBuffer pixels(Run run, String name, int count, int sign) {
        HostBuffer made = run.buffer(name, ElementType.USHORT, count);
        for (int i = 0; i < count; i++) {
            Run.bytes(made).putShort(2 * i, (short) Inputs.bits(sign * i, 256));
        }
        return made;
    }

    private static void fft(Run run) {
        int n = run.pick(64, 128, 256);
        int count = run.pick(4, 13, 60);
        run.file(FOLDER + "fft/src/opencl_base/fft_kernel.cl");
        HostBuffer[] data = {
            run.floats("data0", 2 * n * count, Inputs::noise), run.floats("data1", 2 * n * count, i -> 0)
        };
        for (int size = 1, step = 0; size < n; size *= 2, step++) {
            run.kernel("GPU_FFT_Global")
                    .units(count)
                    .jobView()
                    .variant(group(n / 2))
                    .scalar(size)
                    .reads(data[step % 2], slice(2 * n))
                    .writes(data[1 - step % 2], slice(2 * n))
                    .scalar(n)
                    .run();
        }
    }

    private static void bfs(Run run) {
        int n = run.pick(200, 999, 3000);
        run.file(FOLDER + "bfs/src/opencl_base/kernel.cl");
        HostBuffer[] queues = {run.ints("q1", n, i -> 0), run.ints("q2", n, i -> 0)};
        HostBuffer nodes = run.ints("g_graph_nodes", 2 * n, i -> i % 2 == 0 ? 3 * (i / 2) : 3);
        HostBuffer edges =
                run.ints("g_graph_edges", 6 * n, i -> i % 2 == 0 ? Inputs.bits(i, n) : 1 + Inputs.bits(i, 9));
        HostBuffer color = run.ints("g_color", n, i -> i == 0 ? 16677219 : 16677217);
        HostBuffer cost = run.ints("g_cost", n, i -> i == 0 ? 0 : Integer.MAX_VALUE);
        HostBuffer tail = run.ints("tail", 1, i -> 1);
        for (int level = 0; Run.bytes(tail).getInt(0) > 0 && level < 12; level++) {
            int length = Run.bytes(tail).getInt(0);
            Run.bytes(tail).putInt(0, 0);
            run.kernel("BFS_kernel") // which appends what it finds to a queue that all have in common
                    .units(length)
                    .undivided()
                    .groupSize(Math.min(length, 256))
                    .reads(queues[level % 2], whole())
                    .updates(queues[1 - level % 2], whole())
                    .reads(nodes, whole())
                    .reads(edges, whole())
                    .updates(color, whole())
                    .updates(cost, whole())
                    .updates(tail, whole())
                    .scalar(length, level % 2 == 0 ? 16677219 : 16677220, level)
                    .local(ElementType.INT, 1)
                    .local(ElementType.INT, 1600)
                    .local(ElementType.INT, 1)
                    .run();
        }
    }
}
