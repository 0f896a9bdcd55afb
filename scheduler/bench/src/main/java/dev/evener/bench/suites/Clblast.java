package dev.evener.bench.suites;

import static dev.evener.Access.columns;
import static dev.evener.Access.slice;
import static dev.evener.Access.slices;
import static dev.evener.Access.whole;
import static dev.evener.bench.suites.Inputs.group;

import dev.evener.Access;
import dev.evener.HostBuffer;
import dev.evener.KernelSource;
import dev.evener.Variant;
import java.nio.IntBuffer;
import java.util.List;
import java.util.function.Consumer;

/**
 * Routines of CLBlast, the linear algebra of which is one text for each, put together from files as its C++ does: vectors in several planes
 * of one buffer, matrices by columns, triangles whose rows have ever more elements, tiles in local memory, batches, and convolutions.
 */
@SuppressWarnings("NarrowCalculation") // sizes are small
final class Clblast {
    private static final String SUITE = "CLBlast";
    private static final String FOLDER = "CLBlast/src/kernels/";
    private static final int WGS = 64; // work-items of a group that has one dimension,
    private static final int TILE = 8; // and in each of two

    private final Run run;

    private Clblast(Run run) {
        this.run = run;
    }

    private static Program program(String name, String files, String options, Consumer<Clblast> body) {
        return new Program(SUITE, name, run -> {
            StringBuilder text = new StringBuilder();
            for (String each : ("common " + files).split(" ", -1)) { // what is between the marks of a raw string of C++
                String file = run.file(FOLDER + each + ".opencl").text();
                text.append(file, file.indexOf("R\"(") + 3, file.lastIndexOf(")\""));
            }
            run.source(KernelSource.of("CLBlast " + name, text.toString()).withOptions(options));
            body.accept(new Clblast(run));
        });
    }

    static List<Program> programs() {
        String vectors = "level1/level1 level1/";
        String two = "-DWPT=2 -DVW=4"; // parts of a work-item, and elements of each
        String updates = "level2/level2 level2/";
        String direct = "level3/level3 level3/xgemm_direct_part1 level3/xgemm_direct_part2 level3/xgemm_direct_part3";
        String tiles = "level3/xgemm_part1 level3/xgemm_part2 level3/xgemm_part3 level3/xgemm_part4";
        return List.of(
                program("axpy", vectors + "xaxpy", two, Clblast::axpy),
                program("copy", vectors + "xcopy", two, Clblast::copy),
                program("scal", vectors + "xscal", two, Clblast::scale),
                program("swap", vectors + "xswap", two, Clblast::swap),
                program("had", vectors + "xhad", two, Clblast::hadamard),
                program("dot", vectors + "xdot", "", its -> its.sum("Xdot", true)),
                program("asum", vectors + "xasum", "", its -> its.sum("Xasum", false)),
                program("nrm2", vectors + "xnrm2", "", its -> its.sum("Xnrm2", false)),
                program("amax", vectors + "xamax", "", Clblast::largest),
                program("gemv", "level2/xgemv level2/xgemv_fast", "-DWPT2=2 -DWPT3=8", Clblast::gemv),
                program("symv", "level2/xgemv", "-DROUTINE_SYMV", Clblast::symv),
                program("trsv", "level2/xtrsv", "-DROUTINE_TRSV", Clblast::trsv),
                program("ger", updates + "xger", "-DWPT=2", Clblast::ger),
                program("syr", updates + "xher", "-DWPT=2 -DROUTINE_SYR", Clblast::syr),
                program("syr2", updates + "xher2", "-DWPT=2 -DROUTINE_SYR2", Clblast::syr2),
                program("spr", updates + "xher", "-DROUTINE_SPR", Clblast::spr),
                program(
                        "omatcopy",
                        "level3/level3 level3/copy_fast level3/copy_pad level3/transpose_fast level3/transpose_pad",
                        "-DCOPY_WPT=2 -DCOPY_VW=4 -DPAD_WPTY=2 -DTRA_WPT=2 -DPADTRA_WPT=2",
                        Clblast::copyMatrix),
                program("symm", "level3/level3 level3/convert_symmetric", "-DROUTINE_SYMM", Clblast::symmetric),
                program("trmm", "level3/level3 level3/convert_triangular", "-DROUTINE_TRMM", Clblast::triangular),
                program("gemm", direct, "-DWGD=16 -DVWMD=2 -DVWND=2", Clblast::gemm),
                program("gemm-tiled", tiles, "-DMWG=16 -DNWG=16 -DSA=1 -DSB=1 -DVWM=2 -DVWN=2", Clblast::tiled),
                program("syrk", tiles, "-DROUTINE_SYRK -DNWG=16 -DMWG=16", Clblast::syrk),
                program(
                        "gemm-batched",
                        direct + " level3/xgemm_direct_batched",
                        "-DROUTINE_GEMMSTRIDEDBATCHED",
                        Clblast::batched),
                program("im2col", "levelx/im2col", "", Clblast::imageToColumns),
                program("col2im", "levelx/col2im", "", Clblast::columnsToImage),
                program(
                        "convgemm",
                        direct + " levelx/xconvgemm_part1 levelx/xconvgemm_part2",
                        "-DROUTINE_CONVGEMM",
                        Clblast::convolve));
    }

    private HostBuffer floats(String name, int count) {
        int seed = name.hashCode() & 0xFFFF;
        return run.floats(name, count, i -> Inputs.noise(i + seed) - 0.3);
    }

    // ---- vectors: elements some way apart behind an offset, or four at a time in two halves ----

    private int odd() {
        return run.pick(300, 5003, 40_000);
    }

    private int even() {
        return 8 * WGS * run.pick(3, 9, 71);
    }

    private Declared strided(String kernel, int n) {
        return run.kernel(kernel).units(n).groupSize(WGS).jobView();
    }

    private Declared halves(String kernel, int n) {
        return run.kernel(kernel).units(n / 8).groupSize(WGS);
    }

    private static final Access HALVES = slice(4).planes(2);

    private void axpy() {
        int n = odd();
        strided("Xaxpy", n)
                .scalar(n, 1.5f)
                .reads(floats("x", 2 * n + 3), slice(2).from(3))
                .scalar(3, 2)
                .updates(floats("y", n + 1), slice(1).from(1))
                .scalar(1, 1)
                .run();
        int even = even();
        HostBuffer xs = floats("xs", even);
        HostBuffer ys = floats("ys", even);
        halves("XaxpyFaster", even)
                .scalar(even, 1.5f)
                .reads(xs, HALVES)
                .updates(ys, HALVES)
                .run();
        halves("XaxpyFastest", even)
                .scalar(even, -0.7f)
                .reads(xs, HALVES)
                .updates(ys, HALVES)
                .run();
        int batches = run.pick(5, 11, 40);
        HostBuffer offsets = run.ints("offsets", batches + 1, i -> i * 200 + i % 3);
        HostBuffer all = floats("all", 200 * batches + 200);
        run.kernel("XaxpyBatched")
                .range(WGS, batches)
                .groupSize(WGS)
                .jobView()
                .scalar(190)
                .reads(floats("alphas", batches), slice(1))
                .reads(floats("from", 200 * batches + 200), slices(offsets.ints()))
                .reads(offsets, slice(1))
                .scalar(1)
                .updates(all, slices(offsets.ints()))
                .reads(offsets, slice(1))
                .scalar(1)
                .run();
    }

    private void copy() {
        int n = odd();
        strided("Xcopy", n)
                .scalar(n)
                .reads(floats("x", 2 * n), slice(2))
                .scalar(1, 2)
                .updates(floats("y", 3 * n), slice(3))
                .scalar(0, 3)
                .run();
        int even = even();
        halves("XcopyFast", even)
                .scalar(even)
                .reads(floats("xs", even), HALVES)
                .writes(floats("ys", even), HALVES)
                .run();
    }

    private void scale() {
        int n = odd();
        strided("Xscal", n)
                .scalar(n, 0.3f)
                .updates(floats("x", 2 * n), slice(2))
                .scalar(1, 2)
                .run();
        int even = even();
        halves("XscalFast", even)
                .scalar(even, 0.3f)
                .updates(floats("xs", even), HALVES)
                .run();
    }

    private void swap() {
        int n = odd();
        strided("Xswap", n)
                .scalar(n)
                .updates(floats("x", 2 * n), slice(2))
                .scalar(1, 2)
                .updates(floats("y", n), slice(1))
                .scalar(0, 1)
                .run();
        int even = even();
        halves("XswapFast", even)
                .scalar(even)
                .updates(floats("xs", even), HALVES)
                .updates(floats("ys", even), HALVES)
                .run();
    }

    private void hadamard() {
        int n = odd();
        strided("Xhad", n)
                .scalar(n, 1.5f, 0.5f)
                .reads(floats("x", 2 * n), slice(2))
                .scalar(0, 2)
                .reads(floats("y", n), slice(1))
                .scalar(0, 1)
                .updates(floats("z", 2 * n), slice(2))
                .scalar(1, 2)
                .run();
        int even = even();
        HostBuffer xs = floats("xs", even);
        HostBuffer ys = floats("ys", even);
        HostBuffer zs = floats("zs", even);
        for (String each : List.of("XhadFaster", "XhadFastest")) {
            halves(each, even)
                    .scalar(even, 1.5f, 0.5f)
                    .reads(xs, HALVES)
                    .reads(ys, HALVES)
                    .updates(zs, HALVES)
                    .run();
        }
    }

    /** Each goes through all of the vector, with the size of the launch as its step; a last one puts their results together. */
    private static final int GROUPS = 2 * WGS;

    private Declared groups(String kernel, HostBuffer x, int n) {
        return run.kernel(kernel)
                .units(GROUPS)
                .jobView()
                .variant(group(WGS))
                .scalar(n)
                .reads(x, columns(GROUPS * WGS).perUnit(WGS))
                .scalar(0, 1);
    }

    private Declared last(String kernel) {
        return run.kernel(kernel).units(WGS).undivided().groupSize(WGS);
    }

    private void sum(String kernel, boolean ofTwo) {
        int n = GROUPS * WGS * run.pick(2, 3, 5) - 700;
        HostBuffer sums = floats("sums", GROUPS);
        Declared first = groups(kernel, floats("x", n), n);
        if (ofTwo) {
            first.reads(floats("y", n), columns(GROUPS * WGS).perUnit(WGS)).scalar(0, 1);
        }
        first.writes(sums, slice(1));
        (ofTwo ? first.scalar(0) : first).run();
        last(kernel + "Epilogue")
                .reads(sums, whole())
                .writes(floats("sum", 1), whole())
                .scalar(0)
                .run();
    }

    private void largest() {
        int n = GROUPS * WGS * run.pick(2, 3, 5) - 700;
        HostBuffer most = floats("most", GROUPS);
        HostBuffer places = run.ints("places", GROUPS, i -> 0);
        groups("Xamax", floats("x", n), n)
                .writes(most, slice(1))
                .writes(places, slice(1))
                .run();
        last("XamaxEpilogue")
                .reads(most, whole())
                .reads(places, whole())
                .writes(run.ints("place", 1, i -> 0), whole())
                .scalar(0)
                .run();
    }

    // ---- a matrix and a vector ----

    private void gemv() {
        int m = run.pick(100, 301, 700);
        int n = run.pick(80, 203, 400);
        HostBuffer a = floats("a", m * n);
        HostBuffer x = floats("x", n);
        vector("Xgemv", m, n, 0, a, m, columns(m), x, floats("y", m)).run();
        vector("Xgemv", m, n, 1, a, n, slice(n), x, floats("yt", m)).run();
        int even = 2 * WGS * run.pick(1, 2, 4);
        HostBuffer square = floats("square", even * even);
        HostBuffer xs = floats("xs", even);
        run.kernel("XgemvFast")
                .units(even / 2)
                .groupSize(WGS)
                .scalar(even, even, 1.5f, 0.5f, 0)
                .reads(square, columns(even).perUnit(2))
                .scalar(0, even)
                .reads(xs, whole())
                .scalar(0, 1)
                .updates(floats("ys", even), slice(2))
                .scalar(0, 1, 0, 0, 0, 0)
                .run();
        vector("XgemvFastRot", even, even, 1, square, even, slice(even), xs, floats("yst", even))
                .run();
    }

    private Declared vector(
            String kernel, int m, int n, int rotated, HostBuffer a, int ld, Access rows, HostBuffer x, HostBuffer y) {
        return run.kernel(kernel)
                .units(m)
                .groupSize(WGS)
                .jobView()
                .scalar(m, n, 1.5f, 0.5f, rotated)
                .reads(a, rows)
                .scalar(0, ld)
                .reads(x, whole())
                .scalar(0, 1)
                .updates(y, slice(1))
                .scalar(0, 1, 0, 0, 0, 0);
    }

    private void symv() {
        int n = run.pick(100, 301, 500);
        vector("Xgemv", n, n, 0, floats("a", n * n), n, whole(), floats("x", n), floats("y", n))
                .run();
    }

    private void trsv() {
        int n = 32;
        int inc = run.pick(1, 2, 3);
        HostBuffer x = floats("x", 8 * n * inc);
        run.kernel("FillVector")
                .units(8 * n)
                .scalar(8 * n, inc, 0)
                .updates(x, slice(inc))
                .scalar(0.25f)
                .run();
        for (String each : List.of("trsv_forward", "trsv_backward")) {
            run.kernel(each)
                    .units(n)
                    .undivided()
                    .groupSize(n)
                    .scalar(n)
                    .reads(floats("a " + each, n * n), whole())
                    .scalar(0, n)
                    .updates(floats("b " + each, n), whole())
                    .scalar(0, 1)
                    .updates(x, whole())
                    .scalar(0, inc, 0, 1, 0)
                    .run();
        }
    }

    /** Rows of a matrix in two halves, of which each work-item has some of both. */
    private Declared update(String kernel, int rows) {
        return run.kernel(kernel).range(rows / 2, rows / 2).groupSize(TILE, TILE);
    }

    private int rows() {
        return 2 * TILE * run.pick(4, 7, 20);
    }

    private void ger() {
        int n = rows();
        update("Xger", n)
                .scalar(n, n, 1.5f)
                .reads(floats("x", n), whole())
                .scalar(0, 1)
                .reads(floats("y", n), slice(1).planes(2))
                .scalar(0, 1)
                .updates(floats("a", n * n), slice(n).planes(2))
                .scalar(0, n, 0)
                .run();
    }

    private void syr() {
        int n = rows();
        update("Xher", n)
                .scalar(n, 1.5f)
                .reads(floats("x", n), whole())
                .scalar(0, 1)
                .updates(floats("a", n * n), slice(n).planes(2))
                .scalar(0, n, 1, 0)
                .run();
    }

    private void syr2() {
        int n = rows();
        update("Xher2", n)
                .scalar(n, 1.5f)
                .reads(floats("x", n), whole())
                .scalar(0, 1)
                .reads(floats("y", n), whole())
                .scalar(0, 1)
                .updates(floats("a", n * n), slice(n).planes(2))
                .scalar(0, n, 0, 0)
                .run();
    }

    /** The upper triangle, column behind column, of which each has an element more than the one before. */
    private void spr() {
        int n = run.pick(40, 101, 200);
        IntBuffer begins = IntBuffer.allocate(n + 1);
        for (int i = 0; i <= n; i++) {
            begins.put(i, i * (i + 1) / 2);
        }
        run.kernel("Xher")
                .range(n, n)
                .groupSize(TILE, TILE)
                .scalar(n, 1.5f)
                .reads(floats("x", n), whole())
                .scalar(0, 1)
                .updates(floats("packed", begins.get(n)), slices(begins))
                .scalar(0, n, 1, 0)
                .run();
    }

    // ---- matrices, in tiles: a unit is a row of groups ----

    private Declared tiles(String kernel, int width, int rows) {
        return run.kernel(kernel)
                .range(width, rows)
                .groupSize(TILE, TILE)
                .variant(Variant.itemsPerUnit(TILE))
                .jobView();
    }

    private static int tilesOf(int count, int each) {
        return (count + each - 1) / each;
    }

    private void copyMatrix() {
        int n = 4 * TILE * run.pick(2, 3, 8);
        HostBuffer in = floats("in", n * n);
        tiles("CopyMatrixFast", n / 4, n / (2 * TILE))
                .scalar(n)
                .reads(in, slice(2 * TILE * n))
                .writes(floats("fast", n * n), slice(2 * TILE * n))
                .scalar(1.5f)
                .run();
        tiles("TransposeMatrixFast", n / 2, n / (2 * TILE))
                .scalar(n)
                .reads(in, columns(n).perUnit(2 * TILE))
                .writes(floats("turned", n * n), slice(2 * TILE * n))
                .scalar(1.5f)
                .run();
        int width = n - 5;
        int rows = n - 3;
        tiles("CopyPadMatrix", n, n / (2 * TILE))
                .scalar(width, rows, n, 0)
                .reads(in, slice(2 * TILE * n))
                .scalar(n, n, n, 0)
                .writes(floats("padded", n * n), slice(2 * TILE * n))
                .scalar(1.5f, 0)
                .run();
        tiles("CopyMatrix", width, tilesOf(rows, 2 * TILE))
                .scalar(n, n, n, 0)
                .reads(in, slice(2 * TILE * n))
                .scalar(width, rows, width, 0)
                .writes(floats("cut", width * rows), slice(2 * TILE * width))
                .scalar(0.5f, 0, 0, 0)
                .run();
        for (String each : List.of("TransposePadMatrix", "TransposeMatrix")) {
            Declared job = tiles(each, n / 2, n / (2 * TILE))
                    .scalar(n, n, n, 0)
                    .reads(in, columns(n).perUnit(2 * TILE))
                    .scalar(n, n, n, 0)
                    .writes(floats(each, n * n), slice(2 * TILE * n))
                    .scalar(0.5f, 0);
            (each.contains("Pad") ? job : job.scalar(0, 0)).run();
        }
    }

    private void symmetric() {
        int n = run.pick(50, 101, 200);
        HostBuffer in = floats("in", n * n);
        for (String each : List.of("SymmLowerToSquared", "SymmUpperToSquared")) {
            run.kernel(each)
                    .range(n, n)
                    .groupSize(TILE, TILE)
                    .jobView()
                    .scalar(n, n, 0)
                    .reads(in, whole()) // a place and its mirror's
                    .scalar(n, n, 0)
                    .writes(floats(each, n * n), slice(n))
                    .run();
        }
    }

    private void triangular() {
        int n = run.pick(50, 101, 200);
        HostBuffer in = floats("in", n * n);
        for (String each : List.of("TriaLowerToSquared", "TriaUpperToSquared")) {
            run.kernel(each)
                    .range(n, n)
                    .groupSize(TILE, TILE)
                    .jobView()
                    .scalar(n, n, 0)
                    .reads(in, slice(n))
                    .scalar(n, n, 0)
                    .writes(floats(each, n * n), slice(n))
                    .scalar(1)
                    .run();
        }
    }

    private void gemm() {
        int tile = 16;
        int m = run.pick(50, 101, 160);
        int n = run.pick(70, 83, 192);
        int k = run.pick(40, 51, 96);
        HostBuffer a = floats("a", m * k);
        HostBuffer b = floats("b", k * n);
        for (String each : List.of("NN", "NT", "TN", "TT")) {
            boolean turnedA = each.startsWith("T");
            boolean turnedB = each.endsWith("T");
            tiles("XgemmDirect" + each, tilesOf(m, tile) * TILE, tilesOf(n, tile))
                    .scalar(m, n, k, 1.5f, 0.5f)
                    .reads(a, whole())
                    .scalar(0, turnedA ? k : m)
                    .reads(b, turnedB ? slice(tile * k) : columns(n).perUnit(tile))
                    .scalar(0, turnedB ? k : n)
                    .updates(floats("c" + each, m * n), slice(tile * m))
                    .scalar(0, m, 0, 0, 0)
                    .run();
        }
    }

    private void tiled() {
        int tile = 16;
        int m = tile * run.pick(3, 5, 12);
        int n = tile * run.pick(4, 7, 10);
        int k = tile * run.pick(2, 3, 6);
        tiles("Xgemm", m / 2, n / tile)
                .scalar(m, n, k, 1.5f, 0.5f)
                .reads(floats("a", m * k), whole())
                .reads(floats("b", k * n), columns(n).perUnit(tile))
                .updates(floats("c", m * n), slice(tile * m))
                .scalar(0, 0)
                .run();
    }

    private void syrk() {
        int tile = 16;
        int n = tile * run.pick(4, 7, 12);
        int k = tile * run.pick(2, 3, 6);
        HostBuffer a = floats("a", n * k);
        for (String each : List.of("XgemmUpper", "XgemmLower")) {
            tiles(each, n / 2, n / tile)
                    .scalar(n, k, 1.5f, 0.5f)
                    .reads(a, whole())
                    .reads(floats("b", k * n), columns(n).perUnit(tile))
                    .updates(floats(each, n * n), slice(tile * n))
                    .run();
        }
    }

    private void batched() {
        int n = run.pick(20, 27, 40);
        int batches = run.pick(4, 7, 30);
        HostBuffer a = floats("a", n * n * batches);
        HostBuffer b = floats("b", n * n * batches);
        int items = Inputs.roundUp(n, TILE);
        for (String each : List.of("NN", "NT", "TN", "TT")) {
            run.kernel("XgemmDirectStridedBatched" + each)
                    .range(items, items, batches)
                    .groupSize(TILE, TILE)
                    .jobView()
                    .scalar(n, n, n, 1.5f, 0.5f)
                    .reads(a, slice(n * n))
                    .scalar(0, n, n * n)
                    .reads(b, slice(n * n))
                    .scalar(0, n, n * n)
                    .updates(floats("c" + each, n * n * batches), slice(n * n))
                    .scalar(0, n, n * n, 0, 0, 0)
                    .run();
        }
    }

    // ---- images of several channels, with a kernel of 3 by 3 ----

    private static final int KERNEL = 3;

    /** A unit is a row of a channel, which has a row of each of nine planes of that channel. */
    private void imageToColumns() {
        int width = run.pick(24, 37, 64);
        int height = 8 * run.pick(2, 3, 9);
        int channels = run.pick(3, 5, 8);
        HostBuffer image = floats("image", width * height * channels);
        for (String each : List.of("Xim2colKernelNormal", "Xim2colKernelFlip")) {
            run.kernel(each)
                    .range(width, height * channels)
                    .groupSize(TILE, TILE)
                    .scalar(height, width, channels, height, width, KERNEL, KERNEL, 1, 1, 1, 1, 1, 1)
                    .reads(image, slice(width).halo(1, 1))
                    .scalar(0)
                    .writes(
                            floats(each, width * height * channels * KERNEL * KERNEL),
                            slice(width).planes(KERNEL * KERNEL).blocksOf(height))
                    .scalar(0)
                    .run();
        }
    }

    private void columnsToImage() {
        int width = run.pick(24, 37, 64);
        int height = 8 * run.pick(2, 3, 9);
        int channels = run.pick(3, 5, 8);
        HostBuffer all = floats("columns", width * height * channels * KERNEL * KERNEL);
        for (String each : List.of("Xcol2imKernelNormal", "Xcol2imKernelFlip")) {
            run.kernel(each)
                    .range(width, height * channels)
                    .groupSize(TILE, TILE)
                    .scalar(height, width, channels, height, width, KERNEL, KERNEL, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 1, 1)
                    .reads(all, whole())
                    .scalar(0)
                    .updates(floats(each, width * height * channels), slice(width))
                    .scalar(0)
                    .run();
        }
    }

    private void convolve() {
        int width = run.pick(16, 21, 32);
        int height = run.pick(12, 19, 24);
        int channels = 3;
        int kernels = run.pick(8, 13, 16);
        int images = run.pick(4, 5, 9);
        int patch = channels * KERNEL * KERNEL;
        HostBuffer weights = floats("weights", kernels * patch);
        HostBuffer in = floats("in", images * channels * width * height);
        for (String each : List.of("XconvgemmNormal", "XconvgemmFlip")) {
            run.kernel(each)
                    .range(Inputs.roundUp(width * height, TILE), Inputs.roundUp(kernels, TILE), images)
                    .groupSize(TILE, TILE)
                    .jobView()
                    .scalar(width * height, kernels, patch)
                    .reads(weights, whole())
                    .scalar(0)
                    .writes(floats(each, images * kernels * width * height), slice(kernels * width * height))
                    .scalar(0, kernels * width * height)
                    .reads(in, slice(channels * width * height))
                    .scalar(0, height, width, channels, KERNEL, KERNEL, 1, 1, 1, 1, 1, 1, height, width)
                    .run();
        }
    }
}
