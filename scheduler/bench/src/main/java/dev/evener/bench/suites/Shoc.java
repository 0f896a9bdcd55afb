package dev.evener.bench.suites;

import static dev.evener.Access.columns;
import static dev.evener.Access.slice;
import static dev.evener.Access.whole;
import static dev.evener.bench.suites.Inputs.group;
import static dev.evener.bench.suites.Inputs.noise;

import dev.evener.Access.Reduction;
import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.KernelSource;
import dev.evener.Variant;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** SHOC's OpenCL programs. */
@SuppressWarnings("NarrowCalculation") // sizes are small
final class Shoc {
    static final String SUITE = "SHOC";
    static final String FOLDER = "shoc/src/opencl/";
    private static final String LEVEL1 = FOLDER + "level1/";

    private Shoc() {}

    static List<Program> programs() {
        return List.of(
                new Program(SUITE, "Triad", Shoc::triad),
                new Program(SUITE, "Reduction", Shoc::reduction),
                new Program(SUITE, "Scan", Shoc::scan),
                new Program(SUITE, "Sort", Shoc::sort),
                new Program(SUITE, "MD", Shoc::md),
                new Program(SUITE, "GEMM", Shoc::gemm),
                new Program(SUITE, "FFT", Shoc::fft),
                new Program(SUITE, "Stencil2D", Shoc::stencil2d),
                new Program(SUITE, "Spmv", Shoc::spmv),
                new Program(SUITE, "BFS", Shoc::bfs));
    }

    private static KernelSource single(Run run, String file) {
        KernelSource text = run.file(LEVEL1 + file).withOptions("-DSINGLE_PRECISION");
        run.source(text);
        return text;
    }

    /** Its text stands between the quotes of its host code. */
    private static void triad(Run run) {
        String host = run.file(LEVEL1 + "triad/Triad.cpp").text();
        String lines = host.substring(host.indexOf("mTriadCLSource[]"));
        run.source(KernelSource.of(
                "Triad",
                Pattern.compile("\"(.*)\"")
                        .matcher(lines.substring(0, lines.indexOf("};")))
                        .results()
                        .map((MatchResult line) -> line.group(1))
                        .collect(Collectors.joining("\n"))));
        int n = run.pick(1024, 12_800, 100_096);
        HostBuffer a = run.floats("memA", n, Inputs::noise);
        HostBuffer b = run.floats("memB", n, i -> noise(-i));
        HostBuffer c = run.floats("memC", n, i -> 0);
        run.kernel("Triad")
                .units(n)
                .groupSize(128)
                .reads(a, slice(1))
                .reads(b, slice(1))
                .writes(c, slice(1))
                .scalar(1.75f)
                .run();
    }

    private static void reduction(Run run) {
        int groups = 64;
        int n = 512 * run.pick(16, 77, 300);
        single(run, "reduction/reduction.cl");
        HostBuffer in = run.floats("d_idata", n, Inputs::noise);
        HostBuffer out = run.floats("d_odata", groups, i -> 0);
        run.kernel("reduce") // whose groups take what lies a whole launch apart
                .units(groups)
                .jobView()
                .variant(group(256))
                .reads(in, whole())
                .writes(out, slice(1))
                .local(ElementType.FLOAT, 256)
                .scalar(n)
                .run();
    }

    private static void scan(Run run) {
        int groups = 64;
        int n = 4 * groups * run.pick(16, 77, 500);
        int region = n / groups; // no rest, which the last group would get
        single(run, "scan/scan.cl");
        HostBuffer in = run.floats("d_idata", n, Inputs::noise);
        HostBuffer sums = run.floats("d_isums", groups, i -> 0);
        HostBuffer out = run.floats("d_odata", n, i -> 0);
        run.kernel("reduce")
                .units(groups)
                .jobView()
                .variant(group(256))
                .reads(in, slice(region))
                .writes(sums, slice(1))
                .scalar(n)
                .local(ElementType.FLOAT, 256)
                .run();
        run.kernel("top_scan") // one group
                .units(256)
                .undivided()
                .groupSize(256)
                .updates(sums, whole())
                .scalar(groups)
                .local(ElementType.FLOAT, 512)
                .run();
        run.kernel("bottom_scan")
                .units(groups)
                .jobView()
                .variant(group(256))
                .reads(in, slice(region))
                .reads(sums, slice(1))
                .writes(out, slice(region))
                .scalar(n)
                .local(ElementType.FLOAT, 512)
                .run();
    }

    private static void sort(Run run) {
        int groups = 64;
        int n = 4 * groups * run.pick(4, 19, 100);
        run.plain(LEVEL1 + "sort/sort.cl"); // of top_scan PoCL makes something else, with or without Evener
        HostBuffer[] keys = {
            run.ints("d_idata", n, i -> Inputs.bits(i, Integer.MAX_VALUE)), run.ints("d_odata", n, i -> 0)
        };
        HostBuffer sums = run.ints("d_isums", 16 * groups, i -> 0);
        for (int shift = 0; shift < 32; shift += 4) {
            HostBuffer in = keys[shift / 4 % 2];
            run.kernel("reduce")
                    .units(groups)
                    .jobView()
                    .variant(group(256))
                    .reads(in, slice(n / groups))
                    .writes(sums, columns(groups))
                    .scalar(n)
                    .local(ElementType.INT, 256)
                    .scalar(shift)
                    .run();
            run.kernel("top_scan") // one group
                    .units(256)
                    .undivided()
                    .groupSize(256)
                    .updates(sums, whole())
                    .scalar(groups)
                    .local(ElementType.INT, 512)
                    .run();
            run.kernel("bottom_scan") // which writes keys to where they belong
                    .units(groups * 256)
                    .undivided()
                    .groupSize(256)
                    .reads(in, whole())
                    .reads(sums, whole())
                    .writes(keys[1 - shift / 4 % 2], whole())
                    .scalar(n)
                    .local(ElementType.INT, 512)
                    .scalar(shift)
                    .run();
        }
    }

    private static void md(Run run) {
        int n = 128 * run.pick(4, 11, 64);
        int neighbours = 32;
        single(run, "md/md.cl");
        HostBuffer force = run.floats("force", 4 * n, i -> 0);
        HostBuffer at = run.floats("position", 4 * n, i -> 20 * noise(i));
        HostBuffer list = run.ints("neighList", neighbours * n, i -> (i + 1 + Inputs.bits(i, n - 1)) % n);
        run.kernel("compute_lj_force")
                .units(n)
                .groupSize(128)
                .writes(force, slice(4))
                .reads(at, whole())
                .scalar(neighbours)
                .reads(list, columns(n))
                .scalar(16.0f, 1.5f, 2.0f, n)
                .run();
    }

    private static void gemm(Run run) {
        int m = run.pick(64, 192, 256);
        int n = run.pick(32, 48, 208);
        int k = run.pick(16, 80, 128);
        run.source(single(run, "gemm/gemmN.cl").withOptions("-cl-mad-enable"));
        HostBuffer a = run.floats("A", m * k, Inputs::noise);
        for (String kind : List.of("NN", "NT")) {
            boolean turned = kind.equals("NT");
            HostBuffer b = run.floats("B" + kind, n * k, i -> noise(-i));
            HostBuffer c = run.floats("C" + kind, m * n, i -> noise(3 * i));
            run.kernel("sgemm" + kind) // a group of 4 rows of work-items makes 16 rows of the result
                    .range(m / 4, n / 4)
                    .jobView()
                    .groupSize(16, 4)
                    .reads(a, whole())
                    .scalar(m)
                    .reads(b, turned ? columns(n).perUnit(4) : slice(4 * k))
                    .scalar(turned ? n : k)
                    .updates(c, slice(4 * m))
                    .scalar(m, k, 1.5f, -0.5f)
                    .run();
        }
    }

    private static void fft(Run run) {
        int half = run.pick(4, 13, 60);
        single(run, "fft/fft.cl");
        HostBuffer work = run.floats("work", 2 * half * 1024, i -> noise(i % (half * 1024)));
        HostBuffer fail = run.ints("fail", 1, i -> 0);
        for (String kind : List.of("fft1D_512", "ifft1D_512")) {
            run.kernel(kind)
                    .units(2 * half)
                    .jobView()
                    .variant(group(64))
                    .updates(work, slice(1024))
                    .run();
        }
        run.kernel("chk1D_512")
                .units(half)
                .jobView()
                .variant(group(64))
                .reads(work, slice(1024).planes(2))
                .scalar(512 * half)
                .accumulates(fail, Reduction.ANY)
                .run();
    }

    private static void stencil2d(Run run) {
        int rows = 8; // of a group
        int group = 16;
        int height = rows * run.pick(3, 7, 30);
        int width = group * run.pick(3, 5, 12);
        int pitch = Inputs.roundUp(width + 2, 16);
        run.source(single(run, "stencil2d/stencil2d.cl").withOptions("-DLROWS=8 -DLCOLS=16"));
        HostBuffer[] grids = {
            run.floats("one", pitch * (height + 2), Inputs::noise), run.floats("two", pitch * (height + 2), i -> 0)
        };
        for (int first : List.of(0, width + 1)) { // the border on the left and on the right
            run.kernel("CopyRect")
                    .units(height + 2)
                    .jobView()
                    .groupSize(16) // which the host leaves open; the text finds its row by the numbers of groups
                    .updates(grids[1], slice(pitch))
                    .scalar(first, pitch)
                    .reads(grids[0], slice(pitch))
                    .scalar(first, pitch, 1, height + 2)
                    .run();
        }
        for (int step = 0; step < 4; step++) {
            run.kernel("StencilKernel") // dimension 0 counts groups of rows
                    .range(height / rows, width)
                    .along(0)
                    .groupSize(1, group)
                    .reads(grids[step % 2], slice(rows * pitch).from(pitch).halo(1, 1))
                    .updates(grids[1 - step % 2], slice(rows * pitch).from(pitch))
                    .scalar(16, 0.25f, 0.15f, 0.05f)
                    .local(ElementType.FLOAT, (rows + 2) * (group + 2))
                    .run();
        }
    }

    private static void spmv(Run run) {
        int n = 4 * run.pick(64, 111, 1000);
        int most = 12; // of a row
        single(run, "spmv/spmv.cl");
        HostBuffer begins = run.ints("rowDelimiters", n + 1, i -> 0);
        for (int row = 0, at = 0; row <= n; at += 1 + Inputs.bits(row, most), row++) {
            Run.bytes(begins).putInt(4 * row, at);
        }
        int entries = Run.bytes(begins).getInt(4 * n);
        HostBuffer val = run.floats("val", entries, Inputs::noise);
        HostBuffer cols = run.ints("cols", entries, i -> Inputs.bits(i, n));
        HostBuffer vec = run.floats("vec", n, i -> noise(-i));
        HostBuffer scalar = run.floats("scalar", n, i -> 0);
        HostBuffer vector = run.floats("vector", n, i -> 0);
        HostBuffer packed = run.floats("ellpackr", n, i -> 0);
        run.kernel("spmv_csr_scalar_kernel")
                .units(n)
                .jobView()
                .groupSize(128)
                .reads(val, whole())
                .reads(vec, whole())
                .reads(cols, whole())
                .reads(begins, slice(1).halo(0, 1))
                .scalar(n)
                .writes(scalar, slice(1))
                .run();
        run.kernel("spmv_csr_vector_kernel")
                .units(n)
                .jobView()
                .variant(Variant.itemsPerUnit(32).withGroupSize(128))
                .reads(val, whole())
                .reads(vec, whole())
                .reads(cols, whole())
                .reads(begins, slice(1).halo(0, 1))
                .scalar(n, 32)
                .writes(vector, slice(1))
                .run();
        HostBuffer packedVal = run.floats("packedVal", n * most, Inputs::noise);
        HostBuffer packedCols = run.ints("packedCols", n * most, i -> Inputs.bits(i, n));
        HostBuffer lengths = run.ints("rowLengths", n, i -> 1 + Inputs.bits(i, most));
        run.kernel("spmv_ellpackr_kernel")
                .units(n)
                .groupSize(128)
                .reads(packedVal, columns(n))
                .reads(vec, whole())
                .reads(packedCols, columns(n))
                .reads(lengths, slice(1))
                .scalar(n)
                .writes(packed, slice(1))
                .run();
    }

    /** Work-items give a level to any vertex, but all the same one, and only to those that have none: the least remains. */
    private static void bfs(Run run) {
        int n = run.pick(300, 1777, 20_000);
        run.file(LEVEL1 + "bfs/bfs_iiit.cl");
        HostBuffer levels = run.buffer("frontier", ElementType.UINT, n);
        for (int i = 0; i < n; i++) {
            Run.bytes(levels).putInt(4 * i, i == 5 ? 0 : -1);
        }
        HostBuffer begins = run.ints("edgeArray", n + 1, i -> 3 * i);
        HostBuffer edges = run.ints("edgeArrayAux", 3 * n, i -> Inputs.bits(i, n));
        HostBuffer flag = run.ints("flag", 1, i -> 1);
        for (int level = 0; Run.bytes(flag).getInt(0) != 0; level++) {
            Run.bytes(flag).putInt(0, 0);
            run.kernel("BFS_kernel_warp")
                    .units((n + 31) / 32)
                    .jobView()
                    .variant(Variant.itemsPerUnit(32).withGroupSize(256))
                    .accumulates(levels, Reduction.MIN)
                    .reads(begins, whole())
                    .reads(edges, whole())
                    .scalar(32, 32, n, level)
                    .accumulates(flag, Reduction.ANY)
                    .run();
        }
    }
}
